/* divide and sqrt. */
#include "reference/tile_arith.h"

#include "tensor/float_format.h"

/* --- divide --- */

OC__CLONES static void divide_points(size_t n, const oc__tile *in,
                                     double *restrict exact)
{
    const double *a = in[0].m, *b = in[1].m;
    for (size_t i = 0; i < n; i++) {
        exact[i] = a[i] / b[i];
    }
}

OC__CLONES static void divide_balls(size_t n, const oc__tile *in,
                                    double *restrict exact, double *restrict spread)
{
    const double *a = in[0].m, *b = in[1].m, *ar = in[0].r, *br = in[1].r;
    for (size_t i = 0; i < n; i++) {
        // |a'/b' - a/b| <= (ra + |a/b| rb) / (|b| - rb), and what underflows in f64.
        double quotient = a[i] / b[i], least = fabs(b[i]) - br[i];
        double size = fabs(quotient) + 0x1p-1074;
        double by = ar[i] / least + size * (br[i] / least) + 0x1p-1074;
        double most = ar[i] + br[i] == 0 ? 0 : fabs(a[i]) + ar[i];
        by = most == 0 ? 0 : by; // zero by a ball is zero
        exact[i] = quotient;
        spread[i] = least > 0 ? by : br[i] > 0 ? (double)INFINITY : ar[i];
    }
}

/* x / c as x * (1 / c): the rounding of the reciprocal comes on top, where it is a
 * normal number (numerics 4.1). */
static void widen_quotients(const oc__tile_env *env, size_t n, const oc__tile *in,
                            const double *exact, double *spread)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    double u = ldexp(1, -format->precision), least = ldexp(1, format->min_exponent);
    for (size_t i = 0; i < n; i++) {
        double reciprocal = 1 / (fabs(in[1].m[i]) + in[1].r[i]);
        bool normal = reciprocal >= least && reciprocal < format->overflow_from;
        double by = u * OC__INFLATE * (fabs(exact[i]) + spread[i]) + 0x1p-1074;
        spread[i] += normal && exact[i] != 0 ? by : 0;
    }
}

static void divide_variance(size_t n, const oc__tile *in, const double *m,
                            double *variance)
{
    for (size_t i = 0; i < n; i++) {
        double da = in[0].s[i] / in[1].m[i], db = m[i] * in[1].s[i] / in[1].m[i];
        variance[i] = da * da + db * db;
    }
}

static bool divide_special(oc__element *e)
{
    if (isinf(e->b.m)) {
        return oc__element_decided(e, e->exact);
    }
    if (oc__ball_has_zero(e->b)) {
        bool point = e->b.r == 0 && (e->a.r == 0 || !oc__ball_has_zero(e->a));
        bool sign_open = e->a.m != 0 && !oc__ball_signed(e->b);
        // m is NaN in a type without infinities.
        return point && !sign_open ? oc__element_decided(e, e->m)
                                   : oc__element_undecided(e);
    }
    return isinf(e->a.m) && oc__element_decided(e, e->exact);
}

static const oc__arith_op divide = {2,
                                    false,
                                    divide_points,
                                    divide_balls,
                                    divide_variance,
                                    divide_special,
                                    oc__both_signed};

void oc__tile_divide(const oc__tile_env *env, size_t n, const oc__tile *in,
                     oc__tile *out)
{
    bool reciprocal = env->arith->reciprocal && env->uniform_divisor;
    oc__arith_run(&divide, env, n, in, out, reciprocal ? widen_quotients : NULL);
}

/* --- sqrt --- */

OC__CLONES static void sqrt_points(size_t n, const oc__tile *in, double *restrict exact)
{
    const double *a = in[0].m;
    for (size_t i = 0; i < n; i++) {
        exact[i] = sqrt(a[i]);
    }
}

OC__CLONES static void sqrt_balls(size_t n, const oc__tile *in, double *restrict exact,
                                  double *restrict spread)
{
    const double *a = in[0].m, *ar = in[0].r;
    for (size_t i = 0; i < n; i++) {
        // sqrt(a) - sqrt(a - r) = r / (sqrt(a) + sqrt(a - r)), and sqrt(a - r) >=
        // (a - r) / sqrt(a). No step leaves f64's range.
        double root = sqrt(a[i]), least = a[i] - ar[i];
        double by = ar[i] / (root + least / root);
        exact[i] = root;
        spread[i] = ar[i] > 0 ? (least >= 0 ? by : (double)INFINITY) : 0;
    }
}

static void sqrt_variance(size_t n, const oc__tile *in, const double *m,
                          double *variance)
{
    for (size_t i = 0; i < n; i++) {
        double da = m[i] == 0 ? 0 : in[0].s[i] / (2 * m[i]);
        variance[i] = da * da;
    }
}

static bool sqrt_special(oc__element *e)
{
    if (e->a.m < 0 && fabs(e->a.m) > e->a.r) {
        return oc__element_decided(e, (double)NAN);
    }
    return isinf(e->a.m) && oc__element_decided(e, e->exact);
}

static bool sqrt_zero_signed(oc__ball a, oc__ball b)
{
    (void)b;
    return oc__ball_signed(a);
}

static const oc__arith_op square_root = {
    1, false, sqrt_points, sqrt_balls, sqrt_variance, sqrt_special, sqrt_zero_signed};

/* result_accuracy TOLERANCE (numerics 1.2). */
static void widen_to_accuracy(const oc__tile_env *env, size_t n, const oc__tile *in,
                              const double *exact, double *spread)
{
    (void)in;
    for (size_t i = 0; i < n; i++) {
        double relative = env->accuracy_rel * (fabs(exact[i]) + spread[i]);
        spread[i] += relative > env->accuracy_abs ? relative : env->accuracy_abs;
    }
}

void oc__tile_sqrt(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    bool stated = env->accuracy_abs > 0 || env->accuracy_rel > 0;
    oc__arith_run(&square_root, env, n, in, out, stated ? widen_to_accuracy : NULL);
}
