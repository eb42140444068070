/* Operations that pick or change a sign: no rounding. */
#include "reference/tile.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- maximum, minimum --- */

/* Of two equal numbers: +0 when one of two zeros is (upper), -0 when one is (lower);
 * the bits of others are the same. */
static inline double merge_equal(bool upper, double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = upper ? x & y : x | y;
    double merged;
    memcpy(&merged, &x, sizeof merged);
    return merged;
}

/* IEEE 754's maximum (upper) or minimum. |max(a', b') - max(a, b)| <= max(ra, rb);
 * where one ball lies wholly beyond the other it is the result. The comparisons of ends
 * hold although the ends are rounded, since the values are doubles and rounding is
 * monotone. Returns whether elements are to be looked at. */
static inline __attribute__((always_inline)) bool
extremum(bool upper, size_t n, const oc__tile *in, oc__tile *out)
{
    const double *restrict am = in[0].m, *restrict bm = in[1].m;
    const double *restrict ar = in[0].r, *restrict br = in[1].r;
    double *restrict m = out->m, *restrict r = out->r;
    uint64_t special = 0;
    for (size_t i = 0; i < n; i++) {
        double a = am[i], b = bm[i];
        double same = a == b ? merge_equal(upper, a, b) : a + b; // a + b: NaN
        double high = a > b ? a : b, low = a > b ? b : a;
        double apart = upper ? high : low;
        m[i] = a < b || a > b ? apart : same;
        bool a_surely = upper ? a - ar[i] >= b + br[i] : a + ar[i] <= b - br[i];
        bool b_surely = upper ? b - br[i] >= a + ar[i] : b + br[i] <= a - ar[i];
        double wider = ar[i] > br[i] ? ar[i] : br[i];
        double one = b_surely ? br[i] : wider;
        r[i] = a_surely ? ar[i] : one;
        special |= ar[i] + br[i] <= DBL_MAX ? 0 : 1;
        special |= m[i] == 0 || m[i] != m[i] ? 1 : 0;
    }
    return special != 0;
}

OC__CLONES static bool maximum_loop(size_t n, const oc__tile *in, oc__tile *out)
{
    return extremum(true, n, in, out);
}

OC__CLONES static bool minimum_loop(size_t n, const oc__tile *in, oc__tile *out)
{
    return extremum(false, n, in, out);
}

/* Whether the sign of a zero that was picked surely is what m says. */
static bool zero_known(bool upper, oc__ball a, oc__ball b)
{
    if (a.m != 0 || b.m != 0) {
        // The other ball may end at a zero, which is picked only if it has this sign.
        oc__ball zero = a.m == 0 ? a : b, other = a.m == 0 ? b : a;
        bool wins = !oc__ball_has_zero(other) || !signbit(zero.m) == upper;
        return oc__ball_signed(zero) && wins;
    }
    bool a_known = oc__ball_signed(a), b_known = oc__ball_signed(b);
    return (a_known && b_known) || (a_known && !signbit(a.m) == upper) ||
           (b_known && !signbit(b.m) == upper);
}

static void look(bool upper, size_t n, const oc__tile *in, oc__tile *out)
{
    for (size_t i = 0; i < n; i++) {
        oc__ball a = oc__ball_at(&in[0], i), b = oc__ball_at(&in[1], i);
        if (oc__ball_nan(a) || oc__ball_nan(b)) {
            out->m[i] = (double)NAN;
            out->r[i] = 0;
        } else if (oc__ball_undecided(a) || oc__ball_undecided(b)) {
            out->r[i] = (double)INFINITY;
        }
        if (out->m[i] == 0 && (out->r[i] > 0 || !zero_known(upper, a, b))) {
            out->f[i] |= OC__F_ZERO_SIGN;
        }
    }
}

static void pick_sigma(bool upper, size_t n, const oc__tile *in, oc__tile *out)
{
    for (size_t i = 0; i < n; i++) {
        double apart = in[0].m[i] - in[1].m[i];
        bool decided = fabs(apart) >= in[0].r[i] + in[1].r[i];
        double picked = (apart > 0) == upper ? in[0].s[i] : in[1].s[i];
        out->s[i] = decided ? picked : fmax(in[0].s[i], in[1].s[i]);
    }
}

static void run(bool upper, size_t n, const oc__tile *in, oc__tile *out)
{
    bool special = upper ? maximum_loop(n, in, out) : minimum_loop(n, in, out);
    oc__tile_flags(2, n, in, out->f);
    if (special) {
        look(upper, n, in, out);
    }
    if (out->s) {
        pick_sigma(upper, n, in, out);
    }
}

void oc__tile_maximum(const oc__tile_env *env, size_t n, const oc__tile *in,
                      oc__tile *out)
{
    (void)env;
    run(true, n, in, out);
}

void oc__tile_minimum(const oc__tile_env *env, size_t n, const oc__tile *in,
                      oc__tile *out)
{
    (void)env;
    run(false, n, in, out);
}

/* minimum(maximum(operand, min), max): with min > max the upper bound wins. */
void oc__tile_clamp(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out)
{
    (void)env;
    oc__tile_room room;
    oc__tile raised = oc__tile_in(&room, out->s != NULL);
    const oc__tile lower[2] = {in[1], in[0]};
    run(true, n, lower, &raised);
    const oc__tile upper[2] = {raised, in[2]};
    run(false, n, upper, out);
}

/* --- abs, negate, sign --- */

static void copy_radii(size_t n, const oc__tile *in, oc__tile *out)
{
    memcpy(out->r, in->r, n * sizeof *out->r);
    if (out->s) {
        memcpy(out->s, in->s, n * sizeof *out->s);
    }
}

/* Of a zero only +0 can come, so its sign is known. */
void oc__tile_abs(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    (void)env;
    for (size_t i = 0; i < n; i++) {
        out->m[i] = fabs(in->m[i]);
    }
    oc__tile_flags(1, n, in, out->f);
    copy_radii(n, in, out);
}

void oc__tile_negate(const oc__tile_env *env, size_t n, const oc__tile *in,
                     oc__tile *out)
{
    for (size_t i = 0; i < n; i++) {
        out->m[i] = -in->m[i];
    }
    oc__tile_own_numbers(env->dtype, n, out->m);
    memcpy(out->f, in->f, n);
    copy_radii(n, in, out);
}

/* A ball that holds numbers of either sign, or zero, gives the hull of the answers. */
void oc__tile_sign(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    (void)env;
    memcpy(out->f, in->f, n);
    for (size_t i = 0; i < n; i++) {
        oc__ball x = oc__ball_at(in, i);
        bool decided = oc__ball_undecided(x) || x.r == 0 || !oc__ball_has_zero(x);
        out->m[i] = x.m > 0 ? 1 : x.m < 0 ? -1 : x.m;
        out->r[i] = oc__ball_undecided(x) ? (double)INFINITY : 0;
        if (!decided) {
            out->r[i] = 1 + fabs(out->m[i]);
            out->f[i] |= OC__F_HULL | (out->m[i] == 0 ? OC__F_ZERO_SIGN : 0);
        }
    }
    if (out->s) {
        memset(out->s, 0, n * sizeof *out->s);
    }
}
