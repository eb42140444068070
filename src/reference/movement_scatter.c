#include "reference/hull.h"
#include "reference/movement_windows.h"

#include <string.h>

/* --- scatter -------------------------------------------------------------- */

/* Operands: the inputs, the indices, the updates. All inputs have one shape, and all
 * updates. */
static oc_status check_operands(oc__call *call, size_t count, oc_error *err)
{
    for (size_t k = 0; k < count; k++) {
        const oc__value *input = call->in[k], *update = call->in[count + 1 + k];
        oc_status rc =
            oc__check_same_dtype(call, "an update", update, "its operand", input, err);
        if (rc != OC_OK) {
            return rc;
        }
        const oc__value *pairs[2][2] = {{input, call->in[0]},
                                        {update, call->in[count + 1]}};
        for (size_t p = 0; p < 2; p++) {
            const oc__value *a = pairs[p][0], *b = pairs[p][1];
            if (a->rank != b->rank ||
                memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0) {
                return OC_CALL_FAIL(call, err, OC_PARSE,
                                    "%s %zu is %s where the first one is %s",
                                    p == 0 ? "operand" : "update", k,
                                    oc__shown_dims(a->dims, a->rank).text,
                                    oc__shown_dims(b->dims, b->rank).text);
            }
        }
    }
    return OC_OK;
}

/* What of the indices concerns all elements of all results. */
static oc_status flag_results(oc__call *call, const oc__window_index *index,
                              const oc__value *indices, oc_error *err)
{
    uint8_t flags = oc__value_sticky(indices);
    bool unsorted =
        index->unsorted && oc__hlo_attr_flag(call->op, "indices_are_sorted");
    oc_status rc = OC_OK;
    for (size_t k = 0; rc == OC_OK && k < call->op->result_count; k++) {
        if (index->undecided > 0) {
            oc__call_note(call, "undecided_index", call->out[k]->count);
            rc = oc__value_undecide(&call->out[k], 0, err);
        }
        if (unsorted) {
            oc__call_note(call, "indices_not_sorted", call->out[k]->count);
        }
        if (rc == OC_OK) {
            rc =
                oc__value_flag(&call->out[k], flags | (unsorted ? OC__F_OPEN : 0), err);
        }
    }
    return rc;
}

oc_status oc__run_scatter(oc__call *call, oc_error *err)
{
    size_t count = call->op->operand_count / 2;
    oc__window_index index = {0};
    oc_status rc = oc__check_arity(call, 2 * count + 1, count, err);
    if (rc == OC_OK && (count == 0 || call->op->region_count != 1)) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "needs an operand and a region");
    }
    if (rc == OC_OK) {
        rc = check_operands(call, count, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *indices = call->in[count], *update = call->in[count + 1];
    oc__windows w = {.operand = call->in[0], .indices = indices, .rank = update->rank};
    memcpy(w.dims, update->dims, update->rank * sizeof *w.dims);
    rc = oc__windows_read(call, "scatter_dimension_numbers", &w, err);
    if (rc == OC_OK) {
        rc = oc__windows_sizes(call, &w, err);
    }
    if (rc == OC_OK) {
        rc = oc__windows_index(call, &w, &index, err);
    }
    for (size_t k = 0; rc == OC_OK && k < count; k++) {
        oc__value *taken;
        rc = oc__take_operand(call, k, &taken, err);
        if (rc == OC_OK) {
            oc__give(call, k, taken);
        }
    }
    if (rc == OC_OK) {
        rc = oc__combine_updates(call, call->op->regions[0], call->out,
                                 call->in + count + 1, count, index.index,
                                 oc__hlo_attr_flag(call->op, "unique_indices"), err);
    }
    if (rc == OC_OK) {
        rc = flag_results(call, &index, indices, err);
    }
    oc__window_index_free(&index);
    return rc;
}
