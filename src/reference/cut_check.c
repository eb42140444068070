/* Which programs can be cut: static tensors everywhere that a call reaches, no process
 * that waits for another, no function that comes back to itself. */
#include "reference/cut_inner.h"
#include "reference/kernel.h"

#include <string.h>

enum { MAX_NESTED = 1024 }; /* calls inside of calls */

typedef struct checker {
    oc__cutter *c;
    struct visit {
        const oc__hlo_func *func;
        bool open; /* its calls are being followed */
    } * visits;
    size_t count, depth;
} checker;

bool oc__cut_is_return(const oc__hlo_op *op)
{
    const char *dot = strrchr(op->name, '.');
    return strcmp(dot ? dot + 1 : op->name, "return") == 0;
}

bool oc__cut_callee(oc__cutter *c, const oc__hlo_op *op, const oc__hlo_func **out_func)
{
    const char *attribute = strcmp(op->name, "func.call") == 0 ? "callee"
                            : strcmp(op->name, "stablehlo.composite") == 0
                                ? "decomposition"
                                : NULL;
    *out_func = NULL;
    if (!attribute) {
        return true;
    }
    const char *name = oc__hlo_attr_text(op, attribute, NULL);
    *out_func = name ? oc__hlo_func_find(c->module, name) : NULL;
    bool fits = *out_func && (*out_func)->body.op_count > 0 &&
                (*out_func)->body.argument_count == op->operand_count &&
                (*out_func)->result_count == op->result_count;
    return fits || oc__cut_fail_at(c, op, OC_PARSE,
                                   "calls no function of its operands and results");
}

static bool check_func(checker *k, const oc__hlo_func *func, const oc__hlo_op *call);

static bool is_static(const oc__hlo_type *type)
{
    bool is = type->kind == OC__HLO_TENSOR;
    for (size_t d = 0; is && d < type->rank; d++) {
        is = type->dims[d] != OC__HLO_DYNAMIC;
    }
    return is;
}

static bool check_type(checker *k, const oc__hlo_type *type, const oc__hlo_op *op)
{
    return is_static(type) ||
           oc__cut_fail_at(k->c, op, OC_LIMIT,
                           type->kind == OC__HLO_TENSOR
                               ? "a dynamic shape: the program cannot be cut"
                               : "a value that is no tensor: the program cannot be "
                                 "cut");
}

static bool check_op(checker *k, const oc__hlo_op *op);

static bool check_block(checker *k, const oc__hlo_func *func,
                        const oc__hlo_block *block, const oc__hlo_op *holder)
{
    bool ok = true;
    for (size_t i = 0; ok && i < block->argument_count; i++) {
        ok = check_type(k, func->value_types[block->first_argument + i], holder);
    }
    for (size_t i = 0; ok && i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        ok = check_op(k, op);
        for (size_t r = 0; ok && r < op->region_count; r++) {
            ok = check_block(k, func, &op->regions[r]->block, op);
        }
    }
    return ok;
}

static bool check_op(checker *k, const oc__hlo_op *op)
{
    const oc__hlo_func *callee = NULL;
    bool ok = true;
    for (const oc__kernel *row = oc__kernels_collective; row->op; row++) {
        if (row->run_group && strcmp(row->op, op->name) == 0) {
            ok = oc__cut_fail_at(k->c, op, OC_LIMIT,
                                 "a collective: the program cannot be cut");
        }
    }
    for (size_t i = 0; ok && i < op->result_count; i++) {
        ok = check_type(k, op->result_types[i], op);
    }
    ok = ok && oc__cut_callee(k->c, op, &callee);
    return ok && (!callee || check_func(k, callee, op));
}

static bool check_func(checker *k, const oc__hlo_func *func, const oc__hlo_op *call)
{
    for (size_t i = 0; i < k->count; i++) {
        if (k->visits[i].func == func) {
            return !k->visits[i].open ||
                   oc__cut_fail_at(k->c, call, OC_LIMIT,
                                   "a function that calls itself: the program cannot "
                                   "be cut");
        }
    }
    if (k->depth == MAX_NESTED) {
        return oc__cut_fail_at(k->c, call, OC_LIMIT, "calls nest too deep to be cut");
    }
    struct visit *visit = &k->visits[k->count++];
    *visit = (struct visit){.func = func, .open = true};
    k->depth++;
    // The arguments' place is that of the first operation.
    bool ok = check_block(k, func, &func->body, call ? call : func->body.ops[0]);
    k->depth--;
    visit->open = false;
    return ok;
}

bool oc__cut_check(oc__cutter *c, const oc__hlo_func *main)
{
    checker k = {.c = c};
    k.visits =
        oc__cut_take_memory(c, c->scratch, c->module->func_count, sizeof *k.visits);
    return k.visits && check_func(&k, main, NULL);
}
