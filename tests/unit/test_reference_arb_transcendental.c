/* The transcendental operations of StableHLO on balls against Arb: 10^5 elements of
 * each; what a device within the documented figure may give must lie in the result. */
#include "arb_tiles.h"

enum { CASES = 100000 };

/* Beyond this Arb's answers are no numbers of any use, and C's are infinite or settled.
 */
static bool is_far(double x)
{
    return fabs(x) > 0x1p20;
}

#define ONE(name, domain, statement)                                                   \
    static bool name##_real(arb_t y, const double *x, slong precision)                 \
    {                                                                                  \
        if (!(domain)) {                                                               \
            return false;                                                              \
        }                                                                              \
        arb_set_d(y, x[0]);                                                            \
        statement;                                                                     \
        return arb_is_finite(y);                                                       \
    }
ONE(exponential, !is_far(x[0]), arb_exp(y, y, precision))
ONE(exponential_minus_one, !is_far(x[0]), arb_expm1(y, y, precision))
ONE(log, x[0] > 0, arb_log(y, y, precision))
ONE(log_plus_one, x[0] > -1, arb_log1p(y, y, precision))
ONE(tanh, !is_far(x[0]), arb_tanh(y, y, precision))
ONE(sine, true, arb_sin(y, y, precision))
ONE(cosine, true, arb_cos(y, y, precision))
ONE(tan, true, arb_tan(y, y, precision))
ONE(rsqrt, x[0] > 0, arb_rsqrt(y, y, precision))

static bool logistic_real(arb_t y, const double *x, slong precision)
{
    arb_set_d(y, -x[0]);
    arb_exp(y, y, precision);
    arb_add_ui(y, y, 1, precision);
    arb_inv(y, y, precision);
    return !is_far(x[0]) && arb_is_finite(y);
}

static bool cbrt_real(arb_t y, const double *x, slong precision)
{
    arb_set_d(y, fabs(x[0]));
    arb_root_ui(y, y, 3, precision);
    if (x[0] < 0) {
        arb_neg(y, y);
    }
    return arb_is_finite(y);
}

static bool atan2_real(arb_t y, const double *x, slong precision)
{
    arb_t abscissa;
    arb_init(abscissa);
    arb_set_d(y, x[0]);
    arb_set_d(abscissa, x[1]);
    arb_atan2(y, y, abscissa, precision);
    arb_clear(abscissa);
    // C tells the signs of zeros apart.
    return x[0] != 0 && arb_is_finite(y);
}

static bool power_real(arb_t y, const double *x, slong precision)
{
    arb_t exponent;
    bool whole = x[1] == floor(x[1]);
    if (x[0] == 0 || x[1] == 0 || (x[0] < 0 && !whole) || is_far(x[1])) {
        return false;
    }
    if (fabs(x[1] * log2(fabs(x[0]))) > 0x1p12) {
        return false; // far outside of every type
    }
    arb_init(exponent);
    arb_set_d(y, fabs(x[0]));
    double power = x[1];
    // A root that is exact, or the result would never be known to be a tie.
    while (power != floor(power) &&
           arf_sqrt(arb_midref(exponent), arb_midref(y), 200, ARF_RND_DOWN) == 0) {
        arb_swap(exponent, y);
        power *= 2;
    }
    arb_set_d(exponent, power);
    arb_pow(y, y, exponent, precision);
    if (x[0] < 0 && fmod(x[1], 2) != 0) {
        arb_neg(y, y);
    }
    arb_clear(exponent);
    return arb_is_finite(y);
}

#define C(name, expression)                                                            \
    static double name##_c(const double *x)                                            \
    {                                                                                  \
        return expression;                                                             \
    }
C(exponential, exp(x[0]))
C(exponential_minus_one, expm1(x[0]))
C(log, log(x[0]))
C(log_plus_one, log1p(x[0]))
C(logistic, x[0] < 0 ? exp(x[0]) / (1 + exp(x[0])) : 1 / (1 + exp(-x[0])))
C(tanh, tanh(x[0]))
C(sine, sin(x[0]))
C(cosine, cos(x[0]))
C(tan, tan(x[0]))
C(rsqrt, 1 / sqrt(x[0]))
C(cbrt, cbrt(x[0]))
C(atan2, atan2(x[0], x[1]))
C(power, pow(x[0], x[1]))

static void try_types(const subject *tried)
{
    static const size_t share[TYPES] = {
        [F32] = 40,   [F64] = 20,     [BF16] = 15,      [F16] = 15,
        [F8E5M2] = 4, [F8E4M3FN] = 2, [F8E4M3FNUZ] = 2, [F8E3M4] = 2};
    tally sum = {0};
    for (size_t i = 0; i < TYPES; i++) {
        tally one = subject_try(tried, &types[i], &(oc__arith){0},
                                CASES * share[i] / 100, 40 + i);
        sum.balls += one.balls;
        sum.undecided += one.undecided;
        sum.points += one.points;
    }
    printf("%s: %zu points, %zu balls, %zu undecided\n", tried->op, sum.points,
           sum.balls, sum.undecided);
    assert_true(sum.points > CASES / 20 && sum.balls > CASES / 4);
    // A power of a negative number is rarely known to be one.
    assert_true(3 * sum.undecided < 2 * sum.balls);
}

#define TEST(name, operands, ...)                                                      \
    static void name##_holds(void **state)                                             \
    {                                                                                  \
        static const subject tried = {.op = "stablehlo." #name,                        \
                                      .arity = operands,                               \
                                      .contract = FIGURE,                              \
                                      .real = name##_real,                             \
                                      .c = name##_c,                                   \
                                      __VA_ARGS__};                                    \
        (void)state;                                                                   \
        try_types(&tried);                                                             \
    }
TEST(exponential, 1, .least = 0, .most = (double)INFINITY)
TEST(exponential_minus_one, 1, .least = -1, .most = (double)INFINITY)
TEST(log, 1, .numbers = false)
TEST(log_plus_one, 1, .numbers = false)
TEST(logistic, 1, .least = 0, .most = 1)
TEST(tanh, 1, .least = -1, .most = 1)
TEST(sine, 1, .least = -1, .most = 1)
TEST(cosine, 1, .least = -1, .most = 1)
TEST(tan, 1, .numbers = false)
TEST(rsqrt, 1, .numbers = false)
TEST(cbrt, 1, .numbers = false)
TEST(atan2, 2, .numbers = false)
TEST(power, 2, .numbers = false)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_holds),
        cmocka_unit_test(exponential_minus_one_holds),
        cmocka_unit_test(log_holds),
        cmocka_unit_test(log_plus_one_holds),
        cmocka_unit_test(logistic_holds),
        cmocka_unit_test(tanh_holds),
        cmocka_unit_test(sine_holds),
        cmocka_unit_test(cosine_holds),
        cmocka_unit_test(tan_holds),
        cmocka_unit_test(rsqrt_holds),
        cmocka_unit_test(cbrt_holds),
        cmocka_unit_test(atan2_holds),
        cmocka_unit_test(power_holds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
