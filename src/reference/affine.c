#include "reference/affine.h"

/* Knuth's TwoSum: the rounded sum, and *residual, the exact error of that rounding. */
static double two_sum(double a, double b, double *residual)
{
    double sum = a + b;
    double b_part = sum - a;
    double a_part = sum - b_part;
    *residual = (a - a_part) + (b - b_part);
    return sum;
}

void oc__reference_affine(const float *x, size_t rows, size_t features, const float *w,
                          float bias, float *out_y, bool *out_exact)
{
    bool exact = true;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        double residual;
        for (size_t j = 0; j < features; j++) {
            sum = two_sum(sum, (double)x[i * features + j] * (double)w[j], &residual);
            exact = exact && residual == 0.0;
        }
        sum = two_sum(sum, (double)bias, &residual);
        out_y[i] = (float)sum;
        // A NaN or an infinity fails the first comparison or leaves a residual that is
        // NaN.
        exact = exact && residual == 0.0 && (double)out_y[i] == sum;
    }
    *out_exact = exact;
}

double oc__reference_sum_of_squares(size_t n)
{
    // n(n-1)/2 is whole, and of its product with 2n-1 a third is.
    size_t sum = n == 0 ? 0 : n * (n - 1) / 2 * (2 * n - 1) / 3;
    return (double)sum;
}

void oc__reference_replica_sums(size_t replica, size_t replicas, size_t per_replica,
                                double *out_own, double *out_all)
{
    *out_own = oc__reference_sum_of_squares(per_replica * (replica + 1)) -
               oc__reference_sum_of_squares(per_replica * replica);
    *out_all = oc__reference_sum_of_squares(per_replica * replicas);
}
