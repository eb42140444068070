/* Numbers of every float type: each code of at most 16 bits by the formats' definition,
 * rounding by search among all numbers of the type. */
#include "unit.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdlib.h>

/* The formats as their standards give them: IEEE 754-2019 table 3.5, OCP OFP8 1.0, OCP
 * MX 1.0, and the StableHLO specification's words for bf16 and the others. */
typedef enum special {
    INFINITE, /* exponent all ones: infinity and NaN */
    ONE_NAN,  /* all ones but the sign: NaN */
    NUZ,      /* the negative zero's bits: NaN */
    FINITE    /* all codes are numbers */
} special;

static const struct format {
    oc_dtype dtype;
    int exponent_bits, fraction_bits, bias;
    special special;
    double largest;  /* from the standard */
    double smallest; /* subnormal */
    double past;     /* the smallest number that rounds past the largest */
    uint64_t past_code;
} formats[] = {
    {OC_F16, 5, 10, 15, INFINITE, 65504, 0x1p-24, 65520, 0x7c00},
    {OC_BF16, 8, 7, 127, INFINITE, 0x1.fep127, 0x1p-133, 0x1.ffp127, 0x7f80},
    {OC_F8E5M2, 5, 2, 15, INFINITE, 57344, 0x1p-16, 61440, 0x7c},
    {OC_F8E4M3, 4, 3, 7, INFINITE, 240, 0x1p-9, 248, 0x78},
    {OC_F8E3M4, 3, 4, 3, INFINITE, 15.5, 0x1p-6, 15.75, 0x70},
    {OC_F8E4M3FN, 4, 3, 7, ONE_NAN, 448, 0x1p-9, 0x1.d000000000001p8, 0x7f},
    {OC_F8E4M3B11FNUZ, 4, 3, 11, NUZ, 30, 0x1p-13, 31, 0x80},
    {OC_F8E5M2FNUZ, 5, 2, 16, NUZ, 57344, 0x1p-17, 61440, 0x80},
    {OC_F8E4M3FNUZ, 4, 3, 8, NUZ, 240, 0x1p-10, 248, 0x80},
    {OC_F6E2M3FN, 2, 3, 1, FINITE, 7.5, 0.125, 7.75, 0x1f},
    {OC_F6E3M2FN, 3, 2, 3, FINITE, 28, 0.0625, 30, 0x1f},
    {OC_F4E2M1FN, 2, 1, 1, FINITE, 6, 0.5, 7, 0x7},
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static uint64_t sign_of(const struct format *format)
{
    return (uint64_t)1 << (format->exponent_bits + format->fraction_bits);
}

/* The definition, for a code without its sign; NaN and infinity included. */
static double defined(const struct format *format, uint64_t magnitude)
{
    uint64_t exponent = magnitude >> format->fraction_bits;
    uint64_t fraction = magnitude & (((uint64_t)1 << format->fraction_bits) - 1);
    double significand = ldexp((double)fraction, -format->fraction_bits);
    bool top = exponent == ((uint64_t)1 << format->exponent_bits) - 1;
    if (top && format->special == INFINITE) {
        return fraction == 0 ? (double)INFINITY : (double)NAN;
    }
    if (format->special == ONE_NAN && magnitude == sign_of(format) - 1) {
        return (double)NAN;
    }
    return exponent == 0 ? ldexp(significand, 1 - format->bias)
                         : ldexp(1 + significand, (int)exponent - format->bias);
}

static void assert_same(double seen, double wanted, const char *name, uint64_t code)
{
    bool same = isnan(wanted) ? isnan(seen)
                              : seen == wanted && !signbit(seen) == !signbit(wanted);
    if (!same) {
        fail_msg("%s 0x%llx: %a, not %a", name, (unsigned long long)code, seen, wanted);
    }
}

static void assert_code(oc_dtype dtype, double value, uint64_t wanted)
{
    uint64_t seen = oc__float_encode(dtype, value);
    if (seen != wanted) {
        fail_msg("%s of %a: 0x%llx, not 0x%llx", oc_dtype_name(dtype), value,
                 (unsigned long long)seen, (unsigned long long)wanted);
    }
    double rounded = oc__float_round(dtype, value);
    assert_same(rounded, oc__float_decode(dtype, wanted), oc_dtype_name(dtype), wanted);
}

static void every_code_is_the_number_that_the_standard_defines(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const struct format *format = &formats[i];
        const char *name = oc_dtype_name(format->dtype);
        uint64_t sign = sign_of(format);
        double largest = 0;
        for (uint64_t code = 0; code < 2 * sign; code++) {
            double wanted = defined(format, code & (sign - 1));
            if (code & sign) {
                bool is_nan = format->special == NUZ && code == sign;
                wanted = is_nan ? (double)NAN : -wanted;
            }
            double seen = oc__float_decode(format->dtype, code);
            assert_same(seen, wanted, name, code);
            largest = isfinite(seen) && seen > largest ? seen : largest;
            if (isnan(seen)) {
                assert_true(isnan(oc__float_decode(
                    format->dtype, oc__float_encode(format->dtype, seen))));
            } else {
                assert_code(format->dtype, seen, code);
            }
            // What lies above a small type's bits in its byte is not its business.
            assert_same(oc__float_decode(format->dtype, code | 2 * sign), wanted, name,
                        code);
        }
        assert_true(largest == format->largest);
        assert_true(oc__float_decode(format->dtype, 1) == format->smallest);
    }
}

static void
between_two_numbers_the_nearest_is_taken_and_the_even_one_of_a_tie(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const struct format *format = &formats[i];
        uint64_t sign = sign_of(format);
        for (uint64_t code = 0; defined(format, code) < format->largest; code++) {
            double low = defined(format, code);
            double high = defined(format, code + 1);
            double middle = low + (high - low) / 2; // exact: one bit more
            uint64_t even = code + (code & 1);
            uint64_t minus_zero = format->special == NUZ ? 0 : sign;
            struct {
                double value;
                uint64_t wanted;
            } points[] = {
                {low + (high - low) / 4, code},
                {nextafter(middle, low), code},
                {middle, even},
                {nextafter(middle, high), code + 1},
                {high - (high - low) / 4, code + 1},
            };
            for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
                uint64_t wanted = points[k].wanted;
                assert_code(format->dtype, points[k].value, wanted);
                assert_code(format->dtype, -points[k].value,
                            wanted ? wanted | sign : minus_zero);
            }
        }
    }
}

static void past_the_largest_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const struct format *format = &formats[i];
        uint64_t sign = sign_of(format);
        uint64_t minus = format->special == NUZ ? 0x80 : format->past_code | sign;
        const double values[] = {format->past, 0x1p129, 0x1p1023, (double)INFINITY};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            assert_code(format->dtype, values[k], format->past_code);
            assert_code(format->dtype, -values[k], minus);
        }
        if (format->special != FINITE) {
            // The last number below still rounds down.
            double below = nextafter(format->past, 0);
            assert_true(oc__float_round(format->dtype, below) == format->largest);
        }
        const oc__float_format *seen = oc__float_format_of(format->dtype);
        assert_int_equal(seen->precision, format->fraction_bits + 1);
        assert_int_equal(seen->min_exponent, 1 - format->bias);
        assert_true(seen->max_finite == format->largest);
        assert_true(seen->overflow_from == format->past);
        assert_int_equal(seen->has_infinity, format->special == INFINITE);
        assert_int_equal(seen->has_nan, format->special != FINITE);
    }
}

/* The codes that ml_dtypes 0.6.0 gives. */
static void nan_and_zero_have_the_codes_of_ml_dtypes(void **state)
{
    static const struct {
        oc_dtype dtype;
        uint64_t nan, minus_nan, minus_zero;
    } table[] = {
        {OC_F16, 0x7e00, 0xfe00, 0x8000},
        {OC_BF16, 0x7fc0, 0xffc0, 0x8000},
        {OC_F32, 0x7fc00000, 0xffc00000, 0x80000000},
        {OC_F64, 0x7ff8000000000000, 0xfff8000000000000, 0x8000000000000000},
        {OC_F8E5M2, 0x7e, 0xfe, 0x80},
        {OC_F8E4M3, 0x7c, 0xfc, 0x80},
        {OC_F8E3M4, 0x78, 0xf8, 0x80},
        {OC_F8E4M3FN, 0x7f, 0xff, 0x80},
        {OC_F8E4M3B11FNUZ, 0x80, 0x80, 0},
        {OC_F8E5M2FNUZ, 0x80, 0x80, 0},
        {OC_F8E4M3FNUZ, 0x80, 0x80, 0},
        {OC_F8E8M0FNU, 0xff, 0xff, 0xff},
        {OC_F6E2M3FN, 0x20, 0, 0x20},
        {OC_F6E3M2FN, 0x20, 0, 0x20},
        {OC_F4E2M1FN, 0x8, 0, 0x8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_dtype dtype = table[i].dtype;
        assert_int_equal(oc__float_encode(dtype, (double)NAN), table[i].nan);
        assert_int_equal(oc__float_encode(dtype, -(double)NAN), table[i].minus_nan);
        assert_int_equal(oc__float_encode(dtype, -0.0), table[i].minus_zero);
    }
    // A NaN's payload passes, but it signals no more.
    assert_int_equal(oc__float_encode(OC_BF16, oc__float_decode(OC_BF16, 0xffd5)),
                     0xffd5);
    assert_int_equal(oc__float_encode(OC_F16, oc__float_decode(OC_F16, 0x7c01)),
                     0x7e01);
    assert_int_equal(oc__float_encode(OC_F32, oc__float_decode(OC_F32, 0x7f800001)),
                     0x7fc00001);
    assert_int_equal(
        oc__float_encode(OC_F64, oc__float_decode(OC_F64, 0xfff8000000000123)),
        0xfff8000000000123);
}

/* OCP MX 1.0: 2^(code - 127), 255 is NaN. A tie goes up, as in LLVM's APFloat and in
 * ml_dtypes. */
static void powers_of_two(void **state)
{
    (void)state;
    for (uint64_t code = 0; code < 255; code++) {
        double value = ldexp(1, (int)code - 127);
        assert_true(oc__float_decode(OC_F8E8M0FNU, code) == value);
        assert_code(OC_F8E8M0FNU, value, code);
        assert_code(OC_F8E8M0FNU, 1.5 * value, code + 1);
        assert_code(OC_F8E8M0FNU, nextafter(1.5 * value, 0), code);
        assert_code(OC_F8E8M0FNU, -value, 255);
    }
    assert_true(isnan(oc__float_decode(OC_F8E8M0FNU, 255)));
    assert_code(OC_F8E8M0FNU, 0, 255);
    assert_code(OC_F8E8M0FNU, (double)INFINITY, 255);
    assert_code(OC_F8E8M0FNU, -(double)INFINITY, 255);
    assert_code(OC_F8E8M0FNU, 0x1p-128, 0);
    assert_code(OC_F8E8M0FNU, 0x1p-1074, 0);
    assert_int_equal(oc__float_format_of(OC_F8E8M0FNU)->precision, 1);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13; // xorshift64, Marsaglia 2003
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The processor rounds to float as IEEE 754 says, and so must we; at the same time the
 * array functions are held to those for one number. */
static void float_and_double_are_the_processor_s(void **state)
{
    enum { COUNT = 1000 };
    static double values[COUNT], decoded[COUNT];
    static float floats[COUNT];
    uint64_t seed = 88172645463325252;
    (void)state;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t bits = next_random(&seed);
            // Mostly of float's range, and many ties.
            uint64_t exponent = 1023 - 152 + bits % 284;
            bits = (bits >> 63 << 63) | exponent << 52 | bits << 12 >> 12;
            values[i] = double_of(bits & (i % 3 ? ~(uint64_t)0 : ~(uint64_t)0xfffffff));
        }
        oc__float_encode_array(OC_F32, values, COUNT, floats);
        oc__float_decode_array(OC_C64, floats, COUNT, decoded);
        for (size_t i = 0; i < COUNT; i++) {
            float wanted = (float)values[i];
            uint32_t bits;
            memcpy(&bits, &wanted, sizeof bits);
            assert_code(OC_F32, values[i], bits);
            assert_memory_equal(&floats[i], &wanted, sizeof wanted);
            assert_true(decoded[i] == (double)wanted);
        }
    }
    oc__float_encode_array(OC_F64, values, COUNT, decoded);
    assert_memory_equal(decoded, values, sizeof values);
    oc__float_decode_array(OC_C128, values, COUNT, decoded);
    assert_memory_equal(decoded, values, sizeof values);
    assert_true(oc__float_round(OC_F64, 0x1p-1074) == 0x1p-1074);
    assert_true(oc__float_round(OC_C64, 0x1.000001p0) == 1);
    assert_int_equal(oc__float_format_of(OC_C64)->precision, 24);
    assert_int_equal(oc__float_format_of(OC_C128)->precision, 53);
}

static void arrays_are_their_elements(void **state)
{
    (void)state;
    for (int number = OC_PRED; number <= OC_F6E3M2FN; number++) {
        oc_dtype dtype = (oc_dtype)number;
        size_t size = oc_dtype_host_bits(dtype) / 8;
        if (!oc__float_format_of(dtype) || size > 2) {
            continue;
        }
        size_t count = size == 1 ? 256 : 65536;
        uint16_t *codes = malloc(count * sizeof *codes);
        double *values = malloc(count * sizeof *values);
        uint16_t *again = calloc(count, sizeof *again);
        assert_true(codes && values && again);
        for (size_t i = 0; i < count; i++) {
            memcpy((unsigned char *)codes + i * size, &(uint16_t){(uint16_t)i}, size);
        }
        oc__float_decode_array(dtype, codes, count, values);
        oc__float_encode_array(dtype, values, count, again);
        for (size_t i = 0; i < count; i++) {
            uint16_t code = 0;
            memcpy(&code, (unsigned char *)again + i * size, size);
            assert_same(values[i], oc__float_decode(dtype, i), oc_dtype_name(dtype), i);
            assert_int_equal(code, oc__float_encode(dtype, values[i]));
        }
        free(codes);
        free(values);
        free(again);
    }
}

static void what_is_no_float_type(void **state)
{
    (void)state;
    assert_null(oc__float_format_of(OC_S32));
    assert_null(oc__float_format_of(OC_DTYPE_INVALID));
    assert_null(oc__float_format_of((oc_dtype)50));
    assert_null(oc__float_format_of((oc_dtype)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_the_number_that_the_standard_defines),
        cmocka_unit_test(
            between_two_numbers_the_nearest_is_taken_and_the_even_one_of_a_tie),
        cmocka_unit_test(past_the_largest_number),
        cmocka_unit_test(nan_and_zero_have_the_codes_of_ml_dtypes),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(float_and_double_are_the_processor_s),
        cmocka_unit_test(arrays_are_their_elements),
        cmocka_unit_test(what_is_no_float_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
