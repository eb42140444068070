/* add, subtract, multiply. */
#include "reference/tile_arith.h"

#include <float.h>

/* --- add, subtract --- */

OC__CLONES static void add_points(size_t n, const oc__tile *in, double *restrict exact)
{
    const double *a = in[0].m, *b = in[1].m;
    for (size_t i = 0; i < n; i++) {
        exact[i] = a[i] + b[i];
    }
}

OC__CLONES static void subtract_points(size_t n, const oc__tile *in,
                                       double *restrict exact)
{
    const double *a = in[0].m, *b = in[1].m;
    for (size_t i = 0; i < n; i++) {
        exact[i] = a[i] - b[i];
    }
}

/* The spread of a sum and of a difference. */
OC__CLONES static void sum_radii(size_t n, const oc__tile *in, double *restrict spread)
{
    const double *a = in[0].r, *b = in[1].r;
    for (size_t i = 0; i < n; i++) {
        spread[i] = a[i] + b[i];
    }
}

static void add_balls(size_t n, const oc__tile *in, double *exact, double *spread)
{
    add_points(n, in, exact);
    sum_radii(n, in, spread);
}

static void subtract_balls(size_t n, const oc__tile *in, double *exact, double *spread)
{
    subtract_points(n, in, exact);
    sum_radii(n, in, spread);
}

static void add_variance(size_t n, const oc__tile *in, const double *m,
                         double *variance)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        variance[i] = in[0].s[i] * in[0].s[i] + in[1].s[i] * in[1].s[i];
    }
}

static bool add_special(oc__element *e)
{
    // inf - inf is NaN, and m already.
    return (isinf(e->a.m) || isinf(e->b.m)) && oc__element_decided(e, e->exact);
}

/* x - x is +0 for x != 0. Of two zeros one that surely is +0 decides, or both signs. */
static bool sum_zero_signed(oc__ball a, oc__ball b, bool b_negative)
{
    bool a_known = oc__ball_signed(a), b_known = oc__ball_signed(b);
    return a.m != 0 || (a_known && b_known) || (a_known && !signbit(a.m)) ||
           (b_known && !b_negative);
}

static bool add_zero_signed(oc__ball a, oc__ball b)
{
    return sum_zero_signed(a, b, signbit(b.m));
}

static bool subtract_zero_signed(oc__ball a, oc__ball b)
{
    return sum_zero_signed(a, b, !signbit(b.m));
}

static const oc__arith_op add = {
    2, true, add_points, add_balls, add_variance, add_special, add_zero_signed};
static const oc__arith_op subtract = {2,
                                      true,
                                      subtract_points,
                                      subtract_balls,
                                      add_variance,
                                      add_special,
                                      subtract_zero_signed};

void oc__tile_add(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    oc__arith_run(&add, env, n, in, out, NULL);
}

void oc__tile_subtract(const oc__tile_env *env, size_t n, const oc__tile *in,
                       oc__tile *out)
{
    oc__arith_run(&subtract, env, n, in, out, NULL);
}

/* --- multiply --- */

OC__CLONES static void multiply_points(size_t n, const oc__tile *in,
                                       double *restrict exact)
{
    const double *a = in[0].m, *b = in[1].m;
    for (size_t i = 0; i < n; i++) {
        exact[i] = a[i] * b[i];
    }
}

OC__CLONES static void multiply_balls(size_t n, const oc__tile *in,
                                      double *restrict exact, double *restrict spread)
{
    const double *a = in[0].m, *b = in[1].m, *ar = in[0].r, *br = in[1].r;
    for (size_t i = 0; i < n; i++) {
        exact[i] = a[i] * b[i];
        // What underflows in f64 comes on top. Zero times a ball is zero.
        double most_a = fabs(a[i]) + ar[i], most_b = fabs(b[i]) + br[i];
        double by = fabs(a[i]) * br[i] + most_b * ar[i] + 0x1p-1074;
        double least = most_a < most_b ? most_a : most_b;
        least = ar[i] + br[i] == 0 ? 0 : least;
        spread[i] = least == 0 ? 0 : by;
    }
}

static void multiply_variance(size_t n, const oc__tile *in, const double *m,
                              double *variance)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        double da = in[1].m[i] * in[0].s[i], db = in[0].m[i] * in[1].s[i];
        variance[i] = da * da + db * db;
    }
}

static bool multiply_special(oc__element *e)
{
    if (!isinf(e->a.m) && !isinf(e->b.m)) {
        return false;
    }
    oc__ball other = isinf(e->a.m) ? e->b : e->a;
    // 0 * inf is NaN; a ball around 0 leaves all open.
    bool open = other.r > 0 && oc__ball_has_zero(other);
    bool sign_open = other.m != 0 && !oc__ball_signed(other);
    return open || sign_open ? oc__element_undecided(e)
                             : oc__element_decided(e, e->exact);
}

static const oc__arith_op multiply = {2,
                                      false,
                                      multiply_points,
                                      multiply_balls,
                                      multiply_variance,
                                      multiply_special,
                                      oc__both_signed};

/* A product of points that may be left unrounded in f64: its rounding error is one fma
 * away (exact but for underflow). In narrower types double holds the exact product. */
OC__CLONES static void keep_products(size_t n, const oc__tile *in, oc__tile *out)
{
    const double *restrict a = in[0].m, *restrict b = in[1].m;
    const double *restrict ar = in[0].r, *restrict br = in[1].r;
    const double *restrict m = out->m;
    double *restrict r = out->r;
    for (size_t i = 0; i < n; i++) {
        double factors = a[i] == 0 ? 0 : b[i];
        double below = fabs(m[i]) < 0x1p-960 && factors != 0 ? 0x1p-1074 : 0;
        double error = fabs(fma(a[i], b[i], -m[i])) + below;
        r[i] = ar[i] + br[i] == 0 && error <= DBL_MAX ? error : r[i];
    }
}

void oc__tile_multiply(const oc__tile_env *env, size_t n, const oc__tile *in,
                       oc__tile *out)
{
    oc__arith_run(&multiply, env, n, in, out, NULL);
    if (env->contractible && env->dtype == OC_F64 && !env->arith->rounding) {
        keep_products(n, in, out);
        for (size_t i = 0; out->s && i < n; i++) {
            out->s[i] = out->s[i] == 0 ? out->r[i] : out->s[i];
        }
    }
}
