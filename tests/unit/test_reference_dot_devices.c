/* Devices that are simulated: sums in f32 along random trees, with and without fused
 * multiply-adds, in narrow accumulators and with rounded operands. What they give must
 * lie inside the balls of dot_general, and what is wrong must not. */
#include "contract_fixture.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum fault { NONE, DROPPED, SWAPPED };

/* One result of a device: products rounded to f32 or not (fused), sums in random order.
 */
static double device_dot(const double *a, const double *b, size_t a_step, size_t b_step,
                         size_t k, enum fault fault, dice *d)
{
    double terms[512];
    bool fused = dice_one_in(d, 2);
    assert_true(k <= 512);
    for (size_t i = 0; i < k; i++) {
        terms[i] = oc__float_round(OC_F32, a[i * a_step] * b[i * b_step]);
    }
    if (fault == DROPPED) {
        k--;
    }
    if (!fused) {
        return device_sum(terms, k, OC_F32, d);
    }
    // A chain of fused multiply-adds: the exact product joins the sum.
    double sum = 0;
    for (size_t i = 0; i < k; i++) {
        sum = (double)fmaf((float)a[i * a_step], (float)b[i * b_step], (float)sum);
    }
    return sum;
}

/* Results of a device inside the balls of a dot of M x K with K x N. */
static size_t count_outside(const oc__value *v, const double *a, const double *b,
                            size_t m, size_t k, size_t n, enum fault fault, dice *d)
{
    size_t outside = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t column = fault == SWAPPED ? (j + 1) % n : j;
            double x = device_dot(a + i * k, b + column, 1, n, k, fault, d);
            outside += !inside(v, i * n + j, x);
        }
    }
    return outside;
}

static const char *dot_text(size_t m, size_t k, size_t n)
{
    static char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<%zux%zuxf32>, %%b: tensor<%zux%zuxf32>) -> "
             "tensor<%zux%zuxf32> {\n"
             "%%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : "
             "(tensor<%zux%zuxf32>, tensor<%zux%zuxf32>) -> tensor<%zux%zuxf32>\n"
             "return %%0 : tensor<%zux%zuxf32>\n}\n",
             m, k, k, n, m, n, m, k, k, n, m, n, m, n);
    return text;
}

static void test_any_order_is_inside_and_faults_are_not(void **state)
{
    (void)state;
    dice d = {.state = 1};
    static const size_t lengths[] = {1, 2, 3, 8, 17, 64, 65, 300};
    for (size_t round = 0; round < 48; round++) {
        size_t k = lengths[round % 8], m = 1 + dice_below(&d, 6),
               n = 2 + dice_below(&d, 6);
        oc_tensor in[] = {TENSOR(OC_F32, (int64_t)m, (int64_t)k),
                          TENSOR(OC_F32, (int64_t)k, (int64_t)n)};
        int kind = (int)(round / 8);
        fill_f32(&in[0], &d, kind);
        fill_f32(&in[1], &d, kind % 5 == 0 ? 0 : (int)dice_below(&d, 5));
        double *a = numbers_of(&in[0]), *b = numbers_of(&in[1]);
        program p = contract_run(dot_text(m, k, n), in, 2, NULL);
        const oc__value *v = program_output(&p, 0);
        assert_int_equal(count_outside(v, a, b, m, k, n, NONE, &d), 0);
        if (kind == 0 && k <= 17) {
            assert_true(count_outside(v, a, b, m, k, n, DROPPED, &d) == m * n);
            assert_true(count_outside(v, a, b, m, k, n, SWAPPED, &d) == m * n);
        }
        program_free(&p);
        free(a);
        free(b);
        oc_tensor_free(&in[0]);
        oc_tensor_free(&in[1]);
    }
}

/* Bounds from norms, which take over where the work is large. */
static void test_large_products_are_inside(void **state)
{
    (void)state;
    dice d = {.state = 2};
    for (int kind = 0; kind < 5; kind++) {
        enum { M = 130, K = 300, N = 260 };
        oc_tensor in[] = {TENSOR(OC_F32, M, K), TENSOR(OC_F32, K, N)};
        fill_f32(&in[0], &d, kind);
        fill_f32(&in[1], &d, kind == 3 ? 0 : kind);
        double *a = numbers_of(&in[0]), *b = numbers_of(&in[1]);
        program p = contract_run(dot_text(M, K, N), in, 2, NULL);
        const oc__value *v = program_output(&p, 0);
        for (size_t tries = 0; tries < 400; tries++) {
            size_t i = dice_below(&d, M), j = dice_below(&d, N);
            assert_true(
                inside(v, i * N + j, device_dot(a + i * K, b + j, 1, N, K, NONE, &d)));
        }
        assert_true(kind != 4 || !v->r); // integers: every order is exact
        program_free(&p);
        free(a);
        free(b);
        oc_tensor_free(&in[0]);
        oc_tensor_free(&in[1]);
    }
}

/* Classes where the right operand's vectors lie across it. */
static void test_special_values_of_columns(void **state)
{
    (void)state;
    enum { M = 2, K = 70, N = 4 };
    dice d = {.state = 6};
    oc_tensor in[] = {TENSOR(OC_F32, M, K), TENSOR(OC_F32, K, N)};
    fill_f32(&in[0], &d, 1);
    fill_f32(&in[1], &d, 1);
    float *a = in[0].data, *b = in[1].data;
    a[K + 5] = 0;
    b[(size_t)3 * N] = NAN;
    b[5 * N + 1] = INFINITY;
    b[6 * N + 2] = INFINITY;
    b[7 * N + 2] = -INFINITY;
    program p = contract_run(dot_text(M, K, N), in, 2, NULL);
    const oc__value *v = program_output(&p, 0);
    const double *m = oc__m(v), *r = oc__r(v);
    for (size_t i = 0; i < M; i++) {
        assert_true(isnan(m[i * N]) && r[i * N] == 0);
        assert_true(isnan(m[i * N + 2]) && r[i * N + 2] == 0);
        assert_true(isfinite(m[i * N + 3]) && r[i * N + 3] > 0 && r[i * N + 3] < 1);
    }
    assert_true(m[1] == (double)INFINITY && r[1] == 0);
    assert_true(isnan(m[N + 1]) && r[N + 1] == 0); // 0 times an infinity
    program_free(&p);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

/* Two dots: the second one's operand is whatever the first one's device gave. */
static void test_chains_are_inside(void **state)
{
    (void)state;
    enum { N = 12 };
    dice d = {.state = 3};
    const char *text =
        "func.func @main(%a: tensor<12x12xf32>, %b: tensor<12x12xf32>) -> "
        "tensor<12x12xf32> {\n"
        "%0 = stablehlo.dot %a, %b : (tensor<12x12xf32>, tensor<12x12xf32>) -> "
        "tensor<12x12xf32>\n"
        "%1 = stablehlo.dot %0, %b : (tensor<12x12xf32>, tensor<12x12xf32>) -> "
        "tensor<12x12xf32>\n"
        "%2 = stablehlo.dot %1, %0 : (tensor<12x12xf32>, tensor<12x12xf32>) -> "
        "tensor<12x12xf32>\n"
        "return %2 : tensor<12x12xf32>\n}\n";
    for (int kind = 0; kind < 4; kind++) {
        oc_tensor in[] = {TENSOR(OC_F32, N, N), TENSOR(OC_F32, N, N)};
        fill_f32(&in[0], &d, kind);
        fill_f32(&in[1], &d, kind == 3 ? 0 : kind);
        double *a = numbers_of(&in[0]), *b = numbers_of(&in[1]);
        program p = contract_run(text, in, 2, NULL);
        double first[N * N], second[N * N];
        for (size_t i = 0; i < (size_t)N * N; i++) {
            first[i] = device_dot(a + i / N * N, b + i % N, 1, N, N, NONE, &d);
        }
        for (size_t i = 0; i < (size_t)N * N; i++) {
            second[i] = device_dot(first + i / N * N, b + i % N, 1, N, N, NONE, &d);
        }
        const oc__value *v = program_output(&p, 0);
        size_t off = 0;
        for (size_t i = 0; i < (size_t)N * N; i++) {
            double x = device_dot(second + i / N * N, first + i % N, 1, N, N, NONE, &d);
            assert_true(inside(v, i, x));
            x = device_dot(second + i / N * N, first + i % N, 1, N, N, DROPPED, &d);
            off += !inside(v, i, x);
        }
        assert_true(kind != 0 || off > N * N / 2);
        program_free(&p);
        free(a);
        free(b);
        oc_tensor_free(&in[0]);
        oc_tensor_free(&in[1]);
    }
}

/* An operand that is 0 in one order and 1 in another: a result must hold both, on
 * whichever side the operand stands. */
static void test_operands_with_wide_balls(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        T("f32") ", " T("f32") ", " T("f32"),
        "  %x = stablehlo.constant dense<[[1.0e8, 1.0, -1.0e8], [2.0, 0.0, 0.0]]> : "
        "tensor<2x3xf32>\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %b = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xf32>\n"
        "  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions "
        "= "
        "[1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
        "  %0 = stablehlo.dot %s, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
        "  %1 = stablehlo.dot %b, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
        "  %2 = stablehlo.dot %s, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
        "  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>\n"));
    static const double either[3][2] = {{10, 13}, {10, 13}, {4, 5}};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 2; i++) {
            assert_true(inside(program_output(&p, k), 0, either[k][i]));
        }
        assert_false(inside(program_output(&p, k), 0, 1e4));
    }
    program_free(&p);
}

/* bf16: added in f32 and rounded once, or rounded at every step. */
static void test_wide_and_narrow_accumulators(void **state)
{
    (void)state;
    enum { M = 6, K = 24, N = 5 };
    dice d = {.state = 4};
    const char *text =
        "func.func @main(%a: tensor<6x24xbf16>, %b: tensor<24x5xbf16>) -> "
        "tensor<6x5xbf16> {\n"
        "%0 = stablehlo.dot %a, %b : (tensor<6x24xbf16>, tensor<24x5xbf16>) -> "
        "tensor<6x5xbf16>\n"
        "return %0 : tensor<6x5xbf16>\n}\n";
    oc_tensor in[] = {TENSOR(OC_BF16, M, K), TENSOR(OC_BF16, K, N)};
    for (size_t i = 0; i < 2; i++) {
        uint16_t *bits = in[i].data;
        for (size_t e = 0; e < oc_tensor_count(&in[i]); e++) {
            bits[e] = (uint16_t)oc__float_encode(OC_BF16, dice_normal(&d));
        }
    }
    double *a = numbers_of(&in[0]), *b = numbers_of(&in[1]);
    program wide = contract_run(text, in, 2, NULL);
    program narrow =
        contract_run(text, in, 2, &(oc__arith){.narrow_accumulator = true});
    size_t narrow_outside_wide = 0;
    for (size_t tries = 0; tries < 20; tries++) {
        for (size_t i = 0; i < (size_t)M * N; i++) {
            double terms[K], steps[K];
            for (size_t k = 0; k < K; k++) {
                terms[k] = a[i / N * K + k] * b[k * N + i % N]; // exact in f32
                steps[k] = oc__float_round(OC_BF16, terms[k]);
            }
            double x = oc__float_round(OC_BF16, device_sum(terms, K, OC_F32, &d));
            double y = device_sum(steps, K, OC_BF16, &d);
            assert_true(inside(program_output(&wide, 0), i, x));
            assert_true(inside(program_output(&narrow, 0), i, y));
            narrow_outside_wide += !inside(program_output(&wide, 0), i, y);
        }
    }
    assert_true(narrow_outside_wide > 0);
    program_free(&wide);
    program_free(&narrow);
    free(a);
    free(b);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

static double read_bf16(double x, bool truncates)
{
    if (!truncates) {
        return oc__float_round(OC_BF16, x);
    }
    uint32_t bits = (uint32_t)oc__float_encode(OC_F32, x) & 0xFFFF0000U;
    return oc__float_decode(OC_F32, bits);
}

/* Devices that read operands as bf16: outside the text's balls, inside the model's own;
 * three passes lie between. */
static void test_operand_models(void **state)
{
    (void)state;
    enum { M = 4, K = 40, N = 4 };
    dice d = {.state = 5};
    oc_tensor in[] = {TENSOR(OC_F32, M, K), TENSOR(OC_F32, K, N)};
    fill_f32(&in[0], &d, 0);
    fill_f32(&in[1], &d, 0);
    double *a = numbers_of(&in[0]), *b = numbers_of(&in[1]);
    static const oc__operand_model models[] = {
        OC__OPERANDS_FULL, OC__OPERANDS_BF16_RNE, OC__OPERANDS_BF16_RZ,
        OC__OPERANDS_BF16_X3, OC__OPERANDS_BF16_X3_RZ};
    for (size_t device = 0; device < 5; device++) {
        for (size_t model = 0; model < 5; model++) {
            program p = contract_run(dot_text(M, K, N), in, 2,
                                     &(oc__arith){.operands = models[model]});
            size_t outside = 0;
            for (size_t i = 0; i < (size_t)M * N; i++) {
                double terms[3 * K];
                size_t count = 0;
                for (size_t k = 0; k < K; k++) {
                    double x = a[i / N * K + k], y = b[k * N + i % N];
                    bool truncates = device == 2 || device == 4;
                    double xh = read_bf16(x, truncates), yh = read_bf16(y, truncates);
                    double xl = read_bf16(x - xh, truncates);
                    double yl = read_bf16(y - yh, truncates);
                    double product = device == 0 ? x * y : xh * yh;
                    terms[count++] = oc__float_round(OC_F32, product);
                    if (device >= 3) {
                        terms[count++] = xh * yl;
                        terms[count++] = xl * yh;
                    }
                }
                outside += !inside(program_output(&p, 0), i,
                                   device_sum(terms, count, OC_F32, &d));
            }
            bool alike = device + model == 7; // both three passes
            if (device == model) {
                assert_int_equal(outside, 0);
            } else if (alike) {
                assert_true(outside > 0); // one does not stand for the other
            } else if (device == 1 || device == 2 || model == 1 || model == 2) {
                assert_true(outside > M * N / 2);
            }
            program_free(&p);
        }
    }
    free(a);
    free(b);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

/* The first part of what is beyond the largest bf16 by half a step is an infinity for a
 * device that rounds: its three products are infinities or NaN, or it saturates. One
 * that truncates is right. */
static void test_parts_beyond_the_largest_number(void **state)
{
    (void)state;
    static const struct {
        const char *x;
        bool decided;
    } rows[] = {
        {"0x7F7F7FFF", true},
        {"0x7F7F8000", false},
        {"0xFF7FFFFF", false},
        {"0x7F800000", false}, // an infinity less itself is no rest
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "func.func @main() -> tensor<f32> {\n"
                 "%%a = stablehlo.constant dense<[%s, 1.0]> : tensor<2xf32>\n"
                 "%%b = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf32>\n"
                 "%%0 = stablehlo.dot %%a, %%b : (tensor<2xf32>, tensor<2xf32>) -> "
                 "tensor<f32>\nreturn %%0 : tensor<f32>\n}\n",
                 rows[i].x);
        static const oc__operand_model models[] = {
            OC__OPERANDS_BF16_X3, OC__OPERANDS_BF16_X6, OC__OPERANDS_BF16_X3_RZ,
            OC__OPERANDS_BF16_X6_RZ};
        for (size_t k = 0; k < 4; k++) {
            program p =
                contract_run(text, NULL, 0, &(oc__arith){.operands = models[k]});
            const oc__value *v = program_output(&p, 0);
            bool decided = !v->r || oc__r(v)[0] < (double)INFINITY;
            assert_int_equal(decided, rows[i].decided || (k >= 2 && i != 3));
            program_free(&p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order_is_inside_and_faults_are_not),
        cmocka_unit_test(test_large_products_are_inside),
        cmocka_unit_test(test_special_values_of_columns),
        cmocka_unit_test(test_chains_are_inside),
        cmocka_unit_test(test_operands_with_wide_balls),
        cmocka_unit_test(test_wide_and_narrow_accumulators),
        cmocka_unit_test(test_operand_models),
        cmocka_unit_test(test_parts_beyond_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
