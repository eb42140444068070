#include "train_device.h"

#include "base/clock.h"
#include "run/record.h"
#include "train_events.h"

#include <string.h>
#include <unistd.h>

enum { PARAMETERS = 2, RECORD = OC__FIT_STATE_TENSORS, FLOATS_IN_MIB = 1 << 18 };

static void begin(oc__train_device *device)
{
    oc_device_set_timeout(device->device, device->config->device_timeout_ms);
}

oc_status oc__train_device_open(const oc__train_config *config,
                                oc__train_device *out_device, oc_error *err)
{
    *out_device = (oc__train_device){
        .config = config, .receipt = oc__launch_receipt_new(), .ballast = -1};
    oc__launch_receipt *receipt = out_device->receipt;
    if (!receipt) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
    }
    oc_status rc = oc__record_open(config->platform, config->plugin, 0, 1,
                                   config->device_timeout_ms, &out_device->device, err);
    if (out_device->device) {
        const oc_platform_info *info = oc_device_platform(out_device->device);
        oc__record_versions(receipt->pool, info, &receipt->versions);
        receipt->timings.load_us = info->load_us;
        receipt->timings.init_us = info->init_us;
    }
    return rc;
}

void oc__train_device_close(oc__train_device *device)
{
    if (device->device) {
        const oc__strbuf *log = oc__device_log(device->device);
        oc__ignore(
            oc__train_write(STDERR_FILENO, log->data, log->size, "the log", NULL));
        oc_device_close(device->device);
    }
    oc__launch_receipt_free(device->receipt);
    *device = (oc__train_device){0};
}

oc_status oc__train_device_compile(oc__train_device *device, oc_error *err)
{
    oc__launch_receipt *receipt = device->receipt;
    oc__device_compile_options used = {0};
    const char *code = device->config->program;
    oc_device_program program = {
        .replicas = 1,
        .device_ids = &oc__record_device(oc_device_platform(device->device), 0)->id,
        .parameters = OC__TRAIN_DATA + OC__FIT_STATE_TENSORS};
    begin(device);
    int64_t start = oc__now_us();
    oc_status rc = oc__device_compile(device->device, &program, &code, 1,
                                      &device->program, &used, err);
    receipt->timings.compile_us = oc__now_us() - start;
    if (used.text.data) {
        oc__record_options(receipt->pool, &used, &receipt->compile_options,
                           &receipt->compile_options_hex);
    }
    oc__strbuf_free(&used.bytes);
    oc__strbuf_free(&used.text);
    return rc;
}

/* Puts each and releases it on the host. */
static oc_status put_all(oc__train_device *device, oc_tensor *tensors, size_t count,
                         int64_t *out_buffers, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count; i++) {
        if (rc == OC_OK) {
            rc = oc_device_put(device->device, &tensors[i], 0, &out_buffers[i], err);
        }
        oc_tensor_free(&tensors[i]);
    }
    return rc;
}

/* Counts up from the seed; every number is an integer that a float holds. */
static void fill_ballast(oc_tensor *tensor, int64_t seed)
{
    float *values = tensor->data;
    for (int64_t i = 0; i < tensor->dims[0]; i++) {
        values[i] = (float)((uint64_t)(seed + i) % (1U << 24));
    }
}

static oc_status put_ballast(oc__train_device *device, void *bytes, oc_error *err)
{
    const int64_t dims[1] = {device->config->state_mib * FLOATS_IN_MIB};
    oc_tensor made = {0};
    oc_tensor given = {.dtype = OC_F32,
                       .rank = 1,
                       .dims = {dims[0]},
                       .size_bytes = (size_t)dims[0] * sizeof(float),
                       .data = bytes};
    oc_status rc = OC_OK;
    if (!bytes) {
        rc = oc_tensor_make(OC_F32, dims, 1, &made, err);
        if (rc == OC_OK) {
            fill_ballast(&made, device->config->seed);
        }
    }
    if (rc == OC_OK) {
        rc = oc_device_put(device->device, bytes ? &given : &made, 0, &device->ballast,
                           err);
    }
    oc_tensor_free(&made);
    return rc;
}

oc_status oc__train_device_load(oc__train_device *device, const oc__fit_record *record,
                                void *ballast, oc_error *err)
{
    oc_tensor data[OC__TRAIN_DATA], state[OC__FIT_STATE_TENSORS];
    begin(device);
    oc_status rc = oc__fit_data(&data[0], &data[1], err);
    if (rc == OC_OK) {
        rc = put_all(device, data, OC__TRAIN_DATA, device->data, err);
    }
    if (rc == OC_OK) {
        rc = oc__fit_tensors(record, state, err);
    }
    if (rc == OC_OK) {
        rc = put_all(device, state, OC__FIT_STATE_TENSORS, device->state, err);
    }
    if (rc == OC_OK && device->config->state_mib > 0) {
        rc = put_ballast(device, ballast, err);
    }
    device->state_count = rc == OC_OK ? OC__FIT_STATE_TENSORS : 0;
    return rc;
}

/* One update of the state; with `keep` the new buffers are the state from now on. */
static oc_status update(oc__train_device *device, bool keep, oc__fit_record *out_record,
                        oc_error *err)
{
    int64_t args[OC__TRAIN_DATA + OC__FIT_STATE_TENSORS];
    int64_t outputs[OC__TRAIN_OUTPUTS];
    oc_device_output record;
    memcpy(args, device->data, sizeof device->data);
    memcpy(args + OC__TRAIN_DATA, device->state,
           OC__FIT_STATE_TENSORS * sizeof *device->state);
    oc__device_step_request step = {.program = device->program,
                                    .args = args,
                                    .arg_count = sizeof args / sizeof *args,
                                    .output_count = OC__TRAIN_OUTPUTS,
                                    .fetch = RECORD,
                                    .freed = device->state,
                                    .freed_count = keep ? device->state_count : 0};
    begin(device);
    oc_status rc = oc__device_step(device->device, &step, outputs, &record, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (record.tensor.dtype != OC_U32 || record.tensor.rank != 1 ||
        record.tensor.size_bytes != sizeof out_record->words) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                     "the record of a step came back with another type or shape than "
                     "the program gives it");
    } else {
        memcpy(out_record->words, record.tensor.data, sizeof out_record->words);
    }
    oc_device_output_free(&record);
    if (rc == OC_OK && keep) {
        memcpy(device->state, outputs, sizeof outputs);
        device->state_count = OC__TRAIN_OUTPUTS;
    } else if (rc == OC_OK) {
        rc = oc_device_free(device->device, outputs, OC__TRAIN_OUTPUTS, err);
    }
    return rc;
}

oc_status oc__train_device_warm_up(oc__train_device *device, oc_error *err)
{
    oc__fit_record thrown_away;
    return update(device, false, &thrown_away, err);
}

oc_status oc__train_device_step(oc__train_device *device, oc__fit_record *out_record,
                                oc_error *err)
{
    return update(device, true, out_record, err);
}

oc_status oc__train_device_ballast(oc__train_device *device,
                                   oc_device_output *out_ballast, oc_error *err)
{
    *out_ballast = (oc_device_output){0};
    if (device->config->state_mib == 0) {
        return OC_OK;
    }
    begin(device);
    oc_status rc = oc_device_get(device->device, device->ballast, out_ballast, err);
    size_t wanted = (size_t)device->config->state_mib * FLOATS_IN_MIB * sizeof(float);
    if (rc == OC_OK && out_ballast->tensor.size_bytes != wanted) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_TRANSFER,
                     "the ballast came back with %zu bytes in place of %zu",
                     out_ballast->tensor.size_bytes, wanted);
        oc_device_output_free(out_ballast);
    }
    return rc;
}

static void add_observation(void *context, const char *what, const char *value)
{
    oc__launch_receipt_add_evidence(context, "os", what, value);
}

/* The parameters' buffer stands for the state: one execution made all of it. */
static oc_status observe_state(oc__train_device *device, oc_error *err)
{
    oc__launch_receipt *receipt = device->receipt;
    oc_device_output output;
    begin(device);
    oc_status rc =
        oc_device_get(device->device, device->state[PARAMETERS], &output, err);
    if (rc != OC_OK) {
        return rc;
    }
    receipt->platform = oc__launch_receipt_keep(receipt, output.platform);
    oc__launch_receipt_add_evidence(receipt, "api", "state.platform", output.platform);
    oc__launch_receipt_add_evidence(receipt, "api", "state.device", output.device);
    oc__launch_receipt_add_evidence(receipt, "api", "state.device_listed",
                                    output.device_listed ? "yes" : "no");
    oc__launch_receipt_add_evidence(receipt, "api", "state.memory", output.memory);
    oc_device_output_free(&output);
    return OC_OK;
}

oc_status oc__train_device_observe(oc__train_device *device, oc_error *err)
{
    oc__launch_receipt *receipt = device->receipt;
    oc_status rc = OC_OK;
    if (!device->device) {
        return OC_OK;
    }
    const oc_device_info *target =
        oc__record_device(oc_device_platform(device->device), 0);
    if (device->state_count > 0) {
        rc = observe_state(device, err);
    }
    if (target) {
        oc__launch_receipt_add_evidence(receipt, "api", "requested.device",
                                        target->string);
        oc__launch_receipt_add_evidence(receipt, "api", "requested.memory",
                                        target->default_memory);
        oc__launch_receipt_add_evidence(receipt, "api", "device_kind", target->kind);
    }
    oc__device_observe(device->device, add_observation, receipt);
    oc__launch_receipt_add_evidence(receipt, "hash", "plugin_sha256",
                                    receipt->versions.plugin_sha256);
    return rc;
}
