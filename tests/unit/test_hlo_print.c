/* Text of a module: pretty and generic spelling say the same, what is printed reads
 * back as the same module, and literals are exact. Where no other source is named,
 * expected texts follow MLIR's grammar and IEEE 754. */
#include "unit.h"

#include "base/file.h"
#include "stablehlo/parse.h"
#include "stablehlo/print.h"
#include "stablehlo/printer.h"

#include <stdio.h>
#include <stdlib.h>

static oc__hlo_module *read_text(const char *text, size_t size, const char *name)
{
    oc_error err = {0};
    oc__hlo_module *module = NULL;
    if (oc__hlo_parse(text, size, name, &module, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return module;
}

static oc__hlo_module *read_data(const char *name)
{
    char path[4096];
    oc_error err = {0};
    char *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/tests/data/hlo/%s", getenv("ONCHIP_TEST_SOURCE"),
             name);
    if (oc__file_read(path, 1 << 24, &text, &size, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    oc__hlo_module *module = read_text(text, size, name);
    free(text);
    return module;
}

static oc__strbuf printed(const oc__hlo_module *module)
{
    oc__strbuf text;
    oc__strbuf_init(&text, 1 << 24);
    oc__hlo_print(module, &text);
    assert_false(text.failed);
    return text;
}

/* parse, print, parse: an equal module; and its text is the same. */
static void assert_round_trip(const oc__hlo_module *module)
{
    oc__strbuf once = printed(module);
    oc__hlo_module *again = read_text(once.data, once.size, "printed");
    oc__strbuf twice = printed(again);
    assert_true(oc__hlo_equal(module, again));
    assert_string_equal(once.data, twice.data);
    oc__strbuf_free(&twice);
    oc__hlo_module_free(again);
    oc__strbuf_free(&once);
}

/* forms.generic.mlir is MLIR's own generic form of forms.mlir. */
static void pretty_forms_mean_their_generic_ones(void **state)
{
    (void)state;
    oc__hlo_module *pretty = read_data("forms.mlir");
    oc__hlo_module *generic = read_data("forms.generic.mlir");
    oc__strbuf a = printed(pretty), b = printed(generic);
    if (!oc__hlo_equal(pretty, generic)) {
        size_t line = 1, i = 0;
        for (; i < a.size && i < b.size && a.data[i] == b.data[i]; i++) {
            line += a.data[i] == '\n';
        }
        fail_msg("the modules differ; their texts first in line %zu", line);
    }
    oc__strbuf_free(&a);
    oc__strbuf_free(&b);
    oc__hlo_module_free(generic);
    oc__hlo_module_free(pretty);
}

static void what_is_printed_reads_back(void **state)
{
    static const char *const names[] = {"forms.mlir", "forms.generic.mlir",
                                        "more.mlir"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        oc__hlo_module *module = read_data(names[i]);
        assert_round_trip(module);
        oc__hlo_module_free(module);
    }
}

/* Each text differs from the first in one thing that matters. */
static void what_differs_is_not_equal(void **state)
{
#define BODY(constant, attribute, callee)                                              \
    "module @m {\n"                                                                    \
    "  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"                        \
    "    %0 = stablehlo.constant dense<" constant "> : tensor<2xf32>\n"                \
    "    %1 = stablehlo.add %a, %0 " attribute ": tensor<2xf32>\n"                     \
    "    %2 = call @" callee "(%1) : (tensor<2xf32>) -> tensor<2xf32>\n"               \
    "    return %2 : tensor<2xf32>\n"                                                  \
    "  }\n"                                                                            \
    "  func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"                   \
    "    return %a : tensor<2xf32>\n"                                                  \
    "  }\n"                                                                            \
    "}\n"
    static const char base[] = BODY("1.0", "", "f");
    static const char *const same[] = {
        BODY("[1.0, 1.0]", "", "f"),
        BODY("\"0x0000803F0000803F\"", "", "f"),
        BODY("0x3F800000", "", "f"),
    };
    static const char *const others[] = {
        BODY("-1.0", "", "f"),
        BODY("[1.0, 1.00000012]", "", "f"),
        BODY("1.0", "{mhlo.x} ", "f"),
        BODY("1.0", "", "main"),
    };
#undef BODY
    (void)state;
    oc__hlo_module *first = read_text(base, strlen(base), "base");
    assert_true(oc__hlo_equal(first, first));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        oc__hlo_module *module = read_text(same[i], strlen(same[i]), "same");
        assert_true(oc__hlo_equal(first, module));
        oc__hlo_module_free(module);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        oc__hlo_module *module = read_text(others[i], strlen(others[i]), "other");
        assert_false(oc__hlo_equal(first, module));
        oc__hlo_module_free(module);
    }
    oc__hlo_module_free(first);
}

/* Decimals that name these bits and no shorter ones do; f32 and f64 as NumPy prints
 * them. */
static void floats_are_exact(void **state)
{
    static const struct {
        oc_dtype dtype;
        uint64_t bits;
        const char *text;
    } table[] = {
        {OC_F32, 0x3f800000, "1.0"},
        {OC_F32, 0x80000000, "-0.0"},
        {OC_F32, 0x3dcccccd, "0.1"},
        {OC_F32, 0x3f800001, "1.0000001"},
        {OC_F32, 0x7f7fffff, "3.4028235e+38"},
        {OC_F32, 0x00000001, "1.0e-45"},
        {OC_F32, 0x7f800000, "0x7F800000"},
        {OC_F32, 0xff800000, "0xFF800000"},
        {OC_F32, 0x7fc00001, "0x7FC00001"},
        {OC_F32, 0x60ad78ec, "1.0e+20"},
        {OC_F64, 0x3fb999999999999a, "0.1"},
        {OC_F64, 0x3fd3333333333334, "0.30000000000000004"},
        {OC_F64, 0x0000000000000001, "5.0e-324"},
        {OC_F64, 0x7fefffffffffffff, "1.7976931348623157e+308"},
        {OC_F64, 0xfff8000000000000, "0xFFF8000000000000"},
        {OC_F16, 0x7bff, "6.55e+04"},
        {OC_F16, 0x0001, "6.0e-08"},
        {OC_F16, 0xfc00, "0xFC00"},
        {OC_BF16, 0x3f81, "1.01"},
        {OC_BF16, 0xff80, "0xFF80"},
        {OC_F8E4M3FN, 0x7e, "4.5e+02"},
        {OC_F8E4M3FN, 0x7f, "0x7F"},
        {OC_F8E5M2, 0xfc, "0xFC"},
        {OC_F8E8M0FNU, 0x7f, "1.0"},
        {OC_F4E2M1FN, 0x09, "-0.5"},
        {OC_F6E2M3FN, 0x1f, "7.5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc__strbuf text;
        oc__strbuf_init(&text, 64);
        oc__print_float(&text, table[i].dtype, table[i].bits);
        assert_string_equal(text.data, table[i].text);
        oc__strbuf_free(&text);
    }
}

/* Enumerations and structures as MLIR's parser of StableHLO's attributes wants them. */
static void attributes_are_in_the_dialects_notation(void **state)
{
    static const char *const pieces[] = {
        "comparison_direction = #stablehlo<comparison_direction LT>, "
        "compare_type = #stablehlo<comparison_type FLOAT>",
        "comparison_direction = #chlo<comparison_direction LT>",
        "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision "
        "DEFAULT>]",
        "fft_type = #stablehlo<fft_type FFT>",
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>",
        "rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>",
        "rng_distribution = #stablehlo<rng_distribution NORMAL>",
        "result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-05, ulps = 2, "
        "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f]>",
        "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>",
        "window_reversal = array<i1: true, false>",
        "padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>",
        "exponent_bits = 5 : i32, mantissa_bits = 10 : i32",
        "operandSegmentSizes = array<i32: 1, 1>",
    };
    (void)state;
    oc__hlo_module *module = read_data("forms.mlir");
    oc__strbuf text = printed(module);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        if (!strstr(text.data, pieces[i])) {
            fail_msg("'%s' is not printed", pieces[i]);
        }
    }
    oc__strbuf_free(&text);
    oc__hlo_module_free(module);
}

/* A constant of this text and type prints as `want` does. */
static void assert_constant(const char *given, const char *want)
{
    char program[1024], expected[1024];
    const char *type = strrchr(given, ':') + 2;
    snprintf(program, sizeof program,
             "func.func @main() -> %s {\n  %%c = stablehlo.constant %s\n  return %%c : "
             "%s\n}",
             type, given, type);
    snprintf(expected, sizeof expected, " {value = %s} : () -> %s\n", want, type);
    oc__hlo_module *module = read_text(program, strlen(program), given);
    oc__strbuf text = printed(module);
    if (!strstr(text.data, expected)) {
        fail_msg("'%s' is not in:\n%s", expected, text.data);
    }
    assert_round_trip(module);
    oc__strbuf_free(&text);
    oc__hlo_module_free(module);
}

static void constants_are_written_out(void **state)
{
    (void)state;
    assert_constant("dense<[[1, 2], [-3, 4]]> : tensor<2x2xi8>",
                    "dense<[[1, 2], [-3, 4]]> : tensor<2x2xi8>");
    assert_constant("dense<0xFF> : tensor<i8>", "dense<-1> : tensor<i8>");
    assert_constant("dense<0xFF> : tensor<ui8>", "dense<255> : tensor<ui8>");
    assert_constant("dense<18446744073709551615> : tensor<1xui64>",
                    "dense<[18446744073709551615]> : tensor<1xui64>");
    assert_constant("dense<true> : tensor<3xi1>", "dense<true> : tensor<3xi1>");
    assert_constant("dense<\"0x010001\"> : tensor<3xi1>",
                    "dense<[true, false, true]> : tensor<3xi1>");
    assert_constant("dense<[-8, 7]> : tensor<2xi4>", "dense<[-8, 7]> : tensor<2xi4>");
    assert_constant("dense<> : tensor<2x0xf32>", "dense<> : tensor<2x0xf32>");
    assert_constant("dense<0x7FC00000> : tensor<f32>",
                    "dense<0x7FC00000> : tensor<f32>");
    assert_constant("dense<(1.0, 0xFF800000)> : tensor<2xcomplex<f32>>",
                    "dense<(1.0, 0xFF800000)> : tensor<2xcomplex<f32>>");
    assert_constant("dense<[[[1.5], [0.1]]]> : tensor<1x2x1xf64>",
                    "dense<[[[1.5], [0.1]]]> : tensor<1x2x1xf64>");
    /* 33 elements, little endian: longer lists are hex. */
    assert_constant(
        "dense<[[1, -2, 258, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
        "0], "
        "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]]> : tensor<3x11xi16>",
        "dense<"
        "\"0x0100FEFF0201000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000300\"> : "
        "tensor<3x11xi16>");
}

static void types_are_written_from_their_fields(void **state)
{
    static const char *const types[] = {
        "tensor<f32>",
        "tensor<0x?x3xbf16>",
        "tensor<2xcomplex<f64>>",
        "tensor<4xi1>",
        "tensor<4xui2>",
        "tensor<4xf8E4M3B11FNUZ>",
        "tensor<4xf6E3M2FN>",
        "tensor<?x2xf32, #stablehlo.bounds<4, ?>>",
        "tensor<2x!quant.uniform<i8:f32, 0.5:-1>>",
        "tensor<2x!quant.uniform<i8<-127:127>:f32, 0.5:0>>",
        "tensor<2x!quant.uniform<u4:bf16, 0.1:3>>",
        "tensor<2x3x!quant.uniform<i32:f64:0, {0.1:0, 2.0:-7}>>",
        "!stablehlo.token",
        "tuple<tensor<f32>, tuple<tensor<2xi8>, !stablehlo.token>>",
        "tuple<>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char program[512];
        oc__strbuf text;
        snprintf(program, sizeof program, "func.func @main(%%x: %s) { return }",
                 types[i]);
        oc__hlo_module *module = read_text(program, strlen(program), types[i]);
        oc__strbuf_init(&text, 512);
        oc__hlo_print_type(module->funcs[0]->argument_types[0], &text);
        assert_string_equal(text.data, types[i]);
        assert_round_trip(module);
        oc__strbuf_free(&text);
        oc__hlo_module_free(module);
    }
}

static void names_are_quoted_where_they_must(void **state)
{
    (void)state;
    oc__strbuf text;
    oc__strbuf_init(&text, 512);
    oc__print_symbol(&text, "main", 4);
    oc__print_symbol(&text, " a-b", 4);
    oc__print_symbol(&text, "outer::2in", 10);
    oc__print_string(&text, "q\"\\\n\0\xff", 6);
    assert_string_equal(text.data,
                        "@main@\" a-b\"@outer::@\"2in\"\"q\\22\\5C\\0A\\00\\FF\"");
    oc__strbuf_free(&text);
}

static void a_text_past_its_maximum_is_said_to_have_failed(void **state)
{
    (void)state;
    oc__hlo_module *module = read_data("forms.mlir");
    oc__strbuf text;
    oc__strbuf_init(&text, 1000);
    oc__hlo_print(module, &text);
    assert_true(text.failed);
    oc__strbuf_free(&text);
    oc__hlo_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pretty_forms_mean_their_generic_ones),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(what_differs_is_not_equal),
        cmocka_unit_test(floats_are_exact),
        cmocka_unit_test(attributes_are_in_the_dialects_notation),
        cmocka_unit_test(constants_are_written_out),
        cmocka_unit_test(types_are_written_from_their_fields),
        cmocka_unit_test(names_are_quoted_where_they_must),
        cmocka_unit_test(a_text_past_its_maximum_is_said_to_have_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
