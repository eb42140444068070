#include "numeric/judge.h"

#include "base/clock.h"
#include "numeric/judge_explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

oc_status oc__judge_evaluate(const oc__judged *judged, const oc__arith *arith,
                             oc__evaluation *out_evaluation, oc_error *err)
{
    return oc__evaluate(judged->module, judged->replicas, judged->partitions,
                        judged->inputs, judged->input_count, arith,
                        &judged->options->limits, out_evaluation, err);
}

void oc__judgement_free(oc__judgement_of_program *judgement)
{
    if (!judgement) {
        return;
    }
    for (size_t i = 0; judgement->outputs && i < judgement->output_count; i++) {
        oc__ladder_free(&judgement->outputs[i].ladder);
    }
    free(judgement->outputs);
    oc__evaluation_free(&judgement->evaluation);
    oc__sample_free(&judgement->sample); // whose arena the notes point into
    *judgement = (oc__judgement_of_program){0};
}

static void answer(oc__judgement_of_program *result, oc_verdict verdict,
                   const char *reason)
{
    result->verdict = verdict;
    result->reason = reason;
}

/* Everything counted over all outputs. */
typedef struct totals {
    uint64_t counts[OC__OUTCOMES];
    uint64_t elements, explained;
    size_t first; /* the first output with a refuted element */
    size_t missing;
} totals;

static totals add_up(const oc__judged *judged)
{
    totals sum = {0};
    oc__judgement_of_program *result = judged->result;
    for (size_t i = result->output_count; i-- > 0;) {
        const oc__judged_output *output = &result->outputs[i];
        sum.missing += judged->outputs[i].data == NULL;
        for (size_t k = 0; k < OC__OUTCOMES; k++) {
            sum.counts[k] += output->ladder.counts[k];
            sum.elements += output->ladder.counts[k];
        }
        sum.explained += output->ladder.counts[OC__REFUTED] ? output->explained : 0;
        if (output->ladder.counts[OC__REFUTED]) {
            sum.first = i;
        }
        result->deviations |= output->deviations;
    }
    return sum;
}

/* "flush-to-zero, reciprocal-division" */
static void name_set(unsigned set, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < OC__DEVIATIONS; i++) {
        if (set >> i & 1) {
            int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                             oc__deviation_name(i));
            used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
        }
    }
}

/* The number of an element in the whole output. */
static size_t place_of(const oc__judged *judged, size_t output, size_t element)
{
    const oc__judge_options *options = judged->options;
    return options->parts ? oc__grid_place(&options->parts[output].grid,
                                           options->wholes[output].dims, element)
                          : element;
}

static void describe_refuted(const oc__judged *judged, const totals *sum)
{
    oc__judgement_of_program *result = judged->result;
    const oc__judged_output *output = &result->outputs[sum->first];
    const oc__ladder *ladder = &output->ladder;
    char names[160], how[200] = "", radius[32] = "";
    name_set(output->deviations, names, sizeof names);
    if (output->explained > 0) {
        snprintf(how, sizeof how, "; deviates: %s (%" PRIu64 " of %" PRIu64 ")", names,
                 output->explained, ladder->counts[OC__REFUTED]);
    }
    if (ladder->worst_radius > 0.0) {
        snprintf(radius, sizeof radius, " +- %.3g", ladder->worst_radius);
    }
    snprintf(result->detail, sizeof result->detail,
             "%" PRIu64 " of %" PRIu64 " elements are refuted; output %zu, element %zu "
             "is %.9g, must be %.9g%s%s",
             sum->counts[OC__REFUTED], sum->elements, sum->first,
             place_of(judged, sum->first, ladder->worst), ladder->worst_got,
             ladder->worst_want, radius, how);
}

/* UNKNOWN with the first of these that occurs. */
static bool describe_unknown(oc__judgement_of_program *result, const totals *sum)
{
    static const struct {
        oc__outcome outcome;
        const char *reason;
    } order[] = {{OC__NOT_JUDGED, "not_judged"},
                 {OC__UNDECIDED, "undecided"},
                 {OC__SUSPECT, "suspect"},
                 {OC__LOOSE, "loose"}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t count = sum->counts[order[i].outcome];
        if (count > 0) {
            answer(result, OC_UNKNOWN, order[i].reason);
            const char *rule =
                result->evaluation.note_count ? result->evaluation.notes[0].rule : NULL;
            snprintf(result->detail, sizeof result->detail,
                     "%" PRIu64 " of %" PRIu64 " elements are %s%s%s%s", count,
                     sum->elements, oc__outcome_name(order[i].outcome),
                     rule && i < 2 ? " (" : "", rule && i < 2 ? rule : "",
                     rule && i < 2 ? ")" : "");
            return true;
        }
    }
    return false;
}

static bool controls_refuted(const oc__judgement_of_program *result)
{
    for (size_t i = 0; i < result->control_count; i++) {
        if (!result->controls[i].refuted) {
            return false;
        }
    }
    return result->control_count > 0;
}

static const char *first_model(const oc__judgement_of_program *result)
{
    for (size_t i = 0; i < result->output_count; i++) {
        if (result->outputs[i].model) {
            return result->outputs[i].model;
        }
    }
    return NULL;
}

/* ": 4 exact, 8 inside their bounds; with bf16 operands" */
static void describe_levels(char *out, size_t size, const uint64_t *counts,
                            const char *model)
{
    static const struct {
        oc__outcome outcome;
        const char *words;
    } levels[] = {{OC__CONSISTENT_EXACT, "exact"},
                  {OC__CONSISTENT_HARD, "inside their bounds"},
                  {OC__CONSISTENT_PROFILE, "by an allowed deviation"}};
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (counts[levels[i].outcome] > 0) {
            int n = snprintf(out + used, size - used, "%s%" PRIu64 " %s",
                             used ? ", " : ": ", counts[levels[i].outcome],
                             levels[i].words);
            used += (size_t)n < size - used ? (size_t)n : 0;
        }
    }
    if (model) {
        snprintf(out + used, size - used, "; with %s", model);
    }
}

static void decide(const oc__judged *judged)
{
    oc__judgement_of_program *result = judged->result;
    totals sum = add_up(judged);
    if (sum.counts[OC__REFUTED] > 0) {
        answer(result, OC_FAIL,
               sum.explained == sum.counts[OC__REFUTED] ? "deviates" : "refuted");
        describe_refuted(judged, &sum);
        return;
    }
    if (sum.missing > 0) {
        answer(result, OC_UNKNOWN, "not_reached");
        snprintf(result->detail, sizeof result->detail,
                 "%zu of %zu outputs are missing", sum.missing, result->output_count);
        return;
    }
    if (describe_unknown(result, &sum)) {
        return;
    }
    // Without an element there is nothing that a wrong copy could change.
    if (sum.elements > 0 && !controls_refuted(result)) {
        answer(result, OC_UNKNOWN, "control_not_refuted");
        snprintf(result->detail, sizeof result->detail,
                 "a wrong copy of the outputs was not refuted, so nothing is shown");
        return;
    }
    bool profile = sum.counts[OC__CONSISTENT_PROFILE] > 0;
    bool hard = sum.counts[OC__CONSISTENT_HARD] > 0;
    answer(result, OC_PASS, profile ? "profile" : "consistent");
    result->level = profile ? "profile" : hard ? "hard" : "exact";
    int used = snprintf(result->detail, sizeof result->detail,
                        "all %" PRIu64 " elements of %zu output%s are consistent",
                        sum.elements, result->output_count,
                        result->output_count == 1 ? "" : "s");
    describe_levels(result->detail + used, sizeof result->detail - (size_t)used,
                    sum.counts, first_model(result));
}

static oc_status judge_outputs(oc__judged *judged, oc_error *err)
{
    oc__judgement_of_program *result = judged->result;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < result->output_count && rc == OC_OK; i++) {
        if (judged->outputs[i].data) {
            rc = oc__ladder_judge(&judged->outputs[i], result->evaluation.outputs[i],
                                  &result->outputs[i].ladder, err);
        }
    }
    if (rc == OC_OK) {
        rc = oc__judge_models(judged, err);
    }
    if (rc == OC_OK) {
        rc = oc__judge_tables(judged, err);
    }
    if (rc == OC_OK) {
        rc = oc__judge_deviations(judged, err);
    }
    if (rc == OC_OK) {
        oc__judge_controls(judged);
    }
    return rc;
}

/* Whether the outputs are of the types and shapes that the reference computed; FAIL
 * when they are not, since no element can be held against another. */
static bool keep_contract(const oc__judged *judged)
{
    oc__judgement_of_program *result = judged->result;
    for (size_t i = 0; i < result->output_count; i++) {
        const oc_tensor *got = &judged->outputs[i];
        const oc__value *want = result->evaluation.outputs[i];
        bool same = got->dtype == want->dtype && got->rank == want->rank;
        for (size_t k = 0; same && k < got->rank; k++) {
            same = got->dims[k] == want->dims[k];
        }
        if (got->data && !same) {
            answer(result, OC_FAIL, "contract_changed");
            snprintf(result->detail, sizeof result->detail,
                     "output %zu has not the type and shape that the program computes",
                     i);
            return false;
        }
    }
    return true;
}

oc_status oc__judge_program(const oc__hlo_module *module, size_t replicas,
                            size_t partitions, const oc_tensor *inputs,
                            size_t input_count, const oc_tensor *outputs,
                            size_t output_count, const oc__judge_options *options,
                            oc__judgement_of_program *out_judgement, oc_error *err)
{
    *out_judgement = (oc__judgement_of_program){.output_count = output_count};
    oc__judged judged = {.module = module,
                         .replicas = replicas,
                         .partitions = partitions,
                         .inputs = inputs,
                         .input_count = input_count,
                         .outputs = outputs,
                         .options = options,
                         .result = out_judgement};
    const oc__arith text = {.platform = options->platform, .sigma = true};
    double start = oc__now_s();
    oc_error failure = {0};
    out_judgement->outputs = calloc(output_count + 1, sizeof *out_judgement->outputs);
    oc_status rc =
        out_judgement->outputs
            ? oc__judge_evaluate(&judged, &text, &out_judgement->evaluation, &failure)
            : OC_NOMEM;
    out_judgement->failure = rc;
    if (rc == OC_OK && keep_contract(&judged)) {
        out_judgement->evaluated = true;
        rc = judge_outputs(&judged, err);
        if (rc == OC_OK) {
            decide(&judged);
        }
    } else if (rc != OC_OK && rc != OC_NOMEM) {
        answer(out_judgement, OC_UNKNOWN, "unevaluated");
        snprintf(out_judgement->detail, sizeof out_judgement->detail,
                 "the reference cannot evaluate the program: %.400s", failure.text);
        rc = OC_OK;
    } else if (rc == OC_NOMEM) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    out_judgement->seconds = oc__now_s() - start;
    if (rc != OC_OK) {
        oc__judgement_free(out_judgement);
    }
    return rc;
}
