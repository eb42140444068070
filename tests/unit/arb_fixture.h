/* FLINT's Arb as the oracle of the ball kernels: numbers of every type, balls and
 * points inside them, real results known as tightly as need be, and the roundings that
 * a device may make of them. The tables of types here are written from IEEE 754, OCP
 * OFP8 and ml_dtypes, not taken from the product. */
#ifndef ONCHIP_TESTS_ARB_FIXTURE_H
#define ONCHIP_TESTS_ARB_FIXTURE_H

#include "dice.h"
#include "unit.h"

#include "reference/kernel.h"

#include <arb.h>
#include <math.h>

typedef struct type {
    const char *name;
    double max_finite;
    oc_dtype dtype;
    int precision, min_exponent; /* p, emin */
    bool has_infinity;
} type;

enum { F32, F64, BF16, F16, F8E5M2, F8E4M3FN, F8E4M3FNUZ, F8E3M4, TYPES };
extern const type types[TYPES];

/* A number of the type, of every kind: zeros, subnormal, tiny and huge numbers, whole
 * ones, ties, infinities and NaN. `tame`: finite and at most 2^8. */
double random_number(dice *from, const type *of, bool tame);

/* An element as kernels hand it on: midpoint, radius, flags. */
typedef struct ball {
    double m, r;
    uint8_t f;
} ball;

/* A ball as a kernel may get it: |m| + r below overflow, or r = INFINITY. */
ball random_ball(dice *from, const type *of, bool tame);
/* A number that the ball stands for: an end, 0, any other. Of the type when `numbers`
 * says so; else a double, as an unrounded product may be. */
double random_inside(dice *from, const type *of, ball x, bool numbers);

/* Whether a real number lies in the ball exactly (no rounding in the comparison). */
bool ball_holds(ball x, double number);
/* NULL when `got` is what the ball allows, as the judge reads it: NaN is NaN, the sign
 * of a zero counts where the ball fixes it; else why not. */
const char *ball_refuses(ball x, double got);

/* What a real number becomes in a type: rounded to nearest even, toward zero, away from
 * it, down, up (arf_rnd_t). Past the largest number: infinity, NaN in a type without,
 * the largest number where the direction points inward. */
double round_real(const type *to, const arf_t x, arf_rnd_t direction);
/* Rounded to nearest; false when the enclosure is too wide to tell. */
bool round_enclosed(const type *to, const arb_t x, double *out);
/* Distance of neighbouring numbers at x, the exponent cut at emin (JAX accuracy.md). */
double ulp_at(const type *of, double x);

#endif
