/* convert, and complex numbers: what is right comes from the StableHLO specification,
 * IEEE 754 and, where the specification is silent, XLA's rules. */
#include "elementwise_fixture.h"

#include <math.h>

/* --- conversions --- */

static void floats_to_integers_truncate_and_saturate(void **state)
{
    (void)state;
    evaluate("tensor<3xi32>, tensor<4xi8>, tensor<3xui8>, tensor<2xi4>, tensor<2xi1>",
             "%a = stablehlo.constant dense<[2.9, -2.9, -0.5]> : tensor<3xf32>\n"
             "%b = stablehlo.constant dense<[0x7FC00000, 0x7F800000, -1.0e9, 128.0]> : "
             "tensor<4xf32>\n"
             "%c = stablehlo.constant dense<[256.0, -1.0, 1.0e9]> : tensor<3xf32>\n"
             "%d = stablehlo.constant dense<[8.0, -9.0]> : tensor<2xf32>\n"
             "%e = stablehlo.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>\n"
             "%0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi32>\n"
             "%1 = stablehlo.convert %b : (tensor<4xf32>) -> tensor<4xi8>\n"
             "%2 = stablehlo.convert %c : (tensor<3xf32>) -> tensor<3xui8>\n"
             "%3 = stablehlo.convert %d : (tensor<2xf32>) -> tensor<2xi4>\n"
             "%4 = stablehlo.convert %e : (tensor<2xf32>) -> tensor<2xi1>\n"
             "return %0, %1, %2, %3, %4 : tensor<3xi32>, tensor<4xi8>, tensor<3xui8>, "
             "tensor<2xi4>, tensor<2xi1>");
    INTEGERS(0, 0, 2, -2, 0);
    INTEGERS(1, OC__F_OPEN, 0, 127, -128, 127);
    INTEGERS(2, OC__F_OPEN, 255, 0, 255);
    INTEGERS(3, OC__F_OPEN, 7, -8);
    INTEGERS(4, 0, 1, 0);
}

/* 2^60 + 2^36 + 1 lies just above the middle of two f32; as an f64 it is the middle, a
 * tie, and would go to 2^60. */
static void large_integers_are_rounded_once(void **state)
{
    (void)state;
    evaluate(
        "tensor<2xf32>, tensor<2xf64>, tensor<1xf32>, tensor<1xf16>, tensor<1xbf16>",
        "%a = stablehlo.constant dense<[1152921573326323713, -1152921573326323713]> "
        ": tensor<2xi64>\n"
        "%b = stablehlo.constant dense<18446744073709551615> : tensor<1xui64>\n"
        "%c = stablehlo.constant dense<70000> : tensor<1xi32>\n"
        "%d = stablehlo.constant dense<257> : tensor<1xi16>\n"
        "%0 = stablehlo.convert %a : (tensor<2xi64>) -> tensor<2xf32>\n"
        "%1 = stablehlo.convert %a : (tensor<2xi64>) -> tensor<2xf64>\n"
        "%2 = stablehlo.convert %b : (tensor<1xui64>) -> tensor<1xf32>\n"
        "%3 = stablehlo.convert %c : (tensor<1xi32>) -> tensor<1xf16>\n"
        "%4 = stablehlo.convert %d : (tensor<1xi16>) -> tensor<1xbf16>\n"
        "return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf64>, tensor<1xf32>, "
        "tensor<1xf16>, tensor<1xbf16>");
    POINTS(0, 0x1p60 + 0x1p37, -0x1p60 - 0x1p37);
    POINTS(1, 0x1p60 + 0x1p36, -0x1p60 - 0x1p36);
    POINTS(2, 0x1p64);
    POINTS(3, inf);
    POINTS(4, 256);
}

static void integers_to_integers_keep_the_low_bits(void **state)
{
    (void)state;
    evaluate("tensor<2xi8>, tensor<2xui64>, tensor<2xi4>, tensor<2xi1>, tensor<2xi32>",
             "%a = stablehlo.constant dense<[300, -1]> : tensor<2xi32>\n"
             "%b = stablehlo.constant dense<[9, 7]> : tensor<2xui8>\n"
             "%c = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
             "%0 = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi8>\n"
             "%1 = stablehlo.convert %b : (tensor<2xui8>) -> tensor<2xui64>\n"
             "%2 = stablehlo.convert %b : (tensor<2xui8>) -> tensor<2xi4>\n"
             "%3 = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi1>\n"
             "%4 = stablehlo.convert %c : (tensor<2xi1>) -> tensor<2xi32>\n"
             "return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xui64>, tensor<2xi4>, "
             "tensor<2xi1>, tensor<2xi32>");
    INTEGERS(0, 0, 44, -1);
    INTEGERS(1, 0, 9, 7);
    INTEGERS(2, 0, -7, 7);
    INTEGERS(3, 0, 1, 1);
    INTEGERS(4, 0, 1, 0);
}

static void floats_to_floats_round_to_nearest_even(void **state)
{
    (void)state;
    evaluate("tensor<3xf32>, tensor<2xbf16>, tensor<2xf16>, tensor<1xf64>",
             "%a = stablehlo.constant dense<[1.00000005960464477539, 1.0e300, -0.0]> : "
             "tensor<3xf64>\n" // 1 + 2^-24: a tie
             "%b = stablehlo.constant dense<[257.0, 259.0]> : tensor<2xf32>\n"
             "%c = stablehlo.constant dense<[65520.0, 65519.0]> : tensor<2xf32>\n"
             "%d = stablehlo.constant dense<0.1> : tensor<1xf32>\n"
             "%0 = stablehlo.convert %a : (tensor<3xf64>) -> tensor<3xf32>\n"
             "%1 = stablehlo.convert %b : (tensor<2xf32>) -> tensor<2xbf16>\n"
             "%2 = stablehlo.convert %c : (tensor<2xf32>) -> tensor<2xf16>\n"
             "%3 = stablehlo.convert %d : (tensor<1xf32>) -> tensor<1xf64>\n"
             "return %0, %1, %2, %3 : tensor<3xf32>, tensor<2xbf16>, tensor<2xf16>, "
             "tensor<1xf64>");
    POINTS(0, 1, inf, -0.0);
    POINTS(1, 256, 260);
    POINTS(2, inf, 65504);
    POINTS(3, (double)0.1F);
}

/* --- complex numbers --- */

static void complex_numbers_go_part_by_part(void **state)
{
    (void)state;
    evaluate("tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xf32>, "
             "tensor<2xi1>, tensor<2xcomplex<f64>>",
             "%a = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : "
             "tensor<2xcomplex<f32>>\n"
             "%b = stablehlo.constant dense<[(0.5, -2.0), (1.0, 0.0)]> : "
             "tensor<2xcomplex<f32>>\n"
             "%0 = stablehlo.add %a, %b : tensor<2xcomplex<f32>>\n"
             "%1 = stablehlo.multiply %a, %b : tensor<2xcomplex<f32>>\n"
             "%2 = stablehlo.imag %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>\n"
             "%3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<2xcomplex<f32>>, "
             "tensor<2xcomplex<f32>>) -> tensor<2xi1>\n"
             "%4 = stablehlo.convert %2 : (tensor<2xf32>) -> tensor<2xcomplex<f64>>\n"
             "return %0, %1, %2, %3, %4 : tensor<2xcomplex<f32>>, "
             "tensor<2xcomplex<f32>>, tensor<2xf32>, tensor<2xi1>, "
             "tensor<2xcomplex<f64>>");
    const double sum[] = {1.5, 0.0, 4, -4}, product[] = {4.5, -1, 3, -4},
                 widened[] = {2, 0.0, -4, 0.0};
    expect_points(0, sum, 2);
    expect_points(1, product, 2); // all products and sums are exact
    POINTS(2, 2, -4);
    INTEGERS(3, 0, 0, 0);
    expect_points(4, widened, 2);
}

static void a_modulus_is_infinite_when_a_part_is(void **state)
{
    (void)state;
    evaluate("tensor<3xf32>",
             "%a = stablehlo.constant dense<[(0x7F800000, 0x7FC00000), (0x7FC00000, "
             "1.0), (3.0e30, 4.0e30)]> : tensor<3xcomplex<f32>>\n"
             "%0 = stablehlo.abs %a : (tensor<3xcomplex<f32>>) -> tensor<3xf32>\n"
             "return %0 : tensor<3xf32>");
    assert_true(oc__m(output(0))[0] == inf && radius(0, 0) == 0);
    assert_true(isnan(oc__m(output(0))[1]) && radius(0, 1) == 0);
    assert_true(fabs(oc__m(output(0))[2] - 5e30) < 5e30 * 0x1p-22);
    assert_true(radius(0, 2) < 5e30 * 0x1p-20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_to_integers_truncate_and_saturate),
        cmocka_unit_test(large_integers_are_rounded_once),
        cmocka_unit_test(integers_to_integers_keep_the_low_bits),
        cmocka_unit_test(floats_to_floats_round_to_nearest_even),
        cmocka_unit_test(complex_numbers_go_part_by_part),
        cmocka_unit_test(a_modulus_is_infinite_when_a_part_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
