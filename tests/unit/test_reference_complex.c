/* Transcendental functions of complex numbers, and the operations of chlo that are made
 * of others. The expected values are by mpmath 1.3 at 60 digits, rounded to nearest
 * even. */
#include "program_fixture.h"

#include <math.h>
#include <stdio.h>

/* --- complex numbers --- */

static const struct {
    const char *op;
    double z[2], w[2];
} complexes[] = {
    {"sine", {0x0p+0, 0x1.b7cdfd9d7bdbbp-34}, {0x0p+0, 0x1.b7cdfd9d7bdbbp-34}},
    {"sine",
     {0x1p+0, 0x1.87e92154ef7acp-665},
     {0x1.aed548f090ceep-1, 0x1.a7801eebf7473p-666}},
    {"cosine",
     {0x1.5798ee2308c3ap-27, 0x1.12e0be826d695p-30},
     {0x1p+0, -0x1.70ef54646d497p-57}},
    {"log_plus_one",
     {0x1.b7cdfd9d7bdbbp-34, 0x1.b7cdfd9d7bdbbp-34},
     {0x1.b7cdfd9d7bdbbp-34, 0x1.b7cdfd9cbef6ap-34}},
    {"log_plus_one",
     {-0x1.cd2b297d889bcp-55, 0x1.5798ee2308c3ap-27},
     {0x1.6c7cf8a892415p-108, 0x1.5798ee2308c3ap-27}},
    {"log_plus_one",
     {-0x1.8p+0, 0x1p-2},
     {-0x1.29c440606e6abp-1, 0x1.56c6e7397f5aep+1}},
    {"exponential_minus_one",
     {0x1.19799812dea11p-40, 0x1.c25c268497682p-44},
     {0x1.19799812df3a4p-40, 0x1.c25c268499575p-44}},
    {"exponential_minus_one",
     {0x1p+1, 0x1p+0},
     {0x1.7f0479738b776p+1, 0x1.8dee68a0aefedp+2}},
    {"logistic",
     {0x1.b7cdfd9d7bdbbp-34, 0x1.921fb54442d18p+1},
     {0x1.2a05f2003e149p+33, 0x1.7eb3be724dd5ep+13}},
    {"logistic", {-0x1.ep+4, 0x1p+1}, {-0x1.5ec0dff1176b8p-45, 0x1.7f348162616dap-44}},
    {"logistic", {0x1.8p+1, -0x1p+0}, {0x1.f1c26d93e938p-1, -0x1.44e9b8327f131p-5}},
    {"tanh",
     {0x1.b7cdfd9d7bdbbp-34, 0x1.921fb54442d18p+0},
     {0x1.2a05f1ffff852p+33, 0x1.7eb3be724faf3p+12}},
    {"tan", {0x1p-1, 0x1p-2}, {0x1.024dea85cc77cp-1, 0x1.3feb35c391b4dp-2}},
    {"exponential", {0x1p+0, 0x1p+1}, {-0x1.21969c4953cd1p+0, 0x1.3c618a2274afdp+1}},
    {"log",
     {0x1.3333333333333p-1, 0x1.999999999999ap-1},
     {0x1.999999999999ap-56, 0x1.dac670561bb5p-1}},
    {"sqrt",
     {-0x1p+1, 0x1.19799812dea11p-40},
     {0x1.8e10d3a69204bp-42, 0x1.6a09e667f3bcdp+0}},
    {"rsqrt", {0x1.8p+1, -0x1p+2}, {0x1.999999999999ap-2, 0x1.999999999999ap-3}},
    {"cbrt", {-0x1p+3, 0x1p+0}, {0x1.12dd325d63a0fp+0, 0x1.b188cb86f537dp+0}},
    {"asin", {0x1p-1, 0x1.8p-1}, {0x1.97d627a64513cp-2, 0x1.7c947eb3081d5p-1}},
    {"acos", {0x1p-1, 0x1.8p-1}, {0x1.2c2a2b5ab18c9p+0, -0x1.7c947eb3081d5p-1}},
    {"atan", {0x1p-1, 0x1.8p-1}, {0x1.62acbeaca61b8p-1, 0x1.2e3076c2b7611p-1}},
    {"asinh", {0x1p-1, 0x1.8p-1}, {0x1.36718a85df67ap-1, 0x1.5d49d692c3c39p-1}},
    {"acosh", {0x1p-1, 0x1.8p-1}, {0x1.7c947eb3081d5p-1, 0x1.2c2a2b5ab18c9p+0}},
    {"atanh", {0x1p-1, 0x1.8p-1}, {0x1.3de0e96e47aa7p-2, 0x1.7249faa996a21p-1}},
    {"sinh", {0x1p-1, 0x1.8p-1}, {0x1.866e2b25d9051p-2, 0x1.898a56adee9a7p-1}},
    {"cosh", {0x1p-1, 0x1.8p-1}, {0x1.a66fc11437386p-1, 0x1.6bb93922e1d63p-2}},
};

static program complex_run(const char *op, const double *z)
{
    static const char *const stablehlo[] = {
        "sine",     "cosine", "log_plus_one", "exponential_minus_one",
        "logistic", "tanh",   "tan",          "exponential",
        "log",      "rsqrt",  "cbrt"};
    const char *dialect = "chlo";
    for (size_t i = 0; i < sizeof stablehlo / sizeof *stablehlo; i++) {
        dialect = strcmp(op, stablehlo[i]) == 0 ? "stablehlo" : dialect;
    }
    char source[1024];
    snprintf(source, sizeof source,
             "func.func @main() -> tensor<complex<f64>> {\n"
             "  %%z = stablehlo.constant dense<(%.17e, %.17e)> : tensor<complex<f64>>\n"
             "  %%w = \"%s.%s\"(%%z) : (tensor<complex<f64>>) -> tensor<complex<f64>>\n"
             "  return %%w : tensor<complex<f64>>\n}\n",
             z[0], z[1], dialect, op);
    return program_run(source);
}

/* Each component to 2 ulp of its own: both are rounded from long double. */
static void test_complex_functions_do_not_cancel(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof complexes / sizeof *complexes; i++) {
        if (strcmp(complexes[i].op, "sqrt") == 0) {
            continue; // an operation of real numbers' table
        }
        program p = complex_run(complexes[i].op, complexes[i].z);
        const oc__value *w = program_output(&p, 0);
        double modulus = hypot(complexes[i].w[0], complexes[i].w[1]);
        for (int k = 0; k < 2; k++) {
            double want = complexes[i].w[k], off = fabs(oc__m(w)[k] - want);
            double r = oc__r(w)[k];
            if (!(off <= fabs(want) * 0x1p-51) || !(r >= 8 * modulus * 0x1p-53) ||
                !(r <= 70 * modulus * 0x1p-53)) {
                fail_msg("%s of (%g, %g), component %d: %a +- %g, not %a",
                         complexes[i].op, complexes[i].z[0], complexes[i].z[1], k,
                         oc__m(w)[k], r, want);
            }
        }
        program_free(&p);
    }
}

/* 8 u |w| are 4 ulp; of a subnormal those are four of the smallest. */
static void test_complex_subnormals(void **state)
{
    (void)state;
    const double z[2] = {-740, 0.5};
    program p = complex_run("exponential", z);
    const double *r = oc__r(program_output(&p, 0));
    for (int k = 0; k < 2; k++) {
        assert_true(r[k] >= 4 * 0x1p-1074 && r[k] <= 6 * 0x1p-1074);
    }
    program_free(&p);
}

#define COMPLEX(name, value)                                                           \
    "  %" name " = stablehlo.constant dense<" value "> : tensor<complex<f64>>\n"

static void test_complex_functions_of_two_arguments(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>",
             COMPLEX("a", "(2.0, 1.0)") COMPLEX("b", "(0.5, -1.0)")
                 COMPLEX("y", "(1.0, 2.0)") COMPLEX("x", "(3.0, -1.0)")
                     COMPLEX("o", "(0.0, 0.0)") //
             "  %0 = stablehlo.power %a, %b : tensor<complex<f64>>\n"
             "  %1 = stablehlo.atan2 %y, %x : tensor<complex<f64>>\n"
             "  %2 = stablehlo.power %o, %o : tensor<complex<f64>>\n"
             "  return %0, %1, %2 : tensor<complex<f64>>, tensor<complex<f64>>, "
             "tensor<complex<f64>>\n"));
    const double wanted[3][2] = {{0x1.ff709ba4e781ep+0, -0x1.49e8e81da26cdp+0},
                                 {0x1.85a376b677dcp-3, 0x1.af038cbcdfe1fp-1},
                                 {1, 0}};
    for (size_t i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            double off = fabs(oc__m(program_output(&p, i))[k] - wanted[i][k]);
            assert_true(off <= 0x1p-51 * fabs(wanted[i][k]));
        }
    }
    program_free(&p);
}

/* The specification leaves exceptions of complex arithmetic open. */
static void test_complex_exceptions_are_open(void **state)
{
    (void)state;
    program p = complex_run("log", (const double[2]){0, 0});
    const oc__value *w = program_output(&p, 0);
    assert_true(oc__m(w)[0] == -INFINITY);
    assert_true(oc__f(w)[0] & OC__F_OPEN);
    assert_string_equal(program_note(&p), "complex_exception");
    program_free(&p);
}

/* --- operations of chlo made of others --- */

static void test_broadcasts_and_exact_operations(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<2x3xi32>, tensor<2x3xi32>, tensor<3xf32>, tensor<2xi1>, "
             "tensor<3xi32>",
             "  %a = stablehlo.constant dense<[[10], [20]]> : tensor<2x1xi32>\n"
             "  %b = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
             "  %c = stablehlo.constant dense<[7, 8]> : tensor<2xi32>\n"
             "  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : "
             "tensor<2x3xi32>\n"
             "  %x = stablehlo.constant dense<[1.5, -3.0, 0.25]> : tensor<3xf32>\n"
             "  %n = stablehlo.constant dense<[0xFF800000, 0x7F800000]> : "
             "tensor<2xf32>\n"
             "  %0 = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> "
             "tensor<2x3xi32>\n"
             "  %1 = \"chlo.broadcast_subtract\"(%m, %c) {broadcast_dimensions = "
             "array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>\n"
             "  %2 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>\n"
             "  %3 = chlo.is_neg_inf %n : tensor<2xf32> -> tensor<2xi1>\n"
             "  %4 = \"chlo.constant_like\"(%x) {value = 5 : i32} : (tensor<3xf32>) -> "
             "tensor<3xi32>\n"
             "  return %0, %1, %2, %3, %4 : tensor<2x3xi32>, tensor<2x3xi32>, "
             "tensor<3xf32>, tensor<2xi1>, tensor<3xi32>\n"));
    ASSERT_INTS(&p, 0, 11, 12, 13, 21, 22, 23);
    ASSERT_INTS(&p, 1, -6, -5, -4, -4, -3, -2);
    const double *squares = oc__m(program_output(&p, 2));
    assert_true(squares[0] == 2.25 && squares[1] == 9 && squares[2] == 0.0625);
    ASSERT_INTS(&p, 3, 1, 0);
    ASSERT_INTS(&p, 4, 5, 5, 5);
    program_free(&p);
}

static void test_unbroadcastable_operands_are_refused(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc = program_try(
        MAIN("tensor<2xi32>", "  %a = stablehlo.constant dense<1> : tensor<2xi32>\n"
                              "  %b = stablehlo.constant dense<1> : tensor<3xi32>\n"
                              "  %0 = chlo.broadcast_add %a, %b : (tensor<2xi32>, "
                              "tensor<3xi32>) -> tensor<2xi32>\n"
                              "  return %0 : tensor<2xi32>\n"),
        1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "does not broadcast");
    program_free(&p);
}

static void test_missing_figures_are_noted(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<f32>", CONSTANT("s", "2.0") CONSTANT("q", "1.0") //
             "  %0 = chlo.zeta %s, %q : tensor<f32>, tensor<f32> -> tensor<f32>\n"
             "  return %0 : tensor<f32>\n"));
    const oc__value *z = program_output(&p, 0);
    // the figure that may refute: 2^(2 - 24/2) of the value
    assert_true(oc__r(z)[0] >= 1.64 * 0x1p-10 && oc__r(z)[0] <= 1.65 * 0x1p-10);
    assert_string_equal(program_note(&p), "no_figure");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complex_functions_do_not_cancel),
        cmocka_unit_test(test_complex_functions_of_two_arguments),
        cmocka_unit_test(test_complex_exceptions_are_open),
        cmocka_unit_test(test_complex_subnormals),
        cmocka_unit_test(test_broadcasts_and_exact_operations),
        cmocka_unit_test(test_unbroadcastable_operands_are_refused),
        cmocka_unit_test(test_missing_figures_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
