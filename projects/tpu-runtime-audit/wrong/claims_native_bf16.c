/* hint: claims more than was observed: a BF16 element type is a dtype path, no native
 * BF16 kernel */
/* The element type is bfloat16, so the hardware must have multiplied BF16. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        out->claims[AUDIT_NATIVE_BF16] = AUDIT_OBSERVED;
    }
    return rc;
}
