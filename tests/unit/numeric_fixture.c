#include "numeric_fixture.h"

#include "stablehlo/parse.h"

#include <stdio.h>
#include <stdlib.h>

const char *fault_name(fault f)
{
    static const char *const names[FAULTS] = {
        [RIGHT] = "right",
        [PLAIN_SUMS] = "right, multiply and add",
        [NEIGHBOURS_SWAPPED] = "neighbours swapped",
        [BF16_OPERANDS] = "bf16 operands",
        [BF16_TRUNCATED] = "bf16 operands, truncated",
        [TF32_OPERANDS] = "tf32 operands",
        [BF16_ACCUMULATOR] = "bf16 accumulator",
        [RZ_ACCUMULATOR] = "accumulator rounds toward zero",
        [BF16_OPERANDS_RZ_ACCUMULATOR] = "bf16 operands, rounds toward zero",
        [LAST_K_DROPPED] = "last k dropped",
        [TILE_LOST_K] = "a tile lost terms",
        [BIAS_MISSING] = "bias missing",
        [BF16_EXP] = "exp in bf16",
        [LAST_TERM_MISSING] = "last term missing",
        [FAST_EXP] = "fast exp",
        [WRONG_EPS] = "wrong eps",
        [UNBIASED_VARIANCE] = "unbiased variance",
        [BF16_RSQRT] = "rsqrt in bf16",
        [BETA_MISSING] = "beta missing",
        [TANH_OFF] = "tanh off by 1e-4",
    };
    return names[f];
}

/* --- matrices --- */

matrix matrix_make(size_t rows, size_t columns)
{
    matrix made = {rows, columns, calloc(rows * columns, sizeof(float))};
    assert_non_null(made.x);
    return made;
}

matrix matrix_normal(dice *from, size_t rows, size_t columns, double scale)
{
    matrix made = matrix_make(rows, columns);
    for (size_t i = 0; i < rows * columns; i++) {
        made.x[i] = (float)(scale * dice_normal(from));
    }
    return made;
}

matrix matrix_transposed(matrix a)
{
    matrix made = matrix_make(a.columns, a.rows);
    for (size_t i = 0; i < a.rows * a.columns; i++) {
        made.x[i % a.columns * a.rows + i / a.columns] = a.x[i];
    }
    return made;
}

void matrix_free(matrix *a)
{
    free(a->x);
    *a = (matrix){0};
}

void matrices_free(matrix *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        matrix_free(&all[i]);
    }
}

/* --- arithmetic --- */

/* A normal number with fewer bits of significand: to nearest even, or toward zero.
 * (With masks gcc 12.2 leaves the truncation out.) */
static float with_bits(float x, int precision, bool truncates)
{
    int exponent;
    (void)frexpf(x, &exponent);
    float unit = ldexpf(1, exponent - precision);
    return (truncates ? truncf(x / unit) : rintf(x / unit)) * unit;
}

float to_bf16(float x)
{
    return with_bits(x, 8, false);
}

static float read_operand(fault f, float x)
{
    switch (f) {
    case BF16_OPERANDS:
    case BF16_OPERANDS_RZ_ACCUMULATOR: return to_bf16(x);
    case BF16_TRUNCATED: return with_bits(x, 8, true);
    case TF32_OPERANDS: return with_bits(x, 11, false);
    default: return x;
    }
}

/* acc + a b toward zero: the product is exact in double, and so is the sum but for
 * bits far below f32's. */
static float fused_toward_zero(float a, float b, float acc)
{
    double sum = (double)a * (double)b + (double)acc;
    float near = (float)sum;
    bool past = fabs((double)near) > fabs(sum);
    return past ? nextafterf(near, 0) : near;
}

static float step(fault f, float a, float b, float acc)
{
    switch (f) {
    case PLAIN_SUMS: {
        volatile float product = a * b; // no compiler fuses this
        return acc + product;
    }
    case BF16_ACCUMULATOR: return to_bf16(acc + a * b);
    case RZ_ACCUMULATOR:
    case BF16_OPERANDS_RZ_ACCUMULATOR: return fused_toward_zero(a, b, acc);
    default: return fmaf(a, b, acc);
    }
}

matrix device_dot(fault f, matrix a, matrix b)
{
    matrix out = matrix_make(a.rows, b.columns);
    matrix turned = matrix_transposed(b);
    size_t length = a.columns;
    size_t lost = length / 2 < 32 ? (length + 1) / 2 : 32;
    for (size_t i = 0; i < out.rows * out.columns; i++) {
        size_t row = i / out.columns, column = i % out.columns, count = length;
        bool tile = row < 8 && column < 8;
        count -= f == LAST_K_DROPPED ? 1 : f == TILE_LOST_K && tile ? lost : 0;
        const float *x = a.x + row * length, *y = turned.x + column * length;
        float acc = 0;
        for (size_t k = 0; k < count; k++) {
            acc = step(f, read_operand(f, x[k]), read_operand(f, y[k]), acc);
        }
        out.x[i] = acc;
    }
    matrix_free(&turned);
    return out;
}

float device_sum(fault f, const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i + (f == LAST_TERM_MISSING) < n; i++) {
        sum += x[i];
    }
    return sum;
}

float device_exp(fault f, float x)
{
    double y = exp((double)x);
    if (f == FAST_EXP) {
        y *= 1 + 64 * 0x1p-24 * sin(1e3 * (double)x);
    }
    return f == BF16_EXP ? to_bf16((float)y) : (float)y;
}

float device_tanh(fault f, float x)
{
    double y = tanh((double)x);
    return (float)(f == TANH_OFF ? y * (1 + 1e-4 * (1 - y * y)) : y);
}

float device_rsqrt(fault f, float x)
{
    float y = (float)(1 / sqrt((double)x));
    return f == BF16_RSQRT ? to_bf16(y) : y;
}

void device_swap(fault f, matrix *out)
{
    if (f == NEIGHBOURS_SWAPPED) {
        float *row = out->x + out->columns;
        float kept = row[2];
        row[2] = row[3];
        row[3] = kept;
    }
}

/* --- judging --- */

static oc__judgement_of_program judgement;

const oc__judgement_of_program *last_judgement(void)
{
    return &judgement;
}

static oc_tensor tensor_of(matrix a)
{
    const int64_t dims[2] = {(int64_t)a.rows, (int64_t)a.columns};
    oc_tensor made;
    oc_error err = {0};
    size_t skip = a.rows == 1;
    assert_int_equal(oc_tensor_make(OC_F32, dims + skip, 2 - skip, &made, &err), OC_OK);
    memcpy(made.data, a.x, made.size_bytes);
    return made;
}

const char *judged(const char *text, const matrix *inputs, size_t input_count,
                   const matrix *outputs, size_t output_count)
{
    static char answer[128];
    enum { MAX = 8 };
    oc_tensor in[MAX], out[MAX];
    oc_error err = {0};
    oc__hlo_module *module = NULL;
    assert_in_range(input_count, 0, MAX);
    assert_in_range(output_count, 1, MAX);
    oc__judgement_free(&judgement);
    for (size_t i = 0; i < input_count; i++) {
        in[i] = tensor_of(inputs[i]);
    }
    for (size_t i = 0; i < output_count; i++) {
        out[i] = tensor_of(outputs[i]);
    }
    if (oc__hlo_parse(text, strlen(text), "fault", &module, &err) != OC_OK ||
        oc__judge_program(module, 1, 1, in, input_count, out, output_count,
                          &(oc__judge_options){0}, &judgement, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < input_count; i++) {
        oc_tensor_free(&in[i]);
    }
    for (size_t i = 0; i < output_count; i++) {
        oc_tensor_free(&out[i]);
    }
    bool passed = judgement.verdict == OC_PASS;
    bool failed =
        judgement.verdict == OC_FAIL && strcmp(judgement.reason, "refuted") == 0;
    const char *model = judgement.outputs[0].model;
    snprintf(answer, sizeof answer, "%s%s%s",
             passed   ? "PASS"
             : failed ? "FAIL"
                      : judgement.reason,
             model ? ": " : "", model ? model : "");
    // The program's text is in the arena that the notes point to; it is not needed.
    judgement.evaluation.note_count = 0;
    oc__hlo_module_free(module);
    return answer;
}
