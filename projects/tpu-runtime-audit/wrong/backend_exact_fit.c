/* hint: the NUL needs a byte too: a name that does not fit is refused, not cut */
/* The room for the NUL is forgotten. */
#include "audit.h"

#define audit_backend right_audit_backend
#include "solution/model.c"
#undef audit_backend

oc_status audit_backend(const oc_device *device, char *out, size_t size)
{
    const char *name = oc_device_platform(device)->platform_name;
    size_t length = strlen(name);
    if (length > size) {
        return OC_LIMIT;
    }
    memcpy(out, name, length < size ? length + 1 : length);
    return OC_OK;
}
