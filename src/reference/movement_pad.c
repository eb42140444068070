/* pad and dynamic_pad: elements of one value around and between those of another. */
#include "reference/movement.h"

#include <string.h>

typedef struct padding {
    int64_t low[OC_MAX_RANK], high[OC_MAX_RANK], interior[OC_MAX_RANK];
} padding;

/* What is left of one dimension of the operand, and where it goes: element `first` and
 * the next count - 1 stand at low + first * step and so on. */
static bool pad_dimension(int64_t n, int64_t low, int64_t high, int64_t step,
                          int64_t *out_size, int64_t *out_first, int64_t *out_count)
{
    int64_t spread;
    if (__builtin_mul_overflow(n > 0 ? n - 1 : 0, step, &spread) ||
        __builtin_add_overflow(spread, n > 0 ? 1 : 0, out_size) ||
        __builtin_add_overflow(*out_size, low, out_size) ||
        __builtin_add_overflow(*out_size, high, out_size) || *out_size < 0) {
        return false;
    }
    int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    int64_t end = *out_size > low ? (*out_size - 1 - low) / step + 1 : 0;
    end = end < n ? end : n;
    *out_first = first;
    *out_count = first < end ? end - first : 0;
    return true;
}

static oc_status give_padded(oc__call *call, const padding *p, oc_error *err)
{
    static const int64_t most = (int64_t)1 << 60;
    const oc__value *operand = call->in[0], *value = call->in[1];
    oc_status rc = oc__check_same_dtype(call, "the padding value", value, "the operand",
                                        operand, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (value->rank != 0) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "the padding value is %s; it must be a scalar",
                            oc__shown_dims(value->dims, value->rank).text);
    }
    oc__view fill = {.rank = operand->rank};
    oc__view view = oc__view_of(operand->dims, operand->rank);
    int64_t first[OC_MAX_RANK];
    for (size_t d = 0; d < operand->rank; d++) {
        int64_t low = p->low[d], high = p->high[d], interior = p->interior[d];
        if (interior < 0 || interior > most || low > most || low < -most ||
            high > most || high < -most ||
            !pad_dimension(operand->dims[d], low, high, interior + 1, &fill.dims[d],
                           &first[d], &view.dims[d])) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "padding of low %lld, high %lld, interior %lld for "
                                "dimension %zu, which has %lld elements",
                                (long long)low, (long long)high, (long long)interior, d,
                                (long long)operand->dims[d]);
        }
    }
    oc__value *made;
    rc = oc__view_read(value, &fill, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__give(call, 0, made);
    if (operand->count == 0 || made->count == 0) {
        return OC_OK;
    }
    /* With elements on both sides every product below lies inside a tensor that exists,
     * or is multiplied by a dimension of which nothing is left. */
    for (size_t d = 0; d < operand->rank; d++) {
        if (view.dims[d] == 0) {
            return OC_OK;
        }
        int64_t step = p->interior[d] + 1;
        view.from_start += first[d] * view.from_strides[d];
        view.to_start += (p->low[d] + first[d] * step) * fill.to_strides[d];
        view.to_strides[d] = view.dims[d] > 1 ? step * fill.to_strides[d] : 0;
    }
    return oc__view_write(made, operand, &view, err);
}

oc_status oc__run_pad(oc__call *call, oc_error *err)
{
    padding p;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    size_t rank = rc == OC_OK ? call->in[0]->rank : 0;
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "edge_padding_low", rank, false, 0, p.low, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "edge_padding_high", rank, false, 0, p.high, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "interior_padding", rank, true, 0, p.interior, err);
    }
    return rc == OC_OK ? give_padded(call, &p, err) : rc;
}

oc_status oc__run_dynamic_pad(oc__call *call, oc_error *err)
{
    padding p;
    oc_status rc = oc__check_arity(call, 5, 1, err);
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 2, "edge_padding_low", p.low, err);
    }
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 3, "edge_padding_high", p.high, err);
    }
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 4, "interior_padding", p.interior, err);
    }
    return rc == OC_OK ? give_padded(call, &p, err) : rc;
}
