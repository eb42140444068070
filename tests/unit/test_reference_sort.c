/* sort and top_k in the reference. Wanted values are worked by hand from the StableHLO
 * specification and IEEE 754-2019. */
#include "movement_fixture.h"

#include <math.h>

#define COMPARE(direction, kind, element)                                              \
    "%p = stablehlo.compare " direction ", %x, %y" kind " : (tensor<" element          \
    ">, tensor<" element ">) -> tensor<i1>\nstablehlo.return %p : tensor<i1>"
/* %b: `values` sorted; %j: the places from which its elements came. */
#define SORT(count, element, attributes, comparator, values)                           \
    "%a = stablehlo.constant dense<" values "> : tensor<" count "x" element ">\n"      \
    "%i = stablehlo.iota dim = 0 : tensor<" count "xi32>\n"                            \
    "%b, %j = \"stablehlo.sort\"(%a, %i) <{" attributes "}> ({\n"                      \
    "^bb0(%x: tensor<" element ">, %y: tensor<" element                                \
    ">, %k: tensor<i32>, %l: tensor<i32>):\n" comparator "\n}) : (tensor<" count       \
    "x" element ">, tensor<" count "xi32>) -> (tensor<" count "x" element              \
    ">, tensor<" count "xi32>)\n"
#define VALUES(count, element)                                                         \
    "%r = stablehlo.reshape %b : (tensor<" count "x" element ">) -> tensor<" count     \
    "x" element ">"
#define PLACES(count)                                                                  \
    "%r = stablehlo.reshape %j : (tensor<" count "xi32>) -> tensor<" count "xi32>"
#define STABLE "dimension = 0 : i64, is_stable = true"

static void test_sort(void **state)
{
    (void)state;
#define DESCENDING                                                                     \
    SORT("5", "i32", STABLE, COMPARE("GT", "", "i32"), "[3, 7, 3, -1, 7]")
    gives(DESCENDING VALUES("5", "i32"), "tensor<5xi32>", "[7, 7, 3, 3, -1]");
    gives(DESCENDING PLACES("5"), "tensor<5xi32>", "[1, 4, 0, 2, 3]");
    gives(SORT("2", "ui64", "dimension = -1 : i64", COMPARE("LT", "", "ui64"),
               "[18446744073709551615, 1]") PLACES("2"),
          "tensor<2xi32>", "[1, 0]");
    gives("%a = stablehlo.constant dense<[[3, 1], [2, 5], [1, 4]]> : tensor<3x2xi32>\n"
          "%r = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n"
          "^bb0(%x: tensor<i32>, %y: tensor<i32>):\n" COMPARE(
              "LT", "", "i32") "\n}) : (tensor<3x2xi32>) -> tensor<3x2xi32>",
          "tensor<3x2xi32>", "[[1, 1], [2, 4], [3, 5]]");
}

/* -NaN < -inf < -0 < +0 < 1 < NaN (IEEE 754-2019, 5.10; openxla/stablehlo#1199) */
static void test_total_order(void **state)
{
    (void)state;
#define TOTAL                                                                          \
    SORT("6", "f32", STABLE, COMPARE("LT", ", TOTALORDER", "f32"),                     \
         "[1.0, 0x7FC00000, 0.0, -0.0, 0xFFC00000, 0xFF800000]")
    gives(TOTAL VALUES("6", "f32"), "tensor<6xf32>",
          "[0xFFC00000, 0xFF800000, -0.0, 0.0, 1.0, 0x7FC00000]");
    gives(TOTAL PLACES("6"), "tensor<6xi32>", "[4, 5, 3, 2, 0, 1]");
}

/* Many ties: a stable sort of 0 .. 99 by the remainder of 3 counts up by threes. */
static void test_stable(void **state)
{
    (void)state;
    program p =
        run_body("%i = stablehlo.iota dim = 0 : tensor<100xi32>\n"
                 "%t = stablehlo.constant dense<3> : tensor<100xi32>\n"
                 "%a = stablehlo.remainder %i, %t : tensor<100xi32>\n"
                 "%b, %r = \"stablehlo.sort\"(%a, %i) <{" STABLE "}> ({\n"
                 "^bb0(%x: tensor<i32>, %y: tensor<i32>, %k: tensor<i32>, %l: "
                 "tensor<i32>):\n" COMPARE(
                     "LT", "", "i32") "\n}) : (tensor<100xi32>, tensor<100xi32>) -> "
                                      "(tensor<100xi32>, tensor<100xi32>)",
                 "tensor<100xi32>");
    const int32_t *m = (const int32_t *)(const void *)program_output(&p, 0)->m->bytes;
    for (int i = 0, want = 0; i < 100; i++) {
        assert_int_equal(m[i], want);
        want = want + 3 < 100 ? want + 3 : want % 3 + 1;
    }
    program_free(&p);
}

/* Last digits of both sides. */
#define DIGITS                                                                         \
    "%t = stablehlo.constant dense<10> : tensor<i32>\n"                                \
    "%m = stablehlo.remainder %x, %t : tensor<i32>\n"                                  \
    "%n = stablehlo.remainder %y, %t : tensor<i32>\n"

/* By the last digit, then by the whole: no comparison of one number of each side, asked
 * pair by pair. 20 elements take several rounds of merging, the last one of a short
 * run. */
static void test_any_comparator(void **state)
{
    (void)state;
    gives(
        "%a = stablehlo.constant dense<[51, 23, 12, 41, 33, 21, 52, 11, 43, 22, 31, "
        "13, 42, 53, 32, 61, 62, 63, 71, 72]> : tensor<20xi32>\n"
        "%r = \"stablehlo.sort\"(%a) <{" STABLE "}> ({\n"
        "^bb0(%x: tensor<i32>, %y: tensor<i32>):\n" DIGITS
        "%l = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%e = stablehlo.compare EQ, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%g = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%h = stablehlo.and %e, %g : tensor<i1>\n"
        "%p = stablehlo.or %l, %h : tensor<i1>\n"
        "stablehlo.return %p : tensor<i1>\n"
        "}) : (tensor<20xi32>) -> tensor<20xi32>",
        "tensor<20xi32>",
        "[11, 21, 31, 41, 51, 61, 71, 12, 22, 32, 42, 52, 62, 72, 13, 23, 33, 43, 53, "
        "63]");
}

/* By the last digit alone: one number of each side. Equal ones keep their order. */
static void test_computed_key(void **state)
{
    (void)state;
    gives(
        "%a = stablehlo.constant dense<[51, 23, 12, 41, 33, 21]> : tensor<6xi32>\n"
        "%r = \"stablehlo.sort\"(%a) <{" STABLE "}> ({\n"
        "^bb0(%x: tensor<i32>, %y: tensor<i32>):\n" DIGITS
        "%p = stablehlo.compare GT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return %p : tensor<i1>\n"
        "}) : (tensor<6xi32>) -> tensor<6xi32>",
        "tensor<6xi32>", "[23, 33, 12, 51, 41, 21]");
}

/* A comparator that is no order (always true) must not lose an element. */
static void test_no_order(void **state)
{
    (void)state;
    program p =
        run_body("%a = stablehlo.constant dense<[1, 2, 4, 8, 16]> : tensor<5xi32>\n"
                 "%r = \"stablehlo.sort\"(%a) <{" STABLE "}> ({\n"
                 "^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
                 "%p = stablehlo.constant dense<true> : tensor<i1>\n"
                 "stablehlo.return %p : tensor<i1>\n"
                 "}) : (tensor<5xi32>) -> tensor<5xi32>",
                 "tensor<5xi32>");
    const int32_t *m = (const int32_t *)(const void *)program_output(&p, 0)->m->bytes;
    assert_int_equal(m[0] + m[1] + m[2] + m[3] + m[4], 31);
    assert_int_equal(oc__f(program_output(&p, 0))[0], OC__F_OPEN);
    assert_int_equal(noted(&p, "sort_comparator"), 5);
    program_free(&p);
}

/* What an unstable sort leaves open: what goes with equal numbers, not the numbers. */
static void test_unstable(void **state)
{
    (void)state;
#define TIES                                                                           \
    SORT("4", "i32", "dimension = 0 : i64", COMPARE("LT", "", "i32"), "[5, 2, 5, 9]")
    gives(TIES VALUES("4", "i32"), "tensor<4xi32>", "[2, 5, 5, 9]");
    program p = run_body(TIES PLACES("4"), "tensor<4xi32>");
    const uint8_t ties[4] = {0, OC__F_OPEN, OC__F_OPEN, 0};
    assert_memory_equal(oc__f(program_output(&p, 0)), ties, sizeof ties);
    assert_int_equal(noted(&p, "sort_unstable"), 2);
    program_free(&p);
}

/* NaN under an order that has no place for it, in one of two lines. */
static void test_nan(void **state)
{
    (void)state;
    program p = run_body(
        "%a = stablehlo.constant dense<[[1.0, 0x7FC00000, 0.5], [3.0, "
        "2.0, 1.0]]> : tensor<2x3xf32>\n"
        "%r = \"stablehlo.sort\"(%a) <{dimension = 1 : i64, is_stable = "
        "true}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" COMPARE(
            "LT", ", FLOAT", "f32") "\n}) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "tensor<2x3xf32>");
    const uint8_t open[6] = {OC__F_OPEN, OC__F_OPEN, OC__F_OPEN, 0, 0, 0};
    const double *m = oc__m(program_output(&p, 0));
    assert_memory_equal(oc__f(program_output(&p, 0)), open, sizeof open);
    assert_true(m[3] == 1.0 && m[4] == 2.0 && m[5] == 3.0);
    assert_int_equal(noted(&p, "sort_nan"), 3);
    program_free(&p);
}

/* exp(1) and exp of the next float are an ulp or so apart, less than their radii: as
 * numbers in order they are as sharp as before, what goes with them may be swapped. The
 * third one is far away. */
#define BALLS                                                                          \
    "%v = stablehlo.constant dense<[0x3F800001, 0x3F800000, 0.0]> : tensor<3xf32>\n"   \
    "%a = stablehlo.exponential %v : tensor<3xf32>\n"                                  \
    "%i = stablehlo.iota dim = 0 : tensor<3xi32>\n"                                    \
    "%f = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>\n"              \
    "%b, %j, %g = \"stablehlo.sort\"(%a, %i, %f) <{" STABLE "}> ({\n"                  \
    "^bb0(%x: tensor<f32>, %y: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>, %m: "    \
    "tensor<f32>, %n: tensor<f32>):\n" COMPARE(                                        \
        "LT", ", TOTALORDER", "f32") "\n}) : (tensor<3xf32>, tensor<3xi32>, "          \
                                     "tensor<3xf32>) -> (tensor<3xf32>, "              \
                                     "tensor<3xi32>, tensor<3xf32>)\n"

static void test_balls(void **state)
{
    (void)state;
    program p = run_body(BALLS VALUES("3", "f32"), "tensor<3xf32>");
    const oc__value *v = program_output(&p, 0);
    assert_true(oc__m(v)[0] == 1.0 && oc__m(v)[1] <= oc__m(v)[2]);
    for (size_t i = 1; i < 3; i++) {
        assert_true(oc__r(v)[i] > 0 && oc__r(v)[i] < 0x1p-18);
        assert_false(v->f && (oc__f(v)[i] & OC__F_HULL));
    }
    program_free(&p);
    p = run_body(BALLS PLACES("3"), "tensor<3xi32>");
    v = program_output(&p, 0);
    assert_int_equal(oc__f(v)[0] & OC__F_UNDECIDED, 0);
    assert_true(oc__f(v)[1] & OC__F_UNDECIDED && oc__f(v)[2] & OC__F_UNDECIDED);
    program_free(&p);
    p = run_body(BALLS "%r = stablehlo.negate %g : tensor<3xf32>", "tensor<3xf32>");
    v = program_output(&p, 0);
    assert_true(oc__m(v)[0] == -30.0 && oc__r(v)[0] == 0);
    for (size_t i = 1; i < 3; i++) {
        assert_true(oc__r(v)[i] >= 10 && oc__r(v)[i] < 10.1);
        assert_true(oc__f(v)[i] & OC__F_HULL);
    }
    program_free(&p);
}

/* Largest first; the lowest place of equal ones first; NaN above, -NaN below all. */
#define TOP_K                                                                          \
    "%a = stablehlo.constant dense<[[1.0, 3.0, 3.0], [0xFFC00000, 0x7FC00000, "        \
    "-1.0]]> "                                                                         \
    ": tensor<2x3xf32>\n"                                                              \
    "%b, %i = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, "           \
    "tensor<2x2xi32>)\n"

static void test_top_k(void **state)
{
    (void)state;
    gives(TOP_K "%r = stablehlo.reshape %b : (tensor<2x2xf32>) -> tensor<4xf32>",
          "tensor<4xf32>", "[3.0, 3.0, 0x7FC00000, -1.0]");
    gives(TOP_K "%r = stablehlo.reshape %i : (tensor<2x2xi32>) -> tensor<4xi32>",
          "tensor<4xi32>", "[1, 2, 1, 2]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),         cmocka_unit_test(test_total_order),
        cmocka_unit_test(test_stable),       cmocka_unit_test(test_any_comparator),
        cmocka_unit_test(test_computed_key), cmocka_unit_test(test_no_order),
        cmocka_unit_test(test_unstable),     cmocka_unit_test(test_nan),
        cmocka_unit_test(test_balls),        cmocka_unit_test(test_top_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
