/* Operations that give elements a new shape or order, and those that only make one. */
#include "reference/movement.h"

#include <stdlib.h>
#include <string.h>

/* --- reshape -------------------------------------------------------------- */

static oc_status give_reshaped(oc__call *call, const int64_t *dims, size_t rank,
                               oc_error *err)
{
    const oc__value *operand = call->in[0];
    size_t count = 1;
    bool overflows = false, negative = false;
    for (size_t d = 0; d < rank; d++) {
        negative = negative || dims[d] < 0;
        overflows = overflows || __builtin_mul_overflow(count, (size_t)dims[d], &count);
    }
    if (negative || overflows || count != operand->count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "the operand %s has %zu elements, which do not make %s",
                            oc__shown_dims(operand->dims, operand->rank).text,
                            operand->count, oc__shown_dims(dims, rank).text);
    }
    oc__value *made;
    oc_status rc = oc__value_reshaped(operand, dims, rank, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
    return rc;
}

oc_status oc__run_reshape(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__static_shape(call, 0, dims, &rank, err);
    }
    return rc == OC_OK ? give_reshaped(call, dims, rank, err) : rc;
}

oc_status oc__run_dynamic_reshape(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc == OC_OK) {
        rc = oc__vector_operand(call, 1, "output_shape", dims, &rank, err);
    }
    return rc == OC_OK ? give_reshaped(call, dims, rank, err) : rc;
}

/* --- broadcasts ----------------------------------------------------------- */

/* Operand dimension d becomes dimension map[d] of the result. */
static oc_status give_broadcast(oc__call *call, const int64_t *map, size_t map_count,
                                const int64_t *dims, size_t rank, oc_error *err)
{
    const oc__value *operand = call->in[0];
    uint32_t mask;
    if (map_count != operand->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "'broadcast_dimensions' has %zu numbers for an operand of "
                            "%zu dimensions",
                            map_count, operand->rank);
    }
    oc_status rc = oc__check_dims(call, "broadcast_dimensions", map, map_count, rank,
                                  false, &mask, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__view view = {.rank = rank};
    memcpy(view.dims, dims, rank * sizeof *dims);
    int64_t strides[OC_MAX_RANK];
    oc__element_strides(operand->dims, operand->rank, strides);
    for (size_t d = 0; d < operand->rank; d++) {
        if (operand->dims[d] != 1 && operand->dims[d] != dims[map[d]]) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "dimension %zu of the operand has %lld elements, "
                                "dimension %lld of the result %lld",
                                d, (long long)operand->dims[d], (long long)map[d],
                                (long long)dims[map[d]]);
        }
        view.from_strides[map[d]] = operand->dims[d] == 1 ? 0 : strides[d];
    }
    oc__value *made;
    rc = oc__view_read(operand, &view, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
    return rc;
}

oc_status oc__run_broadcast_in_dim(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    const int64_t *map;
    size_t rank, map_count;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__static_shape(call, 0, dims, &rank, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "broadcast_dimensions", &map, &map_count, err);
    }
    return rc == OC_OK ? give_broadcast(call, map, map_count, dims, rank, err) : rc;
}

oc_status oc__run_dynamic_broadcast_in_dim(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    const int64_t *map;
    size_t rank, map_count;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc == OC_OK) {
        rc = oc__vector_operand(call, 1, "output_dimensions", dims, &rank, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "broadcast_dimensions", &map, &map_count, err);
    }
    return rc == OC_OK ? give_broadcast(call, map, map_count, dims, rank, err) : rc;
}

/* The old operation: new dimensions in front of the operand's. */
oc_status oc__run_broadcast(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK], map[OC_MAX_RANK];
    const int64_t *sizes;
    size_t count;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "broadcast_sizes", &sizes, &count, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0];
    if (count + operand->rank > OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT,
                            "%zu new dimensions before %zu; at most %d are handled",
                            count, operand->rank, OC_MAX_RANK);
    }
    memcpy(dims, sizes, count * sizeof *dims);
    for (size_t d = 0; d < operand->rank; d++) {
        dims[count + d] = operand->dims[d];
        map[d] = (int64_t)(count + d);
    }
    return give_broadcast(call, map, operand->rank, dims, count + operand->rank, err);
}

/* --- order ---------------------------------------------------------------- */

oc_status oc__run_transpose(oc__call *call, oc_error *err)
{
    const int64_t *permutation;
    size_t count;
    uint32_t mask;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "permutation", &permutation, &count, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0];
    if (count != operand->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "'permutation' has %zu numbers for an operand of %zu "
                            "dimensions",
                            count, operand->rank);
    }
    rc = oc__check_dims(call, "permutation", permutation, count, count, false, &mask,
                        err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__view view = {.rank = count};
    int64_t strides[OC_MAX_RANK];
    oc__element_strides(operand->dims, operand->rank, strides);
    for (size_t d = 0; d < count; d++) {
        view.dims[d] = operand->dims[permutation[d]];
        view.from_strides[d] = strides[permutation[d]];
    }
    oc__value *made;
    rc = oc__view_read(operand, &view, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
    return rc;
}

oc_status oc__run_reverse(oc__call *call, oc_error *err)
{
    const int64_t *dims;
    size_t count;
    uint32_t mask;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "dimensions", &dims, &count, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0];
    rc = oc__check_dims(call, "dimensions", dims, count, operand->rank, false, &mask,
                        err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__view view = oc__view_of(operand->dims, operand->rank);
    for (size_t d = 0; d < operand->rank; d++) {
        if ((mask & (1U << d)) && operand->dims[d] > 0) {
            view.from_start += (operand->dims[d] - 1) * view.from_strides[d];
            view.from_strides[d] = -view.from_strides[d];
        }
    }
    oc__value *made;
    rc = oc__view_read(operand, &view, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
    return rc;
}

/* --- sizes of dimensions -------------------------------------------------- */

oc_status oc__run_get_dimension_size(oc__call *call, oc_error *err)
{
    size_t dimension;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_dimension(call, "dimension", call->in[0]->rank, &dimension, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    int64_t size = call->in[0]->dims[dimension];
    if (size > INT32_MAX) {
        return OC_CALL_FAIL(call, err, OC_LIMIT,
                            "dimension %zu has %lld elements, which i32 does not hold",
                            dimension, (long long)size);
    }
    oc__value *made;
    rc = oc__value_make(OC_S32, NULL, NULL, 0, &made, err);
    if (rc == OC_OK) {
        *(int32_t *)(void *)made->m->bytes = (int32_t)size;
        oc__give(call, 0, made);
    }
    return rc;
}

/* XLA's SetDimensionSize: only the first `size` elements of the dimension count from
 * here on. A result that is declared dynamic there shrinks; in one of a static shape
 * the elements past the size stay, and nothing says what they are. */
oc_status oc__run_set_dimension_size(oc__call *call, oc_error *err)
{
    size_t dimension;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc == OC_OK) {
        rc = oc__read_dimension(call, "dimension", call->in[0]->rank, &dimension, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0], *size_value = call->in[1];
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    int64_t *size = NULL;
    oc__value *made = NULL;
    rc = oc__index_elements(call, "the size", size_value, &size, err);
    if (rc != OC_OK) {
        goto done;
    }
    int64_t whole = operand->dims[dimension];
    if (size_value->count != 1 || size[0] < 0 || size[0] > whole) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "a size of %lld for dimension %zu, which has %lld elements",
                          (long long)(size_value->count == 1 ? size[0] : -1), dimension,
                          (long long)whole);
        goto done;
    }
    if (oc__f(size_value) && (oc__f(size_value)[0] & OC__F_UNDECIDED)) {
        rc = OC_CALL_FAIL(call, err, OC_INVALID_ARGUMENT,
                          "the size of dimension %zu is undecided", dimension);
        goto done;
    }
    bool shrinks = type->kind == OC__HLO_TENSOR && dimension < type->rank &&
                   type->dims[dimension] == OC__HLO_DYNAMIC;
    oc__view view = oc__view_of(operand->dims, operand->rank);
    if (shrinks) {
        view.dims[dimension] = size[0];
    }
    rc = oc__view_read(operand, &view, &made, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (!shrinks && size[0] < whole && made->count > 0) {
        uint8_t *f = oc__value_own_f(made);
        if (!f) {
            rc = oc__no_memory(err);
            goto done;
        }
        oc__view past = oc__view_of(made->dims, made->rank);
        past.dims[dimension] = whole - size[0];
        past.to_start = size[0] * past.to_strides[dimension];
        memset(past.from_strides, 0, sizeof past.from_strides);
        const uint8_t open = OC__F_OPEN;
        oc__copy_elements(&past, f, &open, 1);
        oc__call_note(call, "set_dimension_size",
                      made->count / (size_t)whole * (size_t)(whole - size[0]));
    }
    oc__give(call, 0, made);
    made = NULL;
done:
    oc__value_release(made);
    free(size);
    return rc;
}
