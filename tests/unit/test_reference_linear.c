/* fft, triangular_solve, cholesky, batch_norm, rng_bit_generator. Expected values: the
 * definition of the transform, solutions by hand, simulated f32 solves, the known
 * answers of Random123 (kat_vectors of its distribution), and what XLA's CPU plugin
 * gave. */
#include "contract_fixture.h"

#include "reference/fft.h"
#include "tensor/float_format.h"

#include <stdio.h>
#include <stdlib.h>

/* --- fft
 * --------------------------------------------------------------------------------- */

/* Against the definition, for lengths of every kind: powers, primes below and above
 * where the chirp takes over, products of two large primes. */
static void test_transforms_by_definition(void **state)
{
    (void)state;
    static const size_t lengths[] = {1,  2,  3,  4,  5,   8,   12,  13,  16,   30,  61,
                                     64, 67, 97, 96, 127, 134, 201, 256, 1009, 4489};
    dice d = {.state = 31};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t n = lengths[k];
        bool inverse = k % 2 == 1;
        oc__fft *fft = oc__fft_make(n, inverse);
        assert_non_null(fft);
        oc__pair *x = calloc(2 * n, sizeof *x), *was = calloc(n, sizeof *was);
        long double size = 0;
        for (size_t i = 0; i < n; i++) {
            was[i] = (oc__pair){dice_normal(&d), dice_normal(&d)};
            x[2 * i] = was[i];
            size += hypotl(was[i].re, was[i].im);
        }
        oc__fft_run(fft, x, 2);
        for (size_t tries = 0; tries < 20; tries++) {
            size_t j = dice_below(&d, n);
            long double re = 0, im = 0;
            for (size_t i = 0; i < n; i++) {
                long double angle = 2 * 3.14159265358979323846264338327950288L *
                                    (long double)(i * j % n) / (long double)n;
                long double c = cosl(angle), s = inverse ? sinl(angle) : -sinl(angle);
                re += was[i].re * c - was[i].im * s;
                im += was[i].re * s + was[i].im * c;
            }
            long double error = hypotl(x[2 * j].re - re, x[2 * j].im - im);
            assert_true(error <= size * 0x1p-58L);
        }
        free(x);
        free(was);
        oc__fft_free(fft);
    }
}

#define FFT_MAIN(type, length, from, to)                                               \
    "func.func @main(%a: tensor<" from ">) -> tensor<" to "> {\n"                      \
    "%0 = stablehlo.fft %a, type = " type ", length = " length " : (tensor<" from      \
    ">) -> tensor<" to ">\nreturn %0 : tensor<" to ">\n}\n"

/* 1, 2, 3, 4: 10, -2 + 2i, -2; and there and back again in two dimensions. */
static void test_transforms_by_hand(void **state)
{
    (void)state;
    oc_tensor four = TENSOR(OC_F32, 4);
    for (size_t i = 0; i < 4; i++) {
        ((float *)four.data)[i] = (float)(i + 1);
    }
    program p = contract_run(FFT_MAIN("RFFT", "[4]", "4xf32", "3xcomplex<f32>"), &four,
                             1, NULL);
    static const double wanted[] = {10, 0, -2, 2, -2, 0};
    for (size_t i = 0; i < 6; i++) {
        assert_true(oc__m(program_output(&p, 0))[i] == wanted[i]);
        assert_true(oc__r(program_output(&p, 0))[i] < 1e-5);
    }
    assert_true(oc__f(program_output(&p, 0))[0] & OC__F_TABLE);
    program_free(&p);
    oc_tensor_free(&four);

    dice d = {.state = 32};
    oc_tensor in = TENSOR(OC_F32, 3, 5, 7);
    fill_f32(&in, &d, 0);
    double *x = numbers_of(&in);
    p = contract_run(
        "func.func @main(%a: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {\n"
        "%0 = stablehlo.fft %a, type = RFFT, length = [5, 7] : (tensor<3x5x7xf32>) -> "
        "tensor<3x5x4xcomplex<f32>>\n"
        "%1 = stablehlo.fft %0, type = IRFFT, length = [5, 7] : "
        "(tensor<3x5x4xcomplex<f32>>) -> tensor<3x5x7xf32>\n"
        "return %1 : tensor<3x5x7xf32>\n}\n",
        &in, 1, NULL);
    for (size_t i = 0; i < 105; i++) {
        assert_true(fabs(oc__m(program_output(&p, 0))[i] - x[i]) < 1e-5);
        assert_true(inside(program_output(&p, 0), i, x[i]));
    }
    program_free(&p);
    free(x);
    oc_tensor_free(&in);
}

/* A device of radix 2 in f32 is inside; one that misses an element is not. */
static void test_f32_transforms_are_inside(void **state)
{
    (void)state;
    enum { N = 64 };
    dice d = {.state = 33};
    oc_tensor in = TENSOR(OC_C64, N);
    for (int kind = 0; kind < 2; kind++) {
        float *x = in.data;
        for (size_t i = 0; i < (size_t)2 * N; i++) {
            x[i] = (float)(kind == 0 ? dice_normal(&d) : dice_unit(&d));
        }
        program p =
            contract_run(FFT_MAIN("FFT", "[64]", "64xcomplex<f32>", "64xcomplex<f32>"),
                         &in, 1, NULL);
        size_t off = 0;
        for (int fault = 0; fault < 2; fault++) {
            float re[N], im[N];
            for (size_t i = 0; i < N; i++) {
                size_t from = 0;
                for (size_t bit = 1; bit < N; bit *= 2) {
                    from = 2 * from + (i & bit ? 1 : 0);
                }
                re[i] = fault && i == 5 ? 0 : x[2 * from];
                im[i] = x[2 * from + 1];
            }
            for (size_t half = 1; half < N; half *= 2) {
                for (size_t i = 0; i < N; i++) {
                    if (i & half) {
                        continue;
                    }
                    double angle =
                        -3.14159265358979 * (double)(i % half) / (double)half;
                    float c = (float)cos(angle), s = (float)sin(angle);
                    float a = re[i + half] * c - im[i + half] * s;
                    float b = re[i + half] * s + im[i + half] * c;
                    re[i + half] = re[i] - a;
                    im[i + half] = im[i] - b;
                    re[i] += a;
                    im[i] += b;
                }
            }
            for (size_t i = 0; i < N; i++) {
                bool good = inside(program_output(&p, 0), 2 * i, (double)re[i]) &&
                            inside(program_output(&p, 0), 2 * i + 1, (double)im[i]);
                assert_true(fault || good);
                off += !good;
            }
        }
        assert_true(off > N / 2);
        program_free(&p);
    }
    oc_tensor_free(&in);
}

/* --- solves --- */

/* [[2, .], [1, 4]] x = [2, 9] and its relatives; the other triangle holds NaN. */
static void test_solves_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *left, *lower, *op, *unit;
        double wanted[2];
    } cases[] = {
        {"true", "true", "NO_TRANSPOSE", "false", {1, 2}},      // 2x = 2, x + 4y = 9
        {"true", "true", "TRANSPOSE", "false", {-0.125, 2.25}}, // 2x + y = 2, 4y = 9
        {"true", "true", "NO_TRANSPOSE", "true", {2, 7}},       // x = 2, x + y = 9
        {"false", "true", "NO_TRANSPOSE", "false", {-0.125, 2.25}},
        {"false", "true", "ADJOINT", "false", {1, 2}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1200];
        bool left = cases[k].left[0] == 't';
        const char *shape = left ? "2x1xf32" : "1x2xf32";
        snprintf(
            text, sizeof text,
            "func.func @main() -> tensor<%s> {\n"
            "%%a = stablehlo.constant dense<[[2.0, 0x7FC00000], [1.0, 4.0]]> : "
            "tensor<2x2xf32>\n"
            "%%c = stablehlo.constant dense<[2.0, 9.0]> : tensor<2xf32>\n"
            "%%b = stablehlo.reshape %%c : (tensor<2xf32>) -> tensor<%s>\n"
            "%%0 = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = %s, lower = "
            "%s, unit_diagonal = %s, transpose_a = #stablehlo<transpose %s>}> : "
            "(tensor<2x2xf32>, tensor<%s>) -> tensor<%s>\n"
            "return %%0 : tensor<%s>\n}\n",
            shape, shape, cases[k].left, cases[k].lower, cases[k].unit, cases[k].op,
            shape, shape, shape);
        program p = program_run(text);
        for (size_t i = 0; i < 2; i++) {
            assert_true(oc__m(program_output(&p, 0))[i] == cases[k].wanted[i]);
            assert_true(oc__r(program_output(&p, 0))[i] < 1e-4);
        }
        program_free(&p);
    }
}

/* Substitution in f32 is inside, with one element of A off it is not. */
static void test_f32_solves_are_inside(void **state)
{
    (void)state;
    enum { N = 8 };
    dice d = {.state = 34};
    for (size_t round = 0; round < 50; round++) {
        oc_tensor in[] = {TENSOR(OC_F32, N, N), TENSOR(OC_F32, N, 1)};
        fill_f32(&in[0], &d, 0);
        fill_f32(&in[1], &d, 0);
        float *a = in[0].data, *b = in[1].data;
        for (size_t i = 0; i < N; i++) {
            a[i * N + i] += a[i * N + i] > 0 ? 2 : -2;
        }
        program p = contract_run(
            "func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x1xf32>) -> "
            "tensor<8x1xf32> {\n"
            "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = "
            "false, unit_diagonal = false, transpose_a = #stablehlo<transpose "
            "NO_TRANSPOSE>}> : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>\n"
            "return %0 : tensor<8x1xf32>\n}\n",
            in, 2, NULL);
        for (int fault = 0; fault < 2; fault++) {
            float x[N];
            for (size_t i = N; i-- > 0;) {
                float sum = b[i];
                for (size_t k = i + 1; k < N; k++) {
                    sum -= a[i * N + k] * x[k];
                }
                x[i] = sum / (a[i * N + i] * (fault && i == 3 ? 1.01F : 1));
            }
            for (size_t i = 0; i < N && !fault; i++) {
                assert_true(inside(program_output(&p, 0), i, (double)x[i]));
            }
            assert_true(!fault || !inside(program_output(&p, 0), 3, (double)x[3]));
        }
        program_free(&p);
        oc_tensor_free(&in[0]);
        oc_tensor_free(&in[1]);
    }
}

/* [[4, 2], [2, 10]] = L L^T with L = [[2, 0], [1, 3]]; what is not read holds NaN, and
 * what is not positive definite is open. */
static void test_factors_by_hand(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>",
        "  %a = stablehlo.constant dense<[[4.0, 0x7FC00000], [2.0, 10.0]]> : "
        "tensor<2x2xf32>\n"
        "  %b = stablehlo.constant dense<[[4.0, 2.0], [0x7FC00000, 10.0]]> : "
        "tensor<2x2xf32>\n"
        "  %c = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>\n"
        "  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>\n"
        "  %1 = stablehlo.cholesky %b, lower = false : tensor<2x2xf32>\n"
        "  %2 = stablehlo.cholesky %c, lower = true : tensor<2x2xf32>\n"
        "  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>\n"));
    static const double wanted[2][4] = {{2, 0, 1, 3}, {2, 1, 0, 3}};
    for (size_t k = 0; k < 2; k++) {
        const oc__value *v = program_output(&p, k);
        for (size_t i = 0; i < 4; i++) {
            bool other = i == (k == 0 ? 1 : 2);
            assert_true(oc__m(v)[i] == wanted[k][i]);
            assert_true(oc__r(v)[i] < 1e-4);
            assert_int_equal((oc__f(v)[i] & OC__F_OPEN) != 0, other);
        }
    }
    const oc__value *v = program_output(&p, 2);
    assert_true(isnan(oc__m(v)[3]) && (oc__f(v)[3] & OC__F_OPEN));
    program_free(&p);
}

/* [[2, 1 - i], [1 + i, 3]] = L L^* with L21 = (1 + i) / sqrt(2), L22 = sqrt(2). */
static void test_hermitian_factors(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>",
        "  %a = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 0.0)], [(1.0, 1.0), (3.0, "
        "0.0)]]> : tensor<2x2xcomplex<f32>>\n"
        "  %b = stablehlo.constant dense<[[(2.0, 0.0), (1.0, -1.0)], [(0.0, 0.0), "
        "(3.0, "
        "0.0)]]> : tensor<2x2xcomplex<f32>>\n"
        "  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xcomplex<f32>>\n"
        "  %1 = stablehlo.cholesky %b, lower = false : tensor<2x2xcomplex<f32>>\n"
        "  return %0, %1 : tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>\n"));
    const double root = sqrt(2), half = sqrt(0.5);
    const double wanted[2][8] = {{root, 0, 0, 0, half, half, root, 0},
                                 {root, 0, half, -half, 0, 0, root, 0}};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 8; i++) {
            double m = oc__m(program_output(&p, k))[i];
            assert_true(fabs(m - wanted[k][i]) < 1e-6);
            assert_true(inside(program_output(&p, k), i, wanted[k][i]));
        }
    }
    program_free(&p);
}

static void test_f32_factors_are_inside(void **state)
{
    (void)state;
    enum { N = 6 };
    dice d = {.state = 35};
    for (size_t round = 0; round < 50; round++) {
        oc_tensor in = TENSOR(OC_F32, N, N), half = TENSOR(OC_F32, N, N);
        fill_f32(&half, &d, 0);
        float *a = in.data, *h = half.data, l[N * N] = {0};
        for (size_t i = 0; i < (size_t)N * N; i++) {
            a[i] = i / N == i % N ? 1 : 0;
            for (size_t k = 0; k < N; k++) {
                a[i] += h[i / N * N + k] * h[i % N * N + k];
            }
        }
        program p = contract_run("func.func @main(%a: tensor<6x6xf32>) -> "
                                 "tensor<6x6xf32> {\n"
                                 "%0 = stablehlo.cholesky %a, lower = true : "
                                 "tensor<6x6xf32>\nreturn %0 : tensor<6x6xf32>\n}\n",
                                 &in, 1, NULL);
        const oc__value *v = program_output(&p, 0);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j <= i; j++) {
                float sum = a[i * N + j];
                for (size_t k = 0; k < j; k++) {
                    sum -= l[i * N + k] * l[j * N + k];
                }
                l[i * N + j] = i == j ? sqrtf(sum) : sum / l[j * N + j];
                double x = (double)l[i * N + j];
                assert_true(inside(v, i * N + j, x));
                assert_true(fabs(x) < 0.05 || !inside(v, i * N + j, x * 1.01));
            }
        }
        program_free(&p);
        oc_tensor_free(&in);
        oc_tensor_free(&half);
    }
}

/* --- batch norm --- */

/* Feature 0 holds 1, 3: mean 2, variance 1; feature 1 holds 5, 5. epsilon 3 makes the
 * deviation 2 and sqrt(3). */
static void test_batch_norm_by_hand(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, "
        "tensor<2xf32>, "
        "tensor<2xf32>",
        "  %x = stablehlo.constant dense<[[1.0, 5.0], [3.0, 5.0]]> : tensor<2x2xf32>\n"
        "  %s = stablehlo.constant dense<[4.0, 1.0]> : tensor<2xf32>\n"
        "  %o = stablehlo.constant dense<[0.5, 7.0]> : tensor<2xf32>\n"
        "  %g = stablehlo.constant dense<[[1.0, 1.0], [0.0, 0.0]]> : tensor<2x2xf32>\n"
        "  %0:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) <{epsilon = 3.0 : f32, "
        "feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) "
        "-> "
        "(tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)\n"
        "  %1:3 = \"stablehlo.batch_norm_grad\"(%x, %s, %0#1, %0#2, %g) <{epsilon = "
        "3.0 : "
        "f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, "
        "tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, "
        "tensor<2xf32>, tensor<2xf32>)\n"
        "  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2 : tensor<2x2xf32>, tensor<2xf32>, "
        "tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>\n"));
    static const double wanted[][4] = {
        {-1.5, 7, 2.5, 7}, // 4 (x - 2) / 2 + 0.5
        {2, 5},
        {1, 0},
        // 4 / 2 / 2 (2 g - 1 - (-1)(x - 2) / 4); feature 1: 1 / sqrt(3) / 2 (2 g - 1)
        {0.75, 0.28867513459481287, -0.75, -0.28867513459481287},
        {-0.5, 0}, // sum of g (x - 2) / 2
        {1, 1}};
    for (size_t k = 0; k < 6; k++) {
        const oc__value *v = program_output(&p, k);
        for (size_t i = 0; i < v->count; i++) {
            double m = oc__m(v)[i], r = oc__r(v)[i];
            assert_true(fabs(m - wanted[k][i]) <= 1e-6 + r && r < 1e-3);
        }
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transforms_by_definition),
        cmocka_unit_test(test_transforms_by_hand),
        cmocka_unit_test(test_f32_transforms_are_inside),
        cmocka_unit_test(test_solves_by_hand),
        cmocka_unit_test(test_f32_solves_are_inside),
        cmocka_unit_test(test_factors_by_hand),
        cmocka_unit_test(test_hermitian_factors),
        cmocka_unit_test(test_f32_factors_are_inside),
        cmocka_unit_test(test_batch_norm_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
