#include "reference/contract.h"

oc_status oc__window_measure(oc__call *call, oc__window_dim *dim, oc_error *err)
{
    dim->padded = 0;
    dim->output = 0;
    if (dim->size < 1 || dim->stride < 1 || dim->base_dilation < 1 ||
        dim->window_dilation < 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "sizes, strides and dilations of a window must be at least "
                            "1, not %lld, %lld, %lld and %lld",
                            (long long)dim->size, (long long)dim->stride,
                            (long long)dim->base_dilation,
                            (long long)dim->window_dilation);
    }
    int64_t gaps = dim->base > 0 ? dim->base - 1 : 0, spread, padded, reach;
    if (__builtin_mul_overflow(gaps, dim->base_dilation, &spread) ||
        __builtin_add_overflow(spread, dim->base > 0, &padded) ||
        __builtin_add_overflow(padded, dim->low, &padded) ||
        __builtin_add_overflow(padded, dim->high, &padded) ||
        __builtin_mul_overflow(dim->size - 1, dim->window_dilation, &reach)) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "a window is too large");
    }
    dim->padded = padded > 0 ? padded : 0;
    dim->output = dim->padded > reach ? (dim->padded - reach - 1) / dim->stride + 1 : 0;
    return OC_OK;
}

int64_t oc__window_element(const oc__window_dim *dim, int64_t at, int64_t tap)
{
    int64_t place = at * dim->stride + tap * dim->window_dilation - dim->low;
    if (place < 0 || place % dim->base_dilation != 0) {
        return -1;
    }
    int64_t element = place / dim->base_dilation;
    return element < dim->base ? element : -1;
}

oc_status oc__window_read(oc__call *call, const char *name, int64_t otherwise,
                          size_t offset, oc__window_dim *dims, size_t count,
                          oc_error *err)
{
    int64_t numbers[OC_MAX_RANK];
    oc_status rc = oc__read_counted(call, name, count, true, otherwise, numbers, err);
    for (size_t d = 0; rc == OC_OK && d < count; d++) {
        memcpy((char *)&dims[d] + offset, &numbers[d], sizeof numbers[d]);
    }
    return rc;
}

oc_status oc__window_padding(oc__call *call, const int64_t *padding, size_t numbers,
                             oc__window_dim *dims, size_t count, oc_error *err)
{
    if (numbers != 0 && numbers != 2 * count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "padding has %zu numbers, not 2 for each of %zu dimensions",
                            numbers, count);
    }
    for (size_t d = 0; d < count; d++) {
        dims[d].low = numbers ? padding[2 * d] : 0;
        dims[d].high = numbers ? padding[2 * d + 1] : 0;
    }
    return OC_OK;
}
