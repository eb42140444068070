/* Faults inside softmax and layernorm, seen from the outputs. What no test of elements
 * sees is in the table as PASS. */
#include "numeric_programs.h"

#include <stdlib.h>

/* --- softmax --- */

static void make_softmax(work *w, dice *from)
{
    w->in[w->inputs++] = matrix_normal(from, ROWS, w->n, 3);
}

static void run_softmax(work *w)
{
    matrix x = w->in[0], y = matrix_make(ROWS, w->n);
    for (size_t i = 0; i < ROWS; i++) {
        const float *from = x.x + i * w->n;
        float *to = y.x + i * w->n, most = from[0];
        for (size_t k = 0; k < w->n; k++) {
            most = fmaxf(most, from[k]);
        }
        for (size_t k = 0; k < w->n; k++) {
            to[k] = device_exp(w->fault, from[k] - most);
        }
        float sum = device_sum(w->fault, to, w->n);
        for (size_t k = 0; k < w->n; k++) {
            to[k] /= sum;
        }
    }
    w->out[w->outputs++] = y;
}

static const subject softmax = {
    "softmax",
    "func.func @main(%x: !x) -> !x {\n"
    "%least = stablehlo.constant dense<0xFF800000> : !s\n"
    "%zero = stablehlo.constant dense<0.0> : !s\n"
    "%0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across "
    "dimensions = [1] : (!x, !s) -> !r\n"
    "%1 = stablehlo.broadcast_in_dim %0, dims = [0] : (!r) -> !x\n"
    "%2 = stablehlo.subtract %x, %1 : !x\n"
    "%3 = stablehlo.exponential %2 : !x\n"
    "%4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across "
    "dimensions = [1] : (!x, !s) -> !r\n"
    "%5 = stablehlo.broadcast_in_dim %4, dims = [0] : (!r) -> !x\n"
    "%6 = stablehlo.divide %3, %5 : !x\n"
    "return %6 : !x\n}\n",
    make_softmax, run_softmax};

static void faults_of_softmax(void **state)
{
    static const size_t sizes[2] = {64, 1024};
    static const row rows[] = {
        {RIGHT, {"PASS", "PASS"}},
        {NEIGHBOURS_SWAPPED, {"FAIL", "FAIL"}},
        {BF16_EXP, {"FAIL", "FAIL"}},
        // Nothing measured says how good this device's exp is: what is near the figure
        // of a document can be suspect, not refuted.
        {LAST_TERM_MISSING, {"FAIL", "suspect"}},
        {FAST_EXP, {"suspect", "suspect"}},
    };
    (void)state;
    TRY(&softmax, sizes, rows);
}

/* --- layernorm --- */

static void make_layernorm(work *w, dice *from)
{
    w->in[w->inputs++] = matrix_normal(from, ROWS, w->n, 3);
    for (size_t i = 0; i < ROWS * w->n; i++) {
        w->in[0].x[i] += 2;
    }
    w->in[w->inputs++] = matrix_normal(from, 1, w->n, 1);
    w->in[w->inputs++] = matrix_normal(from, 1, w->n, 1);
}

/* A row of variance 1e-8 shows a wrong eps. */
static void make_narrow_layernorm(work *w, dice *from)
{
    make_layernorm(w, from);
    for (size_t k = 0; k < w->n; k++) {
        w->in[0].x[k] = (float)(1e-4 * dice_normal(from));
    }
}

static void run_layernorm(work *w)
{
    matrix x = w->in[0], g = w->in[1], b = w->in[2], y = matrix_make(ROWS, w->n);
    float n = (float)w->n, eps = w->fault == WRONG_EPS ? 1e-6F : 1e-5F;
    float *d = malloc(2 * w->n * sizeof *d), *square = d + w->n;
    assert_non_null(d);
    for (size_t i = 0; i < ROWS; i++) {
        float mean = device_sum(RIGHT, x.x + i * w->n, w->n) / n;
        for (size_t k = 0; k < w->n; k++) {
            d[k] = x.x[i * w->n + k] - mean;
            square[k] = d[k] * d[k];
        }
        float count = w->fault == UNBIASED_VARIANCE ? n - 1 : n;
        float variance = device_sum(RIGHT, square, w->n) / count;
        float r = device_rsqrt(w->fault, variance + eps);
        for (size_t k = 0; k < w->n; k++) {
            float scaled = d[k] * r * g.x[k];
            y.x[i * w->n + k] = w->fault == BETA_MISSING ? scaled : scaled + b.x[k];
        }
    }
    free(d);
    w->out[w->outputs++] = y;
}

static const char layernorm_text[] =
    "func.func @main(%x: !x, %g: !n, %b: !n, %count: !r) -> !x {\n"
    "%zero = stablehlo.constant dense<0.0> : !s\n"
    "%eps = stablehlo.constant dense<1.0e-5> : !r\n"
    "%0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across "
    "dimensions = [1] : (!x, !s) -> !r\n"
    "%1 = stablehlo.divide %0, %count : !r\n"
    "%2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x\n"
    "%3 = stablehlo.subtract %x, %2 : !x\n"
    "%4 = stablehlo.multiply %3, %3 : !x\n"
    "%5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across "
    "dimensions = [1] : (!x, !s) -> !r\n"
    "%6 = stablehlo.divide %5, %count : !r\n"
    "%7 = stablehlo.add %6, %eps : !r\n"
    "%8 = stablehlo.rsqrt %7 : !r\n"
    "%9 = stablehlo.broadcast_in_dim %8, dims = [0] : (!r) -> !x\n"
    "%10 = stablehlo.multiply %3, %9 : !x\n"
    "%11 = stablehlo.broadcast_in_dim %g, dims = [1] : (!n) -> !x\n"
    "%12 = stablehlo.multiply %10, %11 : !x\n"
    "%13 = stablehlo.broadcast_in_dim %b, dims = [1] : (!n) -> !x\n"
    "%14 = stablehlo.add %12, %13 : !x\n"
    "return %14 : !x\n}\n";

/* The row length comes as an input: its value is no shape of the text. */
static void add_count(work *w)
{
    matrix count = matrix_make(1, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        count.x[i] = (float)w->n;
    }
    w->in[w->inputs++] = count;
}

static void make_wide(work *w, dice *from)
{
    make_layernorm(w, from);
    add_count(w);
}

static void make_narrow(work *w, dice *from)
{
    make_narrow_layernorm(w, from);
    add_count(w);
}

static void faults_of_layernorm(void **state)
{
    static const subject wide = {"layernorm", layernorm_text, make_wide, run_layernorm};
    static const subject narrow = {"layernorm with a narrow row", layernorm_text,
                                   make_narrow, run_layernorm};
    static const size_t sizes[2] = {64, 1024};
    static const row rows[] = {
        {RIGHT, {"PASS", "PASS"}},
        {NEIGHBOURS_SWAPPED, {"FAIL", "FAIL"}},
        // The variance is 9: inputs decide what can be seen.
        {WRONG_EPS, {"suspect", "PASS"}},
        {UNBIASED_VARIANCE, {"FAIL", "suspect"}},
        {BF16_RSQRT, {"FAIL", "FAIL"}},
        {BETA_MISSING, {"FAIL", "FAIL"}},
    };
    static const row narrow_rows[] = {
        {RIGHT, {"PASS", "PASS"}},
        {WRONG_EPS, {"FAIL", "FAIL"}},
    };
    (void)state;
    TRY(&wide, sizes, rows);
    TRY(&narrow, sizes, narrow_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_softmax),
        cmocka_unit_test(faults_of_layernorm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
