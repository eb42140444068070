/* Shapes, parts and order of tensors in the reference. Wanted values are worked by hand
 * from the StableHLO specification (its examples where it has one). */
#include "movement_fixture.h"

#include <math.h>

/* --- shapes --------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    gives("%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
          "%r = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<3x2xi32>",
          "tensor<3x2xi32>", "[[1, 2], [3, 4], [5, 6]]");
    gives("%a = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>\n"
          "%r = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<1x3xi32>) -> "
          "tensor<2x3x2xi32>",
          "tensor<2x3x2xi32>", "[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]");
    gives("%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
          "%r = stablehlo.broadcast %a, sizes = [3] : (tensor<2xi32>) -> "
          "tensor<3x2xi32>",
          "tensor<3x2xi32>", "[[1, 2], [1, 2], [1, 2]]");
    gives("%a = stablehlo.constant dense<[[[1,2], [3,4], [5,6]], [[7,8], [9,10], "
          "[11,12]]]> : tensor<2x3x2xi32>\n"
          "%r = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<2x3x2xi32>) -> "
          "tensor<2x3x2xi32>",
          "tensor<2x3x2xi32>", "[[[1,7], [3,9], [5,11]], [[2,8], [4,10], [6,12]]]");
    gives("%a = stablehlo.constant dense<[[1,2],[3,4],[5,6]]> : tensor<3x2xi32>\n"
          "%r = stablehlo.reverse %a, dims = [1] : tensor<3x2xi32>",
          "tensor<3x2xi32>", "[[2,1],[4,3],[6,5]]");
    gives("%a = stablehlo.constant dense<0> : tensor<2x3xi64>\n"
          "%r = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xi64>) -> "
          "tensor<i32>",
          "tensor<i32>", "3");
}

/* Shapes that only values say: a `?` needs no refinement. */
static void test_dynamic_shapes(void **state)
{
    (void)state;
    gives_as("%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
             "%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> "
             "tensor<?x?xi64>",
             "tensor<?x?xi64>", "tensor<2x3xi64>", "[[0, 0, 0], [1, 1, 1]]");
    gives_as("%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>\n"
             "%n = stablehlo.constant dense<6> : tensor<1xi32>\n"
             "%r = stablehlo.dynamic_reshape %a, %n : (tensor<2x3xi64>, tensor<1xi32>) "
             "-> tensor<?xi64>",
             "tensor<?xi64>", "tensor<6xi64>", "[1, 2, 3, 4, 5, 6]");
    gives_as("%t = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
             "%v = stablehlo.constant dense<[[5], [6], [7]]> : tensor<3x1xi64>\n"
             "%r = stablehlo.dynamic_broadcast_in_dim %v, %t, dims = [0, 1] : "
             "(tensor<3x1xi64>, tensor<2xi64>) -> tensor<?x2xi64>",
             "tensor<?x2xi64>", "tensor<3x2xi64>", "[[5, 5], [6, 6], [7, 7]]");
}

/* What lies past the size is nobody's to say. */
static void test_set_dimension_size(void **state)
{
    (void)state;
    program p = run_body("%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : "
                         "tensor<2x3xi32>\n"
                         "%s = stablehlo.constant dense<1> : tensor<i32>\n"
                         "%r = stablehlo.set_dimension_size %a, %s, dim = 1 : "
                         "(tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>",
                         "tensor<2x3xi32>");
    const uint8_t open[6] = {0, OC__F_OPEN, OC__F_OPEN, 0, OC__F_OPEN, OC__F_OPEN};
    assert_memory_equal(oc__f(program_output(&p, 0)), open, sizeof open);
    assert_int_equal(noted(&p, "set_dimension_size"), 4);
    program_free(&p);
}

static void test_iota(void **state)
{
    (void)state;
    gives("%r = stablehlo.iota dim = 1 : tensor<2x3xi16>", "tensor<2x3xi16>",
          "[[0, 1, 2], [0, 1, 2]]");
    /* 257 has nine significant bits: bf16 holds eight, and the tie goes to the even 256
     */
    gives("%a = stablehlo.iota dim = 0 : tensor<260xbf16>\n"
          "%r = stablehlo.slice %a [257:260:2] : (tensor<260xbf16>) -> tensor<2xbf16>",
          "tensor<2xbf16>", "[256.0, 260.0]");
    /* i4 holds -8 .. 7; what follows wraps, and nothing says so */
    program p = run_body("%r = stablehlo.iota dim = 0 : tensor<9xi4>", "tensor<9xi4>");
    const oc__value *v = program_output(&p, 0);
    assert_int_equal(((const int8_t *)v->m->bytes)[7], 7);
    assert_int_equal(((const int8_t *)v->m->bytes)[8], -8);
    assert_int_equal(oc__f(v)[7], 0);
    assert_int_equal(oc__f(v)[8], OC__F_OPEN);
    assert_int_equal(noted(&p, "iota_overflow"), 1);
    program_free(&p);
}

/* --- parts ---------------------------------------------------------------- */

static void test_slices(void **state)
{
    (void)state;
    gives("%a = stablehlo.constant dense<[[0,1,2,3],[4,5,6,7],[8,9,10,11]]> : "
          "tensor<3x4xi64>\n"
          "%r = stablehlo.slice %a [1:3, 0:4:3] : (tensor<3x4xi64>) -> tensor<2x2xi64>",
          "tensor<2x2xi64>", "[[4, 7], [8, 11]]");
    gives_as("%v = stablehlo.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi64>\n"
             "%s = stablehlo.constant dense<1> : tensor<1xi32>\n"
             "%l = stablehlo.constant dense<5> : tensor<1xi32>\n"
             "%t = stablehlo.constant dense<3> : tensor<1xi32>\n"
             "%r = stablehlo.real_dynamic_slice %v, %s, %l, %t : (tensor<5xi64>, "
             "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi64>",
             "tensor<?xi64>", "tensor<2xi64>", "[11, 14]");
}

/* The operation has no specification; StableHLO's passes make a dynamic_slice of it. */
static void test_slice_outside(void **state)
{
    (void)state;
    program p = run_body("%v = stablehlo.constant dense<[10, 11, 12]> : tensor<3xi32>\n"
                         "%s = stablehlo.constant dense<2> : tensor<1xi32>\n"
                         "%l = stablehlo.constant dense<4> : tensor<1xi32>\n"
                         "%t = stablehlo.constant dense<1> : tensor<1xi32>\n"
                         "%r = stablehlo.real_dynamic_slice %v, %s, %l, %t : "
                         "(tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) "
                         "-> tensor<2xi32>",
                         "tensor<2xi32>");
    ASSERT_INTS(&p, 0, 11, 12);
    assert_int_equal(oc__f(program_output(&p, 0))[0], OC__F_OPEN);
    assert_int_equal(noted(&p, "slice_clamped"), 2);
    program_free(&p);
}

#define FOUR                                                                           \
    "%a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"                    \
    "%u = stablehlo.constant dense<[8, 9]> : tensor<2xi32>\n"                          \
    "%i = stablehlo.constant dense<-1> : tensor<i64>\n"                                \
    "%j = stablehlo.constant dense<255> : tensor<ui8>\n"

/* Starts are clamped; an unsigned one is never negative (255 : ui8 is not -1). */
static void test_dynamic_slices_clamp(void **state)
{
    (void)state;
    gives(FOUR "%r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, "
               "tensor<i64>) -> tensor<2xi32>",
          "tensor<2xi32>", "[1, 2]");
    gives(FOUR "%r = stablehlo.dynamic_slice %a, %j, sizes = [2] : (tensor<4xi32>, "
               "tensor<ui8>) -> tensor<2xi32>",
          "tensor<2xi32>", "[3, 4]");
    gives(FOUR "%r = stablehlo.dynamic_update_slice %a, %u, %j : (tensor<4xi32>, "
               "tensor<2xi32>, tensor<ui8>) -> tensor<4xi32>",
          "tensor<4xi32>", "[1, 2, 8, 9]");
}

/* An update in place must not reach a value that is still used: %v shares %a's data. */
static void test_update_keeps_operand(void **state)
{
    (void)state;
    static const char setup[] =
        "%z = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
        "%a = stablehlo.add %z, %z : tensor<3xf32>\n"
        "%v = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<3xf32>\n"
        "%u = stablehlo.constant dense<9.0> : tensor<1xf32>\n"
        "%i = stablehlo.constant dense<1> : tensor<i32>\n"
        "%j = stablehlo.constant dense<0> : tensor<i32>\n"
        "%b = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<3xf32>, "
        "tensor<1xf32>, tensor<i32>) -> tensor<3xf32>\n"
        "%c = stablehlo.dynamic_update_slice %b, %u, %j : (tensor<3xf32>, "
        "tensor<1xf32>, tensor<i32>) -> tensor<3xf32>\n"
        "%r = stablehlo.concatenate %v, %b, %c, dim = 0 : (tensor<3xf32>, "
        "tensor<3xf32>, tensor<3xf32>) -> tensor<9xf32>";
    gives(setup, "tensor<9xf32>", "[2.0, 4.0, 6.0, 2.0, 9.0, 6.0, 9.0, 9.0, 6.0]");
}

static void test_pad(void **state)
{
    (void)state;
    gives("%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
          "%z = stablehlo.constant dense<0> : tensor<i32>\n"
          "%r = stablehlo.pad %a, %z, low = [0, 1], high = [2, 1], interior = [1, 2] : "
          "(tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>",
          "tensor<5x9xi32>",
          "[[0,1,0,0,2,0,0,3,0], [0,0,0,0,0,0,0,0,0], [0,4,0,0,5,0,0,6,0], "
          "[0,0,0,0,0,0,0,0,0], [0,0,0,0,0,0,0,0,0]]");
    /* 1 . 2 without its first element, and one behind */
    gives(
        "%a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
        "%z = stablehlo.constant dense<7> : tensor<i32>\n"
        "%r = stablehlo.pad %a, %z, low = [0, -1], high = [0, 1], interior = [0, 1] : "
        "(tensor<2x2xi32>, tensor<i32>) -> tensor<2x3xi32>",
        "tensor<2x3xi32>", "[[7, 2, 7], [7, 4, 7]]");
    /* moved out altogether */
    gives(
        "%a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
        "%z = stablehlo.constant dense<7> : tensor<i32>\n"
        "%l = stablehlo.constant dense<6> : tensor<1xi64>\n"
        "%h = stablehlo.constant dense<-6> : tensor<1xi64>\n"
        "%i = stablehlo.constant dense<0> : tensor<1xi64>\n"
        "%r = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<3xi32>, tensor<i32>, "
        "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi32>",
        "tensor<3xi32>", "[7, 7, 7]");
}

static void test_concatenate(void **state)
{
    (void)state;
    gives(
        "%a = stablehlo.constant dense<[[(1.0, 2.0)], [(3.0, 4.0)]]> : "
        "tensor<2x1xcomplex<f32>>\n"
        "%e = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x0xcomplex<f32>>\n"
        "%b = stablehlo.constant dense<(5.0, 6.0)> : tensor<2x2xcomplex<f32>>\n"
        "%r = stablehlo.concatenate %a, %e, %b, dim = 1 : (tensor<2x1xcomplex<f32>>, "
        "tensor<2x0xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> "
        "tensor<2x3xcomplex<f32>>",
        "tensor<2x3xcomplex<f32>>",
        "[[(1.0, 2.0), (5.0, 6.0), (5.0, 6.0)], [(3.0, 4.0), (5.0, 6.0), (5.0, 6.0)]]");
}

/* --- regions -------------------------------------------------------------- */

static void test_map(void **state)
{
    (void)state;
    gives("%a = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>\n"
          "%b = stablehlo.constant dense<[[4, 5], [6, 7]]> : tensor<2x2xi64>\n"
          "%r = \"stablehlo.map\"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({\n"
          "^bb0(%x: tensor<i64>, %y: tensor<i64>):\n"
          "%z = stablehlo.multiply %x, %y : tensor<i64>\n"
          "stablehlo.return %z : tensor<i64>\n"
          "}) : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>",
          "tensor<2x2xi64>", "[[0, 5], [12, 21]]");
}

#define SCAN(attributes)                                                               \
    "%a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"        \
    "%s = stablehlo.constant dense<[10, 20]> : tensor<2xi32>\n"                        \
    "%b:2 = chlo.scan(%a) inits(%s) dimension=1 " attributes " {\n"                    \
    "^bb0(%x: tensor<2xi32>, %y: tensor<2xi32>):\n"                                    \
    "%z = stablehlo.add %x, %y : tensor<2xi32>\n"                                      \
    "stablehlo.return %z, %z : tensor<2xi32>, tensor<2xi32>\n"                         \
    "} : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)\n"       \
    "%c = stablehlo.reshape %b#1 : (tensor<2xi32>) -> tensor<2x1xi32>\n"               \
    "%r = stablehlo.concatenate %b#0, %c, dim = 1 : (tensor<2x3xi32>, "                \
    "tensor<2x1xi32>) -> tensor<2x4xi32>"

/* The outputs, and the carry in the last column. */
static void test_scan(void **state)
{
    (void)state;
    gives(SCAN(""), "tensor<2x4xi32>", "[[11, 13, 16, 16], [24, 29, 35, 35]]");
    gives(SCAN("attributes {is_reverse = true}"), "tensor<2x4xi32>",
          "[[16, 15, 13, 16], [35, 31, 26, 35]]");
}

/* --- errors --------------------------------------------------------------- */

#define CASE(type, body, words)                                                        \
    {                                                                                  \
        MAIN(type, body "\nreturn %r : " type), words                                  \
    }

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        CASE("tensor<4xi32>",
             "%a = stablehlo.constant dense<0> : tensor<2x3xi32>\n"
             "%r = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<4xi32>",
             "2x3 has 6 elements, which do not make 4"),
        CASE("tensor<2x4xi32>",
             "%a = stablehlo.constant dense<0> : tensor<3xi32>\n"
             "%r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xi32>) -> "
             "tensor<2x4xi32>",
             "has 3 elements, dimension 1 of the result 4"),
        CASE("tensor<2x3xi32>",
             "%a = stablehlo.constant dense<0> : tensor<2x3xi32>\n"
             "%r = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xi32>) -> "
             "tensor<2x3xi32>",
             "names dimension 0 twice"),
        CASE("tensor<2x3xi32>",
             "%a = stablehlo.constant dense<0> : tensor<2x3xi32>\n"
             "%r = stablehlo.reverse %a, dims = [2] : tensor<2x3xi32>",
             "names dimension 2 of a tensor of 2 dimensions"),
        CASE("tensor<2xi32>",
             "%a = stablehlo.constant dense<0> : tensor<3xi32>\n"
             "%r = stablehlo.slice %a [2:4] : (tensor<3xi32>) -> tensor<2xi32>",
             "[2:4:1] is no slice of dimension 0, which has 3 elements"),
        CASE("tensor<4xi32>",
             "%a = stablehlo.constant dense<0> : tensor<3xi32>\n"
             "%i = stablehlo.constant dense<0> : tensor<i32>\n"
             "%r = stablehlo.dynamic_slice %a, %i, sizes = [4] : (tensor<3xi32>, "
             "tensor<i32>) -> tensor<4xi32>",
             "a slice of 4 along dimension 0, which has 3 elements"),
        CASE("tensor<3x3xi32>",
             "%a = stablehlo.constant dense<0> : tensor<2x3xi32>\n"
             "%c = stablehlo.constant dense<0> : tensor<1x2xi32>\n"
             "%r = stablehlo.concatenate %a, %c, dim = 0 : (tensor<2x3xi32>, "
             "tensor<1x2xi32>) -> tensor<3x3xi32>",
             "operand 1 is 1x2; along dimension 0 it does not continue 2x3"),
        CASE("tensor<0xi32>",
             "%a = stablehlo.constant dense<0> : tensor<3xi32>\n"
             "%z = stablehlo.constant dense<0> : tensor<i32>\n"
             "%r = stablehlo.pad %a, %z, low = [-2], high = [-2], interior = [0] : "
             "(tensor<3xi32>, tensor<i32>) -> tensor<0xi32>",
             "low -2, high -2, interior 0 for dimension 0, which has 3 elements"),
        CASE("tensor<3xi32>", "%r = stablehlo.iota dim = 1 : tensor<3xi32>",
             "'iota_dimension' is 1; the tensor has 1 dimensions"),
        CASE("tensor<2x2xi32>",
             "%a = stablehlo.constant dense<0> : tensor<2x3xi32>\n"
             "%r, %i = chlo.top_k(%a, k = 4) : tensor<2x3xi32> -> (tensor<2x2xi32>, "
             "tensor<2x2xi32>)",
             "k is 4"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program p;
        oc_error err = {0};
        assert_int_equal(
            program_try(cases[i].text, 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err),
            OC_PARSE);
        ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, cases[i].words);
        program_free(&p);
    }
}

/* A shape whose product overflows is refused, not computed. */
static void test_overflowing_shape(void **state)
{
    (void)state;
    program p;
    oc_error err = {0};
    const char *text =
        MAIN("tensor<?x?xi8>",
             "%a = stablehlo.constant dense<1> : tensor<i8>\n"
             "%s = stablehlo.constant dense<4611686018427387904> : tensor<2xi64>\n"
             "%b = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<i8>, "
             "tensor<2xi64>) -> tensor<?x?xi8>\nreturn %b : tensor<?x?xi8>");
    assert_int_equal(program_try(text, 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err),
                     OC_LIMIT);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_dynamic_shapes),
        cmocka_unit_test(test_set_dimension_size),
        cmocka_unit_test(test_iota),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_slice_outside),
        cmocka_unit_test(test_dynamic_slices_clamp),
        cmocka_unit_test(test_update_keeps_operand),
        cmocka_unit_test(test_pad),
        cmocka_unit_test(test_concatenate),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_overflowing_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
