#include "reference/movement_windows.h"

/* --- dimension numbers ---------------------------------------------------- */

/* The names of the five lists, gather's and scatter's. */
enum { OFFSET, COLLAPSED, BATCHING, INDEX_BATCHING, INDEX_MAP, LISTS };
static const char *const names[2][LISTS] = {
    {"update_window_dims", "inserted_window_dims", "input_batching_dims",
     "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"},
    {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
     "start_indices_batching_dims", "start_index_map"}};

static oc_status check_lists(oc__call *call, const oc__windows *w, oc_error *err)
{
    const char *const *name = names[w->clamps];
    size_t index_rank = w->indices->rank;
    int64_t vector_size =
        w->vector_dim < index_rank ? w->indices->dims[w->vector_dim] : 1;
    if (vector_size != (int64_t)w->index_map.count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "index vectors of %lld numbers, but '%s' names %zu "
                            "dimensions",
                            (long long)vector_size, name[INDEX_MAP],
                            w->index_map.count);
    }
    if (w->offset.count + w->collapsed.count + w->batching.count != w->operand->rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu '%s', %zu '%s' and %zu '%s' for an operand of %zu "
                            "dimensions",
                            w->offset.count, name[OFFSET], w->collapsed.count,
                            name[COLLAPSED], w->batching.count, name[BATCHING],
                            w->operand->rank);
    }
    if ((w->collapsed.mask | w->index_map.mask) & w->batching.mask) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "a dimension of '%s' is in '%s' or '%s' too",
                            name[BATCHING], name[COLLAPSED], name[INDEX_MAP]);
    }
    if (w->index_batching.count != w->batching.count ||
        (w->vector_dim < index_rank &&
         (w->index_batching.mask >> w->vector_dim & 1U))) {
        return OC_CALL_FAIL(
            call, err, OC_PARSE,
            "%zu '%s' for %zu '%s' (index_vector_dim %zu cannot be one)",
            w->index_batching.count, name[INDEX_BATCHING], w->batching.count,
            name[BATCHING], w->vector_dim);
    }
    for (size_t i = 0; i < w->batching.count; i++) {
        int64_t a = w->operand->dims[w->batching.dims[i]];
        int64_t b = w->indices->dims[w->index_batching.dims[i]];
        if (a != b) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "batching dimension %zu has %lld elements in the "
                                "operand, %lld in the indices",
                                i, (long long)a, (long long)b);
        }
    }
    return OC_OK;
}

oc_status oc__windows_read(oc__call *call, const char *name, oc__windows *w,
                           oc_error *err)
{
    const oc__hlo_attr *numbers = oc__hlo_attr_get(call->op, name);
    if (!numbers ||
        (numbers->kind != OC__ATTR_STRUCT && numbers->kind != OC__ATTR_DICT)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "needs the attribute '%s'", name);
    }
    const oc__hlo_attr *vector = oc__hlo_entry(numbers, "index_vector_dim");
    int64_t vector_dim = vector && vector->kind == OC__ATTR_INT ? vector->integer : 0;
    size_t rank = w->operand->rank, index_rank = w->indices->rank;
    if (vector_dim < 0 || (uint64_t)vector_dim > index_rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "index_vector_dim is %lld for indices of %zu dimensions",
                            (long long)vector_dim, index_rank);
    }
    w->vector_dim = (size_t)vector_dim;
    oc__dim_list *const lists[LISTS] = {&w->offset, &w->collapsed, &w->batching,
                                        &w->index_batching, &w->index_map};
    for (size_t i = 0; i < LISTS; i++) {
        const char *list_name = names[w->clamps][i];
        oc_status rc =
            oc__hlo_ints(oc__call_module(call), oc__hlo_entry(numbers, list_name),
                         &lists[i]->dims, &lists[i]->count, err);
        if (rc == OC_OK && i != OFFSET) { /* offset dimensions are the result's */
            rc = oc__check_dims(call, list_name, lists[i]->dims, lists[i]->count,
                                i == INDEX_BATCHING ? index_rank : rank,
                                i == COLLAPSED || i == BATCHING, &lists[i]->mask, err);
        }
        if (rc != OC_OK) {
            return rc;
        }
    }
    return check_lists(call, w, err);
}

oc_status oc__windows_result(oc__call *call, oc__windows *w, oc_error *err)
{
    w->rank = oc__batch_rank(w) + w->offset.count;
    if (w->rank > OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT,
                            "a result of %zu dimensions; at most %d are handled",
                            w->rank, OC_MAX_RANK);
    }
    oc_status rc = oc__check_dims(call, "offset_dims", w->offset.dims, w->offset.count,
                                  w->rank, true, &w->offset.mask, err);
    if (rc != OC_OK) {
        return rc;
    }
    uint32_t hidden = oc__hidden_dims(w);
    for (size_t d = 0; d < w->operand->rank; d++) {
        int64_t most = hidden >> d & 1U ? 1 : w->operand->dims[d];
        most = most < w->operand->dims[d] ? most : w->operand->dims[d];
        if (w->sizes[d] < 0 || w->sizes[d] > most) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "a slice size of %lld for dimension %zu, where at most "
                                "%lld fits",
                                (long long)w->sizes[d], d, (long long)most);
        }
    }
    size_t next_batch = 0, next_window = 0;
    for (size_t d = 0; d < w->rank; d++) {
        if (w->offset.mask >> d & 1U) {
            while (hidden >> next_window & 1U) {
                next_window++;
            }
            w->dims[d] = w->sizes[next_window++];
        } else {
            w->dims[d] = w->indices->dims[oc__index_dim(w, next_batch++)];
        }
    }
    return OC_OK;
}

oc_status oc__windows_sizes(oc__call *call, oc__windows *w, oc_error *err)
{
    if (w->rank != oc__batch_rank(w) + w->offset.count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "updates of %zu dimensions; the indices give %zu and the "
                            "windows %zu",
                            w->rank, oc__batch_rank(w), w->offset.count);
    }
    oc_status rc = oc__check_dims(call, "update_window_dims", w->offset.dims,
                                  w->offset.count, w->rank, true, &w->offset.mask, err);
    if (rc != OC_OK) {
        return rc;
    }
    uint32_t hidden = oc__hidden_dims(w);
    for (size_t d = 0; d < w->operand->rank; d++) {
        w->sizes[d] = 1;
    }
    size_t next_batch = 0, next_window = 0;
    for (size_t d = 0; d < w->rank; d++) {
        int64_t most;
        bool fits;
        if (w->offset.mask >> d & 1U) {
            while (hidden >> next_window & 1U) {
                next_window++;
            }
            most = w->operand->dims[next_window];
            fits = w->dims[d] <= most;
            w->sizes[next_window++] = w->dims[d];
        } else {
            most = w->indices->dims[oc__index_dim(w, next_batch++)];
            fits = w->dims[d] == most;
        }
        if (!fits) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "dimension %zu of the updates has %lld elements, where "
                                "%lld fit",
                                d, (long long)w->dims[d], (long long)most);
        }
    }
    return OC_OK;
}
