#include "reference/hull.h"
#include "reference/movement_windows.h"

#include <string.h>

/* A scalar of the operand's type of which nothing is known: what an undecided index
 * reads. */
static oc_status make_unknown(const oc__value *like, oc__value **out, oc_error *err)
{
    oc_status rc = oc__value_make(like->dtype, like->quant, NULL, 0, out, err);
    if (rc == OC_OK) {
        memset((*out)->m->bytes, 0, (*out)->m->size_bytes);
        rc = oc__forget_prepare(*out, err);
    }
    if (rc == OC_OK) {
        oc__forget_element(*out, 0);
    }
    return rc;
}

static oc_status give_gathered(oc__call *call, oc__windows *w, oc_error *err)
{
    oc__window_index index = {0};
    oc__value *unknown = NULL, *made = NULL;
    oc_status rc = oc__windows_result(call, w, err);
    if (rc == OC_OK) {
        rc = oc__windows_index(call, w, &index, err);
    }
    if (rc == OC_OK && index.undecided > 0) {
        oc__call_note(call, "undecided_index", index.undecided);
        rc = make_unknown(w->operand, &unknown, err);
    }
    if (rc == OC_OK) {
        rc = oc__value_gather(w->operand, unknown, index.index, w->dims, w->rank, &made,
                              err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    oc__give(call, 0, made);
    if (index.sticky) {
        uint8_t *f = oc__value_own_f(made);
        if (!f) {
            rc = oc__no_memory(err);
            goto done;
        }
        for (size_t i = 0; i < made->count; i++) {
            f[i] |= index.sticky[i];
        }
    }
    if (index.unsorted && oc__hlo_attr_flag(call->op, "indices_are_sorted")) {
        oc__call_note(call, "indices_not_sorted", made->count);
        rc = oc__value_flag(&call->out[0], OC__F_OPEN, err);
    }
done:
    oc__value_release(unknown);
    oc__window_index_free(&index);
    return rc;
}

oc_status oc__run_gather(oc__call *call, oc_error *err)
{
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__windows w = {.operand = call->in[0], .indices = call->in[1], .clamps = true};
    rc = oc__windows_read(call, "dimension_numbers", &w, err);
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "slice_sizes", w.operand->rank, false, 0, w.sizes,
                              err);
    }
    return rc == OC_OK ? give_gathered(call, &w, err) : rc;
}

oc_status oc__run_dynamic_gather(oc__call *call, oc_error *err)
{
    size_t count;
    oc_status rc = oc__check_arity(call, 3, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__windows w = {.operand = call->in[0], .indices = call->in[1], .clamps = true};
    rc = oc__windows_read(call, "dimension_numbers", &w, err);
    if (rc == OC_OK) {
        rc = oc__vector_operand(call, 2, "slice_sizes", w.sizes, &count, err);
    }
    if (rc == OC_OK && count != w.operand->rank) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "%zu slice sizes for an operand of %zu dimensions", count,
                          w.operand->rank);
    }
    return rc == OC_OK ? give_gathered(call, &w, err) : rc;
}
