/* The reference. */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

/* ---- stage 1 ---- */

oc_status shards_open(const char *plugin, int64_t count, oc_device **out_device,
                      oc_error *err)
{
    oc_device_options options = {
        .platform = "cpu", .plugin = plugin, .cpu_devices = count, .timeout_ms = 60000};
    oc_status rc = oc_device_open(&options, out_device, err);
    if (rc != OC_OK) {
        oc_device_close(*out_device);
        *out_device = NULL;
    }
    return rc;
}

oc_status shards_names(const oc_device *device, const char **out_names, size_t count,
                       oc_error *err)
{
    const oc_platform_info *platform = oc_device_platform(device);
    if (platform->device_count != count) {
        return shards_fail(err, OC_INVALID_ARGUMENT,
                           "the client has another number of devices");
    }
    for (size_t i = 0; i < count; i++) {
        out_names[i] = platform->devices[i].string;
    }
    return OC_OK;
}

/* ---- stage 2 ---- */

static oc_status put_rows(oc_device *device, const float *first, int64_t rows,
                          int64_t columns, size_t index, int64_t *out_buffer,
                          oc_error *err)
{
    int64_t dims[2] = {rows, columns};
    oc_tensor tensor = {0};
    *out_buffer = SHARDS_NO_BUFFER;
    oc_status rc = oc_tensor_make(OC_F32, dims, 2, &tensor, err);
    if (rc == OC_OK) {
        memcpy(tensor.data, first, tensor.size_bytes);
        rc = oc_device_put(device, &tensor, index, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

static oc_status index_of(oc_device *device, const oc_device_output *output,
                          size_t *out_index, oc_error *err)
{
    const oc_platform_info *platform = oc_device_platform(device);
    for (size_t i = 0; i < platform->device_count; i++) {
        if (strcmp(platform->devices[i].string, output->device) == 0) {
            *out_index = i;
            return OC_OK;
        }
    }
    return shards_fail(err, OC_INVALID_ARGUMENT, "a buffer on no device of the client");
}

oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        out_buffers[i] = SHARDS_NO_BUFFER;
    }
    if (count == 0 || rows % (int64_t)count != 0) {
        return shards_fail(err, OC_INVALID_ARGUMENT,
                           "the rows do not divide by the number of devices");
    }
    int64_t block = rows / (int64_t)count;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        const float *first = matrix + (int64_t)i * block * columns;
        rc = put_rows(device, first, block, columns, i, &out_buffers[i], err);
    }
    return rc;
}

oc_status shards_owners(oc_device *device, const int64_t *buffers, size_t count,
                        size_t *out_owners, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        oc_device_output output = {0};
        rc = oc_device_get(device, buffers[k], &output, err);
        if (rc == OC_OK) {
            rc = index_of(device, &output, &out_owners[k], err);
        }
        oc_device_output_free(&output);
    }
    return rc;
}

/* ---- stage 3 ---- */

oc_status shards_replicate(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        rc = put_rows(device, matrix, rows, columns, i, &out_buffers[i], err);
    }
    return rc;
}

static bool has_rows(const oc_tensor *tensor, int64_t rows, int64_t columns)
{
    return tensor->dtype == OC_F32 && tensor->rank == 2 && tensor->dims[0] == rows &&
           tensor->dims[1] == columns;
}

static shards_layout judge(const oc_device_output *outputs, size_t count, int64_t rows,
                           int64_t columns)
{
    int64_t devices = (int64_t)count;
    bool blocks = rows % devices == 0;
    bool copies = true;
    for (size_t k = 0; k < count; k++) {
        const oc_tensor *tensor = &outputs[k].tensor;
        for (size_t other = 0; other < k; other++) {
            if (strcmp(outputs[k].device, outputs[other].device) == 0) {
                return SHARDS_NEITHER;
            }
        }
        blocks = blocks && has_rows(tensor, rows / devices, columns);
        copies = copies && has_rows(tensor, rows, columns) &&
                 memcmp(tensor->data, outputs[0].tensor.data, tensor->size_bytes) == 0;
    }
    return blocks ? SHARDS_PARTITIONED : copies ? SHARDS_REPLICATED : SHARDS_NEITHER;
}

oc_status shards_layout_of(oc_device *device, const int64_t *buffers, size_t count,
                           int64_t rows, int64_t columns, shards_layout *out_layout,
                           oc_error *err)
{
    *out_layout = SHARDS_NEITHER;
    oc_device_output *outputs = calloc(count, sizeof *outputs);
    if (outputs == NULL) {
        return shards_fail(err, OC_NOMEM, "memory ran out");
    }
    oc_status rc = OC_OK;
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        rc = oc_device_get(device, buffers[k], &outputs[k], err);
    }
    if (rc == OC_OK) {
        *out_layout = judge(outputs, count, rows, columns);
    }
    for (size_t k = 0; k < count; k++) {
        oc_device_output_free(&outputs[k]);
    }
    free(outputs);
    return rc;
}

/* ---- stage 4 ---- */

/* n(n-1)(2n-1)/6. The product does not fit where its sixth still does, so each factor
 * is divided before they are multiplied: n(n-1) is even, and 3 divides its half or
 * 2n-1. */
oc_status shards_closed_form(int64_t n, int64_t *out_sum, oc_error *err)
{
    int64_t half = 0;
    int64_t odd = 0;
    if (n < 0) {
        return shards_fail(err, OC_INVALID_ARGUMENT, "a negative number of numbers");
    }
    bool fits = !__builtin_mul_overflow(n % 2 == 0 ? n / 2 : n,
                                        n % 2 == 0 ? n - 1 : (n - 1) / 2, &half) &&
                !__builtin_add_overflow(n, n - 1, &odd);
    if (fits && half % 3 == 0) {
        half /= 3;
    } else {
        odd /= 3;
    }
    if (!fits || __builtin_mul_overflow(half, odd, out_sum)) {
        return shards_fail(err, OC_LIMIT, "the sum does not fit in 64 bits");
    }
    return OC_OK;
}

static oc_status put_numbers(oc_device *device, int64_t device_id, int64_t *out_buffer,
                             oc_error *err)
{
    const oc_platform_info *platform = oc_device_platform(device);
    float values[SHARDS_ELEMENTS];
    int64_t dims[1] = {SHARDS_ELEMENTS};
    oc_tensor tensor = {0};
    size_t index = 0;
    while (index < platform->device_count && platform->devices[index].id != device_id) {
        index++;
    }
    if (index == platform->device_count) {
        return shards_fail(err, OC_INVALID_ARGUMENT, "no device has this id");
    }
    for (size_t j = 0; j < SHARDS_ELEMENTS; j++) {
        values[j] = (float)(index * SHARDS_ELEMENTS + j);
    }
    oc_status rc = oc_tensor_make(OC_F32, dims, 1, &tensor, err);
    if (rc == OC_OK) {
        memcpy(tensor.data, values, sizeof values);
        rc = oc_device_put(device, &tensor, index, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

static oc_status read_scalar(oc_device *device, int64_t buffer, size_t count,
                             double *out_by_index, oc_error *err)
{
    oc_device_output output = {0};
    size_t index = 0;
    oc_status rc = oc_device_get(device, buffer, &output, err);
    if (rc == OC_OK) {
        rc = index_of(device, &output, &index, err);
    }
    if (rc == OC_OK && (index >= count || output.tensor.size_bytes != sizeof(float))) {
        rc = shards_fail(err, OC_INVALID_ARGUMENT, "an output that was not expected");
    }
    if (rc == OC_OK) {
        float value;
        memcpy(&value, output.tensor.data, sizeof value);
        out_by_index[index] = (double)value;
    }
    oc_device_output_free(&output);
    return rc;
}

oc_status shards_sums(oc_device *device, const int64_t *device_ids, size_t count,
                      double *out_own, double *out_all, oc_error *err)
{
    int64_t *inputs = calloc(3 * count, sizeof *inputs);
    if (inputs == NULL) {
        return shards_fail(err, OC_NOMEM, "memory ran out");
    }
    int64_t *own = inputs + count;
    int64_t *all = own + count;
    oc_status rc = OC_OK;
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        rc = put_numbers(device, device_ids[k], &inputs[k], err);
    }
    if (rc == OC_OK) {
        rc = shards_run(device, device_ids, inputs, count, own, all, err);
    }
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        rc = read_scalar(device, own[k], count, out_own, err);
        if (rc == OC_OK) {
            rc = read_scalar(device, all[k], count, out_all, err);
        }
    }
    free(inputs);
    return rc;
}
