#include "run/check_run.h"

#include "receipt/program.h"
#include "run/record.h"

#include <stdio.h>
#include <string.h>

bool oc__check_device_ids(const oc_platform_info *info, size_t count, int64_t *out_ids)
{
    size_t found = 0;
    for (size_t i = 0; i < info->device_count && found < count; i++) {
        if (info->devices[i].addressable) {
            out_ids[found++] = info->devices[i].id;
        }
    }
    return found == count;
}

static oc_status compile_both(oc__check_run *run, int64_t out_programs[2],
                              oc_error *err)
{
    oc__receipt *receipt = run->receipt;
    oc__device_compile_options used = {0};
    oc_device_program program = {
        .replicas = 1, .device_ids = &run->target->id, .parameters = 2};
    int64_t start = oc__now_us();
    for (size_t i = 0; i < 2; i++) {
        char text[OC__PROGRAM_TEXT];
        oc__receipt_program(text, sizeof text, receipt->bias[i]);
        receipt->programs[i] = oc__receipt_keep(receipt, text);
    }
    if (!receipt->programs[0] || !receipt->programs[1]) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_COMPILE, "out of memory");
    }
    oc_status rc = oc__device_compile(run->device, &program, receipt->programs, 2,
                                      out_programs, &used, err);
    if (used.text.data) {
        oc__record_options(receipt->pool, &used, &receipt->compile_options,
                           &receipt->compile_options_hex);
    }
    oc__strbuf_free(&used.bytes);
    oc__strbuf_free(&used.text);
    receipt->timings.compile_us = oc__now_us() - start;
    return rc;
}

oc_status oc__check_put(oc__check_run *run, const float *values, const int64_t *dims,
                        size_t rank, size_t addressable, int64_t *out_buffer,
                        oc_error *err)
{
    oc_tensor tensor;
    oc_status rc = oc_tensor_make(OC_F32, dims, rank, &tensor, err);
    if (rc == OC_OK && tensor.size_bytes > 0) {
        memcpy(tensor.data, values, tensor.size_bytes);
    }
    if (rc == OC_OK) {
        rc = oc_device_put(run->device, &tensor, addressable, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

/* X, w and X with its rows reversed, placed on the target. */
static oc_status put_inputs(oc__check_run *run, int64_t out_buffers[3], oc_error *err)
{
    static const int64_t x_dims[2] = {OC__ROWS, OC__FEATURES};
    static const int64_t w_dims[1] = {OC__FEATURES};
    float reversed[OC__ROWS * OC__FEATURES];
    oc__receipt *receipt = run->receipt;
    int64_t start = oc__now_us();
    oc__receipt_reverse_rows(receipt->x, reversed);
    oc_status rc = oc__check_put(run, receipt->x, x_dims, 2, 0, &out_buffers[0], err);
    if (rc == OC_OK) {
        rc = oc__check_put(run, receipt->w, w_dims, 1, 0, &out_buffers[1], err);
    }
    if (rc == OC_OK) {
        rc = oc__check_put(run, reversed, x_dims, 2, 0, &out_buffers[2], err);
    }
    receipt->timings.transfer_us = oc__now_us() - start;
    return rc;
}

static void note(oc__receipt *receipt, oc__execution which, const char *what,
                 const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", oc__execution_name(which), what);
    oc__receipt_add_evidence(receipt, "api", name, value);
}

/* Copies what one output says of itself into the receipt. */
static void record_output(oc__receipt *receipt, oc__execution which,
                          const oc_device_output *output)
{
    const oc_tensor *tensor = &output->tensor;
    oc__output *kept = &receipt->outputs[which];
    kept->reached = true;
    kept->dtype = oc_dtype_name(tensor->dtype);
    kept->rank = tensor->rank < OC__MAX_RANK ? tensor->rank : OC__MAX_RANK;
    memcpy(kept->dims, tensor->dims, kept->rank * sizeof *kept->dims);
    oc__sha256_hex(tensor->data, tensor->size_bytes, kept->sha256);
    if (tensor->dtype == OC_F32) {
        size_t count = oc_tensor_count(tensor);
        kept->count = count < OC__MAX_OUTPUT ? count : OC__MAX_OUTPUT;
        memcpy(kept->values, tensor->data, kept->count * sizeof *kept->values);
    }
    note(receipt, which, "platform", output->platform);
    note(receipt, which, "device", output->device);
    note(receipt, which, "device_listed", output->device_listed ? "yes" : "no");
    note(receipt, which, "memory", output->memory);
    if (which == OC__PREDICTION) {
        receipt->platform = oc__receipt_keep(receipt, output->platform);
        receipt->output_device = oc__receipt_keep(receipt, output->device);
    }
}

static oc_status execute_one(oc__check_run *run, oc__execution which, int64_t program,
                             int64_t x, int64_t w, oc_error *err)
{
    int64_t args[2] = {x, w};
    int64_t output_id = 0;
    oc_device_output output = {0};
    int64_t start = oc__now_us();
    oc_status rc =
        oc_device_execute(run->device, program, args, 1, 2, &output_id, 1, err);
    run->receipt->timings.execute_us += oc__now_us() - start;
    if (rc == OC_OK) {
        rc = oc_device_get(run->device, output_id, &output, err);
    }
    if (rc == OC_OK) {
        record_output(run->receipt, which, &output);
    }
    oc_device_output_free(&output);
    return rc;
}

oc_status oc__check_execute(oc__check_run *run, oc_error *err)
{
    int64_t programs[2] = {-1, -1};
    int64_t buffers[3] = {-1, -1, -1};
    oc_status rc = compile_both(run, programs, err);
    if (rc == OC_OK) {
        rc = put_inputs(run, buffers, err);
    }
    const struct {
        int64_t program, x;
    } plan[OC__EXECUTIONS] = {
        [OC__PREDICTION] = {programs[0], buffers[0]},
        [OC__CHANGED_BIAS] = {programs[1], buffers[0]},
        [OC__ROW_REVERSAL] = {programs[0], buffers[2]},
    };
    for (oc__execution which = 0; which < OC__EXECUTIONS && rc == OC_OK; which++) {
        rc = execute_one(run, which, plan[which].program, plan[which].x, buffers[1],
                         err);
    }
    return rc;
}
