/* tpu-runtime-audit: the reference. */
#include "audit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- stage 1 ---- */

oc_status audit_backend(const oc_device *device, char *out, size_t size)
{
    const char *name = oc_device_platform(device)->platform_name;
    if (strlen(name) >= size) {
        return OC_LIMIT;
    }
    memcpy(out, name, strlen(name) + 1);
    return OC_OK;
}

size_t audit_device_names(const oc_device *device, const char **out_names,
                          size_t capacity)
{
    const oc_platform_info *platform = oc_device_platform(device);
    for (size_t i = 0; i < platform->device_count && i < capacity; i++) {
        out_names[i] = platform->devices[i].string;
    }
    return platform->device_count;
}

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        /* The payload may stand in the lower half alone: without the quiet bit the
         * upper half could be an infinity. */
        return (uint16_t)(bits >> 16 | 0x0040);
    }
    /* Less than half a step is lost, more carries; a half carries to an even number. */
    uint32_t last_bit = bits >> 16 & 1;
    return (uint16_t)((bits + 0x7fff + last_bit) >> 16);
}

float audit_f32_from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

oc_status audit_store_bf16(oc_device *device, const float *w, int64_t rows,
                           int64_t columns, int64_t *out_buffer, oc_error *err)
{
    if (rows < 1 || columns < 1) {
        return OC_INVALID_ARGUMENT;
    }
    int64_t dims[2] = {rows, columns};
    oc_tensor tensor = {0};
    oc_status rc = oc_tensor_make(OC_BF16, dims, 2, &tensor, err);
    if (rc == OC_OK) {
        uint16_t *stored = tensor.data;
        for (size_t i = 0; i < oc_tensor_count(&tensor); i++) {
            stored[i] = audit_bf16_from_f32(w[i]);
        }
        rc = oc_device_put(device, &tensor, 0, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0.0F;
            for (size_t l = 0; l < k; l++) {
                sum += x[i * k + l] * audit_f32_from_bf16(w[l * n + j]);
            }
            out[i * n + j] = sum;
        }
    }
}

/* ---- stage 2 ---- */

static bool is_missing(int64_t index, const int64_t *missing, size_t missing_count)
{
    for (size_t i = 0; i < missing_count; i++) {
        if (missing[i] == index) {
            return true;
        }
    }
    return false;
}

oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    for (size_t i = 0; i < missing_count; i++) {
        if (missing[i] < 0 || missing[i] >= (int64_t)count ||
            is_missing(missing[i], missing, i)) {
            return OC_INVALID_ARGUMENT;
        }
    }
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_missing((int64_t)i, missing, missing_count)) {
            sum += participants[i];
        }
    }
    *out_sum = sum;
    return OC_OK;
}

/* ---- stage 3 ---- */

static bool copy_name(char *out, const char *text)
{
    return snprintf(out, AUDIT_NAME, "%s", text) < AUDIT_NAME;
}

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    const char *names[AUDIT_MAX_DEVICES];
    audit_description made = {
        .scope =
            "Run on virtual CPU devices of one machine: a dtype path, simulated "
            "participants and a CPU collective; nothing here shows a TPU, a native "
            "BF16 kernel or an accelerator collective.",
        .claims = {[AUDIT_CPU_DISCOVERY] = AUDIT_OBSERVED,
                   [AUDIT_LOCAL_ARITHMETIC] = AUDIT_OBSERVED,
                   [AUDIT_TPU_TOPOLOGY] = AUDIT_UNVERIFIED,
                   [AUDIT_NATIVE_BF16] = AUDIT_UNVERIFIED,
                   [AUDIT_ACCELERATOR_COLLECTIVES] = AUDIT_UNVERIFIED}};
    oc_status rc = audit_backend(device, made.backend, sizeof made.backend);
    if (rc != OC_OK) {
        return rc;
    }
    made.device_count = audit_device_names(device, names, AUDIT_MAX_DEVICES);
    bool fits = made.device_count <= AUDIT_MAX_DEVICES;
    for (size_t i = 0; fits && i < made.device_count; i++) {
        fits = copy_name(made.devices[i], names[i]);
    }
    if (!fits || !copy_name(made.storage_dtype, oc_dtype_name(OC_BF16)) ||
        !copy_name(made.operand_dtype, oc_dtype_name(OC_F32)) ||
        !copy_name(made.result_dtype, oc_dtype_name(OC_F32))) {
        return OC_LIMIT;
    }
    *out = made;
    return OC_OK;
}

/* ---- stage 4 ---- */

oc_status audit_together(const oc_device_options *options, const audit_inputs *inputs,
                         float *out_product, audit_results *out, oc_error *err)
{
    oc_device *device = NULL;
    oc_device_output stored = {0};
    int64_t buffer = 0;
    audit_results made = {0};
    oc_status rc = oc_device_open(options, &device, err);
    if (rc == OC_OK) {
        rc = audit_store_bf16(device, inputs->w, (int64_t)inputs->k, (int64_t)inputs->n,
                              &buffer, err);
    }
    if (rc == OC_OK) {
        rc = oc_device_get(device, buffer, &stored, err);
    }
    if (rc == OC_OK) {
        rc = audit_simulated_sum(inputs->participants, inputs->participant_count, NULL,
                                 0, &made.sum);
    }
    if (rc == OC_OK) {
        rc = audit_simulated_sum(inputs->participants, inputs->participant_count,
                                 inputs->missing, inputs->missing_count,
                                 &made.sum_without);
    }
    if (rc == OC_OK) {
        rc = audit_describe(device, &made.description);
    }
    if (rc == OC_OK) {
        audit_matmul(inputs->x, stored.tensor.data, inputs->m, inputs->k, inputs->n,
                     out_product);
        *out = made;
    }
    oc_device_output_free(&stored);
    oc_device_close(device);
    return rc;
}
