/* The frame of the operations that round: add, subtract, multiply, divide, sqrt.
 *
 * Every one goes in two steps over a tile: the exact result and the spread that the
 * operands' balls give it, then one rounding (round.h). Elements that are not finite,
 * and zeros, are looked at again one by one. */
#ifndef ONCHIP_REFERENCE_TILE_ARITH_H
#define ONCHIP_REFERENCE_TILE_ARITH_H

#include "reference/tile.h"

#include <math.h>

/* An element whose m or r is not finite, or whose m is 0. exact and spread as given to
 * the rounding; m, r and f hold what the loops gave and are set right. With one operand
 * a and b are the same. */
typedef struct oc__element {
    const oc__rounding *how;
    oc__ball a, b;
    double exact, spread;
    double m, r;
    uint8_t f;
} oc__element;

typedef struct oc__arith_op {
    size_t arity;
    bool exact_below; /* results below the smallest normal number are exact */
    void (*points)(size_t n, const oc__tile *in, double *exact);
    void (*balls)(size_t n, const oc__tile *in, double *exact, double *spread);
    void (*variance)(size_t n, const oc__tile *in, const double *m, double *variance);
    /* For operands that are neither NaN nor undecided. True: m and r have been set;
     * false: they are as rounding gave them, the operands being finite. */
    bool (*special)(oc__element *e);
    /* Whether the sign of a zero result of points is known. */
    bool (*zero_signed)(oc__ball a, oc__ball b);
} oc__arith_op;

/* More spread for every element, or NULL. */
typedef void (*oc__widen_fn)(const oc__tile_env *env, size_t n, const oc__tile *in,
                             const double *exact, double *spread);

void oc__arith_run(const oc__arith_op *op, const oc__tile_env *env, size_t n,
                   const oc__tile *in, oc__tile *out, oc__widen_fn widen);

/* For `special`: nothing is known, or m surely is this. Both are true. */
static inline bool oc__element_undecided(oc__element *e)
{
    e->r = (double)INFINITY;
    return true;
}

static inline bool oc__element_decided(oc__element *e, double m)
{
    e->m = m;
    e->r = 0;
    return true;
}

/* For `zero_signed`: products and quotients. */
static inline bool oc__both_signed(oc__ball a, oc__ball b)
{
    return oc__ball_signed(a) && oc__ball_signed(b);
}

#endif
