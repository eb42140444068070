/* hint: the answer is how many devices there are, not how many names fitted */
/* The answer is how many names were written. */
#include "audit.h"

#define audit_device_names right_audit_device_names
#include "solution/model.c"
#undef audit_device_names

size_t audit_device_names(const oc_device *device, const char **out_names,
                          size_t capacity)
{
    size_t count = right_audit_device_names(device, out_names, capacity);
    return count < capacity ? count : capacity;
}
