/* Transforms, triangular systems, factors and normalisations against Arb and against
 * devices that compute them in f32 in one of the usual ways. */
#include "any_order.h"
#include "arb_programs.h"

#include <acb_dft.h>
#include <arb_mat.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRECISION = 128, MAX_N = 128 };

static void hold(const char *what, size_t n, ball x, double got)
{
    const char *why = ball_refuses(x, got);
    if (why) {
        fail_msg("%s, n = %zu: %a %s: %a +- %a", what, n, got, why, x.m, x.r);
    }
}

static double nearest(const arb_t x)
{
    return round_real(&types[F32], arb_midref(x), ARF_RND_NEAR);
}

static void store_all(oc_tensor *tensor, const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        store(tensor, i, numbers[i]);
    }
}

static double f32(double x)
{
    return (double)(float)x;
}

/* --- fft --- */

typedef struct transform {
    const char *kind;
    const char *in, *out; /* element types */
    bool real_in, real_out, inverse;
} transform;

static const transform transforms[] = {
    {"FFT", "complex<f32>", "complex<f32>", false, false, false},
    {"IFFT", "complex<f32>", "complex<f32>", false, false, true},
    {"RFFT", "f32", "complex<f32>", true, false, false},
    {"IRFFT", "complex<f32>", "f32", false, true, true}};

typedef struct pair {
    double re, im;
} pair;

/* Decimation in time, every operation rounded to f32 (Cooley and Tukey 1965). */
static void radix_two(pair *x, size_t n, bool inverse)
{
    pair even[MAX_N / 2], odd[MAX_N / 2];
    if (n == 1) {
        return;
    }
    for (size_t i = 0; i < n / 2; i++) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
    radix_two(even, n / 2, inverse);
    radix_two(odd, n / 2, inverse);
    for (size_t i = 0; i < n / 2; i++) {
        double angle =
            (inverse ? 2 : -2) * 3.14159265358979323846 * (double)i / (double)n;
        double c = f32(cos(angle)), s = f32(sin(angle));
        pair t = {f32(f32(c * odd[i].re) - f32(s * odd[i].im)),
                  f32(f32(c * odd[i].im) + f32(s * odd[i].re))};
        x[i] = (pair){f32(even[i].re + t.re), f32(even[i].im + t.im)};
        x[i + n / 2] = (pair){f32(even[i].re - t.re), f32(even[i].im - t.im)};
    }
}

/* The whole spectrum of a row: what IRFFT leaves out is the conjugate. */
static void whole_input(const transform *t, const double *row, size_t n, pair *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = t->real_out && i > n / 2 ? n - i : i;
        bool own = t->real_out && (i == 0 || 2 * i == n);
        out[i].re = t->real_in ? row[i] : row[2 * k];
        out[i].im = t->real_in || own ? 0 : row[2 * k + 1];
        out[i].im = k == i ? out[i].im : -out[i].im;
    }
}

static void check_transform(const transform *t, const double *row, size_t n,
                            const oc__value *out, size_t start)
{
    pair x[MAX_N] = {{0, 0}};
    acb_ptr v = _acb_vec_init((slong)n), w = _acb_vec_init((slong)n);
    whole_input(t, row, n, x);
    for (size_t i = 0; i < n; i++) {
        acb_set_d_d(v + i, x[i].re, x[i].im);
    }
    (t->inverse ? acb_dft_inverse : acb_dft)(w, v, (slong)n, PRECISION);
    bool power = (n & (n - 1)) == 0;
    if (power) {
        radix_two(x, n, t->inverse);
    }
    size_t count = t->real_in ? n / 2 + 1 : n, parts = t->real_out ? 1 : 2;
    for (size_t i = 0; i < count * parts; i++) {
        size_t k = i / parts;
        bool imaginary = i % parts;
        ball b = {oc__m(out)[start + i], out->r ? oc__r(out)[start + i] : 0,
                  OC__F_ZERO_SIGN};
        hold(t->kind, n, b,
             nearest(imaginary ? acb_imagref(w + k) : acb_realref(w + k)));
        double got = imaginary ? x[k].im : x[k].re;
        if (power) {
            hold(t->kind, n, b, t->inverse ? f32(got / (double)n) : got);
        }
    }
    _acb_vec_clear(w, (slong)n);
    _acb_vec_clear(v, (slong)n);
}

static double signal_of(dice *from, size_t kind, size_t i)
{
    switch (kind) {
    case 0: return dice_unit(from);
    case 1: return 0.1;
    case 2: return i == 3;
    case 3: return (double)dice_below(from, 17) - 8;
    default: return dice_normal(from);
    }
}

static void try_transform(const transform *t, size_t n, dice *from)
{
    enum { ROWS = 16 };
    char text[512];
    size_t in_count = t->real_out ? n / 2 + 1 : n,
           out_count = t->real_in ? n / 2 + 1 : n;
    size_t width = in_count * (t->real_in ? 1 : 2);
    const int64_t dims[2] = {ROWS, (int64_t)in_count};
    oc_tensor in = tensor_of(t->real_in ? OC_F32 : OC_C64, dims, 2);
    double *rows = calloc(ROWS * width, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < ROWS * width; i++) {
        rows[i] = f32(signal_of(from, i / width % 6, i % width));
        float narrow = (float)rows[i];
        memcpy((char *)in.data + 4 * i, &narrow, sizeof narrow);
    }
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%dx%zux%s>) -> tensor<%dx%zux%s> {\n"
             "%%0 = stablehlo.fft %%x, type = %s, length = [%zu] : (tensor<%dx%zux%s>) "
             "-> tensor<%dx%zux%s>\nreturn %%0 : tensor<%dx%zux%s>\n}\n",
             ROWS, in_count, t->in, ROWS, out_count, t->out, t->kind, n, ROWS, in_count,
             t->in, ROWS, out_count, t->out, ROWS, out_count, t->out);
    program p = run_text(text, &in, 1, &(oc__arith){0});
    for (size_t row = 0; row < ROWS; row++) {
        size_t start = row * out_count * (t->real_out ? 1 : 2);
        check_transform(t, rows + row * width, n, program_output(&p, 0), start);
    }
    program_free(&p);
    oc_tensor_free(&in);
    free(rows);
}

static void transforms_hold(void **state)
{
    static const size_t lengths[] = {1,  2,  3,  4,  5,  8,   12, 16,
                                     17, 31, 32, 64, 67, 100, 128};
    dice from = {.state = 1};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (size_t k = 0; k < 4; k++) {
            try_transform(&transforms[k], lengths[i], &from);
        }
    }
}

/* --- triangular systems --- */

enum { SIDE = 12, SYSTEMS = 300 };

/* Diagonal near 1 in size, the rest up to `scale`; what is above is not looked at. */
static void random_triangle(dice *from, size_t n, double scale, double *a)
{
    for (size_t i = 0; i < n * n; i++) {
        bool diagonal = i / n == i % n;
        double size = diagonal ? 0.5 + dice_unit(from) : scale * dice_normal(from);
        a[i] = f32(diagonal && dice_one_in(from, 2) ? -size : size);
    }
}

/* Substitution; sums in any order, fused or not. */
static void substitute(dice *from, size_t n, const double *a, const double *b,
                       double *x)
{
    const adder device = {.dice = from, .accumulator = OC_F32};
    for (size_t i = 0; i < n; i++) {
        double left[SIDE + 1], right[SIDE + 1];
        memcpy(left, a + i * n, i * sizeof *left);
        for (size_t k = 0; k < i; k++) {
            left[k] = -left[k];
            right[k] = x[k];
        }
        left[i] = b[i];
        right[i] = 1;
        x[i] = f32(dot_at_random(&device, left, right, i + 1) / a[i * n + i]);
    }
}

/* By way of the inverse, as blocked solvers do with diagonal blocks. */
static void invert_and_multiply(dice *from, size_t n, const double *a, const double *b,
                                double *x)
{
    const adder device = {.dice = from, .accumulator = OC_F32};
    double inverse[SIDE * SIDE], unit[SIDE], column[SIDE];
    for (size_t k = 0; k < n; k++) {
        memset(unit, 0, sizeof unit);
        unit[k] = 1;
        substitute(from, n, a, unit, column);
        for (size_t i = 0; i < n; i++) {
            inverse[i * n + k] = column[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = dot_at_random(&device, inverse + i * n, b, n);
    }
}

static void exact_solution(size_t n, const double *a, const double *b, double *x)
{
    arb_mat_t matrix, rhs;
    arb_mat_init(matrix, (slong)n, (slong)n);
    arb_mat_init(rhs, (slong)n, 1);
    for (size_t i = 0; i < n * n; i++) {
        bool lower = i / n >= i % n;
        arb_set_d(arb_mat_entry(matrix, i / n, i % n), lower ? a[i] : 0);
    }
    for (size_t i = 0; i < n; i++) {
        arb_set_d(arb_mat_entry(rhs, i, 0), b[i]);
    }
    arb_mat_solve_tril(rhs, matrix, rhs, 0, PRECISION);
    for (size_t i = 0; i < n; i++) {
        x[i] = nearest(arb_mat_entry(rhs, i, 0));
    }
    arb_mat_clear(rhs);
    arb_mat_clear(matrix);
}

static void triangular_systems_hold(void **state)
{
    dice from = {.state = 2};
    (void)state;
    for (size_t i = 0; i < SYSTEMS; i++) {
        size_t n = 1 + i % SIDE;
        double a[SIDE * SIDE], b[SIDE], x[3][SIDE];
        const int64_t square[2] = {(int64_t)n, (int64_t)n}, tall[2] = {(int64_t)n, 1};
        oc_tensor in[2] = {tensor_of(OC_F32, square, 2), tensor_of(OC_F32, tall, 2)};
        char text[1024];
        random_triangle(&from, n, i % 3 == 0 ? 1 : 0.3, a);
        for (size_t k = 0; k < n; k++) {
            b[k] = f32(dice_normal(&from));
        }
        store_all(&in[0], a, n * n);
        store_all(&in[1], b, n);
        snprintf(text, sizeof text,
                 "!a = tensor<%zux%zuxf32>\n!b = tensor<%zux1xf32>\n"
                 "func.func @main(%%a: !a, %%b: !b) -> !b {\n"
                 "%%0 = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = true, "
                 "lower = true, unit_diagonal = false, transpose_a = "
                 "#stablehlo<transpose NO_TRANSPOSE>}> : (!a, !b) -> !b\n"
                 "return %%0 : !b\n}\n",
                 n, n, n);
        program p = run_text(text, in, 2, &(oc__arith){0});
        exact_solution(n, a, b, x[0]);
        substitute(&from, n, a, b, x[1]);
        invert_and_multiply(&from, n, a, b, x[2]);
        for (size_t k = 0; k < 3 * n; k++) {
            hold("triangular_solve", n, element_of(program_output(&p, 0), k % n),
                 x[k / n][k % n]);
        }
        program_free(&p);
        oc_tensor_free(&in[0]);
        oc_tensor_free(&in[1]);
    }
}

/* --- cholesky --- */

static void device_factor(dice *from, size_t n, const double *a, double *l)
{
    const adder device = {.dice = from, .accumulator = OC_F32};
    double left[SIDE + 1], right[SIDE + 1];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            for (size_t j = 0; j < k; j++) {
                left[j] = -l[i * n + j];
                right[j] = l[k * n + j];
            }
            left[k] = a[i * n + k];
            right[k] = 1;
            double rest = dot_at_random(&device, left, right, k + 1);
            l[i * n + k] = i == k ? f32(sqrt(rest)) : f32(rest / l[k * n + k]);
        }
    }
}

static void exact_factor(size_t n, const double *a, double *l)
{
    arb_mat_t matrix;
    arb_mat_init(matrix, (slong)n, (slong)n);
    for (size_t i = 0; i < n * n; i++) {
        arb_set_d(arb_mat_entry(matrix, i / n, i % n), a[i]);
    }
    assert_true(arb_mat_cho(matrix, matrix, PRECISION));
    for (size_t i = 0; i < n * n; i++) {
        l[i] = nearest(arb_mat_entry(matrix, i / n, i % n));
    }
    arb_mat_clear(matrix);
}

static void factors_hold(void **state)
{
    dice from = {.state = 3};
    (void)state;
    for (size_t i = 0; i < SYSTEMS; i++) {
        size_t n = 1 + i % SIDE;
        double b[SIDE * SIDE], a[SIDE * SIDE], l[2][SIDE * SIDE];
        const int64_t square[2] = {(int64_t)n, (int64_t)n};
        oc_tensor in = tensor_of(OC_F32, square, 2);
        char text[512];
        random_triangle(&from, n, i % 3 == 0 ? 1 : 0.2, b);
        for (size_t k = 0; k < n * n; k++) {
            double sum = k / n == k % n ? 0.25 : 0;
            for (size_t j = 0; j < n; j++) {
                sum += b[k / n * n + j] * b[k % n * n + j];
            }
            a[k] = f32(sum);
        }
        store_all(&in, a, n * n);
        snprintf(
            text, sizeof text,
            "!a = tensor<%zux%zuxf32>\nfunc.func @main(%%a: !a) -> !a {\n"
            "%%0 = stablehlo.cholesky %%a, lower = true : !a\nreturn %%0 : !a\n}\n",
            n, n);
        program p = run_text(text, &in, 1, &(oc__arith){0});
        exact_factor(n, a, l[0]);
        device_factor(&from, n, a, l[1]);
        for (size_t k = 0; k < 2 * n * n; k++) {
            size_t at = k % (n * n);
            if (at / n >= at % n) {
                hold("cholesky", n, element_of(program_output(&p, 0), at),
                     l[k / (n * n)][at]);
            }
        }
        program_free(&p);
        oc_tensor_free(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_hold),
        cmocka_unit_test(triangular_systems_hold),
        cmocka_unit_test(factors_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
