/* What the collective operations share: who exchanges with whom, and the exchange. */
#ifndef ONCHIP_REFERENCE_COLLECTIVE_H
#define ONCHIP_REFERENCE_COLLECTIVE_H

#include "reference/group.h"

/* How ids of groups become processes (StableHLO specification, "Collective ops"). */
typedef enum oc__strategy {
    OC__CROSS_REPLICA = 1,
    OC__CROSS_PARTITION,
    OC__CROSS_REPLICA_AND_PARTITION,
    OC__FLATTENED_IDS
} oc__strategy;

/* Groups of processes: group i is members[i * width .. + sizes[i]), process = replica *
 * partitions + partition, in the order of the specification. */
typedef struct oc__groups {
    size_t count, width;
    size_t *members;
    size_t *sizes;
} oc__groups;

/* The strategy of operations that know use_global_device_ids: all_gather, all_reduce,
 * reduce_scatter. */
OC_MUST_USE oc_status oc__strategy_global(const oc__hlo_op *op,
                                          oc__strategy *out_strategy, oc_error *err);
/* That of all others: cross_replica, or cross_partition when there is a channel. */
oc__strategy oc__strategy_plain(const oc__hlo_op *op);

/* The groups that an attribute (replica_groups, source_target_pairs) makes. OC_PARSE:
 * ids out of range; a process twice, unless `pairs`, where a process may send and
 * receive. */
OC_MUST_USE oc_status oc__groups_make(oc__eval *eval, const oc__hlo_op *op,
                                      const char *attribute, oc__strategy strategy,
                                      bool pairs, oc__groups *out_groups,
                                      oc_error *err);
void oc__groups_free(oc__groups *groups);

/* --- the exchange: one execution of a collective operation by all processes ---- */

typedef struct oc__exchange {
    oc__eval *eval;
    oc__frame *frame;
    const oc__hlo_op *op;
    oc__bundle in, out;
    const size_t *members; /* of the group at hand */
    size_t size;
} oc__exchange;

/* Makes the results of one group, all of whose members take part. */
typedef oc_status (*oc__exchange_fn)(oc__exchange *x, oc_error *err);

/* Processes that no group names get zeros where the operation says so. */
typedef enum oc__outsiders { OC__REFUSED = 0, OC__ZEROS } oc__outsiders;

OC_MUST_USE oc_status oc__exchange_run(oc__eval *eval, oc__frame *frame,
                                       const oc__hlo_op *op, const oc__op_plan *plan,
                                       const oc__groups *groups,
                                       oc__outsiders outsiders, oc__exchange_fn fn,
                                       oc_error *err);

/* Operand and result i of a member of the group at hand. */
static inline oc__value *oc__exchange_in(const oc__exchange *x, size_t member, size_t i)
{
    return oc__bundle_row(&x->in, x->members[member])[i];
}
static inline oc__value **oc__exchange_out(const oc__exchange *x, size_t member,
                                           size_t i)
{
    return &oc__bundle_row(&x->out, x->members[member])[i];
}

/* --- values -------------------------------------------------------------------- */

/* Tensors put one after the other along a dimension; part `index` of `count` equal
 * ones. */
OC_MUST_USE oc_status oc__value_concatenate(oc__value *const *parts, size_t count,
                                            size_t dimension, oc__value **out_value,
                                            oc_error *err);
OC_MUST_USE oc_status oc__value_part(const oc__value *value, size_t dimension,
                                     size_t index, size_t count, oc__value **out_value,
                                     oc_error *err);

/* The terms of one group reduced by the operation's region, in the group's order. call:
 * of the group's first process. */
OC_MUST_USE oc_status oc__group_reduce(oc__call *call, oc__value *const *terms,
                                       size_t count, oc__value **out_value,
                                       oc_error *err);

#endif
