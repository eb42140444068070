/* hint: rounding and product were run here and are right: that was observed */
/* What was run on this CPU counts as a simulation. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        out->claims[AUDIT_LOCAL_ARITHMETIC] = AUDIT_SIMULATED;
    }
    return rc;
}
