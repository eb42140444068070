#include "reference/eval.h"
#include "reference/fuse.h"
#include "reference/quantized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 16,         /* operands and results that need no allocation */
    MAX_RUNNING = 512 /* blocks inside each other: regions and calls */
};

void oc__frame_set(oc__frame *frame, size_t process, size_t value, oc__value *v)
{
    oc__value **slot = oc__slot(frame, process, value);
    oc__value *old = *slot;
    *slot = v;
    oc__value_release(old);
}

/* --- one operation ------------------------------------------------------------- */

static bool fits(const oc__value *value, const oc__hlo_type *type)
{
    if (type->kind == OC__HLO_OTHER) {
        return true;
    }
    if (value->kind != type->kind) {
        return false;
    }
    if (type->kind == OC__HLO_TUPLE) {
        bool all = value->element_count == type->element_count;
        for (size_t i = 0; all && i < type->element_count; i++) {
            all = fits(value->elements[i], type->elements[i]);
        }
        return all;
    }
    if (type->kind != OC__HLO_TENSOR) {
        return true;
    }
    bool same = value->dtype == type->dtype && value->rank == type->rank;
    for (size_t i = 0; same && i < type->rank; i++) {
        same = type->dims[i] == OC__HLO_DYNAMIC || type->dims[i] == value->dims[i];
    }
    return same;
}

static void type_text(const oc__value *value, char *out, size_t size)
{
    if (value->kind != OC__HLO_TENSOR) {
        snprintf(out, size, "a %s", value->kind == OC__HLO_TOKEN ? "token" : "tuple");
        return;
    }
    size_t used = (size_t)snprintf(out, size, "%s[", oc_dtype_name(value->dtype));
    for (size_t i = 0; i < value->rank && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? "," : "",
                                 (long long)value->dims[i]);
    }
    if (used < size) {
        snprintf(out + used, size - used, "]");
    }
}

static oc_status check_results(const oc__frame *frame, const oc__hlo_op *op,
                               oc__value *const *out, oc_error *err)
{
    for (size_t i = 0; i < op->result_count; i++) {
        if (!out[i]) {
            return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                           "%s: the reference gave no result %zu", op->name, i);
        }
        bool good = frame->batch > 0
                        ? out[i]->count == frame->batch || out[i]->count == 1
                        : fits(out[i], op->result_types[i]);
        if (!good) {
            char made[128];
            type_text(out[i], made, sizeof made);
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "%s: result %zu is declared as %s, but it is %s", op->name,
                           i, op->result_types[i]->text, made);
        }
    }
    return OC_OK;
}

oc__value *oc__frame_take(oc__frame *frame, size_t process, const oc__hlo_op *op,
                          const oc__op_plan *plan, size_t operand)
{
    oc__value **slot = oc__slot(frame, process, op->operands[operand]);
    oc__value *value = *slot;
    if (plan->gives[operand]) {
        *slot = NULL;
        return value;
    }
    return oc__value_retain(value);
}

/* Operands and results of one execution: on the stack when they are few. */
typedef struct pads {
    oc__value **values;
    oc__value *few[FEW];
} pads;

static bool pads_make(pads *p, size_t count)
{
    p->values = count <= FEW ? p->few : malloc(count * sizeof(oc__value *));
    if (p->values) {
        memset(p->values, 0, count * sizeof(oc__value *));
    }
    return p->values != NULL;
}

static void pads_free(pads *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        oc__value_release(p->values[i]);
    }
    if (p->values != p->few) {
        free(p->values);
    }
}

/* A kernel without a statistical model leaves its radius as the standard deviation:
 * what follows must not take its results for free of errors. */
static void bound_sigma(const oc__eval *eval, oc__value *const *values, size_t count)
{
    for (size_t i = 0; eval->arith.sigma && i < count; i++) {
        if (values[i] && values[i]->r && !values[i]->s) {
            values[i]->s = oc__plane_retain(values[i]->r);
        }
    }
}

static oc_status run_kernel(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                            oc__op_plan *plan, size_t process, oc_error *err)
{
    pads p;
    size_t count = op->operand_count + op->result_count;
    if (!pads_make(&p, count)) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for operands");
    }
    // A value that two operands name is given away by the later one.
    for (size_t i = 0; i < op->operand_count; i++) {
        p.values[i] = oc__frame_take(frame, process, op, plan, i);
    }
    oc__value **out = p.values + op->operand_count;
    oc__call call = {.eval = eval,
                     .frame = frame,
                     .op = op,
                     .process = process,
                     .in = p.values,
                     .out = out};
    oc_status rc = plan->quantized ? oc__quantized_run(&call, plan->kernel, err)
                                   : plan->kernel->run(&call, err);
    if (rc == OC_OK) {
        rc = check_results(frame, op, out, err);
    }
    if (rc == OC_OK) {
        bound_sigma(eval, out, op->result_count);
    }
    for (size_t i = 0; rc == OC_OK && i < op->result_count; i++) {
        oc__frame_set(frame, process, op->first_result + i, out[i]);
        out[i] = NULL;
    }
    pads_free(&p, count);
    return rc;
}

/* A constant is converted once, or twice where nothing said that it would come again.
 */
static oc_status run_constant(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                              oc__op_plan *plan, size_t process, oc_error *err)
{
    if (plan->kept) {
        oc__frame_set(frame, process, op->first_result, oc__value_retain(plan->kept));
        return OC_OK;
    }
    oc_status rc = run_kernel(eval, frame, op, plan, process, err);
    if (rc == OC_OK && plan->keeps) {
        plan->kept = oc__value_retain(*oc__slot(frame, process, op->first_result));
    }
    plan->keeps = true;
    return rc;
}

static oc_status check_group(const oc__frame *frame, const oc__hlo_op *op,
                             oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t p = 0; rc == OC_OK && p < frame->process_count; p++) {
        if (frame->active[p]) {
            rc = check_results(
                frame, op,
                &frame->slots[p * frame->func->value_count + op->first_result], err);
        }
    }
    return rc;
}

static void release_dying(oc__frame *frame, const oc__hlo_op *op)
{
    for (size_t d = 0; d < op->dying_count; d++) {
        for (size_t p = 0; p < frame->process_count; p++) {
            if (frame->active[p]) {
                oc__frame_set(frame, p, op->dying[d], NULL);
            }
        }
    }
}

static oc_status run_op(oc__eval *eval, oc__frame *frame, const oc__hlo_op *op,
                        oc__op_plan *plan, oc_error *err)
{
    if (!plan->kernel) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                       "the reference does not know the operation '%s'", op->name);
    }
    oc_status rc = oc__eval_step(eval, err);
    if (rc == OC_OK && plan->kernel->run_group) {
        rc = plan->kernel->run_group(eval, frame, op, plan, err);
        if (rc == OC_OK) {
            rc = check_group(frame, op, err);
        }
    } else {
        for (size_t p = 0; rc == OC_OK && p < frame->process_count; p++) {
            if (frame->active[p]) {
                rc = plan->is_constant ? run_constant(eval, frame, op, plan, p, err)
                                       : run_kernel(eval, frame, op, plan, p, err);
            }
        }
    }
    if (rc == OC_OK) {
        release_dying(frame, op);
    }
    return rc;
}

/* --- frames, blocks, functions ------------------------------------------------- */

/* The operands of the terminator; what is left of the block's arguments goes. */
static oc_status leave_block(oc__frame *frame, const oc__hlo_block *block,
                             const oc__hlo_op *op, const oc__op_plan *plan,
                             oc__value **results, size_t result_count, oc_error *err)
{
    size_t given = plan && plan->is_return ? op->operand_count : 0;
    if (given != result_count) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "a region or function returns %zu values where %zu are wanted",
                       given, result_count);
    }
    for (size_t p = 0; p < frame->process_count; p++) {
        for (size_t i = 0; frame->active[p] && i < given; i++) {
            results[p * result_count + i] = oc__frame_take(frame, p, op, plan, i);
        }
        for (size_t a = 0; frame->active[p] && a < block->argument_count; a++) {
            oc__frame_set(frame, p, block->first_argument + a, NULL);
        }
    }
    if (given > 0) {
        release_dying(frame, op);
    }
    return OC_OK;
}

static oc_status run_ops(oc__eval *eval, oc__frame *frame, const oc__hlo_block *block,
                         oc__value **results, size_t result_count, oc_error *err)
{
    const oc__block_plan *plan = oc__plan_block(eval, block);
    oc_status rc = OC_OK;
    size_t i = 0;
    while (i < block->op_count && !plan->ops[i].is_return) {
        size_t chain = frame->batch == 0 ? plan->ops[i].fused : 0;
        rc = chain > 0 ? oc__fuse_run(eval, frame, block, i, chain, err)
                       : run_op(eval, frame, block->ops[i], &plan->ops[i], err);
        if (rc != OC_OK) {
            oc__eval_place(eval, block->ops[i], &rc, err);
            return rc;
        }
        i += chain > 0 ? chain : 1;
    }
    // A loop whose body is empty takes steps too.
    rc = oc__eval_step(eval, err);
    if (rc == OC_OK) {
        const oc__hlo_op *last = i < block->op_count ? block->ops[i] : NULL;
        rc = leave_block(frame, block, last, last ? &plan->ops[i] : NULL, results,
                         result_count, err);
    }
    if (rc != OC_OK && i < block->op_count) {
        oc__eval_place(eval, block->ops[i], &rc, err);
    }
    return rc;
}

oc_status oc__block_run(oc__eval *eval, oc__frame *frame, const oc__hlo_block *block,
                        oc__value **results, size_t result_count, oc_error *err)
{
    if (eval->depth >= MAX_RUNNING) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                       "calls and regions run more than %d deep", MAX_RUNNING);
    }
    eval->depth++;
    oc_status rc = run_ops(eval, frame, block, results, result_count, err);
    eval->depth--;
    return rc;
}

oc_status oc__func_run(oc__eval *eval, oc__frame *frame, const oc__hlo_func *func,
                       oc__value **args, size_t arg_count, oc__value **results,
                       oc_error *err)
{
    oc__frame callee = {.func = func,
                        .process_count = frame->process_count,
                        .active = frame->active,
                        .batch = frame->batch,
                        .first_process = frame->first_process};
    size_t slot_count = frame->process_count * func->value_count;
    oc_status rc = OC_OK;
    if (arg_count != func->body.argument_count) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "@%s takes %zu arguments, not %zu", func->name,
                     func->body.argument_count, arg_count);
        goto done;
    }
    callee.plan = oc__plan_func(eval, func);
    callee.slots = calloc(slot_count + 1, sizeof(oc__value *));
    if (!callee.plan || !callee.slots) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a call");
        goto done;
    }
    for (size_t p = 0; p < frame->process_count; p++) {
        for (size_t i = 0; i < arg_count; i++) {
            *oc__slot(&callee, p, func->body.first_argument + i) =
                args[p * arg_count + i];
            args[p * arg_count + i] = NULL;
        }
    }
    rc = oc__block_run(eval, &callee, &func->body, results, func->result_count, err);
done:
    for (size_t i = 0; i < frame->process_count * arg_count; i++) {
        oc__value_release(args[i]);
        args[i] = NULL;
    }
    for (size_t i = 0; callee.slots && i < slot_count; i++) {
        oc__value_release(callee.slots[i]);
    }
    free(callee.slots);
    return rc;
}
