#include "reference/collective.h"

#include <stdlib.h>

/* Operations on replica_groups. */
static oc_status run_groups(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                            const oc__op_plan *plan, oc__strategy strategy,
                            oc__outsiders outsiders, oc__exchange_fn fn, oc_error *err)
{
    oc__groups groups;
    oc_status rc =
        oc__groups_make(eval, op, "replica_groups", strategy, false, &groups, err);
    if (rc == OC_OK) {
        rc = oc__exchange_run(eval, frame, op, plan, &groups, outsiders, fn, err);
        oc__groups_free(&groups);
    }
    return rc;
}

static oc_status run_global(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                            const oc__op_plan *plan, oc__exchange_fn fn, oc_error *err)
{
    oc__strategy strategy;
    oc_status rc = oc__strategy_global(op, &strategy, err);
    return rc == OC_OK
               ? run_groups(eval, frame, op, plan, strategy, OC__REFUSED, fn, err)
               : rc;
}

/* A dimension that an attribute names, of the group's operand i. */
static oc_status dimension_of(const oc__exchange *x, const char *attribute, size_t i,
                              size_t *out_dimension, oc_error *err)
{
    int64_t dimension = oc__hlo_attr_int(x->op, attribute, -1);
    const oc__value *value = oc__exchange_in(x, 0, i);
    if (value->kind != OC__HLO_TENSOR || dimension < 0 ||
        (uint64_t)dimension >= value->rank) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: its operand has no dimension '%s' %lld", x->op->name,
                       attribute, (long long)dimension);
    }
    *out_dimension = (size_t)dimension;
    return OC_OK;
}

/* --- all_gather ---------------------------------------------------------------- */

static oc_status gather_group(oc__exchange *x, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__value **parts = malloc((x->size + 1) * sizeof *parts);
    if (!parts) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a group");
    }
    for (size_t i = 0; rc == OC_OK && i < x->out.count; i++) {
        size_t dimension = 0;
        oc__value *whole = NULL;
        rc = dimension_of(x, "all_gather_dim", i, &dimension, err);
        for (size_t k = 0; k < x->size; k++) {
            parts[k] = oc__exchange_in(x, k, i);
        }
        if (rc == OC_OK) {
            rc = oc__value_concatenate(parts, x->size, dimension, &whole, err);
        }
        for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
            *oc__exchange_out(x, k, i) = oc__value_retain(whole);
        }
        oc__value_release(whole);
    }
    free(parts);
    return rc;
}

static oc_status run_all_gather(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                                const oc__op_plan *plan, oc_error *err)
{
    return run_global(eval, frame, op, plan, gather_group, err);
}

/* --- all_reduce, reduce_scatter, collective_reduce ----------------------------- */

static oc_status reduce_group(oc__exchange *x, size_t i, oc__value **out_value,
                              oc_error *err)
{
    oc__call call = {
        .eval = x->eval, .frame = x->frame, .op = x->op, .process = x->members[0]};
    *out_value = NULL;
    oc__value **terms = malloc((x->size + 1) * sizeof *terms);
    if (!terms) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a group");
    }
    for (size_t k = 0; k < x->size; k++) {
        terms[k] = oc__exchange_in(x, k, i);
    }
    oc_status rc = oc__group_reduce(&call, terms, x->size, out_value, err);
    free(terms);
    return rc;
}

static oc_status all_reduce_group(oc__exchange *x, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < x->out.count; i++) {
        oc__value *whole = NULL;
        rc = reduce_group(x, i, &whole, err);
        for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
            *oc__exchange_out(x, k, i) = oc__value_retain(whole);
        }
        oc__value_release(whole);
    }
    return rc;
}

static oc_status run_all_reduce(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                                const oc__op_plan *plan, oc_error *err)
{
    return run_global(eval, frame, op, plan, all_reduce_group, err);
}

static oc_status scatter_group(oc__exchange *x, oc_error *err)
{
    size_t dimension = 0;
    oc__value *whole = NULL;
    oc_status rc = dimension_of(x, "scatter_dimension", 0, &dimension, err);
    if (rc == OC_OK) {
        rc = reduce_group(x, 0, &whole, err);
    }
    for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
        rc = oc__value_part(whole, dimension, k, x->size, oc__exchange_out(x, k, 0),
                            err);
    }
    oc__value_release(whole);
    return rc;
}

static oc_status run_reduce_scatter(oc__eval *eval, oc__frame *frame,
                                    const oc__hlo_op *op, const oc__op_plan *plan,
                                    oc_error *err)
{
    return run_global(eval, frame, op, plan, scatter_group, err);
}

/* The member that sends (or keeps) result i as process `member` sees it: the first one,
 * or with has_dynamic_root the one that the last operand names. */
static oc_status root_of(const oc__exchange *x, size_t member, size_t i,
                         size_t *out_root, oc_error *err)
{
    *out_root = 0;
    if (!oc__hlo_attr_flag(x->op, "has_dynamic_root")) {
        return OC_OK;
    }
    const oc__value *roots = oc__exchange_in(x, member, x->in.count - 1);
    int64_t index = (int64_t)i, root = -1;
    oc__value *one = NULL;
    if (roots->kind != OC__HLO_TENSOR || roots->count != x->out.count) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: its last operand must name a root for each of %zu results",
                       x->op->name, x->out.count);
    }
    oc_status rc = oc__value_gather(roots, NULL, &index, NULL, 0, &one, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool decided = oc__value_ints(one, &root);
    oc__value_release(one);
    if (!decided || root < 0 || (uint64_t)root >= x->size) {
        return OC_FAIL(err, decided ? OC_PARSE : OC_INVALID_ARGUMENT,
                       decided ? OC_BOUNDARY_INPUT : OC_BOUNDARY_NUMERIC,
                       "%s: root %lld of a group of %zu%s", x->op->name,
                       (long long)root, x->size, decided ? "" : " is undecided");
    }
    *out_root = (size_t)root;
    return OC_OK;
}

/* The reduced value stays with the root; the others' results are zeros. */
static oc_status collective_reduce_group(oc__exchange *x, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < x->out.count; i++) {
        for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
            size_t root;
            rc = root_of(x, k, i, &root, err);
            if (rc == OC_OK && root == k) {
                rc = reduce_group(x, i, oc__exchange_out(x, k, i), err);
            }
        }
    }
    return rc;
}

static oc_status run_collective_reduce(oc__eval *eval, oc__frame *frame,
                                       const oc__hlo_op *op, const oc__op_plan *plan,
                                       oc_error *err)
{
    return run_groups(eval, frame, op, plan, oc__strategy_plain(op), OC__ZEROS,
                      collective_reduce_group, err);
}

/* --- all_to_all ---------------------------------------------------------------- */

/* What member `receiver` gets of operand i: its part of every sender's tensor. */
static oc_status receive_parts(oc__exchange *x, size_t receiver, size_t i,
                               oc__value **parts, oc_error *err)
{
    size_t split = 0, concat = 0;
    oc_status rc = dimension_of(x, "split_dimension", i, &split, err);
    if (rc == OC_OK) {
        rc = dimension_of(x, "concat_dimension", i, &concat, err);
    }
    for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
        rc = oc__value_part(oc__exchange_in(x, k, i), split, receiver, x->size,
                            &parts[k], err);
    }
    if (rc == OC_OK) {
        rc = oc__value_concatenate(parts, x->size, concat,
                                   oc__exchange_out(x, receiver, i), err);
    }
    for (size_t k = 0; k < x->size; k++) {
        oc__value_release(parts[k]);
        parts[k] = NULL;
    }
    return rc;
}

static oc_status all_to_all_group(oc__exchange *x, oc_error *err)
{
    int64_t count = oc__hlo_attr_int(x->op, "split_count", (int64_t)x->size);
    if (count != (int64_t)x->size) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: split_count is %lld in a group of %zu", x->op->name,
                       (long long)count, x->size);
    }
    oc__value **parts = calloc(x->size + 1, sizeof *parts);
    if (!parts) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a group");
    }
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < x->out.count; i++) {
        for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
            rc = receive_parts(x, k, i, parts, err);
        }
    }
    free(parts);
    return rc;
}

static oc_status run_all_to_all(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                                const oc__op_plan *plan, oc_error *err)
{
    return run_groups(eval, frame, op, plan, oc__strategy_plain(op), OC__REFUSED,
                      all_to_all_group, err);
}

/* --- collective_broadcast, collective_permute ---------------------------------- */

static oc_status broadcast_group(oc__exchange *x, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < x->out.count; i++) {
        for (size_t k = 0; rc == OC_OK && k < x->size; k++) {
            size_t root;
            rc = root_of(x, k, i, &root, err);
            if (rc == OC_OK) {
                *oc__exchange_out(x, k, i) =
                    oc__value_retain(oc__exchange_in(x, root, i));
            }
        }
    }
    return rc;
}

static oc_status run_collective_broadcast(oc__eval *eval, oc__frame *frame,
                                          const oc__hlo_op *op, const oc__op_plan *plan,
                                          oc_error *err)
{
    return run_groups(eval, frame, op, plan, oc__strategy_plain(op), OC__ZEROS,
                      broadcast_group, err);
}

/* A group is a pair: who sends, who receives. */
static oc_status permute_pair(oc__exchange *x, oc_error *err)
{
    (void)err;
    for (size_t i = 0; i < x->out.count; i++) {
        *oc__exchange_out(x, 1, i) = oc__value_retain(oc__exchange_in(x, 0, i));
    }
    return OC_OK;
}

static oc_status run_collective_permute(oc__eval *eval, oc__frame *frame,
                                        const oc__hlo_op *op, const oc__op_plan *plan,
                                        oc_error *err)
{
    oc__groups pairs;
    oc_status rc = oc__groups_make(eval, op, "source_target_pairs",
                                   oc__strategy_plain(op), true, &pairs, err);
    if (rc == OC_OK) {
        rc = oc__exchange_run(eval, frame, op, plan, &pairs, OC__ZEROS, permute_pair,
                              err);
        oc__groups_free(&pairs);
    }
    return rc;
}

/* --- ids ----------------------------------------------------------------------- */

static oc_status run_id(oc__call *call, size_t id, oc_error *err)
{
    oc_status rc = oc__value_make(OC_U32, NULL, NULL, 0, &call->out[0], err);
    if (rc == OC_OK) {
        *(uint32_t *)(void *)call->out[0]->m->bytes = (uint32_t)id;
    }
    return rc;
}

static oc_status run_replica_id(oc__call *call, oc_error *err)
{
    size_t process = call->frame->first_process + call->process;
    return run_id(call, process / call->eval->partitions, err);
}

static oc_status run_partition_id(oc__call *call, oc_error *err)
{
    size_t process = call->frame->first_process + call->process;
    return run_id(call, process % call->eval->partitions, err);
}

const oc__kernel oc__kernels_collective[] = {
    {"stablehlo.all_gather", NULL, run_all_gather, false, "M", ""},
    {"stablehlo.all_reduce", NULL, run_all_reduce, false, "S n",
     "n: the size of the group; all orders of the members are allowed"},
    {"stablehlo.all_to_all", NULL, run_all_to_all, false, "M", ""},
    {"stablehlo.collective_broadcast", NULL, run_collective_broadcast, false, "M", ""},
    {"stablehlo.collective_permute", NULL, run_collective_permute, false, "M", ""},
    {"stablehlo.collective_reduce", NULL, run_collective_reduce, false, "S n", ""},
    {"stablehlo.partition_id", run_partition_id, NULL, false, "E", ""},
    {"stablehlo.reduce_scatter", NULL, run_reduce_scatter, false, "S n", ""},
    {"stablehlo.replica_id", run_replica_id, NULL, false, "E", ""},
    {0},
};
