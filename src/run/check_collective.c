#include "run/check_run.h"

#include "reference/affine.h"

#include <string.h>

enum { SHARD_ELEMENTS = 8, MAX_PROGRAM_BYTES = 8192 };

/* Each replica squares and sums its own eight numbers, then all of them add up their
 * sums. */
static void write_program(size_t replicas, oc__strbuf *out)
{
    oc__strbuf_addf(
        out,
        "module @sum_of_squares attributes {mhlo.num_partitions = 1 : i32, "
        "mhlo.num_replicas = %zu : i32} {\n"
        "  func.func public @main(%%x: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {\n"
        "    %%squares = stablehlo.multiply %%x, %%x : tensor<8xf32>\n"
        "    %%zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
        "    %%own = stablehlo.reduce(%%squares init: %%zero) applies stablehlo.add "
        "across "
        "dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
        "    %%all = \"stablehlo.all_reduce\"(%%own) ({\n"
        "    ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
        "      %%sum = stablehlo.add %%a, %%b : tensor<f32>\n"
        "      stablehlo.return %%sum : tensor<f32>\n"
        "    }) {replica_groups = dense<[[0",
        replicas);
    for (size_t i = 1; i < replicas; i++) {
        oc__strbuf_addf(out, ", %zu", i);
    }
    oc__strbuf_addf(out,
                    "]]> : tensor<1x%zuxi64>} : (tensor<f32>) -> tensor<f32>\n"
                    "    return %%own, %%all : tensor<f32>, tensor<f32>\n"
                    "  }\n"
                    "}\n",
                    replicas);
}

/* The rows of X over the devices, the first ones taking what does not divide; each
 * shard is read back and its owner asked of the buffer. */
static oc_status shard_rows(oc__check_run *run, size_t count, oc_error *err)
{
    oc__receipt *receipt = run->receipt;
    int64_t first = 0;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        oc__shard *shard = &receipt->shards[i];
        shard->first_row = first;
        shard->rows = (int64_t)(OC__ROWS / count + (i < OC__ROWS % count ? 1 : 0));
        first += shard->rows;
        int64_t dims[2] = {shard->rows, OC__FEATURES};
        const float *rows = receipt->x + shard->first_row * OC__FEATURES;
        int64_t buffer = 0;
        oc_device_output output = {0};
        rc = oc__check_put(run, rows, dims, 2, i, &buffer, err);
        if (rc == OC_OK) {
            rc = oc_device_get(run->device, buffer, &output, err);
        }
        if (rc == OC_OK) {
            size_t size = (size_t)(shard->rows * OC__FEATURES) * sizeof(float);
            shard->device = oc__receipt_keep(receipt, output.device);
            shard->read_back_equal = output.tensor.dtype == OC_F32 &&
                                     output.tensor.size_bytes == size &&
                                     memcmp(output.tensor.data, rows, size) == 0;
        }
        oc_device_output_free(&output);
    }
    return rc;
}

static oc_status get_scalar(oc__check_run *run, int64_t buffer, double *out_value,
                            const char **out_device, oc_error *err)
{
    oc_device_output output = {0};
    oc_status rc = oc_device_get(run->device, buffer, &output, err);
    if (rc == OC_OK &&
        (output.tensor.dtype != OC_F32 || output.tensor.size_bytes != sizeof(float))) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                     "a replica's sum is no float32 scalar");
    }
    if (rc == OC_OK) {
        float value;
        memcpy(&value, output.tensor.data, sizeof value);
        *out_value = (double)value;
        *out_device = oc__receipt_keep(run->receipt, output.device);
    }
    oc_device_output_free(&output);
    return rc;
}

static oc_status all_reduce(oc__check_run *run, size_t count, oc_error *err)
{
    static const int64_t dims[1] = {SHARD_ELEMENTS};
    int64_t ids[OC_CHECK_MAX_DEVICES];
    int64_t args[OC_CHECK_MAX_DEVICES];
    int64_t outputs[2 * OC_CHECK_MAX_DEVICES];
    int64_t program_id = 0;
    oc__strbuf text;
    oc__strbuf_init(&text, MAX_PROGRAM_BYTES);
    write_program(count, &text);
    OC_ASSERT(!text.failed &&
              oc__check_device_ids(oc_device_platform(run->device), count, ids));
    oc_device_program program = {
        .code = text.data, .replicas = count, .device_ids = ids, .parameters = 1};
    oc_status rc = oc_device_compile(run->device, &program, &program_id, err);
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        float values[SHARD_ELEMENTS];
        for (size_t j = 0; j < SHARD_ELEMENTS; j++) {
            values[j] = (float)(i * SHARD_ELEMENTS + j);
        }
        rc = oc__check_put(run, values, dims, 1, i, &args[i], err);
    }
    if (rc == OC_OK) {
        rc = oc_device_execute(run->device, program_id, args, count, 1, outputs,
                               2 * count, err);
    }
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        oc__shard *shard = &run->receipt->shards[i];
        const char *own_device = NULL;
        rc = get_scalar(run, outputs[2 * i], &shard->sum_of_squares, &own_device, err);
        if (rc == OC_OK) {
            rc = get_scalar(run, outputs[2 * i + 1], &shard->all_reduced,
                            &shard->output_device, err);
        }
    }
    oc__strbuf_free(&text);
    return rc;
}

oc_status oc__check_collective(oc__check_run *run, oc_error *err)
{
    oc__receipt *receipt = run->receipt;
    size_t count = (size_t)run->options->devices;
    oc_status rc = shard_rows(run, count, err);
    if (rc == OC_OK) {
        rc = all_reduce(run, count, err);
    }
    if (rc == OC_OK) {
        receipt->shard_count = count;
    }
    return rc;
}
