#include "reference/group.h"

#include <stdlib.h>

oc_status oc__bundle_make(const oc__frame *frame, size_t count, oc__bundle *out_bundle,
                          oc_error *err)
{
    *out_bundle = (oc__bundle){.process_count = frame->process_count, .count = count};
    out_bundle->values = calloc(frame->process_count * count + 1, sizeof(oc__value *));
    return out_bundle->values ? OC_OK
                              : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC,
                                        "no memory for the values of a region");
}

void oc__bundle_release(oc__bundle *bundle)
{
    size_t count = bundle->process_count * bundle->count;
    for (size_t i = 0; bundle->values && i < count; i++) {
        oc__value_release(bundle->values[i]);
    }
    free(bundle->values);
    *bundle = (oc__bundle){0};
}

void oc__bundle_take(oc__bundle *bundle, oc__frame *frame, const oc__hlo_op *op,
                     const oc__op_plan *plan, size_t first)
{
    for (size_t p = 0; p < bundle->process_count; p++) {
        for (size_t i = 0; frame->active[p] && i < bundle->count; i++) {
            oc__bundle_row(bundle, p)[i] =
                oc__frame_take(frame, p, op, plan, first + i);
        }
    }
}

void oc__bundle_give(oc__bundle *bundle, oc__frame *frame, const oc__hlo_op *op)
{
    for (size_t p = 0; p < bundle->process_count; p++) {
        for (size_t i = 0; frame->active[p] && i < bundle->count; i++) {
            oc__frame_set(frame, p, op->first_result + i, oc__bundle_row(bundle, p)[i]);
            oc__bundle_row(bundle, p)[i] = NULL;
        }
    }
}
