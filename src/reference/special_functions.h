/* Functions that the C library lacks, in long double: inputs are numbers of at most
 * f64. The error of a result is at most 2^-57 of its magnitude, of max(1, |result|) for
 * the digamma function and the polygamma and zeta functions at negative arguments. */
#ifndef ONCHIP_REFERENCE_SPECIAL_FUNCTIONS_H
#define ONCHIP_REFERENCE_SPECIAL_FUNCTIONS_H

/* NaN outside [-1, 1]. */
long double oc__erf_inv(long double x);

/* log |gamma(x)|: +inf at the poles. */
long double oc__lgamma(long double x);

/* NaN at the poles, as chlo defines it. */
long double oc__digamma(long double x);

/* exp(-|x|) I_1(x), I_1 the modified Bessel function. */
long double oc__bessel_i1e(long double x);

/* Hurwitz's zeta function, the sum of (q + n)^-s from n = 0, as chlo defines it: inf
 * for s = 1, NaN for s < 1; at q = 0, -1, ...: inf for an even s, else NaN; at other q
 * < 0: NaN unless s is whole. */
long double oc__zeta(long double s, long double q);

/* The n-th derivative of the digamma function: NaN unless n is 0, 1, 2, ... */
long double oc__polygamma(long double n, long double x);

long double oc__logistic(long double x);

#endif
