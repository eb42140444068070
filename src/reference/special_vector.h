/* The common transcendentals over arrays, in loops that a compiler turns into vectors:
 * for results of at most f32. Good to 4 ulp of a double wherever the result is a normal
 * number between 1e-300 and 1e300; elsewhere, and at infinities and NaN, the result is
 * NaN, 0, or beyond these bounds, and the caller asks the C library. */
#ifndef ONCHIP_REFERENCE_SPECIAL_VECTOR_H
#define ONCHIP_REFERENCE_SPECIAL_VECTOR_H

#include <stddef.h>

typedef void (*oc__array_fn)(size_t n, const double *from, double *y);

void oc__exp_array(size_t n, const double *from, double *y);
void oc__expm1_array(size_t n, const double *from, double *y);
void oc__tanh_array(size_t n, const double *from, double *y);
void oc__logistic_array(size_t n, const double *from, double *y);
void oc__log_array(size_t n, const double *from, double *y);
void oc__log1p_array(size_t n, const double *from, double *y);
void oc__rsqrt_array(size_t n, const double *from, double *y);

#endif
