#include "run/program_run.h"

#include "base/clock.h"
#include "placement/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* What the reference may take when nobody says. */
static const double default_seconds = 10.0;

/* Element type and shape that the program declares, as far as it does. */
static bool keeps_contract(const oc__hlo_type *type, const oc_tensor *tensor)
{
    bool same = tensor->dtype == type->dtype && tensor->rank == type->rank;
    for (size_t i = 0; same && i < tensor->rank; i++) {
        same = type->dims[i] == OC__HLO_DYNAMIC || type->dims[i] == tensor->dims[i];
    }
    return same;
}

/* True when every output that was reached is of its declared type. */
static bool check_contracts(oc__program_run *run)
{
    for (size_t i = 0; i < run->output_count; i++) {
        const oc__hlo_func *main = run->program.main;
        const oc__hlo_type *type = main->result_types[i % main->result_count];
        if (!run->outputs[i].data || keeps_contract(type, &run->outputs[i])) {
            continue;
        }
        char detail[256];
        char *shown = oc__program_tensor_text(&run->outputs[i]);
        snprintf(detail, sizeof detail, "output %zu came back as %.90s, declared %.90s",
                 i, shown ? shown : "another type", type->text);
        free(shown);
        run->receipt->numeric =
            (oc__judgement){.verdict = OC_FAIL,
                            .reason = "contract_changed",
                            .detail = oc__run_receipt_keep(run->receipt, detail)};
        return false;
    }
    return true;
}

static size_t name_deviations(unsigned set, const char *out[OC__RUN_DEVIATIONS])
{
    size_t count = 0;
    for (size_t i = 0; i < OC__DEVIATIONS; i++) {
        if (set >> i & 1) {
            out[count++] = oc__deviation_name(i);
        }
    }
    return count;
}

static void record_ladder(const oc__judged_output *from, oc__run_judged *to)
{
    const oc__ladder *ladder = &from->ladder;
    const uint64_t *counts = ladder->counts;
    *to = (oc__run_judged){
        .exact = (int64_t)counts[OC__CONSISTENT_EXACT],
        .hard = (int64_t)counts[OC__CONSISTENT_HARD],
        .profile = (int64_t)counts[OC__CONSISTENT_PROFILE],
        .loose = (int64_t)counts[OC__LOOSE],
        .suspect = (int64_t)counts[OC__SUSPECT],
        .undecided = (int64_t)counts[OC__UNDECIDED],
        .not_judged = (int64_t)counts[OC__NOT_JUDGED],
        .refuted = (int64_t)counts[OC__REFUTED],
        .model = from->model,
        .explained = (int64_t)from->explained,
        .largest_ratio = ladder->max_ratio,
        .rms_z = ladder->rms_z,
        .bias_z = ladder->bias_z,
        .largest_z = ladder->max_z,
        .worst = (int64_t)ladder->worst,
        .worst_got = ladder->worst_got,
        .worst_want = ladder->worst_want,
        .worst_radius = ladder->worst_radius,
    };
    name_deviations(from->deviations, to->deviations);
}

static oc_status record_notes(oc__program_run *run, oc_error *err)
{
    const oc__evaluation *evaluation = &run->judgement.evaluation;
    oc__run_receipt *receipt = run->receipt;
    receipt->notes = calloc(evaluation->note_count + 1, sizeof *receipt->notes);
    if (!receipt->notes) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    receipt->note_count = evaluation->note_count;
    for (size_t i = 0; i < evaluation->note_count; i++) {
        const oc__eval_note *note = &evaluation->notes[i];
        receipt->notes[i] =
            (oc__run_note){.rule = oc__run_receipt_keep(receipt, note->rule),
                           .op = oc__run_receipt_keep(receipt, note->op),
                           .line = (int64_t)note->line,
                           .elements = (int64_t)note->elements};
    }
    return OC_OK;
}

static void record_sample(const oc__judgement_of_program *judged, oc__run_sample *to)
{
    *to = (oc__run_sample){.seed = (int64_t)judged->seed,
                           .draws = judged->sample.draws,
                           .judged = (int64_t)judged->sample.judged,
                           .elements = (int64_t)judged->sample.all,
                           .misses_percent = oc__sample_miss(&judged->sample, 0.01),
                           .misses_permille = oc__sample_miss(&judged->sample, 0.001),
                           .rows = (int64_t)judged->rows.rows,
                           .rows_refuted = (int64_t)judged->rows.refuted,
                           .rows_suspect = (int64_t)judged->rows.suspect};
}

static oc_status record_judgement(oc__program_run *run, oc_error *err)
{
    const oc__judgement_of_program *judged = &run->judgement;
    oc__run_receipt *receipt = run->receipt;
    receipt->numeric =
        (oc__judgement){.verdict = judged->verdict,
                        .level = judged->level,
                        .reason = judged->reason,
                        .detail = oc__run_receipt_keep(receipt, judged->detail)};
    receipt->reference_seconds = judged->seconds;
    name_deviations(judged->deviations, receipt->deviations);
    for (size_t i = 0; i < run->output_count && judged->evaluated; i++) {
        record_ladder(&judged->outputs[i], &receipt->outputs[i].judged);
    }
    for (size_t i = 0; i < judged->control_count; i++) {
        oc__run_receipt_add_control(receipt, judged->controls[i].name, "numeric",
                                    judged->controls[i].refuted,
                                    judged->controls[i].detail);
    }
    if (judged->sampled) {
        record_sample(judged, &receipt->sample);
    }
    return record_notes(run, err);
}

static bool all_reached(const oc__program_run *run)
{
    for (size_t i = 0; i < run->output_count; i++) {
        if (!run->outputs[i].data) {
            return false;
        }
    }
    return run->output_count > 0;
}

static oc__judge_mode mode_of(oc_run_reference reference)
{
    switch (reference) {
    case OC_RUN_AUTO: return OC__JUDGE_AUTO;
    case OC_RUN_SAMPLE: return OC__JUDGE_SAMPLE;
    default: return OC__JUDGE_FULL;
    }
}

/* A number that JSON readers keep whole, which nobody knew before the outputs came. */
static uint64_t draw_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)oc__now_us();
    }
    return seed >> 11;
}

static oc_status judge_numeric(oc__program_run *run, oc_error *err)
{
    const oc_run_options *options = run->options;
    oc__run_receipt *receipt = run->receipt;
    if (!all_reached(run) || !check_contracts(run)) {
        return OC_OK;
    }
    if (options->reference == OC_RUN_NONE) {
        receipt->numeric = (oc__judgement){.verdict = OC_UNKNOWN,
                                           .reason = "not_asked",
                                           .detail = "no reference was asked for"};
        return oc__program_expect_judge(run, err);
    }
    bool full = options->reference == OC_RUN_FULL;
    double seconds = (double)options->budget_ms / 1000.0;
    const oc__judge_options wanted = {
        .platform = receipt->expected,
        .allowed = run->allowed,
        .limits = {.deadline_s = full || seconds > 0 ? seconds : default_seconds}};
    const oc__judge_sampling how = {.mode = mode_of(options->reference),
                                    .seconds = wanted.limits.deadline_s,
                                    .seed = full ? 0 : draw_seed(),
                                    .rows = true};
    oc_status rc = oc__judge_sampled(
        run->program.module, run->program.replicas, run->program.partitions,
        run->program.tensors, run->program.input_count, run->outputs, run->output_count,
        &wanted, &how, &run->judgement, err);
    if (rc == OC_OK) {
        rc = record_judgement(run, err);
    }
    return rc == OC_OK ? oc__program_expect_judge(run, err) : rc;
}

static oc_status judge_placement(oc__program_run *run, oc_error *err)
{
    oc__run_receipt *receipt = run->receipt;
    oc__placement_result result;
    char detail[sizeof result.detail];
    const char **names = NULL;
    if (run->output_count == 0) {
        return OC_OK; // without an output there is no owner to ask
    }
    const oc__placement_case wanted = oc__placement_of_run(receipt, &names);
    if (!names) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLACEMENT, "out of memory");
    }
    oc__placement_judge(&wanted, &result);
    receipt->placement =
        (oc__judgement){.verdict = result.verdict,
                        .reason = result.reason,
                        .detail = oc__run_receipt_keep(receipt, result.detail)};
    if (receipt->platform) {
        bool refuted = oc__placement_refutes_other(&wanted, detail, sizeof detail);
        oc__run_receipt_add_control(receipt, "other_platform", "placement", refuted,
                                    detail);
        if (!refuted && receipt->placement.verdict == OC_PASS) {
            receipt->placement =
                (oc__judgement){.verdict = OC_UNKNOWN,
                                .reason = "control_not_refuted",
                                .detail = "a wrong platform report was not refuted"};
        }
    }
    free(names);
    return OC_OK;
}

oc_status oc__program_judge(oc__program_run *run, oc_error *err)
{
    run->receipt->trivial = run->program.main->body.argument_count == 0;
    oc_status rc = judge_numeric(run, err);
    if (rc == OC_OK) {
        rc = judge_placement(run, err);
    }
    oc__run_receipt_add_claims(run->receipt);
    return rc;
}
