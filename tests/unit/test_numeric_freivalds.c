/* Rows of dots held against random vectors: a right device is never refuted, whatever
 * its order and however its errors lean; a wrong row is. Devices are simulated here, in
 * float arithmetic of this file's own. */
#include "dice.h"
#include "unit.h"

#include "numeric/freivalds.h"
#include "stablehlo/parse.h"
#include "tensor/float_format.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, ROWS = 12, LENGTH = 300, COLUMNS = 40 };

/* lhs [batch, row, k], rhs [k, batch, column] (a layout that is not the plain one). */
#define DOT(element, result)                                                           \
    "func.func @main(%a: tensor<2x12x300x" element ">, %b: tensor<300x2x40x" element   \
    ">) -> tensor<2x12x40x" result "> {\n"                                             \
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], "                 \
    "contracting_dims = [2] x [0] : (tensor<2x12x300x" element                         \
    ">, tensor<300x2x40x" element ">) -> tensor<2x12x40x" result                       \
    ">\n  return %0 : tensor<2x12x40x" result ">\n}\n"

typedef struct desk {
    oc__hlo_module *module;
    oc_tensor inputs[2], got;
} desk;

static void desk_open(desk *d, const char *text, oc_dtype operand, oc_dtype result)
{
    const int64_t a[] = {BATCH, ROWS, LENGTH}, b[] = {LENGTH, BATCH, COLUMNS};
    const int64_t out[] = {BATCH, ROWS, COLUMNS};
    oc_error err = {0};
    *d = (desk){0};
    assert_int_equal(oc__hlo_parse(text, strlen(text), "t.mlir", &d->module, &err),
                     OC_OK);
    assert_int_equal(oc_tensor_make(operand, a, 3, &d->inputs[0], &err), OC_OK);
    assert_int_equal(oc_tensor_make(operand, b, 3, &d->inputs[1], &err), OC_OK);
    assert_int_equal(oc_tensor_make(result, out, 3, &d->got, &err), OC_OK);
}

static void desk_close(desk *d)
{
    oc__hlo_module_free(d->module);
    oc_tensor_free(&d->inputs[0]);
    oc_tensor_free(&d->inputs[1]);
    oc_tensor_free(&d->got);
}

static double read_at(const oc_tensor *t, size_t i)
{
    uint64_t bits = 0;
    size_t size = oc_dtype_host_bits(t->dtype) / 8;
    memcpy(&bits, (const char *)t->data + i * size, size);
    return oc__float_decode(t->dtype, bits);
}

static void write_at(oc_tensor *t, size_t i, double value)
{
    uint64_t bits = oc__float_encode(t->dtype, value);
    size_t size = oc_dtype_host_bits(t->dtype) / 8;
    memcpy((char *)t->data + i * size, &bits, size);
}

/* positive: all terms have one sign, so that the errors of a sequential sum lean one
 * way. */
static void fill(desk *d, dice *random, bool positive)
{
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < oc_tensor_count(&d->inputs[side]); i++) {
            double x = dice_normal(random);
            write_at(&d->inputs[side], i, positive ? fabs(x) : x);
        }
    }
}

/* How a simulated device adds. */
typedef enum order { FORWARD, BACKWARD, PAIRS, TRUNCATED } order;

static float truncated(double exact)
{
    float near = (float)exact;
    return fabs((double)near) > fabs(exact) ? nextafterf(near, 0.0F) : near;
}

static float sum_of(const float *terms, size_t n, order how)
{
    float sum = 0;
    if (how == PAIRS && n > 1) {
        return sum_of(terms, n / 2, how) + sum_of(terms + n / 2, n - n / 2, how);
    }
    for (size_t k = 0; k < n; k++) {
        size_t at = how == BACKWARD ? n - 1 - k : k;
        sum = how == TRUNCATED ? truncated((double)sum + (double)terms[at])
                               : sum + terms[at];
    }
    return sum;
}

/* skip: a row whose last terms are left out; ROWS: none. */
static void run_device(desk *d, order how, size_t skip)
{
    float terms[LENGTH];
    for (size_t i = 0; i < BATCH * ROWS * COLUMNS; i++) {
        size_t batch = i / (ROWS * COLUMNS), row = i / COLUMNS % ROWS;
        size_t column = i % COLUMNS, length = row == skip ? LENGTH - 8 : LENGTH;
        for (size_t k = 0; k < LENGTH; k++) {
            float a = (float)read_at(&d->inputs[0], (batch * ROWS + row) * LENGTH + k);
            float b =
                (float)read_at(&d->inputs[1], (k * BATCH + batch) * COLUMNS + column);
            terms[k] = a * b;
        }
        write_at(&d->got, i, (double)sum_of(terms, length, how));
    }
}

static oc__freivalds check(const desk *d, uint64_t seed)
{
    oc__freivalds out;
    oc_error err = {0};
    const oc__freivalds_case wanted = {.module = d->module,
                                       .inputs = d->inputs,
                                       .input_count = 2,
                                       .got = &d->got,
                                       .seed = seed};
    assert_int_equal(oc__freivalds_check(&wanted, &out, &err), OC_OK);
    return out;
}

static void right_devices_stand(void **state)
{
    static const struct {
        const char *text;
        oc_dtype operand, result;
    } types[] = {{DOT("f32", "f32"), OC_F32, OC_F32},
                 {DOT("bf16", "f32"), OC_BF16, OC_F32},
                 {DOT("bf16", "bf16"), OC_BF16, OC_BF16},
                 {DOT("f16", "f16"), OC_F16, OC_F16}};
    (void)state;
    dice random = {.state = 7};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        desk d;
        desk_open(&d, types[t].text, types[t].operand, types[t].result);
        for (uint64_t seed = 0; seed < 16; seed++) {
            fill(&d, &random, seed & 1);
            run_device(&d, (order)(seed / 2 % 4), ROWS);
            oc__freivalds out = check(&d, seed);
            assert_true(out.applies);
            assert_int_equal(out.rows, BATCH * ROWS);
            assert_int_equal(out.refuted, 0);
            // Truncation is no rounding that is independent of the data.
            assert_true(out.suspect == 0 || seed / 2 % 4 == TRUNCATED);
            assert_true(out.largest_ratio < 1);
        }
        desk_close(&d);
    }
}

/* Two rows (one a batch) that lack their last eight terms, on average 8 / 300 of the
 * squares: an error of sqrt(8 * 40) where the bound is about 12 * 1.8e-5 * sqrt(300 *
 * 300 * 40) = 0.4. */
static void a_row_without_its_end_is_refuted(void **state)
{
    (void)state;
    dice random = {.state = 11};
    desk d;
    desk_open(&d, DOT("f32", "f32"), OC_F32, OC_F32);
    for (uint64_t seed = 0; seed < 8; seed++) {
        fill(&d, &random, false);
        run_device(&d, FORWARD, 3);
        oc__freivalds out = check(&d, seed);
        assert_int_equal(out.rows, BATCH * ROWS);
        assert_int_equal(out.refuted, BATCH);
    }
    desk_close(&d);
}

/* One element of 960, off by 1; the sum of what a row's elements may be off is
 * gamma_300 * 300 * 40 * 2 / pi = 0.14. */
static void one_wrong_element_is_refuted(void **state)
{
    (void)state;
    dice random = {.state = 13};
    desk d;
    desk_open(&d, DOT("f32", "f32"), OC_F32, OC_F32);
    for (uint64_t seed = 0; seed < 8; seed++) {
        fill(&d, &random, false);
        run_device(&d, PAIRS, ROWS);
        size_t at = (size_t)(seed * 119 % (BATCH * ROWS * COLUMNS));
        write_at(&d.got, at, read_at(&d.got, at) + 1.0);
        assert_int_equal(check(&d, seed).refuted, 1);
    }
    desk_close(&d);
}

/* A row of 8192 elements, one of them off by 0.6. The sum of what each may be off is
 * gamma_64 * 64 * 8192 * 2 / pi = 1.3, so that only the random signs tell: about 12 *
 * gamma_64 * sqrt(64 * 64 * 8192) = 0.27. */
static void random_signs_see_more_than_sums(void **state)
{
    enum { LONG = 8192, DEEP = 64 };
    static const char text[] =
        "func.func @main(%a: tensor<1x64xf32>, %b: tensor<64x8192xf32>) -> "
        "tensor<1x8192xf32> {\n"
        "  %0 = stablehlo.dot %a, %b : (tensor<1x64xf32>, tensor<64x8192xf32>) -> "
        "tensor<1x8192xf32>\n  return %0 : tensor<1x8192xf32>\n}\n";
    const int64_t a[] = {1, DEEP}, b[] = {DEEP, LONG}, out[] = {1, LONG};
    (void)state;
    dice random = {.state = 23};
    desk d = {0};
    oc_error err = {0};
    assert_int_equal(oc__hlo_parse(text, strlen(text), "t.mlir", &d.module, &err),
                     OC_OK);
    assert_int_equal(oc_tensor_make(OC_F32, a, 2, &d.inputs[0], &err), OC_OK);
    assert_int_equal(oc_tensor_make(OC_F32, b, 2, &d.inputs[1], &err), OC_OK);
    assert_int_equal(oc_tensor_make(OC_F32, out, 2, &d.got, &err), OC_OK);
    fill(&d, &random, false);
    for (size_t j = 0; j < LONG; j++) {
        float terms[DEEP];
        for (size_t k = 0; k < DEEP; k++) {
            terms[k] = (float)read_at(&d.inputs[0], k) *
                       (float)read_at(&d.inputs[1], k * LONG + j);
        }
        write_at(&d.got, j, (double)sum_of(terms, DEEP, FORWARD));
    }
    assert_int_equal(check(&d, 1).refuted, 0);
    write_at(&d.got, 77, read_at(&d.got, 77) + 0.6);
    assert_int_equal(check(&d, 1).refuted, 1);
    desk_close(&d);
}

/* bf16 operands where the contract reads them whole: every row is off. */
static void operands_are_read_as_the_contract_says(void **state)
{
    (void)state;
    dice random = {.state = 17};
    desk d, rounded;
    desk_open(&d, DOT("f32", "f32"), OC_F32, OC_F32);
    desk_open(&rounded, DOT("f32", "f32"), OC_F32, OC_F32);
    fill(&d, &random, false);
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < oc_tensor_count(&d.inputs[side]); i++) {
            write_at(&rounded.inputs[side], i,
                     oc__float_round(OC_BF16, read_at(&d.inputs[side], i)));
        }
    }
    run_device(&rounded, FORWARD, ROWS);
    memcpy(d.got.data, rounded.got.data, d.got.size_bytes);
    oc__freivalds whole = check(&d, 1);
    assert_int_equal(whole.refuted, BATCH * ROWS);
    const oc__freivalds_case wanted = {.module = d.module,
                                       .inputs = d.inputs,
                                       .input_count = 2,
                                       .got = &d.got,
                                       .arith = {.operands = OC__OPERANDS_BF16_RNE},
                                       .seed = 1};
    oc__freivalds out;
    oc_error err = {0};
    assert_int_equal(oc__freivalds_check(&wanted, &out, &err), OC_OK);
    assert_int_equal(out.refuted, 0);
    desk_close(&d);
    desk_close(&rounded);
}

/* Operands that are balls themselves widen the bound: a device whose bf16 tanh is an
 * ulp (of its last bit, 2^-8) low everywhere is right, and all of its rows are off by
 * more than sums in f32 explain; one that leaves tanh out is not right. */
static void operands_with_radii_widen_the_bound(void **state)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x12x300xbf16>, %b: tensor<300x2x40xbf16>) -> "
        "tensor<2x12x40xf32> {\n"
        "  %t = stablehlo.tanh %a : tensor<2x12x300xbf16>\n"
        "  %0 = stablehlo.dot_general %t, %b, batching_dims = [0] x [1], "
        "contracting_dims = [2] x [0] : (tensor<2x12x300xbf16>, tensor<300x2x40xbf16>) "
        "-> tensor<2x12x40xf32>\n  return %0 : tensor<2x12x40xf32>\n}\n";
    (void)state;
    dice random = {.state = 19};
    desk d, inner;
    desk_open(&d, text, OC_BF16, OC_F32);
    desk_open(&inner, DOT("bf16", "f32"), OC_BF16, OC_F32);
    fill(&d, &random, true);
    memcpy(inner.inputs[1].data, d.inputs[1].data, d.inputs[1].size_bytes);
    for (size_t i = 0; i < oc_tensor_count(&d.inputs[0]); i++) {
        double t = oc__float_round(OC_BF16, tanh(read_at(&d.inputs[0], i)));
        write_at(&inner.inputs[0], i, t * (1 - 0x1p-8));
    }
    run_device(&inner, FORWARD, ROWS);
    memcpy(d.got.data, inner.got.data, d.got.size_bytes);
    oc__freivalds out = check(&d, 5);
    assert_int_equal(out.rows, BATCH * ROWS);
    assert_int_equal(out.refuted, 0);
    assert_true(isnan(out.largest_z));
    memcpy(inner.inputs[0].data, d.inputs[0].data, d.inputs[0].size_bytes);
    run_device(&inner, FORWARD, ROWS);
    memcpy(d.got.data, inner.got.data, d.got.size_bytes);
    assert_int_equal(check(&d, 5).refuted, BATCH * ROWS);
    desk_close(&d);
    desk_close(&inner);
}

static void what_is_no_dot_is_said(void **state)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x12x300xf32>, %b: tensor<300x2x40xf32>) -> "
        "tensor<2x12x40xf32> {\n"
        "  %0 = stablehlo.constant dense<1.0> : tensor<2x12x40xf32>\n"
        "  return %0 : tensor<2x12x40xf32>\n}\n";
    (void)state;
    desk d;
    desk_open(&d, text, OC_F32, OC_F32);
    oc__freivalds out = check(&d, 1);
    assert_false(out.applies);
    assert_string_equal(out.detail, "the output is not made by a dot");
    desk_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_devices_stand),
        cmocka_unit_test(a_row_without_its_end_is_refuted),
        cmocka_unit_test(one_wrong_element_is_refuted),
        cmocka_unit_test(random_signs_see_more_than_sums),
        cmocka_unit_test(operands_are_read_as_the_contract_says),
        cmocka_unit_test(operands_with_radii_widen_the_bound),
        cmocka_unit_test(what_is_no_dot_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
