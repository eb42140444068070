#include "reference/special_vector.h"

#include "reference/round.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ln 2 in two parts, the first with 20 zeros at its end: a multiple of it by a whole
 * number of 11 bits is exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33

/* Adding it rounds to a whole number, which then stands in the low bits. */
#define ROUNDER 0x1.8p52

INLINE double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

INLINE uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* e^x = scale (1 + p), p = e^r - 1 by its series, |r| <= ln 2 / 2: the first term left
 * out is r^14/14!, 2^-58 of p. x is cut where e^x leaves the range of normal numbers.
 */
typedef struct expansion {
    double scale, p;
} expansion;

INLINE expansion expand(double x)
{
    x = x > 705 ? 705 : x;
    x = x < -705 ? -705 : x;
    double shifted = x * 0x1.71547652b82fep0 + ROUNDER, k = shifted - ROUNDER;
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double q = 1 / 6227020800.0;
    q = q * r + 1 / 479001600.0;
    q = q * r + 1 / 39916800.0;
    q = q * r + 1 / 3628800.0;
    q = q * r + 1 / 362880.0;
    q = q * r + 1 / 40320.0;
    q = q * r + 1 / 5040.0;
    q = q * r + 1 / 720.0;
    q = q * r + 1 / 120.0;
    q = q * r + 1 / 24.0;
    q = q * r + 1 / 6.0;
    q = q * r + 0.5;
    return (expansion){.scale = double_of((bits_of(shifted) + 1023) << 52),
                       .p = r + r * r * q};
}

/* scale - 1 is exact, and cancels no more than a bit against scale p. */
INLINE double expm1_of(double x)
{
    expansion e = expand(x);
    return e.scale * e.p + (e.scale - 1);
}

/* ln x = k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), m in [1/sqrt 2, sqrt 2]; s^2 is
 * at most 0.0295, and the first term left out 2^-62 of the sum. NaN unless x is a
 * positive normal number. */
INLINE double log_of(double x)
{
    uint64_t bits = bits_of(x);
    double k = double_of((bits >> 52) | bits_of(0x1p52)) - 0x1p52 - 1023;
    double m = double_of((bits & 0xfffffffffffff) | bits_of(1.0));
    double half = m > 0x1.6a09e667f3bcdp0 ? 1 : 0;
    m = half > 0 ? m / 2 : m;
    k += half;
    double f = m - 1, s = f / (2 + f), z = s * s;
    double q = 2 / 23.0;
    q = q * z + 2 / 21.0;
    q = q * z + 2 / 19.0;
    q = q * z + 2 / 17.0;
    q = q * z + 2 / 15.0;
    q = q * z + 2 / 13.0;
    q = q * z + 2 / 11.0;
    q = q * z + 2 / 9.0;
    q = q * z + 2 / 7.0;
    q = q * z + 2 / 5.0;
    q = q * z + 2 / 3.0;
    double ln = k * LN2_HIGH + (2 * s + (s * z * q + k * LN2_LOW));
    return x >= DBL_MIN && x <= DBL_MAX ? ln : (double)NAN;
}

/* One vectorized loop a function. */
#define ARRAY(name, expression)                                                        \
    OC__CLONES void name(size_t n, const double *restrict from, double *restrict y)    \
    {                                                                                  \
        for (size_t i = 0; i < n; i++) {                                               \
            double x = from[i];                                                        \
            y[i] = (expression);                                                       \
        }                                                                              \
    }

INLINE double exp_of(double x)
{
    expansion e = expand(x);
    return e.scale + e.scale * e.p;
}

/* With t = e^(2|x|) - 1: t / (t + 2). */
INLINE double tanh_of(double x)
{
    double t = expm1_of(2 * fabs(x) > 60 ? 60 : 2 * fabs(x));
    return copysign(t / (t + 2), x);
}

INLINE double logistic_of(double x)
{
    double e = exp_of(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

/* 1 + x is rounded to u; what it lost is x - (u - 1) or 1 - (u - x), exactly. */
INLINE double log1p_of(double x)
{
    double u = 1 + x, lost = x < 1 ? x - (u - 1) : 1 - (u - x);
    return log_of(u) + lost / u;
}

ARRAY(oc__exp_array, exp_of(x))
ARRAY(oc__expm1_array, expm1_of(x))
ARRAY(oc__tanh_array, tanh_of(x))
ARRAY(oc__logistic_array, logistic_of(x))
ARRAY(oc__log_array, log_of(x))
ARRAY(oc__log1p_array, log1p_of(x))
ARRAY(oc__rsqrt_array, 1 / sqrt(x))
