/* Sums and products of many numbers against Arb and against devices that take any order
 * and any tree: 10^5 rows and more. */
#include "arb_programs.h"
#include "arb_sums.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, LONGEST = 200, ORDERS = 4 };

static const size_t lengths[] = {1, 2, 3, 4, 7, 16, 33, 64, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* What is summed: the rows, their exponentials, or products with other rows. */
typedef enum summed { PLAIN, EXPONENTIALS, PRODUCTS, FACTORS, KINDS } summed;

typedef struct work {
    summed kind;
    const type *of, *accumulator;
    oc__arith arith;
    size_t n;
    dice dice;
    double init;
    size_t decided, exact, rows;
} work;

static program evaluate_rows(const work *w, const oc_tensor *inputs)
{
    static const char *const makes[KINDS] = {
        [PLAIN] = "%t = stablehlo.negate %y : !t\n",
        [EXPONENTIALS] = "%t = stablehlo.exponential %x : !t\n",
        [PRODUCTS] = "%t = stablehlo.multiply %x, %y : !t\n",
        [FACTORS] = "%t = stablehlo.negate %y : !t\n",
    };
    char text[1024];
    snprintf(text, sizeof text,
             "!t = tensor<%dx%zux%s>\n!s = tensor<%s>\n!r = tensor<%dx%s>\n"
             "func.func @main(%%x: !t, %%y: !t, %%init: !s) -> (!t, !r) {\n%s"
             "%%0 = stablehlo.reduce(%%t init: %%init) applies stablehlo.%s across "
             "dimensions = [1] : (!t, !s) -> !r\n"
             "return %%t, %%0 : !t, !r\n}\n",
             ROWS, w->n, w->of->name, w->of->name, ROWS, w->of->name, makes[w->kind],
             w->kind == FACTORS ? "multiply" : "add");
    return run_text(text, inputs, 3, &w->arith);
}

/* A term of a device: inside the term's ball; a product may go unrounded into the sum.
 */
static double term_of(work *w, const oc__value *terms, const double *x, const double *y,
                      size_t i)
{
    if (w->kind == PRODUCTS && isfinite(round_number(w->of->dtype, x[i] * y[i]))) {
        return x[i] * y[i];
    }
    return random_inside(&w->dice, w->of, element_of(terms, i), true);
}

static double device_sum(work *w, const double *terms)
{
    double all[LONGEST + 1];
    memcpy(all, terms, w->n * sizeof *all);
    all[w->n] = w->init;
    const adder device = {&w->dice, w->accumulator->dtype, w->arith.flush, false};
    double result = w->kind == FACTORS ? multiply_at_random(&device, all, w->n + 1)
                                       : add_at_random(&device, all, w->n + 1);
    return round_number(w->of->dtype, result);
}

static void check_row(work *w, const oc__value *terms, const double *x, const double *y,
                      size_t row, ball out)
{
    double chosen[LONGEST + 1];
    w->rows++;
    w->decided += out.r < (double)INFINITY;
    w->exact += out.r == 0;
    for (size_t order = 0; order < ORDERS; order++) {
        for (size_t i = 0; i < w->n; i++) {
            chosen[i] = term_of(w, terms, x, y, row * w->n + i);
        }
        double got = device_sum(w, chosen);
        const char *why = ball_refuses(out, got);
        if (why) {
            fail_msg("%s, kind %d, n = %zu, accumulator %s: %a %s: %a +- %a, flags %u",
                     w->of->name, w->kind, w->n, w->accumulator->name, got, why, out.m,
                     out.r, out.f);
        }
    }
    arf_t sum;
    arf_init(sum);
    chosen[w->n] = w->init;
    if (w->kind != FACTORS && w->kind != PRODUCTS &&
        exact_sum(sum, chosen, NULL, w->n + 1)) {
        double best = round_real(w->of, sum, ARF_RND_NEAR);
        if (ball_refuses(out, best) && isfinite(best)) {
            fail_msg("%s, n = %zu: the real sum %a is outside %a +- %a", w->of->name,
                     w->n, best, out.m, out.r);
        }
    }
    arf_clear(sum);
}

static void try_rows(work *w)
{
    const int64_t dims[2] = {ROWS, (int64_t)w->n};
    oc_tensor in[3] = {tensor_of(w->of->dtype, dims, 2),
                       tensor_of(w->of->dtype, dims, 2),
                       tensor_of(w->of->dtype, dims, 0)};
    double *x = calloc((size_t)2 * ROWS * w->n, sizeof *x),
           *y = x + (size_t)ROWS * w->n;
    assert_non_null(x);
    for (size_t row = 0; row < ROWS; row++) {
        bool finite = !dice_one_in(&w->dice, 8);
        random_row(&w->dice, w->of, finite, x + row * w->n, w->n);
        random_row(&w->dice, w->of, finite, y + row * w->n, w->n);
    }
    for (size_t i = 0; i < ROWS * w->n; i++) {
        store(&in[0], i, x[i]);
        store(&in[1], i, y[i]);
    }
    // Any number of times the initial value may come in: only one that changes nothing.
    w->init = w->kind == FACTORS ? 1 : 0;
    store(&in[2], 0, w->init);
    program p = evaluate_rows(w, in);
    const oc__value *terms = program_output(&p, 0), *sums = program_output(&p, 1);
    for (size_t row = 0; row < ROWS; row++) {
        check_row(w, terms, x, y, row, element_of(sums, row));
    }
    program_free(&p);
    free(x);
    for (size_t k = 0; k < 3; k++) {
        oc_tensor_free(&in[k]);
    }
}

/* Wide: f32 for narrow types; f64 for f64. Narrow: the type itself. */
static void try_all(summed kind, bool narrow, bool flush)
{
    size_t decided = 0, exact = 0, rows = 0, seeds = flush ? 1 : 2;
    for (size_t of = 0; of <= F16; of++) {
        bool has_narrow = of == BF16 || of == F16;
        if (narrow && !has_narrow) {
            continue;
        }
        for (size_t i = 0; i < LENGTHS; i++) {
            for (uint64_t seed = 0; seed < seeds; seed++) {
                work w = {.kind = kind,
                          .of = &types[of],
                          .accumulator = narrow || of == F64 ? &types[of] : &types[F32],
                          .arith = {.narrow_accumulator = narrow, .flush = flush},
                          .n = lengths[i],
                          .dice = {.state = 1000 * of + 10 * i + seed + kind}};
                try_rows(&w);
                decided += w.decided;
                exact += w.exact;
                rows += w.rows;
            }
        }
    }
    printf("kind %d%s: %zu rows, %zu decided, %zu points\n", kind,
           narrow ? ", narrow" : "", rows, decided, exact);
    assert_true(2 * decided > rows && 20 * exact > rows);
}

#define TEST(name, kind)                                                               \
    static void name##_hold(void **state)                                              \
    {                                                                                  \
        (void)state;                                                                   \
        try_all(kind, false, false);                                                   \
    }                                                                                  \
    static void narrow_##name##_hold(void **state)                                     \
    {                                                                                  \
        (void)state;                                                                   \
        try_all(kind, true, false);                                                    \
    }                                                                                  \
    static void flushed_##name##_hold(void **state)                                    \
    {                                                                                  \
        (void)state;                                                                   \
        try_all(kind, false, true);                                                    \
    }
TEST(sums, PLAIN)
TEST(sums_of_balls, EXPONENTIALS)
TEST(sums_of_products, PRODUCTS)
TEST(products, FACTORS)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_hold),
        cmocka_unit_test(narrow_sums_hold),
        cmocka_unit_test(sums_of_balls_hold),
        cmocka_unit_test(narrow_sums_of_balls_hold),
        cmocka_unit_test(sums_of_products_hold),
        cmocka_unit_test(narrow_sums_of_products_hold),
        cmocka_unit_test(products_hold),
        cmocka_unit_test(narrow_products_hold),
        cmocka_unit_test(flushed_sums_hold),
        cmocka_unit_test(flushed_sums_of_balls_hold),
        cmocka_unit_test(flushed_sums_of_products_hold),
        cmocka_unit_test(flushed_products_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
