/* Transcendental functions of balls: values and radii. The expected values are by
 * mpmath 1.3 at 60 digits, rounded to nearest even in the type; the radii by numerics'
 * formulas. */
#include "special_fixture.h"

static double unit(oc_dtype dtype)
{
    return dtype == OC_F64   ? 0x1p-53
           : dtype == OC_F32 ? 0x1p-24
           : dtype == OC_F16 ? 0x1p-11
                             : 0x1p-8;
}

/* --- values --- */

static const struct {
    const char *op;
    oc_dtype dtype;
    double x, y;
} values[] = {
    {"exponential", OC_F32, -0x1.5f999ap+6, 0x1.237328p-127},
    {"exponential", OC_F32, 0x1.666666p-1, 0x1.01c2a6p+1},
    {"exponential", OC_F64, -0x1.748cccccccccdp+9, 0x0.0000000000001p-1022},
    {"exponential", OC_F64, 0x1.4p+0, 0x1.bec38edb0fafp+1},
    {"exponential", OC_F16, 0x1.a68p+1, 0x1.b24p+4},
    {"exponential", OC_BF16, -0x1.4p+1, 0x1.5p-4},
    {"exponential_minus_one", OC_F32, 0x1.ad7f2ap-24, 0x1.ad7f2cp-24},
    {"exponential_minus_one", OC_F64, -0x1.b7cdfd9d7bdbbp-34, -0x1.b7cdfd9d1d693p-34},
    {"exponential_minus_one", OC_F64, 0x1.e8p+4, 0x1.0063f4e687aa2p+44},
    {"exponential_minus_one", OC_BF16, 0x1.8p-1, 0x1.1ep+0},
    {"log", OC_F32, 0x1.fffebp-1, -0x1.50006ep-17},
    {"log", OC_F64, 0x1.000000006df38p+0, 0x1.b7cdffffa18d8p-34},
    {"log", OC_F64, 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
    {"log", OC_F16, 0x1.ep+2, 0x1.02p+1},
    {"log_plus_one", OC_F32, 0x1.5798eep-27, 0x1.5798eep-27},
    {"log_plus_one", OC_F64, -0x1.a82136b16cf4fp-2, -0x1.11cbdaa6f412fp-1},
    {"log_plus_one", OC_F64, -0x1.fffffca501acbp-1, -0x1.01e3b8440ed2fp+4},
    {"log_plus_one", OC_BF16, 0x1.8p+1, 0x1.62p+0},
    {"logistic", OC_F32, -0x1.9p+6, 0x1.bp-145},
    {"logistic", OC_F64, -0x1.5e2p+9, 0x1.af5fe9a485c8ep-1011},
    {"logistic", OC_F64, 0x1.4p+1, 0x1.d9291ddb596f7p-1},
    {"logistic", OC_F16, -0x1.cp+1, 0x1.e04p-6},
    {"tanh", OC_F32, 0x1.0624dep-10, 0x1.0624d8p-10},
    {"tanh", OC_F32, 0x1.2p+3, 0x1.fffffep-1},
    {"tanh", OC_F64, 0x1.199999999999ap-1, 0x1.00442f6419203p-1},
    {"tanh", OC_BF16, -0x1.8p+0, -0x1.dp-1},
    {"sine", OC_F32, 0x1.0f0cfp+73, -0x1.77d988p-1},
    {"sine", OC_F32, 0x1.921fb6p+1, -0x1.777a5cp-24},
    {"sine", OC_F64, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
    {"sine", OC_F64, 0x1.7e43c8800759cp+996, -0x1.a2c16b010e385p-1},
    {"sine", OC_F16, 0x1.9p+6, -0x1.034p-1},
    {"cosine", OC_F32, 0x1.921fb6p+0, -0x1.777a5cp-25},
    {"cosine", OC_F64, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {"cosine", OC_F64, 0x1.0f0cf064dd592p+73, 0x1.0be2cef01c8f4p-1},
    {"cosine", OC_BF16, 0x1.8p+3, 0x1.bp-1},
    {"tan", OC_F32, 0x1.921fb6p+0, -0x1.5d1494p+24},
    {"tan", OC_F64, 0x1.921fb54442d18p+0, 0x1.d02967c31cdb5p+53},
    {"tan", OC_F64, 0x1.92p+6, -0x1.fb7dcab49130dp-6},
    {"rsqrt", OC_F32, 0x1.8p+1, 0x1.279a74p-1},
    {"rsqrt", OC_F32, 0x1.16c2p-133, 0x1.5af214p+66},
    {"rsqrt", OC_F64, 0x1.cp+2, 0x1.83091e6a7f7e7p-2},
    {"rsqrt", OC_F16, 0x1.334p-2, 0x1.d34p+0},
    {"cbrt", OC_F32, 0x1.b38fb8p-127, 0x1.e522b4p-43},
    {"cbrt", OC_F64, -0x1.b8p+4, -0x1.825b1b6bac03bp+1},
    {"cbrt", OC_F64, 0x0.012688b70e62bp-1022, 0x1.a9d1b0b5d7427p-344},
    {"cbrt", OC_BF16, 0x1.4p+3, 0x1.14p+1},
    {"erf", OC_F32, 0x1.333334p-2, 0x1.50838ap-2},
    {"erf", OC_F32, 0x1.cp+1, 0x1.ffffe8p-1},
    {"erf", OC_F64, 0x1.79ca10c924223p-67, 0x1.aa4a230244aep-67},
    {"erf", OC_F64, 0x1.2p+1, 0x1.ff404760319b4p-1},
    {"erfc", OC_F32, 0x1.1p+3, 0x1.caf846p-109},
    {"erfc", OC_F64, 0x1.ap+4, 0x1.284bfe1cdea24p-981},
    {"erfc", OC_F64, -0x1.8p+0, 0x1.f752aab89bd7p+0},
    {"erfc", OC_F64, 0x1.999999999999ap-4, 0x1.c66b42bb60999p-1},
    {"erf_inv", OC_F32, 0x1p-1, 0x1.e861fcp-2},
    {"erf_inv", OC_F32, 0x1.fffffep-1, 0x1.ea8f96p+1},
    {"erf_inv", OC_F64, 0x1.fffffffffffffp-1, 0x1.7744f8f74e94ap+2},
    {"erf_inv", OC_F64, -0x1.19799812dea11p-40, -0x1.f2e6c291f30e8p-41},
    {"erf_inv", OC_F64, 0x1.8p-1, 0x1.a07890f6b2ba1p-1},
    {"lgamma", OC_F32, 0x1.00068ep+0, -0x1.e43706p-15},
    {"lgamma", OC_F64, 0x1.0000000036f9cp+1, 0x1.73e2939b0ea08p-35},
    {"lgamma", OC_F64, -0x1.8p+0, 0x1.b858151820f86p-1},
    {"lgamma", OC_F64, 0x1.57p+7, 0x1.6292532a8beaap+9},
    {"lgamma", OC_F64, 0x1.56e1fc2f8f359p-997, 0x1.5963447f87fb5p+9},
    {"lgamma", OC_F16, 0x1.3p+3, 0x1.76p+3},
    {"digamma", OC_F32, 0x1.762d86p+0, -0x1.9d8e3cp-27},
    {"digamma", OC_F64, 0x1.762d86356be3fp+0, -0x1.aa2d9b3ce29ep-54},
    {"digamma", OC_F64, -0x1p-1, 0x1.2aed059bd608ap-5},
    {"digamma", OC_F64, -0x1.ep+1, -0x1.b1406111ded57p+0},
    {"digamma", OC_F64, 0x1.2a05f2p+33, 0x1.7069e2aa27361p+4},
    {"digamma", OC_F32, 0x1.4f8b58p-17, -0x1.86a094p+16},
    {"bessel_i1e", OC_F32, 0x1p+0, 0x1.a9ccfp-3},
    {"bessel_i1e", OC_F64, 0x1.de66666666666p+4, 0x1.270c77d778c38p-4},
    {"bessel_i1e", OC_F64, 0x1.e19999999999ap+4, 0x1.26179aa4b9041p-4},
    {"bessel_i1e", OC_F64, -0x1.7d784p+26, -0x1.4ea833b9308dbp-15},
    {"bessel_i1e", OC_F64, 0x1.4f8b588e368f1p-17, 0x1.4f8a7ca791d2ap-18},
    {"asin", OC_F32, 0x1.fff2e4p-1, 0x1.8e80cep+0},
    {"asin", OC_F64, 0x1.fffffffffffffp-1, 0x1.921fb50442d18p+0},
    {"asin", OC_F64, -0x1.12e0be826d695p-30, -0x1.12e0be826d695p-30},
    {"acos", OC_F32, 0x1.fff2e4p-1, 0x1.cf73aap-7},
    {"acos", OC_F64, 0x1.fffffffffffffp-1, 0x1p-26},
    {"acos", OC_F64, -0x1p-1, 0x1.0c152382d7366p+1},
    {"atan", OC_F32, 0x1.2a05f2p+33, 0x1.921fb6p+0},
    {"atan", OC_F64, 0x1.3333333333333p-2, 0x1.2a73a661eaf06p-2},
    {"asinh", OC_F32, 0x1.0624dep-10, 0x1.0624dcp-10},
    {"asinh", OC_F64, -0x1.2a05f2p+33, -0x1.7b810429a7c2ap+4},
    {"acosh", OC_F32, 0x1.00068ep+0, 0x1.cf71bp-7},
    {"acosh", OC_F64, 0x1.0000000000001p+0, 0x1.6a09e667f3bccp-26},
    {"acosh", OC_F64, 0x1.9p+5, 0x1.26b9783d0a89dp+2},
    {"atanh", OC_F32, 0x1p-1, 0x1.193ea8p-1},
    {"atanh", OC_F64, 0x1.fffffffffffffp-1, 0x1.2b708872320e2p+4},
    {"sinh", OC_F32, 0x1.0624dep-10, 0x1.0624ep-10},
    {"sinh", OC_F64, -0x1.44p+4, -0x1.290d76d1966a9p+28},
    {"sinh", OC_F64, 0x1.63p+9, 0x1.3e21a464507f9p+1023},
    {"cosh", OC_F32, 0x1p+1, 0x1.e18fap+1},
    {"cosh", OC_F64, 0x1.63p+9, 0x1.3e21a464507f9p+1023},
};

static void test_midpoints_are_correctly_rounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ball y = apply(values[i].op, values[i].dtype, values[i].x, 0);
        if (y.m != values[i].y) {
            fail_msg("%s of %a: %a, not %a", values[i].op, values[i].x, y.m,
                     values[i].y);
        }
    }
}

/* r = k ulp of the result and what m was rounded by: between k u |m| and 2 k u |m| + u
 * |m|, and half a unit of the smallest number below the normal ones. */
static void test_radii_of_points_are_the_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char op[64];
        snprintf(op, sizeof op, "chlo.%s", values[i].op);
        double k = oc__figure_ulps(NULL, op, values[i].dtype),
               u = unit(values[i].dtype);
        ball y = apply(values[i].op, values[i].dtype, values[i].x, 0);
        bool from_one = strstr(op, "gamma") != NULL;
        double counted = from_one ? fmax(1, fabs(y.m)) : fabs(y.m);
        double below = fabs(y.m) < 0x1p-1000                               ? 0x1p-1072
                       : fabs(y.m) < 0x1p-120 && values[i].dtype != OC_F64 ? 0x1p-148
                                                                           : 0;
        bool fits = y.r >= 2 * k * u * counted * (1 - 2 * u) &&
                    y.r <= (2 * k + 1.01) * u * counted + below;
        bool clamped = y.r <= 1 - fabs(y.m) + 2 * u && y.r <= 2;
        if (!(fits || clamped) || y.f != OC__F_TABLE) {
            fail_msg("%s of %a = %a: radius %a, flags %d", values[i].op, values[i].x,
                     y.m, y.r, y.f);
        }
    }
}

/* --- balls --- */

static const struct {
    const char *op;
    oc_dtype dtype;
    double x, r, lowest, highest; /* of the function on [x - r, x + r] */
} balls[] = {
    {"exponential", OC_F32, 0x1.8p+0, 0x1.47ae147ae147bp-7, 4.4370955190036646078,
     4.526730794314252185},
    {"exponential", OC_F32, 0x1.8p+0, 0x1.8p+1, 0.22313016014842982893,
     90.01713130052181355},
    {"log", OC_F32, 0x1p+1, 0x1p-2, 0.55961578793542268627, 0.81093021621632876396},
    {"log_plus_one", OC_F32, -0x1p-1, 0x1p-3, -0.98082925301172623686,
     -0.47000362924573555365},
    {"logistic", OC_F32, -0x1.8p+1, 0x1p-1, 0.029312230751356318865,
     0.075858180021243551193},
    {"tanh", OC_F32, 0x1p+0, 0x1p-2, 0.63514895238728731921, 0.84828363995751289761},
    {"tan", OC_F32, 0x1.4p+0, 0x1p-3, 2.0925712763721790044, 5.0419152564813633211},
    {"rsqrt", OC_F32, 0x1p+2, 0x1p-1, 0.47140452079103168293, 0.53452248382484876937},
    {"cbrt", OC_F32, 0x1p+3, 0x1p+0, 1.9129311827723891012, 2.0800838230519041145},
    {"erf", OC_F32, 0x1p-1, 0x1p-3, 0.40411690943482229832, 0.62324088218841797245},
    {"erfc", OC_F32, 0x1p+1, 0x1p-3, 0.0026540293594823415307,
     0.0080099423298800297035},
    {"erf_inv", OC_F32, 0x1p-1, 0x1p-2, 0.22531205501217810473, 0.81341984759761854169},
    {"lgamma", OC_F32, 0x1.4p+2, 0x1p-1, 2.4537365708424422205, 3.9578139676187162939},
    {"digamma", OC_F32, -0x1p-1, 0x1p-2, -2.8941202000429320748, 2.9141391202135278304},
    {"asin", OC_F32, 0x1p-1, 0x1p-2, 0.25268025514207865349, 0.84806207898148100805},
    {"acos", OC_F32, 0x1p-1, 0x1p-2, 0.72273424781341561118, 1.3181160716528179657},
    {"atan", OC_F32, 0x1p+0, 0x1p-1, 0.46364760900080611621, 0.98279372324732906799},
    {"asinh", OC_F32, 0x1p+1, 0x1p-1, 1.1947632172871093041, 1.6472311463710957106},
    {"acosh", OC_F32, 0x1p+1, 0x1p-1, 0.962423650119206895, 1.5667992369724110787},
    {"atanh", OC_F32, 0x1p-1, 0x1p-2, 0.2554128118829953416, 0.97295507452765665255},
    {"sinh", OC_F32, 0x1p+1, 0x1p-2, 2.7904143662776426551, 4.6911683058983306919},
    {"exponential_minus_one", OC_F32, -0x1p+0, 0x1p-2, -0.71349520313980989968,
     -0.52763344725898529286},
    {"cosh", OC_F32, 0x1p-2, 0x1p-1, 1.0, 1.2946832846768446878},
    {"lgamma", OC_F32, 0x1.8p+0, 0x1p-2, -0.1214862905358496081,
     -0.084401121020485555958},
    {"exponential", OC_F64, 0x1p+0, 0x1p-52, 2.7182818284590446318,
     2.7182818284590458389},
    {"sine", OC_F64, 0x1p-1, 0x1p-50, 0.47942553860420222082, 0.47942553860420377972},
};

static void test_balls_hold_all_values_and_little_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++) {
        ball y = apply(balls[i].op, balls[i].dtype, balls[i].x, balls[i].r);
        double reach = fmax(balls[i].highest - y.m, y.m - balls[i].lowest);
        double figures = 2000 * unit(balls[i].dtype) * fmax(1, fabs(y.m));
        if (!(y.r >= reach && y.r <= 3 * reach + figures)) {
            fail_msg("%s of %g +- %g: %.17g +- %g, but it reaches %g", balls[i].op,
                     balls[i].x, balls[i].r, y.m, y.r, reach);
        }
    }
}

static void test_balls_that_leave_the_domain_are_undecided(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        double x, r;
    } rows[] = {{"log", 1, 1},       {"log", 1, 2},         {"log_plus_one", 0, 1},
                {"rsqrt", 0.5, 0.5}, {"acosh", 1, 0.1},     {"asin", 1, 0.01},
                {"acos", -1, 0.01},  {"atanh", 0.9, 0.1},   {"erf_inv", 0.9, 0.2},
                {"tan", 1.5, 0.1},   {"lgamma", -1.1, 0.2}, {"digamma", 0.1, 0.2},
                {"tan", 1e6, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ball y = apply(rows[i].op, OC_F32, rows[i].x, rows[i].r);
        if (!isinf(y.r)) {
            fail_msg("%s of %g +- %g: radius %g", rows[i].op, rows[i].x, rows[i].r,
                     y.r);
        }
    }
    ball undecided = apply("tanh", OC_F32, 0.5, INFINITY);
    assert_true(isinf(undecided.r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_midpoints_are_correctly_rounded),
        cmocka_unit_test(test_radii_of_points_are_the_figures),
        cmocka_unit_test(test_balls_hold_all_values_and_little_more),
        cmocka_unit_test(test_balls_that_leave_the_domain_are_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
