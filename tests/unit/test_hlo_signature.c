/* What @main takes: arrays of other types, shapes and counts never reach a plugin,
 * which would compare their sizes in bytes only. */
#include "unit.h"

#include "stablehlo/parse.h"
#include "stablehlo/signature.h"

#include <stdio.h>

static oc__hlo_module *read_module(const char *text)
{
    oc_error err = {0};
    oc__hlo_module *module;
    if (oc__hlo_parse(text, strlen(text), "p.mlir", &module, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return module;
}

static oc_tensor shaped(oc_dtype dtype, size_t rank, int64_t first, int64_t second)
{
    return (oc_tensor){.dtype = dtype, .rank = rank, .dims = {first, second}};
}

static oc_status check(const char *text, const oc_tensor *inputs, size_t count,
                       size_t processes, oc_error *err)
{
    oc__hlo_module *module = read_module(text);
    const oc__hlo_func *func = oc__hlo_func_find(module, "main");
    assert_non_null(func);
    *err = (oc_error){0};
    oc_status rc = oc__signature_check(module, func, inputs, count, processes, err);
    oc__hlo_module_free(module);
    return rc;
}

static void expect_refused(const char *source, const oc_tensor *inputs, size_t count,
                           size_t processes, const char *words, int line)
{
    oc_error err;
    oc_status rc = check(source, inputs, count, processes, &err);
    if (rc != OC_INVALID_ARGUMENT || err.status != OC_INVALID_ARGUMENT ||
        err.boundary != OC_BOUNDARY_INPUT || !strstr(err.text, words)) {
        fail_msg("line %d: status %d, boundary %d: '%s'", line, (int)rc,
                 (int)err.boundary, err.text);
    }
}
#define REFUSED(source, inputs, count, processes, words)                               \
    expect_refused((source), (inputs), (count), (processes), (words), __LINE__)

static void expect_taken(const char *source, const oc_tensor *inputs, size_t count,
                         size_t processes, int line)
{
    oc_error err;
    if (check(source, inputs, count, processes, &err) != OC_OK) {
        fail_msg("line %d: refused: %s", line, err.text);
    }
}
#define TAKEN(source, inputs, count, processes)                                        \
    expect_taken((source), (inputs), (count), (processes), __LINE__)

/* @main of one argument %x of this type. */
static const char *program(const char *type)
{
    static char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%x: %s) -> %s {\n  return %%x : %s\n}\n", type, type,
             type);
    return text;
}

static void another_type_of_the_same_size_is_refused(void **state)
{
    static const struct {
        const char *wanted;
        oc_dtype right, wrong;
    } table[] = {
        {"tensor<2xf32>", OC_F32, OC_S32},
        {"tensor<2xi32>", OC_S32, OC_F32},
        {"tensor<2xi32>", OC_S32, OC_U32},
        {"tensor<2xf64>", OC_F64, OC_S64},
        {"tensor<2xf64>", OC_F64, OC_C64},
        {"tensor<2xbf16>", OC_BF16, OC_F16},
        {"tensor<2xf16>", OC_F16, OC_U16},
        {"tensor<2xi8>", OC_S8, OC_U8},
        {"tensor<2xi1>", OC_PRED, OC_U8},
        {"tensor<2xi4>", OC_S4, OC_S8},
        {"tensor<2xui4>", OC_U4, OC_S4},
        {"tensor<2xi2>", OC_S2, OC_S4},
        {"tensor<2xf8E5M2>", OC_F8E5M2, OC_S8},
        {"tensor<2xf8E4M3FN>", OC_F8E4M3FN, OC_F8E4M3},
        {"tensor<2xf4E2M1FN>", OC_F4E2M1FN, OC_U4},
        {"tensor<2xcomplex<f32>>", OC_C64, OC_F64},
        {"tensor<2xcomplex<f64>>", OC_C128, OC_C64},
        {"tensor<2x!quant.uniform<i8:f32, 5.0e-1:-1>>", OC_S8, OC_U8},
        {"tensor<2x!quant.uniform<u8:f32, 5.0e-1>>", OC_U8, OC_F32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_tensor right = shaped(table[i].right, 1, 2, 0);
        oc_tensor wrong = shaped(table[i].wrong, 1, 2, 0);
        TAKEN(program(table[i].wanted), &right, 1, 1);
        REFUSED(program(table[i].wanted), &wrong, 1, 1, "the element types differ");
    }
}

static void the_message_says_what_is_what(void **state)
{
    (void)state;
    oc_tensor inputs[] = {shaped(OC_F32, 1, 2, 0), shaped(OC_S32, 2, 2, 3)};
    REFUSED("func.func @main(%a: tensor<2xf32>, %b: tensor<2x3xf32>) { return }",
            inputs, 2, 1,
            "p.mlir: argument 1 (%b) of @main is tensor<2x3xf32>, but the input is "
            "tensor<2x3xi32>: the element types differ");
}

static void shapes_must_fit(void **state)
{
    (void)state;
    oc_tensor scalar = shaped(OC_F32, 0, 0, 0), row = shaped(OC_F32, 1, 6, 0),
              square = shaped(OC_F32, 2, 2, 3), turned = shaped(OC_F32, 2, 3, 2),
              empty = shaped(OC_F32, 2, 0, 3);
    TAKEN(program("tensor<2x3xf32>"), &square, 1, 1);
    REFUSED(program("tensor<2x3xf32>"), &row, 1, 1, "the numbers of dimensions differ");
    REFUSED(program("tensor<2x3xf32>"), &turned, 1, 1, "the dimensions differ");
    REFUSED(program("tensor<2x3xf32>"), &empty, 1, 1, "the dimensions differ");
    REFUSED(program("tensor<f32>"), &row, 1, 1, "the numbers of dimensions differ");
    REFUSED(program("tensor<1xf32>"), &scalar, 1, 1,
            "the numbers of dimensions differ");
    TAKEN(program("tensor<f32>"), &scalar, 1, 1);
}

static void unknown_dimensions_take_any_size_within_their_bound(void **state)
{
    (void)state;
    oc_tensor three = shaped(OC_F32, 2, 3, 3), four = shaped(OC_F32, 2, 4, 3),
              five = shaped(OC_F32, 2, 5, 3), none = shaped(OC_F32, 2, 0, 3),
              other = shaped(OC_F32, 2, 3, 4), flat = shaped(OC_F32, 1, 3, 0);
    TAKEN(program("tensor<?x3xf32>"), &three, 1, 1);
    TAKEN(program("tensor<?x3xf32>"), &none, 1, 1);
    TAKEN(program("tensor<?x?xf32>"), &other, 1, 1);
    REFUSED(program("tensor<?x3xf32>"), &other, 1, 1, "the dimensions differ");
    REFUSED(program("tensor<?x3xf32>"), &flat, 1, 1,
            "the numbers of dimensions differ");
    static const char bounded[] = "tensor<?x3xf32, #stablehlo.bounds<4, ?>>";
    TAKEN(program(bounded), &three, 1, 1);
    TAKEN(program(bounded), &four, 1, 1);
    REFUSED(program(bounded), &five, 1, 1, "a dimension exceeds its bound");
    REFUSED(program(bounded), &five, 1, 1,
            "is tensor<?x3xf32, #stablehlo.bounds<4, ?>>, but the input is "
            "tensor<5x3xf32>");
}

static void the_count_must_fit(void **state)
{
    (void)state;
    static const char three[] =
        "func.func @main(%a: tensor<f32>, %b: tensor<2xi8>, %c: tensor<i1>) { return }";
    oc_tensor inputs[] = {shaped(OC_F32, 0, 0, 0), shaped(OC_S8, 1, 2, 0),
                          shaped(OC_PRED, 0, 0, 0), shaped(OC_PRED, 0, 0, 0)};
    TAKEN(three, inputs, 3, 1);
    REFUSED(three, inputs, 1, 1, "1 of 3 inputs of @main are given");
    REFUSED(three, inputs, 1, 1, "missing: %b: tensor<2xi8>, %c: tensor<i1>");
    REFUSED(three, NULL, 0, 1, "missing: %a: tensor<f32>, %b: tensor<2xi8>");
    REFUSED(three, inputs, 4, 1, "4 inputs are given, but @main takes 3");
    TAKEN("func.func @main() { return }", NULL, 0, 1);
    TAKEN("func.func @main() { return }", NULL, 0, 8);
    REFUSED("func.func @main() { return }", inputs, 1, 1,
            "1 input is given, but @main takes none");
}

static void every_process_has_its_own(void **state)
{
    (void)state;
    static const char two[] =
        "func.func @main(%a: tensor<f32>, %b: tensor<2xi8>) { return }";
    oc_tensor inputs[] = {shaped(OC_F32, 0, 0, 0), shaped(OC_S8, 1, 2, 0),
                          shaped(OC_F32, 0, 0, 0), shaped(OC_S8, 1, 2, 0)};
    TAKEN(two, inputs, 4, 2);
    REFUSED(two, inputs, 2, 2, "2 of 4 inputs of @main are given (2 processes)");
    REFUSED(two, inputs, 3, 2, "missing, from process 1 on: %b: tensor<2xi8>");
    REFUSED(two, inputs, 4, 1, "4 inputs are given, but @main takes 2");
    inputs[3].dims[0] = 3;
    REFUSED(two, inputs, 4, 2, "argument 1 (%b) of process 1 of @main is tensor<2xi8>");
}

static void no_array_is_a_token_or_a_tuple(void **state)
{
    (void)state;
    oc_tensor input = shaped(OC_F32, 0, 0, 0);
    REFUSED(program("!stablehlo.token"), &input, 1, 1, "no array can be given for it");
    REFUSED(program("tuple<tensor<f32>>"), &input, 1, 1,
            "no array can be given for it");
}

static void the_signature_is_written_out(void **state)
{
    (void)state;
    oc__hlo_module *module =
        read_module("func.func @main(%x: tensor<3xf32> {mhlo.sharding = \"\"}, %0: "
                    "tensor<?xi1>) -> "
                    "(tensor<3xf32>, tensor<?xi1>) {\n"
                    "  return %x, %0 : tensor<3xf32>, tensor<?xi1>\n"
                    "}\n");
    oc__strbuf text;
    oc__strbuf_init(&text, 1000);
    oc__signature_text(oc__hlo_func_find(module, "main"), &text);
    assert_string_equal(
        text.data,
        "(%x: tensor<3xf32>, %0: tensor<?xi1>) -> (tensor<3xf32>, tensor<?xi1>)");
    oc__strbuf_free(&text);
    oc__hlo_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_type_of_the_same_size_is_refused),
        cmocka_unit_test(the_message_says_what_is_what),
        cmocka_unit_test(shapes_must_fit),
        cmocka_unit_test(unknown_dimensions_take_any_size_within_their_bound),
        cmocka_unit_test(the_count_must_fit),
        cmocka_unit_test(every_process_has_its_own),
        cmocka_unit_test(no_array_is_a_token_or_a_tuple),
        cmocka_unit_test(the_signature_is_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
