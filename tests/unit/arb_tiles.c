#include "arb_tiles.h"

#include "reference/figures.h"
#include "reference/tile.h"

#include <float.h>

enum { DRAWS = 3, MAX_ARITY = 3, MAX_PRECISION = 5000 };

typedef struct trial {
    const subject *tried;
    const type *from, *of;
    oc__tile_env env;
    dice dice;
    tally tally;
    bool aliased;
    ball in[MAX_ARITY][OC__TILE];
} trial;

/* --- what a device may give --- */

typedef struct answers {
    double values[6];
    size_t count;
    double nearest; /* the real result rounded to nearest */
    double real;    /* as f64 has it */
} answers;

static void answer(answers *all, double value)
{
    all->values[all->count++] = value;
}

static double rounded_double(const type *of, double x, arf_rnd_t direction)
{
    arf_t real;
    arf_init(real);
    arf_set_d(real, x);
    double rounded = isfinite(x) && x != 0 ? round_real(of, real, direction) : x;
    arf_clear(real);
    bool lone_zero = of->dtype == OC_F8E4M3FNUZ && rounded == 0;
    return isinf(x) && !of->has_infinity ? (double)NAN : lone_zero ? 0 : rounded;
}

/* The numbers furthest from the real result that are within k ulp of it. Below the
 * normal numbers: its last rounding comes on top (numerics 8.1). */
static void answer_figure(const trial *t, const arb_t real, answers *all)
{
    const type *of = t->of;
    double y = arf_get_d(arb_midref(real), ARF_RND_NEAR);
    double k = t->env.figure_ulps < 0 ? 1 : t->env.figure_ulps;
    slong exponent = arf_abs_bound_lt_2exp_si(arb_midref(real)) - 1;
    exponent = t->tried->from_one && exponent < 0 ? 0 : exponent;
    bool normal = fabs(y) >= ldexp(1, of->min_exponent);
    for (int side = -1; side <= 1; side += 2) {
        arf_t end;
        arf_init(end);
        arf_set_d(end, side * k);
        arf_mul_2exp_si(end, end, exponent - of->precision + 1);
        arf_add(end, end, arb_midref(real), 4096, ARF_RND_DOWN);
        bool outward = arf_sgn(end) == side;
        double d = !normal ? round_real(of, end, ARF_RND_NEAR)
                           : round_real(of, end, outward ? ARF_RND_DOWN : ARF_RND_UP);
        // Past the largest number by half an ulp: infinite.
        double nearest = round_real(of, end, ARF_RND_NEAR);
        d = outward && !isfinite(nearest) ? nearest : d;
        bool open = t->tried->least == 0 && t->tried->most == 0;
        d = !open && d < t->tried->least ? t->tried->least : d;
        d = !open && d > t->tried->most ? t->tried->most : d;
        // Half an ulp to either side may hold no other number than the nearest.
        bool past_nearest = side * (d - all->nearest) > 0;
        answer(all, past_nearest || isnan(d) ? d : all->nearest);
        arf_clear(end);
    }
}

/* What the named deviations of the contract add. */
static void answer_deviations(const trial *t, const double *x, const arb_t real,
                              answers *all)
{
    const oc__arith *arith = t->env.arith;
    if (arith->rounding && isfinite(all->nearest)) {
        answer(all, round_real(t->of, arb_midref(real), ARF_RND_FLOOR));
        answer(all, round_real(t->of, arb_midref(real), ARF_RND_CEIL));
    }
    if (arith->excess && t->of->precision < 24) {
        answer(all, round_real(&types[F32], arb_midref(real), ARF_RND_NEAR));
    }
    if (arith->reciprocal && strcmp(t->tried->op, "stablehlo.divide") == 0) {
        // In the range of normal numbers only.
        double reciprocal = rounded_double(t->of, 1 / x[1], ARF_RND_NEAR);
        double product = rounded_double(t->of, x[0] * reciprocal, ARF_RND_NEAR);
        bool normal = fabs(reciprocal) >= ldexp(1, t->of->min_exponent);
        answer(all, normal && isfinite(reciprocal) ? product : all->nearest);
    }
}

/* Enclosed as tightly as rounding to the type needs; false where C's answer counts. */
static bool enclose(const trial *t, const double *x, arb_t real, double *nearest)
{
    for (size_t k = 0; k < t->tried->arity; k++) {
        if (!isfinite(x[k])) {
            return false;
        }
    }
    for (slong precision = 128; precision < MAX_PRECISION; precision *= 3) {
        if (!t->tried->real || !t->tried->real(real, x, precision)) {
            return false;
        }
        if (arb_is_zero(real)) {
            return false; // C knows its sign
        }
        if (round_enclosed(t->of, real, nearest)) {
            return true;
        }
    }
    fail_msg("%s of %a, %a is not settled", t->tried->op, x[0], x[1]);
    return false;
}

static answers device(const trial *t, const double *x)
{
    answers all = {0};
    arb_t real;
    arb_init(real);
    if (t->tried->contract == EXACT) {
        all.nearest = rounded_double(t->of, t->tried->c(x), ARF_RND_NEAR);
        answer(&all, all.nearest);
    } else if (!enclose(t, x, real, &all.nearest)) {
        all.nearest = rounded_double(t->of, t->tried->c(x), ARF_RND_NEAR);
        all.real = all.nearest;
        answer(&all, all.nearest);
    } else {
        answer(&all, all.nearest);
        all.real = arf_get_d(arb_midref(real), ARF_RND_NEAR);
        if (t->tried->contract == FIGURE) {
            answer_figure(t, real, &all);
        } else {
            answer_deviations(t, x, real, &all);
        }
    }
    arb_clear(real);
    return all;
}

/* --- elements --- */

static void show(const trial *t, const ball *in, const double *x, ball out, double got,
                 const char *why)
{
    char text[512] = "";
    size_t used = 0;
    for (size_t k = 0; k < t->tried->arity; k++) {
        int n =
            snprintf(text + used, sizeof text - used, "  %a of %a +- %a, flags %u\n",
                     x[k], in[k].m, in[k].r, in[k].f);
        used += n > 0 ? (size_t)n : 0;
    }
    fail_msg("%s %s to %s: %a %s\n  %a +- %a, flags %u%s\n%s", t->tried->op,
             t->from->name, t->of->name, got, why, out.m, out.r, out.f,
             t->aliased ? ", one operand twice" : "", text);
}

static void check_point(const trial *t, const ball *in, const double *x, ball out,
                        const answers *all)
{
    double m = out.m, want = all->nearest;
    // The reference works functions out in double: beside a tie it may miss the
    // nearest.
    double ulps = t->of->dtype == OC_F64 ? 1 : 0.5 + 0x1p-20;
    bool within = isfinite(m) && t->tried->contract == FIGURE &&
                  fabs(m - all->real) <= ulps * ulp_at(t->of, all->real);
    if (!(m == want || (isnan(m) && isnan(want)) || within)) {
        show(t, in, x, out, want, "is the correctly rounded value");
    }
    if (t->tried->contract != FIGURE && out.r != 0) {
        show(t, in, x, out, want, "is no point");
    }
}

static double flushed(trial *t, const type *of, double x)
{
    bool subnormal = fabs(x) < ldexp(1, of->min_exponent);
    bool may = t->env.arith->flush && of->min_exponent <= -126 && subnormal;
    return may && dice_one_in(&t->dice, 2) ? copysign(0.0, x) : x;
}

static void check(trial *t, size_t i, ball out)
{
    ball in[MAX_ARITY];
    double x[MAX_ARITY] = {0};
    bool point = true, decided = true;
    for (size_t k = 0; k < t->tried->arity; k++) {
        in[k] = t->in[t->aliased ? 0 : k][i];
        point = point && in[k].r == 0 && !(in[k].f & OC__F_ZERO_SIGN);
        decided = decided && in[k].r < (double)INFINITY;
    }
    t->tally.points += point;
    t->tally.balls += !point && decided;
    t->tally.undecided += !point && decided && !(out.r < (double)INFINITY);
    for (size_t draw = 0; draw < (point ? 1 : DRAWS); draw++) {
        for (size_t k = 0; k < t->tried->arity; k++) {
            bool again = t->aliased && k > 0;
            bool numbers = t->tried->contract == EXACT || t->tried->numbers;
            double inside = random_inside(&t->dice, t->from, in[k], numbers);
            x[k] = again ? x[0] : flushed(t, t->from, inside);
        }
        answers all = device(t, x);
        const oc__arith *arith = t->env.arith;
        bool plain =
            !arith->flush && !arith->rounding && !arith->excess && !arith->reciprocal;
        if (point && plain) {
            check_point(t, in, x, out, &all);
        }
        for (size_t k = 0; k < all.count; k++) {
            double got = flushed(t, t->of, all.values[k]);
            const char *why = ball_refuses(out, got);
            if (why) {
                show(t, in, x, out, got, why);
            }
        }
    }
}

/* --- tiles --- */

/* An operand that has to do with the one before it: cancellation, quotients near whole
 * numbers. */
static ball related_ball(trial *t, ball other)
{
    ball x = random_ball(&t->dice, t->from, t->tried->tame);
    double factor = (double)dice_below(&t->dice, 9) - 4;
    double m = rounded_double(t->from, other.m * factor, ARF_RND_DOWN);
    if (dice_one_in(&t->dice, 4) && fabs(m) + x.r < t->from->max_finite && m != 0) {
        x = (ball){.m = m, .r = x.r};
    }
    return x;
}

static void fill(trial *t, oc__tile *tiles, oc__tile_room *rooms)
{
    t->aliased = t->tried->arity > 1 && dice_one_in(&t->dice, 8);
    for (size_t k = 0; k < t->tried->arity; k++) {
        tiles[k] = oc__tile_in(&rooms[t->aliased ? 0 : k], false);
        for (size_t i = 0; i < OC__TILE; i++) {
            ball x = k == 0 ? random_ball(&t->dice, t->from, t->tried->tame)
                            : related_ball(t, t->in[k - 1][i]);
            x = t->aliased && k > 0 ? t->in[0][i] : x;
            t->in[k][i] = x;
            tiles[k].m[i] = x.m;
            tiles[k].r[i] = x.r;
            tiles[k].f[i] = x.f;
        }
    }
}

tally subject_try(const subject *tried, const type *of, const oc__arith *arith,
                  size_t cases, uint64_t seed)
{
    return subject_try_from(tried, of, of, arith, cases, seed);
}

tally subject_try_from(const subject *tried, const type *from, const type *of,
                       const oc__arith *arith, size_t cases, uint64_t seed)
{
    size_t arity = 0;
    oc__tile_fn fn = oc__tile_find(tried->op, &arity);
    assert_non_null(fn);
    assert_int_equal(arity, tried->arity);
    oc__hlo_op op = {.name = tried->op,
                     .attribute_count = tried->attribute_count,
                     .attributes = tried->attributes};
    trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    *t = (trial){.tried = tried, .from = from, .of = of, .dice = {.state = seed}};
    t->env = (oc__tile_env){
        .arith = arith,
        .op = &op,
        .dtype = of->dtype,
        .from = from->dtype,
        .uniform_divisor = arith->reciprocal,
        .figure_ulps = tried->contract == FIGURE
                           ? oc__figure_ulps(arith->platform, tried->op, of->dtype)
                           : -1,
    };
    static oc__tile_room rooms[MAX_ARITY + 1];
    for (size_t done = 0; done < cases; done += OC__TILE) {
        oc__tile in[MAX_ARITY], out = oc__tile_in(&rooms[MAX_ARITY], false);
        fill(t, in, rooms);
        oc__tile_apply(&t->env, fn, arity, OC__TILE, in, &out);
        for (size_t i = 0; i < OC__TILE; i++) {
            check(t, i, (ball){out.m[i], out.r[i], out.f[i]});
        }
    }
    tally all = t->tally;
    free(t);
    return all;
}
