/* hint: the bits alone are no BF16: the array's element type must say so */
/* The bits are right; the type is that of the C array. */
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
    oc_status rc = oc_tensor_make(OC_U16, dims, 2, &tensor, err);
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
