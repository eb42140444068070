/* Transcendental functions of balls: special values, contracts, two arguments. The
 * expected values are by mpmath 1.3 at 60 digits, rounded to nearest even in the type;
 * the radii by numerics' formulas. */
#include "special_fixture.h"

/* --- special values --- */

/* From the functions' definitions, C's Annex F, and chlo for the poles of digamma. */
static void test_special_values_are_points(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        double x, y;
    } rows[] = {
        {"exponential", -INFINITY, 0},
        {"exponential", 89, INFINITY},
        {"exponential", -200, 0},
        {"exponential", -2000, 0},
        {"exponential", INFINITY, INFINITY},
        {"exponential_minus_one", 0, 0},
        {"exponential_minus_one", 100, INFINITY},
        {"log", 0, -INFINITY},
        {"log", -0.0, -INFINITY},
        {"log", 1, 0},
        {"log", -1, NAN},
        {"log", INFINITY, INFINITY},
        {"log_plus_one", -1, -INFINITY},
        {"log_plus_one", -2, NAN},
        {"rsqrt", 0, INFINITY},
        {"rsqrt", -0.0, -INFINITY},
        {"rsqrt", INFINITY, 0},
        {"rsqrt", -1, NAN},
        {"sine", INFINITY, NAN},
        {"cosine", NAN, NAN},
        {"tanh", 0, 0},
        {"atanh", 1, INFINITY},
        {"atanh", 2, NAN},
        {"acosh", 1, 0},
        {"acosh", 0, NAN},
        {"erf_inv", 1, INFINITY},
        {"erf_inv", -1, -INFINITY},
        {"erf_inv", 1.5, NAN},
        {"lgamma", -3, INFINITY},
        {"lgamma", 1, 0},
        {"lgamma", 2, 0},
        {"lgamma", -INFINITY, INFINITY},
        {"digamma", 0, NAN},
        {"digamma", -4, NAN},
        {"digamma", INFINITY, INFINITY},
        {"bessel_i1e", 0, 0},
        {"bessel_i1e", INFINITY, 0},
        {"cosh", -100, INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ball y = apply(rows[i].op, OC_F32, rows[i].x, 0);
        bool same = isnan(rows[i].y) ? isnan(y.m) : y.m == rows[i].y;
        if (!same || y.r != 0) {
            fail_msg("%s of %g: %g +- %g", rows[i].op, rows[i].x, y.m, y.r);
        }
    }
}

static void test_zeros_of_unknown_sign(void **state)
{
    (void)state;
    ball zero = {.f = OC__F_ZERO_SIGN};
    assert_true(isinf(apply_as(&text, "rsqrt", OC_F32, zero, zero, 0, 0).r));
    ball sine = apply_as(&text, "sine", OC_F32, zero, zero, 0, 0);
    assert_true(sine.m == 0 && sine.r == 0 && (sine.f & OC__F_ZERO_SIGN));
    // +pi or -pi
    ball minus_one = {.m = -1};
    assert_true(isinf(apply_as(&text, "atan2", OC_F32, zero, minus_one, 0, 0).r));
}

/* Just below the threshold of f32 both infinity and the largest number may come. */
static void test_results_beside_overflow_are_undecided(void **state)
{
    (void)state;
    // (2^64 (1 - 2^-24))^2 is half an ulp below the largest number
    assert_true(isinf(apply2("power", OC_F32, 0x1.fffffep63, 2).r));
    assert_true(isinf(apply2("power", OC_F64, 0x1.fffffffffffffp511, 2).r));
    assert_true(isinf(apply("exponential", OC_F32, 88, 1).r));
    ball sure = apply("exponential", OC_F32, 100, 1);
    assert_true(isinf(sure.m) && sure.r == 0);
}

/* numerics 4.2: a range is hard, whatever the figure and the operand. */
static void test_ranges_are_hard(void **state)
{
    (void)state;
    const oc__arith wide = {.wide_tables = true};
    ball far = {.m = 3, .r = 1e30};
    assert_true(apply_as(&text, "sine", OC_F32, far, far, 0, 0).r <= 2);
    assert_true(apply_as(&text, "tanh", OC_F32, far, far, 0, 0).r <= 2);
    assert_true(apply_as(&text, "logistic", OC_F32, far, far, 0, 0).r <= 1);
    ball about_zero = {.m = 0, .r = 1e30};
    assert_true(apply_as(&text, "tanh", OC_F32, about_zero, far, 0, 0).r == 1);
    ball nine = {.m = 9};
    assert_true(apply_as(&wide, "erf", OC_BF16, nine, nine, 0, 0).r <= 2);
}

/* --- contracts --- */

static void test_wide_tables(void **state)
{
    (void)state;
    const oc__arith wide = {.wide_tables = true};
    ball one = {.m = 1};
    // exp: 64 * 1.5 ulp are less than 2^(2 - 24/2) of the result; erf_inv: 64 * 65 ulp
    // too
    double e = 2.718281828459045;
    ball y = apply_as(&wide, "exponential", OC_F32, one, one, 0, 0);
    assert_true(y.r >= e * 0x1p-10 && y.r <= e * 0x1.001p-10);
    // erfc in f64: 64 * 350 ulp of 2^-52 are 5.0e-12, 2^(2 - 53/2) is 4.2e-8
    y = apply_as(&wide, "erfc", OC_F64, one, one, 0, 0);
    assert_true(y.r >= fabs(y.m) * 4.2e-8 && y.r <= fabs(y.m) * 4.3e-8);
    // erf_inv in f64: 64 * 5e5 * 2^-52 = 7.1e-9
    ball half = {.m = 0.5};
    y = apply_as(&wide, "erf_inv", OC_F64, half, half, 0, 0);
    assert_true(y.r >= fabs(y.m) * 4.2e-8 && y.r <= fabs(y.m) * 4.3e-8);
}

/* |expected - actual| <= max(|expected| max(rtol, ulps * eps), atol) */
/* An ulp of a subnormal is the smallest one of its type, wherever the number lies. */
static void test_an_ulp_is_never_less_than_the_smallest_subnormal(void **state)
{
    (void)state;
    const oc__arith watched = {.sigma = true};
    static const struct {
        const char *op;
        oc_dtype dtype;
        double x, smallest, ulps; /* ulps: of the table, on the CPU */
    } rows[] = {
        {"exponential", OC_F32, -100, 0x1p-149, 1.5},   // 26.5 of the smallest
        {"exponential", OC_F32, -103.5, 0x1p-149, 1.5}, // 0.8
        {"exponential", OC_F16, -15, 0x1p-24, 1},
        {"exponential", OC_BF16, -90, 0x1p-133, 0.5},
        {"exponential", OC_F64, -740, 0x1p-1074, 2},
        {"erfc", OC_F32, 10, 0x1p-149, 66},
        {"sine", OC_F32, 0x1p-140, 0x1p-149, 0.57},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double smallest = rows[i].smallest, ulps = rows[i].ulps;
        ball x = {.m = rows[i].x};
        ball y = apply_as(&watched, rows[i].op, rows[i].dtype, x, x, 0, 0);
        // The figure, m's own rounding and half a number for the device's; f64's half
        // is no number.
        double half = rows[i].dtype == OC_F64 ? 1 : 0.5;
        double most = (ceil(ulps) + 0.5 + half) * smallest * (1 + 0x1p-20);
        if (!(y.r >= ulps * smallest && y.r <= most)) {
            fail_msg("%s of %g: %g +- %g", rows[i].op, rows[i].x, y.m, y.r);
        }
        // A device that is off by all of the figure is no surprise.
        assert_true(ulps * smallest <= 2 * y.s);
    }
    ball y = apply2("power", OC_F32, 0.5, 140.5);
    assert_true(y.r >= 0x1p-149 && y.r <= 2 * 0x1p-149);
}

static void test_result_accuracy_is_the_contract(void **state)
{
    (void)state;
    ball one = {.m = 1};
    double e = 2.718281828459045;
    ball y = apply_as(&text, "exponential", OC_F32, one, one, 0, 1e-3);
    assert_true(y.r >= e * 1e-3 && y.r <= e * 1.001e-3);
    assert_int_equal(y.f, 0); // no figure of a table
    y = apply_as(&text, "exponential", OC_F32, one, one, 0.5, 1e-3);
    assert_true(y.r >= 0.5 && y.r <= 0.5001);
}

static void test_devices_that_flush(void **state)
{
    (void)state;
    const oc__arith flush = {.flush = true};
    ball tiny = {.m = 0x1p-130};
    // cbrt may see 0: the ball holds it; log and rsqrt have another class of result
    // there
    ball y = apply_as(&flush, "cbrt", OC_F32, tiny, tiny, 0, 0);
    assert_true(y.m > 0 && y.r >= y.m);
    assert_true(isinf(apply_as(&flush, "log", OC_F32, tiny, tiny, 0, 0).r));
    assert_true(isinf(apply_as(&flush, "rsqrt", OC_F32, tiny, tiny, 0, 0).r));
    // a subnormal result
    ball low = {.m = -90};
    y = apply_as(&flush, "exponential", OC_F32, low, low, 0, 0);
    assert_true(y.m > 0 && y.r >= y.m && y.r < 0x1p-126);
}

static void test_flags_pass(void **state)
{
    (void)state;
    ball x = {.m = 0.5, .f = OC__F_OPEN | OC__F_HULL | OC__F_ZERO_SIGN};
    ball y = apply_as(&text, "tanh", OC_F32, x, x, 0, 0);
    assert_int_equal(y.f, OC__F_OPEN | OC__F_HULL | OC__F_TABLE);
}

static void test_standard_deviations(void **state)
{
    (void)state;
    const oc__arith sigma = {.sigma = true};
    ball x = {.m = 2, .s = 1e-5};
    ball y = apply_as(&sigma, "exponential", OC_F32, x, x, 0, 0);
    double e2 = 7.38905609893065;
    assert_true(y.s >= e2 * 1e-5 && y.s <= e2 * 1.001e-5); // |f'| s
    x.s = 0;
    y = apply_as(&sigma, "exponential", OC_F32, x, x, 0, 0);
    // 1.5 ulp, even on [-1.5, 1.5] ulp: sqrt(3)
    assert_true(fabs(y.s - e2 * 3 * 0x1p-24 / sqrt(3)) < e2 * 1e-9);
}

static void test_figures(void **state)
{
    (void)state;
    // JAX docs/accuracy.md, 2026-09-18
    assert_true(oc__figure_ulps("cpu", "stablehlo.exponential", OC_F32) == 1.5);
    assert_true(oc__figure_ulps(NULL, "stablehlo.exponential", OC_F32) == 1.5);
    assert_true(oc__figure_ulps("tpu", "stablehlo.exponential", OC_F32) == 116);
    assert_true(oc__figure_ulps("cuda", "stablehlo.logistic", OC_F16) == 2);
    assert_true(oc__figure_ulps("tpu", "stablehlo.divide", OC_F32) == 198);
    assert_true(oc__figure_ulps("cpu", "chlo.tan", OC_F32) ==
                oc__figure_ulps("cpu", "stablehlo.tan", OC_F32));
    assert_true(oc__figure_ulps("tpu", "stablehlo.log", OC_F64) < 0);
    assert_true(oc__figure_ulps("rocm", "stablehlo.log", OC_F32) < 0);
    assert_true(oc__figure_ulps("cpu", "chlo.zeta", OC_F32) < 0);
    // measured in u |w|: at most 4.3, and 37 for cosine
    assert_true(oc__figure_ulps("cpu", "stablehlo.tanh", OC_C64) == 8);
    assert_true(oc__figure_ulps("cpu", "stablehlo.cosine", OC_C128) == 64);
    assert_true(oc__figure_ulps("cpu", "stablehlo.tanh", OC_F8E5M2) == 1);
}

/* --- two arguments --- */

/* C17 F.10.4.4 and F.10.1.4, and mpmath for the others. */
static void test_functions_of_two_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        double x, y, z;
    } rows[] = {
        {"power", 0, 0, 1},
        {"power", NAN, 0, 1},
        {"power", 1, NAN, 1},
        {"power", -8, 1 / 3.0, NAN},
        {"power", -2, 3, -8},
        {"power", 0, -1, INFINITY},
        {"power", -INFINITY, 3, -INFINITY},
        {"power", 1e200, 2, INFINITY},
        {"power", 0x1.999999999999ap0, -2.5, 0x1.3c3a4edfa9758p-2},
        {"atan2", 0, -1, 0x1.921fb54442d18p1},
        {"atan2", -0.0, -1, -0x1.921fb54442d18p1},
        {"atan2", 1, 1, 0x1.921fb54442d18p-1},
        {"atan2", INFINITY, -INFINITY, 0x1.2d97c7f3321d2p1},
        {"zeta", 2, 1, 0x1.a51a6625307d3p0},
        {"zeta", 2.5, 0.25, 0x1.06c794e3f2dcep5},
        {"zeta", 1, 2, INFINITY},
        {"zeta", 0.5, 2, NAN},
        {"zeta", 2, -1, INFINITY},
        {"zeta", 3, -1, NAN},
        {"zeta", 2.5, -0.5, NAN},
        {"polygamma", 1, 1, 0x1.a51a6625307d3p0},
        {"polygamma", 3, 2.5, 0x1.ca8f26506cfd8p-3},
        {"polygamma", 2, -0.5, -0x1.a85808a40aba2p-1},
        {"polygamma", 0.5, 1, NAN},
        {"polygamma", 0, -1, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ball z = apply2(rows[i].op, OC_F64, rows[i].x, rows[i].y);
        bool same = isnan(rows[i].z) ? isnan(z.m) : z.m == rows[i].z;
        if (!same || (!isfinite(rows[i].z) && z.r != 0)) {
            fail_msg("%s of %g and %g: %a +- %g", rows[i].op, rows[i].x, rows[i].y, z.m,
                     z.r);
        }
    }
}

static void test_balls_of_two_arguments(void **state)
{
    (void)state;
    ball x = {.m = 2, .r = 0.5}, y = {.m = 3, .r = 0.25};
    // 1.5^2.75 = 3.0494..., 2.5^3.25 = 19.6472...
    ball z = apply_as(&text, "power", OC_F32, x, y, 0, 0);
    assert_true(z.m == 8 && z.r >= 11.647 && z.r <= 11.66);
    // (-3)^3 to (-1)^3
    ball negative = {.m = -2, .r = 1}, three = {.m = 3};
    z = apply_as(&text, "power", OC_F32, negative, three, 0, 0);
    assert_true(z.m == -8 && z.r >= 19 && z.r <= 19.01);
    assert_true(isinf(apply_as(&text, "power", OC_F32, negative, y, 0, 0).r));
    // through 0: (-1)^2 to 3^2
    ball through = {.m = 1, .r = 2}, two = {.m = 2};
    z = apply_as(&text, "power", OC_F32, through, two, 0, 0);
    assert_true(z.m == 1 && z.r >= 8 && z.r <= 10.1);
    // atan2 over the rectangle [1.5, 2.5] x [0.5, 1.5]: 0.7854 to 1.3734 about 1.1071
    ball one = {.m = 1, .r = 0.5};
    z = apply_as(&text, "atan2", OC_F32, x, one, 0, 0);
    assert_true(z.r >= 0.32175 && z.r <= 0.3219);
    ball cut = {.m = 0.1, .r = 0.2}, minus = {.m = -1};
    assert_true(isinf(apply_as(&text, "atan2", OC_F32, cut, minus, 0, 0).r));
}

/* C's nextafter, in the type. */
static void test_next_after(void **state)
{
    (void)state;
    static const struct {
        oc_dtype dtype;
        double x, y, z;
    } rows[] = {
        {OC_F32, 1, 2, 0x1.000002p0}, {OC_F32, 1, 0, 0x1.fffffep-1},
        {OC_F32, 0, -1, -0x1p-149},   {OC_F32, -0.0, 0.0, 0.0},
        {OC_F32, 5, NAN, NAN},        {OC_F32, 0x1.fffffep127, INFINITY, INFINITY},
        {OC_F32, 0x1p-149, 0, 0},     {OC_F32, -0x1p-126, 0, -0x1.fffffcp-127},
        {OC_F16, 1, 2, 0x1.004p0},    {OC_BF16, -1, -2, -0x1.02p0},
        {OC_F64, 0, 1, 0x1p-1074},    {OC_F8E5M2, 1, 2, 1.25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ball z = apply2("next_after", rows[i].dtype, rows[i].x, rows[i].y);
        bool same = isnan(rows[i].z) ? isnan(z.m) : z.m == rows[i].z;
        if (!same || z.r != 0 || z.f != 0) {
            fail_msg("after %g to %g: %a +- %g", rows[i].x, rows[i].y, z.m, z.r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_values_are_points),
        cmocka_unit_test(test_zeros_of_unknown_sign),
        cmocka_unit_test(test_results_beside_overflow_are_undecided),
        cmocka_unit_test(test_ranges_are_hard),
        cmocka_unit_test(test_wide_tables),
        cmocka_unit_test(test_an_ulp_is_never_less_than_the_smallest_subnormal),
        cmocka_unit_test(test_result_accuracy_is_the_contract),
        cmocka_unit_test(test_devices_that_flush),
        cmocka_unit_test(test_flags_pass),
        cmocka_unit_test(test_standard_deviations),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_functions_of_two_arguments),
        cmocka_unit_test(test_balls_of_two_arguments),
        cmocka_unit_test(test_next_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
