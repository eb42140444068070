/* hint: the weights were stored as float32, 4 bytes an element */
/* The weights are rounded, but kept as float32. */
#include "audit.h"

#define audit_store_bf16 right_audit_store_bf16
#include "solution/model.c"
#undef audit_store_bf16

oc_status audit_store_bf16(oc_device *device, const float *w, int64_t rows,
                           int64_t columns, int64_t *out_buffer, oc_error *err)
{
    if (rows < 1 || columns < 1) {
        return OC_INVALID_ARGUMENT;
    }
    int64_t dims[2] = {rows, columns};
    oc_tensor tensor = {0};
    oc_status rc = oc_tensor_make(OC_F32, dims, 2, &tensor, err);
    if (rc == OC_OK) {
        float *stored = tensor.data;
        for (size_t i = 0; i < oc_tensor_count(&tensor); i++) {
            stored[i] = audit_f32_from_bf16(audit_bf16_from_f32(w[i]));
        }
        rc = oc_device_put(device, &tensor, 0, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}
