/* What the kernels of kernels_linear.c share. */
#ifndef ONCHIP_REFERENCE_LINEAR_H
#define ONCHIP_REFERENCE_LINEAR_H

#include "reference/contract.h"

/* Square systems in long double, complex numbers as pairs; real ones have im 0. */
typedef struct oc__number {
    long double re, im;
} oc__number;

static inline oc__number oc__number_times(oc__number a, oc__number b)
{
    return (oc__number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline oc__number oc__number_minus(oc__number a, oc__number b)
{
    return (oc__number){a.re - b.re, a.im - b.im};
}

static inline double oc__number_size(oc__number a)
{
    return (double)hypotl(a.re, a.im);
}

/* a / b; b is not 0. */
oc__number oc__number_over(oc__number a, oc__number b);

/* Element i of a tensor of floats or complex numbers, and the size of its radius
 * (INFINITY for what is not finite). */
oc__number oc__number_at(const oc__value *value, size_t i, double *out_radius);

/* A new value of floats or complex numbers with planes m, r and f. */
OC_MUST_USE oc_status oc__numbers_make(oc_dtype dtype, const int64_t *dims, size_t rank,
                                       oc__value **out_value, oc_error *err);
/* Element i: x rounded to the type, within `radius` in each component, with these
 * flags. The way that rounding moves it is added; what may not be finite is undecided.
 * radius 0: this and nothing else. */
void oc__number_put(oc__value *value, size_t i, oc__number x, double radius,
                    uint8_t flags);

/* The accumulator of solves: u of f32 for narrow types, or of the type itself. */
double oc__solve_unit(const oc__call *call, oc_dtype dtype);

/* The inverse of a lower triangular n x n matrix (row major), as sizes: |L^-1|. */
void oc__triangle_inverse_sizes(const oc__number *lower, size_t n, oc__number *work,
                                double *out_sizes);

oc_status oc__run_fft(oc__call *call, oc_error *err);
oc_status oc__run_triangular_solve(oc__call *call, oc_error *err);
oc_status oc__run_cholesky(oc__call *call, oc_error *err);
oc_status oc__run_batch_norm_inference(oc__call *call, oc_error *err);
oc_status oc__run_batch_norm_training(oc__call *call, oc_error *err);
oc_status oc__run_batch_norm_grad(oc__call *call, oc_error *err);
oc_status oc__run_rng(oc__call *call, oc_error *err);
oc_status oc__run_rng_bit_generator(oc__call *call, oc_error *err);

#endif
