/* Operations on bits, and bits read as other types. Expected values by hand from the
 * specification, and from XLA's rules where the specification is silent. */
#include "program_fixture.h"

#include <math.h>
#include <stdio.h>

#define VECTOR(name, values, type)                                                     \
    "  %" name " = stablehlo.constant dense<" values "> : tensor<" type ">\n"
#define UNKNOWN "  %u = stablehlo.custom_call @oracle() : () -> tensor<i1>\n"

static void test_bitwise_on_every_width(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xui4>, "
        "tensor<2xi4>, tensor<2xi1>, tensor<1xui64>",
        VECTOR("a", "[1, -128, 85]", "3xi8") VECTOR("b", "[3, -1, -86]", "3xi8")
            VECTOR("c", "[5, 15]", "2xui4") VECTOR("d", "[5, -8]", "2xi4")
                VECTOR("e", "[true, false]", "2xi1") VECTOR("g", "[1]", "1xui64") //
        "  %0 = stablehlo.and %a, %b : tensor<3xi8>\n"
        "  %1 = stablehlo.or %a, %b : tensor<3xi8>\n"
        "  %2 = stablehlo.xor %a, %b : tensor<3xi8>\n"
        "  %3 = stablehlo.not %a : tensor<3xi8>\n"
        "  %4 = stablehlo.not %c : tensor<2xui4>\n"
        "  %5 = stablehlo.not %d : tensor<2xi4>\n"
        "  %6 = stablehlo.not %e : tensor<2xi1>\n"
        "  %7 = stablehlo.not %g : tensor<1xui64>\n"
        "  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xi8>, tensor<3xi8>, "
        "tensor<3xi8>, tensor<3xi8>, tensor<2xui4>, tensor<2xi4>, tensor<2xi1>, "
        "tensor<1xui64>\n"));
    ASSERT_INTS(&p, 0, 1, -128, 0);
    ASSERT_INTS(&p, 1, 3, -1, -1);
    ASSERT_INTS(&p, 2, 2, 127, -1);
    ASSERT_INTS(&p, 3, -2, 127, -86);
    ASSERT_INTS(&p, 4, 10, 0);
    ASSERT_INTS(&p, 5, -6, 7);
    ASSERT_INTS(&p, 6, 0, 1);
    uint64_t all_but_one;
    memcpy(&all_but_one, program_output(&p, 7)->m->bytes, sizeof all_but_one);
    assert_true(all_but_one == UINT64_MAX - 1);
    program_free(&p);
}

/* Kleene's three-valued logic. */
static void test_undecided_predicates(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>",
             UNKNOWN VECTOR("t", "true", "i1") VECTOR("f", "false", "i1") //
             "  %0 = stablehlo.and %u, %f : tensor<i1>\n"
             "  %1 = stablehlo.or %t, %u : tensor<i1>\n"
             "  %2 = stablehlo.and %t, %u : tensor<i1>\n"
             "  %3 = stablehlo.or %u, %f : tensor<i1>\n"
             "  %4 = stablehlo.xor %u, %t : tensor<i1>\n"
             "  %5 = stablehlo.not %u : tensor<i1>\n"
             "  return %0, %1, %2, %3, %4, %5 : tensor<i1>, tensor<i1>, tensor<i1>, "
             "tensor<i1>, tensor<i1>, tensor<i1>\n"));
    ASSERT_INTS(&p, 0, 0);
    ASSERT_INTS(&p, 1, 1);
    for (size_t i = 2; i < 6; i++) {
        assert_true(oc__f(program_output(&p, i))[0] & OC__F_UNDECIDED);
    }
    program_free(&p);
}

static void test_counts(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<4xi8>, tensor<4xi8>, tensor<2xi4>, tensor<2xi64>",
             VECTOR("a", "[0, 1, -1, 127]", "4xi8") VECTOR("b", "[-1, 1]", "2xi4")
                 VECTOR("c", "[0, -1]", "2xi64") //
             "  %0 = stablehlo.popcnt %a : tensor<4xi8>\n"
             "  %1 = stablehlo.count_leading_zeros %a : tensor<4xi8>\n"
             "  %2 = stablehlo.count_leading_zeros %b : tensor<2xi4>\n"
             "  %3 = stablehlo.popcnt %c : tensor<2xi64>\n"
             "  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xi8>, tensor<2xi4>, "
             "tensor<2xi64>\n"));
    ASSERT_INTS(&p, 0, 0, 1, 8, 7);
    ASSERT_INTS(&p, 1, 8, 7, 0, 1);
    ASSERT_INTS(&p, 2, 0, 3);
    ASSERT_INTS(&p, 3, 0, 64);
    program_free(&p);
}

/* Inside the width exact; by the width or more left open: 0, or the sign. */
static void test_shifts(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<2xui8>",
             VECTOR("a", "[9, -1, -1, 64]", "4xi8") VECTOR("b", "[4, 8, 1, -1]", "4xi8")
                 VECTOR("c", "[200, 200]", "2xui8") VECTOR("d", "[1, 9]", "2xui8") //
             "  %0 = stablehlo.shift_left %a, %b : tensor<4xi8>\n"
             "  %1 = stablehlo.shift_right_logical %a, %b : tensor<4xi8>\n"
             "  %2 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xi8>\n"
             "  %3 = stablehlo.shift_right_arithmetic %c, %d : tensor<2xui8>\n"
             "  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, "
             "tensor<2xui8>\n"));
    ASSERT_INTS(&p, 0, -112, 0, -2, 0);
    ASSERT_INTS(&p, 1, 0, 0, 127, 0);
    ASSERT_INTS(&p, 2, 0, -1, -1, 0);
    ASSERT_INTS(&p, 3, 228, 255);
    static const bool open[] = {false, true, false, true};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal((oc__f(program_output(&p, 0))[i] & OC__F_OPEN) != 0, open[i]);
        assert_int_equal((oc__f(program_output(&p, 2))[i] & OC__F_OPEN) != 0, open[i]);
    }
    assert_string_equal(program_note(&p), "shift_past_width");
    program_free(&p);
}

static void test_high_halves_of_products(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<3xi8>, tensor<2xui8>, tensor<2xi64>",
             VECTOR("a", "[127, -128, -1]", "3xi8")
                 VECTOR("b", "[127, -128, 1]", "3xi8") VECTOR("c", "[255, 16]", "2xui8")
                     VECTOR("d", "[4611686018427387904, -1]", "2xi64")
                         VECTOR("e", "[8, 9223372036854775807]", "2xi64") //
             "  %0 = \"chlo.mulhi\"(%a, %b) : (tensor<3xi8>, tensor<3xi8>) -> "
             "tensor<3xi8>\n"
             "  %1 = \"chlo.mulhi\"(%c, %c) : (tensor<2xui8>, tensor<2xui8>) -> "
             "tensor<2xui8>\n"
             "  %2 = \"chlo.mulhi\"(%d, %e) : (tensor<2xi64>, tensor<2xi64>) -> "
             "tensor<2xi64>\n"
             "  return %0, %1, %2 : tensor<3xi8>, tensor<2xui8>, tensor<2xi64>\n"));
    ASSERT_INTS(&p, 0, 63, 64, -1); // 16129 and 16384 of 256, -1
    ASSERT_INTS(&p, 1, 254, 1);     // 65025 and 256 of 256
    ASSERT_INTS(&p, 2, 2, -1);      // 2^65 and -(2^63 - 1) of 2^64
    program_free(&p);
}

static void test_powers_of_integers(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<9xi8>, tensor<2xui16>",
        VECTOR("a", "[3, -2, 0, 7, 2, 1, -1, -1, 0]", "9xi8")
            VECTOR("b", "[4, 3, 0, 3, -1, -5, -3, -4, -1]", "9xi8")
                VECTOR("c", "[300, 3]", "2xui16") VECTOR("d", "[2, 11]", "2xui16") //
        "  %0 = stablehlo.power %a, %b : tensor<9xi8>\n"
        "  %1 = stablehlo.power %c, %d : tensor<2xui16>\n"
        "  return %0, %1 : tensor<9xi8>, tensor<2xui16>\n"));
    ASSERT_INTS(&p, 0, 81, -8, 1, 87, 0, 1, -1, 1, 0); // 343 wraps to 87
    ASSERT_INTS(&p, 1, 24464, 46075); // 90000 and 177147 less 2 * 65536
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal((oc__f(program_output(&p, 0))[i] & OC__F_OPEN) != 0, i >= 4);
    }
    assert_string_equal(program_note(&p), "negative_exponent");
    program_free(&p);
}

static void test_other_types_are_refused(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc = program_try(MAIN("tensor<f32>", CONSTANT("a", "1.0") //
                                    "  %0 = stablehlo.not %a : tensor<f32>\n"
                                    "  return %0 : tensor<f32>\n"),
                               1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "takes integers or i1");
    program_free(&p);
}

/* --- bitcast_convert --- */

#define CAST(from, to, type_from, type_to)                                             \
    "  %" to " = stablehlo.bitcast_convert %" from " : (tensor<" type_from             \
    ">) -> tensor<" type_to ">\n"

/* The specification's example, and the same bits in smaller and larger pieces. */
static void test_bits_split_and_join(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<4xui16>, tensor<f64>, tensor<64xi1>, tensor<i64>, tensor<16xui4>, "
             "tensor<2xi32>",
             VECTOR("x", "0x0123456789ABCDEF", "i64") CAST("x", "d", "i64", "f64")
                 CAST("d", "0", "f64", "4xui16") CAST("0", "1", "4xui16", "f64")
                     CAST("d", "2", "f64", "64xi1") CAST("2", "3", "64xi1", "i64")
                         CAST("x", "4", "i64", "16xui4") CAST("4", "5", "16xui4", "i64")
                             CAST("5", "6", "i64", "2xi32") //
             "  return %0, %1, %2, %3, %4, %6 : tensor<4xui16>, tensor<f64>, "
             "tensor<64xi1>, tensor<i64>, tensor<16xui4>, tensor<2xi32>\n"));
    ASSERT_INTS(&p, 0, 0xcdef, 0x89ab, 0x4567, 0x0123);
    uint64_t bits;
    memcpy(&bits, program_output(&p, 1)->m->bytes, sizeof bits);
    assert_true(bits == 0x0123456789abcdef);
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(program_output(&p, 2)->m->bytes[i],
                         (0x0123456789abcdefU >> i) & 1);
    }
    ASSERT_INTS(&p, 3, 0x0123456789abcdef);
    ASSERT_INTS(&p, 4, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    ASSERT_INTS(&p, 5, (int32_t)0x89abcdef, 0x01234567);
    program_free(&p);
}

static void test_bits_of_floats(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<3xi32>, tensor<2xi16>, tensor<2xf8E5M2>, tensor<2xcomplex<f32>>, "
        "tensor<2xi4>",
        VECTOR("a", "[1.0, -0.0, -2.5]", "3xf32") VECTOR("b", "[1.0, -3.5]", "2xbf16")
            VECTOR("c", "[60, -64]", "2xi8")
                VECTOR("z", "(0x3FF0000000000000, 0xC000000000000000)", "complex<f64>")
                    VECTOR("g", "[0x2, 0xB]", "2xf4E2M1FN") //
        CAST("a", "0", "3xf32", "3xi32") CAST("b", "1", "2xbf16", "2xi16")
            CAST("c", "2", "2xi8", "2xf8E5M2")
                CAST("z", "3", "complex<f64>", "2xcomplex<f32>")
                    CAST("g", "4", "2xf4E2M1FN", "2xi4") //
        "  return %0, %1, %2, %3, %4 : tensor<3xi32>, tensor<2xi16>, "
        "tensor<2xf8E5M2>, tensor<2xcomplex<f32>>, tensor<2xi4>\n"));
    ASSERT_INTS(&p, 0, 0x3f800000, INT32_MIN, -0x3fe00000);
    ASSERT_INTS(&p, 1, 0x3f80, -0x3fa0);
    // 0x3c and 0xc0 of f8E5M2
    assert_true(oc__m(program_output(&p, 2))[0] == 1);
    assert_true(oc__m(program_output(&p, 2))[1] == -2);
    // the low and the high word of each part
    const double *z = oc__m(program_output(&p, 3));
    assert_true(z[0] == 0 && z[1] == 1.875 && z[2] == 0 && z[3] == -2);
    ASSERT_INTS(&p, 4, 2, -5);
    program_free(&p);
}

/* Only points have bits; a NaN's payload is nobody's contract, its sign is kept. */
static void test_bits_that_are_not_known(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<i32>, tensor<i32>, tensor<i32>, tensor<2xf16>, tensor<f32>",
             CONSTANT("x", "0.5") CONSTANT("n", "0xFFC00000") CONSTANT("o", "0.0") //
             "  %e = stablehlo.exponential %x : tensor<f32>\n"
             "  %s = stablehlo.sine %o : tensor<f32>\n" //
             CAST("e", "0", "f32", "i32") CAST("n", "1", "f32", "i32")
                 CAST("s", "2", "f32", "i32") CAST("e", "3", "f32", "2xf16")
                     CAST("e", "4", "f32", "f32") //
             "  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<i32>, "
             "tensor<2xf16>, tensor<f32>\n"));
    assert_true(oc__f(program_output(&p, 0))[0] & OC__F_UNDECIDED);
    assert_int_equal(oc__f(program_output(&p, 1))[0], OC__F_OPEN);
    int32_t nan_bits;
    memcpy(&nan_bits, program_output(&p, 1)->m->bytes, sizeof nan_bits);
    assert_int_equal(nan_bits, (int32_t)0xffc00000);
    assert_true(oc__f(program_output(&p, 2))[0] & OC__F_UNDECIDED); // a zero's sign
    assert_true(isinf(oc__r(program_output(&p, 3))[0]));
    assert_true(isinf(oc__r(program_output(&p, 3))[1]));
    assert_true(oc__r(program_output(&p, 4))[0] < 1e-6); // nothing was read
    program_free(&p);
}

static void test_shapes_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {CAST("x", "0", "3xi8", "i32"), "the last dimension must be 4"},
        {CAST("x", "0", "3xi8", "3xcomplex<f32>"), "complex to complex only"},
        {CAST("x", "0", "3xi8", "2xf6E3M2FN"), "do not divide"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        oc_error err = {0};
        program p;
        char text[512];
        snprintf(text, sizeof text, "%s%s%s",
                 "func.func @main() {\n" VECTOR("x", "[1, 2, 3]", "3xi8"), rows[i][0],
                 "  return\n}\n");
        assert_int_equal(
            program_try(text, 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err),
            OC_PARSE);
        ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, rows[i][1]);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bitwise_on_every_width),
        cmocka_unit_test(test_undecided_predicates),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_high_halves_of_products),
        cmocka_unit_test(test_powers_of_integers),
        cmocka_unit_test(test_other_types_are_refused),
        cmocka_unit_test(test_bits_split_and_join),
        cmocka_unit_test(test_bits_of_floats),
        cmocka_unit_test(test_bits_that_are_not_known),
        cmocka_unit_test(test_shapes_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
