#include "reference/control.h"

#include "reference/hull.h"
#include "tensor/float_format.h"

#include <string.h>

/* --- calls --------------------------------------------------------------------- */

/* func.call names its callee, stablehlo.composite the function that says what it means.
 */
static oc_status call_function(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                               const oc__op_plan *plan, const char *attribute,
                               oc_error *err)
{
    const oc__hlo_func *func;
    oc__bundle args = {0}, results = {0};
    oc_status rc =
        oc__plan_callee(eval, op, oc__hlo_attr_text(op, attribute, NULL), &func, err);
    if (rc == OC_OK && func->result_count != op->result_count) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "%s: @%s gives %zu results, not %zu", op->name, func->name,
                     func->result_count, op->result_count);
    }
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, op->operand_count, &args, err);
    }
    if (rc == OC_OK) {
        rc = oc__bundle_make(frame, op->result_count, &results, err);
    }
    if (rc == OC_OK) {
        oc__bundle_take(&args, frame, op, plan, 0);
        rc = oc__func_run(eval, frame, func, args.values, args.count, results.values,
                          err);
    }
    if (rc == OC_OK) {
        oc__bundle_give(&results, frame, op);
    }
    oc__bundle_release(&args);
    oc__bundle_release(&results);
    return rc;
}

static oc_status run_call(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                          const oc__op_plan *plan, oc_error *err)
{
    return call_function(eval, frame, op, plan, "callee", err);
}

static oc_status run_composite(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                               const oc__op_plan *plan, oc_error *err)
{
    return call_function(eval, frame, op, plan, "decomposition", err);
}

/* --- values as they are -------------------------------------------------------- */

/* Fills a tensor with its first element. */
static void repeat_first(oc__value *value)
{
    size_t size = oc__value_m_size(value);
    size_t total = value->m->size_bytes;
    for (size_t done = size; done < total;) {
        size_t more = done < total - done ? done : total - done;
        memcpy(value->m->bytes + done, value->m->bytes, more);
        done += more;
    }
}

static oc_status run_constant(oc__call *call, oc_error *err)
{
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    const oc__hlo_attr *attr = oc__hlo_attr_get(call->op, "value");
    if (!attr || attr->kind != OC__ATTR_DENSE || type->kind != OC__HLO_TENSOR ||
        attr->type->dtype != type->dtype) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "it has no value of its result's type");
    }
    oc_status rc = oc__value_make(type->dtype, type->quant, type->dims, type->rank,
                                  &call->out[0], err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *out = call->out[0];
    const oc__hlo_dense *dense = attr->dense;
    size_t elements = dense->splat && out->count > 1 ? 1 : out->count;
    size_t bits = oc_dtype_host_bits(type->dtype);
    if (dense->size_bytes < elements * (bits / 8)) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu bytes of data for %zu elements of %zu bits",
                            dense->size_bytes, elements, bits);
    }
    if (oc__float_format_of(type->dtype)) {
        size_t numbers = oc__dtype_is_complex(type->dtype) ? 2 * elements : elements;
        oc__float_decode_array(type->dtype, dense->data, numbers, oc__m(out));
    } else if (elements > 0) {
        memcpy(out->m->bytes, dense->data, elements * (bits / 8));
    }
    if (elements < out->count) {
        repeat_first(out);
    }
    return OC_OK;
}

/* Each result is the operand of its number. */
static void pass_on(oc__call *call)
{
    for (size_t i = 0; i < call->op->result_count; i++) {
        call->out[i] = oc__value_retain(call->in[i]);
    }
}

static oc_status run_identity(oc__call *call, oc_error *err)
{
    if (call->op->operand_count != call->op->result_count) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "it takes %zu values and gives %zu",
                            call->op->operand_count, call->op->result_count);
    }
    pass_on(call);
    return OC_OK;
}

static oc_status run_token(oc__call *call, oc_error *err)
{
    return oc__value_token(&call->out[0], err);
}

static oc_status run_tuple(oc__call *call, oc_error *err)
{
    oc_status rc =
        oc__value_tuple(call->in, call->op->operand_count, &call->out[0], err);
    for (size_t i = 0; rc == OC_OK && i < call->op->operand_count; i++) {
        oc__value_retain(call->in[i]);
    }
    return rc;
}

static oc_status run_get_tuple_element(oc__call *call, oc_error *err)
{
    int64_t index = oc__hlo_attr_int(call->op, "index", -1);
    if (call->in[0]->kind != OC__HLO_TUPLE || index < 0 ||
        (size_t)index >= call->in[0]->element_count) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "its operand has no element %lld",
                            (long long)index);
    }
    call->out[0] = oc__value_retain(call->in[0]->elements[index]);
    return OC_OK;
}

/* --- what the reference cannot know -------------------------------------------- */

/* Results that depend on something outside of the program: evaluation goes on with
 * undecided ones. */
static oc_status make_open(oc__call *call, const char *rule, oc_error *err)
{
    uint64_t elements = 0;
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < call->op->result_count; i++) {
        rc = oc__value_zeros(oc__call_result_type(call, i), &call->out[i], err);
        if (rc == OC_OK) {
            rc = oc__value_undecide(&call->out[i], OC__F_OPEN, err);
            elements += call->out[i]->count;
        }
    }
    if (elements > 0) {
        oc__call_note(call, rule, elements);
    }
    return rc;
}

static oc_status run_open(oc__call *call, oc_error *err)
{
    return make_open(call, call->op->name, err);
}

/* Targets that only say where a value should lie or how it is divided among devices
 * (XLA's and Shardy's; each gives its operand back). */
static const char *const annotations[] = {
    "AllocateBuffer",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "PinToDevice",
    "PinToDeviceSram",
    "PinToHost",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "annotate_device_placement",
    "stablehlo.shape_refinement_operand_wrapper",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
};

/* Whether the results are the operands: SPMDFullToShardShape changes the shape when
 * there is more than one shard, and is then more than an annotation. */
static bool is_annotation(const oc__call *call, const char *target)
{
    bool known = false;
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
        known = known || strcmp(target, annotations[i]) == 0;
    }
    const oc__hlo_op *op = call->op;
    known = known && op->result_count > 0 && op->operand_count >= op->result_count;
    for (size_t i = 0; known && i < op->result_count; i++) {
        const oc__hlo_type *type = oc__call_result_type(call, i);
        const oc__value *in = call->in[i];
        known = type->kind == in->kind && type->dtype == in->dtype &&
                type->rank == in->rank;
        for (size_t d = 0; known && d < in->rank; d++) {
            known = type->dims[d] == OC__HLO_DYNAMIC || type->dims[d] == in->dims[d];
        }
    }
    return known;
}

static oc_status run_custom_call(oc__call *call, oc_error *err)
{
    const char *target = oc__hlo_attr_text(call->op, "call_target_name", "");
    if (is_annotation(call, target)) {
        pass_on(call);
        return OC_OK;
    }
    return make_open(call, oc__eval_text(call->eval, "custom_call @%s", target), err);
}

#define OPEN_REMARK "results depend on the host or another program: not judged"

const oc__kernel oc__kernels_control[] = {
    {"func.call", NULL, run_call, false, "-", "its function"},
    {"chlo.constant", run_constant, NULL, true, "E", ""},
    {"stablehlo.after_all", run_token, NULL, false, "M", ""},
    {"stablehlo.async_done", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.async_start", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.case", NULL, oc__run_case, false, "U",
     "an undecided index gives the hull of all branches"},
    {"stablehlo.composite", NULL, run_composite, false, "-", "its decomposition"},
    {"stablehlo.constant", run_constant, NULL, true, "E", ""},
    {"stablehlo.create_token", run_token, NULL, false, "M", ""},
    {"stablehlo.custom_call", run_custom_call, NULL, false, "-",
     "annotations pass their operand on; other targets are not judged"},
    {"stablehlo.get_tuple_element", run_get_tuple_element, NULL, false, "M", ""},
    {"stablehlo.if", NULL, oc__run_if, false, "U",
     "an undecided predicate gives the hull of both branches"},
    {"stablehlo.infeed", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.optimization_barrier", run_identity, NULL, true, "M", ""},
    {"sdy.manual_computation", NULL, oc__run_manual, false, "-",
     "its body, where that computes with whole values; with shards it is not judged"},
    {"sdy.sharding_constraint", run_identity, NULL, true, "M",
     "the values do not depend on it"},
    {"stablehlo.outfeed", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.recv", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.send", run_open, NULL, false, "-", OPEN_REMARK},
    {"stablehlo.tuple", run_tuple, NULL, false, "M", ""},
    {"stablehlo.while", NULL, oc__run_while, false, "U",
     "an undecided condition ends the evaluation of the loop: its results are "
     "undecided"},
    {0},
};
