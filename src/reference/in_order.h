/* Midpoints by the text's own steps.
 *
 * A sum's midpoint is its exact value, rounded once; the text of the program adds term
 * by term, and where terms cancel that gives another number of the same ball. Where
 * there are few terms the steps are taken as the text says, so that what the evaluator
 * shows is what a reader who follows the text would get; the radius grows by the way
 * that the midpoint moves. */
#ifndef ONCHIP_REFERENCE_IN_ORDER_H
#define ONCHIP_REFERENCE_IN_ORDER_H

#include "reference/contract.h"

/* Whether steps are few: `terms` for each of `results`. */
static inline bool oc__in_order(size_t terms, size_t results)
{
    return terms <= 64 && results <= ((size_t)1 << 20) / (terms + 1);
}

/* at[i] = at[i] op x[i], rounded to the type; op is + or, for OC__BODY_MULTIPLY, *. */
void oc__in_order_step(oc_dtype dtype, oc__body body, double *at, const double *x,
                       size_t n);

/* Moves the midpoint of a finite ball to `text`. A point moves only where the text's
 * steps are narrower than the accumulator: then both answers are allowed. The text's
 * own error comes on top of the device's standard deviation (s, where it is kept). */
static inline void oc__settle(double text, double *m, double *r, double *s)
{
    if (!(*r < (double)INFINITY)) {
        *m = text;
    } else if (isfinite(text) && text != *m) {
        double moved = fabs(text - *m);
        *r = (*r + moved) * (1 + 0x1p-50);
        *m = text;
        if (s) {
            *s = hypot(*s, moved);
        }
    }
}

/* The same for all of a result of floats or complex numbers, from what the steps gave.
 */
void oc__settle_all(oc__value *result, const double *text);

#endif
