/* Devices that add in any order and along any tree, of their own choice each time; each
 * step rounded to nearest in the accumulator. */
#ifndef ONCHIP_TESTS_ANY_ORDER_H
#define ONCHIP_TESTS_ANY_ORDER_H

#include "dice.h"

#include "onchip/tensor.h"

typedef struct adder {
    dice *dice;
    oc_dtype accumulator;
    bool flushes;  /* subnormal numbers may become zeros, now and then */
    bool in_order; /* no choices: from the first to the last, nothing fused */
} adder;

/* Rounded to nearest even. Sums, products and quotients of two numbers of f32 and
 * narrower types may come by way of double (Figueroa 1995). */
double round_number(oc_dtype to, double x);
/* a b + c, rounded once. */
double round_fused(oc_dtype to, double a, double b, double c);
double round_long(oc_dtype to, long double x);

double add_at_random(const adder *device, const double *terms, size_t n);
double multiply_at_random(const adder *device, const double *factors, size_t n);
/* sum of x[i] y[i]: products rounded or fused into the sums. */
double dot_at_random(const adder *device, const double *x, const double *y, size_t n);

#endif
