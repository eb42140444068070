/* Sums and products of many balls, in any order (S n of numerics 4 and 8.2).
 *
 * A device may add n terms along any binary tree, rounding every partial sum in its
 * accumulator. With T = sum of |term| + radius, R = sum of the radii, u the
 * accumulator's unit roundoff and gamma_n = n u / (1 - n u), its sum lies within
 *
 *     gamma_n T + R + own + underflow
 *
 * of the midpoints' exact sum (Higham, Accuracy and Stability, 2nd ed., section 4.2); n
 * is the number of roundings on the longest path. `own` bounds the error of the sum
 * that this evaluator has in double. When all terms are points on one grid 2^g and T <
 * 2^(p + g), every partial sum of every order is exact: the result is a point. When T
 * may reach the accumulator's overflow, some order may give an infinity or NaN:
 * undecided.
 */
#ifndef ONCHIP_REFERENCE_SUM_H
#define ONCHIP_REFERENCE_SUM_H

#include "reference/kernel.h"
#include "tensor/float_format.h"

#include <limits.h>

/* Classes of terms that are no finite balls; beside the OC__F_ flags in one byte.
 * OC__F_UNDECIDED stands for a term of which nothing is known. */
enum {
    OC__TERM_NAN = 32,
    OC__TERM_PLUS_INF = 64,
    OC__TERM_MINUS_INF = 128,
    OC__TERM_CLASSES =
        OC__F_UNDECIDED | OC__TERM_NAN | OC__TERM_PLUS_INF | OC__TERM_MINUS_INF
};

/* How the sums of one operation are accumulated and rounded. */
typedef struct oc__sum_model {
    oc__tile_env env;     /* the one rounding into the result's type */
    double unit;          /* u of the accumulator */
    double tiny;          /* the accumulator's smallest normal number, 2^emin */
    double grain;         /* half its smallest subnormal, 2^(emin - p) */
    double overflow_from; /* what rounds past its largest number */
    int precision;        /* its p */
    int least_grid;       /* grids below this one leave it */
    bool narrows;         /* the result's type is narrower than the accumulator */
    bool widens;          /* it is wider */
} oc__sum_model;

/* The accumulator of sums of `operand` elements that become `result`: f64 for f64, else
 * f32; with arith.narrow_accumulator the result's own type. Complex types stand for
 * their components. */
oc_dtype oc__sum_accumulator(const oc__arith *arith, oc_dtype operand, oc_dtype result);

void oc__sum_model_make(const oc__call *call, oc_dtype accumulator, oc_dtype result,
                        oc__sum_model *out_model);

enum { OC__NO_GRID = INT_MIN, OC__ANY_GRID = INT_MAX };

typedef struct oc__sum {
    double value;     /* of the midpoints, in double */
    double total;     /* T */
    double spread;    /* R */
    double own;       /* bound of value's error */
    double roundings; /* n */
    double square;    /* sum of term^2 (for s) */
    double variance;  /* sum of the terms' s^2 */
    int grid;         /* g; OC__NO_GRID: none, OC__ANY_GRID: all terms are 0 */
    bool products;    /* the terms are products, which may underflow */
    uint8_t flags;    /* OC__F_ and OC__TERM_ of all terms */
} oc__sum;

typedef struct oc__ball {
    double m, r, s;
    uint8_t f;
} oc__ball;

void oc__sum_start(oc__sum *sum);
void oc__sum_add(oc__sum *sum, double m, double r, double s, uint8_t f);

/* The ball of the sum, rounded once into the result's type. */
oc__ball oc__sum_finish(const oc__sum_model *model, const oc__sum *sum);

/* The class of a term in the bits above; 0 for a finite ball. */
static inline uint8_t oc__term_class(double m, double r)
{
    if (!(r < (double)INFINITY)) {
        return OC__F_UNDECIDED;
    }
    if (isnan(m)) {
        return OC__TERM_NAN;
    }
    if (isinf(m)) {
        return m > 0 ? OC__TERM_PLUS_INF : OC__TERM_MINUS_INF;
    }
    return 0;
}

/* gamma_n for unit roundoff u; INFINITY when n u >= 1. */
double oc__gamma(double n, double unit);

/* 2^exponent; 0 below the normal numbers, INFINITY above. */
static inline double oc__power_of_two(int exponent)
{
    if (exponent < -1022) {
        return 0;
    }
    if (exponent > 1023) {
        return (double)INFINITY;
    }
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The exponent of the lowest set bit of a finite number: the coarsest grid that holds
 * it. OC__ANY_GRID for 0. */
static inline int oc__grid_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
    int exponent = (int)(bits >> 52 & 0x7FF);
    if (exponent == 0) {
        return fraction ? __builtin_ctzll(fraction) - 1074 : OC__ANY_GRID;
    }
    return exponent - 1075 + __builtin_ctzll(fraction | (uint64_t)1 << 52);
}

/* A product of many factors. The bounds hold for every order as long as no partial
 * product can overflow or underflow, which `above` and `below` decide (numerics 8.2).
 */
typedef struct oc__factors {
    double value;     /* of the midpoints */
    double reach;     /* product of |factor| + radius */
    double above;     /* product of max(|factor| + radius, 1) */
    double below;     /* product of min(|factor| - radius, 1), 0 where a ball holds 0 */
    double odd;       /* product of the factors' odd parts (points) */
    double roundings; /* factors that are not 1 or -1, less one */
    double zeros;     /* factors that are exactly 0 */
    double variance;  /* sum of (s / m)^2 */
    uint8_t flags;
} oc__factors;

oc__ball oc__factors_finish(const oc__sum_model *model, const oc__factors *factors);

#endif
