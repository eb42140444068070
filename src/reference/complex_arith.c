/* multiply, divide, abs and sign of complex numbers, evaluated in long double: what its
 * exponents hold does not overflow inside, and its error of 2^-64 (or 2^-113) of the
 * terms is far below one rounding of f64.
 *
 * A product's parts are sums of two products, each within gamma_2 of its terms
 * (numerics 4.1); a quotient, a modulus and a sign have figures in u |w| (8.5). The
 * specification leaves exceptions of complex arithmetic to the implementation. */
#include "reference/complex_tile.h"

#include "tensor/float_format.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct number {
    double m[2], r[2], s[2];
    uint8_t f;
} number;

static number number_at(const oc__pair *pair, size_t i)
{
    const oc__tile *re = &pair->re, *im = &pair->im;
    return (number){.m = {re->m[i], im->m[i]},
                    .r = {re->r[i], im->r[i]},
                    .s = {re->s ? re->s[i] : 0, im->s ? im->s[i] : 0},
                    .f = re->f[i]};
}

static bool is_finite(const number *x)
{
    return isfinite(x->m[0]) && isfinite(x->m[1]);
}

static double spread_of(const number *x)
{
    return hypot(x->r[0], x->r[1]) * OC__INFLATE;
}

static double size_of(const number *x)
{
    return hypot(x->m[0], x->m[1]);
}

/* What one part of a result is made of. */
typedef struct part {
    long double exact;
    double spread;  /* from the operands' balls */
    double allowed; /* what the device's roundings may add */
    double variance;
} part;

static void put(const oc__tile_env *env, const part *p, oc__tile *out, size_t i)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    double m = oc__float_round(env->dtype, (double)p->exact);
    double off = (double)fabsl(p->exact - m), all = p->spread + p->allowed;
    double reach = (double)fabsl(p->exact) + all;
    bool inside = reach * OC__INFLATE < format->overflow_from;
    out->m[i] = m;
    out->r[i] = inside ? (all + off) * OC__INFLATE : (double)INFINITY;
    out->f[i] |= m == 0 && out->r[i] > 0 ? OC__F_ZERO_SIGN : 0;
    if (out->s) {
        double rounding = ldexp(m, -format->precision);
        out->s[i] = sqrt(p->variance + 2 * rounding * rounding / 3);
    }
}

static void put_exception(long double m, bool decided, oc__tile *out, size_t i)
{
    out->m[i] = (double)m;
    out->r[i] = decided ? 0 : (double)INFINITY;
    out->f[i] |= OC__F_OPEN;
    if (out->s) {
        out->s[i] = 0;
    }
}

/* first: flags of every element. */
static void start_flags(size_t arity, size_t n, const oc__pair *in, oc__pair *out,
                        uint8_t first)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t f = first;
        for (size_t k = 0; k < arity; k++) {
            f |= in[k].re.f[i] & OC__F_STICKY;
        }
        out->re.f[i] = out->im.f[i] = f;
    }
}

/* --- multiply --- */

/* a b +- c d of a product's part. */
static part sum_of_products(const oc__tile_env *env, const number *x, const number *y,
                            size_t part_of_result)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    double u = ldexp(1, -format->precision);
    part p = {0};
    double terms = 0;
    bool exact = true;
    for (size_t k = 0; k < 2; k++) {
        size_t j = part_of_result ? 1 - k : k;
        long double product = (long double)x->m[k] * y->m[j];
        p.exact += part_of_result == 0 && k == 1 ? -product : product;
        terms += (double)fabsl(product);
        p.spread += fabs(x->m[k]) * y->r[j] + (fabs(y->m[j]) + y->r[j]) * x->r[k];
        exact = exact && oc__float_round(env->dtype, (double)product) == product;
        double da = y->m[j] * x->s[k], db = x->m[k] * y->s[j];
        double rounding = u * (double)product;
        p.variance += da * da + db * db + rounding * rounding / 3;
    }
    exact = exact && oc__float_round(env->dtype, (double)p.exact) == p.exact;
    if (p.spread > 0 || !exact) {
        double underflow = ldexp(1, format->min_exponent) * u + 0x1p-1074;
        double gamma = 2 * u / (1 - 2 * u) + 0x1p-62;
        p.allowed = gamma * (terms + p.spread) + 3 * underflow;
    }
    return p;
}

void oc__pair_multiply(const oc__tile_env *env, size_t n, const oc__pair *in,
                       oc__pair *out)
{
    start_flags(2, n, in, out, 0);
    for (size_t i = 0; i < n; i++) {
        number x = number_at(&in[0], i), y = number_at(&in[1], i);
        part re = sum_of_products(env, &x, &y, 0), im = sum_of_products(env, &x, &y, 1);
        if (is_finite(&x) && is_finite(&y)) {
            put(env, &re, &out->re, i);
            put(env, &im, &out->im, i);
        } else {
            bool decided = re.spread == 0 && im.spread == 0;
            put_exception(re.exact, decided, &out->re, i);
            put_exception(im.exact, decided, &out->im, i);
        }
    }
}

/* --- divide, sign --- */

/* In |w|. Not judged where the platform documents nothing. */
static double figure(const oc__tile_env *env, double units)
{
    static const double of_most = 8; // numerics 8.5
    double u = ldexp(1, -oc__float_format_of(env->dtype)->precision);
    return u * (env->figure_ulps >= 0 ? units * env->figure_ulps : of_most);
}

static uint8_t figure_flags(const oc__tile_env *env)
{
    return env->figure_ulps >= 0 ? OC__F_TABLE : OC__F_TABLE | OC__F_OPEN;
}

/* Both parts of w, |w - exact| <= spread in each. */
static void put_number(const oc__tile_env *env, long double _Complex w, double spread,
                       double variance, oc__pair *out, size_t i)
{
    double least = ldexp(1, oc__float_format_of(env->dtype)->min_exponent);
    double k = figure(env, 1); // figures of complex results are in u |w|
    double allowed = (k + 0x1p-58) * ((double)cabsl(w) + spread) + k * least;
    part re = {creall(w), spread, allowed, variance};
    part im = {cimagl(w), spread, allowed, variance};
    put(env, &re, &out->re, i);
    put(env, &im, &out->im, i);
}

/* C11's CMPLXL, which glibc hides from clang. */
static long double _Complex number_of(const double m[2])
{
    const long double parts[2] = {m[0], m[1]};
    long double _Complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double square(double x)
{
    return x * x;
}

void oc__pair_divide(const oc__tile_env *env, size_t n, const oc__pair *in,
                     oc__pair *out)
{
    start_flags(2, n, in, out, figure_flags(env));
    for (size_t i = 0; i < n; i++) {
        number x = number_at(&in[0], i), y = number_at(&in[1], i);
        long double _Complex a = number_of(x.m), b = number_of(y.m);
        long double _Complex w = a / b; // C's Annex G
        double x_spread = spread_of(&x), y_spread = spread_of(&y), y_size = size_of(&y);
        bool points = x_spread == 0 && y_spread == 0;
        if (!is_finite(&x) || !is_finite(&y) || y_size == 0) {
            put_exception(creall(w), points, &out->re, i);
            put_exception(cimagl(w), points, &out->im, i);
            continue;
        }
        double size = (double)cabsl(w), least = y_size - y_spread;
        double spread = points ? 0 : (x_spread + size * y_spread) / least;
        double variance = (square(x.s[0]) + square(x.s[1]) +
                           square(size) * (square(y.s[0]) + square(y.s[1]))) /
                          square(y_size);
        put_number(env, w, least > 0 ? spread : (double)INFINITY, variance, out, i);
    }
}

/* z / |z|; zero stays. */
void oc__pair_sign(const oc__tile_env *env, size_t n, const oc__pair *in, oc__pair *out)
{
    start_flags(1, n, in, out, figure_flags(env));
    for (size_t i = 0; i < n; i++) {
        number x = number_at(&in[0], i);
        double spread = spread_of(&x), size = size_of(&x), least = size - spread;
        bool nan = isnan(x.m[0]) || isnan(x.m[1]), zero = size == 0 && spread == 0;
        if (nan || zero || !is_finite(&x)) {
            long double quotient = nan ? (long double)NAN : 0;
            for (size_t k = 0; k < 2; k++) {
                oc__tile *to = k ? &out->im : &out->re;
                bool infinite = !nan && !zero;
                put_exception(infinite ? (long double)(x.m[k] / size) : quotient,
                              spread == 0, to, i);
                to->f[i] = (uint8_t)(infinite ? to->f[i]
                                              : to->f[i] & ~(OC__F_OPEN | OC__F_TABLE));
            }
            continue;
        }
        long double _Complex z = number_of(x.m);
        double moved = least > 0 ? 2 * spread / least : (double)INFINITY;
        double variance = (square(x.s[0]) + square(x.s[1])) / square(size);
        put_number(env, z / cabsl(z), moved, variance, out, i);
    }
}

/* --- abs --- */

/* IEEE 754's hypot: infinite when a part is, whatever the other. */
void oc__pair_abs(const oc__tile_env *env, size_t n, const oc__pair *in, oc__pair *out)
{
    double least = ldexp(1, oc__float_format_of(env->dtype)->min_exponent);
    double k = figure(env, 2); // a figure of hypot is in ulp, 2 u at most
    start_flags(1, n, in, out, figure_flags(env));
    for (size_t i = 0; i < n; i++) {
        number x = number_at(&in[0], i);
        double spread = spread_of(&x);
        long double exact = hypotl(x.m[0], x.m[1]);
        if (!isfinite(exact)) {
            put_exception(exact, spread <= DBL_MAX, &out->re, i);
            out->re.f[i] = in[0].re.f[i] & OC__F_STICKY;
            continue;
        }
        part p = {.exact = exact, .spread = spread};
        p.allowed = (k + 0x1p-60) * ((double)exact + spread);
        p.allowed += exact == 0 && spread == 0 ? 0 : k * least;
        p.variance = square(x.s[0]) + square(x.s[1]);
        put(env, &p, &out->re, i);
    }
}
