/* The independent reference of the lesson's prediction: y[i] = sum_j x[i][j] * w[j] +
 * bias.
 *
 * Computed in double: a product of two float32 numbers has at most 48 significand bits
 * and is exact in double; the sums are checked with TwoSum (Knuth, TAOCP 4.2.2), whose
 * residual is the exact rounding error. *out_exact is true when every residual is zero
 * and every y[i] is a float32 number: then out_y is the mathematical answer and nothing
 * else is right. */
#ifndef ONCHIP_REFERENCE_AFFINE_H
#define ONCHIP_REFERENCE_AFFINE_H

#include <stdbool.h>
#include <stddef.h>

/* x: rows x features, row major; w: features; out_y: rows. */
void oc__reference_affine(const float *x, size_t rows, size_t features, const float *w,
                          float bias, float *out_y, bool *out_exact);

/* The closed form of sum over i < n of i^2: n(n-1)(2n-1)/6, exact for n <= 2^20. */
double oc__reference_sum_of_squares(size_t n);

/* What the all-reduce of --devices must give: arange(replicas * per_replica) is dealt
 * out per_replica numbers a replica; *out_own is the sum of squares of this replica's
 * numbers, *out_all that of all. */
void oc__reference_replica_sums(size_t replica, size_t replicas, size_t per_replica,
                                double *out_own, double *out_all);

#endif
