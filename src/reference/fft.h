/* Discrete Fourier transforms of any length, in long double: 11 bits more than f64 has,
 * so that the evaluator's own error does not count beside a device's. */
#ifndef ONCHIP_REFERENCE_FFT_H
#define ONCHIP_REFERENCE_FFT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc__pair {
    long double re, im;
} oc__pair;

typedef struct oc__fft oc__fft;

/* A transform of length n >= 1, forward (e^-2 pi i jk / n) or inverse (without 1 / n);
 * NULL when out of memory or when n is past 2^40. */
oc__fft *oc__fft_make(size_t n, bool inverse);
void oc__fft_free(oc__fft *fft); /* takes NULL */

/* Replaces n numbers that lie `stride` apart. */
void oc__fft_run(oc__fft *fft, oc__pair *x, size_t stride);

/* The length that a fast algorithm works at: n, or 4 n where a prime factor above 13
 * asks for a chirp of a padded power of two (numerics 4.2). */
double oc__fft_padded(size_t n);

#endif
