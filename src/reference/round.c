#include "reference/round.h"

#include "tensor/float_format.h"

#include <float.h>
#include <math.h>

/* 2^exponent, in the range of normal doubles. */
static double power(int exponent)
{
    return ldexp(1, exponent);
}

bool oc__flushes(oc_dtype dtype)
{
    const oc__float_format *format = oc__float_format_of(dtype);
    return format && format->min_exponent <= -126 && format->precision > 1;
}

static bool is_narrow(const oc__float_format *format)
{
    return format->precision < 24;
}

oc__rounding oc__rounding_of(const oc__tile_env *env, bool exact_below)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    bool is_double = format->precision == 53;
    bool excess = env->arith->excess && is_narrow(format);
    double u = power(-format->precision), overflow_from = format->overflow_from;
    double roundings = env->arith->rounding ? 2 : 1;
    if (env->arith->rounding) {
        overflow_from = fmin(overflow_from, DBL_MAX) * (1 - u);
    }
    oc__rounding how = {
        .dtype = env->dtype,
        // In a narrower type E has an error of 2^-53 |E| besides the device's rounding;
        // the rest is for OC__INFLATE. In f64 the text's own m is rounded as the
        // device's result is.
        .unit = is_double ? (roundings + 1) * u : roundings * u + 0x1p-46,
        .smallest_normal = power(format->min_exponent),
        .overflow_from = overflow_from * (1 - 0x1p-48),
        .certain_overflow =
            is_double || excess ? (double)NAN : format->overflow_from * (1 + 8 * u),
        .ball_above = env->arith->rounding ? -1 : 0,
        .keeps = excess || env->contractible,
        .keep_unit = excess ? 0x1p-24 : 0,
        .overflow_lives = excess || (env->contractible && env->arith->contraction),
    };
    if (!exact_below) {
        // ldexp gives 2^-1074 for f64's 2^-1075.
        how.underflow = is_double ? 0x1p-1074 : u * how.smallest_normal * OC__INFLATE;
        how.underflow *= roundings;
    }
    return how;
}

/* --- arrays --- */

/* f8E8M0FNU holds powers of two only: an inexact result is not judged. */
static bool round_power(size_t n, const double *exact, const double *spread, double *m,
                        double *r)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = oc__float_round(OC_F8E8M0FNU, exact[i]);
        bool surely = spread[i] == 0 && (m[i] == exact[i] || isnan(exact[i]));
        r[i] = surely ? 0 : (double)INFINITY;
    }
    return true;
}

/* `dtype` is a constant where this is inlined, so that the loop is one of vectors. */
static inline __attribute__((always_inline)) bool
round_loop(oc_dtype dtype, bool keeps, const oc__rounding *how, size_t n,
           const double *restrict exact, const double *restrict spread,
           double *restrict m, double *restrict r)
{
    const oc__rounding h = *how;
    uint64_t special = 0;
    for (size_t i = 0; i < n; i++) {
        double e = exact[i], s = spread[i];
        double rounded = oc__float_round(dtype, e);
        double magnitude = fabs(e), off = fabs(e - rounded), reach = magnitude + s;
        double below = magnitude - s < h.smallest_normal ? h.underflow : 0;
        double ball = s + off + h.unit * reach + below;
        ball *= dtype == OC_F64 ? OC__INFLATE : 1;
        ball = reach >= h.overflow_from ? (double)INFINITY : ball;
        // A sum of what was kept rounds below the normal numbers; other sums do not.
        double kept = off + h.keep_unit * magnitude + (off > 0 ? h.underflow : 0);
        double point = keeps ? kept : 0;
        double radius = s <= h.ball_above ? point : ball; // NaN: a ball
        m[i] = rounded;
        r[i] = radius;
        double size = fabs(rounded);
        bool ordinary = (size + radius <= DBL_MAX) & (size > 0);
        special |= ordinary ? 0 : 1;
    }
    return special != 0;
}

#define ROUND_AS(name, dtype)                                                          \
    OC__CLONES static bool name(const oc__rounding *how, size_t n,                     \
                                const double *exact, const double *spread, double *m,  \
                                double *r)                                             \
    {                                                                                  \
        return how->keeps ? round_loop(dtype, true, how, n, exact, spread, m, r)       \
                          : round_loop(dtype, false, how, n, exact, spread, m, r);     \
    }                                                                                  \
    OC__CLONES static void name##_points(size_t n, const double *restrict exact,       \
                                         double *restrict m)                           \
    {                                                                                  \
        for (size_t i = 0; i < n; i++) {                                               \
            m[i] = oc__float_round(dtype, exact[i]);                                   \
        }                                                                              \
    }
ROUND_AS(round_f64, OC_F64)
ROUND_AS(round_f32, OC_F32)
ROUND_AS(round_f16, OC_F16)
ROUND_AS(round_bf16, OC_BF16)

bool oc__round_tile(const oc__rounding *how, size_t n, const double *exact,
                    const double *spread, double *m, double *r)
{
    switch ((int)how->dtype) {
    case OC_F64: return round_f64(how, n, exact, spread, m, r);
    case OC_F32: return round_f32(how, n, exact, spread, m, r);
    case OC_F16: return round_f16(how, n, exact, spread, m, r);
    case OC_BF16: return round_bf16(how, n, exact, spread, m, r);
    case OC_F8E8M0FNU: return round_power(n, exact, spread, m, r);
    default: return round_loop(how->dtype, how->keeps, how, n, exact, spread, m, r);
    }
}

void oc__round_points(oc_dtype dtype, size_t n, const double *exact, double *m)
{
    switch ((int)dtype) {
    case OC_F64: round_f64_points(n, exact, m); return;
    case OC_F32: round_f32_points(n, exact, m); return;
    case OC_F16: round_f16_points(n, exact, m); return;
    case OC_BF16: round_bf16_points(n, exact, m); return;
    default:
        for (size_t i = 0; i < n; i++) {
            m[i] = oc__float_round(dtype, exact[i]);
        }
    }
}

OC__CLONES static void flush_loop(double smallest_normal, size_t n,
                                  const double *restrict m, double *restrict r)
{
    for (size_t i = 0; i < n; i++) {
        double magnitude = fabs(m[i]);
        double with_zero = magnitude > r[i] ? magnitude : r[i];
        r[i] = magnitude - r[i] < smallest_normal ? with_zero : r[i];
    }
}

void oc__flush_radii(oc_dtype dtype, size_t n, const double *m, double *r)
{
    flush_loop(power(oc__float_format_of(dtype)->min_exponent), n, m, r);
}

/* --- one element --- */

double oc__round_ball(const oc__tile_env *env, double exact, double own, double spread,
                      double *r)
{
    oc__rounding how = oc__rounding_of(env, false);
    const oc__float_format *format = oc__float_format_of(env->dtype);
    // The caller states E's own error, and |T - m| <= own + |E - m|.
    how.unit -= format->precision == 53 ? power(-53) : 0;
    double m, all = spread + own + how.unit * own;
    (void)oc__round_tile(&how, 1, &exact, &all, &m, r);
    if (!isfinite(m)) {
        bool given = all == 0 && !isfinite(exact), ball = !(all <= how.ball_above);
        bool certain = !ball || fabs(exact) - all >= how.certain_overflow;
        *r = given || (certain && !how.overflow_lives) ? 0 : (double)INFINITY;
    }
    if (env->arith->flush && oc__flushes(env->dtype)) {
        oc__flush_radii(env->dtype, 1, &m, r);
    }
    return m;
}
