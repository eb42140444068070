#include "tensor/float_format.h"

#include "base/error.h"

/* How the numbers of a type lie in its bits: sign, exponent, fraction, the exponent's
 * bias 1 - emin, as in IEEE 754. What differs from type to type is where NaN and
 * overflow go. */
typedef struct layout {
    oc__float_format format;
    int bits;
    bool lone_zero;         /* FNUZ: no negative zero; its bits are the one NaN */
    uint64_t nan_code;      /* of a positive NaN */
    uint64_t overflow_code; /* of what rounds past max_finite and is positive */
} layout;

/* The type f8E8M0FNU is in the table for its format only; it has functions of its own.
 */
static const layout layouts[] = {
    [OC_F16] = {{11, -14, 65504, 65520, true, true}, 16, false, 0x7e00, 0x7c00},
    [OC_BF16] =
        {{8, -126, 0x1.fep127, 0x1.ffp127, true, true}, 16, false, 0x7fc0, 0x7f80},
    [OC_F32] = {{24, -126, 0x1.fffffep127, 0x1.ffffffp127, true, true},
                32,
                false,
                0x7fc00000,
                0x7f800000},
    [OC_F64] = {{53, -1022, 0x1.fffffffffffffp1023, (double)INFINITY, true, true},
                64,
                false,
                0x7ff8000000000000,
                0x7ff0000000000000},
    [OC_F8E5M2] = {{3, -14, 57344, 61440, true, true}, 8, false, 0x7e, 0x7c},
    [OC_F8E4M3] = {{4, -6, 240, 248, true, true}, 8, false, 0x7c, 0x78},
    [OC_F8E3M4] = {{5, -2, 15.5, 15.75, true, true}, 8, false, 0x78, 0x70},
    // 480 would be next and has the bits of NaN; 464 between them is a tie and 448
    // even.
    [OC_F8E4M3FN] =
        {{4, -6, 448, 0x1.d000000000001p8, false, true}, 8, false, 0x7f, 0x7f},
    [OC_F8E4M3B11FNUZ] = {{4, -10, 30, 31, false, true}, 8, true, 0x80, 0x80},
    [OC_F8E5M2FNUZ] = {{3, -15, 57344, 61440, false, true}, 8, true, 0x80, 0x80},
    [OC_F8E4M3FNUZ] = {{4, -7, 240, 248, false, true}, 8, true, 0x80, 0x80},
    [OC_F8E8M0FNU] = {{1, -127, 0x1p127, 0x1.8p127, false, true}, 8, true, 0xff, 0xff},
    [OC_F6E2M3FN] = {{4, 0, 7.5, 7.75, false, false}, 6, false, 0x20, 0x1f},
    [OC_F6E3M2FN] = {{3, -2, 28, 30, false, false}, 6, false, 0x20, 0x1f},
    [OC_F4E2M1FN] = {{2, 0, 6, 7, false, false}, 4, false, 0x8, 0x7},
};

static const layout *layout_of(oc_dtype dtype)
{
    size_t index = dtype == OC_C64 ? OC_F32 : dtype == OC_C128 ? OC_F64 : dtype;
    bool known = index < sizeof layouts / sizeof *layouts && layouts[index].bits > 0;
    return known ? &layouts[index] : NULL;
}

const oc__float_format *oc__float_format_of(oc_dtype dtype)
{
    const layout *found = layout_of(dtype);
    return found ? &found->format : NULL;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2^exponent, for a normal number. */
static double power(int exponent)
{
    return double_of((uint64_t)(exponent + 1023) << 52);
}

static const uint64_t double_quiet_nan = 0x7ff8000000000000;

/* Types of at most 32 bits. */
static inline double decode(const layout *l, uint64_t given)
{
    int fraction_bits = l->format.precision - 1;
    uint64_t sign_bit = (uint64_t)1 << (l->bits - 1);
    uint64_t code = given & (2 * sign_bit - 1);
    uint64_t magnitude = code & (sign_bit - 1);
    uint64_t sign = code >> (l->bits - 1) << 63;
    if (l->format.has_infinity && magnitude >= l->overflow_code) {
        uint64_t payload = (magnitude - l->overflow_code) << (52 - fraction_bits);
        return payload ? double_of(sign | double_quiet_nan | payload)
                       : double_of(sign | bits_of((double)INFINITY));
    }
    if (l->format.has_nan && (l->lone_zero ? code : magnitude) == l->nan_code) {
        return double_of(sign | double_quiet_nan);
    }
    uint64_t rebias = (uint64_t)(1022 + l->format.min_exponent) << fraction_bits;
    double value =
        magnitude >> fraction_bits == 0
            ? (double)magnitude * power(l->format.min_exponent - fraction_bits)
            : double_of((magnitude + rebias) << (52 - fraction_bits));
    return double_of(sign | bits_of(value));
}

static inline uint64_t encode(const layout *l, double value)
{
    int fraction_bits = l->format.precision - 1;
    double smallest_normal = power(l->format.min_exponent);
    uint64_t sign_bit = (uint64_t)1 << (l->bits - 1);
    uint64_t code;
    if (isnan(value)) {
        uint64_t payload = bits_of(value) << 13 >> 13 >> (52 - fraction_bits);
        code = l->nan_code | (l->format.has_infinity ? payload : 0);
    } else if (fabs(value) >= l->format.overflow_from) {
        code = l->overflow_code;
    } else {
        double subnormal_magic = power(l->format.min_exponent - fraction_bits + 52);
        double rounded = fabs(oc__float_round_bits(value, l->format.precision,
                                                   smallest_normal, subnormal_magic));
        uint64_t rebias = (uint64_t)(1022 + l->format.min_exponent) << fraction_bits;
        code = rounded < smallest_normal
                   ? (uint64_t)(rounded * power(fraction_bits - l->format.min_exponent))
                   : (bits_of(rounded) >> (52 - fraction_bits)) - rebias;
    }
    bool signless = l->lone_zero && (code == 0 || code == sign_bit);
    uint64_t negative = signless ? 0 : bits_of(value) >> 63;
    return code ^ negative << (l->bits - 1);
}

static double decode_power(uint64_t bits)
{
    int code = (int)(bits & 0xff);
    return code == 0xff ? (double)NAN : power(code - 127);
}

static uint64_t encode_power(double value)
{
    if (isnan(value) || value <= 0 || value >= 0x1.8p127) {
        return 0xff;
    }
    // Half a binade added to the bits carries into the exponent from 1.5 * 2^n.
    uint64_t rounded = (bits_of(value) + ((uint64_t)1 << 51)) >> 52;
    return rounded < 1023 - 127 ? 0 : rounded - (1023 - 127);
}

double oc__float_decode(oc_dtype dtype, uint64_t bits)
{
    const layout *l = layout_of(dtype);
    OC_ASSERT(l);
    if (dtype == OC_F8E8M0FNU) {
        return decode_power(bits);
    }
    return l->bits == 64 ? double_of(bits) : decode(l, bits);
}

uint64_t oc__float_encode(oc_dtype dtype, double value)
{
    const layout *l = layout_of(dtype);
    OC_ASSERT(l);
    if (dtype == OC_F8E8M0FNU) {
        return encode_power(value);
    }
    return l->bits == 64 ? bits_of(value) : encode(l, value);
}

double oc__float_round_small(oc_dtype dtype, double value)
{
    return oc__float_decode(dtype, oc__float_encode(dtype, value));
}

/* Inlined with a row of the table, which is then a constant of the loop. */
static inline void decode_halves(const layout *l, const uint16_t *codes, size_t count,
                                 double *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = decode(l, codes[i]);
    }
}

static inline void encode_halves(const layout *l, const double *values, size_t count,
                                 uint16_t *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint16_t)encode(l, values[i]);
    }
}

void oc__float_decode_array(oc_dtype dtype, const void *bits, size_t count, double *out)
{
    const float *floats = bits;
    const uint8_t *bytes = bits;
    switch ((int)dtype) {
    case OC_F64:
    case OC_C128: memcpy(out, bits, count * sizeof *out); break;
    case OC_F32:
    case OC_C64:
        for (size_t i = 0; i < count; i++) {
            out[i] = (double)floats[i];
        }
        break;
    case OC_F16: decode_halves(&layouts[OC_F16], bits, count, out); break;
    case OC_BF16: decode_halves(&layouts[OC_BF16], bits, count, out); break;
    default:
        for (size_t i = 0; i < count; i++) {
            out[i] = oc__float_decode(dtype, bytes[i]);
        }
    }
}

void oc__float_encode_array(oc_dtype dtype, const double *values, size_t count,
                            void *out)
{
    float *floats = out;
    uint8_t *bytes = out;
    switch ((int)dtype) {
    case OC_F64:
    case OC_C128: memcpy(out, values, count * sizeof *values); break;
    case OC_F32:
    case OC_C64:
        for (size_t i = 0; i < count; i++) {
            floats[i] = (float)values[i];
        }
        break;
    case OC_F16: encode_halves(&layouts[OC_F16], values, count, out); break;
    case OC_BF16: encode_halves(&layouts[OC_BF16], values, count, out); break;
    default:
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)oc__float_encode(dtype, values[i]);
        }
    }
}
