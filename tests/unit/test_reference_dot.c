/* dot_general, dot, ragged_dot. Expected values: integer arithmetic in C, sums by hand,
 * and devices simulated in f32 along random trees with and without fused multiply-adds,
 * which must lie inside the balls, while faults must not (facts of IEEE 754 and the
 * specification's text). */
#include "contract_fixture.h"

#include <math.h>

static void test_integers_by_hand(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        T("2x2xi32") ", " T("2x2xi8") ", " T("2xi1") ", " T("2x2xui8"),
        "  %a = stablehlo.constant dense<[[100, 50], [-128, 127]]> : tensor<2x2xi8>\n"
        "  %u = stablehlo.constant dense<[[255, 1], [2, 3]]> : tensor<2x2xui8>\n"
        "  %b = stablehlo.constant dense<[[true, false], [true, true]]> : "
        "tensor<2x2xi1>\n"
        "  %c = stablehlo.constant dense<[false, true]> : tensor<2xi1>\n"
        "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
        "(tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>\n"
        "  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
        "(tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>\n"
        "  %2 = stablehlo.dot %b, %c : (tensor<2x2xi1>, tensor<2xi1>) -> tensor<2xi1>\n"
        "  %3 = stablehlo.dot %u, %u : (tensor<2x2xui8>, tensor<2x2xui8>) -> "
        "tensor<2x2xui8>\n"
        "  return %0, %1, %2, %3 : tensor<2x2xi32>, tensor<2x2xi8>, tensor<2xi1>, "
        "tensor<2x2xui8>\n"));
    // 100 * 100 + 50 * 50; -100 * 128 + 50 * 127; 128^2 + 127^2
    ASSERT_INTS(&p, 0, 12500, -6450, -6450, 32513);
    // the same modulo 256: 12500 = 48 * 256 + 212, 212 - 256 = -44; -6450 = -26 * 256 +
    // 206, -50; 32513 = 127 * 256 + 1
    ASSERT_INTS(&p, 1, -44, -50, -50, 1);
    ASSERT_INTS(&p, 2, 0, 1);
    // 255 * 255 + 2 = 65027 = 254 * 256 + 3; 255 + 3; 510 + 6; 2 + 9
    ASSERT_INTS(&p, 3, 3, 2, 4, 11);
    program_free(&p);
}

/* [[1, 2], [3, 4]] [[5, 6], [7, 8]] and its transposes: exact in every order, so
 * points. */
static void test_matrices_by_hand(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        T("2x2xf32") ", " T("2x2xf32") ", " T("2x2x1xf32") ", " T("2x2xcomplex<f32>"),
        "  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
        "  %b = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>\n"
        "  %c = stablehlo.complex %a, %b : tensor<2x2xcomplex<f32>>\n"
        "  %d = stablehlo.constant dense<2.0> : tensor<2x1x2xf32>\n"
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
        "  %1 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [1] : "
        "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
        "  %2 = stablehlo.dot_general %a, %d, batching_dims = [1] x [2], "
        "contracting_dims = [] x [] : "
        "(tensor<2x2xf32>, tensor<2x1x2xf32>) -> tensor<2x2x2x1xf32>\n"
        "  %3 = stablehlo.slice %2 [0:2, 0:2, 0:1, 0:1] : (tensor<2x2x2x1xf32>) -> "
        "tensor<2x2x1x1xf32>\n"
        "  %4 = stablehlo.reshape %3 : (tensor<2x2x1x1xf32>) -> tensor<2x2x1xf32>\n"
        "  %5 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : "
        "(tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> "
        "tensor<2x2xcomplex<f32>>\n"
        "  return %0, %1, %4, %5 : tensor<2x2xf32>, tensor<2x2xf32>, "
        "tensor<2x2x1xf32>, "
        "tensor<2x2xcomplex<f32>>\n"));
    static const double wanted[][8] = {
        {19, 22, 43, 50},
        {23, 31, 34, 46}, // a^T b^T
        {2, 6, 4, 8},     // columns of a in front, doubled
        // (1 + 5i)^2 + (2 + 6i)(3 + 7i) = -24 + 10i - 36 + 32i; ...
        {-60, 42, -68, 56, -76, 74, -84, 96}};
    for (size_t k = 0; k < 4; k++) {
        const oc__value *v = program_output(&p, k);
        assert_null(v->r);
        for (size_t i = 0; i < v->count * (k == 3 ? 2 : 1); i++) {
            assert_true(oc__m(v)[i] == wanted[k][i]);
        }
    }
    program_free(&p);
}

/* NaN, infinities and overflow by their classes: what no order can avoid is certain. */
static void test_special_values(void **state)
{
    (void)state;
    program p = program_run(
        MAIN(T("6xf32"),
             "  %a = stablehlo.constant dense<[[0x7FC00000, 1.0, 1.0], [0x7F800000, "
             "1.0, 2.0], "
             "[0x7F800000, 0xFF800000, 1.0], [0x7F800000, 0.0, 0.0], [3.0e38, 3.0e38, "
             "-3.0e38], [3.0e38, 3.0e38, 3.0e38]]> : tensor<6x3xf32>\n"
             "  %b = stablehlo.constant dense<1.0> : tensor<3xf32>\n"
             "  %0 = stablehlo.dot %a, %b : (tensor<6x3xf32>, tensor<3xf32>) -> "
             "tensor<6xf32>\n"
             "  return %0 : tensor<6xf32>\n"));
    const oc__value *v = program_output(&p, 0);
    const double *m = oc__m(v), *r = oc__r(v);
    assert_true(isnan(m[0]) && r[0] == 0);
    assert_true(m[1] == (double)INFINITY && r[1] == 0);
    assert_true(isnan(m[2]) && r[2] == 0);
    assert_true(m[3] == (double)INFINITY && r[3] == 0);
    assert_true(r[4] == (double)INFINITY); // inf or 3e38, by the order
    assert_true(m[5] == (double)INFINITY && r[5] == 0);
    program_free(&p);
}

/* Integers beside floats count as numbers: -1.6171875 * 127 - 0.5703125 * 4 is
 * -207.6640625, in bf16 -208. */
static void test_mixed_types(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        T("bf16") ", " T("f32"),
        "  %a = stablehlo.constant dense<[-1.6171875, 0.5703125]> : tensor<2xbf16>\n"
        "  %b = stablehlo.constant dense<[127, -4]> : tensor<2xi8>\n"
        "  %0 = stablehlo.dot %a, %b : (tensor<2xbf16>, tensor<2xi8>) -> "
        "tensor<bf16>\n"
        "  %1 = stablehlo.dot %b, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<f32>\n"
        "  return %0, %1 : tensor<bf16>, tensor<f32>\n"));
    assert_true(oc__m(program_output(&p, 0))[0] == -208);
    assert_true(oc__m(program_output(&p, 1))[0] == 127 * 127 + 16);
    assert_null(program_output(&p, 1)->r);
    program_free(&p);
}

static void test_nothing_to_contract(void **state)
{
    (void)state;
    program p = program_run(
        MAIN(T("2x3xf32") ", " T("2x0xi32"),
             "  %a = stablehlo.constant dense<> : tensor<2x0xf32>\n"
             "  %b = stablehlo.constant dense<> : tensor<0x3xf32>\n"
             "  %c = stablehlo.constant dense<1> : tensor<2x4xi32>\n"
             "  %d = stablehlo.constant dense<> : tensor<4x0xi32>\n"
             "  %0 = stablehlo.dot %a, %b : (tensor<2x0xf32>, tensor<0x3xf32>) -> "
             "tensor<2x3xf32>\n"
             "  %1 = stablehlo.dot %c, %d : (tensor<2x4xi32>, tensor<4x0xi32>) -> "
             "tensor<2x0xi32>\n"
             "  return %0, %1 : tensor<2x3xf32>, tensor<2x0xi32>\n"));
    for (size_t i = 0; i < 6; i++) {
        assert_true(oc__m(program_output(&p, 0))[i] == 0);
    }
    assert_int_equal(program_output(&p, 1)->count, 0);
    program_free(&p);
}

/* 1 + 2^-8 is a tie between neighbours in bf16 and goes to 1; in two parts it is kept,
 * and HIGHEST keeps it whatever the model is. */
static void test_algorithms_are_honoured(void **state)
{
    (void)state;
#define ALGORITHM(parts, operations)                                                   \
    "algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, "              \
    "accumulation_type = f32, lhs_component_count = " parts                            \
    ", rhs_component_count = " parts ", num_primitive_operations = " operations        \
    ", allow_imprecise_accumulation = false>"
#define DOT(name, how)                                                                 \
    "  %" name " = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]" how     \
    " : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
    const char *text = MAIN(
        T("f32") ", " T("f32") ", " T("f32") ", " T("f32"),
        "  %a = stablehlo.constant dense<[1.00390625, 1.0]> : tensor<2xf32>\n"
        "  %b = stablehlo.constant dense<1.0> : tensor<2xf32>\n" //
        DOT("0", ", precision = [DEFAULT, DEFAULT], " ALGORITHM("1", "1")) DOT(
            "1", ", precision = [DEFAULT, DEFAULT], " ALGORITHM("2", "3")) DOT("2", "")
            DOT("3", ", precision = [HIGHEST, HIGHEST]") "  return %0, %1, %2, %3 : "
                                                         "tensor<f32>, tensor<f32>, "
                                                         "tensor<f32>, "
                                                         "tensor<f32>\n");
    program full = contract_run(text, NULL, 0, NULL);
    program bf16 =
        contract_run(text, NULL, 0, &(oc__arith){.operands = OC__OPERANDS_BF16_RNE});
    static const double wanted[2][4] = {{2, 2.00390625, 2.00390625, 2.00390625},
                                        {2, 2.00390625, 2, 2.00390625}};
    for (size_t i = 0; i < 4; i++) {
        assert_true(oc__m(program_output(&full, i))[0] == wanted[0][i]);
        assert_true(oc__m(program_output(&bf16, i))[0] == wanted[1][i]);
        assert_null(program_output(&full, i)->r);
    }
    program_free(&full);
    program_free(&bf16);
}

/* --- ragged_dot
 * ------------------------------------------------------------------------- */

#define RAGGED(name, numbers, types)                                                   \
    "  %" name " = \"chlo.ragged_dot\"(%a, %" name                                     \
    "b, %g) {ragged_dot_dimension_numbers"                                             \
    " = #chlo.ragged_dot<" numbers ">} : " types "\n"

static void test_ragged_modes(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        T("3x1xf32") ", " T("2x3x1xf32") ", " T("3x1xf32"),
        "  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : "
        "tensor<3x2xf32>\n"
        "  %g = stablehlo.constant dense<[1, 1]> : tensor<2xi64>\n"
        "  %kb = stablehlo.constant dense<[[[1.0], [10.0]], [[2.0], [20.0]]]> : "
        "tensor<2x2x1xf32>\n"
        "  %cb = stablehlo.constant dense<[[1.0], [10.0]]> : tensor<2x1xf32>\n"
        "  %bb = stablehlo.constant dense<[[[1.0], [10.0]], [[2.0], [20.0]], [[3.0], "
        "[30.0]]]> : tensor<3x2x1xf32>\n" //
        RAGGED("k",
               "lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
               "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
               "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
               "(tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<3x1xf32>")
            RAGGED(
                "c",
                "lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
                "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], "
                "lhs_ragged_dimensions = [1], rhs_group_dimensions = []",
                "(tensor<3x2xf32>, tensor<2x1xf32>, tensor<2xi64>) -> "
                "tensor<2x3x1xf32>")
                RAGGED("b",
                       "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
                       "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
                       "[1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []",
                       "(tensor<3x2xf32>, tensor<3x2x1xf32>, tensor<2xi64>) -> "
                       "tensor<3x1xf32>") "  return %k, %c, %b : tensor<3x1xf32>, "
                                          "tensor<2x3x1xf32>, "
                                          "tensor<3x1xf32>\n"));
    static const double wanted[3][6] = {
        {21, 86, 0}, // row 0 with [1, 10], row 1 with [2, 20], row 2 with none
        {1, 3, 5, 20, 40, 60}, // column 0 by itself, column 1 by itself
        {21, 2 * 43, 3 * 65}}; // every row its own right-hand side
    for (size_t k = 0; k < 3; k++) {
        const oc__value *v = program_output(&p, k);
        for (size_t i = 0; i < v->count; i++) {
            assert_true(oc__m(v)[i] == wanted[k][i]);
        }
    }
    const uint8_t *f = oc__f(program_output(&p, 0));
    assert_true(!(f[0] & OC__F_OPEN) && (f[2] & OC__F_OPEN));
    assert_string_equal(program_note(&p), "ragged_rows_of_no_group");
    program_free(&p);
}

static void test_mismatches_are_named(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    const char *text =
        "func.func @main() -> tensor<2x2xf32> {\n"
        "%a = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
        "%0 = \"stablehlo.dot_general\"(%a, %a) {dot_dimension_numbers = "
        "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
        "[0]>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>\n"
        "return %0 : tensor<2x2xf32>\n}\n";
    assert_int_not_equal(
        program_try(text, 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err), OC_OK);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT,
                 "contracting dimensions of 2x3 and 2x3 do not fit");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_by_hand),
        cmocka_unit_test(test_matrices_by_hand),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_mixed_types),
        cmocka_unit_test(test_nothing_to_contract),
        cmocka_unit_test(test_algorithms_are_honoured),
        cmocka_unit_test(test_ragged_modes),
        cmocka_unit_test(test_mismatches_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
