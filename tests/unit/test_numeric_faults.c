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

/* --- what the models of a sum say ---
 *
 * A second derivation of the words for f32 dots, from the exact sums: S = sum a b, Q =
 * sum (a b)^2, T = sum |a b|, n = K roundings of u = 2^-24 each. A right device is off
 * by gamma_n T at most, gamma_n = n u / (1 - n u), and by
 *
 *     s^2 = u^2 / 3 (n S^2 / 3 + n Q / 6 + Q + S^2)
 *
 * in the mean: roundings are uniform in +- u |partial sum|, so u^2/3 of its square, and
 * over random orders the squares of the partial sums add up to that bracket. The answer
 * t is S rounded, up to 64 terms the text's own steps; its distance from S comes on top
 * of both. Beyond gamma_n T from t an element is refuted, beyond 10 s suspect, and a
 * tensor of 32 elements or more whose rms of (x - t) / s is above 1.5 is so as a whole.
 */
typedef struct sums {
    double answer, hard, deviation;
} sums;

static sums sums_of(matrix a, matrix b, size_t row, size_t column)
{
    const double u = 0x1p-24, n = (double)a.columns;
    long double exact = 0;
    double squares = 0, sizes = 0;
    volatile float steps_of_text = 0; // no compiler fuses these
    for (size_t k = 0; k < a.columns; k++) {
        float x = a.x[row * a.columns + k], y = b.x[k * b.columns + column];
        double term = (double)x * (double)y;
        volatile float product = x * y;
        steps_of_text = steps_of_text + product;
        exact += term;
        squares += term * term;
        sizes += fabs(term);
    }
    double squared = (double)(exact * exact);
    double partial = n * squared / 3 + n * squares / 6 + squares + squared;
    double answer = (double)(a.columns <= 64 ? steps_of_text : (float)exact);
    double moved = (double)fabsl(answer - exact);
    return (sums){answer, n * u / (1 - n * u) * sizes + moved,
                  hypot(u * sqrt(partial / 3), a.columns <= 64 ? moved : 0)};
}

static const char *word_by_the_model(matrix a, matrix b, matrix out)
{
    size_t n = out.rows * out.columns;
    bool refuted = false, suspect = false;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        sums of = sums_of(a, b, i / out.columns, i % out.columns);
        double off = fabs((double)out.x[i] - of.answer), z = off / of.deviation;
        refuted = refuted || off > of.hard;
        suspect = suspect || z > 10;
        squares += z * z;
    }
    suspect = suspect || sqrt(squares / (double)n) > 1.5;
    return refuted ? "FAIL" : suspect ? "suspect" : "PASS";
}

/* --- rows --- */

typedef struct trial {
    fault fault;
    numbers numbers;
    const char *precision;
    double bias; /* of the columns, as a multiple of N(0, 1); 0: none */
} trial;

/* NULL where the model above is not the row's. */
static const char *derived_word(const trial *t, matrix a, matrix b, matrix out)
{
    bool full = strcmp(t->precision, "HIGHEST") == 0 && t->numbers != SMALL_INTEGERS &&
                t->numbers != TWELVE_BITS;
    bool bf16 = strcmp(t->precision, "DEFAULT") == 0 &&
                (t->fault == BF16_OPERANDS || t->fault == BF16_OPERANDS_RZ_ACCUMULATOR);
    if (t->bias != 0 || (!full && !bf16)) {
        return NULL;
    }
    for (size_t i = 0; bf16 && i < a.rows * a.columns; i++) {
        a.x[i] = to_bf16(a.x[i]);
        b.x[i] = to_bf16(b.x[i]);
    }
    return word_by_the_model(a, b, out);
}

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
    const char *word = derived_word(t, in[0], in[1], out);
    if (word && strncmp(answer, word, strlen(word)) != 0) {
        printf("'%s', but the model says '%s'\n", answer, word);
        answer = "not the model's word";
    }
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
        // One-sided errors may be suspect under every model, but are no reason to
        // refute. At 4096 the text's own ball holds them.
        {DEFAULT(BF16_OPERANDS_RZ_ACCUMULATOR),
         {"PASS: bf16 operands", "PASS: bf16 operands", "suspect: bf16 operands",
          "suspect"}},
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

/* The smallest power of two in ulp by which the element of median size of a right dot
 * must be off to be suspect, and to be refuted: as the model says. */
static void one_element_is_seen_from_here_on(void **state)
{
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
            assert_string_equal(answer, word_by_the_model(in[0], in[1], out));
            refuted = strcmp(answer, "FAIL") == 0 ? p : -1;
            suspect = suspect < 0 && strcmp(answer, "PASS") != 0 ? p : suspect;
        }
        printf("K = %zu: suspect from 2^%d ulp, refuted from 2^%d ulp\n", k, suspect,
               refuted);
        assert_true(suspect >= 0 && suspect <= refuted);
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
