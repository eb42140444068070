/* StableHLO text to a module: types, attributes, values, regions, functions, modules.
 */
#include "unit.h"

#include "stablehlo/parse.h"

#include <stdio.h>
#include <stdlib.h>

static oc__hlo_module *parse(const char *text)
{
    oc_error err = {0};
    oc__hlo_module *module;
    if (oc__hlo_parse(text, strlen(text), "t", &module, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return module;
}

static const oc__hlo_func *main_of(const oc__hlo_module *module)
{
    const oc__hlo_func *func;
    assert_int_equal(oc__hlo_main(module, &func, NULL), OC_OK);
    return func;
}

/* --- types
 * ----------------------------------------------------------------------------- */

static void types(void **state)
{
    static const struct {
        const char *text;
        oc__hlo_type_kind kind;
        oc_dtype dtype;
        size_t rank;
        int64_t dims[4];
    } table[] = {
        {"tensor<f32>", OC__HLO_TENSOR, OC_F32, 0, {0}},
        {"tensor<2x0x3xi1>", OC__HLO_TENSOR, OC_PRED, 3, {2, 0, 3}},
        {"tensor<0x1xui4>", OC__HLO_TENSOR, OC_U4, 2, {0, 1}}, // no hex number
        {"tensor<0xf8E4M3B11FNUZ>", OC__HLO_TENSOR, OC_F8E4M3B11FNUZ, 1, {0}},
        {"tensor<?x7xbf16>", OC__HLO_TENSOR, OC_BF16, 2, {OC__HLO_DYNAMIC, 7}},
        {"tensor<2 x 3 x complex<f64>>", OC__HLO_TENSOR, OC_C128, 2, {2, 3}},
        {"tensor<9223372036854775807xi64>", OC__HLO_TENSOR, OC_S64, 1, {INT64_MAX}},
        {"tensor<4x!f>", OC__HLO_TENSOR, OC_F16, 1, {4}},
        {"!t", OC__HLO_TENSOR, OC_S8, 1, {2}},
        {"tuple<tensor<f32>, tuple<>, !stablehlo.token>", OC__HLO_TUPLE, 0, 0, {0}},
        {"!stablehlo.token", OC__HLO_TOKEN, OC_DTYPE_INVALID, 0, {0}},
        {"i64", OC__HLO_SCALAR, OC_S64, 0, {0}},
        {"tf32", OC__HLO_SCALAR, OC_DTYPE_INVALID, 0, {0}},
        {"index", OC__HLO_SCALAR, OC_DTYPE_INVALID, 0, {0}},
        {"(tensor<f32>, i1) -> (tensor<f32>)", OC__HLO_OTHER, OC_DTYPE_INVALID, 0, {0}},
        {"!mhlo.async_bundle<a, [1 -> 2]>", OC__HLO_OTHER, OC_DTYPE_INVALID, 0, {0}},
        {"none", OC__HLO_OTHER, OC_DTYPE_INVALID, 0, {0}},
        {"tensor<index>", OC__HLO_OTHER, OC_DTYPE_INVALID, 0, {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "!f = f16 !t = tensor<2xi8> func.func @main(%%a: %s) { return }",
                 table[i].text);
        oc__hlo_module *module = parse(text);
        const oc__hlo_type *type = main_of(module)->argument_types[0];
        assert_int_equal(type->kind, table[i].kind);
        assert_int_equal(type->dtype, table[i].dtype);
        assert_int_equal(type->rank, table[i].rank);
        assert_memory_equal(type->dims, table[i].dims, type->rank * sizeof *type->dims);
        bool is_alias = table[i].text[0] == '!' && table[i].text[2] == '\0';
        assert_string_equal(type->text, is_alias ? "tensor<2xi8>" : table[i].text);
        oc__hlo_module_free(module);
    }
}

static void quantized_and_bounded_types(void **state)
{
    (void)state;
    oc__hlo_module *module =
        parse("func.func @main(%a: tensor<2x!quant.uniform<i8<-127:126>:f32:0, "
              "{0.1:-30, 0.5}>>,"
              " %b: tensor<!quant.uniform<u8:bf16, 2.0:255>>,"
              " %c: tensor<?x?xf32, #stablehlo.bounds<4, ?>>) { return }");
    const oc__hlo_func *func = main_of(module);
    const oc__hlo_quant *a = func->argument_types[0]->quant;
    const oc__hlo_quant *b = func->argument_types[1]->quant;
    assert_int_equal(func->argument_types[0]->dtype, OC_S8);
    assert_true(a->storage == OC_S8 && a->expressed == OC_F32 &&
                a->storage_min == -127 && a->storage_max == 126 && a->dimension == 0 &&
                a->count == 2);
    assert_true(a->scales[0] == 0.1 && a->scales[1] == 0.5 &&
                a->zero_points[0] == -30 && a->zero_points[1] == 0);
    assert_true(b->storage == OC_U8 && b->expressed == OC_BF16 && b->storage_min == 0 &&
                b->storage_max == 255 && b->dimension == -1 && b->count == 1 &&
                b->zero_points[0] == 255);
    const oc__hlo_attr *bounds =
        oc__hlo_entry(func->argument_types[2]->encoding, "bounds");
    assert_int_equal(bounds->kind, OC__ATTR_INTS);
    assert_int_equal(bounds->count, 2);
    assert_int_equal(bounds->ints[0], 4);
    assert_true(bounds->ints[1] == OC__HLO_DYNAMIC);
    oc__hlo_module_free(module);
}

/* --- attributes
 * -------------------------------------------------------------------------- */

static void attributes(void **state)
{
    static const struct {
        const char *text;
        oc__hlo_attr_kind kind;
        int64_t integer; /* of BOOL and INT; else the count */
        double real;
        const char *words; /* of those with a text */
    } table[] = {
        {"unit", OC__ATTR_UNIT, 0, 0, NULL},
        {"true", OC__ATTR_BOOL, 1, 0, NULL},
        {"-5", OC__ATTR_INT, -5, 0, NULL},
        {"0x10 : i32", OC__ATTR_INT, 16, 0, NULL},
        {"18446744073709551615 : ui64", OC__ATTR_INT, -1, 0, NULL},
        {"3 : index", OC__ATTR_INT, 3, 0, NULL},
        {"1.5", OC__ATTR_FLOAT, 0, 1.5, NULL},
        {"-0.1 : f32", OC__ATTR_FLOAT, 0, (double)-0.1f, NULL},
        {"0x3F80 : bf16", OC__ATTR_FLOAT, 0, 1, NULL},
        {"\"a\\22\\n\\\\b\"", OC__ATTR_STRING, 0, 0, "a\"\n\\b"},
        {"@f", OC__ATTR_SYMBOL, 0, 0, "f"},
        {"@\"a b\"::@c", OC__ATTR_SYMBOL, 0, 0, "a b::c"},
        {"tensor<2xf32>", OC__ATTR_TYPE, 0, 0, NULL},
        {"[1, [], {a}]", OC__ATTR_ARRAY, 3, 0, NULL},
        {"array<i64: 1, -2>", OC__ATTR_INTS, 2, 0, NULL},
        {"array<i1: true, false>", OC__ATTR_INTS, 2, 0, NULL},
        {"array<i32>", OC__ATTR_INTS, 0, 0, NULL},
        {"array<f32: 1.0, 0x7F800000>", OC__ATTR_ARRAY, 2, 0, NULL},
        {"{a = 1, \"b c\", d.e = {}}", OC__ATTR_DICT, 3, 0, NULL},
        {"#stablehlo<precision HIGH>", OC__ATTR_ENUM, 0, 0, "HIGH"},
        {"#stablehlo.rng<DEFAULT>", OC__ATTR_ENUM, 0, 0, "DEFAULT"},
        {"#stablehlo.gather<offset_dims = [0], index_vector_dim = 1>", OC__ATTR_STRUCT,
         2, 0, "stablehlo.gather"},
        {"#stablehlo.scatter<>", OC__ATTR_STRUCT, 0, 0, "stablehlo.scatter"},
        {"#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>", OC__ATTR_STRUCT, 9, 0,
         "stablehlo.conv"},
        {"#sdy.sharding<@m, [{\"x\"}, {}]>", OC__ATTR_OTHER, 0, 0,
         "#sdy.sharding<@m, [{\"x\"}, {}]>"},
        {"affine_map<(d0) -> (d0)>", OC__ATTR_OTHER, 0, 0, "affine_map<(d0) -> (d0)>"},
        {"dense<[1, 0]> : tensor<2xindex>", OC__ATTR_OTHER, 0, 0,
         "dense<[1, 0]> : tensor<2xindex>"},
        {"#alias", OC__ATTR_INTS, 3, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "#alias = array<i64: 7, 8, 9>\nfunc.func @main() {\n"
                 "\"x.y\"() {a = %s} : () -> ()\nreturn\n}",
                 table[i].text);
        oc__hlo_module *module = parse(text);
        const oc__hlo_attr *attr = oc__hlo_attr_get(main_of(module)->body.ops[0], "a");
        assert_int_equal(attr->kind, table[i].kind);
        bool is_number = attr->kind == OC__ATTR_BOOL || attr->kind == OC__ATTR_INT;
        assert_true((is_number ? attr->integer : (int64_t)attr->count) ==
                    table[i].integer);
        assert_true(attr->real == table[i].real);
        if (table[i].words) {
            assert_string_equal(attr->text, table[i].words);
            assert_int_equal(attr->text_size, strlen(table[i].words));
        }
        oc__hlo_module_free(module);
    }
}

/* <{properties}> and the dictionary behind the regions are one list; whole numbers come
 * in four notations. */
static void attributes_of_an_operation(void **state)
{
    static const char *const lists[] = {"arr", "list", "dense", "splat", "flags"};
    static const int64_t numbers[][4] = {
        {1, -2}, {1, -2}, {1, -2, 3, 4}, {7, 7, 7}, {1, 0}};
    static const size_t counts[] = {2, 2, 4, 3, 2};
    (void)state;
    oc__hlo_module *module = parse(
        "func.func @main() {\n"
        "\"x.y\"() <{arr = array<i64: 1, -2>, n = 4 : i64, w = #stablehlo<a B>}> ({\n"
        "  \"x.z\"() : () -> ()\n}) {list = [1, -2], dense = dense<[[1, -2], [3, 4]]> "
        ": "
        "tensor<2x2xi32>, splat = dense<7> : tensor<3xi64>, yes, no = false,\n"
        "flags = dense<[true, false]> : tensor<2xi1>, bad = [\"a\"],\n"
        "huge = dense<0> : tensor<100000000xi64>} : () -> ()\n"
        "return\n}");
    const oc__hlo_op *op = main_of(module)->body.ops[0];
    assert_int_equal(op->attribute_count, 11);
    for (size_t i = 0; i < 5; i++) {
        const int64_t *ints;
        size_t count;
        assert_int_equal(
            oc__hlo_ints(module, oc__hlo_attr_get(op, lists[i]), &ints, &count, NULL),
            OC_OK);
        assert_int_equal(count, counts[i]);
        assert_memory_equal(ints, numbers[i], count * sizeof *ints);
    }
    const int64_t *ints;
    size_t count = 9;
    assert_int_equal(oc__hlo_ints(module, NULL, &ints, &count, NULL), OC_OK);
    assert_int_equal(count, 0);
    assert_non_null(ints);
    oc_error err = {0};
    assert_int_equal(
        oc__hlo_ints(module, oc__hlo_attr_get(op, "bad"), &ints, &count, &err),
        OC_PARSE);
    err = (oc_error){0};
    assert_int_equal(
        oc__hlo_ints(module, oc__hlo_attr_get(op, "huge"), &ints, &count, &err),
        OC_LIMIT);
    assert_true(oc__hlo_attr_flag(op, "yes") && !oc__hlo_attr_flag(op, "no") &&
                !oc__hlo_attr_flag(op, "n") && !oc__hlo_attr_flag(op, "absent"));
    assert_int_equal(oc__hlo_attr_int(op, "n", 9), 4);
    assert_int_equal(oc__hlo_attr_int(op, "w", 9), 9);
    assert_string_equal(oc__hlo_attr_text(op, "w", "x"), "B");
    assert_string_equal(oc__hlo_attr_text(op, "absent", "x"), "x");
    assert_null(oc__hlo_attr_get(op, "absent"));
    oc__hlo_module_free(module);
}

/* --- values and regions
 * ------------------------------------------------------------------- */

static void values_are_numbered_and_named(void **state)
{
    static const char *const names[] = {"%a", "%in", "%0#0", "%0#1", "%x", "%y", ""};
    (void)state;
    oc__hlo_module *module =
        parse("func.func @main(%a: tensor<f32>) -> tensor<i1> {\n"
              "  %0:2 = \"p.q\"(%a) ({\n"
              "  ^bb0(%in: tensor<i8>):\n"
              "    \"p.r\"(%in, %a) : (tensor<i8>, tensor<f32>) -> ()\n"
              "  }) : (tensor<f32>) -> (tensor<i1>, tensor<i2>)\n"
              "  %x, %y = \"p.s\"(%0#1, %0) : (tensor<i2>, tensor<i1>) -> (tensor<i4>, "
              "tensor<i1>)\n"
              "  \"p.t\"() : () -> tensor<f32>\n"
              "  return %y : tensor<i1>\n"
              "}");
    const oc__hlo_func *func = main_of(module);
    assert_int_equal(func->value_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(func->value_names[i], names[i]);
    }
    assert_int_equal(func->value_types[1]->dtype, OC_S8);
    assert_int_equal(func->value_types[3]->dtype, OC_S2);
    const oc__hlo_op *const *ops = func->body.ops;
    assert_int_equal(func->body.op_count, 4);
    const oc__hlo_block *inner = &ops[0]->regions[0]->block;
    assert_int_equal(inner->argument_count, 1);
    assert_int_equal(inner->first_argument, 1);
    assert_int_equal(inner->ops[0]->operands[0], 1);
    assert_int_equal(inner->ops[0]->operands[1], 0);
    assert_int_equal(ops[0]->first_result, 2);
    assert_int_equal(ops[1]->operands[0], 3);
    assert_int_equal(ops[1]->operands[1], 2);
    assert_int_equal(ops[1]->line, 6);
    assert_int_equal(ops[1]->column, 12);
    assert_string_equal(ops[3]->name, "func.return");
    // %a dies where the region that reads it is; %0#0 and %0#1 in p.s, %x unused there
    // too
    assert_int_equal(ops[0]->dying_count, 1);
    assert_int_equal(ops[0]->dying[0], 0);
    assert_int_equal(ops[1]->dying_count, 3);
    assert_int_equal(ops[1]->dying[2], 4);
    assert_int_equal(ops[2]->dying_count, 1);
    assert_int_equal(ops[2]->dying[0], 6);
    assert_int_equal(ops[3]->dying_count, 1);
    assert_int_equal(inner->ops[0]->dying_count, 1);
    assert_int_equal(inner->ops[0]->dying[0], 1);
    oc__hlo_module_free(module);
}

/* Regions side by side may use the same names. */
static void names_end_with_their_region(void **state)
{
    (void)state;
    oc__hlo_module *module =
        parse("func.func @main() {\n"
              "  \"p.q\"() ({ %a = \"p.c\"() : () -> tensor<f32> }, {\n"
              "    %a = \"p.c\"() : () -> tensor<i1> \"p.d\"(%a) : (tensor<i1>) -> () "
              "}) : () -> ()\n"
              "  %a = \"p.c\"() : () -> tensor<f32>\n"
              "  return\n"
              "}");
    assert_int_equal(main_of(module)->value_count, 3);
    oc__hlo_module_free(module);
}

/* --- functions and modules
 * ----------------------------------------------------------------- */

static void functions(void **state)
{
    (void)state;
    oc__hlo_module *module = parse(
        "#loc = loc(\"f\":1:2)\n"
        "module @m attributes {a.b = 2 : i32} {\n"
        "  sdy.mesh @mesh = <[\"x\"=2]> {k = 1}\n"
        "  \"x.y\"() ({ func.call @nobody() : () -> () }) : () -> ()\n"
        "  func.func public @main(%a: tensor<2xf32> {k.l = \"v\", u} loc(\"a\"), "
        "%b: tensor<i1>) -> (tensor<2xf32> {jax.r = \"r\"}) attributes {z = 1} {\n"
        "    %0 = call @\"g h\"(%a) : (tensor<2xf32>) -> tensor<2xf32> loc(#loc)\n"
        "    %1 = sdy.sharding_constraint %0 <@mesh, [{\"x\"}]> : tensor<2xf32>\n"
        "    return %1 : tensor<2xf32> loc(fused[\"a\", #loc1])\n"
        "  } loc(#loc)\n"
        "  func.func private @\"g h\"(tensor<2xf32>) -> tensor<2xf32>\n"
        "} loc(unknown)\n"
        "#loc1 = loc(callsite(\"f\" at #loc))\n");
    assert_string_equal(module->name, "m");
    assert_int_equal(module->attribute_count, 1);
    assert_int_equal(module->func_count, 2);
    const oc__hlo_func *func = main_of(module);
    assert_int_equal(func->body.argument_count, 2);
    assert_int_equal(func->argument_attribute_counts[0], 2);
    assert_string_equal(func->argument_attributes[0][0].name, "k.l");
    assert_int_equal(func->argument_attribute_counts[1], 0);
    assert_int_equal(func->result_count, 1);
    assert_int_equal(func->attribute_count, 1);
    assert_false(func->is_private);
    assert_int_equal(func->line, 5);
    assert_string_equal(oc__hlo_attr_text(func->body.ops[0], "callee", ""), "g h");
    assert_string_equal(oc__hlo_attr_get(func->body.ops[1], "sharding")->text,
                        "#sdy.sharding<@mesh, [{\"x\"}]>");
    const oc__hlo_func *declared = oc__hlo_func_find(module, "g h");
    assert_true(declared->is_private);
    assert_int_equal(declared->body.op_count, 0);
    assert_int_equal(declared->body.argument_count, 1);
    assert_null(oc__hlo_func_find(module, "mesh"));
    oc__hlo_module_free(module);
}

/* A symbol means a function of its own module first, then of those around it. */
static void nested_modules(void **state)
{
    static const char f[] = "func.func @f() { return }\n";
    char text[1024];
    (void)state;
    snprintf(
        text, sizeof text,
        "module {\n%s"
        "module @a {\n%s func.func @g() { call @f() : () -> () call @h() : () -> ()\n"
        "return }\n"
        "module @b { func.func @k() { call @g() : () -> () return } } }\n"
        "func.func @h() { return }\n"
        "func.func @main() { call @f() : () -> () call @a::@f() : () -> () return }\n}",
        f, f);
    oc__hlo_module *module = parse(text);
    assert_int_equal(module->func_count, 6);
    const oc__hlo_func *g = oc__hlo_func_find(module, "a::g");
    assert_string_equal(oc__hlo_attr_text(g->body.ops[0], "callee", ""), "a::f");
    assert_string_equal(oc__hlo_attr_text(g->body.ops[1], "callee", ""), "h");
    const oc__hlo_func *k = oc__hlo_func_find(module, "a::b::k");
    assert_string_equal(oc__hlo_attr_text(k->body.ops[0], "callee", ""), "a::g");
    const oc__hlo_func *func = main_of(module);
    assert_string_equal(oc__hlo_attr_text(func->body.ops[0], "callee", ""), "f");
    assert_string_equal(oc__hlo_attr_text(func->body.ops[1], "callee", ""), "a::f");
    oc__hlo_module_free(module);
}

static void generic_modules_and_functions(void **state)
{
    (void)state;
    oc__hlo_module *module =
        parse("\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
              "\"func.func\"() <{sym_name = \"main\", sym_visibility = \"private\", z, "
              "arg_attrs = [{k}],\n"
              "  function_type = (tensor<i1>) -> tensor<i1>}> ({\n"
              "^bb0(%a: tensor<i1>):\n"
              "  \"func.return\"(%a) : (tensor<i1>) -> ()\n"
              "}) : () -> ()\n"
              "}) : () -> ()\n");
    const oc__hlo_func *func = main_of(module);
    assert_string_equal(module->name, "m");
    assert_int_equal(module->attribute_count, 0);
    assert_true(func->is_private && func->attribute_count == 1);
    assert_int_equal(func->body.argument_count, 1);
    assert_string_equal(func->argument_attributes[0][0].name, "k");
    assert_int_equal(func->argument_types[0]->dtype, OC_PRED);
    assert_int_equal(func->result_count, 1);
    oc__hlo_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(quantized_and_bounded_types),
        cmocka_unit_test(attributes),
        cmocka_unit_test(attributes_of_an_operation),
        cmocka_unit_test(values_are_numbered_and_named),
        cmocka_unit_test(names_end_with_their_region),
        cmocka_unit_test(functions),
        cmocka_unit_test(nested_modules),
        cmocka_unit_test(generic_modules_and_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
