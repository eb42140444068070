/* hint: claims more than was observed: the runtime listed CPU devices and no TPU */
/* The topology of the course's TPU is claimed from the course. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        out->claims[AUDIT_TPU_TOPOLOGY] = AUDIT_OBSERVED;
    }
    return rc;
}
