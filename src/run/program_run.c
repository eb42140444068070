#include "run/program_run.h"

#include "base/file.h"
#include "pjrt/compile_options.h"
#include "tensor/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OUTPUTS_TEXT = 16 << 20 };

struct oc_run_private {
    oc__program_run run;
    int64_t start_us;
};

static void record_array(oc__run_receipt *receipt, const oc_tensor *tensor,
                         const char *prefix, size_t index, bool kept,
                         oc__run_array *out)
{
    char name[48];
    snprintf(name, sizeof name, "%s%zu.npy", prefix, index);
    out->file = kept ? oc__run_receipt_keep(receipt, name) : NULL;
    out->dtype = oc_dtype_name(tensor->dtype);
    out->rank = tensor->rank;
    memcpy(out->dims, tensor->dims, tensor->rank * sizeof *out->dims);
    oc__sha256_hex(tensor->data, tensor->size_bytes, out->sha256);
}

static oc_status record_names(const char *const *names, size_t count,
                              const char **out_names, size_t room, const char *what,
                              oc_error *err)
{
    if (count > room) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%zu %s; at most %zu can be given", count, what, room);
    }
    for (size_t i = 0; i < count; i++) {
        out_names[i] = names[i];
    }
    return OC_OK;
}

static oc_status record_allowances(oc__program_run *run, oc_error *err)
{
    const oc_run_options *options = run->options;
    for (size_t i = 0; i < options->allow_count; i++) {
        unsigned bit = oc__deviation_bit(options->allow[i]);
        if (bit == 0) {
            return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                           "'%s' is no deviation that can be allowed: flush-to-zero, "
                           "reciprocal-division, fused-multiply-add, excess-precision, "
                           "extra-rounding",
                           options->allow[i]);
        }
        run->allowed |= bit;
    }
    return record_names(options->allow, options->allow_count, run->receipt->allowed,
                        OC__RUN_DEVIATIONS, "allowances", err);
}

/* The request, the program and its inputs, before anything reaches a plugin. */
static oc_status prepare(oc__program_run *run, oc_error *err)
{
    const oc_run_options *options = run->options;
    oc__run_receipt *receipt = run->receipt;
    char now[OC__UTC_TEXT];
    oc__receipt_now(now);
    receipt->created = oc__run_receipt_keep(receipt, now);
    receipt->requested_as = receipt->expected =
        oc__run_receipt_keep(receipt, options->platform);
    oc_status rc = record_allowances(run, err);
    if (rc == OC_OK) {
        rc = record_names(options->xla_options, options->xla_option_count,
                          receipt->xla_options, OC__RUN_OPTIONS, "XLA options", err);
    }
    if (rc == OC_OK) {
        rc = oc__compile_overrides_check(options->xla_options,
                                         options->xla_option_count, err);
    }
    if (rc == OC_OK) {
        rc = oc__program_open(options->program.program, &run->program, err);
    }
    if (rc == OC_OK) {
        rc = oc__program_inputs(&run->program, &options->program, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    run->processes = run->program.replicas * run->program.partitions;
    run->output_count = run->processes * run->program.main->result_count;
    receipt->inputs = calloc(run->program.input_count + 1, sizeof *receipt->inputs);
    receipt->outputs = calloc(run->output_count + 1, sizeof *receipt->outputs);
    run->outputs = calloc(run->output_count + 1, sizeof *run->outputs);
    if (!receipt->inputs || !receipt->outputs || !run->outputs) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    receipt->input_count = run->program.input_count;
    receipt->output_count = run->output_count;
    return oc__program_expect_read(run, err);
}

static void record_request(oc__program_run *run)
{
    oc__run_receipt *receipt = run->receipt;
    const oc__program *program = &run->program;
    bool kept = run->options->program.output_dir != NULL;
    receipt->program_source = program->path;
    receipt->program_file = kept ? "program.mlir" : NULL;
    memcpy(receipt->program_sha256, program->sha256, sizeof receipt->program_sha256);
    receipt->replicas = (int64_t)program->replicas;
    receipt->partitions = (int64_t)program->partitions;
    for (size_t i = 0; i < program->input_count; i++) {
        oc__run_input *input = &receipt->inputs[i];
        record_array(receipt, &program->tensors[i], "in", i, kept, &input->array);
        input->source = program->inputs[i].source;
        input->assumed = program->inputs[i].assumed;
    }
}

static void record_outputs(oc__program_run *run)
{
    bool kept = run->options->program.output_dir != NULL;
    for (size_t i = 0; i < run->output_count; i++) {
        if (run->outputs[i].data) {
            record_array(run->receipt, &run->outputs[i], "out", i, kept,
                         &run->receipt->outputs[i].array);
        }
    }
}

static void record_failure(oc__run_receipt *receipt, const oc_error *failure)
{
    if (failure->status != OC_OK) {
        receipt->boundary = failure->boundary;
        receipt->error_status = failure->status;
        receipt->error_plugin_code = failure->plugin_code;
        receipt->error_text = oc__run_receipt_keep(receipt, failure->text);
        return;
    }
    receipt->boundary = receipt->placement.verdict == OC_FAIL ? OC_BOUNDARY_PLACEMENT
                        : receipt->numeric.verdict == OC_FAIL ? OC_BOUNDARY_NUMERIC
                                                              : OC_BOUNDARY_NONE;
}

static char *outputs_text(const oc__program_run *run)
{
    static const char *const names[] = {"exact",      "hard",    "profile",
                                        "loose",      "suspect", "undecided",
                                        "not judged", "refuted"};
    oc__strbuf text;
    oc__strbuf_init(&text, MAX_OUTPUTS_TEXT);
    for (size_t i = 0; i < run->output_count; i++) {
        const oc__run_output *output = &run->receipt->outputs[i];
        const oc__run_judged *judged = &output->judged;
        const int64_t counts[] = {
            judged->exact,   judged->hard,      judged->profile,    judged->loose,
            judged->suspect, judged->undecided, judged->not_judged, judged->refuted};
        char *shown =
            run->outputs[i].data ? oc__program_tensor_text(&run->outputs[i]) : NULL;
        oc__strbuf_addf(&text, "out%zu  %s  %s", i, shown ? shown : "not reached",
                        output->device ? output->device : "");
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (counts[k] > 0) {
                oc__strbuf_addf(&text, "  %lld %s", (long long)counts[k], names[k]);
            }
        }
        oc__strbuf_addf(&text, judged->model ? "  (%s)\n" : "\n", judged->model);
        free(shown);
    }
    for (size_t i = 0; i < run->receipt->opinion_count; i++) {
        const oc__run_opinion *opinion = &run->receipt->opinions[i];
        oc__strbuf_addf(&text, "with %s: ", opinion->option);
        oc__strbuf_addf(&text,
                        opinion->reached
                            ? "%lld elements change, %lld refuted (%lld before)\n"
                            : "not reached\n",
                        (long long)opinion->changed, (long long)opinion->refuted,
                        (long long)opinion->refuted_before);
    }
    return text.data ? text.data : strdup("");
}

static oc_status write_in(const char *folder, const char *name, const void *data,
                          size_t size, oc_error *err)
{
    char *path = oc__path_join(folder, name);
    oc_status rc = path ? oc__file_write_new(path, data, size, err)
                        : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    free(path);
    return rc;
}

static oc_status keep(const oc_run_result *result, oc_error *err)
{
    const oc__program_run *run = &result->owner->run;
    const char *folder = run->options->program.output_dir;
    oc_status rc = OC_OK;
    if (folder) {
        rc = oc__program_write(folder, "out", "", run->outputs, run->output_count, err);
        if (rc == OC_OK) {
            rc = write_in(folder, "receipt.json", result->receipt_json,
                          strlen(result->receipt_json), err);
        }
        if (rc == OC_OK && result->log_size > 0) {
            rc = write_in(folder, "plugin.log", result->log, result->log_size, err);
        }
    }
    if (rc == OC_OK && run->options->receipt) {
        rc = oc__file_write_new(run->options->receipt, result->receipt_json,
                                strlen(result->receipt_json), err);
    }
    return rc;
}

/* Known before the run, not when its evidence cannot be kept any more. */
static oc_status refuse_old(const char *folder, const char *name, oc_error *err)
{
    char *path = folder ? oc__path_join(folder, name) : strdup(name);
    oc_status rc = OC_OK;
    if (!path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    } else if (access(path, F_OK) == 0) {
        rc = OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                     "'%s' is there already, and evidence is never overwritten", path);
    }
    free(path);
    return rc;
}

/* The program and its inputs are kept before a plugin can take anything down. */
static oc_status keep_request(const oc__program_run *run, oc_error *err)
{
    const char *folder = run->options->program.output_dir;
    oc_status rc = OC_OK;
    if (run->options->receipt) {
        rc = refuse_old(NULL, run->options->receipt, err);
    }
    if (rc != OC_OK || !folder) {
        return rc;
    }
    rc = refuse_old(folder, "program.mlir", err);
    if (rc == OC_OK) {
        rc = oc__make_dirs(folder, err);
    }
    if (rc == OC_OK) {
        rc = write_in(folder, "program.mlir", run->program.text, run->program.text_size,
                      err);
    }
    if (rc == OC_OK) {
        rc = oc__program_write(folder, "in", "", run->program.tensors,
                               run->program.input_count, err);
    }
    return rc;
}

static void fill_result(oc_run_result *result)
{
    oc__program_run *run = &result->owner->run;
    const oc__run_receipt *receipt = run->receipt;
    result->numeric = receipt->numeric.verdict;
    result->placement = receipt->placement.verdict;
    result->numeric_detail = receipt->numeric.detail;
    result->placement_detail = receipt->placement.detail;
    result->expected = receipt->expected;
    result->platform = receipt->platform;
    result->output_count = run->output_count;
    for (size_t i = 0; receipt->deviations[i]; i++) {
        oc__strbuf_addf(&run->names, "%s%s", i ? ", " : "", receipt->deviations[i]);
    }
    result->deviations = run->names.data ? run->names.data : "";
    result->exit_status =
        result->failure.status != OC_OK
            ? (int)oc_status_exit(result->failure.status, result->failure.boundary)
            : (int)oc_verdict_exit(
                  oc_verdict_worst(result->numeric, result->placement));
    if (run->device) {
        const oc__strbuf *log = oc__device_log(run->device);
        result->log = log->data;
        result->log_size = log->size;
    }
}

static oc_status run_program(oc_run_result *result, oc_error *err)
{
    oc__program_run *run = &result->owner->run;
    oc__ignore(oc__program_execute(run, &result->failure));
    record_outputs(run);
    oc_status rc = oc__program_judge(run, err);
    if (rc == OC_OK && run->options->second_opinion &&
        result->failure.status == OC_OK) {
        rc = oc__program_second(run, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    record_failure(run->receipt, &result->failure);
    run->receipt->timings.total_us = oc__now_us() - result->owner->start_us;
    fill_result(result);
    result->receipt_json = oc__run_receipt_text(run->receipt);
    result->outputs_text = outputs_text(run);
    if (!result->receipt_json || !result->outputs_text) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "no memory for the receipt");
    }
    return rc;
}

oc_status oc_run(const oc_run_options *options, oc_run_result **out_result,
                 oc_error *err)
{
    *out_result = NULL;
    oc_run_result *result = calloc(1, sizeof *result);
    struct oc_run_private *owner = calloc(1, sizeof *owner);
    if (!result || !owner || !(owner->run.receipt = oc__run_receipt_new())) {
        free(owner);
        free(result);
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    result->owner = owner;
    owner->start_us = oc__now_us();
    owner->run.options = options;
    oc__strbuf_init(&owner->run.names, 256);
    oc_status rc = prepare(&owner->run, err);
    if (rc == OC_OK) {
        record_request(&owner->run);
        rc = keep_request(&owner->run, err);
    }
    if (rc == OC_OK) {
        rc = run_program(result, err);
    }
    if (rc == OC_OK) {
        rc = keep(result, err);
        *out_result = result;
        result = NULL;
    }
    oc_run_result_free(result);
    return rc;
}

void oc_run_result_free(oc_run_result *result)
{
    if (!result) {
        return;
    }
    oc__program_run *run = &result->owner->run;
    oc_device_close(run->device);
    for (size_t i = 0; run->outputs && i < run->output_count; i++) {
        oc_tensor_free(&run->outputs[i]);
    }
    for (size_t i = 0; run->expected && i < run->options->expect_count; i++) {
        oc_tensor_free(&run->expected[i]);
    }
    free(run->expected);
    free(run->outputs);
    oc__judgement_free(&run->judgement);
    oc__strbuf_free(&run->names);
    oc__run_receipt_free(run->receipt);
    oc__program_close(&run->program);
    free(result->owner);
    free(result->receipt_json);
    free(result->outputs_text);
    free(result);
}
