#include "reference/collective.h"

#include <string.h>

static oc_status fill_outsiders(oc__exchange *x, oc__outsiders outsiders, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t p = 0; rc == OC_OK && p < x->frame->process_count; p++) {
        oc__value **row = oc__bundle_row(&x->out, p);
        for (size_t i = 0; rc == OC_OK && x->frame->active[p] && i < x->out.count;
             i++) {
            if (row[i]) {
                continue;
            }
            if (outsiders == OC__REFUSED) {
                return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                               "%s: process %zu is in no group", x->op->name, p);
            }
            const oc__value *shape = oc__bundle_row(&x->in, p)[i];
            rc = oc__value_make(shape->dtype, shape->quant, shape->dims, shape->rank,
                                &row[i], err);
            if (rc == OC_OK) {
                memset(row[i]->m->bytes, 0, row[i]->m->size_bytes);
            }
        }
    }
    return rc;
}

/* All members of a group take part, or none does. */
static oc_status check_active(const oc__exchange *x, bool *out_active, oc_error *err)
{
    size_t active = 0;
    for (size_t k = 0; k < x->size; k++) {
        active += x->frame->active[x->members[k]];
    }
    *out_active = active > 0;
    if (active > 0 && active < x->size) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: only %zu of the %zu processes of a group come to it",
                       x->op->name, active, x->size);
    }
    return OC_OK;
}

oc_status oc__exchange_run(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                           const oc__op_plan *plan, const oc__groups *groups,
                           oc__outsiders outsiders, oc__exchange_fn fn, oc_error *err)
{
    oc__exchange x = {.eval = eval, .frame = frame, .op = op};
    if (frame->process_count != eval->replicas * eval->partitions) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: a collective operation in a region that processes run for "
                       "themselves",
                       op->name);
    }
    if (op->operand_count < op->result_count) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: %zu operands for %zu results", op->name, op->operand_count,
                       op->result_count);
    }
    oc_status rc = oc__bundle_make(frame, op->operand_count, &x.in, err);
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, op->result_count, &x.out, err);
    }
    if (rc == OC_OK) {
        oc__bundle_take(&x.in, frame, op, plan, 0);
    }
    for (size_t g = 0; rc == OC_OK && g < groups->count; g++) {
        bool active = false;
        x.members = groups->members + g * groups->width;
        x.size = groups->sizes[g];
        rc = check_active(&x, &active, err);
        if (rc == OC_OK && active) {
            rc = fn(&x, err);
        }
    }
    if (rc == OC_OK) {
        rc = fill_outsiders(&x, outsiders, err);
    }
    if (rc == OC_OK) {
        oc__bundle_give(&x.out, frame, op);
    }
    oc__bundle_release(&x.in);
    oc__bundle_release(&x.out);
    return rc;
}
