/* Built-in job: both verdicts from what lies in the folder, the receipt, the figure. */
#include "fit/fit.h"
#include "placement/placement.h"
#include "report/loss_figure.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TRAJECTORY = OC__FIT_MAX_STEPS * OC__FIT_RECORD_BYTES * 2 };

typedef struct judging {
    const oc__supervision *run;
    const oc__checkpoint_list *checkpoints;
    oc_launch_result *result;
    oc__launch_receipt *receipt;
    oc__fit_record *records;
    size_t count;
} judging;

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
}

/* A record behind the last step that the job has told of was begun when it ended; where
 * no checkpoint stands on it, it goes, so that file and receipt say the same. */
static oc_status cut_trajectory(const judging *j, const char *path, size_t size,
                                oc_error *err)
{
    int64_t told = j->result->last_step;
    size_t wanted = (size_t)told * OC__FIT_RECORD_BYTES;
    if (size <= wanted || j->result->checkpoint_step > told) {
        return OC_OK;
    }
    return truncate(path, (off_t)wanted) == 0
               ? OC_OK
               : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot cut '%s': %s", path,
                         strerror(errno));
}

static oc_status read_trajectory(judging *j, oc_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    oc__launch_receipt *receipt = j->receipt;
    char *path = oc__path_join(j->run->folder->path, "trajectory.bin");
    oc_status rc = path ? OC_OK : no_memory(err);
    if (rc == OC_OK && oc__is_file(path)) {
        rc = oc__file_read(path, MAX_TRAJECTORY, &bytes, &size, err);
        rc = rc == OC_OK ? cut_trajectory(j, path, size, err) : rc;
        receipt->trajectory.file = "trajectory.bin";
    }
    size_t told = (size_t)j->result->last_step;
    j->count = size / OC__FIT_RECORD_BYTES;
    j->count = j->count < told ? j->count : told;
    j->records = calloc(j->count + 1, sizeof *j->records);
    if (rc == OC_OK && !j->records) {
        rc = no_memory(err);
    }
    if (rc == OC_OK && receipt->trajectory.file) {
        bool cut = j->result->checkpoint_step <= j->result->last_step;
        size_t kept = told * OC__FIT_RECORD_BYTES;
        oc__sha256_hex(bytes, cut && size > kept ? kept : size,
                       receipt->trajectory.sha256);
        for (size_t i = 0; i < j->count; i++) {
            j->records[i] = oc__fit_read(bytes + i * OC__FIT_RECORD_BYTES);
        }
        if (j->count > 0) {
            oc__fit_state_hash(&j->records[j->count - 1], receipt->state_hash);
        }
    }
    free(bytes);
    free(path);
    return rc;
}

static oc_status judge_numeric(judging *j, oc_error *err)
{
    oc__launch_receipt *receipt = j->receipt;
    const oc__launch_config *config = &j->run->folder->config;
    oc__fit_judgement judged = {0};
    char lacks[128];
    if (j->count < (size_t)j->result->last_step) {
        snprintf(lacks, sizeof lacks, "trajectory.bin holds %zu of %lld steps",
                 j->count, (long long)j->result->last_step);
        receipt->numeric.detail = oc__launch_receipt_keep(receipt, lacks);
        return OC_OK; // UNKNOWN, as it was made
    }
    if (j->count == 0) {
        return OC_OK;
    }
    oc_status rc = oc__fit_judge(config->batch, (uint32_t)config->seed, j->records,
                                 j->count, receipt->expected, &judged, err);
    if (rc != OC_OK) {
        return rc;
    }
    receipt->numeric =
        (oc__judgement){.verdict = judged.verdict,
                        .level = judged.level,
                        .reason = judged.reason,
                        .detail = oc__launch_receipt_keep(receipt, judged.detail)};
    receipt->steps_judged = judged.steps;
    receipt->first_wrong = judged.first_wrong;
    receipt->largest_error_over_bound = judged.largest_ratio;
    receipt->reference_seconds = judged.seconds;
    for (size_t i = 0; i < OC__FIT_CONTROLS; i++) {
        const oc__fit_control *control = &judged.controls[i];
        oc__launch_receipt_add_control(receipt, control->name, "numeric",
                                       control->refuted, control->detail);
    }
    return OC_OK;
}

static void judge_placement(oc__launch_receipt *receipt)
{
    oc__placement_result result;
    char detail[sizeof result.detail];
    const oc__placement_case wanted = oc__placement_of_launch(receipt);
    oc__placement_judge(&wanted, &result);
    receipt->placement =
        (oc__judgement){.verdict = result.verdict,
                        .reason = result.reason,
                        .detail = oc__launch_receipt_keep(receipt, result.detail)};
    if (!receipt->platform) {
        return;
    }
    bool refuted = oc__placement_refutes_other(&wanted, detail, sizeof detail);
    oc__launch_receipt_add_control(receipt, "other_platform", "placement", refuted,
                                   detail);
    if (!refuted && receipt->placement.verdict == OC_PASS) {
        receipt->placement =
            (oc__judgement){.verdict = OC_UNKNOWN,
                            .reason = "control_not_refuted",
                            .detail = "a wrong platform report was not refuted"};
    }
}

static oc_status list_checkpoints(judging *j, oc_error *err)
{
    oc__launch_receipt *receipt = j->receipt;
    receipt->checkpoints =
        calloc(j->checkpoints->count + 1, sizeof *receipt->checkpoints);
    if (!receipt->checkpoints) {
        return no_memory(err);
    }
    for (size_t i = 0; i < j->checkpoints->count; i++) {
        const oc__checkpoint *from = &j->checkpoints->items[i];
        if (from->good) {
            oc__launch_checkpoint *to =
                &receipt->checkpoints[receipt->checkpoint_count++];
            to->step = from->step;
            memcpy(to->state_hash, from->state_hash, sizeof to->state_hash);
        }
    }
    return OC_OK;
}

/* The platform that a request stands for: `gpu` is whichever the job has found. */
static const char *expected_platform(const oc__launch_receipt *receipt)
{
    const char *found = receipt->platform;
    bool gpu = strcmp(receipt->requested_as, "gpu") == 0;
    return gpu && found && (strcmp(found, "cuda") == 0 || strcmp(found, "rocm") == 0)
               ? found
               : receipt->requested_as;
}

static oc_status fill_request(judging *j, oc_error *err)
{
    const oc__supervision *run = j->run;
    const oc__launch_config *config = &run->folder->config;
    const oc_launch_result *result = j->result;
    oc__launch_receipt *receipt = j->receipt;
    char now[OC__UTC_TEXT];
    oc_status rc = run->events.observed
                       ? oc__launch_observed_read(run->events.observed, receipt, err)
                       : OC_OK;
    oc__receipt_now(now);
    receipt->created = oc__launch_receipt_keep(receipt, now);
    receipt->requested_as = config->platform;
    receipt->expected = expected_platform(receipt);
    receipt->config.file = "config.json";
    receipt->program.file = "program.mlir";
    memcpy(receipt->config.sha256, config->sha256, OC__SHA256_HEX);
    memcpy(receipt->program.sha256, config->program_sha256, OC__SHA256_HEX);
    memcpy(receipt->data_sha256, config->data_sha256, OC__SHA256_HEX);
    receipt->status = result->status;
    receipt->message = *result->message ? result->message : NULL;
    receipt->steps = run->events.steps;
    receipt->attempt = run->folder->attempt;
    receipt->resumed_from = run->events.resumed_from;
    receipt->batch = config->batch;
    receipt->seed = config->seed;
    receipt->updates = run->events.updates;
    receipt->examples = run->events.examples;
    receipt->last_step = result->last_step;
    receipt->checkpoint_step = result->checkpoint_step;
    receipt->update_s = run->events.update_s;
    receipt->job_s = 1e-6 * (double)run->job_us;
    receipt->timings.total_us = run->job_us;
    return rc;
}

/* A job that failed names the boundary as the kind of its event. */
static void fill_error(judging *j)
{
    oc__launch_receipt *receipt = j->receipt;
    const oc__supervision *run = j->run;
    if (strcmp(j->result->status, "completed") == 0) {
        return;
    }
    receipt->boundary = OC_BOUNDARY_EXECUTE;
    for (oc_boundary b = OC_BOUNDARY_USAGE; b <= OC_BOUNDARY_EVIDENCE; b++) {
        if (run->events.failed && strcmp(oc_boundary_name(b), run->events.kind) == 0) {
            receipt->boundary = b;
        }
    }
    receipt->error_status = j->result->exit_status == OC_EXIT_UNAVAILABLE
                                ? OC_UNAVAILABLE
                            : run->failure.status != OC_OK ? run->failure.status
                            : run->limit                   ? OC_DEADLINE
                                                           : OC_CHILD;
    receipt->error_text = j->result->message;
}

static oc_status write_receipt(judging *j, oc_error *err)
{
    char *path = oc__path_join(j->run->folder->path, "receipt.json");
    char *text = oc__launch_receipt_text(j->receipt);
    oc_status rc = path && text ? oc__file_write_new(path, text, strlen(text), err)
                                : no_memory(err);
    free(text);
    free(path);
    return rc;
}

/* Beside the answer: without it the run is what it is. */
static void draw_figure(judging *j)
{
    oc_error err = {0};
    char title[160];
    float *losses = calloc(j->count + 1, sizeof *losses);
    char *path = oc__path_join(j->run->folder->path, "figure.svg");
    if (j->count > 0 && losses && path) {
        for (size_t i = 0; i < j->count; i++) {
            losses[i] = oc__fit_loss(&j->records[i]);
        }
        snprintf(title, sizeof title,
                 "onchip launch on %.40s: numeric %s, placement %s",
                 j->receipt->expected, oc_verdict_name(j->receipt->numeric.verdict),
                 oc_verdict_name(j->receipt->placement.verdict));
        const oc__loss_figure figure = {.losses = losses,
                                        .count = j->count,
                                        .resumed_from = j->run->events.resumed_from,
                                        .title = title};
        if (oc__loss_figure_write(&figure, path, &err) != OC_OK) {
            snprintf(j->result->note, sizeof j->result->note, "no figure: %.280s",
                     err.text);
        }
    }
    free(path);
    free(losses);
}

static void show_verdicts(judging *j)
{
    oc_launch_result *result = j->result;
    const oc__launch_receipt *receipt = j->receipt;
    result->numeric = receipt->numeric.verdict;
    result->placement = receipt->placement.verdict;
    snprintf(result->numeric_detail, sizeof result->numeric_detail, "%s",
             receipt->numeric.detail);
    snprintf(result->placement_detail, sizeof result->placement_detail, "%s",
             receipt->placement.detail);
}

oc_status oc__launch_judge(const oc__supervision *run,
                           const oc__checkpoint_list *checkpoints,
                           oc_launch_result *result, oc_error *err)
{
    judging j = {.run = run,
                 .checkpoints = checkpoints,
                 .result = result,
                 .receipt = oc__launch_receipt_new()};
    if (!j.receipt) {
        return no_memory(err);
    }
    oc_status rc = fill_request(&j, err);
    if (rc == OC_OK) {
        rc = read_trajectory(&j, err);
    }
    if (rc == OC_OK) {
        rc = judge_numeric(&j, err);
    }
    if (rc == OC_OK) {
        judge_placement(j.receipt);
        rc = list_checkpoints(&j, err);
    }
    show_verdicts(&j);
    if (rc == OC_OK) {
        fill_error(&j);
        oc__launch_receipt_add_claims(j.receipt);
        rc = write_receipt(&j, err);
    }
    if (rc == OC_OK) {
        draw_figure(&j);
    }
    free(j.records);
    oc__launch_receipt_free(j.receipt);
    return rc;
}
