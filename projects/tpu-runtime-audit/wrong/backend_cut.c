/* hint: the NUL needs a byte too: a name that does not fit is refused, not cut */
/* The name is cut to what fits, and that is called a success. */
#include "audit.h"

#define audit_backend right_audit_backend
#include "solution/model.c"
#undef audit_backend

oc_status audit_backend(const oc_device *device, char *out, size_t size)
{
    snprintf(out, size, "%s", oc_device_platform(device)->platform_name);
    return OC_OK;
}
