/* reduce and reduce_window with bodies that are no single operation. */
#include "contract_fixture.h"

/* argmax over more steps than are folded one by one; ties keep the first. */
static void test_argmax(void **state)
{
    (void)state;
    enum { N = 1001 };
    dice d = {.state = 15};
    oc_tensor in = TENSOR(OC_F32, 2, N);
    float *x = in.data;
    for (size_t i = 0; i < (size_t)2 * N; i++) {
        x[i] = (float)dice_below(&d, 50);
    }
    program p = contract_run(
        "func.func @main(%a: tensor<2x1001xf32>) -> (tensor<2xf32>, tensor<2xi32>) {\n"
        "%n = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
        "%z = stablehlo.constant dense<0> : tensor<i32>\n"
        "%i = stablehlo.iota dim = 1 : tensor<2x1001xi32>\n"
        "%0:2 = stablehlo.reduce(%a init: %n), (%i init: %z) across dimensions = [1] : "
        "(tensor<2x1001xf32>, tensor<2x1001xi32>, tensor<f32>, tensor<i32>) -> "
        "(tensor<2xf32>, tensor<2xi32>)\n"
        " reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) "
        "{\n"
        "  %1 = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> "
        "tensor<i1>\n"
        "  %2 = stablehlo.select %1, %p, %q : tensor<i1>, tensor<f32>\n"
        "  %3 = stablehlo.select %1, %r, %s : tensor<i1>, tensor<i32>\n"
        "  stablehlo.return %2, %3 : tensor<f32>, tensor<i32>\n"
        " }\n"
        "return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>\n}\n",
        &in, 1, NULL);
    int64_t wanted[2];
    for (size_t row = 0; row < 2; row++) {
        size_t best = 0;
        for (size_t k = 1; k < N; k++) {
            best = x[row * N + k] > x[row * N + best] ? k : best;
        }
        wanted[row] = (int64_t)best;
        assert_true(oc__m(program_output(&p, 0))[row] == (double)x[row * N + best]);
    }
    assert_null(program_output(&p, 0)->r);
    ASSERT_INTS(&p, 1, wanted[0], wanted[1]);
    program_free(&p);
    oc_tensor_free(&in);
}

/* A body that rounds in another way in every tree: wider than one tree's, and a figure.
 */
static void test_other_bodies_are_wide(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<f32>",
             "  %a = stablehlo.constant dense<[0.1, 0.7, 0.3, 0.9]> : tensor<4xf32>\n"
             "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : "
             "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
             "   reducer(%p: tensor<f32>, %q: tensor<f32>) {\n"
             "    %1 = stablehlo.add %p, %q : tensor<f32>\n"
             "    %2 = stablehlo.add %1, %z : tensor<f32>\n"
             "    stablehlo.return %2 : tensor<f32>\n"
             "   }\n"
             "  return %0 : tensor<f32>\n"));
    const oc__value *v = program_output(&p, 0);
    assert_true(fabs(oc__m(v)[0] - 2) < 1e-6);
    assert_true(oc__r(v)[0] >= 2 * 2 * 0x1p-24 && oc__r(v)[0] < 1e-6);
    assert_true(oc__f(v)[0] & OC__F_TABLE);
    program_free(&p);
}

/* Products of complex numbers, and logaddexp over windows, against plain arithmetic. */
static void test_regions_of_sums_and_windows(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<complex<f32>>, tensor<3xf32>",
             "  %a = stablehlo.constant dense<[(1.0, 2.0), (3.0, -1.0), (0.5, 0.5)]> : "
             "tensor<3xcomplex<f32>>\n"
             "  %o = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>\n"
             "  %0 = stablehlo.reduce(%a init: %o) applies stablehlo.multiply across "
             "dimensions "
             "= [0] : (tensor<3xcomplex<f32>>, tensor<complex<f32>>) -> "
             "tensor<complex<f32>>\n"
             "  %x = stablehlo.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>\n"
             "  %n = stablehlo.constant dense<-1.0e30> : tensor<f32>\n"
             "  %1 = \"stablehlo.reduce_window\"(%x, %n) <{window_dimensions = "
             "array<i64: 3>, "
             "padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({\n"
             "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
             "    %2 = stablehlo.exponential %p : tensor<f32>\n"
             "    %3 = stablehlo.exponential %q : tensor<f32>\n"
             "    %4 = stablehlo.add %2, %3 : tensor<f32>\n"
             "    %5 = stablehlo.log %4 : tensor<f32>\n"
             "    stablehlo.return %5 : tensor<f32>\n"
             "  }) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>\n"
             "  return %0, %1 : tensor<complex<f32>>, tensor<3xf32>\n"));
    // (1 + 2i)(3 - i) = 5 + 5i; times (1 + i) / 2: 5i
    const oc__value *product = program_output(&p, 0);
    assert_true(oc__m(product)[0] == 0 && oc__m(product)[1] == 5);
    const double x[] = {1, -2, 0.5};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        sum += exp(x[i]);
        assert_true(fabs(oc__m(program_output(&p, 1))[i] - log(sum)) < 1e-6);
        assert_true(inside(program_output(&p, 1), i, log(sum)));
    }
    program_free(&p);
}

/* A sum of two bf16 rounded to f32 and then to bf16 is the sum in bf16 (24 bits are
 * more than 2 * 8 + 2): in any order, and a scatter leaves nothing open. 1 and two
 * halves of an ulp of 1 make 1 or an ulp more. A difference is not one of the orders'
 * sums. */
static void test_bodies_in_a_wider_type(void **state)
{
    (void)state;
#define IN_F32(operation)                                                              \
    "({\n^bb0(%p: tensor<bf16>, %q: tensor<bf16>):\n"                                  \
    "%r = stablehlo.convert %q : (tensor<bf16>) -> tensor<f32>\n"                      \
    "%s = stablehlo.convert %p : (tensor<bf16>) -> tensor<f32>\n"                      \
    "%t = stablehlo." operation " %s, %r : tensor<f32>\n"                              \
    "%v = stablehlo.convert %t : (tensor<f32>) -> tensor<bf16>\n"                      \
    "stablehlo.return %v : tensor<bf16>\n})"
#define SCATTERED(name, operation)                                                     \
    "%" name " = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "     \
    "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = "   \
    "[0], index_vector_dim = 1>}> " IN_F32(                                            \
        operation) " : (tensor<1xbf16>, tensor<2x1xi32>, tensor<2xbf16>) -> "          \
                   "tensor<1xbf16>\n"
    program p = program_run(MAIN(
        "tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<bf16>",
        "%x = stablehlo.constant dense<1.0> : tensor<1xbf16>\n"
        "%zero = stablehlo.constant dense<0.0> : tensor<bf16>\n"
        "%n = stablehlo.constant dense<[1.0, 0.00390625, 0.00390625]> : "
        "tensor<3xbf16>\n"
        "%i = stablehlo.constant dense<0> : tensor<2x1xi32>\n"
        "%u = stablehlo.constant dense<0.00390625> : tensor<2xbf16>\n" //
        SCATTERED("0", "add") SCATTERED("1", "maximum")
            SCATTERED("2", "subtract") "%3 = \"stablehlo.reduce\"(%n, %zero) "
                                       "<{dimensions = array<i64: 0>}> " IN_F32(
                                           "add") " : (tensor<3xbf16>, tensor<bf16>) "
                                                  "-> tensor<bf16>\n"
                                                  "return %0, %1, %2, %3 : "
                                                  "tensor<1xbf16>, tensor<1xbf16>, "
                                                  "tensor<1xbf16>, tensor<bf16>\n"));
    const oc__value *sum = program_output(&p, 0), *whole = program_output(&p, 3);
    double m = oc__m(sum)[0], r = oc__r(sum)[0];
    assert_true(fabs(m - 1) <= r && fabs(m - (1 + 0x1p-7)) <= r && r <= 0x1p-5);
    assert_true(!sum->f || !(oc__f(sum)[0] & OC__F_OPEN));
    assert_true(oc__m(whole)[0] == 1 + 0x1p-7 && !whole->r); // added in f32: exact
    const oc__value *largest = program_output(&p, 1);
    assert_true(oc__m(largest)[0] == 1 && !largest->r && !largest->f);
    assert_int_equal(oc__f(program_output(&p, 2))[0], OC__F_OPEN);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_in_a_wider_type),
        cmocka_unit_test(test_argmax),
        cmocka_unit_test(test_other_bodies_are_wide),
        cmocka_unit_test(test_regions_of_sums_and_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
