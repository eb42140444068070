/* What the reader of StableHLO text refuses, where and with which words. */
#include "unit.h"

#include "stablehlo/parse.h"

#include <stdio.h>
#include <stdlib.h>

static void refuse(const char *text, size_t size, oc_status status, const char *words)
{
    oc_error err = {0};
    oc__hlo_module *module;
    assert_int_equal(oc__hlo_parse(text, size, "t", &module, &err), status);
    assert_null(module);
    ASSERT_ERROR(&err, status, OC_BOUNDARY_INPUT, words);
}

typedef struct bad {
    const char *text, *words;
} bad;

static void refuse_all(const bad *table, size_t count, const char *before,
                       const char *after)
{
    for (size_t i = 0; i < count; i++) {
        char text[1024];
        int size = snprintf(text, sizeof text, "%s%s%s", before, table[i].text, after);
        assert_true(size >= 0 && (size_t)size < sizeof text);
        refuse(text, (size_t)size, OC_PARSE, table[i].words);
    }
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The message, the line, the place. */
static void an_error_shows_its_place(void **state)
{
    static const char text[] = "func.func @main(%a: tensor<si64>) {\n\treturn\n}\n";
    static const char want[] =
        "t:1:28: no type 'si64': the dialect writes signed integers as signless ones, "
        "'i64' (unsigned: 'ui64')\n"
        "    func.func @main(%a: tensor<si64>) {\n"
        "                               ^";
    char wide[600];
    (void)state;
    refuse(text, strlen(text), OC_PARSE, want);
    memset(wide, ' ', sizeof wide);
    wide[300] = '?';
    refuse(wide, sizeof wide, OC_PARSE, "t:1:301: expected");
    refuse(wide, sizeof wide, OC_PARSE, "\n    ...    "); // cut before and behind
    static const char beyond[] = "// \xC3\xA9\n\"\xC3\xA9\" \x01";
    refuse(beyond, strlen(beyond), OC_PARSE, "t:2:6: no token");
    refuse(beyond, strlen(beyond), OC_PARSE, "\n    \"?\"  \n        ^");
}

static void texts(void **state)
{
    static const bad table[] = {
        {"", "t:1:1: expected a module or a function (func.func), found the end"},
        {"// only this", "found the end of the text"},
        {"modul {}",
         "t:1:1: expected a function (func.func) or a module, found 'modul'"},
        {"module {",
         "t:1:9: expected a function (func.func) or a module, found the end"},
        {"module {} module {}",
         "t:1:11: expected the end of the text after the module"},
        {"func.func @f() { return } module {}", "t:1:27: expected the end"},
        {"module { module {} }", "t:1:10: a module within a module needs a name"},
        {"#a = 1 #a = 2", "t:1:8: '#a' is defined already"},
        {"!a = !b", "t:1:6: no type alias '!b' was defined before"},
        {"#a.b = 1", "without a point"},
        {"module {} ;", "t:1:11: no token of a program begins with this character"},
        {"module @ {}", "t:1:8: a name must follow this character"},
        {"module @\"a {}", "a name must follow"},
        {"func.func @f() { return }\nfunc.func @f() { return }",
         "t:2:11: a second function @f"},
        {"func.func @f(%a: i1, i1) { return }",
         "t:1:22: expected the name of an argument"},
        {"func.func @f(%a: i1, %a: i1) { return }", "t:1:22: '%a' is defined already"},
        {"func.func @f() -> i1 { return }",
         "t:1:11: @f gives 1 result, but 0 returned"},
        {"func.func @f(%a: i1) -> i8 { return %a : i1 }",
         "t:1:11: result 0 of @f is i8, but i1 is returned in line 1"},
        {"func.func @f() { }", "t:1:18: expected a return at the end of the function"},
        {"func.func @f() { return return }", "t:1:25: expected '}' after the return"},
        {"func.func @f() { return ", "found the end of the text"},
        {"{-# a: { b: \"0x\" }", "t:1:19: expected ',', found the end"},
        {"{-# dialect_resources: { builtin: { a: \"0x\", a: \"0x\" } } #-}",
         "t:1:46: 'a' stands there twice"},
    };
    (void)state;
    refuse_all(table, COUNT(table), "", "");
}

/* In line 2 of a function with one argument. */
static void operations(void **state)
{
    static const bad table[] = {
        {"stablehlo.frobnicate %a : tensor<3xf32>",
         "t:2:1: no operation 'stablehlo.frobnicate' with a form of its own"},
        {"%0 = stablehlo.add %a, %b : tensor<3xf32>",
         "t:2:24: '%b' is not defined before this place"},
        {"%0 = stablehlo.add %a, %a : tensor<4xf32>",
         "t:2:20: '%a' has type tensor<3xf32>, but tensor<4xf32> is stated for it"},
        {"%0 = \"p.q\"(%0) : (i1) -> i1", "t:2:12: '%0' is not defined"},
        {"%0 = \"p.q\"(%a) : () -> i1", "t:2:18: p.q has 1 operand, but 0 types"},
        {"%0 = \"p.q\"() : (i1) -> i1", "t:2:17: p.q has 0 operands, but more types"},
        {"%0 = \"p.q\"() : i1", "t:2:16: expected '(' and the operands' types"},
        {"%a = \"p.q\"() : () -> i1", "t:2:1: '%a' is defined already"},
        {"%0:2 = \"p.q\"() : () -> i1",
         "t:2:1: p.q has 1 result, but names stand here for 2"},
        {"%0 = \"p.q\"() : () -> ()", "p.q has 0 results"},
        {"%0:0 = \"p.q\"() : () -> ()", "t:2:4: expected 1 to"},
        {"%0#1 = \"p.q\"() : () -> i1", "t:2:1: a result's number is for uses"},
        {"\"p.q\"(%a#1) : (i1) -> ()", "t:2:7: '%a' has 1 result, counted from 0"},
        {"\"p.q\"(%a#99999999999999999999) : (i1) -> ()", "'%a' has 1 result"},
        {"\"p.q\"()[^bb1] : () -> ()", "t:2:8: successor blocks"},
        {"\"p.q\"() ({ ^b: ^c: }) : () -> ()", "t:2:16: a second block"},
        {"\"p.q\"() ({ %1 = \"p.r\"() : () -> i1 }) : () -> () \"p.q\"(%1) : (i1) -> "
         "()",
         "'%1' is not defined"},
        {"\"p.q\"() ({ %a = \"p.r\"() : () -> i1 }) : () -> ()",
         "t:2:12: '%a' is defined already"},
        {"\"p.q\"() <{a = 1}> {a = 2} : () -> ()", "p.q has the attribute 'a' twice"},
        {"\"p.q\"() {a = 1, a = 2} : () -> ()", "t:2:17: 'a' stands there twice"},
        {"\"p.q\"() {a 1} : () -> ()", "t:2:12: expected ',', found '1'"},
        {"\"p.q\"() {a = [1, 2} : () -> ()", "t:2:19: expected ',', found '}'"},
        {"\"p.q\"() {a = #x} : () -> ()", "t:2:14: no attribute alias '#x'"},
        {"\"p.q\"() {a = b} : () -> ()", "t:2:14: expected an attribute, found 'b'"},
        {"\"p.q\"() {a = 1.5 : i32} : () -> ()",
         "t:2:14: this number is none of type 'i32'"},
        {"\"p.q\"() {a = 1 : f32} : () -> ()", "write it with a point"},
        {"\"p.q\"() {a = 300 : i8} : () -> ()",
         "t:2:14: this number does not fit in 'i8'"},
        {"\"p.q\"() {a = array<f16: 1.0>} : () -> ()", "t:2:20: expected i1, i8"},
        {"\"p.q\"() {a = \"b", "t:2:14: this string is not closed on its line"},
        {"\"p.q\"() {a = \"\\z\"} : () -> ()", "t:2:15: no escape that strings have"},
        {"\"p.q\"() {a = #b.c<[}>} : () -> ()", "t:2:20: expected ']', found '}'"},
        {"\"\"() : () -> ()", "t:2:1: an empty name"},
        {"call @g(%a) : (tensor<3xf32>) -> ()",
         "t:2:1: no function @g is there to call"},
        {"call @main() : () -> ()", "t:2:1: @main takes 1 argument, not 0"},
        {"call @main(%a) : (tensor<3xf32>) -> i1",
         "t:2:1: @main gives 0 results, not 1"},
        {"call @h(%a) : (tensor<3xf32>) -> ()",
         "argument 0 of @h is tensor<2xf32>, not tensor<3xf32>"},
        {"\"func.call\"() : () -> ()", "needs the attribute 'callee'"},
    };
    (void)state;
    refuse_all(table, COUNT(table), "func.func @main(%a: tensor<3xf32>) {\n",
               "\nreturn\n}\nfunc.func private @h(tensor<2xf32>)\n");
}

static void types(void **state)
{
    static const bad table[] = {
        {"tensor<3xf33>", "t:1:30: expected a type, found 'f33'"},
        {"tensor<3xi7>", "t:1:30: no integer type 'i7': there are i1, i2, i4"},
        {"tensor<3f32>",
         "t:1:29: expected 'x' and an element type after the dimension"},
        {"tensor<-1xf32>", "t:1:28: expected a type, found '-'"},
        {"tensor<*xf32>", "t:1:28: onchip takes ranked tensors only"},
        {"tensor<2xtf32>", "t:1:30: expected an element type"},
        {"tensor<2xtensor<f32>>", "t:1:30: expected an element type"},
        {"tensor<2xf32", "expected '>', found ')'"},
        {"complex<f16>", "t:1:29: expected f32 or f64, found 'f16'"},
        {"tensor<?xf32, #stablehlo.bounds<1, 2>>",
         "t:1:35: expected one bound for each"},
        {"tensor<2x!quant.uniform<i9:f32, 0.5>>", "t:1:45: expected a storage type"},
        {"tensor<2x!quant.uniform<i8:i8, 0.5>>", "t:1:48: expected a float type"},
        {"tensor<2x!quant.uniform<i8<-129:3>:f32, 0.5>>", "must lie within -128:127"},
        {"tensor<2x!quant.uniform<i8:f32, 0.5:128>>", "t:1:57: expected a zero point"},
        {"tensor<2x!quant.uniform<i8:f32, -0.5>>", "t:1:53: expected a scale"},
        {"tensor<2x!quant.uniform<i8:f32, 0.0>>", "t:1:53: a scale must be positive"},
        {"tensor<2x!quant.uniform<i8:f32:1, {0.5}>>",
         "along dimension 1 of 1 dimensions"},
        {"tensor<2x!quant.uniform<i8:f32:{0:1}, {0.5}>>", "sub-channel quantization"},
    };
    (void)state;
    refuse_all(table, COUNT(table), "func.func @main(%a: ", ") { return }");
}

static void bytes_that_are_no_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } table[] = {
        {"module {\0}", 10, "t:1:9: a NUL byte: this is no text"},
        {"module {} // \xFF", 14, "t:1:14: this byte (0xFF) is no UTF-8"},
        {"module {} // \xC3", 14, "this byte (0xC3) is no UTF-8"},         // cut
        {"module {} // \xC0\xAF", 15, "this byte (0xC0) is no UTF-8"},     // overlong
        {"module {} // \xED\xA0\x80", 16, "this byte (0xED) is no UTF-8"}, // surrogate
    };
    oc__hlo_module *module;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        refuse(table[i].bytes, table[i].size, OC_PARSE, table[i].words);
    }
    static const char fine[] = "module {} // \xE2\x82\xAC \xF0\x9F\x98\x80";
    assert_int_equal(oc__hlo_parse(fine, strlen(fine), "t", &module, NULL), OC_OK);
    oc__hlo_module_free(module);
}

/* 10,000 levels of everything that nests are an error, not the end of the stack. */
static void depth_is_limited(void **state)
{
    enum { LEVELS = 10000 };
    static const char *const nests[][2] = {
        {"#a = ", "["},
        {"#a = ", "{a = "},
        {"!a = ", "tuple<"},
        {"#a = ", "#b.c<"},
        {"#a = loc", "("},
        {"#a = #stablehlo.b<a = ", "["},
        {"", "module @a {\n"},
        {"{-# ", "a: {"},
        {"#a = ", "affine_map<("},
        {"func.func @f() {", "\"a.b\"() ({\n"},
        {"#a = @a", "::@a"},
        {"!a = tensor<", "1x"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(nests); i++) {
        size_t head = strlen(nests[i][0]), size = strlen(nests[i][1]);
        char *text = malloc(head + LEVELS * size + 1);
        assert_non_null(text);
        memcpy(text, nests[i][0], head);
        for (size_t k = 0; k < LEVELS; k++) {
            memcpy(text + head + k * size, nests[i][1], size);
        }
        refuse(text, head + LEVELS * size, OC_LIMIT, "more than");
        free(text);
    }
    refuse("", (size_t)OC__HLO_MAX_TEXT + 1, OC_LIMIT, "more than 1073741824 bytes");
}

/* No beginning of a program is one. */
static void cut_texts_are_refused(void **state)
{
    static const char text[] =
        "module @m {\n"
        "  func.func @main(%a: tensor<2xf32> {k = [1, \"s\"]}) -> tensor<2xf32> {\n"
        "    %c = stablehlo.constant dense<[1.0, 0x3F800000]> : tensor<2xf32>\n"
        "    %0:2 = \"p.q\"(%a, %c) <{d = #stablehlo.gather<offset_dims = [0]>}> ({\n"
        "    ^bb0(%x: tensor<f32>):\n"
        "      stablehlo.return %x : tensor<f32>\n"
        "    }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>)\n"
        "    return %0#0 : tensor<2xf32>\n"
        "  }\n"
        "}";
    (void)state;
    for (size_t size = 0; size + 1 < sizeof text - 1; size++) {
        char *cut = malloc(size + 1); // so that a read beyond the end is seen
        assert_non_null(cut);
        memcpy(cut, text, size);
        refuse(cut, size, OC_PARSE, "t:");
        free(cut);
    }
    oc__hlo_module *module;
    assert_int_equal(oc__hlo_parse(text, strlen(text), "t", &module, NULL), OC_OK);
    oc__hlo_module_free(module);
}

static void main_is_named_when_missing(void **state)
{
    (void)state;
    const oc__hlo_func *func;
    oc_error err = {0};
    oc__hlo_module *module;
    static const char predict[] = "func.func @predict() { return }";
    static const char declared[] = "func.func private @main()";
    assert_int_equal(oc__hlo_parse(predict, strlen(predict), "t", &module, NULL),
                     OC_OK);
    assert_int_equal(oc__hlo_main(module, &func, &err), OC_PARSE);
    assert_null(func);
    ASSERT_ERROR(
        &err, OC_PARSE, OC_BOUNDARY_INPUT,
        "t: no function @main, with which a program starts; there is @predict");
    oc__hlo_module_free(module);
    assert_int_equal(oc__hlo_parse(declared, strlen(declared), "t", &module, NULL),
                     OC_OK);
    err = (oc_error){0};
    assert_int_equal(oc__hlo_main(module, &func, &err), OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "only declared");
    err = (oc_error){0};
    assert_int_equal(oc__hlo_fail(module, &(oc__hlo_op){.line = 3, .column = 4}, &err,
                                  OC_LIMIT, OC_BOUNDARY_NUMERIC, "too %s", "deep"),
                     OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_NUMERIC, "t:3:4: too deep");
    oc__hlo_module_free(module);
    oc__hlo_module_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_shows_its_place),
        cmocka_unit_test(texts),
        cmocka_unit_test(operations),
        cmocka_unit_test(types),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(cut_texts_are_refused),
        cmocka_unit_test(main_is_named_when_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
