/* Constants: each notation gives the bytes that IEEE 754, two's complement and the
 * formats of the small floats ask for. */
#include "unit.h"

#include "stablehlo/parse.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct constant {
    const char *literal, *type;
    const char *bytes; /* of the data, in hex */
    bool splat;
} constant;

/* The module of `%0 = stablehlo.constant LITERAL : TYPE`; the caller frees it. */
static oc__hlo_module *module_of(const char *literal, const char *type, oc_error *err)
{
    char text[2048];
    oc__hlo_module *module;
    int size =
        snprintf(text, sizeof text,
                 "func.func @main() {\n%%0 = stablehlo.constant %s : %s\nreturn\n}\n"
                 "{-# dialect_resources: {builtin: {\n"
                 "  two: \"0x040000000000803F00000040\",\n"
                 "  none: \"0x04000000\"}} #-}\n",
                 literal, type);
    assert_true(size > 0 && (size_t)size < sizeof text);
    oc__ignore(oc__hlo_parse(text, (size_t)size, "t", &module, err));
    return module;
}

static void check(const constant *want)
{
    char bytes[256] = "";
    oc_error err = {0};
    oc__hlo_module *module = module_of(want->literal, want->type, &err);
    if (!module) {
        fail_msg("%s : %s: %s", want->literal, want->type, err.text);
        return;
    }
    const oc__hlo_attr *value =
        oc__hlo_attr_get(module->funcs[0]->body.ops[0], "value");
    assert_non_null(value);
    assert_int_equal(value->kind, OC__ATTR_DENSE);
    const unsigned char *data = value->dense->data;
    assert_int_equal((uintptr_t)data % 16, 0);
    for (size_t i = 0; i < value->dense->size_bytes; i++) {
        snprintf(bytes + 2 * i, 3, "%02X", data[i]);
    }
    if (strcmp(bytes, want->bytes) != 0 || value->dense->splat != want->splat) {
        fail_msg("%s : %s: %s%s, not %s%s", want->literal, want->type, bytes,
                 value->dense->splat ? " (splat)" : "", want->bytes,
                 want->splat ? " (splat)" : "");
    }
    oc__hlo_module_free(module);
}

static void check_all(const constant *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check(&table[i]);
    }
}

#define CHECK_ALL(table) check_all(table, sizeof(table) / sizeof *(table))

static void integers_are_twos_complement(void **state)
{
    static const constant table[] = {
        {"dense<[0, 1, -1]>", "tensor<3xi32>", "0000000001000000FFFFFFFF", false},
        {"dense<200>", "tensor<i8>", "C8", false},
        {"dense<-128>", "tensor<i8>", "80", false},
        {"dense<0xFF>", "tensor<i8>", "FF", false},
        {"dense<200>", "tensor<ui8>", "C8", false},
        {"dense<[-9223372036854775808, 0x8000000000000000]>", "tensor<2xi64>",
         "00000000000000800000000000000080", false},
        {"dense<18446744073709551615>", "tensor<ui64>", "FFFFFFFFFFFFFFFF", false},
        {"dense<[-8, 7, 0xF]>", "tensor<3xi4>", "F807FF", false}, // a byte each, signed
        {"dense<[0, 15]>", "tensor<2xui4>", "000F", false},
        {"dense<[-2, 1, 3]>", "tensor<3xi2>", "FE01FF", false},
        {"dense<[true, false, true]>", "tensor<3xi1>", "010001", false},
        {"dense<true>", "tensor<9xi1>", "01", true},
        {"dense<7>", "tensor<2x3xi16>", "0700", true},
        {"dense<[1, 2]>", "tensor<2x!quant.uniform<i8:f32, 0.5>>", "0102", false},
    };
    (void)state;
    CHECK_ALL(table);
}

/* The decimal is rounded once: text just beside a midpoint of the type goes to its own
 * side although the double nearest to it is the midpoint. */
static void decimals_are_rounded_once(void **state)
{
    static const constant table[] = {
        {"dense<0.1>", "tensor<f32>", "CDCCCC3D", false},
        {"dense<-0.0>", "tensor<f32>", "00000080", false},
        {"dense<0.1>", "tensor<f64>", "9A9999999999B93F", false},
        {"dense<2.2250738585072011e-308>", "tensor<f64>", "FFFFFFFFFFFF0F00", false},
        {"dense<1.0e309>", "tensor<f64>", "000000000000F07F", false},
        {"dense<1.0e-400>", "tensor<f64>", "0000000000000000", false},
        // 1 + 2^-24: midway between 1 and the next number of f32
        {"dense<1.000000059604644775390625>", "tensor<f32>", "0000803F", false},
        {"dense<1.00000005960464477539062500000000000001>", "tensor<f32>", "0100803F",
         false},
        // 1 + 2^-8 and 1 + 3 * 2^-8 in bf16
        {"dense<1.00390625>", "tensor<bf16>", "803F", false},
        {"dense<1.00390625000000000000000000001>", "tensor<bf16>", "813F", false},
        {"dense<1.01171875>", "tensor<bf16>", "823F", false},
        {"dense<1.01171874999999999999999999999>", "tensor<bf16>", "813F", false},
        // 65520, where f16 overflows, and 2^-25, half of its smallest number
        {"dense<65519.99999999999999999999999>", "tensor<f16>", "FF7B", false},
        {"dense<65520.0>", "tensor<f16>", "007C", false},
        {"dense<2.98023223876953125e-8>", "tensor<f16>", "0000", false},
        {"dense<2.98023223876953125000000000001e-8>", "tensor<f16>", "0100", false},
        // 464, midway between 448 and what would be 480, which is NaN
        {"dense<464.0>", "tensor<f8E4M3FN>", "7E", false},
        {"dense<464.0000000000000000000000001>", "tensor<f8E4M3FN>", "7F", false},
        // which has no zero and no sign; 3 is midway between 2 and 4
        {"dense<[0.0, -0.0, 3.0, -1.0]>", "tensor<4xf8E8M0FNU>", "000081FF", false},
        {"dense<0.75>", "tensor<f4E2M1FN>", "02", false},
        {"dense<0.74999999999999999999999999>", "tensor<f4E2M1FN>", "01", false},
        {"dense<[1.0e+1, 1.0E1, 123456789012345678901.5]>", "tensor<3xf32>",
         "0000204100002041D429D660", false},
    };
    (void)state;
    CHECK_ALL(table);
}

/* A digit far beyond those that a double has still decides. */
static void every_digit_counts(void **state)
{
    enum { ZEROS = 1000 };
    char literal[ZEROS + 32];
    (void)state;
    int size = snprintf(literal, sizeof literal, "dense<1.00390625%0*d>", ZEROS, 1);
    assert_int_equal(size, 17 + ZEROS);
    check(&(constant){literal, "tensor<bf16>", "813F", false});
    literal[size - 2] = '0';
    check(&(constant){literal, "tensor<bf16>", "803F", false});
}

static void hex_literals_are_bits(void **state)
{
    static const constant table[] = {
        {"dense<[0x7FC00000, 0xFF800000]>", "tensor<2xf32>", "0000C07F000080FF", false},
        {"dense<0xFF80>", "tensor<bf16>", "80FF", false},
        {"dense<0x7E>", "tensor<f8E4M3FN>", "7E", false},
        {"dense<0xF>", "tensor<f4E2M1FN>", "0F", false},
        {"dense<(0x7FC00000, 1.0)>", "tensor<complex<f32>>", "0000C07F0000803F", false},
        {"dense<[(1.0, 2.0), (-0.5, 0.0)]>", "tensor<2xcomplex<f32>>",
         "0000803F00000040000000BF00000000", false},
        {"dense<(1.0, 2.0)>", "tensor<3xcomplex<f64>>",
         "000000000000F03F0000000000000040", true},
    };
    (void)state;
    CHECK_ALL(table);
}

static void hex_strings_are_bytes(void **state)
{
    static const constant table[] = {
        {"dense<\"0x0000803F000000400000404000008040\">", "tensor<4xf32>",
         "0000803F000000400000404000008040", false},
        {"dense<\"0x0000803f\">", "tensor<4xf32>", "0000803F", true},
        {"dense<\"0x\">", "tensor<0xf32>", "", false},
        {"dense<\"0x000100\">", "tensor<3xi1>", "000100", false}, // a byte an element
        {"dense<\"0xFF\">", "tensor<9xi1>", "01", true}, // true in older MLIR too
        {"dense<\"0x08070F\">", "tensor<3xi4>", "F807FF", false},
        {"dense<\"0xF807FF\">", "tensor<3xi4>", "F807FF", false},
        {"dense<\"0x0F\">", "tensor<ui4>", "0F", false},
        {"dense_resource<two>", "tensor<2xf32>", "0000803F00000040", false},
        {"dense_resource<none>", "tensor<2x0xf32>", "", false},
    };
    (void)state;
    CHECK_ALL(table);
}

static void lists_have_the_shape_of_the_type(void **state)
{
    static const constant table[] = {
        {"dense<[[1, 2, 3],\n  [4, 5, 6]]>", "tensor<2x3xi8>", "010203040506", false},
        {"dense<[ [[1]] , // one\n [[2]]]>", "tensor<2x1x1xi8>", "0102", false},
        {"dense<>", "tensor<0x3xf32>", "", false},
        {"dense<[]>", "tensor<0x3xf32>", "", false},
        {"dense<[[], []]>", "tensor<2x0xf32>", "", false},
        {"dense<1>", "tensor<1000000x1000000xi8>", "01", true},
        {"dense<1>", "tensor<1x1xi8>", "01", false},
    };
    (void)state;
    CHECK_ALL(table);
}

static void what_is_no_constant(void **state)
{
    static const struct {
        const char *literal, *type, *words;
        oc_status status;
    } table[] = {
        {"dense<256>", "tensor<i8>", "t:2:31: 256 does not fit", OC_PARSE},
        {"dense<-129>", "tensor<i8>", "-129 does not fit", OC_PARSE},
        {"dense<-1>", "tensor<ui8>", "-1 does not fit", OC_PARSE},
        {"dense<18446744073709551616>", "tensor<ui64>", "does not fit", OC_PARSE},
        {"dense<1.0>", "tensor<i8>", "expected a whole number, found '1.0'", OC_PARSE},
        {"dense<1>", "tensor<f32>", "expected a number with a point", OC_PARSE},
        {"dense<true>", "tensor<i8>", "expected a whole number, found 'true'",
         OC_PARSE},
        {"dense<0x1FFFF>", "tensor<bf16>", "0x1FFFF does not fit", OC_PARSE},
        {"dense<-0x7F80>", "tensor<bf16>", "-0x7F80 does not fit", OC_PARSE},
        {"dense<[1.0, 2.0]>", "tensor<3xf32>",
         "t:2:40: expected 3 elements in dimension 0 of 'tensor<3xf32>', found 2",
         OC_PARSE},
        {"dense<[1.0, 2.0]>", "tensor<1xf32>", "t:2:35: expected ']' after the 1",
         OC_PARSE},
        {"dense<[[1, 2], [3]]>", "tensor<2x2xi8>",
         "t:2:42: expected 2 elements in dimension 1", OC_PARSE},
        {"dense<[1, 2]>", "tensor<2x1xi8>", "t:2:32: expected '['", OC_PARSE},
        {"dense<[[1]]>", "tensor<1xi8>", "t:2:32: a list nested deeper", OC_PARSE},
        {"dense<[1]>", "tensor<i8>", "nested deeper than the 0 dimensions", OC_PARSE},
        {"dense<[1 2]>", "tensor<2xi8>", "expected ',' or ']', found '2'", OC_PARSE},
        {"dense<>", "tensor<2xi8>", "expected a whole number, found '>'", OC_PARSE},
        {"dense<(1.0, 2.0>", "tensor<complex<f32>>", "expected ')', found '>'",
         OC_PARSE},
        {"dense<1.0>", "tensor<complex<f32>>", "expected '(', found '1.0'", OC_PARSE},
        {"dense<1.0>", "tensor<?xf32>", "'tensor<?xf32>' has a '?'", OC_PARSE},
        {"dense<1.0>", "f32", "expected a tensor type, found 'f32'", OC_PARSE},
        {"dense<\"0x00\">", "tensor<4xf32>",
         "expected 16 bytes of hex for 'tensor<4xf32>' (or 4, a splat), found 1",
         OC_PARSE},
        {"dense<\"0x000\">", "tensor<4xi8>", "odd number of hex digits", OC_PARSE},
        {"dense<\"0x0g\">", "tensor<i8>", "t:2:35: expected a hex digit", OC_PARSE},
        {"dense<\"abc\">", "tensor<i8>", "that begins with 0x", OC_PARSE},
        // nine bits in two bytes, as older MLIR wrote i1
        {"dense<\"0x0501\">", "tensor<9xi1>",
         "expected one byte an element, 9 for 'tensor<9xi1>', found 2: bits packed as "
         "MLIR "
         "up to StableHLO 1.13 wrote them",
         OC_PARSE},
        {"dense<\"0x05\">", "tensor<5xi1>", "bits packed as MLIR", OC_PARSE},
        {"dense<\"0x0002\">", "tensor<2xi1>", "0x02 is no value of an element",
         OC_PARSE},
        {"dense<\"0x1F\">", "tensor<ui4>", "0x1F is no value of an element", OC_PARSE},
        {"dense<\"0x00\">", "tensor<9223372036854775807x4xf32>", "is too large",
         OC_LIMIT},
        {"dense_resource<three>", "tensor<2xf32>", "no resource 'three'", OC_PARSE},
        {"dense_resource<two>", "tensor<3xf32>", "expected 12 bytes of hex", OC_PARSE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        oc__hlo_module *module = module_of(table[i].literal, table[i].type, &err);
        assert_null(module);
        ASSERT_ERROR(&err, table[i].status, OC_BOUNDARY_INPUT, table[i].words);
    }
}

/* A list that its type makes enormous costs what its text costs. */
static void types_do_not_take_memory(void **state)
{
    oc_error err = {0};
    (void)state;
    assert_null(module_of("dense<[[1]]>", "tensor<1000000000x1000000000xi64>", &err));
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "expected 1000000000 elements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_twos_complement),
        cmocka_unit_test(decimals_are_rounded_once),
        cmocka_unit_test(every_digit_counts),
        cmocka_unit_test(hex_literals_are_bits),
        cmocka_unit_test(hex_strings_are_bytes),
        cmocka_unit_test(lists_have_the_shape_of_the_type),
        cmocka_unit_test(what_is_no_constant),
        cmocka_unit_test(types_do_not_take_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
