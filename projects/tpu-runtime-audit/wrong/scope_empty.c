/* hint: evidence without a scope can be read as more than it is: say on what this was
 * run and what it does not show */
/* The scope is left out. */
#include "audit.h"

#define audit_describe right_audit_describe
#include "solution/model.c"
#undef audit_describe

oc_status audit_describe(const oc_device *device, audit_description *out)
{
    oc_status rc = right_audit_describe(device, out);
    if (rc == OC_OK) {
        out->scope[0] = '\0';
    }
    return rc;
}
