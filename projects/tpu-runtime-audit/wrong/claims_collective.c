/* hint: claims more than was observed: neither a simulated sum nor a CPU collective is
 * an accelerator collective */
/* The sum was simulated, so the collective counts as simulated. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        out->claims[AUDIT_ACCELERATOR_COLLECTIVES] = AUDIT_SIMULATED;
    }
    return rc;
}
