/* Operations that jump: floor, ceil, the rounds, remainder. */
#include "reference/tile.h"

#include "tensor/float_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- to whole numbers --- */

void oc__tile_own_numbers(oc_dtype dtype, size_t n, double *m)
{
    if (oc__float_format_of(dtype)->precision < 8) {
        oc__round_points(dtype, n, m, m);
    }
}

/* Monotone functions: the ball's ends bound the answers. out->r is 0 where all values
 * give the same number. */
#define TO_WHOLE(name, function)                                                       \
    OC__CLONES static void name(size_t n, const oc__tile *in, oc__tile *out)           \
    {                                                                                  \
        const double *restrict am = in->m, *restrict ar = in->r;                       \
        double *restrict m = out->m, *restrict r = out->r;                             \
        for (size_t i = 0; i < n; i++) {                                               \
            double at = function(am[i]);                                               \
            double down = at - function(am[i] - ar[i]);                                \
            double up = function(am[i] + ar[i]) - at;                                  \
            double hull = down > up ? down : up;                                       \
            m[i] = at;                                                                 \
            r[i] = ar[i] == 0 ? 0 : ar[i] <= DBL_MAX ? hull : (double)INFINITY;        \
        }                                                                              \
    }
TO_WHOLE(floor_loop, floor)
TO_WHOLE(ceil_loop, ceil)
TO_WHOLE(round_afz_loop, round)
TO_WHOLE(round_even_loop, rint)

static void to_whole(const oc__tile_env *env, size_t n, const oc__tile *in,
                     oc__tile *out, void (*loop)(size_t, const oc__tile *, oc__tile *))
{
    loop(n, in, out);
    oc__tile_own_numbers(env->dtype, n, out->m);
    memcpy(out->f, in->f, n);
    if (oc__any(in->r, n)) {
        for (size_t i = 0; i < n; i++) {
            out->f[i] |= out->r[i] > 0 ? OC__F_HULL : 0;
            out->f[i] |= out->m[i] == 0 && in->r[i] > 0 ? OC__F_ZERO_SIGN : 0;
        }
    }
    if (out->s) {
        memset(out->s, 0, n * sizeof *out->s);
    }
}

void oc__tile_floor(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out)
{
    to_whole(env, n, in, out, floor_loop);
}

void oc__tile_ceil(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    to_whole(env, n, in, out, ceil_loop);
}

void oc__tile_round_afz(const oc__tile_env *env, size_t n, const oc__tile *in,
                        oc__tile *out)
{
    to_whole(env, n, in, out, round_afz_loop);
}

void oc__tile_round_even(const oc__tile_env *env, size_t n, const oc__tile *in,
                         oc__tile *out)
{
    to_whole(env, n, in, out, round_even_loop);
}

/* --- remainder --- */

/* a - trunc(a / b) b for balls. With one quotient k for all values the result moves by
 * ra
 * + |k| rb; else it may be anything of a's sign that is smaller than b and not larger
 * than a. Neither NaN nor undecided operands; b's ball is not a zero alone. */
static void remainder_ball(oc__ball a, oc__ball b, oc__ball *out)
{
    double least = fabs(b.m) - b.r, most = fabs(b.m) + b.r;
    if (isinf(a.m)) {
        out->r = 0; // NaN whatever b is
    } else if (b.m == 0) {
        out->r = b.r > 0 ? (double)INFINITY : 0;
    } else if (isinf(b.m)) {
        out->r = a.r; // m is a itself
    } else if (!(least > 0)) {
        out->r = (double)INFINITY;
    } else {
        double low = fabs(a.m) - a.r, high = fabs(a.m) + a.r;
        // One part in 2^50 away from a whole number: the quotients' own rounding.
        double first = trunc((low < 0 ? low / least : low / most) * (1 - 0x1p-50));
        double last = trunc(high / least * (1 + 0x1p-50));
        if (low >= 0 && first == last && last < 0x1p50) {
            out->r = (a.r + last * b.r) * OC__INFLATE;
            return;
        }
        double reach = most < high ? most : high;
        out->r = reach + (low < 0 ? fabs(out->m) : 0);
        out->f |= OC__F_HULL;
    }
}

void oc__tile_remainder(const oc__tile_env *env, size_t n, const oc__tile *in,
                        oc__tile *out)
{
    oc__tile_flags(2, n, in, out->f);
    for (size_t i = 0; i < n; i++) {
        oc__ball a = oc__ball_at(&in[0], i), b = oc__ball_at(&in[1], i);
        // fmod is exact, and its result is a number of the operands' type.
        oc__ball x = {fmod(a.m, b.m), 0, out->f[i]};
        if (oc__ball_nan(a) || oc__ball_nan(b)) {
            x.m = (double)NAN;
        } else if (oc__ball_undecided(a) || oc__ball_undecided(b)) {
            x.r = (double)INFINITY;
        } else if (a.r > 0 || b.r > 0) {
            remainder_ball(a, b, &x);
        }
        bool known = x.r == 0 && oc__ball_signed(a);
        x.f |= x.m == 0 && !known ? OC__F_ZERO_SIGN : 0;
        out->m[i] = x.m;
        out->r[i] = x.r;
        out->f[i] = x.f;
    }
    oc__tile_own_numbers(env->dtype, n, out->m);
    if (out->s) {
        for (size_t i = 0; i < n; i++) {
            double k = trunc(in[0].m[i] / in[1].m[i]) * in[1].s[i];
            bool ball = out->r[i] > 0 && isfinite(k);
            out->s[i] = ball ? sqrt(in[0].s[i] * in[0].s[i] + k * k) : 0;
        }
    }
}
