/* Samples of large outputs: what they hold, and how often they miss what is wrong. The
 * peer of the frequency is the binomial distribution. */
#include "dice.h"
#include "unit.h"

#include "numeric/sample.h"
#include "stablehlo/parse.h"

#include <math.h>
#include <stdlib.h>

typedef struct scene {
    oc__hlo_module *module;
    oc_tensor input, output;
} scene;

#define NEGATE(shape)                                                                  \
    "func.func @main(%a: tensor<" shape ">) -> tensor<" shape "> {\n"                  \
    "  %0 = stablehlo.negate %a : tensor<" shape ">\n"                                 \
    "  return %0 : tensor<" shape ">\n}\n"

static oc__hlo_module *parsed(const char *text)
{
    oc_error err = {0};
    oc__hlo_module *module;
    if (oc__hlo_parse(text, strlen(text), "t.mlir", &module, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return module;
}

/* One input and one output of the same dimensions; element i of the output is i. */
static scene start(const char *text, int64_t rows, int64_t columns)
{
    oc_error err = {0};
    scene s = {.module = parsed(text)};
    const int64_t dims[] = {rows, columns};
    assert_int_equal(oc_tensor_make(OC_F32, dims, 2, &s.input, &err), OC_OK);
    assert_int_equal(oc_tensor_make(OC_F32, dims, 2, &s.output, &err), OC_OK);
    for (size_t i = 0; i < oc_tensor_count(&s.output); i++) {
        ((float *)s.output.data)[i] = (float)i;
    }
    return s;
}

static void finish(scene *s)
{
    oc_tensor_free(&s->input);
    oc_tensor_free(&s->output);
    oc__hlo_module_free(s->module);
}

static oc__sample sampled(const scene *s, uint64_t seed, int64_t draws, double seconds)
{
    oc_error err = {0};
    oc__sample sample;
    if (oc__sample_make(s->module, &s->input, 1, &s->output, 1, seed, draws, seconds,
                        &sample, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return sample;
}

static bool has_index(const oc__grid *grid, size_t d, int64_t index)
{
    bool has = !grid->indices[d];
    for (int64_t i = 0; !has && i < grid->counts[d]; i++) {
        has = grid->indices[d][i] == index;
    }
    return has;
}

static void test_corners_and_ends_of_tiles(void **state)
{
    (void)state;
    scene s = start(NEGATE("1000x2048xf32"), 1000, 2048);
    for (uint64_t seed = 0; seed < 20; seed++) {
        oc__sample sample = sampled(&s, seed, 16, 0);
        const oc__grid *grid = &sample.roots[0].grid;
        // 992 = 124 * 8, 896 = 7 * 128, 768 = 3 * 256 are the last ones in 0 ... 999;
        // 2040, 1920 and 1792 in 0 ... 2047.
        const int64_t wanted[2][8] = {{0, 999, 991, 992, 895, 896, 767, 768},
                                      {0, 2047, 2039, 2040, 1919, 1920, 1791, 1792}};
        for (size_t d = 0; d < 2; d++) {
            for (size_t k = 0; k < 8; k++) {
                assert_true(has_index(grid, d, wanted[d][k]));
            }
            assert_true(grid->counts[d] <= 16 + 8);
        }
        assert_int_equal(sample.draws, 16);
        assert_int_equal(sample.all, 1000 * 2048);
        assert_int_equal(sample.judged, grid->counts[0] * grid->counts[1]);
        // What came back from the device stands at its grid: element i is i.
        const float *taken = sample.outputs[0].data;
        for (int64_t i = 0; i < grid->counts[0]; i++) {
            for (int64_t k = 0; k < grid->counts[1]; k++) {
                float want = (float)(2048 * grid->indices[0][i] + grid->indices[1][k]);
                assert_true(taken[i * grid->counts[1] + k] == want);
            }
        }
        oc__sample_free(&sample);
    }
    finish(&s);
}

static bool same_grid(const oc__grid *a, const oc__grid *b)
{
    bool same = a->rank == b->rank;
    for (size_t d = 0; same && d < a->rank; d++) {
        same = a->counts[d] == b->counts[d] && a->indices[d] && b->indices[d] &&
               memcmp(a->indices[d], b->indices[d],
                      (size_t)a->counts[d] * sizeof(int64_t)) == 0;
    }
    return same;
}

static void test_a_seed_is_one_sample(void **state)
{
    (void)state;
    scene s = start(NEGATE("1000x2048xf32"), 1000, 2048);
    oc__sample one = sampled(&s, 7, 32, 0), again = sampled(&s, 7, 32, 0);
    oc__sample other = sampled(&s, 8, 32, 0), fewer = sampled(&s, 7, 16, 0);
    assert_true(same_grid(&one.roots[0].grid, &again.roots[0].grid));
    assert_false(same_grid(&one.roots[0].grid, &other.roots[0].grid));
    for (int64_t i = 0; i < fewer.roots[0].grid.counts[1]; i++) {
        assert_true(
            has_index(&one.roots[0].grid, 1, fewer.roots[0].grid.indices[1][i]));
    }
    oc__sample_free(&one);
    oc__sample_free(&again);
    oc__sample_free(&other);
    oc__sample_free(&fewer);
    finish(&s);
}

/* More time, more draws; what the reference makes whole is judged whole. */
static void test_time_decides(void **state)
{
    (void)state;
    scene s = start(NEGATE("1000x2048xf32"), 1000, 2048);
    oc__sample none = sampled(&s, 1, 0, 0);
    assert_int_equal(none.draws, 16);
    double seconds = 3 * none.cut.seconds;
    oc__sample some = sampled(&s, 1, 0, seconds);
    assert_true(some.draws > 16 && some.draws < INT64_MAX &&
                some.cut.seconds <= seconds);
    oc__sample more = sampled(&s, 1, 2 * some.draws, 0);
    assert_true(more.cut.seconds > seconds);
    oc__sample all = sampled(&s, 1, 0, 1000);
    assert_int_equal(all.draws, INT64_MAX);
    assert_int_equal(all.judged, all.all);
    assert_true(oc__sample_miss(&all, 0.01) == 0);
    // 0.99^16
    assert_true(fabs(oc__sample_miss(&none, 0.01) - 0.851457771094) < 1e-12);
    oc__sample_free(&none);
    oc__sample_free(&some);
    oc__sample_free(&more);
    oc__sample_free(&all);
    finish(&s);
    // Sorted along the second dimension: it is made whole.
    s = start("func.func @main(%a: tensor<1000x300xf32>) -> tensor<1000x300xf32> {\n"
              "  %0 = \"stablehlo.sort\"(%a) ({ ^bb0(%x: tensor<f32>, %y: "
              "tensor<f32>):\n"
              "    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> "
              "tensor<i1>\n"
              "    stablehlo.return %c : tensor<i1> }) {dimension = 1 : i64} : "
              "(tensor<1000x300xf32>) -> tensor<1000x300xf32>\n"
              "  return %0 : tensor<1000x300xf32>\n}\n",
              1000, 300);
    oc__sample sorted = sampled(&s, 1, 16, 0);
    assert_non_null(sorted.roots[0].grid.indices[0]);
    assert_null(sorted.roots[0].grid.indices[1]);
    assert_int_equal(sorted.outputs[0].dims[1], 300);
    oc__sample_free(&sorted);
    finish(&s);
}

/* --- what is missed ------------------------------------------------------------ */

enum { SEEDS = 2000, DRAWS = 64, ROWS = 200, COLUMNS = 500 };

typedef enum lie { IN_ROWS, IN_COLUMNS, SCATTERED } lie;

/* 1 % of the elements are -1. */
static void plant(oc_tensor *output, lie how, dice *d)
{
    float *x = output->data;
    memset(x, 0, output->size_bytes);
    for (size_t k = 0; k < ROWS * COLUMNS / 100;) {
        size_t row = how == IN_ROWS ? 3 + 100 * (k / COLUMNS) : dice_below(d, ROWS);
        size_t column = how == IN_ROWS      ? k % COLUMNS
                        : how == IN_COLUMNS ? 7 + 97 * (k / ROWS)
                                            : dice_below(d, COLUMNS);
        row = how == IN_COLUMNS ? k % ROWS : row;
        k += x[row * COLUMNS + column] == 0;
        x[row * COLUMNS + column] = -1;
    }
}

static bool is_seen(const oc__sample *sample)
{
    const float *x = sample->outputs[0].data;
    for (size_t i = 0; i < sample->judged; i++) {
        if (x[i] < 0) {
            return true;
        }
    }
    return false;
}

static void test_faults_are_missed_no_more_than_said(void **state)
{
    (void)state;
    scene s = start(NEGATE("200x500xf32"), ROWS, COLUMNS);
    dice d = {.state = 11};
    for (lie how = IN_ROWS; how <= SCATTERED; how++) {
        double said = 0;
        size_t missed = 0;
        plant(&s.output, how, &d);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            oc__sample sample = sampled(&s, seed * 0x9e3779b97f4a7c15U, DRAWS, 0);
            assert_int_equal(sample.draws, DRAWS);
            said = oc__sample_miss(&sample, 0.01);
            missed += !is_seen(&sample);
            oc__sample_free(&sample);
        }
        double deviation = sqrt(SEEDS * said * (1 - said));
        print_message("lie %d: missed %zu times, %.0f said\n", how, missed,
                      SEEDS * said);
        assert_true((double)missed <= SEEDS * said + 5 * deviation);
        // Rows and columns are found by one dimension alone: 2 of 200, 5 of 500, and
        // 64 draws each, none of them at a corner. So the bound is no wild guess.
        if (how != SCATTERED) {
            assert_true((double)missed >= SEEDS * said - 5 * deviation);
        }
    }
    finish(&s);
}

static void test_outputs_must_be_those_of_main(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__sample sample;
    scene s = start(NEGATE("200x500xf32"), ROWS, COLUMNS);
    assert_int_equal(
        oc__sample_make(s.module, &s.input, 1, NULL, 0, 1, 16, 0, &sample, &err),
        OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "0 outputs");
    finish(&s);
}

static void test_cost_counts_the_work(void **state)
{
    (void)state;
    // A dot of twice the rows costs about twice as much; nothing costs nothing.
    const char *texts[] = {
        "func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> "
        "tensor<512x512xf32> {\n  %0 = stablehlo.dot %a, %b : (tensor<512x512xf32>, "
        "tensor<512x512xf32>) -> tensor<512x512xf32>\n  return %0 : "
        "tensor<512x512xf32>\n}\n",
        "func.func @main(%a: tensor<1024x512xf32>, %b: tensor<512x512xf32>) -> "
        "tensor<1024x512xf32> {\n  %0 = stablehlo.dot %a, %b : (tensor<1024x512xf32>, "
        "tensor<512x512xf32>) -> tensor<1024x512xf32>\n  return %0 : "
        "tensor<1024x512xf32>\n}\n",
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : "
        "tensor<4xf32>\n}\n",
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = stablehlo.abs "
        "%a "
        ": tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n"};
    double cost[4];
    for (size_t i = 0; i < 4; i++) {
        oc__hlo_module *module = parsed(texts[i]);
        cost[i] = oc__cut_cost(module);
        oc__hlo_module_free(module);
    }
    assert_true(cost[0] > 1e-4 && cost[0] < 1);
    assert_true(cost[1] > 1.5 * cost[0] && cost[1] < 2.1 * cost[0]);
    assert_true(cost[2] < 1e-6);
    assert_true(isnan(cost[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners_and_ends_of_tiles),
        cmocka_unit_test(test_a_seed_is_one_sample),
        cmocka_unit_test(test_time_decides),
        cmocka_unit_test(test_faults_are_missed_no_more_than_said),
        cmocka_unit_test(test_outputs_must_be_those_of_main),
        cmocka_unit_test(test_cost_counts_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
