/* Operations that take a part of a tensor, or put tensors together. */
#include "reference/hull.h"
#include "reference/movement.h"

#include <stdlib.h>
#include <string.h>

/* --- slice and real_dynamic_slice ----------------------------------------- */

typedef struct slice {
    int64_t start[OC_MAX_RANK], limit[OC_MAX_RANK], stride[OC_MAX_RANK];
} slice;

static oc_status give_slice(oc__call *call, const slice *s, oc_error *err)
{
    const oc__value *operand = call->in[0];
    oc__view view = oc__view_of(operand->dims, operand->rank);
    for (size_t d = 0; d < operand->rank; d++) {
        int64_t n = operand->dims[d];
        if (s->start[d] < 0 || s->start[d] > s->limit[d] || s->limit[d] > n ||
            s->stride[d] < 1) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "[%lld:%lld:%lld] is no slice of dimension %zu, which "
                                "has %lld elements",
                                (long long)s->start[d], (long long)s->limit[d],
                                (long long)s->stride[d], d, (long long)n);
        }
        int64_t length = s->limit[d] - s->start[d];
        view.dims[d] = length / s->stride[d] + (length % s->stride[d] != 0);
        view.from_start += s->start[d] * view.from_strides[d];
        /* A stride past the end takes one element; its product might not fit. */
        view.from_strides[d] *= view.dims[d] > 1 ? s->stride[d] : 0;
    }
    oc__value *made;
    oc_status rc = oc__view_read(operand, &view, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
    return rc;
}

oc_status oc__run_slice(oc__call *call, oc_error *err)
{
    slice s;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    size_t rank = rc == OC_OK ? call->in[0]->rank : 0;
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "start_indices", rank, false, 0, s.start, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "limit_indices", rank, false, 0, s.limit, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "strides", rank, true, 1, s.stride, err);
    }
    return rc == OC_OK ? give_slice(call, &s, err) : rc;
}

/* The operation is not in the specification. StableHLO's own passes make a
 * dynamic_slice of it where its size is constant and its stride 1: then a slice that
 * reaches outside is moved inside. */
static bool clamp(const oc__value *operand, slice *s)
{
    bool moved = false;
    for (size_t d = 0; d < operand->rank; d++) {
        int64_t size, n = operand->dims[d];
        if (s->stride[d] != 1 ||
            __builtin_sub_overflow(s->limit[d], s->start[d], &size) || size < 0 ||
            size > n || (s->start[d] >= 0 && s->limit[d] <= n)) {
            continue;
        }
        s->start[d] = s->start[d] < 0 ? 0 : n - size;
        s->limit[d] = s->start[d] + size;
        moved = true;
    }
    return moved;
}

oc_status oc__run_real_dynamic_slice(oc__call *call, oc_error *err)
{
    slice s;
    oc_status rc = oc__check_arity(call, 4, 1, err);
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 1, "start_indices", s.start, err);
    }
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 2, "limit_indices", s.limit, err);
    }
    if (rc == OC_OK) {
        rc = oc__per_dimension(call, 3, "strides", s.stride, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    bool moved = clamp(call->in[0], &s);
    rc = give_slice(call, &s, err);
    if (rc == OC_OK && moved) {
        oc__call_note(call, "slice_clamped", call->out[0]->count);
        rc = oc__value_flag(&call->out[0], OC__F_OPEN, err);
    }
    return rc;
}

/* --- dynamic_slice and dynamic_update_slice ------------------------------- */

/* Where a window of `sizes` in operand 0 begins: the scalars from operand `first` on,
 * clamped so that the window stays inside. */
typedef struct window_start {
    int64_t at[OC_MAX_RANK];
    bool undecided;
    uint8_t sticky;
} window_start;

static oc_status read_start(oc__call *call, size_t first, const int64_t *sizes,
                            window_start *out, oc_error *err)
{
    const oc__value *operand = call->in[0];
    *out = (window_start){0};
    if (call->op->operand_count != first + operand->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu start indices for an operand of %zu dimensions",
                            call->op->operand_count - first, operand->rank);
    }
    for (size_t d = 0; d < operand->rank; d++) {
        const oc__value *start = call->in[first + d];
        if (start->rank != 0) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "start index %zu is %s; it must be a scalar", d,
                                oc__shown_dims(start->dims, start->rank).text);
        }
        if (sizes[d] < 0 || sizes[d] > operand->dims[d]) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "a slice of %lld along dimension %zu, which has %lld "
                                "elements",
                                (long long)sizes[d], d, (long long)operand->dims[d]);
        }
        oc_status rc = oc__check_same_dtype(call, "a start index", start,
                                            "the first one", call->in[first], err);
        int64_t *number = NULL;
        if (rc == OC_OK) {
            rc = oc__index_elements(call, "start indices", start, &number, err);
        }
        if (rc != OC_OK) {
            return rc;
        }
        int64_t last = operand->dims[d] - sizes[d];
        out->at[d] = *number < 0 ? 0 : *number > last ? last : *number;
        free(number);
        /* A start that can only be 0 does not depend on its index. */
        if (last > 0 && start->f) {
            out->undecided = out->undecided || (oc__f(start)[0] & OC__F_UNDECIDED);
            out->sticky |= oc__value_sticky(start);
        }
    }
    return OC_OK;
}

oc_status oc__run_dynamic_slice(oc__call *call, oc_error *err)
{
    int64_t sizes[OC_MAX_RANK];
    window_start start;
    oc_status rc = oc__check_tensors(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "slice_sizes", call->in[0]->rank, false, 0, sizes,
                              err);
    }
    if (rc == OC_OK) {
        rc = read_start(call, 1, sizes, &start, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0];
    if (start.undecided) {
        return oc__give_undecided(call, 0, operand, sizes, operand->rank,
                                  "undecided_index", err);
    }
    oc__view view = oc__view_of(operand->dims, operand->rank);
    for (size_t d = 0; d < operand->rank; d++) {
        view.dims[d] = sizes[d];
        view.from_start += start.at[d] * view.from_strides[d];
    }
    oc__value *made;
    rc = oc__view_read(operand, &view, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__give(call, 0, made);
    return oc__value_flag(&call->out[0], start.sticky, err);
}

oc_status oc__run_dynamic_update_slice(oc__call *call, oc_error *err)
{
    window_start start;
    oc_status rc = oc__check_tensors(call, 2, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0], *update = call->in[1];
    rc = oc__check_same_dtype(call, "the update", update, "the operand", operand, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (update->rank != operand->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "an update of %zu dimensions for an operand of %zu",
                            update->rank, operand->rank);
    }
    rc = read_start(call, 2, update->dims, &start, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (start.undecided) {
        return oc__give_undecided(call, 0, operand, operand->dims, operand->rank,
                                  "undecided_index", err);
    }
    oc__value *made;
    rc = oc__take_operand(call, 0, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__give(call, 0, made);
    oc__view view = oc__view_of(update->dims, update->rank);
    oc__element_strides(operand->dims, operand->rank, view.to_strides);
    for (size_t d = 0; d < operand->rank; d++) {
        view.to_start += start.at[d] * view.to_strides[d];
    }
    rc = oc__view_write(made, update, &view, err);
    return rc == OC_OK ? oc__value_flag(&call->out[0], start.sticky, err) : rc;
}

/* --- concatenate ---------------------------------------------------------- */

oc_status oc__run_concatenate(oc__call *call, oc_error *err)
{
    size_t dimension;
    oc_status rc = oc__check_tensors(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_dimension(call, "dimension", call->in[0]->rank, &dimension, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *first = call->in[0];
    int64_t dims[OC_MAX_RANK];
    memcpy(dims, first->dims, sizeof dims);
    for (size_t i = 1; i < call->op->operand_count; i++) {
        const oc__value *next = call->in[i];
        bool fits = next->rank == first->rank;
        for (size_t d = 0; fits && d < first->rank; d++) {
            fits = d == dimension || next->dims[d] == first->dims[d];
        }
        if (!fits) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "operand %zu is %s; along dimension %zu it does not "
                                "continue %s",
                                i, oc__shown_dims(next->dims, next->rank).text,
                                dimension,
                                oc__shown_dims(first->dims, first->rank).text);
        }
        rc =
            oc__check_same_dtype(call, "an operand", next, "the first one", first, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (__builtin_add_overflow(dims[dimension], next->dims[dimension],
                                   &dims[dimension])) {
            return OC_CALL_FAIL(call, err, OC_LIMIT, "the result's size does not fit");
        }
    }
    oc__value *made;
    rc = oc__value_make(first->dtype, first->quant, dims, first->rank, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__give(call, 0, made);
    int64_t strides[OC_MAX_RANK], at = 0;
    oc__element_strides(dims, first->rank, strides);
    for (size_t i = 0; rc == OC_OK && i < call->op->operand_count; i++) {
        oc__view view = oc__view_of(call->in[i]->dims, first->rank);
        memcpy(view.to_strides, strides, sizeof strides);
        view.to_start = at * strides[dimension];
        at += view.dims[dimension];
        rc = oc__view_write(made, call->in[i], &view, err);
    }
    return rc;
}
