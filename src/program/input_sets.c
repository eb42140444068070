/* Arrays for a program that was given none (numerics 5.3). The same seed gives the
 * same arrays everywhere. */
#include "program/program.h"

#include "base/random.h"

#include "tensor/float_format.h"

#include <math.h>
#include <string.h>

/* In (0, 1). */
static double uniform(uint64_t *state)
{
    return ((double)(oc__random_next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Whole numbers of up to 7 bits: sums and products of them are exact in every order as
 * long as they fit the accumulator. */
static double lattice(uint64_t *state)
{
    return (double)(oc__random_next(state) % 255) - 127.0;
}

/* Box and Muller. */
static double normal(uint64_t *state)
{
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(2.0 * 3.14159265358979323846 * uniform(state));
}

/* Zeros of both signs, infinities, NaN, the smallest subnormal and normal, the largest
 * finite number, a tie, and ordinary numbers between them. */
static double special(uint64_t *state, const oc__float_format *format)
{
    double smallest = ldexp(1.0, format->min_exponent);
    double tiny = ldexp(smallest, 1 - format->precision);
    double tie = 1.0 + ldexp(1.0, -format->precision);
    const double values[] = {0.0,
                             -0.0,
                             (double)INFINITY,
                             -(double)INFINITY,
                             (double)NAN,
                             tiny,
                             -tiny,
                             smallest,
                             tie,
                             1.0,
                             format->max_finite,
                             -format->max_finite};
    uint64_t pick = oc__random_next(state) % 32;
    return pick < sizeof values / sizeof *values ? values[pick] : normal(state);
}

static double draw(const char *set, uint64_t *state, const oc__float_format *format)
{
    switch (*set) {
    case 'l': return lattice(state);
    case 'p': return uniform(state);
    case 's': return special(state, format);
    default: return normal(state);
    }
}

/* Integers: small ones, and for `special` every bit pattern. */
static uint64_t draw_integer(const char *set, uint64_t *state, oc_dtype dtype)
{
    if (dtype == OC_PRED) {
        return oc__random_next(state) & 1;
    }
    if (*set == 's') {
        return oc__random_next(state);
    }
    bool is_unsigned = (dtype >= OC_U8 && dtype <= OC_U64) || dtype == OC_U4 ||
                       dtype == OC_U2 || *set == 'p';
    uint64_t magnitude = oc__random_next(state) % 8;
    return is_unsigned ? magnitude : magnitude - 4;
}

/* A byte of a sub-byte integer holds its value, sign-extended. */
static uint64_t fit(uint64_t value, oc_dtype dtype)
{
    switch (dtype) {
    case OC_S4: return (uint64_t)((int64_t)(value << 60) >> 60);
    case OC_S2: return (uint64_t)((int64_t)(value << 62) >> 62);
    case OC_U4: return value & 15;
    case OC_U2: return value & 3;
    default: return value;
    }
}

oc_status oc__program_random(const oc__hlo_type *type, const char *set, uint64_t seed,
                             oc_tensor *out_tensor, oc_error *err)
{
    static const char *const sets[] = {"lattice", "normal", "positive", "special",
                                       NULL};
    size_t known = 0;
    int64_t dims[OC_MAX_RANK];
    *out_tensor = (oc_tensor){0};
    while (sets[known] && strcmp(sets[known], set) != 0) {
        known++;
    }
    if (!sets[known]) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "'%s' is no set of inputs: lattice, normal, positive, special",
                       set);
    }
    for (size_t i = 0; i < type->rank && i < OC_MAX_RANK; i++) {
        dims[i] = type->dims[i] == OC__HLO_DYNAMIC ? 3 : type->dims[i];
    }
    oc_status rc = oc_tensor_make(type->dtype, dims, type->rank, out_tensor, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__float_format *format = oc__float_format_of(type->dtype);
    bool is_complex = type->dtype == OC_C64 || type->dtype == OC_C128;
    size_t size = oc_dtype_host_bits(type->dtype) / 8 / (is_complex ? 2 : 1);
    for (size_t i = 0; i < out_tensor->size_bytes / size; i++) {
        uint64_t bits = format
                            ? oc__float_encode(type->dtype, draw(set, &seed, format))
                            : fit(draw_integer(set, &seed, type->dtype), type->dtype);
        memcpy((char *)out_tensor->data + i * size, &bits, size);
    }
    return OC_OK;
}
