/* hint: the numbers of rows and columns must be looked at first */
/* A negative count is taken for its size. */
#include "audit.h"

#define audit_store_bf16 right_audit_store_bf16
#include "solution/model.c"
#undef audit_store_bf16

oc_status audit_store_bf16(oc_device *device, const float *w, int64_t rows,
                           int64_t columns, int64_t *out_buffer, oc_error *err)
{
    return right_audit_store_bf16(device, w, rows < 0 ? -rows : rows, columns,
                                  out_buffer, err);
}
