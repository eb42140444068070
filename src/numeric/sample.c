#include "numeric/sample.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 16, MOST = 65536, SIDES = 8 };

/* --- random indices --- */

/* Each of 0 ... n - 1 alike: numbers of the last, incomplete round are drawn again. */
static int64_t below(uint64_t *state, int64_t n)
{
    uint64_t size = (uint64_t)n, refused = -size % size, drawn;
    do {
        drawn = oc__random_next(state);
    } while (drawn < refused);
    return (int64_t)(drawn % size);
}

/* --- grids --- */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The drawn indices of a dimension of n, and those at the ends of tiles. */
static oc_status draw_dimension(uint64_t state, int64_t n, int64_t draws,
                                oc__grid *grid, size_t d, oc_error *err)
{
    static const int64_t tiles[] = {8, 128, 256};
    int64_t count = draws;
    int64_t *indices = malloc(((size_t)draws + SIDES) * sizeof *indices);
    if (!indices) {
        return oc__no_memory(err);
    }
    for (int64_t i = 0; i < draws; i++) {
        indices[i] = below(&state, n);
    }
    indices[count++] = 0;
    indices[count++] = n - 1;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        int64_t last = (n - 1) / tiles[i] * tiles[i]; // where the last tile begins
        if (last > 0) {
            indices[count++] = last - 1;
            indices[count++] = last;
        }
    }
    qsort(indices, (size_t)count, sizeof *indices, by_number);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (kept == 0 || indices[kept - 1] != indices[i]) {
            indices[kept++] = indices[i];
        }
    }
    if (kept == n) {
        free(indices);
        return OC_OK;
    }
    grid->indices[d] = indices;
    grid->counts[d] = kept;
    return OC_OK;
}

static void free_grid(oc__grid *grid)
{
    for (size_t d = 0; d < grid->rank; d++) {
        free(grid->indices[d]);
        grid->indices[d] = NULL;
    }
}

/* Every dimension of every output has numbers of its own, whatever the others are, so
 * that more draws only add to fewer. */
static oc_status draw(oc__sample *sample, const oc_tensor *outputs, uint64_t seed,
                      int64_t draws, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < sample->output_count; i++) {
        oc__grid *grid = &sample->roots[i].grid;
        free_grid(grid);
        *grid = (oc__grid){.rank = outputs[i].rank};
        for (size_t d = 0; d < grid->rank; d++) {
            grid->counts[d] = outputs[i].dims[d];
        }
        for (size_t d = 0; d < grid->rank; d++) {
            uint64_t state = oc__random_next(&seed);
            if (rc == OC_OK && grid->counts[d] > draws) {
                rc = draw_dimension(state, grid->counts[d], draws, grid, d, err);
            }
        }
    }
    return rc;
}

static bool is_whole(const oc__sample *sample)
{
    bool whole = true;
    for (size_t i = 0; i < sample->output_count; i++) {
        const oc__grid *grid = &sample->roots[i].grid;
        for (size_t d = 0; d < grid->rank; d++) {
            whole = whole && !grid->indices[d];
        }
    }
    return whole;
}

/* What the reference computes anyway is judged too; says whether that is more. */
static bool widen(oc__sample *sample, const oc__cut *cut, const oc_tensor *outputs)
{
    bool more = false;
    for (size_t i = 0; i < sample->output_count; i++) {
        oc__grid *grid = &sample->roots[i].grid;
        for (size_t d = 0; d < grid->rank; d++) {
            if (grid->indices[d] && !cut->made[i].indices[d]) {
                free(grid->indices[d]);
                grid->indices[d] = NULL;
                grid->counts[d] = outputs[i].dims[d];
                more = true;
            }
        }
    }
    return more;
}

/* --- the sample --- */

typedef struct making {
    const oc__hlo_module *module;
    const oc_tensor *inputs, *outputs;
    size_t input_count;
    uint64_t seed;
} making;

/* The roots for so many draws, and what the cut costs. */
static oc_status try_draws(const making *m, int64_t draws, oc__sample *sample,
                           double *out_seconds, oc_error *err)
{
    oc__cut cut = {0};
    oc_status rc = draw(sample, m->outputs, m->seed, draws, err);
    for (bool more = true; rc == OC_OK && more;) {
        rc = oc__cut_make(m->module, NULL, 0, sample->roots, sample->output_count, &cut,
                          err);
        if (rc == OC_OK) {
            *out_seconds = cut.seconds;
            more = widen(sample, &cut, m->outputs);
            oc__cut_free(&cut);
        }
    }
    sample->draws = is_whole(sample) ? INT64_MAX : draws;
    return rc;
}

/* As many draws as fit. */
static oc_status choose(const making *m, double seconds, oc__sample *sample,
                        oc_error *err)
{
    double taken = 0;
    int64_t draws = FEWEST;
    oc_status rc = try_draws(m, draws, sample, &taken, err);
    while (rc == OC_OK && taken <= seconds && draws < MOST &&
           sample->draws != INT64_MAX) {
        draws *= 2;
        rc = try_draws(m, draws, sample, &taken, err);
    }
    if (rc == OC_OK && !(taken <= seconds) && draws > FEWEST) {
        rc = try_draws(m, draws / 2, sample, &taken, err);
    }
    return rc;
}

static oc_status take_outputs(const oc_tensor *outputs, oc__sample *sample,
                              oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < sample->output_count; i++) {
        rc = oc__grid_take(&sample->roots[i].grid, &outputs[i], &sample->outputs[i],
                           err);
        sample->judged += oc_tensor_count(&sample->outputs[i]);
        sample->all += oc_tensor_count(&outputs[i]);
    }
    return rc;
}

static oc_status find_roots(const oc__hlo_module *module, oc__sample *sample,
                            oc_error *err)
{
    const oc__hlo_func *main;
    oc_status rc = oc__hlo_main(module, &main, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__hlo_op *last = main->body.ops[main->body.op_count - 1];
    if (last->operand_count != sample->output_count) {
        oc__ignore(OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                           "%zu outputs of a program that has %zu",
                           sample->output_count, last->operand_count));
        return OC_INVALID_ARGUMENT; // here, so that an analyzer of one file sees it
    }
    sample->roots = calloc(sample->output_count + 1, sizeof *sample->roots);
    sample->outputs = calloc(sample->output_count + 1, sizeof *sample->outputs);
    if (!sample->roots || !sample->outputs) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; i < sample->output_count; i++) {
        sample->roots[i].value = last->operands[i];
    }
    return OC_OK;
}

oc_status oc__sample_make(const oc__hlo_module *module, const oc_tensor *inputs,
                          size_t input_count, const oc_tensor *outputs,
                          size_t output_count, uint64_t seed, int64_t draws,
                          double seconds, oc__sample *out_sample, oc_error *err)
{
    making m = {.module = module,
                .inputs = inputs,
                .outputs = outputs,
                .input_count = input_count,
                .seed = seed};
    double taken;
    oc__sample *made = out_sample;
    *made = (oc__sample){.output_count = output_count};
    oc_status rc = find_roots(module, made, err);
    if (rc == OC_OK) {
        rc = draws > 0 ? try_draws(&m, draws, made, &taken, err)
                       : choose(&m, seconds, made, err);
    }
    if (rc == OC_OK) {
        rc = oc__cut_make(module, inputs, input_count, made->roots, output_count,
                          &made->cut, err);
    }
    if (rc == OC_OK) {
        rc = take_outputs(outputs, made, err);
    }
    if (rc != OC_OK) {
        oc__sample_free(made);
    }
    return rc;
}

void oc__sample_free(oc__sample *sample)
{
    for (size_t i = 0; i < sample->output_count; i++) {
        if (sample->roots) {
            free_grid(&sample->roots[i].grid);
        }
        if (sample->outputs) {
            oc_tensor_free(&sample->outputs[i]);
        }
    }
    free(sample->roots);
    free(sample->outputs);
    oc__cut_free(&sample->cut);
    *sample = (oc__sample){0};
}

double oc__sample_miss(const oc__sample *sample, double f)
{
    if (sample->draws == INT64_MAX) {
        return 0;
    }
    return exp((double)sample->draws * log1p(-f));
}
