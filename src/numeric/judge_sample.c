/* Judging a part of the outputs that stands for the whole. */
#include "numeric/judge_explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Evaluations that a judgement may well need: the text's and one other. */
static const double evaluations = 2.0;
/* A sample is made to fit by estimate. What no estimate sees (loops, a busy machine)
 * gets so many times the budget, and this many seconds at least. */
static const double patience = 10.0, least_patience = 10.0;

const oc_tensor *oc__judgement_part(const oc__judgement_of_program *judgement,
                                    size_t index, const oc_tensor *whole,
                                    oc_tensor *part, oc_error *err)
{
    *part = (oc_tensor){0};
    if (!judgement->sampled) {
        return whole;
    }
    const oc__grid *grid = &judgement->sample.roots[index].grid;
    return oc__grid_take(grid, whole, part, err) == OC_OK ? part : NULL;
}

/* --- rows by random vectors --- */

/* The contract that an output stands under. */
static oc__arith contract_of(const oc__judge_options *options,
                             const oc__judged_output *output)
{
    const oc__judged judged = {.options = options};
    return oc__judge_arith(&judged, oc__judge_model_named(output->model));
}

static oc_status check_rows(const oc__hlo_module *module, const oc_tensor *inputs,
                            size_t input_count, const oc_tensor *outputs,
                            const oc__judge_options *options, double seconds,
                            oc__judgement_of_program *result, oc_error *err)
{
    oc__freivalds *sum = &result->rows;
    oc_status rc = OC_OK;
    sum->largest_z = (double)NAN;
    for (size_t i = 0; rc == OC_OK && i < result->output_count; i++) {
        oc__freivalds rows;
        const oc__freivalds_case wanted = {
            .module = module,
            .inputs = inputs,
            .input_count = input_count,
            .index = i,
            .got = &outputs[i],
            .arith = contract_of(options, &result->outputs[i]),
            .seed = result->seed + i,
            .seconds = seconds,
            .limits = options->limits};
        rc = oc__freivalds_check(&wanted, &rows, err);
        if (rc == OC_OK && rows.applies) {
            sum->applies = true;
            sum->rows += rows.rows;
            sum->refuted += rows.refuted;
            sum->suspect += rows.suspect;
            sum->largest_ratio = fmax(sum->largest_ratio, rows.largest_ratio);
            sum->largest_z = fmax(sum->largest_z, rows.largest_z);
        }
    }
    return rc;
}

/* --- the verdict of a sample --- */

static void take_rows(oc__judgement_of_program *result)
{
    const oc__freivalds *rows = &result->rows;
    if (rows->refuted > 0) {
        result->verdict = OC_FAIL;
        result->reason = "refuted";
        snprintf(result->detail, sizeof result->detail,
                 "%" PRIu64 " of %" PRIu64 " rows are refuted by random vectors: the "
                 "error is %.3g times its bound; no sampled element is",
                 rows->refuted, rows->rows, rows->largest_ratio);
    } else if (rows->suspect > 0) {
        result->verdict = OC_UNKNOWN;
        result->reason = "suspect";
        snprintf(result->detail, sizeof result->detail,
                 "%" PRIu64 " of %" PRIu64 " rows are suspect by random vectors: %.3g "
                 "standard deviations",
                 rows->suspect, rows->rows, rows->largest_z);
    }
    if (result->verdict != OC_PASS) {
        result->level = NULL;
    }
}

/* "; 1024 draws of 16777216 elements miss a fault in 1 % of them with a probability
 * below 3.4e-05" */
static void add_coverage(oc__judgement_of_program *result)
{
    size_t used = strlen(result->detail);
    int n = snprintf(result->detail + used, sizeof result->detail - used,
                     "; sampled: %" PRIu64 " of %" PRIu64
                     " elements, which miss a fault in 1 %% of them with a probability "
                     "below %.2g",
                     result->sample.judged, result->sample.all,
                     oc__sample_miss(&result->sample, 0.01));
    used += n > 0 && (size_t)n < sizeof result->detail - used ? (size_t)n : 0;
    if (result->rows.applies) {
        snprintf(result->detail + used, sizeof result->detail - used,
                 "; %" PRIu64 " rows by %d random vectors", result->rows.rows,
                 OC__FREIVALDS_VECTORS);
    }
}

static oc_status judge_sample(const oc__hlo_module *module, const oc_tensor *inputs,
                              size_t input_count, const oc_tensor *outputs,
                              size_t output_count, const oc__judge_options *options,
                              const oc__judge_sampling *how,
                              oc__judgement_of_program *result, oc_error *err)
{
    oc__sample sample = {0};
    oc__judge_options parts = *options;
    oc_status rc =
        oc__sample_make(module, inputs, input_count, outputs, output_count, how->seed,
                        how->draws, how->seconds / evaluations, &sample, err);
    if (rc == OC_OK && sample.draws == INT64_MAX) {
        oc__sample_free(&sample); // nothing could be left out
        return oc__judge_program(module, 1, 1, inputs, input_count, outputs,
                                 output_count, options, result, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (how->seconds > 0) {
        parts.limits.deadline_s = fmax(patience * how->seconds, least_patience);
    }
    parts.parts = sample.roots;
    parts.wholes = outputs;
    rc = oc__judge_program(sample.cut.module, 1, 1, sample.cut.inputs,
                           sample.cut.input_count, sample.outputs, output_count, &parts,
                           result, err);
    if (rc != OC_OK) {
        oc__sample_free(&sample);
        return rc;
    }
    result->sampled = true;
    result->seed = how->seed;
    result->sample = sample;
    for (size_t i = 0; i < output_count; i++) {
        size_t *worst = &result->outputs[i].ladder.worst;
        *worst = oc__grid_place(&sample.roots[i].grid, outputs[i].dims, *worst);
    }
    if (result->verdict == OC_PASS) {
        result->reason = "sampled";
    }
    if (result->verdict == OC_PASS && how->rows) {
        rc = check_rows(module, inputs, input_count, outputs, &parts, how->seconds,
                        result, err);
        take_rows(result);
    }
    if (result->evaluated) {
        add_coverage(result);
    }
    return rc;
}

static bool all_there(const oc_tensor *outputs, size_t count)
{
    bool all = count > 0;
    for (size_t i = 0; i < count; i++) {
        all = all && outputs[i].data;
    }
    return all;
}

oc_status oc__judge_sampled(const oc__hlo_module *module, size_t replicas,
                            size_t partitions, const oc_tensor *inputs,
                            size_t input_count, const oc_tensor *outputs,
                            size_t output_count, const oc__judge_options *options,
                            const oc__judge_sampling *how,
                            oc__judgement_of_program *out_judgement, oc_error *err)
{
    bool one = replicas * partitions == 1 && all_there(outputs, output_count);
    oc_error why = {0};
    oc_status rc = OC_LIMIT;
    bool full = how->mode == OC__JUDGE_FULL || !one;
    if (how->mode == OC__JUDGE_AUTO && one) {
        // Not known (a dynamic shape) is tried.
        full = !(oc__cut_cost(module) * evaluations > how->seconds);
    }
    if (full) {
        rc = oc__judge_program(module, replicas, partitions, inputs, input_count,
                               outputs, output_count, options, out_judgement, err);
        if (rc != OC_OK || how->mode == OC__JUDGE_FULL || !one ||
            out_judgement->failure != OC_DEADLINE) {
            return rc;
        }
        oc__judgement_free(out_judgement);
    }
    rc = judge_sample(module, inputs, input_count, outputs, output_count, options, how,
                      out_judgement, &why);
    if (rc != OC_OK && rc != OC_NOMEM) {
        // It cannot be cut: the whole, within its limits.
        rc = oc__judge_program(module, replicas, partitions, inputs, input_count,
                               outputs, output_count, options, out_judgement, err);
    } else if (rc == OC_NOMEM) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    return rc;
}
