#include "reference/tile_arith.h"

#include "tensor/float_format.h"

#include <float.h>
#include <math.h>

static void look_at(const oc__arith_op *op, oc__element *e)
{
    bool two = op->arity == 2;
    if (oc__ball_nan(e->a) || (two && oc__ball_nan(e->b))) {
        (void)oc__element_decided(e, (double)NAN);
    } else if (oc__ball_undecided(e->a) || (two && oc__ball_undecided(e->b))) {
        (void)oc__element_undecided(e);
    } else if (!op->special(e) && !isfinite(e->m)) {
        // An overflow of finite numbers.
        bool ball = !(e->spread <= e->how->ball_above); // NaN: a ball
        bool certain = !ball || fabs(e->exact) - e->spread >= e->how->certain_overflow;
        e->r = certain && !e->how->overflow_lives ? 0 : (double)INFINITY;
    }
    bool known = e->r == 0 && (e->m != 0 || op->zero_signed(e->a, e->b));
    e->f |= e->m == 0 && !known ? OC__F_ZERO_SIGN : 0;
}

static void look(const oc__arith_op *op, const oc__rounding *how, size_t n,
                 const oc__tile *in, const double *exact, const double *spread,
                 oc__tile *out)
{
    for (size_t i = 0; i < n; i++) {
        if (out->m[i] != 0 && fabs(out->m[i]) + out->r[i] <= DBL_MAX) {
            continue;
        }
        oc__element e = {.how = how,
                         .a = oc__ball_at(&in[0], i),
                         .b = oc__ball_at(&in[op->arity - 1], i),
                         .exact = exact[i],
                         .spread = spread[i],
                         .m = out->m[i],
                         .r = out->r[i],
                         .f = out->f[i]};
        look_at(op, &e);
        out->m[i] = e.m;
        out->r[i] = e.r;
        out->f[i] = e.f;
    }
}

/* --- the frame of all of them --- */

/* Independent roundings, each uniform within u |m|: the device's, and the one that made
 * m (numerics 2.4), on top of what the operands bring. No deviation is past the radius.
 */
static void add_sigma(const oc__arith_op *op, size_t n, const oc__tile *in, double u,
                      oc__tile *out)
{
    double variance[OC__TILE];
    op->variance(n, in, out->m, variance);
    for (size_t i = 0; i < n; i++) {
        double rounding = u * out->m[i];
        out->s[i] = fmin(sqrt(variance[i] + 2 * rounding * rounding / 3), out->r[i]);
    }
}

void oc__arith_run(const oc__arith_op *op, const oc__tile_env *env, size_t n,
                   const oc__tile *in, oc__tile *out, oc__widen_fn widen)
{
    oc__rounding how = oc__rounding_of(env, op->exact_below);
    double exact[OC__TILE], spread[OC__TILE];
    oc__tile_flags(op->arity, n, in, out->f);
    if (!widen && how.ball_above == 0 && !how.keeps &&
        oc__tile_plain(op->arity, n, in)) {
        op->points(n, in, exact);
        oc__round_points(env->dtype, n, exact, out->m);
        memset(out->r, 0, n * sizeof *out->r);
        if (out->s) {
            memset(out->s, 0, n * sizeof *out->s);
        }
        return;
    }
    op->balls(n, in, exact, spread);
    if (widen) {
        widen(env, n, in, exact, spread);
    }
    if (oc__round_tile(&how, n, exact, spread, out->m, out->r)) {
        look(op, &how, n, in, exact, spread, out);
    }
    if (out->s) {
        add_sigma(op, n, in, ldexp(1, -oc__float_format_of(env->dtype)->precision),
                  out);
    }
}
