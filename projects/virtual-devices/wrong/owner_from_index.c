/* hint: the owner was taken from the place in the list */
#define shards_owners right_owners
#include "solution/model.c"
#undef shards_owners

oc_status shards_owners(oc_device *device, const int64_t *buffers, size_t count,
                        size_t *out_owners, oc_error *err)
{
    (void)device;
    (void)buffers;
    (void)err;
    for (size_t k = 0; k < count; k++) {
        out_owners[k] = k;
    }
    return OC_OK;
}
