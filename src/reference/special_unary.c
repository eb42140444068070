#include "reference/round.h"
#include "reference/special.h"
#include "reference/special_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The real functions of one argument. Slopes are bounds of |f'| on [low, high], growth
 * one of e^(high - low); they may be generous where that is cheap, since a ball is
 * small beside the scale on which a function bends. */

#define PI 3.14159265358979323846

static inline double exp_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high;
    return y * growth;
}

/* y + 1 is e^x, but for the rounding of y near -1. */
static inline double expm1_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high;
    return (y + 1 + 0x1p-52) * growth;
}

static inline double log_slope(double low, double high, double y, double growth)
{
    (void)high, (void)y, (void)growth;
    return low > 0 ? 1 / low : (double)INFINITY;
}

static inline double log1p_slope(double low, double high, double y, double growth)
{
    (void)high, (void)y, (void)growth;
    return low > -1 ? 1 / (1 + low) : (double)INFINITY;
}

/* 1/cosh^2, which changes by less than e^(2 |move|). */
static inline double tanh_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high;
    double at = (1 - y * y + 0x1p-50) * growth;
    return at < 1 ? at : 1;
}

/* s (1 - s), which changes by less than e^|move|. */
static inline double logistic_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high;
    double at = (y * (1 - y) + y * 0x1p-50) * growth;
    return at < 0.25 ? at : 0.25;
}

/* 2/sqrt(pi) e^(-x^2), largest next to 0; of erfc too. */
static double erf_slope(double low, double high, double y, double growth)
{
    (void)y, (void)growth;
    double nearest = low > 0 ? low : high < 0 ? high : 0;
    return 1.1283791670955126 * exp(-nearest * nearest) * (1 + 0x1p-40);
}

static double one_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high, (void)y, (void)growth;
    return 1;
}

/* 1 + tan^2 at the steeper end; between two poles tan grows. */
static double tan_slope(double low, double high, double y, double growth)
{
    double at_low = tan(low), at_high = tan(high);
    if (high - low > PI / 2 || at_low > at_high || fabs(low) > 0x1p50) {
        return (double)INFINITY;
    }
    (void)y, (void)growth;
    return 1 + fmax(at_low * at_low, at_high * at_high);
}

static inline double rsqrt_slope(double low, double high, double y, double growth)
{
    (void)high, (void)y, (void)growth;
    return low > 0 ? 0.5 / low / sqrt(low) : (double)INFINITY; // 0 in far too large f64
}

static double cosh_slope(double low, double high, double y, double growth)
{
    (void)y, (void)growth;
    return sinh(fmax(fabs(low), fabs(high)));
}

static double sinh_slope(double low, double high, double y, double growth)
{
    (void)y, (void)growth;
    return cosh(fmax(fabs(low), fabs(high)));
}

/* digamma grows between poles. */
static double lgamma_slope(double low, double high, double y, double growth)
{
    (void)y, (void)growth;
    return (double)fmaxl(fabsl(oc__digamma(low)), fabsl(oc__digamma(high))) *
           (1 + 0x1p-40);
}

/* |d/dx e^-x I_1(x)| is largest at 0. */
static double bessel_i1e_slope(double low, double high, double y, double growth)
{
    (void)low, (void)high, (void)y, (void)growth;
    return 0.5;
}

/* --- spreads of arrays --- */

typedef double (*slope_fn)(double low, double high, double y, double growth);

/* `slope` is a constant where this is inlined, so that the loop is one of vectors. */
static inline __attribute__((always_inline)) bool
spread_loop(slope_fn slope, const oc__function *fn, size_t n, const double *restrict x,
            const double *restrict r, const double *restrict y, double *restrict spread,
            uint64_t *restrict special)
{
    const double domain_low = fn->domain_low, domain_high = fn->domain_high;
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        double pad = (fabs(x[i]) + r[i]) * 0x1p-52;
        double low = x[i] - r[i] - pad, high = x[i] + r[i] + pad, width = high - low;
        double moved = oc__slope_spread(r[i], slope(low, high, y[i], 1 + 2 * width));
        bool usual = (width < OC__NEAR) & (low >= domain_low) & (high <= domain_high) &
                     (fabs(y[i]) <= DBL_MAX) & (moved <= DBL_MAX);
        spread[i] = r[i] == 0 ? 0 : moved;
        special[i] = (usual | (r[i] == 0)) ? 0 : 1;
        any |= special[i];
    }
    return any != 0;
}

#define SPREADS(name)                                                                  \
    OC__CLONES static bool name##_spreads(                                             \
        const oc__function *fn, size_t n, const double *x, const double *r,            \
        const double *y, double *spread, uint64_t *special)                            \
    {                                                                                  \
        return spread_loop(name##_slope, fn, n, x, r, y, spread, special);             \
    }
SPREADS(exp)
SPREADS(expm1)
SPREADS(log)
SPREADS(log1p)
SPREADS(logistic)
SPREADS(tanh)
SPREADS(rsqrt)

/* --- the functions --- */

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static long double rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double erf_inv(double x)
{
    return (double)oc__erf_inv(x);
}

/* The library's lgamma() writes a global sign. */
static double lgamma_of(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double digamma(double x)
{
    return (double)oc__digamma(x);
}

static double bessel_i1e(double x)
{
    return (double)oc__bessel_i1e(x);
}

#define INF           ((double)INFINITY)
#define ANYWHERE      .domain_low = -INF, .domain_high = INF
#define ANY           .least = -INF, .most = INF
#define BETWEEN(a, b) .least = (a), .most = (b)

/* name of the tile function, double, long double, slope, the rest */
#define FUNCTIONS(X)                                                                   \
    X(exponential, exp, expl, exp_slope, .array = oc__exp_array,                       \
      .spreads = exp_spreads, ANYWHERE, BETWEEN(0, INF), .monotone = true)             \
    X(exponential_minus_one, expm1, expm1l, expm1_slope, .array = oc__expm1_array,     \
      .spreads = expm1_spreads, ANYWHERE, BETWEEN(-1, INF), .monotone = true)          \
    X(log, log, logl, log_slope, .array = oc__log_array, .spreads = log_spreads,       \
      .domain_low = 0, .domain_high = INF, ANY)                                        \
    X(log_plus_one, log1p, log1pl, log1p_slope, .array = oc__log1p_array,              \
      .spreads = log1p_spreads, .domain_low = -1, .domain_high = INF, ANY)             \
    X(logistic, logistic, oc__logistic, logistic_slope, .array = oc__logistic_array,   \
      .spreads = logistic_spreads, ANYWHERE, BETWEEN(0, 1))                            \
    X(tanh, tanh, tanhl, tanh_slope, .array = oc__tanh_array, .spreads = tanh_spreads, \
      ANYWHERE, BETWEEN(-1, 1))                                                        \
    X(sine, sin, sinl, one_slope, ANYWHERE, BETWEEN(-1, 1))                            \
    X(cosine, cos, cosl, one_slope, ANYWHERE, BETWEEN(-1, 1))                          \
    X(tan, tan, tanl, tan_slope, ANYWHERE, ANY)                                        \
    X(rsqrt, rsqrt, rsqrtl, rsqrt_slope, .array = oc__rsqrt_array,                     \
      .spreads = rsqrt_spreads, .domain_low = 0, .domain_high = INF, ANY,              \
      .monotone = true)                                                                \
    X(cbrt, cbrt, cbrtl, NULL, ANYWHERE, ANY)                                          \
    X(erf, erf, erfl, erf_slope, ANYWHERE, BETWEEN(-1, 1), .monotone = true)           \
    X(erfc, erfc, erfcl, erf_slope, ANYWHERE, BETWEEN(0, 2), .monotone = true)         \
    X(erf_inv, erf_inv, oc__erf_inv, NULL, .domain_low = -1, .domain_high = 1, ANY)    \
    X(lgamma, lgamma_of, oc__lgamma, lgamma_slope, ANYWHERE, ANY, .poles = true,       \
      .from_one = true)                                                                \
    X(digamma, digamma, oc__digamma, NULL, ANYWHERE, ANY, .poles = true,               \
      .from_one = true)                                                                \
    X(bessel_i1e, bessel_i1e, oc__bessel_i1e, bessel_i1e_slope, ANYWHERE, ANY)         \
    X(asin, asin, asinl, NULL, .domain_low = -1, .domain_high = 1, ANY)                \
    X(acos, acos, acosl, NULL, .domain_low = -1, .domain_high = 1, ANY)                \
    X(atan, atan, atanl, NULL, ANYWHERE, ANY)                                          \
    X(asinh, asinh, asinhl, NULL, ANYWHERE, ANY)                                       \
    X(acosh, acosh, acoshl, NULL, .domain_low = 1, .domain_high = INF,                 \
      BETWEEN(0, INF))                                                                 \
    X(atanh, atanh, atanhl, NULL, .domain_low = -1, .domain_high = 1, ANY)             \
    X(sinh, sinh, sinhl, sinh_slope, ANYWHERE, ANY, .monotone = true)                  \
    X(cosh, cosh, coshl, cosh_slope, ANYWHERE, BETWEEN(1, INF))

#define DEFINE(name, narrow, extended, bound, ...)                                     \
    static void name##_tile(const oc__tile_env *env, size_t n, const oc__tile *in,     \
                            oc__tile *out)                                             \
    {                                                                                  \
        static const oc__function function = {                                         \
            .f = narrow, .wide = extended, .slope = bound, __VA_ARGS__};               \
        oc__function_tile(&function, env, n, in, out);                                 \
    }
FUNCTIONS(DEFINE)

#define LIST(name, ...) {#name, name##_tile},
static const struct {
    const char *name;
    oc__tile_fn tile;
} unary[] = {FUNCTIONS(LIST)};

oc__tile_fn oc__special_unary(const char *name)
{
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
        if (strcmp(name, unary[i].name) == 0) {
            return unary[i].tile;
        }
    }
    return NULL;
}
