/* Decides a receipt of kind `run` again: program, inputs and outputs are the files
 * beside it, held against its hashes and judged anew by the code of the run. */
#include "base/file.h"
#include "numeric/judge.h"
#include "placement/placement.h"
#include "program/program.h"
#include "receipt/run_receipt.h"
#include "tensor/npy.h"
#include "verify/receipt_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t max_array_bytes = (size_t)1 << 36;

typedef struct evidence {
    oc__verifier *verifier;
    const oc__run_receipt *receipt;
    char *folder;
    oc__program program;
    oc_tensor *outputs;
    oc__judgement_of_program judgement;
    bool complete; /* every file is there and is the one that was hashed */
} evidence;

static bool unread(evidence *e, const char *member, const char *what, oc_status rc,
                   const oc_error *why)
{
    e->complete = false;
    return oc__verify_unread(e->verifier, member, what, rc, why);
}

static bool same_array(const oc__run_array *recorded, const oc_tensor *tensor)
{
    char hash[OC__SHA256_HEX];
    oc__sha256_hex(tensor->data, tensor->size_bytes, hash);
    return strcmp(hash, recorded->sha256) == 0 && recorded->rank == tensor->rank &&
           memcmp(recorded->dims, tensor->dims, tensor->rank * sizeof *tensor->dims) ==
               0 &&
           oc__verify_same(recorded->dtype, oc_dtype_name(tensor->dtype));
}

static bool hash_differs(evidence *e, const char *list, size_t index)
{
    char member[64];
    snprintf(member, sizeof member, "%s[%zu].sha256", list, index);
    return oc__verify_fail(e->verifier, "hash_differs", member,
                           "the file of %s[%zu] is not the one that was recorded", list,
                           index);
}

static bool check_program(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    oc_error why = {0};
    char *path =
        receipt->program_file ? oc__path_join(e->folder, receipt->program_file) : NULL;
    oc_status rc = path ? oc__program_open(path, &e->program, &why) : OC_NOT_FOUND;
    free(path);
    if (rc != OC_OK) {
        return unread(e, "program.file", "the program", rc, &why);
    }
    return strcmp(e->program.sha256, receipt->program_sha256) == 0 ||
           oc__verify_fail(e->verifier, "hash_differs", "program.sha256",
                           "program.mlir is not the program that was recorded");
}

static bool check_inputs(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    oc_error why = {0};
    if (!e->complete) {
        return true;
    }
    char **paths = calloc(receipt->input_count + 1, sizeof(char *));
    bool named = paths != NULL;
    for (size_t i = 0; named && i < receipt->input_count; i++) {
        const char *file = receipt->inputs[i].array.file;
        paths[i] = file ? oc__path_join(e->folder, file) : NULL;
        named = paths[i] != NULL;
    }
    const oc_program_request request = {.inputs = (const char *const *)paths,
                                        .input_count = receipt->input_count,
                                        .replicas = (size_t)receipt->replicas,
                                        .partitions = (size_t)receipt->partitions};
    oc_status rc =
        named ? oc__program_inputs(&e->program, &request, &why) : OC_NOT_FOUND;
    for (size_t i = 0; paths && i < receipt->input_count; i++) {
        free(paths[i]);
    }
    free(paths);
    if (rc != OC_OK) {
        return unread(e, "inputs", "an input", rc, &why);
    }
    for (size_t i = 0; i < receipt->input_count; i++) {
        if (!same_array(&receipt->inputs[i].array, &e->program.tensors[i])) {
            return hash_differs(e, "inputs", i);
        }
    }
    return true;
}

static bool check_outputs(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    size_t per_process = e->complete ? e->program.main->result_count : 0;
    size_t processes = e->program.replicas * e->program.partitions;
    if (!e->complete) {
        return true;
    }
    if (receipt->output_count != per_process * processes) {
        return oc__verify_fail(e->verifier, "outputs_differ", "outputs",
                               "%zu outputs are recorded, the program has %zu",
                               receipt->output_count, per_process * processes);
    }
    e->outputs = calloc(receipt->output_count + 1, sizeof *e->outputs);
    for (size_t i = 0; e->outputs && i < receipt->output_count; i++) {
        oc_error why = {0};
        bool assumed;
        const char *file = receipt->outputs[i].array.file;
        char *path = file ? oc__path_join(e->folder, file) : NULL;
        oc_dtype dtype = e->program.main->result_types[i % per_process]->dtype;
        oc_status rc = path ? oc__npy_read(path, dtype, max_array_bytes, &e->outputs[i],
                                           &assumed, &why)
                            : OC_NOT_FOUND;
        free(path);
        if (rc != OC_OK) {
            return unread(e, "outputs", "an output", rc, &why);
        }
        if (!same_array(&receipt->outputs[i].array, &e->outputs[i])) {
            return hash_differs(e, "outputs", i);
        }
    }
    e->complete = e->outputs != NULL;
    return true;
}

static unsigned set_of(const char *const names[OC__RUN_DEVIATIONS])
{
    unsigned set = 0;
    for (size_t i = 0; i < OC__RUN_DEVIATIONS && names[i]; i++) {
        set |= oc__deviation_bit(names[i]);
    }
    return set;
}

/* pow may differ in its last digits between machines. */
static bool same_figure(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static bool same_sample(const oc__run_sample *recorded,
                        const oc__judgement_of_program *judged)
{
    const oc__sample *sample = &judged->sample;
    if (!judged->sampled) {
        return recorded->draws == 0;
    }
    return recorded->draws == sample->draws &&
           recorded->judged == (int64_t)sample->judged &&
           recorded->elements == (int64_t)sample->all &&
           recorded->rows == (int64_t)judged->rows.rows &&
           recorded->rows_refuted == (int64_t)judged->rows.refuted &&
           recorded->rows_suspect == (int64_t)judged->rows.suspect &&
           same_figure(recorded->misses_percent, oc__sample_miss(sample, 0.01)) &&
           same_figure(recorded->misses_permille, oc__sample_miss(sample, 0.001));
}

static bool check_numeric(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    const oc__judge_options options = {.platform = receipt->expected,
                                       .allowed = set_of(receipt->allowed)};
    oc_error err = {0};
    if (!e->complete) {
        return true;
    }
    const oc__judge_sampling how = {.mode = receipt->sample.draws > 0 ? OC__JUDGE_SAMPLE
                                                                      : OC__JUDGE_FULL,
                                    .seed = (uint64_t)receipt->sample.seed,
                                    .draws = receipt->sample.draws,
                                    .rows = receipt->sample.rows > 0};
    if (oc__judge_sampled(e->program.module, e->program.replicas, e->program.partitions,
                          e->program.tensors, e->program.input_count, e->outputs,
                          receipt->output_count, &options, &how, &e->judgement,
                          &err) != OC_OK) {
        return oc__verify_unknown(e->verifier, "no_memory", "numeric", "%s", err.text);
    }
    const oc__judgement_of_program *judged = &e->judgement;
    if (judged->verdict == OC_FAIL) {
        return oc__verify_fail(e->verifier, judged->reason, "numeric", "%s",
                               judged->detail);
    }
    if (judged->verdict == OC_UNKNOWN) {
        oc__verify_unknown(e->verifier, judged->reason, "numeric", "%s",
                           judged->detail);
    }
    if (judged->verdict == OC_PASS && receipt->numeric.verdict == OC_UNKNOWN) {
        return oc__verify_unknown(e->verifier, receipt->numeric.reason, "numeric",
                                  "the run did not decide: %.400s",
                                  receipt->numeric.detail);
    }
    if (!same_sample(&receipt->sample, judged)) {
        return oc__verify_fail(e->verifier, "verdict_differs", "numeric.sample",
                               "the sample is not the one that its seed draws");
    }
    if (set_of(receipt->deviations) != judged->deviations) {
        return oc__verify_fail(e->verifier, "verdict_differs", "numeric.deviations",
                               "the deviations are not those that the outputs show");
    }
    return oc__verify_level(e->verifier, receipt->numeric.level, judged->level) &&
           oc__verify_recorded(e->verifier, "numeric", &receipt->numeric,
                               judged->verdict, judged->reason);
}

/* Members that the evidence must bear out. */
static bool check_evidence(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    for (size_t i = 0; i < receipt->output_count; i++) {
        const oc__run_output *output = &receipt->outputs[i];
        const char *const stated[] = {output->platform, output->device};
        static const char *const kinds[] = {"platform", "device"};
        for (size_t k = 0; k < 2; k++) {
            char what[48];
            snprintf(what, sizeof what, "out%zu.%s", i, kinds[k]);
            const char *shown = oc__verify_find(receipt->evidence,
                                                receipt->evidence_count, "api", what);
            if (!oc__verify_same(shown, stated[k])) {
                return oc__verify_fail(e->verifier, "evidence_differs", "outputs",
                                       "%s is %.80s, but the evidence says %.80s", what,
                                       oc__verify_shown(stated[k]),
                                       oc__verify_shown(shown));
            }
        }
    }
    const char *plugin = oc__verify_find(receipt->evidence, receipt->evidence_count,
                                         "hash", "plugin_sha256");
    return oc__verify_same(plugin, receipt->versions.plugin_sha256) ||
           oc__verify_fail(e->verifier, "evidence_differs", "versions.plugin.sha256",
                           "versions.plugin.sha256 is not that of the evidence");
}

static bool check_placement(evidence *e)
{
    const char **names = NULL;
    const oc__placement_case placed = oc__placement_of_run(e->receipt, &names);
    bool holds =
        placed.output_count > 0
            ? oc__verify_placed(e->verifier, &placed, &e->receipt->placement)
            : oc__verify_unknown(e->verifier, "not_reached", "placement",
                                 "there is no output whose owner could be asked");
    free(names);
    return holds;
}

static bool check_controls(evidence *e)
{
    bool numeric = false, placement = false;
    for (size_t i = 0; i < e->receipt->control_count; i++) {
        const oc__control *control = &e->receipt->controls[i];
        if (!control->refuted) {
            return oc__verify_fail(
                e->verifier, "control_not_refuted", "controls",
                "the negative control '%.60s' was not refuted, so the "
                "run shows nothing",
                control->name);
        }
        numeric = numeric || strcmp(control->verdict, "numeric") == 0;
        placement = placement || strcmp(control->verdict, "placement") == 0;
    }
    return (placement && (numeric || e->receipt->numeric.verdict != OC_PASS)) ||
           oc__verify_fail(e->verifier, "control_missing", "controls",
                           "a verdict has no negative control");
}

static bool check_claims(evidence *e)
{
    oc__run_claims claims;
    oc__run_receipt_derive_claims(e->receipt, &claims);
    return oc__verify_claims(e->verifier, claims.items, OC__RUN_CLAIMS,
                             e->receipt->claims, e->receipt->claim_count);
}

/* Last, so that a changed member is named where a rule knows it. */
static bool check_digest(evidence *e)
{
    char computed[OC__SHA256_HEX];
    bool known = oc__run_receipt_digest(e->receipt, computed);
    return oc__verify_digest(e->verifier, e->receipt->sha256, known ? computed : NULL);
}

static bool fail_run(evidence *e)
{
    return oc__verify_failed(e->verifier, e->receipt->boundary, e->receipt->error_text);
}

static bool check_outcome(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    return receipt->boundary == OC_BOUNDARY_NONE || fail_run(e);
}

static bool check_nonce(evidence *e)
{
    return oc__verify_no_nonce(e->verifier, "run");
}

static bool check_completed(evidence *e)
{
    return e->receipt->error_status == OC_OK || fail_run(e);
}

static bool check_platform(evidence *e)
{
    const oc__run_receipt *receipt = e->receipt;
    return oc__verify_platform(e->verifier, receipt->expected, receipt->platform) &&
           oc__verify_requested_as(e->verifier, receipt->requested_as,
                                   receipt->expected);
}

void oc__verify_run(oc__verifier *verifier, const oc__run_receipt *receipt)
{
    static bool (*const checks[])(evidence *) = {
        check_nonce,   check_completed, check_platform, check_program,   check_inputs,
        check_outputs, check_numeric,   check_evidence, check_placement, check_controls,
        check_claims,  check_outcome,   check_digest,
    };
    evidence e = {.verifier = verifier,
                  .receipt = receipt,
                  .folder = oc__verify_folder(verifier),
                  .complete = true};
    bool holds = e.folder != NULL;
    snprintf(verifier->result->platform, sizeof verifier->result->platform, "%.63s",
             receipt->platform ? receipt->platform : "");
    for (size_t i = 0; holds && i < sizeof checks / sizeof *checks; i++) {
        holds = checks[i](&e);
    }
    if (holds) {
        oc__verify_pass(verifier,
                        "requested, observed and required platform agree (%.60s); the "
                        "outputs beside the receipt are the recorded ones, and %.300s",
                        receipt->platform, e.judgement.detail);
    }
    for (size_t i = 0; e.outputs && i < receipt->output_count; i++) {
        oc_tensor_free(&e.outputs[i]);
    }
    free(e.outputs);
    oc__judgement_free(&e.judgement);
    oc__program_close(&e.program);
    free(e.folder);
}
