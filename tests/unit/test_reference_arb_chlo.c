/* The functions of chlo on balls against Arb: 10^5 elements of each. */
#include "arb_tiles.h"

#include <arb_hypgeom.h>

enum { CASES = 100000 };

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
ONE(asin, fabs(x[0]) <= 1, arb_asin(y, y, precision))
ONE(acos, fabs(x[0]) <= 1, arb_acos(y, y, precision))
ONE(atan, true, arb_atan(y, y, precision))
ONE(sinh, !is_far(x[0]), arb_sinh(y, y, precision))
ONE(cosh, !is_far(x[0]), arb_cosh(y, y, precision))
ONE(asinh, true, arb_asinh(y, y, precision))
ONE(acosh, x[0] >= 1, arb_acosh(y, y, precision))
ONE(atanh, fabs(x[0]) < 1, arb_atanh(y, y, precision))
ONE(tan, true, arb_tan(y, y, precision))
ONE(erf, !is_far(x[0]), arb_hypgeom_erf(y, y, precision))
ONE(erfc, !is_far(x[0]), arb_hypgeom_erfc(y, y, precision))
ONE(erf_inv, fabs(x[0]) < 1, arb_hypgeom_erfinv(y, y, precision))

static bool at_pole(double x)
{
    return x <= 0 && x == floor(x);
}

/* log |gamma|, by reflection at negative numbers. */
static bool lgamma_real(arb_t y, const double *x, slong precision)
{
    arb_t sine, pi;
    if (at_pole(x[0])) {
        return false;
    }
    arb_set_d(y, x[0]);
    if (x[0] > 0) {
        arb_lgamma(y, y, precision);
        return arb_is_finite(y);
    }
    arb_init(sine);
    arb_init(pi);
    arb_sin_pi(sine, y, precision);
    arb_abs(sine, sine);
    arb_log(sine, sine, precision);
    arb_sub_ui(y, y, 1, 4096);
    arb_neg(y, y);
    arb_lgamma(y, y, precision);
    arb_add(y, y, sine, precision);
    arb_const_pi(pi, precision);
    arb_log(pi, pi, precision);
    arb_sub(y, pi, y, precision);
    arb_clear(pi);
    arb_clear(sine);
    return arb_is_finite(y);
}

static bool digamma_real(arb_t y, const double *x, slong precision)
{
    arb_set_d(y, x[0]);
    if (at_pole(x[0])) {
        return false;
    }
    arb_digamma(y, y, precision);
    return arb_is_finite(y);
}

static bool bessel_i1e_real(arb_t y, const double *x, slong precision)
{
    arb_t order;
    arb_init(order);
    arb_one(order);
    arb_set_d(y, fabs(x[0]));
    arb_hypgeom_bessel_i_scaled(y, order, y, precision);
    if (x[0] < 0) {
        arb_neg(y, y);
    }
    arb_clear(order);
    return x[0] != 0 && arb_is_finite(y);
}

/* The sum of (q + n)^-s from n = 0; the terms of negative q + n one by one. */
static bool zeta_real(arb_t y, const double *x, slong precision)
{
    double s = x[0];
    ulong below = x[1] < 0 ? (ulong)ceil(-x[1]) : 0;
    arb_t q, term, exponent;
    if (s <= 1 || at_pole(x[1]) || (x[1] < 0 && s != floor(s))) {
        return false;
    }
    arb_init(q);
    arb_init(term);
    arb_init(exponent);
    arb_set_d(exponent, s);
    arb_set_d(q, x[1]);
    arb_add_ui(q, q, below, 4096);
    arb_hurwitz_zeta(y, exponent, q, precision);
    arb_neg(exponent, exponent);
    for (ulong n = 0; n < below; n++) {
        arb_sub_ui(q, q, 1, 4096);
        arb_pow(term, q, exponent, precision);
        arb_add(y, y, term, precision);
    }
    arb_clear(exponent);
    arb_clear(term);
    arb_clear(q);
    return arb_is_finite(y);
}

/* (-1)^(n+1) n! zeta(n + 1, x); digamma for n = 0. */
static bool polygamma_real(arb_t y, const double *x, slong precision)
{
    const double at[2] = {x[0] + 1, x[1]};
    arb_t factorial;
    if (x[0] == 0) {
        return digamma_real(y, x + 1, precision);
    }
    // Orders beyond those of points come from balls, which are undecided.
    if (x[0] < 0 || x[0] > 512 || x[0] != floor(x[0]) || !zeta_real(y, at, precision)) {
        return false;
    }
    arb_init(factorial);
    arb_fac_ui(factorial, (ulong)x[0], precision);
    arb_mul(y, y, factorial, precision);
    if (fmod(x[0], 2) == 0) {
        arb_neg(y, y);
    }
    arb_clear(factorial);
    return arb_is_finite(y);
}

/* --- what they give at poles, NaN and infinities --- */

#define C(name, expression)                                                            \
    static double name##_c(const double *x)                                            \
    {                                                                                  \
        return expression;                                                             \
    }
C(asin, asin(x[0]))
C(acos, acos(x[0]))
C(atan, atan(x[0]))
C(sinh, sinh(x[0]))
C(cosh, cosh(x[0]))
C(asinh, asinh(x[0]))
C(acosh, acosh(x[0]))
C(atanh, atanh(x[0]))
C(tan, tan(x[0]))
C(erf, erf(x[0]))
C(erfc, erfc(x[0]))
C(erf_inv, fabs(x[0]) == 1 ? copysign((double)INFINITY, x[0])
           : x[0] == 0     ? x[0]
                           : (double)NAN)
C(lgamma, lgamma(x[0]))
C(digamma, x[0] > 0 ? x[0] : (double)NAN) /* chlo: NaN at the poles */
/* As chlo defines them. */
static double zeta_c(const double *x)
{
    bool even = fmod(x[0], 2) == 0;
    if (isnan(x[0]) || isnan(x[1]) || x[0] < 1) {
        return (double)NAN;
    }
    return x[0] == 1        ? (double)INFINITY
           : !at_pole(x[1]) ? (double)NAN
           : even           ? (double)INFINITY
                            : (double)NAN;
}

static double polygamma_c(const double *x)
{
    const double at[2] = {x[0] + 1, x[1]};
    bool whole = x[0] >= 1 && x[0] == floor(x[0]);
    double zeta = whole ? zeta_c(at) : (double)NAN;
    return fmod(x[0], 2) == 0 ? -zeta : zeta;
}

C(bessel_i1e, isnan(x[0]) ? x[0] : copysign(0.0, x[0]))

/* --- the tests --- */

static void try_types(const subject *tried, size_t cases)
{
    static const size_t share[TYPES] = {
        [F32] = 45, [F64] = 25, [BF16] = 15, [F16] = 15};
    tally sum = {0};
    for (size_t i = 0; i < TYPES; i++) {
        tally one = subject_try(tried, &types[i], &(oc__arith){0},
                                cases * share[i] / 100, 80 + i);
        sum.balls += one.balls;
        sum.undecided += one.undecided;
        sum.points += one.points;
    }
    printf("%s: %zu points, %zu balls, %zu undecided\n", tried->op, sum.points,
           sum.balls, sum.undecided);
    assert_true(sum.points > cases / 20 && sum.balls > cases / 4);
    assert_true(sum.undecided < sum.balls);
}

#define TEST(name, ...)                                                                \
    static void name##_holds(void **state)                                             \
    {                                                                                  \
        static const subject tried = {.op = "chlo." #name,                             \
                                      .arity = 1,                                      \
                                      .contract = FIGURE,                              \
                                      .real = name##_real,                             \
                                      .c = name##_c,                                   \
                                      __VA_ARGS__};                                    \
        (void)state;                                                                   \
        try_types(&tried, CASES);                                                      \
    }
TEST(asin, .tame = true)
TEST(acos, .tame = true)
TEST(atan, .tame = false)
TEST(sinh, .tame = false)
TEST(cosh, .least = 1, .most = (double)INFINITY)
TEST(asinh, .tame = false)
TEST(acosh, .least = 0, .most = (double)INFINITY)
TEST(atanh, .tame = true)
TEST(tan, .tame = false)
TEST(erf, .least = -1, .most = 1)
TEST(erfc, .least = 0, .most = 2)
TEST(erf_inv, .tame = true)
TEST(lgamma, .from_one = true)
TEST(digamma, .from_one = true)
TEST(bessel_i1e, .tame = false)

/* No figure is documented; Arb is slow here, so fewer elements. */
#define TEST2(name)                                                                    \
    static void name##_holds(void **state)                                             \
    {                                                                                  \
        static const subject tried = {.op = "chlo." #name,                             \
                                      .arity = 2,                                      \
                                      .contract = FIGURE,                              \
                                      .real = name##_real,                             \
                                      .c = name##_c,                                   \
                                      .tame = true,                                    \
                                      .numbers = true};                                \
        (void)state;                                                                   \
        try_types(&tried, CASES / 10);                                                 \
    }
TEST2(zeta)
TEST2(polygamma)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asin_holds),       cmocka_unit_test(acos_holds),
        cmocka_unit_test(atan_holds),       cmocka_unit_test(sinh_holds),
        cmocka_unit_test(cosh_holds),       cmocka_unit_test(asinh_holds),
        cmocka_unit_test(acosh_holds),      cmocka_unit_test(atanh_holds),
        cmocka_unit_test(tan_holds),        cmocka_unit_test(erf_holds),
        cmocka_unit_test(erfc_holds),       cmocka_unit_test(erf_inv_holds),
        cmocka_unit_test(lgamma_holds),     cmocka_unit_test(digamma_holds),
        cmocka_unit_test(bessel_i1e_holds), cmocka_unit_test(zeta_holds),
        cmocka_unit_test(polygamma_holds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
