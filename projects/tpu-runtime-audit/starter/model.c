/* tpu-runtime-audit: the file that you complete. audit.h says what each function must
 * do, README.md what each stage shows. Every function here fails on purpose. Check your
 * work with
 *
 *     onchip audit --implementation FILE.c --stage 1
 */
#include "audit.h"

/* ---- stage 1 ---- */

/* Write: ask the runtime for its backend (oc_device_platform(device)->platform_name)
 * and copy the name with its NUL when it fits, else OC_LIMIT. */
oc_status audit_backend(const oc_device *device, char *out, size_t size)
{
    (void)device;
    (void)out;
    (void)size;
    return OC_UNAVAILABLE;
}

/* Write: the `string` of each of the runtime's devices, at most `capacity` of them; the
 * answer is the runtime's own device count. */
size_t audit_device_names(const oc_device *device, const char **out_names,
                          size_t capacity)
{
    (void)device;
    (void)out_names;
    (void)capacity;
    return 0;
}

/* Write: the upper 16 bits of the float32 (memcpy it into a uint32_t), rounded to
 * nearest even. Think of ties, NaN, infinity and overflow. */
uint16_t audit_bf16_from_f32(float value)
{
    (void)value;
    return 0xffff;
}

/* Write: the float32 whose upper 16 bits these are. */
float audit_f32_from_bf16(uint16_t bits)
{
    (void)bits;
    return 12345.0F;
}

/* Write: make an OC_BF16 tensor (oc_tensor_make), fill it with rounded weights, put it
 * on device 0 (oc_device_put) and free the tensor. */
oc_status audit_store_bf16(oc_device *device, const float *w, int64_t rows,
                           int64_t columns, int64_t *out_buffer, oc_error *err)
{
    (void)device;
    (void)w;
    (void)rows;
    (void)columns;
    (void)out_buffer;
    (void)err;
    return OC_UNAVAILABLE;
}

/* Write: the matrix product in float32, each weight converted back first. */
void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out)
{
    (void)x;
    (void)w;
    (void)m;
    (void)k;
    (void)n;
    (void)out;
}

/* ---- stage 2 ---- */

/* Write: refuse invalid indexes with OC_INVALID_ARGUMENT, then add the values of the
 * participants that are not missing. */
oc_status audit_simulated_sum(const int64_t *participants, size_t count,
                              const int64_t *missing, size_t missing_count,
                              int64_t *out_sum)
{
    (void)participants;
    (void)count;
    (void)missing;
    (void)missing_count;
    (void)out_sum;
    return OC_UNAVAILABLE;
}

/* ---- stage 3 ---- */

/* Write: the backend, the device names, the three element types, a scope statement, and
 * for each claim the status that this run supports: no more and no less. */
oc_status audit_describe(const oc_device *device, audit_description *out)
{
    (void)device;
    (void)out;
    return OC_UNAVAILABLE;
}

/* ---- stage 4 ---- */

/* Write: open the device, use your functions of stages 1 to 3 on it, multiply with the
 * weights as they are read back from it, and close it whatever happens. */
oc_status audit_together(const oc_device_options *options, const audit_inputs *inputs,
                         float *out_product, audit_results *out, oc_error *err)
{
    (void)options;
    (void)inputs;
    (void)out_product;
    (void)out;
    (void)err;
    return OC_UNAVAILABLE;
}
