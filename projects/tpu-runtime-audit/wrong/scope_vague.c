/* hint: the scope statement must say on what this was run: a CPU */
/* The scope does not say where this was run. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        snprintf(out->scope, sizeof out->scope, "Everything was tested and works.");
    }
    return rc;
}
