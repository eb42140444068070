/* One rounding of many elements: what oc__round_ball does for one, over arrays.
 *
 * With E the exact result of an operation on the midpoints (as near as double gives
 * it), S its spread, p and emin those of the type, u = 2^-p (numerics 8.1):
 *
 *     m = E rounded to nearest even
 *     r = S + |E - m| + u (|E| + S) + e + E's own error
 *     e = 2^(emin-p) where the ball holds numbers below 2^emin, else 0
 *
 * A point (S = 0) keeps r = 0: devices must round right. A contract may say that points
 * are rounded like balls (widen), or that the rounding may be left out (keep). */
#ifndef ONCHIP_REFERENCE_ROUND_H
#define ONCHIP_REFERENCE_ROUND_H

#include "reference/kernel.h"

/* Loops of tiles are compiled for AVX2 too; which one runs is decided once,
 * when the program is loaded. The answers are the same: nothing is contracted. (clang
 * 14 gives such functions other names in other files.) */
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define OC__CLONES __attribute__((target_clones("avx2", "default")))
#else
#define OC__CLONES
#endif

/* A radius is computed in double with a few roundings; this covers them. (In the loops
 * over narrower types an addition to u does, which is 2^-46 of |E| + S.) */
#define OC__INFLATE (1 + 0x1p-48)

typedef struct oc__rounding {
    oc_dtype dtype;
    double unit;            /* u, and the error of E itself, relative to |E| + S */
    double smallest_normal; /* 2^emin */
    double underflow;       /* e */
    double overflow_from;   /* of the type */
    double
        certain_overflow; /* |E| - S from here on: surely infinite; NaN: never sure */
    double ball_above;    /* S above this makes a ball: 0, or -1 to widen points */
    bool keeps;           /* a point has r = |E - m| + keep_unit |E|, not 0 */
    double keep_unit;
    bool overflow_lives; /* what overflows may stay finite in a wider register */
} oc__rounding;

/* The rounding of an operation whose E is one operation in double on the midpoints.
 * exact_below: results below 2^emin are exact (add, subtract). */
oc__rounding oc__rounding_of(const oc__tile_env *env, bool exact_below);

/* True when the caller must look at elements one by one: some m is a zero, or some m or
 * r is not finite. Arrays do not overlap. */
bool oc__round_tile(const oc__rounding *how, size_t n, const double *exact,
                    const double *spread, double *m, double *r);
void oc__round_points(oc_dtype dtype, size_t n, const double *exact, double *m);

/* Whether subnormal numbers of the type may read as zero on a device that flushes: the
 * types whose exponents are those of f32 or f64 (narrow exponents are computed wider).
 */
bool oc__flushes(oc_dtype dtype);

/* Widens radii to hold 0 where the ball holds numbers below the type's smallest normal
 * one. */
void oc__flush_radii(oc_dtype dtype, size_t n, const double *m, double *r);

#endif
