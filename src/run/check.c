#include "run/check_run.h"

#include "base/file.h"
#include "receipt/nonce.h"
#include "run/record.h"

#include <stdlib.h>
#include <string.h>

struct oc_check_private {
    oc__check_run run;
    int64_t start_us;
};

static void set_created(oc__receipt *receipt)
{
    char text[OC__UTC_TEXT];
    oc__receipt_now(text);
    receipt->created = oc__receipt_keep(receipt, text);
}

/* The request as the receipt keeps it; refuses one that makes no sense. */
static oc_status record_request(oc__check_run *run, oc_error *err)
{
    const oc_check_options *options = run->options;
    oc__receipt *receipt = run->receipt;
    if (options->devices < 0 || options->devices > OC_CHECK_MAX_DEVICES) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%lld devices were asked for; 1 to %d can be",
                       (long long)options->devices, OC_CHECK_MAX_DEVICES);
    }
    set_created(receipt);
    receipt->requested_as = oc__receipt_keep(receipt, options->platform);
    receipt->expected = receipt->requested_as;
    if (options->nonce) {
        char lower[2 * OC__MAX_NONCE_BYTES + 1];
        unsigned char bytes[OC__MAX_NONCE_BYTES];
        long size = oc__hex_decode(options->nonce, bytes, sizeof bytes);
        if (size > 0) {
            oc__hex_encode(bytes, (size_t)size, lower);
            receipt->nonce = oc__receipt_keep(receipt, lower);
        }
    }
    return oc__receipt_inputs(options->nonce, receipt->x, receipt->w, receipt->bias,
                              err);
}

/* What is known of plugin and platform, also when opening the device failed half-way.
 */
static void record_platform(oc__check_run *run)
{
    oc__receipt *receipt = run->receipt;
    const oc_platform_info *info = oc_device_platform(run->device);
    if (info->requested && *info->requested) {
        receipt->expected = oc__receipt_keep(receipt, info->requested);
    }
    oc__record_versions(receipt->pool, info, &receipt->versions);
    receipt->timings.load_us = info->load_us;
    receipt->timings.init_us = info->init_us;
    receipt->process_index = info->process_index;
    receipt->process_count = info->process_count;
}

static oc_status open_device(oc__check_run *run, oc_error *err)
{
    const oc_check_options *options = run->options;
    size_t needed = options->devices > 0 ? (size_t)options->devices : 1;
    oc_status rc = oc__record_open(options->platform, options->plugin, options->devices,
                                   needed, options->timeout_ms, &run->device, err);
    if (run->device) {
        record_platform(run);
    }
    if (rc == OC_OK) {
        run->target = oc__record_device(oc_device_platform(run->device), 0);
    }
    return rc;
}

static void add_observation(void *context, const char *what, const char *value)
{
    oc__receipt_add_evidence(context, "os", what, value);
}

/* Evidence that is not an output's own. The kernel is asked while the worker still
 * holds what it executed with. */
static void observe(oc__check_run *run)
{
    oc__receipt *receipt = run->receipt;
    if (run->target) {
        oc__receipt_add_evidence(receipt, "api", "requested.device",
                                 run->target->string);
        oc__receipt_add_evidence(receipt, "api", "requested.memory",
                                 run->target->default_memory);
        oc__receipt_add_evidence(receipt, "api", "device_kind", run->target->kind);
    }
    if (run->device) {
        oc__device_observe(run->device, add_observation, receipt);
        oc__receipt_add_evidence(receipt, "hash", "plugin_sha256",
                                 receipt->versions.plugin_sha256);
    }
}

static void record_failure(oc__receipt *receipt, const oc_error *failure)
{
    receipt->boundary = failure->boundary;
    receipt->error_status = failure->status;
    receipt->error_plugin_code = failure->plugin_code;
    receipt->error_text = oc__receipt_keep(receipt, failure->text);
}

/* Without an error the first verdict that failed names the boundary. */
static void record_boundary(oc__receipt *receipt)
{
    if (receipt->error_status != OC_OK) {
        return;
    }
    bool wrong = receipt->shard_count > 0 && receipt->collective.verdict == OC_FAIL;
    bool misplaced = wrong && strcmp(receipt->collective.reason, "misplaced") == 0;
    receipt->boundary =
        receipt->placement.verdict == OC_FAIL || misplaced ? OC_BOUNDARY_PLACEMENT
        : receipt->numeric.verdict == OC_FAIL || wrong     ? OC_BOUNDARY_NUMERIC
                                                           : OC_BOUNDARY_NONE;
}

static int exit_status(const oc_check_result *result)
{
    if (result->failure.status != OC_OK) {
        return (int)oc_status_exit(result->failure.status, result->failure.boundary);
    }
    oc_verdict worst = oc_verdict_worst(result->numeric, result->placement);
    if (result->collective != OC_VERDICT_UNSET) {
        worst = oc_verdict_worst(worst, result->collective);
    }
    return (int)oc_verdict_exit(worst);
}

static bool control_refuted(const oc__receipt *receipt, const char *name)
{
    for (size_t i = 0; i < receipt->control_count; i++) {
        if (strcmp(receipt->controls[i].name, name) == 0) {
            return receipt->controls[i].refuted;
        }
    }
    return false;
}

static void fill_result(oc_check_result *result)
{
    const oc__check_run *run = &result->owner->run;
    const oc__receipt *receipt = run->receipt;
    const oc__output *prediction = &receipt->outputs[OC__PREDICTION];
    const oc__output *changed = &receipt->outputs[OC__CHANGED_BIAS];
    result->numeric = receipt->numeric.verdict;
    result->placement = receipt->placement.verdict;
    result->collective = receipt->collective.verdict;
    result->numeric_detail = receipt->numeric.detail;
    result->placement_detail = receipt->placement.detail;
    result->collective_detail = receipt->collective.detail;
    result->exit_status = exit_status(result);
    result->expected = receipt->expected;
    result->platform = receipt->platform;
    result->device = receipt->output_device;
    result->prediction_reached = prediction->reached && prediction->count == OC__ROWS;
    memcpy(result->prediction, prediction->values, sizeof result->prediction);
    memcpy(result->reference, run->reference, sizeof result->reference);
    result->changed_reached = changed->reached && changed->count == OC__ROWS;
    result->changed_first = changed->values[0];
    result->mismatch_rejected = control_refuted(receipt, "other_platform");
    result->reversal_preserved =
        receipt->numeric.verdict == OC_PASS && receipt->placement.verdict == OC_PASS;
    if (run->device) {
        const oc__strbuf *log = oc__device_log(run->device);
        result->log = log->data;
        result->log_size = log->size;
    }
}

static oc_status keep(const oc_check_result *result, const char *run_dir, oc_error *err)
{
    oc_status rc = OC_OK;
    char *receipt_path = oc__path_join(run_dir, "receipt.json");
    char *log_path = oc__path_join(run_dir, "plugin.log");
    if (!receipt_path || !log_path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    rc = oc__file_write_new(receipt_path, result->receipt_json,
                            strlen(result->receipt_json), err);
    if (rc == OC_OK && result->log_size > 0) {
        rc = oc__file_write_new(log_path, result->log, result->log_size, err);
    }
done:
    free(receipt_path);
    free(log_path);
    return rc;
}

static oc_status write_documents(oc_check_result *result, oc_error *err)
{
    const oc__receipt *receipt = result->owner->run.receipt;
    result->receipt_json = oc__receipt_text(receipt);
    result->report_json = receipt->platform ? oc__receipt_report_text(receipt) : NULL;
    if (!result->receipt_json || (receipt->platform && !result->report_json)) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE,
                       "no memory for the receipt");
    }
    return OC_OK;
}

static void run_check(oc_check_result *result)
{
    oc__check_run *run = &result->owner->run;
    oc_status rc = open_device(run, &result->failure);
    if (rc == OC_OK) {
        rc = oc__check_execute(run, &result->failure);
    }
    if (rc == OC_OK && run->options->devices > 0) {
        rc = oc__check_collective(run, &result->failure);
    }
    observe(run);
    if (rc != OC_OK) {
        record_failure(run->receipt, &result->failure);
    }
    oc__check_judge(run);
    record_boundary(run->receipt);
    run->receipt->timings.total_us = oc__now_us() - result->owner->start_us;
    fill_result(result);
}

oc_status oc_check(const oc_check_options *options, oc_check_result **out_result,
                   oc_error *err)
{
    oc_status rc = OC_OK;
    *out_result = NULL;
    oc_check_result *result = calloc(1, sizeof *result);
    struct oc_check_private *owner = calloc(1, sizeof *owner);
    if (!result || !owner || !(owner->run.receipt = oc__receipt_new())) {
        free(owner);
        free(result);
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    result->owner = owner;
    owner->start_us = oc__now_us();
    owner->run.options = options;
    rc = record_request(&owner->run, err);
    if (rc == OC_OK && options->run_dir) {
        rc = oc__run_dir_create(options->run_dir, err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    run_check(result);
    rc = write_documents(result, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (options->run_dir) {
        rc = keep(result, options->run_dir, err);
    }
    *out_result = result;
    result = NULL;
done:
    oc_check_result_free(result);
    return rc;
}

void oc_check_result_free(oc_check_result *result)
{
    if (!result) {
        return;
    }
    oc_device_close(result->owner->run.device);
    oc__receipt_free(result->owner->run.receipt);
    free(result->owner);
    free(result->receipt_json);
    free(result->report_json);
    free(result);
}
