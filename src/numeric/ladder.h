/* One output tensor of a device against the balls of the reference, element by element.
 *
 * Outcome of an element, the first that applies (numerics 5.6 and its order):
 *     not judged  the specification leaves it open (OC__F_OPEN), whatever came out
 *     undecided   the ball is not finite, or an integer or i1 is not known
 *     refuted     outside the ball; another class (NaN, an infinity); a zero of the
 * other sign where the text fixes the sign undecided   inside a hull over a jump
 * (OC__F_HULL) suspect     |z| > 10, or the tensor's rms of z is over 1.5 (32 elements
 * or more) loose       r > 2^-3 max(|m|, rms of the finite |m| of its row); the row is
 * the last dimension, the tensor where that has fewer than 8 elements. Elements that
 * escape only through the row are counted; more than one in eight of a tensor makes
 * them all loose consistent  level `exact` (r = 0) or `hard` (inside the any-order
 * ball) z = (d - m) / s with s of the reference's statistical plane (numerics 2.4). */
#ifndef ONCHIP_NUMERIC_LADDER_H
#define ONCHIP_NUMERIC_LADDER_H

#include "reference/evaluate.h"

typedef enum oc__outcome {
    OC__CONSISTENT_EXACT = 0,
    OC__CONSISTENT_HARD,
    OC__CONSISTENT_PROFILE, /* inside an allowed deviation only */
    OC__LOOSE,
    OC__SUSPECT,
    OC__UNDECIDED,
    OC__NOT_JUDGED,
    OC__REFUTED,
    OC__OUTCOMES
} oc__outcome;

/* "consistent (exact)", ..., "refuted" */
const char *oc__outcome_name(oc__outcome outcome);

/* How the value of a refuted element differs. */
typedef enum oc__difference {
    OC__DIFFERS_VALUE = 0, /* a finite number outside a finite ball, or an integer */
    OC__DIFFERS_NAN_DROPPED,
    OC__DIFFERS_NAN_MADE,
    OC__DIFFERS_INFINITE, /* an infinity where the ball is finite */
    OC__DIFFERS_FINITE,   /* a finite number where the text overflows */
    OC__DIFFERS_ZERO_SIGN,
    OC__DIFFERENCES
} oc__difference;
const char *oc__difference_name(oc__difference difference);

typedef struct oc__ladder {
    size_t count;      /* elements */
    uint8_t *outcomes; /* [count], malloc'd */
    uint64_t counts[OC__OUTCOMES];
    uint64_t differences[OC__DIFFERENCES]; /* of the refuted */
    uint64_t through_row; /* consistent only through the rms of their row */
    bool from_table;      /* a refuted element depends on a documented figure */
    /* Over elements inside finite balls of positive radius. */
    double max_ratio; /* |d - m| / r */
    double rms_ratio;
    /* Over elements with s > 0 (complex: components); 0 elements: all NaN. */
    uint64_t z_count;
    double max_z, rms_z, bias_z;
    /* The first refuted element, else that of the largest ratio. */
    size_t worst;
    double worst_got, worst_want, worst_radius;
} oc__ladder;

/* `got` has the element type and the dims of `want`. Owned by the caller
 * (oc__ladder_free). */
OC_MUST_USE oc_status oc__ladder_judge(const oc_tensor *got, const oc__value *want,
                                       oc__ladder *out_ladder, oc_error *err);
void oc__ladder_free(oc__ladder *ladder);

/* The outcome of one element by itself, `got` its bytes: the same code. Its row and the
 * tensor may still turn consistent into loose or suspect, but nothing else: what is
 * refuted alone is refuted among the others. */
oc__outcome oc__ladder_element(const void *got, const oc__value *want, size_t element);

/* Counts again after outcomes were changed. */
void oc__ladder_count(oc__ladder *ladder);

#endif
