/* The operations of IEEE 754 on balls against Arb: 10^5 elements of each, points, balls
 * and corner cases of eight types, operands that are one value among them. */
#include "arb_tiles.h"

#include "reference/tile.h"

#include <float.h>

enum { CASES = 100000 };

/* --- real results --- */

#define TWO(name, function)                                                            \
    static bool name##_real(arb_t out, const double *x, slong precision)               \
    {                                                                                  \
        arb_t y;                                                                       \
        arb_init(y);                                                                   \
        arb_set_d(out, x[0]);                                                          \
        arb_set_d(y, x[1]);                                                            \
        function(out, out, y, precision);                                              \
        arb_clear(y);                                                                  \
        return arb_is_finite(out);                                                     \
    }
TWO(add, arb_add)
TWO(subtract, arb_sub)
TWO(multiply, arb_mul)
TWO(divide, arb_div)

static bool sqrt_real(arb_t out, const double *x, slong precision)
{
    arb_set_d(out, x[0]);
    arb_sqrt(out, out, precision);
    return arb_is_finite(out);
}

/* --- C's, for the rest --- */

#define C(name, expression)                                                            \
    static double name##_c(const double *x)                                            \
    {                                                                                  \
        return expression;                                                             \
    }
C(add, x[0] + x[1])
C(subtract, x[0] - x[1])
C(multiply, x[0] * x[1])
C(divide, x[0] / x[1])
C(sqrt, sqrt(x[0]))
C(remainder, fmod(x[0], x[1]))
C(abs, fabs(x[0]))
C(negate, -x[0])
C(sign, x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0])
C(floor, floor(x[0]))
C(ceil, ceil(x[0]))
C(round_afz, round(x[0]))
C(round_even, rint(x[0]))

/* IEEE 754-2019 maximum and minimum: NaN stays, +0 is larger than -0. */
static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return (double)NAN;
    }
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static double smaller(double a, double b)
{
    return -larger(-a, -b);
}

C(maximum, larger(x[0], x[1]))
C(minimum, smaller(x[0], x[1]))
C(clamp, smaller(larger(x[1], x[0]), x[2]))

/* --- the tests --- */

/* Elements of each type in proportion; at least half of the balls must be decided. */
static void try_types(const subject *tried, const oc__arith *arith, size_t cases)
{
    static const size_t share[TYPES] = {
        [F32] = 30,   [F64] = 20,     [BF16] = 12,      [F16] = 14,
        [F8E5M2] = 6, [F8E4M3FN] = 6, [F8E4M3FNUZ] = 6, [F8E3M4] = 6};
    tally sum = {0};
    for (size_t i = 0; i < TYPES; i++) {
        tally one = subject_try(tried, &types[i], arith, cases * share[i] / 100, 4 + i);
        sum.balls += one.balls;
        sum.undecided += one.undecided;
        sum.points += one.points;
    }
    assert_true(sum.points > cases / 20 && sum.balls > cases / 4);
    assert_true(2 * sum.undecided < sum.balls);
}

#define TEST(name, operation, operands, kind, real_of, ...)                            \
    static const subject name##_subject = {.op = "stablehlo." operation,               \
                                           .arity = operands,                          \
                                           .contract = kind,                           \
                                           .real = real_of,                            \
                                           .c = name##_c,                              \
                                           __VA_ARGS__};                               \
    static void name##_holds(void **state)                                             \
    {                                                                                  \
        (void)state;                                                                   \
        try_types(&name##_subject, &(oc__arith){0}, CASES);                            \
    }
/* Below the normal numbers a sum of two numbers is exact; of unrounded ones it is not.
 */
TEST(add, "add", 2, ROUNDED, add_real, .numbers = true)
TEST(subtract, "subtract", 2, ROUNDED, subtract_real, .numbers = true)
TEST(multiply, "multiply", 2, ROUNDED, multiply_real, .numbers = false)
TEST(divide, "divide", 2, ROUNDED, divide_real, .numbers = false)
TEST(sqrt, "sqrt", 1, ROUNDED, sqrt_real, .numbers = false)
TEST(remainder, "remainder", 2, EXACT, NULL, .numbers = false)
TEST(maximum, "maximum", 2, EXACT, NULL, .numbers = false)
TEST(minimum, "minimum", 2, EXACT, NULL, .numbers = false)
TEST(clamp, "clamp", 3, EXACT, NULL, .numbers = false)
TEST(abs, "abs", 1, EXACT, NULL, .numbers = false)
TEST(negate, "negate", 1, EXACT, NULL, .numbers = false)
TEST(sign, "sign", 1, EXACT, NULL, .numbers = false)
TEST(floor, "floor", 1, EXACT, NULL, .numbers = false)
TEST(ceil, "ceil", 1, EXACT, NULL, .numbers = false)
TEST(round_afz, "round_nearest_afz", 1, EXACT, NULL, .numbers = false)
TEST(round_even, "round_nearest_even", 1, EXACT, NULL, .numbers = false)

static const subject *const all_subjects[] = {
    &add_subject,  &subtract_subject,  &multiply_subject,   &divide_subject,
    &sqrt_subject, &maximum_subject,   &minimum_subject,    &clamp_subject,
    &abs_subject,  &negate_subject,    &sign_subject,       &floor_subject,
    &ceil_subject, &round_afz_subject, &round_even_subject, &remainder_subject};

/* A named deviation, on all operations. */
static void try_deviation(const oc__arith *arith)
{
    for (size_t i = 0; i < sizeof all_subjects / sizeof *all_subjects; i++) {
        for (size_t of = 0; of <= F16; of++) {
            (void)subject_try(all_subjects[i], &types[of], arith, CASES / 12, i);
        }
    }
}

/* A device that flushes subnormal operands and results, or some of them. */
static void flushing_holds(void **state)
{
    (void)state;
    try_deviation(&(oc__arith){.flush = true});
}

/* x / c as x * (1 / c). */
static void reciprocals_hold(void **state)
{
    (void)state;
    try_deviation(&(oc__arith){.reciprocal = true});
}

/* Results that are rounded to either side. */
static void extra_roundings_hold(void **state)
{
    (void)state;
    try_deviation(&(oc__arith){.rounding = true});
}

/* Narrow results that stay in f32. */
static void excess_precision_holds(void **state)
{
    (void)state;
    try_deviation(&(oc__arith){.excess = true});
}

/* --- a product that goes unrounded into an addition --- */

typedef struct fused {
    oc__tile a, b, c, p, sum;
} fused;

static ball ball_of(const oc__tile *tile, size_t i)
{
    return (ball){tile->m[i], tile->r[i], tile->f[i]};
}

/* Rounded once, and product and sum each on their own. */
static void check_fused(const type *of, dice *from, const fused *t, size_t i,
                        bool subtracts)
{
    arf_t product, sum, addend;
    double x = random_inside(from, of, ball_of(&t->a, i), true);
    double y = random_inside(from, of, ball_of(&t->b, i), true);
    double z = random_inside(from, of, ball_of(&t->c, i), true);
    z = subtracts ? -z : z;
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) {
        return;
    }
    arf_init(product);
    arf_init(sum);
    arf_init(addend);
    arf_set_d(product, x);
    arf_set_d(addend, y);
    arf_mul(product, product, addend, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_d(addend, z);
    arf_add(sum, product, addend, ARF_PREC_EXACT, ARF_RND_DOWN);
    double rounded = round_real(of, product, ARF_RND_NEAR);
    double once = round_real(of, sum, ARF_RND_NEAR), got[2] = {once, once};
    if (isfinite(rounded)) {
        arf_set_d(product, rounded);
        arf_add(sum, product, addend, ARF_PREC_EXACT, ARF_RND_DOWN);
        got[1] = round_real(of, sum, ARF_RND_NEAR);
    }
    for (size_t k = 0; isfinite(rounded) && k < 2; k++) {
        ball out = ball_of(&t->sum, i);
        const char *why = got[k] == 0 ? NULL : ball_refuses(out, got[k]);
        if (why) {
            fail_msg("%s: %a * %a + %a, %s, is %a and %s: %a +- %a; product %a +- %a",
                     of->name, x, y, z, k == 0 ? "fused" : "rounded twice", got[k], why,
                     out.m, out.r, t->p.m[i], t->p.r[i]);
        }
    }
    arf_clear(addend);
    arf_clear(sum);
    arf_clear(product);
}

static void try_fused(const type *of, size_t cases, uint64_t seed, bool subtracts)
{
    static oc__tile_room rooms[5];
    dice from = {.state = seed};
    oc__arith arith = {0};
    oc__hlo_op op = {0};
    size_t arity;
    oc__tile_env env = {
        .arith = &arith, .op = &op, .dtype = of->dtype, .from = of->dtype};
    fused t = {oc__tile_in(&rooms[0], false), oc__tile_in(&rooms[1], false),
               oc__tile_in(&rooms[2], false), oc__tile_in(&rooms[3], false),
               oc__tile_in(&rooms[4], false)};
    oc__tile *const inputs[3] = {&t.a, &t.b, &t.c};
    for (size_t done = 0; done < cases; done += OC__TILE) {
        for (size_t k = 0; k < (size_t)3 * OC__TILE; k++) {
            size_t i = k % OC__TILE;
            ball x = random_ball(&from, of, dice_one_in(&from, 2));
            x.r = dice_one_in(&from, 2) ? 0 : x.r;
            // Products far below 1, of few bits, whose sums are ties.
            if (dice_one_in(&from, 3)) {
                int least = of->min_exponent - of->precision;
                int exponent = k / OC__TILE == 2 ? least + 1 : least / 2;
                x = (ball){.m = ldexp((double)dice_below(&from, 8) - 4, exponent)};
            }
            inputs[k / OC__TILE]->m[i] = x.m;
            inputs[k / OC__TILE]->r[i] = x.r;
            inputs[k / OC__TILE]->f[i] = x.f;
        }
        oc__tile factors[2] = {t.a, t.b}, terms[2] = {t.p, t.c};
        env.contractible = true;
        oc__tile_find("stablehlo.multiply", &arity)(&env, OC__TILE, factors, &t.p);
        env.contractible = false;
        const char *name = subtracts ? "stablehlo.subtract" : "stablehlo.add";
        oc__tile_find(name, &arity)(&env, OC__TILE, terms, &t.sum);
        for (size_t i = 0; i < OC__TILE; i++) {
            check_fused(of, &from, &t, i, subtracts);
        }
    }
}

static void fused_products_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < F8E4M3FN; i++) {
        try_fused(&types[i], CASES / 5, 7 + i, false);
        try_fused(&types[i], CASES / 5, 70 + i, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_holds),
        cmocka_unit_test(subtract_holds),
        cmocka_unit_test(multiply_holds),
        cmocka_unit_test(divide_holds),
        cmocka_unit_test(sqrt_holds),
        cmocka_unit_test(remainder_holds),
        cmocka_unit_test(maximum_holds),
        cmocka_unit_test(minimum_holds),
        cmocka_unit_test(clamp_holds),
        cmocka_unit_test(abs_holds),
        cmocka_unit_test(negate_holds),
        cmocka_unit_test(sign_holds),
        cmocka_unit_test(floor_holds),
        cmocka_unit_test(ceil_holds),
        cmocka_unit_test(round_afz_holds),
        cmocka_unit_test(round_even_holds),
        cmocka_unit_test(flushing_holds),
        cmocka_unit_test(reciprocals_hold),
        cmocka_unit_test(extra_roundings_hold),
        cmocka_unit_test(excess_precision_holds),
        cmocka_unit_test(fused_products_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
