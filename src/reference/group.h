/* What group kernels share: the operands and results of all processes at once. */
#ifndef ONCHIP_REFERENCE_GROUP_H
#define ONCHIP_REFERENCE_GROUP_H

#include "reference/eval.h"

/* values[process * count + i] of a frame's processes; NULL for those that are not
 * active. */
typedef struct oc__bundle {
    size_t process_count, count;
    oc__value **values;
} oc__bundle;

/* All of NULL. OC_NOMEM. A bundle of zeros needs no release. */
OC_MUST_USE oc_status oc__bundle_make(const oc__frame *frame, size_t count,
                                      oc__bundle *out_bundle, oc_error *err);
void oc__bundle_release(oc__bundle *bundle);

/* The operands [first, first + bundle->count) of the operation, for its own use. */
void oc__bundle_take(oc__bundle *bundle, oc__frame *frame, const oc__hlo_op *op,
                     const oc__op_plan *plan, size_t first);
/* Moves the values into the operation's results. */
void oc__bundle_give(oc__bundle *bundle, oc__frame *frame, const oc__hlo_op *op);

static inline oc__value **oc__bundle_row(const oc__bundle *bundle, size_t process)
{
    return bundle->values + process * bundle->count;
}

#endif
