#include "onchip/tensor.h"

#include "base/error.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

oc_status oc_tensor_make(oc_dtype dtype, const int64_t *dims, size_t rank,
                         oc_tensor *out_tensor, oc_error *err)
{
    *out_tensor = (oc_tensor){0};
    size_t bits = oc_dtype_host_bits(dtype);
    if (bits == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "element type '%s' has no host array", oc_dtype_name(dtype));
    }
    if (rank > OC_MAX_RANK) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "%zu dimensions; at most %d are handled", rank, OC_MAX_RANK);
    }
    oc_tensor made = {.dtype = dtype, .rank = rank, .size_bytes = bits / 8};
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                           "dimension %zu is negative (%lld)", i, (long long)dims[i]);
        }
        if (!oc__size_mul(made.size_bytes, (size_t)dims[i], &made.size_bytes) ||
            made.size_bytes > SIZE_MAX - ALIGNMENT) {
            return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT, "the array is too large");
        }
        made.dims[i] = dims[i];
    }
    // aligned_alloc wants a multiple of the alignment, and an empty array still a
    // pointer.
    size_t allocated = (made.size_bytes / ALIGNMENT + 1) * ALIGNMENT;
    made.data = aligned_alloc(ALIGNMENT, allocated);
    if (!made.data) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "no memory for %zu bytes",
                       made.size_bytes);
    }
    memset(made.data, 0, allocated);
    *out_tensor = made;
    return OC_OK;
}

void oc_tensor_free(oc_tensor *tensor)
{
    if (tensor) {
        free(tensor->data);
        *tensor = (oc_tensor){0};
    }
}

size_t oc_tensor_count(const oc_tensor *tensor)
{
    size_t bits = oc_dtype_host_bits(tensor->dtype);
    return bits == 0 ? 0 : tensor->size_bytes / (bits / 8);
}
