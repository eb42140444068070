/* Faults in right f32 dots, as a table: what the judge must say of each
 * (docs/numerics.md explains the words). A right device is never FAIL. Where a fault is
 * within the bounds and below the noise of right devices, no test of elements can see
 * it: such rows say PASS, so that a better judge shows. */
#include "numeric_fixture.h"

#include <stdio.h>
#include <stdlib.h>

enum { LENGTHS = 4 };
static const struct {
    size_t k, side;
} shapes[LENGTHS] = {{3, 8}, {64, 32}, {1024, 16}, {4096, 16}};

typedef enum numbers { NORMAL, POSITIVE, SMALL_INTEGERS, TWELVE_BITS } numbers;

static double number_of(numbers kind, dice *from, bool right, size_t k)
{
    switch (kind) {
    case POSITIVE: return dice_unit(from);
    case SMALL_INTEGERS: {
        // Of 7 bits, or fewer where sums of 4096 products would leave 24 bits.
        size_t most = k > 1024 ? 63 : 127;
        return (double)dice_below(from, 2 * most + 1) - (double)most;
    }
    case TWELVE_BITS:
        return right ? (double)dice_below(from, 3) - 1
                     : (double)(2 * dice_below(from, 4096) + 1) - 4096;
    default: return dice_normal(from);
    }
}

static matrix matrix_of(numbers kind, dice *from, size_t rows, size_t columns,
                        bool right, size_t k)
{
    matrix made = matrix_make(rows, columns);
    for (size_t i = 0; i < rows * columns; i++) {
        made.x[i] = (float)number_of(kind, from, right, k);
    }
    return made;
}

/* a b + bias, or without the bias. */
static const char *text_of(size_t k, size_t side, const char *precision, bool bias)
{
    static char text[1024];
    snprintf(
        text, sizeof text,
        "!a = tensor<%zux%zuxf32>\n!b = tensor<%zux%zuxf32>\n!c = tensor<%zuxf32>\n"
        "!d = tensor<%zux%zuxf32>\n"
        "func.func @main(%%a: !a, %%b: !b, %%c: !c) -> !d {\n"
        "%%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0], "
        "precision = [%s, %s] : (!a, !b) -> !d\n"
        "%%1 = stablehlo.broadcast_in_dim %%c, dims = [1] : (!c) -> !d\n"
        "%%2 = stablehlo.add %%0, %%1 : !d\nreturn %s : !d\n}\n",
        side, k, k, side, side, side, side, precision, precision, bias ? "%2" : "%0");
    return text;
}

typedef struct trial {
    fault fault;
    numbers numbers;
    const char *precision;
    double bias; /* of the columns, as a multiple of N(0, 1); 0: none */
} trial;

static const char *judge_dot(const trial *t, size_t k, size_t side)
{
    dice from = {.state = k};
    matrix in[3] = {matrix_of(t->numbers, &from, side, k, false, k),
                    matrix_of(t->numbers, &from, k, side, true, k),
                    matrix_normal(&from, 1, side, t->bias)};
    matrix out = device_dot(t->fault, in[0], in[1]);
    for (size_t i = 0; t->fault != BIAS_MISSING && t->bias != 0 && i < side * side;
         i++) {
        out.x[i] += in[2].x[i % side];
    }
    device_swap(t->fault, &out);
    const char *text = text_of(k, side, t->precision, t->bias != 0);
    const char *answer = judged(text, in, 3, &out, 1);
    matrices_free(in, 3);
    matrix_free(&out);
    return answer;
}

/* The four lengths of one row. */
typedef struct row {
    trial trial;
    const char *wanted[LENGTHS];
} row;

static void try_rows(const row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < LENGTHS; k++) {
            const char *wanted = rows[i].wanted[k];
            const char *got = judge_dot(&rows[i].trial, shapes[k].k, shapes[k].side);
            if (strcmp(got, wanted) != 0) {
                printf("%s, K = %zu: '%s', not '%s' (%s)\n",
                       fault_name(rows[i].trial.fault), shapes[k].k, got, wanted,
                       last_judgement()->detail);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}
#define TRY(rows) try_rows(rows, sizeof(rows) / sizeof *(rows))

/* HIGHEST precision, N(0, 1). */
static void faults_of_highest_precision(void **state)
{
#define HIGHEST(f)                                                                     \
    {                                                                                  \
        f, NORMAL, "HIGHEST", 0                                                        \
    }
    static const row rows[] = {
        {HIGHEST(RIGHT), {"PASS", "PASS", "PASS", "PASS"}},
        {HIGHEST(PLAIN_SUMS), {"PASS", "PASS", "PASS", "PASS"}},
        {HIGHEST(NEIGHBOURS_SWAPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {HIGHEST(BF16_OPERANDS), {"FAIL", "FAIL", "FAIL", "suspect"}},
        {HIGHEST(BF16_TRUNCATED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {HIGHEST(TF32_OPERANDS), {"FAIL", "FAIL", "suspect", "suspect"}},
        {HIGHEST(BF16_ACCUMULATOR), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {HIGHEST(RZ_ACCUMULATOR), {"PASS", "suspect", "suspect", "suspect"}},
        {HIGHEST(LAST_K_DROPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {HIGHEST(TILE_LOST_K), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {{RIGHT, NORMAL, "HIGHEST", 0.1}, {"PASS", "PASS", "PASS", "PASS"}},
        {{BIAS_MISSING, NORMAL, "HIGHEST", 0.1}, {"FAIL", "FAIL", "FAIL", "suspect"}},
        {{BIAS_MISSING, NORMAL, "HIGHEST", 1e-3},
         {"FAIL", "FAIL", "suspect", "suspect"}},
    };
    (void)state;
    TRY(rows);
}

/* DEFAULT precision leaves the operands' model to the device: it is named. */
static void models_of_default_precision(void **state)
{
#define DEFAULT(f)                                                                     \
    {                                                                                  \
        f, NORMAL, "DEFAULT", 0                                                        \
    }
    static const row rows[] = {
        {DEFAULT(RIGHT), {"PASS", "PASS", "PASS", "PASS"}},
        {DEFAULT(BF16_OPERANDS),
         {"PASS: bf16 operands", "PASS: bf16 operands", "PASS: bf16 operands",
          "PASS: bf16 operands"}},
        {DEFAULT(BF16_TRUNCATED),
         {"PASS: bf16 operands, truncated", "PASS: bf16 operands, truncated",
          "PASS: bf16 operands, truncated", "PASS: bf16 operands, truncated"}},
        {DEFAULT(TF32_OPERANDS),
         {"PASS: tf32 operands", "PASS: tf32 operands", "PASS: tf32 operands",
          "PASS: tf32 operands"}},
        {DEFAULT(NEIGHBOURS_SWAPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {DEFAULT(BF16_ACCUMULATOR), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {DEFAULT(LAST_K_DROPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
    };
    (void)state;
    TRY(rows);
}

/* U[0, 1): larger sums, so the same faults are smaller beside them. */
static void faults_on_positive_numbers(void **state)
{
#define ON_POSITIVE(f, bias)                                                           \
    {                                                                                  \
        f, POSITIVE, "HIGHEST", bias                                                   \
    }
    static const row rows[] = {
        {ON_POSITIVE(RIGHT, 0), {"PASS", "PASS", "PASS", "PASS"}},
        {ON_POSITIVE(RIGHT, 1e-3), {"PASS", "PASS", "PASS", "PASS"}},
        {ON_POSITIVE(BF16_OPERANDS, 0), {"FAIL", "FAIL", "FAIL", "suspect"}},
        {ON_POSITIVE(TF32_OPERANDS, 0), {"FAIL", "FAIL", "suspect", "suspect"}},
        {ON_POSITIVE(LAST_K_DROPPED, 0), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        // A tenth of the noise: no test of elements sees it.
        {ON_POSITIVE(BIAS_MISSING, 1e-3), {"FAIL", "FAIL", "suspect", "PASS"}},
    };
    (void)state;
    TRY(rows);
}

/* Integers whose sums are exact in every order: a mismatch needs no bound. */
static void faults_on_lattices(void **state)
{
#define ON(lattice, f)                                                                 \
    {                                                                                  \
        f, lattice, "HIGHEST", 0                                                       \
    }
    static const row rows[] = {
        {ON(SMALL_INTEGERS, RIGHT), {"PASS", "PASS", "PASS", "PASS"}},
        {ON(SMALL_INTEGERS, PLAIN_SUMS), {"PASS", "PASS", "PASS", "PASS"}},
        {ON(SMALL_INTEGERS, BF16_ACCUMULATOR), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {ON(SMALL_INTEGERS, LAST_K_DROPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        // 7 bits fit into bf16, and the sums are exact.
        {ON(SMALL_INTEGERS, BF16_OPERANDS), {"PASS", "PASS", "PASS", "PASS"}},
        {ON(SMALL_INTEGERS, RZ_ACCUMULATOR), {"PASS", "PASS", "PASS", "PASS"}},
        {ON(TWELVE_BITS, RIGHT), {"PASS", "PASS", "PASS", "PASS"}},
        {ON(TWELVE_BITS, BF16_OPERANDS), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {ON(TWELVE_BITS, TF32_OPERANDS), {"FAIL", "FAIL", "FAIL", "FAIL"}},
        {ON(TWELVE_BITS, LAST_K_DROPPED), {"FAIL", "FAIL", "FAIL", "FAIL"}},
    };
    (void)state;
    TRY(rows);
}

/* --- one element --- */

static int by_size(const void *a, const void *b)
{
    float x = fabsf(*(const float *)a), y = fabsf(*(const float *)b);
    return (x > y) - (x < y);
}

/* The element of median size. */
static size_t median_of(matrix a)
{
    size_t n = a.rows * a.columns, found = 0;
    matrix sorted = matrix_make(a.rows, a.columns);
    memcpy(sorted.x, a.x, n * sizeof *a.x);
    qsort(sorted.x, n, sizeof *sorted.x, by_size);
    while (a.x[found] != sorted.x[n / 2]) {
        found++;
    }
    matrix_free(&sorted);
    return found;
}

/* The smallest powers of two in ulp by which the median element of a right dot must be
 * off to be suspect, and to be refuted. */
static void one_element_is_seen_from_here_on(void **state)
{
    static const struct {
        int suspect, refuted;
    } wanted[LENGTHS] = {{3, 5}, {6, 9}, {7, 15}, {8, 18}};
    (void)state;
    for (size_t i = 0; i < LENGTHS; i++) {
        size_t k = shapes[i].k, side = shapes[i].side;
        dice from = {.state = k};
        matrix in[3] = {matrix_normal(&from, side, k, 1),
                        matrix_normal(&from, k, side, 1), matrix_make(1, side)};
        matrix out = device_dot(RIGHT, in[0], in[1]);
        size_t at = median_of(out);
        float right = out.x[at];
        int suspect = -1, refuted = -1;
        for (int p = 0; p < 30 && refuted < 0; p++) {
            out.x[at] = right + ldexpf(1, p + ilogbf(right) - 23);
            const char *text = text_of(k, side, "HIGHEST", false);
            const char *answer = judged(text, in, 3, &out, 1);
            refuted = strcmp(answer, "FAIL") == 0 ? p : -1;
            suspect = suspect < 0 && strcmp(answer, "PASS") != 0 ? p : suspect;
        }
        printf("K = %zu: suspect from 2^%d ulp, refuted from 2^%d ulp\n", k, suspect,
               refuted);
        assert_int_equal(suspect, wanted[i].suspect);
        assert_int_equal(refuted, wanted[i].refuted);
        matrices_free(in, 3);
        matrix_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_highest_precision),
        cmocka_unit_test(models_of_default_precision),
        cmocka_unit_test(faults_on_positive_numbers),
        cmocka_unit_test(faults_on_lattices),
        cmocka_unit_test(one_element_is_seen_from_here_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
