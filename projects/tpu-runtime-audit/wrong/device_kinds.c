/* hint: the names are the runtime's own device strings in its order */
/* The kind of each device is taken for its name. */
#include "audit.h"

#define audit_device_names right_audit_device_names
#include "solution/model.c"
#undef audit_device_names

size_t audit_device_names(const oc_device *device, const char **out_names,
                          size_t capacity)
{
    const oc_platform_info *platform = oc_device_platform(device);
    for (size_t i = 0; i < platform->device_count && i < capacity; i++) {
        out_names[i] = platform->devices[i].kind;
    }
    return platform->device_count;
}
