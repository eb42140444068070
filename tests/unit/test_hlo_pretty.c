/* What pretty forms refuse, and where they say it is. What they mean is in
 * test_hlo_print: each equals MLIR's generic form. */
#include "unit.h"

#include "stablehlo/parse.h"
#include "stablehlo/pretty.h"

#include <stdio.h>

/* The operation, in line 2 after four blanks, is refused at this column with these
 * words. */
static void assert_refused(const char *op, int column, const char *words)
{
    static const char arguments[] =
        "%f: tensor<2x3xf32>, %g: tensor<3xf32>, %s: tensor<f32>, %i: tensor<2x3xi32>, "
        "%j: tensor<i32>, %p: tensor<2x3xi1>, %z: tensor<2x3xcomplex<f32>>, "
        "%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x8xf32>";
    char text[2048], place[64];
    oc_error err = {0};
    oc__hlo_module *module = NULL;
    snprintf(text, sizeof text, "func.func @main(%s) {\n    %s\n    return\n}\n",
             arguments, op);
    snprintf(place, sizeof place, "p:2:%d: ", column);
    oc_status rc = oc__hlo_parse(text, strlen(text), "p", &module, &err);
    oc__hlo_module_free(module);
    if (rc == OC_OK) {
        fail_msg("accepted: %s", op);
    }
    assert_int_equal(rc, OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, words);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, place);
}

static void stated_types_must_be_the_values(void **state)
{
    (void)state;
    assert_refused("%0 = stablehlo.add %f, %g : tensor<2x3xf32>", 28,
                   "'%g' has type tensor<3xf32>, but tensor<2x3xf32> is stated");
    assert_refused("%0 = stablehlo.select %p, %f, %i : tensor<2x3xi1>, tensor<2x3xf32>",
                   35, "'%i' has type tensor<2x3xi32>");
    assert_refused("%0 = stablehlo.select %p, %i, %f : tensor<2x3xi1>, tensor<2x3xf32>",
                   31, "'%i' has type tensor<2x3xi32>");
    assert_refused("%0 = stablehlo.select %f, %f, %f : tensor<2x3xi1>, tensor<2x3xf32>",
                   27, "'%f' has type tensor<2x3xf32>");
    assert_refused("%0 = stablehlo.complex %f, %i : tensor<2x3xcomplex<f32>>", 32,
                   "'%i' has type tensor<2x3xi32>");
    assert_refused("%0 = stablehlo.complex %f, %f : tensor<2x3xf32>", 37,
                   "expected a tensor of complex elements");
    assert_refused(
        "%0 = stablehlo.tuple %f, %g : tuple<tensor<2x3xf32>, tensor<2xf32>>", 30,
        "'%g' has type tensor<3xf32>");
    assert_refused("%0 = stablehlo.tuple %f, %g : tuple<tensor<2x3xf32>>", 35,
                   "expected a tuple of 2 elements");
    assert_refused("%0 = chlo.erf %f : tensor<3xf32> -> tensor<3xf32>", 19,
                   "'%f' has type tensor<2x3xf32>");
    assert_refused(
        "%0 = chlo.erf %f : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<3xf32>", 41,
        "more types");
    assert_refused("%0 = chlo.next_after %f, %f : tensor<2x3xf32> -> tensor<2x3xf32>",
                   10, "2 operands, but 1 type");
    assert_refused("%0 = stablehlo.optimization_barrier %f : tensor<3xf32>", 41,
                   "'%f' has type tensor<2x3xf32>");
    assert_refused("%0 = stablehlo.while(%a = %f) : tensor<3xf32> cond { } do { }", 31,
                   "'%f' has type tensor<2x3xf32>");
}

static void parts_of_forms_must_be_whole(void **state)
{
    (void)state;
    assert_refused("%0 = stablehlo.iota dim = x : tensor<3xi32>", 31, "a whole number");
    assert_refused(
        "%0 = stablehlo.transpose %f, permutation = [1, 0] : (tensor<2x3xf32>) -> "
        "tensor<3x2xf32>",
        34, "expected 'dims', found 'permutation'");
    assert_refused(
        "%0 = stablehlo.slice %f [0:2:1, 0] : (tensor<2x3xf32>) -> tensor<f32>", 38,
        "expected ':'");
    assert_refused("%0 = stablehlo.cholesky %f, lower = 1 : tensor<2x3xf32>", 41,
                   "true or false");
    assert_refused("%0 = stablehlo.compare 1, %f, %f : tensor<2x3xf32>", 28, "a word");
    assert_refused("%0 = stablehlo.reduce_precision %f, format = m5 : tensor<2x3xf32>",
                   50, "a format as e5m10");
    assert_refused(
        "%0 = stablehlo.reduce_precision %f, format = e5m10x : tensor<2x3xf32>", 50,
        "a format as e5m10");
    assert_refused(
        "%0 = stablehlo.reduce_precision %f, format = e12345m1 : tensor<2x3xf32>", 50,
        "a format as e5m10");
    assert_refused("%0 = stablehlo.get_tuple_element %f[4294967296] : tensor<2x3xf32>",
                   41, "a number of 32 bits");
    assert_refused("stablehlo.custom_call foo(%f) : (tensor<2x3xf32>) -> ()", 27,
                   "a string or a symbol");
    assert_refused("%0 = stablehlo.constant 1 : i64", 29, "expected dense<...>");
    assert_refused(
        "%0 = stablehlo.dot_general %f, %f, contracting_dims = [1] [1], precision = "
        "[DEFAULT] : tensor<2x3xf32>",
        63, "expected 'x'");
    assert_refused("%0 = stablehlo.dot %f, %f, precision = [3] : tensor<2x3xf32>", 45,
                   "a precision");
}

#define CONV(dims, window)                                                             \
    "%0 = stablehlo.convolution(%x, %k) dim_numbers = " dims ", window = {" window     \
    "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "                \
    "(tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x2x2x8xf32>"
#define RIGHT "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"

static void dimensions_of_a_convolution_must_be_complete(void **state)
{
    (void)state;
    assert_refused(CONV("[b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]", ""), 54,
                   "expected 'b' and 'f' among the dimensions");
    assert_refused(CONV("[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]", ""), 61,
                   "stands there twice");
    assert_refused(CONV("[b, 0, b, f]x[0, 1, i, o]->[b, 0, 1, f]", ""), 61,
                   "stands there twice");
    assert_refused(CONV("[b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f]", ""), 54,
                   "expected spatial dimension 1");
    assert_refused(CONV("[b, 0, 1, f]x[0, 1, i, f]->[b, 0, 1, f]", ""), 77,
                   "expected 'i', 'o' or the number of a spatial dimension");
    assert_refused(CONV("[b, 0, 99999999999, f]x[0, 1, i, o]->[b, 0, 1, f]", ""), 61,
                   "the number of a spatial dimension");
    assert_refused(CONV("[b, 0, 1, f][0, 1, i, o]->[b, 0, 1, f]", ""), 66,
                   "expected 'x'");
    assert_refused(CONV(RIGHT, "strides = [1, 1]"), 105, "stride, pad, lhs_dilate");
    assert_refused(CONV(RIGHT, "stride = [1, 1], stride = [1, 1]"), 122,
                   "at most once");
    assert_refused(CONV(RIGHT, "pad = [[1, 1], [1]]"), 118, "a pair [low, high]");
}

static void regions_must_have_their_arguments(void **state)
{
    (void)state;
    assert_refused(
        "%0 = stablehlo.reduce(%f init: %s) applies stablehlo.add across dimensions "
        "= [0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        36, "'%s' has type tensor<f32>");
    assert_refused(
        "%0:2 = stablehlo.reduce(%f init: %s), (%i init: %j) applies stablehlo.add "
        "across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, "
        "tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)",
        65, "'applies' is for one input, not for 2");
    assert_refused(
        "%0 = stablehlo.reduce(%f init: %s) across dimensions = [0] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32> reducer { stablehlo.return "
        "%s : tensor<f32> }",
        122, "expected 1 pairs of arguments, not 0");
    assert_refused("%0 = stablehlo.while(%f) : tensor<2x3xf32> cond { } do { }", 28,
                   "expected '='");
    assert_refused("%0 = stablehlo.while(%a = %f) : tensor<2x3xf32> do { } cond { }",
                   53, "expected 'cond'");
    assert_refused(
        "%0 = chlo.scan(%f) inits(%g, %g) dimension=0 {\n"
        "^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>):\n"
        "stablehlo.return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>\n"
        "} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>",
        10, "has 2 inits, but 1 result");
}

/* The table is searched by halving: a row out of order would not be found. */
static void every_row_is_found(void **state)
{
    static const char *const some[] = {"chlo._asin_acos_kernel",
                                       "chlo.acos",
                                       "chlo.zeta",
                                       "stablehlo.abs",
                                       "stablehlo.and",
                                       "stablehlo.reduce",
                                       "stablehlo.reduce_precision",
                                       "stablehlo.while",
                                       "stablehlo.xor"};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_non_null(oc__pretty_find(some[i]));
    }
    assert_null(oc__pretty_find("stablehlo.gather"));
    assert_null(oc__pretty_find("stablehlo"));
    assert_null(oc__pretty_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stated_types_must_be_the_values),
        cmocka_unit_test(parts_of_forms_must_be_whole),
        cmocka_unit_test(dimensions_of_a_convolution_must_be_complete),
        cmocka_unit_test(regions_must_have_their_arguments),
        cmocka_unit_test(every_row_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
