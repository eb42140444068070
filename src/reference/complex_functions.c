#include "reference/complex_functions.h"

#include <math.h>
#include <string.h>

/* --- values */

/* e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2), without cancellation. */
static oc__number expm1_of(oc__number z)
{
    long double x = creall(z), y = cimagl(z), half = sinl(y / 2);
    return oc__number_of(expm1l(x) * cosl(y) - 2 * half * half, expl(x) * sinl(y));
}

/* |1 + z|^2 - 1 = 2x + x^2 + y^2, which may cancel: products of two doubles have 106
 * bits. */
static oc__number log1p_of(oc__number z)
{
    __extension__ typedef __float128 quad;
    quad x = creall(z), y = cimagl(z);
    long double excess = (long double)(2 * x + x * x + y * y);
    long double real = fabsl(excess) < 0.5L ? log1pl(excess) / 2
                                            : logl(hypotl(1 + creall(z), cimagl(z)));
    return oc__number_of(real, atan2l(cimagl(z), 1 + creall(z)));
}

static oc__number rsqrt_of(oc__number z)
{
    return 1 / csqrtl(z);
}

static oc__number cbrt_of(oc__number z)
{
    long double modulus = cbrtl(hypotl(creall(z), cimagl(z)));
    long double angle = atan2l(cimagl(z), creall(z)) / 3;
    return oc__number_of(modulus * cosl(angle), modulus * sinl(angle));
}

/* 1 / (1 + e^-z); next to its poles by tanh, which does not cancel there. */
static oc__number logistic_of(oc__number z)
{
    oc__number e = cexpl(creall(z) < 0 ? z : -z);
    if (cabsl(1 + e) < 0.5L) {
        return (1 + ctanhl(z / 2)) / 2;
    }
    return creall(z) < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* --- how steep they are: a bound of |f'| on the disc of radius rho about z; not finite
 * where there is none */

static long double exp_slope(oc__number z, long double rho)
{
    return expl(creall(z) + rho);
}

static long double log_slope(oc__number z, long double rho)
{
    return 1 / fmaxl(cabsl(z) - rho, 0);
}

static long double log1p_slope(oc__number z, long double rho)
{
    return log_slope(1 + z, rho);
}

static long double sqrt_slope(oc__number z, long double rho)
{
    return 0.5L / sqrtl(fmaxl(cabsl(z) - rho, 0));
}

static long double rsqrt_slope(oc__number z, long double rho)
{
    return 0.5L * powl(fmaxl(cabsl(z) - rho, 0), -1.5L);
}

static long double cbrt_slope(oc__number z, long double rho)
{
    return powl(fmaxl(cabsl(z) - rho, 0), -2 / 3.0L) / 3;
}

static long double sine_slope(oc__number z, long double rho)
{
    return coshl(fabsl(cimagl(z)) + rho);
}

static long double sinh_slope(oc__number z, long double rho)
{
    return coshl(fabsl(creall(z)) + rho);
}

/* 1 / |cosh|^2 with |cosh z| >= sinh |x|, or as cosh moves by rho times its own slope.
 */
static long double tanh_slope(oc__number z, long double rho)
{
    long double x = fabsl(creall(z));
    long double cosh =
        x - rho > 1 ? sinhl(x - rho) : cabsl(ccoshl(z)) - rho * coshl(x + rho);
    return 1 / (fmaxl(cosh, 0) * fmaxl(cosh, 0));
}

static long double tan_slope(oc__number z, long double rho)
{
    return tanh_slope(oc__number_of(cimagl(z), creall(z)), rho);
}

static long double logistic_slope(oc__number z, long double rho)
{
    return tanh_slope(z / 2, rho / 2) / 4;
}

/* |1 - z^2| on the disc, from below. */
static long double off_one(oc__number z, long double rho)
{
    return fmaxl(cabsl((1 - z) * (1 + z)) - rho * (2 * cabsl(z) + rho), 0);
}

static long double asin_slope(oc__number z, long double rho)
{
    return 1 / sqrtl(off_one(z, rho));
}

static long double atanh_slope(oc__number z, long double rho)
{
    return 1 / off_one(z, rho);
}

static long double asinh_slope(oc__number z, long double rho)
{
    return asin_slope(oc__number_of(-cimagl(z), creall(z)), rho);
}

static long double atan_slope(oc__number z, long double rho)
{
    return atanh_slope(oc__number_of(-cimagl(z), creall(z)), rho);
}

/* --- by name */

#define INF ((double)INFINITY)
static const oc__complex_function functions[] = {
    {"exponential", cexpl, exp_slope, OC__NO_CUT, 0, 0},
    {"exponential_minus_one", expm1_of, exp_slope, OC__NO_CUT, 0, 0},
    {"log", clogl, log_slope, OC__CUT_REAL, 0, INF},
    {"log_plus_one", log1p_of, log1p_slope, OC__CUT_REAL, -1, INF},
    {"sqrt", csqrtl, sqrt_slope, OC__CUT_REAL, 0, INF},
    {"rsqrt", rsqrt_of, rsqrt_slope, OC__CUT_REAL, 0, INF},
    {"cbrt", cbrt_of, cbrt_slope, OC__CUT_REAL, 0, INF},
    {"logistic", logistic_of, logistic_slope, OC__NO_CUT, 0, 0},
    {"tanh", ctanhl, tanh_slope, OC__NO_CUT, 0, 0},
    {"tan", ctanl, tan_slope, OC__NO_CUT, 0, 0},
    {"sine", csinl, sine_slope, OC__NO_CUT, 0, 0},
    {"cosine", ccosl, sine_slope, OC__NO_CUT, 0, 0},
    {"sinh", csinhl, sinh_slope, OC__NO_CUT, 0, 0},
    {"cosh", ccoshl, sinh_slope, OC__NO_CUT, 0, 0},
    {"asin", casinl, asin_slope, OC__CUT_REAL, -1, 1},
    {"acos", cacosl, asin_slope, OC__CUT_REAL, -1, 1},
    {"atan", catanl, atan_slope, OC__CUT_IMAGINARY, -1, 1},
    {"asinh", casinhl, asinh_slope, OC__CUT_IMAGINARY, -1, 1},
    {"acosh", cacoshl, asin_slope, OC__CUT_REAL, 1, INF},
    {"atanh", catanhl, atanh_slope, OC__CUT_REAL, -1, 1},
};

const oc__complex_function *oc__complex_find(const char *op_name)
{
    const char *dot = strchr(op_name, '.');
    for (size_t i = 0; dot && i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(dot + 1, functions[i].name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}
