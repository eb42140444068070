/* convert between real floats, and reduce_precision. */
#include "reference/tile.h"

#include "tensor/float_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void copy(size_t n, const oc__tile *in, oc__tile *out)
{
    memcpy(out->m, in->m, n * sizeof *out->m);
    memcpy(out->r, in->r, n * sizeof *out->r);
    memcpy(out->f, in->f, n);
    if (out->s) {
        memcpy(out->s, in->s, n * sizeof *out->s);
    }
}

/* Every number of `from`, NaN and infinities included, is one of `to`. */
static bool widens(oc_dtype from, oc_dtype to)
{
    const oc__float_format *a = oc__float_format_of(from), *b = oc__float_format_of(to);
    int a_last = a->min_exponent - a->precision,
        b_last = b->min_exponent - b->precision;
    return a->precision <= b->precision && a_last >= b_last &&
           a->max_finite <= b->max_finite && (!a->has_infinity || b->has_infinity) &&
           (!a->has_nan || b->has_nan) && to != OC_F8E8M0FNU;
}

/* How an element comes out that rounding could not settle. */
static void settle(const oc__rounding *how, oc__ball x, oc__ball *out)
{
    if (x.r == 0 && !isfinite(x.m)) {
        out->r = 0; // m is what the type has for it
    } else if (oc__ball_undecided(x)) {
        out->r = (double)INFINITY;
    } else if (!isfinite(out->m)) {
        bool ball = x.r > how->ball_above;
        bool certain = !ball || fabs(x.m) - x.r >= how->certain_overflow;
        out->r = certain && !how->overflow_lives ? 0 : (double)INFINITY;
    }
    if (out->m == 0 && (out->r > 0 || !oc__ball_signed(x))) {
        out->f |= OC__F_ZERO_SIGN;
    }
}

void oc__tile_convert(const oc__tile_env *env, size_t n, const oc__tile *in,
                      oc__tile *out)
{
    if (env->from == env->dtype || widens(env->from, env->dtype)) {
        copy(n, in, out);
        return;
    }
    oc__rounding how = oc__rounding_of(env, false);
    bool look = oc__round_tile(&how, n, in->m, in->r, out->m, out->r);
    oc__tile_flags(1, n, in, out->f);
    for (size_t i = 0; look && i < n; i++) {
        if (out->m[i] == 0 || !(fabs(out->m[i]) + out->r[i] <= DBL_MAX)) {
            oc__ball x = {out->m[i], out->r[i], out->f[i]};
            settle(&how, oc__ball_at(in, i), &x);
            out->r[i] = x.r;
            out->f[i] = x.f;
        }
    }
    double u = ldexp(1, -oc__float_format_of(env->dtype)->precision);
    for (size_t i = 0; out->s && i < n; i++) {
        double rounding = u * out->m[i];
        double variance = in->s[i] * in->s[i] + 2 * rounding * rounding / 3;
        out->s[i] = out->r[i] == 0 ? 0 : sqrt(variance);
    }
}

/* --- reduce_precision --- */

/* The format asked for, narrowed to what the element type has. Below 2^min_exponent are
 * zeros where the exponents were narrowed, the type's own subnormals elsewhere. */
typedef struct format {
    int precision;
    bool narrows_mantissa, narrows_exponent;
    double own_normal; /* the element type's smallest normal number */
    double smallest_normal, overflow_from;
} format;

static format format_of(const oc__tile_env *env)
{
    const oc__float_format *own = oc__float_format_of(env->dtype);
    int64_t exponent_bits = oc__hlo_attr_int(env->op, "exponent_bits", 64);
    int64_t mantissa_bits = oc__hlo_attr_int(env->op, "mantissa_bits", 64);
    format made = {.precision = own->precision,
                   .own_normal = ldexp(1, own->min_exponent),
                   .smallest_normal = ldexp(1, own->min_exponent),
                   .overflow_from = own->overflow_from};
    if (mantissa_bits < own->precision - 1) {
        made.precision = (int)(mantissa_bits < 0 ? 0 : mantissa_bits) + 1;
        made.narrows_mantissa = true;
    }
    int64_t bias = exponent_bits < 1    ? 0
                   : exponent_bits > 30 ? INT32_MAX
                                        : ((int64_t)1 << (exponent_bits - 1)) - 1;
    if (1 - bias > own->min_exponent) {
        made.smallest_normal = ldexp(1, (int)(1 - bias));
        made.narrows_exponent = true;
        // Numbers from here on have, once rounded, the exponent bias + 1.
        made.overflow_from = ldexp(2 - ldexp(1, -made.precision), (int)bias);
    } else if (made.narrows_mantissa) {
        // The largest exponent is the type's own.
        int exponent = ilogb(own->max_finite);
        made.overflow_from = ldexp(1 - ldexp(1, -made.precision - 1), exponent) * 2;
    }
    return made;
}

static double reduce(const format *to, double x)
{
    if (isnan(x)) {
        // A NaN without mantissa bits is an infinity.
        return to->precision == 1 && to->narrows_mantissa
                   ? copysign((double)INFINITY, x)
                   : x;
    }
    if (fabs(x) >= to->overflow_from) {
        return copysign((double)INFINITY, x);
    }
    double rounded = x;
    if (to->narrows_mantissa) {
        // With its own exponent, whatever the new ones are: those come after.
        int exponent = fabs(x) < to->own_normal ? ilogb(to->own_normal) : ilogb(x);
        int shift = to->precision - 1 - exponent;
        rounded = copysign(ldexp(rint(ldexp(fabs(x), shift)), -shift), x);
    }
    bool vanishes = to->narrows_exponent && fabs(rounded) < to->smallest_normal;
    return vanishes ? copysign(0.0, x) : rounded;
}

static void reduce_ball(const format *to, oc__ball x, oc__ball *out)
{
    double reach = fabs(x.m) + x.r, u = ldexp(1, -to->precision);
    if (!(reach * OC__INFLATE < to->overflow_from)) {
        out->r = (double)INFINITY;
        return;
    }
    double step = to->narrows_mantissa
                      ? fabs(x.m - out->m) + u * reach +
                            (to->narrows_exponent ? 0 : u * to->smallest_normal)
                      : 0;
    out->r = (x.r + step) * OC__INFLATE;
    if (to->narrows_exponent && fabs(x.m) - x.r < to->smallest_normal) {
        // Some values become 0, and some may not.
        bool all = reach * OC__INFLATE < to->smallest_normal * (1 - u);
        out->r = all ? 0 : reach * (1 + u) * OC__INFLATE + out->r;
    }
}

void oc__tile_reduce_precision(const oc__tile_env *env, size_t n, const oc__tile *in,
                               oc__tile *out)
{
    format to = format_of(env);
    copy(n, in, out);
    if (!to.narrows_mantissa && !to.narrows_exponent) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        oc__ball given = oc__ball_at(in, i);
        oc__ball x = {reduce(&to, given.m), given.r, given.f};
        if (given.r > 0) {
            reduce_ball(&to, given, &x);
        } else if (isnan(given.m) && !isnan(x.m)) {
            x.f |= OC__F_OPEN; // XLA's devices keep the NaN
        }
        x.f |= x.m == 0 && (x.r > 0 || !oc__ball_signed(given)) ? OC__F_ZERO_SIGN : 0;
        out->m[i] = x.m;
        out->r[i] = x.r;
        out->f[i] = x.f;
    }
}
