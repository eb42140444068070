/* hint: the weights are converted back before they are multiplied: the operands are
 * float32 */
/* The type of the storage is taken for that of the product. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        snprintf(out->operand_dtype, sizeof out->operand_dtype, "bfloat16");
    }
    return rc;
}
