/* Elementwise operations on points, for every type of element. What is right comes from
 * the StableHLO specification and IEEE 754; where the specification is silent, from
 * XLA's rules (such elements must say that they are open). */
#include "elementwise_fixture.h"

#include <math.h>
#include <stdio.h>

/* --- integers and i1 --- */

static void integers_wrap_to_their_width(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *a, *b;
        int64_t sum, difference, product;
    } table[] = {
        {"i2", "1", "1", -2, 0, 1},
        {"ui2", "3", "2", 1, 1, 2},
        {"i4", "7", "2", -7, 5, -2},
        {"ui4", "15", "2", 1, 13, 14},
        {"i8", "127", "3", -126, 124, 125},
        {"ui8", "255", "2", 1, 253, 254},
        {"i16", "32767", "2", -32767, 32765, -2},
        {"ui16", "1", "2", 3, 65535, 2},
        {"i32", "2147483647", "2", -2147483647, 2147483645, -2},
        {"ui32", "65536", "65537", 131073, 4294967295, 65536},
        {"i64", "9223372036854775807", "2", -9223372036854775807, 9223372036854775805,
         -2},
        {"ui64", "4294967296", "4294967297", 8589934593, INT64_MAX, 4294967296},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char body[1024], results[128];
        const char *t = table[i].type;
        snprintf(results, sizeof results, "tensor<%s>, tensor<%s>, tensor<%s>", t, t,
                 t);
        snprintf(body, sizeof body,
                 "%%a = stablehlo.constant dense<%s> : tensor<%s>\n"
                 "%%b = stablehlo.constant dense<%s> : tensor<%s>\n"
                 "%%0 = stablehlo.add %%a, %%b : tensor<%s>\n"
                 "%%1 = stablehlo.subtract %%a, %%b : tensor<%s>\n"
                 "%%2 = stablehlo.multiply %%a, %%b : tensor<%s>\n"
                 "return %%0, %%1, %%2 : %s",
                 table[i].a, t, table[i].b, t, t, t, t, results);
        evaluate(results, body);
        INTEGERS(0, 0, table[i].sum);
        INTEGERS(1, 0, table[i].difference);
        INTEGERS(2, 0, table[i].product);
    }
}

static void the_smallest_integer_has_no_opposite(void **state)
{
    (void)state;
    evaluate("tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<2xi4>, tensor<2xui8>",
             "%a = stablehlo.constant dense<[-2147483648, 3, -3]> : tensor<3xi32>\n"
             "%b = stablehlo.constant dense<[-8, 5]> : tensor<2xi4>\n"
             "%c = stablehlo.constant dense<[1, 0]> : tensor<2xui8>\n"
             "%0 = stablehlo.abs %a : tensor<3xi32>\n"
             "%1 = stablehlo.negate %a : tensor<3xi32>\n"
             "%2 = stablehlo.sign %a : tensor<3xi32>\n"
             "%3 = stablehlo.abs %b : tensor<2xi4>\n"
             "%4 = stablehlo.negate %c : tensor<2xui8>\n"
             "return %0, %1, %2, %3, %4 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, "
             "tensor<2xi4>, tensor<2xui8>");
    INTEGERS(0, 0, INT32_MIN, 3, 3);
    INTEGERS(1, 0, INT32_MIN, -3, 3);
    INTEGERS(2, 0, -1, 1, -1);
    INTEGERS(3, 0, -8, 5);
    INTEGERS(4, 0, 255, 0);
}

/* The specification is silent: XLA's answers, and the elements are open. */
static void integer_division_by_zero_is_open(void **state)
{
    (void)state;
    evaluate("tensor<2xi8>, tensor<2xi8>, tensor<1xui8>, tensor<1xui8>",
             "%a = stablehlo.constant dense<[-7, -128]> : tensor<2xi8>\n"
             "%b = stablehlo.constant dense<[0, -1]> : tensor<2xi8>\n"
             "%c = stablehlo.constant dense<200> : tensor<1xui8>\n"
             "%d = stablehlo.constant dense<0> : tensor<1xui8>\n"
             "%0 = stablehlo.divide %a, %b : tensor<2xi8>\n"
             "%1 = stablehlo.remainder %a, %b : tensor<2xi8>\n"
             "%2 = stablehlo.divide %c, %d : tensor<1xui8>\n"
             "%3 = stablehlo.remainder %c, %d : tensor<1xui8>\n"
             "return %0, %1, %2, %3 : tensor<2xi8>, tensor<2xi8>, tensor<1xui8>, "
             "tensor<1xui8>");
    INTEGERS(0, OC__F_OPEN, -1, -128);
    INTEGERS(1, OC__F_OPEN, -7, 0);
    INTEGERS(2, OC__F_OPEN, 255);
    INTEGERS(3, OC__F_OPEN, 200);
    assert_true(run.note_count == 6);
    evaluate("tensor<4xi32>, tensor<4xi32>",
             "%a = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi32>\n"
             "%b = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi32>\n"
             "%0 = stablehlo.divide %a, %b : tensor<4xi32>\n"
             "%1 = stablehlo.remainder %a, %b : tensor<4xi32>\n"
             "return %0, %1 : tensor<4xi32>, tensor<4xi32>");
    INTEGERS(0, 0, 5, -5, -5, 5);
    INTEGERS(1, 0, 2, -2, 2, -2);
}

static void booleans_add_as_or_and_multiply_as_and(void **state)
{
    (void)state;
    evaluate(
        "tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>",
        "%a = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>\n"
        "%b = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>\n"
        "%0 = stablehlo.add %a, %b : tensor<4xi1>\n"
        "%1 = stablehlo.multiply %a, %b : tensor<4xi1>\n"
        "%2 = stablehlo.maximum %a, %b : tensor<4xi1>\n"
        "%3 = stablehlo.minimum %a, %b : tensor<4xi1>\n"
        "return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, "
        "tensor<4xi1>");
    INTEGERS(0, 0, 0, 1, 1, 1);
    INTEGERS(1, 0, 0, 0, 0, 1);
    INTEGERS(2, 0, 0, 1, 1, 1);
    INTEGERS(3, 0, 0, 0, 0, 1);
}

/* --- floats --- */

static void zeros_have_their_signs(void **state)
{
    (void)state;
    evaluate(
        "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>",
        "%a = stablehlo.constant dense<[-0.0, -0.0, 0.0, 3.0]> : tensor<4xf32>\n"
        "%b = stablehlo.constant dense<[0.0, -0.0, -5.0, -3.0]> : tensor<4xf32>\n"
        "%0 = stablehlo.add %a, %b : tensor<4xf32>\n"
        "%1 = stablehlo.multiply %a, %b : tensor<4xf32>\n"
        "%2 = stablehlo.sqrt %a : tensor<4xf32>\n"
        "%3 = stablehlo.abs %a : tensor<4xf32>\n"
        "%4 = stablehlo.remainder %a, %b : tensor<4xf32>\n"
        "return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, "
        "tensor<4xf32>, tensor<4xf32>");
    POINTS(0, 0.0, -0.0, -5, 0.0);
    POINTS(1, -0.0, 0.0, -0.0, -9);
    POINTS(2, -0.0, -0.0, 0.0, (double)sqrtf(3));
    POINTS(3, 0.0, 0.0, 0.0, 3);
    POINTS(4, quiet_nan, quiet_nan, 0.0, 0.0);
}

static void maximum_and_clamp_pass_nan_on(void **state)
{
    (void)state;
    evaluate("tensor<4xf32>, tensor<4xf32>, tensor<4xf32>",
             "%a = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0, 0x7F800000]> : "
             "tensor<4xf32>\n"
             "%b = stablehlo.constant dense<[0x7FC00000, 1.0, 0.0, 2.0]> : "
             "tensor<4xf32>\n"
             "%lo = stablehlo.constant dense<2.0> : tensor<f32>\n"
             "%hi = stablehlo.constant dense<1.0> : tensor<f32>\n"
             "%0 = stablehlo.maximum %a, %b : tensor<4xf32>\n"
             "%1 = stablehlo.minimum %a, %b : tensor<4xf32>\n"
             "%2 = stablehlo.clamp %lo, %a, %hi : (tensor<f32>, tensor<4xf32>, "
             "tensor<f32>) -> tensor<4xf32>\n"
             "return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>");
    POINTS(0, quiet_nan, quiet_nan, 0.0, inf);
    POINTS(1, quiet_nan, quiet_nan, -0.0, 2);
    POINTS(2, 1, quiet_nan, 1, 1); // min > max: the upper bound is applied last
}

/* Alone, so that nothing else makes the loop look twice. */
static void one_nan_is_enough(void **state)
{
    (void)state;
    evaluate("tensor<2xf32>, tensor<2xf32>, tensor<3xf32>",
             "%a = stablehlo.constant dense<[5.0, 1.0]> : tensor<2xf32>\n"
             "%b = stablehlo.constant dense<[2.0, 0x7FC00000]> : tensor<2xf32>\n"
             "%x = stablehlo.constant dense<[-1.0, 4.0, 9.0]> : tensor<3xf32>\n"
             "%lo = stablehlo.constant dense<3.0> : tensor<f32>\n"
             "%hi = stablehlo.constant dense<[5.0, 5.0, 6.0]> : tensor<3xf32>\n"
             "%0 = stablehlo.maximum %a, %b : tensor<2xf32>\n"
             "%1 = stablehlo.minimum %b, %a : tensor<2xf32>\n"
             "%2 = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<3xf32>, "
             "tensor<3xf32>) -> tensor<3xf32>\n"
             "return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>");
    POINTS(0, 5, quiet_nan);
    POINTS(1, 2, quiet_nan);
    POINTS(2, 3, 4, 6);
}

static void infinities_and_nan_follow_ieee(void **state)
{
    (void)state;
    evaluate("tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>",
             "%a = stablehlo.constant dense<[0x7F800000, 0.0, -1.0]> : tensor<3xf32>\n"
             "%b = stablehlo.constant dense<[0xFF800000, 0.0, -0.0]> : tensor<3xf32>\n"
             "%0 = stablehlo.add %a, %b : tensor<3xf32>\n"
             "%1 = stablehlo.divide %a, %b : tensor<3xf32>\n"
             "%2 = stablehlo.multiply %a, %b : tensor<3xf32>\n"
             "%3 = stablehlo.sqrt %a : tensor<3xf32>\n"
             "return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, "
             "tensor<3xf32>");
    POINTS(0, quiet_nan, 0.0, -1);
    POINTS(1, quiet_nan, quiet_nan, inf);
    POINTS(2, -inf, 0.0, 0.0);
    POINTS(3, inf, 0.0, quiet_nan);
}

static void whole_numbers_and_signs(void **state)
{
    (void)state;
    evaluate(
        "tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>",
        "%a = stablehlo.constant dense<[-2.5, -0.5, -0.0, 2.5, 0x7FC00000]> : "
        "tensor<5xf32>\n"
        "%0 = stablehlo.floor %a : tensor<5xf32>\n"
        "%1 = stablehlo.ceil %a : tensor<5xf32>\n"
        "%2 = stablehlo.round_nearest_even %a : tensor<5xf32>\n"
        "%3 = stablehlo.round_nearest_afz %a : tensor<5xf32>\n"
        "%4 = stablehlo.sign %a : tensor<5xf32>\n"
        "return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, "
        "tensor<5xf32>, tensor<5xf32>");
    POINTS(0, -3, -1, -0.0, 2, quiet_nan);
    POINTS(1, -2, -0.0, -0.0, 3, quiet_nan);
    POINTS(2, -2, -0.0, -0.0, 2, quiet_nan);
    POINTS(3, -3, -1, -0.0, 3, quiet_nan);
    POINTS(4, -1, -1, -0.0, 1, quiet_nan);
}

static void reduce_precision_flushes_and_overflows(void **state)
{
    (void)state;
    // The specification's own example, and a tie.
    evaluate("tensor<7xf64>",
             "%a = stablehlo.constant dense<[0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF, "
             "0x0000000000000001, 0.0, 65519.0, 65520.0, 2049.0]> : tensor<7xf64>\n"
             "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<7xf64>\n"
             "return %0 : tensor<7xf64>");
    POINTS(0, inf, quiet_nan, 0.0, 0.0, 65504, inf, 2048);
    // The smallest exponent of five bits is -14; nothing is left below it.
    evaluate("tensor<4xf32>",
             "%a = stablehlo.constant dense<[0x38800000, 0x387FF000, -0.00003, 3.0]> : "
             "tensor<4xf32>\n"
             "%0 = stablehlo.reduce_precision %a, format = e5m1 : tensor<4xf32>\n"
             "return %0 : tensor<4xf32>");
    POINTS(0, 0x1p-14, 0x1p-14, -0.0, 3);
}

/* --- comparisons --- */

static void comparisons_are_quiet(void **state)
{
    (void)state;
    static const struct {
        const char *direction;
        int64_t less, equal, greater, unordered;
    } table[] = {{"EQ", 0, 1, 0, 0}, {"NE", 1, 0, 1, 1}, {"LT", 1, 0, 0, 0},
                 {"LE", 1, 1, 0, 0}, {"GT", 0, 0, 1, 0}, {"GE", 0, 1, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        char body[1024];
        snprintf(
            body, sizeof body,
            "%%a = stablehlo.constant dense<[1.0, -0.0, 3.0, 0x7FC00000]> : "
            "tensor<4xf32>\n"
            "%%b = stablehlo.constant dense<[2.0, 0.0, 2.0, 1.0]> : tensor<4xf32>\n"
            "%%0 = stablehlo.compare %s, %%a, %%b, FLOAT : (tensor<4xf32>, "
            "tensor<4xf32>) -> tensor<4xi1>\n"
            "%%1 = stablehlo.compare %s, %%a, %%a, FLOAT : (tensor<4xf32>, "
            "tensor<4xf32>) -> tensor<4xi1>\n"
            "return %%0, %%1 : tensor<4xi1>, tensor<4xi1>",
            table[i].direction, table[i].direction);
        evaluate("tensor<4xi1>, tensor<4xi1>", body);
        INTEGERS(0, 0, table[i].less, table[i].equal, table[i].greater,
                 table[i].unordered);
        INTEGERS(1, 0, table[i].equal, table[i].equal, table[i].equal,
                 table[i].unordered);
    }
}

/* -NaN < -inf < -1 < -0 < +0 < 1 < inf < NaN. */
static void total_order_is_total(void **state)
{
    (void)state;
    evaluate("tensor<7xi1>, tensor<7xi1>",
             "%a = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, "
             "1.0, 0x7F800000]> : tensor<7xf32>\n"
             "%b = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, "
             "0x7F800000, 0x7FC00000]> : tensor<7xf32>\n"
             "%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<7xf32>, "
             "tensor<7xf32>) -> tensor<7xi1>\n"
             "%1 = stablehlo.compare GE, %a, %b, TOTALORDER : (tensor<7xf32>, "
             "tensor<7xf32>) -> tensor<7xi1>\n"
             "return %0, %1 : tensor<7xi1>, tensor<7xi1>");
    INTEGERS(0, 0, 1, 1, 1, 1, 1, 1, 1);
    INTEGERS(1, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void integers_compare_by_their_sign(void **state)
{
    (void)state;
    evaluate("tensor<1xi1>, tensor<1xi64>",
             "%a = stablehlo.constant dense<18446744073709551615> : tensor<1xui64>\n"
             "%b = stablehlo.constant dense<1> : tensor<1xui64>\n"
             "%c = stablehlo.constant dense<-1> : tensor<1xi64>\n"
             "%d = stablehlo.constant dense<1> : tensor<1xi64>\n"
             "%0 = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<1xui64>, "
             "tensor<1xui64>) -> tensor<1xi1>\n"
             "%1 = stablehlo.maximum %c, %d : tensor<1xi64>\n"
             "return %0, %1 : tensor<1xi1>, tensor<1xi64>");
    INTEGERS(0, 0, 1);
    INTEGERS(1, 0, 1);
    evaluate("tensor<2xi1>, tensor<2xi1>",
             "%a = stablehlo.constant dense<[-1, 1]> : tensor<2xi8>\n"
             "%b = stablehlo.constant dense<[1, -1]> : tensor<2xi8>\n"
             "%c = stablehlo.constant dense<[255, 1]> : tensor<2xui8>\n"
             "%d = stablehlo.constant dense<[1, 255]> : tensor<2xui8>\n"
             "%0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<2xi8>, tensor<2xi8>) "
             "-> tensor<2xi1>\n"
             "%1 = stablehlo.compare LT, %c, %d, UNSIGNED : (tensor<2xui8>, "
             "tensor<2xui8>) -> tensor<2xi1>\n"
             "return %0, %1 : tensor<2xi1>, tensor<2xi1>");
    INTEGERS(0, 0, 1, 0);
    INTEGERS(1, 0, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_wrap_to_their_width),
        cmocka_unit_test(the_smallest_integer_has_no_opposite),
        cmocka_unit_test(integer_division_by_zero_is_open),
        cmocka_unit_test(booleans_add_as_or_and_multiply_as_and),
        cmocka_unit_test(zeros_have_their_signs),
        cmocka_unit_test(maximum_and_clamp_pass_nan_on),
        cmocka_unit_test(one_nan_is_enough),
        cmocka_unit_test(infinities_and_nan_follow_ieee),
        cmocka_unit_test(whole_numbers_and_signs),
        cmocka_unit_test(reduce_precision_flushes_and_overflows),
        cmocka_unit_test(comparisons_are_quiet),
        cmocka_unit_test(total_order_is_total),
        cmocka_unit_test(integers_compare_by_their_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
