/* A device that computes in f32, right or with a fault, and the judge's answer on what
 * it gives. No plugin: everything here is the simulator's own arithmetic. */
#ifndef ONCHIP_TESTS_NUMERIC_FIXTURE_H
#define ONCHIP_TESTS_NUMERIC_FIXTURE_H

#include "dice.h"
#include "unit.h"

#include "numeric/judge.h"

/* What may be wrong with it; zero is a right device. The dots are chains of fused
 * multiply-adds, the sums chains, functions are right to half an ulp or a little more.
 */
typedef enum fault {
    RIGHT = 0,
    PLAIN_SUMS, /* right too: multiply and add in place of fused multiply-add */
    NEIGHBOURS_SWAPPED,
    BF16_OPERANDS,
    BF16_TRUNCATED,
    TF32_OPERANDS,
    BF16_ACCUMULATOR,
    RZ_ACCUMULATOR,               /* every sum is rounded toward zero */
    BF16_OPERANDS_RZ_ACCUMULATOR, /* as tensor cores do */
    LAST_K_DROPPED,
    TILE_LOST_K, /* one tile of 8 x 8 lost half of its terms, at most 32 */
    BIAS_MISSING,
    BF16_EXP,
    LAST_TERM_MISSING,
    FAST_EXP, /* 64 ulp */
    WRONG_EPS,
    UNBIASED_VARIANCE,
    BF16_RSQRT,
    BETA_MISSING,
    TANH_OFF, /* by 1e-4 of its distance from +-1 */
    FAULTS
} fault;
const char *fault_name(fault f);

/* Matrices are row major. */
typedef struct matrix {
    size_t rows, columns;
    float *x;
} matrix;
matrix matrix_make(size_t rows, size_t columns); /* zeros */
matrix matrix_normal(dice *from, size_t rows, size_t columns, double scale);
matrix matrix_transposed(matrix a); /* a new one */
void matrix_free(matrix *a);
void matrices_free(matrix *all, size_t count);

/* a b, with the faults of dots. Rows are right but for the one that the fault names. */
matrix device_dot(fault f, matrix a, matrix b);
/* The sum of n numbers, one after the other; the last one left out where that is the
 * fault. */
float device_sum(fault f, const float *x, size_t n);
float device_exp(fault f, float x);
float device_tanh(fault f, float x);
float device_rsqrt(fault f, float x);
float to_bf16(float x);

/* Swaps elements 2 and 3 of row 1, where that is the fault. */
void device_swap(fault f, matrix *out);

/* "PASS", "FAIL", "deviates" (a FAIL with named deviations), or the reason of an
 * UNKNOWN; then ": " and the model that the first output stands under, if any. Inputs
 * and outputs are vectors where they have one row. Static text, until the next call. */
const char *judged(const char *text, const matrix *inputs, size_t input_count,
                   const matrix *outputs, size_t output_count);
/* The judgement itself of the last call; freed by the next one. */
const oc__judgement_of_program *last_judgement(void);

#endif
