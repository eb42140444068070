/* Numbers as the text writes them.
 *
 * Decimal to a float type with one rounding, for every type: let D be the decimal, v
 * the double nearest to it. Rounding is monotone and the ties of a narrower type
 * (midpoints of neighbours, the threshold of overflow) are doubles, so v lies on the
 * same side of each tie as D, unless v is a tie itself. Then, and only then, D is
 * compared with v digit by digit and v moved one double towards D before it is rounded
 * to the type. v comes from at most 15 digits and a power of ten up to 22 by one exact
 * multiplication or division (Clinger, "How to read floating point numbers accurately",
 * 1990), else from strtod. */
#include "stablehlo/parser_inner.h"

#include "tensor/dtype_names.h"
#include "tensor/float_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

const char *oc__literal_scan(const char *at, const char *end, oc__literal *out)
{
    *out = (oc__literal){.negative = at < end && *at == '-'};
    at += out->negative;
    if (at == end || !is_digit(*at)) {
        return NULL;
    }
    out->at = at;
    if (end - at > 2 && at[0] == '0' && at[1] == 'x' && hex_value(at[2]) >= 0) {
        out->is_hex = true;
        for (at += 2; at < end && hex_value(*at) >= 0; at++) {
        }
        return out->end = at;
    }
    while (at < end && is_digit(*at)) {
        at++;
    }
    if (at < end && *at == '.') {
        out->is_float = true;
        for (at++; at < end && is_digit(*at); at++) {
        }
        const char *digits = at + 1;
        if (at < end && (*at == 'e' || *at == 'E')) {
            digits += digits < end && (*digits == '+' || *digits == '-');
            if (digits < end && is_digit(*digits)) {
                for (at = digits; at < end && is_digit(*at); at++) {
                }
            }
        }
    }
    return out->end = at;
}

int oc__dtype_bits(oc_dtype dtype)
{
    bool is_complex = dtype == OC_C64 || dtype == OC_C128;
    return (int)oc__dtype_width(dtype) / (is_complex ? 2 : 1);
}

/* --- integers --- */

static bool magnitude(const oc__literal *literal, uint64_t *out_value)
{
    uint64_t value = 0, base = literal->is_hex ? 16 : 10;
    for (const char *at = literal->at + (literal->is_hex ? 2 : 0); at < literal->end;
         at++) {
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, (uint64_t)hex_value(*at), &value)) {
            return false;
        }
    }
    *out_value = value;
    return true;
}

int64_t oc__sign_extend(uint64_t bits, int width)
{
    int shift = 64 - width;
    return (int64_t)(bits << shift) >> shift;
}

bool oc__literal_integer(const oc__literal *literal, oc_dtype dtype, int64_t *out_value)
{
    uint64_t value;
    int width = oc__dtype_bits(dtype);
    bool is_unsigned = dtype == OC_U2 || dtype == OC_U4 || dtype == OC_U8 ||
                       dtype == OC_U16 || dtype == OC_U32 || dtype == OC_U64;
    if (literal->is_float || !magnitude(literal, &value) ||
        (width < 64 && value >> width != 0)) {
        return false;
    }
    uint64_t most_negative = is_unsigned ? 0 : (uint64_t)1 << (width - 1);
    if (literal->negative && value > most_negative) {
        return false;
    }
    value = literal->negative ? 0 - value : value;
    *out_value = is_unsigned        ? (int64_t)value
                 : dtype == OC_PRED ? (int64_t)(value & 1)
                                    : oc__sign_extend(value, width);
    return true;
}

/* --- decimals --- */

/* digits * 10^exponent. No number is decided by more digits than a double has (767, and
 * one that says that more follow). */
typedef struct decimal {
    char digits[800];
    size_t count; /* 0: zero */
    int64_t exponent;
} decimal;

static void decimal_of(const oc__literal *literal, decimal *out)
{
    enum { KEPT = sizeof out->digits - 1 };
    const char *at = literal->at;
    bool fraction = false, more = false;
    out->count = 0;
    out->exponent = 0;
    for (; at < literal->end && (is_digit(*at) || *at == '.'); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        bool kept = out->count < KEPT;
        if (kept && (out->count > 0 || *at != '0')) {
            out->digits[out->count++] = *at;
        }
        more |= !kept && *at != '0';
        out->exponent += (kept ? 0 : 1) - (fraction ? 1 : 0);
    }
    if (more) {
        out->digits[out->count++] = '1';
        out->exponent--;
    }
    if (at == literal->end) {
        return;
    }
    at++; // the e
    bool negative = *at == '-';
    int64_t exponent = 0;
    for (at += *at == '-' || *at == '+'; at < literal->end; at++) {
        exponent = exponent < INT64_MAX / 100 ? exponent * 10 + (*at - '0') : exponent;
    }
    out->exponent += negative ? -exponent : exponent;
}

/* The sign of decimal - value, for a finite value > 0. */
static int compare(const decimal *d, double value)
{
    char exact[820];
    snprintf(exact, sizeof exact, "%.790e", value); // all digits of any double
    const char *e = strchr(exact, 'e');
    int64_t value_exponent = strtol(e + 1, NULL, 10);
    int64_t exponent = d->exponent + (int64_t)d->count - 1;
    if (d->count == 0 || exponent != value_exponent) {
        return d->count > 0 && exponent > value_exponent ? 1 : -1;
    }
    const char *digit = exact;
    for (size_t i = 0; i < d->count || digit < e; i++) {
        while (digit < e && !is_digit(*digit)) { // the point of the locale
            digit++;
        }
        char of_value = '0', of_decimal = '0';
        if (i < d->count) {
            of_decimal = d->digits[i];
        }
        if (digit < e) {
            of_value = *digit++;
        }
        if (of_value != of_decimal) {
            return of_decimal > of_value ? 1 : -1;
        }
    }
    return 0;
}

static double nearest_double(const decimal *d)
{
    char text[sizeof d->digits + 32];
    int64_t exponent = d->exponent;
    exponent = exponent > 1000000 ? 1000000 : exponent < -1000000 ? -1000000 : exponent;
    memcpy(text, d->digits, d->count);
    snprintf(text + d->count, 32, "e%d", (int)exponent); // no point: of no locale
    return d->count ? strtod(text, NULL) : 0;
}

/* Up to 15 digits and a power of ten up to 22; false for what is longer. */
static bool short_decimal(const oc__literal *literal, double *out_value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = literal->at, *end = literal->end;
    uint64_t digits = 0;
    int exponent = 0, written = 0;
    if (end - at > 28) {
        return false;
    }
    for (; at < end && is_digit(*at); at++) {
        digits = digits * 10 + (uint64_t)(*at - '0');
        written += digits != 0;
    }
    if (at < end && *at == '.') {
        for (at++; at < end && is_digit(*at); at++) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            written += digits != 0;
            exponent--;
        }
    }
    if (at < end) {
        bool negative = *++at == '-';
        int power = 0;
        for (at += *at == '-' || *at == '+'; at < end; at++) {
            power = power < 1000 ? power * 10 + (*at - '0') : power;
        }
        exponent += negative ? -power : power;
    }
    if (written > 15 || exponent < -22 || exponent > 22) {
        return false;
    }
    *out_value = exponent < 0 ? (double)digits / powers[-exponent]
                              : (double)digits * powers[exponent];
    return true;
}

/* Whether a finite value > 0 lies midway between two neighbours of the format, the
 * numbers past its largest continued: an odd multiple of half a unit in the last place.
 */
static bool is_tie(double value, const oc__float_format *format)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023; // no tie of a narrower type is subnormal
    int below = format->min_exponent - exponent;
    int dropped = 53 - format->precision + (below > 0 ? below : 0);
    uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    return dropped <= 53 && (significand & (((uint64_t)1 << dropped) - 1)) ==
                                (uint64_t)1 << (dropped - 1);
}

bool oc__literal_float(const oc__literal *literal, oc_dtype dtype, uint64_t *out_bits)
{
    if (literal->is_hex) {
        int width = oc__dtype_bits(dtype);
        return !literal->negative && magnitude(literal, out_bits) &&
               (width == 64 || *out_bits >> width == 0);
    }
    decimal exact;
    double value;
    bool is_short = short_decimal(literal, &value);
    if (!is_short) {
        decimal_of(literal, &exact);
        value = nearest_double(&exact);
    }
    bool narrow = dtype != OC_F64 && dtype != OC_C128;
    if (narrow && value > 0 && isfinite(value) &&
        is_tie(value, oc__float_format_of(dtype))) {
        if (is_short) {
            decimal_of(literal, &exact);
        }
        int side = compare(&exact, value);
        value = side == 0 ? value : nextafter(value, side > 0 ? (double)INFINITY : 0);
    }
    if (dtype == OC_F8E8M0FNU && value == 0) {
        *out_bits = 0; // it has no zero: MLIR takes the smallest number
        return true;
    }
    *out_bits = oc__float_encode(dtype, literal->negative ? -value : value);
    return true;
}
