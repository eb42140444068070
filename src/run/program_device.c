#include "run/program_run.h"

#include "run/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of plugin and platform, also when opening failed half-way. */
static void record_platform(oc__program_run *run)
{
    oc__run_receipt *receipt = run->receipt;
    const oc_platform_info *info = oc_device_platform(run->device);
    if (info->requested && *info->requested) {
        receipt->expected = oc__run_receipt_keep(receipt, info->requested);
    }
    oc__record_versions(receipt->pool, info, &receipt->versions);
    receipt->timings.load_us = info->load_us;
    receipt->timings.init_us = info->init_us;
}

static oc_status open_device(oc__program_run *run, oc_error *err)
{
    const oc_run_options *options = run->options;
    oc_status rc =
        oc__record_open(options->platform, options->plugin,
                        run->processes > 1 ? (int64_t)run->processes : 0,
                        run->processes, options->timeout_ms, &run->device, err);
    if (run->device) {
        record_platform(run);
    }
    return rc;
}

static const oc_device_info *device_of(const oc__program_run *run, size_t process)
{
    return oc__record_device(oc_device_platform(run->device), process);
}

/* Plugins refuse a `?` in their own words; these say what to do about it. */
static void advise(const oc__program_run *run, oc_error *err)
{
    const oc__hlo_func *main = run->program.main;
    for (size_t i = 0; i < main->value_count; i++) {
        const oc__hlo_type *type = main->value_types[i];
        for (size_t k = 0; k < type->rank; k++) {
            if (type->dims[k] == OC__HLO_DYNAMIC) {
                oc__error_prefix(err,
                                 "the program has shapes with ?, which this plugin "
                                 "does not compile (export it with static shapes; "
                                 "`onchip eval` takes it as it is)");
                return;
            }
        }
    }
}

static oc_status compile(oc__program_run *run, int64_t *out_program, oc_error *err)
{
    size_t replicas = run->program.replicas, partitions = run->program.partitions;
    oc__device_compile_options used = {0};
    int64_t *ids = calloc(run->processes, sizeof *ids);
    if (!ids) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_COMPILE, "out of memory");
    }
    // Process (r, p) runs on the addressable device of its own number.
    for (size_t r = 0; r < replicas; r++) {
        for (size_t p = 0; p < partitions; p++) {
            ids[p * replicas + r] = device_of(run, r * partitions + p)->id;
        }
    }
    oc_device_program program = {.replicas = replicas,
                                 .partitions = partitions,
                                 .device_ids = ids,
                                 .parameters = run->program.main->body.argument_count,
                                 .xla_options = run->options->xla_options,
                                 .xla_option_count = run->options->xla_option_count};
    const char *code = run->program.text;
    int64_t start = oc__now_us();
    oc_status rc =
        oc__device_compile(run->device, &program, &code, 1, out_program, &used, err);
    run->receipt->timings.compile_us = oc__now_us() - start;
    if (used.text.data) {
        oc__record_options(run->receipt->pool, &used, &run->receipt->compile_options,
                           &run->receipt->compile_options_hex);
    }
    if (rc == OC_PLUGIN && err) {
        advise(run, err);
    }
    oc__strbuf_free(&used.bytes);
    oc__strbuf_free(&used.text);
    free(ids);
    return rc;
}

/* Device buffers of sub-byte integers hold one element a byte, in whose upper bits
 * plugins leave what they like. */
static void extend_sub_byte(oc_tensor *tensor)
{
    static const struct {
        oc_dtype dtype;
        unsigned bits;
        bool is_signed;
    } kinds[] = {
        {OC_S4, 4, true}, {OC_S2, 2, true}, {OC_U4, 4, false}, {OC_U2, 2, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned char *bytes = tensor->data;
        unsigned mask = (1U << kinds[i].bits) - 1, sign = 1U << (kinds[i].bits - 1);
        for (size_t k = 0; tensor->dtype == kinds[i].dtype && k < tensor->size_bytes;
             k++) {
            unsigned value = bytes[k] & mask;
            bytes[k] =
                (unsigned char)(kinds[i].is_signed ? (value ^ sign) - sign : value);
        }
    }
}

static void note(oc__run_receipt *receipt, size_t output, const char *what,
                 const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "out%zu.%s", output, what);
    oc__run_receipt_add_evidence(receipt, "api", name, value);
}

static oc_status read_output(oc__program_run *run, size_t index, int64_t buffer,
                             oc_error *err)
{
    oc__run_receipt *receipt = run->receipt;
    oc__run_output *kept = &receipt->outputs[index];
    size_t process = index / run->program.main->result_count;
    oc_device_output output;
    oc_status rc = oc_device_get(run->device, buffer, &output, err);
    if (rc != OC_OK) {
        return rc;
    }
    extend_sub_byte(&output.tensor);
    kept->platform = oc__run_receipt_keep(receipt, output.platform);
    kept->device = oc__run_receipt_keep(receipt, output.device);
    receipt->platform = receipt->platform ? receipt->platform : kept->platform;
    note(receipt, index, "platform", output.platform);
    note(receipt, index, "device", output.device);
    note(receipt, index, "device_listed", output.device_listed ? "yes" : "no");
    note(receipt, index, "memory", output.memory);
    note(receipt, index, "requested_device", device_of(run, process)->string);
    run->outputs[index] = output.tensor;
    output.tensor = (oc_tensor){0};
    oc_device_output_free(&output);
    return OC_OK;
}

static oc_status transfer(oc__program_run *run, int64_t *out_buffers, oc_error *err)
{
    size_t per_process = run->program.main->body.argument_count;
    oc_status rc = OC_OK;
    int64_t start = oc__now_us();
    for (size_t i = 0; i < run->program.input_count && rc == OC_OK; i++) {
        rc = oc_device_put(run->device, &run->program.tensors[i], i / per_process,
                           &out_buffers[i], err);
    }
    run->receipt->timings.transfer_us = oc__now_us() - start;
    return rc;
}

static oc_status execute(oc__program_run *run, int64_t program, oc_error *err)
{
    size_t inputs = run->program.input_count;
    int64_t *buffers = calloc(inputs + run->output_count + 1, sizeof *buffers);
    if (!buffers) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EXECUTE, "out of memory");
    }
    int64_t *outputs = buffers + inputs;
    oc_status rc = transfer(run, buffers, err);
    int64_t start = oc__now_us();
    if (rc == OC_OK) {
        rc = oc_device_execute(run->device, program, buffers, run->processes,
                               run->program.main->body.argument_count, outputs,
                               run->output_count, err);
        run->receipt->timings.execute_us = oc__now_us() - start;
    }
    for (size_t i = 0; i < run->output_count && rc == OC_OK; i++) {
        rc = read_output(run, i, outputs[i], err);
    }
    free(buffers);
    return rc;
}

static void add_observation(void *context, const char *what, const char *value)
{
    oc__run_receipt_add_evidence(context, "os", what, value);
}

/* Evidence that is not an output's own, while the worker still holds what it executed
 * with. */
static void observe(oc__program_run *run)
{
    const oc_device_info *target = device_of(run, 0);
    if (target) {
        oc__run_receipt_add_evidence(run->receipt, "api", "requested.device",
                                     target->string);
        oc__run_receipt_add_evidence(run->receipt, "api", "requested.memory",
                                     target->default_memory);
        oc__run_receipt_add_evidence(run->receipt, "api", "device_kind", target->kind);
    }
    oc__device_observe(run->device, add_observation, run->receipt);
    oc__run_receipt_add_evidence(run->receipt, "hash", "plugin_sha256",
                                 run->receipt->versions.plugin_sha256);
}

oc_status oc__program_execute(oc__program_run *run, oc_error *err)
{
    int64_t program = -1;
    oc_status rc = open_device(run, err);
    if (rc == OC_OK) {
        rc = compile(run, &program, err);
    }
    if (rc == OC_OK) {
        rc = execute(run, program, err);
    }
    if (run->device) {
        observe(run);
    }
    return rc;
}
