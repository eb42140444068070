/* The float types of StableHLO as numbers: bits to double and back.
 *
 * Every type of at most 64 bits is a subset of double, so decoding is exact. Encoding
 * rounds to nearest, ties to even, of the exact double value (one rounding, subnormals
 * included). Past the largest finite number: infinity where the type has one (the IEEE
 * threshold), else NaN (the FN and FNUZ types), else the largest finite number (f6 and
 * f4, which have neither). A NaN becomes a quiet NaN of the same sign, with as much of
 * its payload as an IEEE type holds; in f6 and f4 the zero of the other sign, as in
 * ml_dtypes. f8E8M0FNU holds powers of two only, no zero and no sign: a tie goes to the
 * larger power (a significand of one bit is always odd), what is smaller becomes the
 * smallest power, 0 and negative numbers become NaN. Source of the formats: IEEE
 * 754-2019, OCP OFP8 and MX 1.0, StableHLO spec "types"; tests hold them to ml_dtypes
 * for every bit pattern. */
#ifndef ONCHIP_TENSOR_FLOAT_FORMAT_H
#define ONCHIP_TENSOR_FLOAT_FORMAT_H

#include "onchip/tensor.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct oc__float_format {
    int precision;    /* p: significand bits with the hidden one */
    int min_exponent; /* emin: the smallest normal number is 2^emin */
    double max_finite;
    double overflow_from; /* |x| >= this rounds past max_finite (to nearest) */
    bool has_infinity, has_nan;
} oc__float_format;

/* NULL for a type that is no real float type. Complex types give their component's,
 * here and in the functions below. */
const oc__float_format *oc__float_format_of(oc_dtype dtype);

/* Bits above the type's width are not looked at. */
double oc__float_decode(oc_dtype dtype, uint64_t bits);
uint64_t oc__float_encode(oc_dtype dtype, double value);

/* Rounds to `precision` bits, or to a multiple of the smallest subnormal number below
 * 2^min_exponent; no overflow. min_exponent > -970, so that all numbers here are
 * normal. */
static inline double oc__float_round_bits(double value, int precision,
                                          double smallest_normal,
                                          double subnormal_magic)
{
    double magnitude = fabs(value);
    // Adding a number whose ulp is the smallest subnormal rounds to a multiple of it.
    double subnormal = (magnitude + subnormal_magic) - subnormal_magic;
    // Half an ulp, less one unless the last kept bit is odd; the carry is the
    // exponent's.
    uint64_t bits, half = (uint64_t)1 << (52 - precision);
    memcpy(&bits, &magnitude, sizeof bits);
    bits += half - 1 + ((bits >> (53 - precision)) & 1);
    bits &= ~(2 * half - 1);
    double normal;
    memcpy(&normal, &bits, sizeof normal);
    return copysign(magnitude < smallest_normal ? subnormal : normal, value);
}

/* As above, for a type with infinities; NaN stays as it is. */
static inline double oc__float_round_ieee(double value, int precision,
                                          double smallest_normal,
                                          double subnormal_magic, double overflow_from)
{
    double rounded =
        oc__float_round_bits(value, precision, smallest_normal, subnormal_magic);
    double past = isnan(value) ? value : copysign((double)INFINITY, value);
    return fabs(value) < overflow_from ? rounded : past;
}

/* decode(encode(value)) */
double oc__float_round_small(oc_dtype dtype, double value);

/* The nearest number of the type: decode(encode(value)), but NaN may keep its payload.
 */
static inline double oc__float_round(oc_dtype dtype, double value)
{
    switch ((int)dtype) {
    case OC_F64:
    case OC_C128: return value;
    case OC_F32:
    case OC_C64: return (double)(float)value;
    case OC_F16: return oc__float_round_ieee(value, 11, 0x1p-14, 0x1p28, 65520);
    case OC_BF16: return oc__float_round_ieee(value, 8, 0x1p-126, 0x1p-81, 0x1.ffp127);
    default: return oc__float_round_small(dtype, value);
    }
}

/* Arrays of `count` elements as they lie in an oc_tensor; complex types count their
 * components (2 * elements). */
void oc__float_decode_array(oc_dtype dtype, const void *bits, size_t count,
                            double *out);
void oc__float_encode_array(oc_dtype dtype, const double *values, size_t count,
                            void *out);

#endif
