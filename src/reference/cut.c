/* The walk: main with its calls inlined as a flat list of operations, then backwards
 * through it with what is wanted of every value, then forwards to the new module. */
#include "reference/cut_inner.h"

#include <stdlib.h>
#include <string.h>

/* A program whose calls are inlined may be much longer than its text. */
enum { MAX_NODES = 1 << 22, MAX_CALLS = 1 << 20 };

/* --- memory and errors --- */

static bool no_memory(oc__cutter *c)
{
    c->rc =
        OC_FAIL(c->err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory to cut a program");
    return false;
}

void *oc__cut_take_memory(oc__cutter *c, oc__arena *arena, size_t count, size_t size)
{
    void *taken = oc__arena_take(arena, count, size);
    if (!taken) {
        no_memory(c);
    }
    return taken;
}

void *oc__cut_room(oc__cutter *c, void *list, size_t count, size_t *capacity,
                   size_t size)
{
    if (count < *capacity) {
        return list;
    }
    size_t larger = 2 * *capacity + 64;
    void *moved = oc__cut_take_memory(c, c->scratch, larger, size);
    if (moved && count > 0) {
        memcpy(moved, list, count * size);
    }
    *capacity = moved ? larger : *capacity;
    return moved;
}

bool oc__cut_fail_at(oc__cutter *c, const oc__hlo_op *op, oc_status status,
                     const char *what)
{
    c->rc = oc__hlo_fail(c->module, op, c->err, status, OC_BOUNDARY_NUMERIC, "%s: %s",
                         op->name, what);
    return false;
}

/* --- one list of operations --- */

bool oc__cut_value_add(oc__cutter *c, const oc__hlo_type *type)
{
    oc__cut_value *values = oc__cut_room(c, c->values, c->value_count,
                                         &c->value_capacity, sizeof *c->values);
    if (!values) {
        return false;
    }
    c->values = values;
    c->values[c->value_count++] = (oc__cut_value){.type = type, .number = OC__CUT_NONE};
    return true;
}

static bool add_node(oc__cutter *c, oc__cut_frame *frame, const oc__hlo_op *op)
{
    if (c->node_count == MAX_NODES) {
        return oc__cut_fail_at(c, op, OC_LIMIT,
                               "too many operations, with calls inlined, to be cut");
    }
    size_t *operands =
        oc__cut_take_memory(c, c->scratch, op->operand_count, sizeof *operands);
    oc__cut_node *nodes =
        oc__cut_room(c, c->nodes, c->node_count, &c->node_capacity, sizeof *c->nodes);
    if (!operands || !nodes) {
        return false;
    }
    c->nodes = nodes;
    for (size_t k = 0; k < op->operand_count; k++) {
        operands[k] = frame->flat[op->operands[k]];
    }
    oc__cut_node *node = &c->nodes[c->node_count++];
    *node = (oc__cut_node){
        .op = op, .frame = frame, .operands = operands, .first_result = c->value_count};
    for (size_t k = 0; k < op->result_count; k++) {
        frame->flat[op->first_result + k] = c->value_count;
        if (!oc__cut_value_add(c, op->result_types[k])) {
            return false;
        }
    }
    node->rule = oc__cut_rule_of(c, node);
    return true;
}

static oc__cut_frame *make_frame(oc__cutter *c, const oc__hlo_func *func)
{
    oc__cut_frame *frame = oc__cut_take_memory(c, c->scratch, 1, sizeof *frame);
    size_t count = func->value_count;
    if (frame) {
        frame->func = func;
        frame->flat = oc__cut_take_memory(c, c->scratch, count, sizeof *frame->flat);
        frame->inner = oc__cut_take_memory(c, c->scratch, count, sizeof *frame->inner);
    }
    if (!frame || !frame->flat || !frame->inner) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        frame->flat[i] = OC__CUT_NONE;
    }
    return frame;
}

/* The operations of a function whose arguments are set; its calls are followed (they
 * come to an end: oc__cut_check). results: indices of what it returns. */
static bool flatten(oc__cutter *c, oc__cut_frame *frame, size_t *results)
{
    const oc__hlo_block *body = &frame->func->body;
    bool ok = true;
    for (size_t i = 0; ok && i < body->op_count; i++) {
        const oc__hlo_op *op = body->ops[i];
        const oc__hlo_func *callee = NULL;
        ok = oc__cut_callee(c, op, &callee);
        if (ok && oc__cut_is_return(op)) {
            for (size_t k = 0; k < op->operand_count; k++) {
                results[k] = frame->flat[op->operands[k]];
            }
        } else if (ok && callee && c->call_count++ == MAX_CALLS) {
            ok = oc__cut_fail_at(c, op, OC_LIMIT, "too many calls to be cut");
        } else if (ok && callee) {
            oc__cut_frame *called = make_frame(c, callee);
            for (size_t k = 0; called && k < op->operand_count; k++) {
                called->flat[callee->body.first_argument + k] =
                    frame->flat[op->operands[k]];
            }
            ok = called && flatten(c, called, frame->flat + op->first_result);
        } else if (ok) {
            ok = add_node(c, frame, op);
        }
    }
    return ok;
}

/* --- backwards --- */

static bool want(oc__cutter *c, size_t value, const oc__grid *grid)
{
    oc__cut_value *v = &c->values[value];
    if (!v->wanted) {
        v->wanted = true;
        v->grid = *grid;
        return true;
    }
    return oc__grid_join(c, v->type, &v->grid, grid);
}

/* Values of the function that a region reads: whole. */
static bool want_captured(oc__cutter *c, const oc__cut_frame *frame,
                          const oc__hlo_block *block)
{
    bool ok = true;
    for (size_t i = 0; ok && i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        for (size_t k = 0; ok && k < op->operand_count; k++) {
            size_t value = frame->flat[op->operands[k]];
            oc__grid whole;
            if (value != OC__CUT_NONE) {
                oc__grid_whole(c->values[value].type, &whole);
                ok = want(c, value, &whole);
            }
        }
        for (size_t r = 0; ok && r < op->region_count; r++) {
            ok = want_captured(c, frame, &op->regions[r]->block);
        }
    }
    return ok;
}

static bool demand(oc__cutter *c, oc__cut_node *node)
{
    bool wanted = false, ok = true;
    for (size_t k = 0; k < node->op->result_count; k++) {
        wanted = wanted || oc__cut_out(c, node, k)->wanted;
    }
    if (!wanted) {
        return true;
    }
    size_t count = node->op->operand_count;
    node->needs = oc__cut_take_memory(c, c->scratch, count, sizeof *node->needs);
    if (!node->needs) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        oc__grid_whole(oc__cut_in(c, node, k)->type, &node->needs[k]);
    }
    ok = node->rule->demand(c, node);
    for (size_t k = 0; ok && k < count; k++) {
        const oc__grid *need = &node->needs[k];
        if (need->rank != OC__CUT_NONE) {
            ok = oc__grid_fits(oc__cut_in(c, node, k)->type, need)
                     ? want(c, node->operands[k], need)
                     : oc__cut_fail_at(c, node->op, OC_PARSE,
                                       "its operands do not fit its result");
        }
    }
    for (size_t r = 0; ok && r < node->op->region_count; r++) {
        ok = want_captured(c, node->frame, &node->op->regions[r]->block);
    }
    return ok;
}

/* --- forwards --- */

static bool add_arguments(oc__cutter *c, size_t *arguments, size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < c->argument_count; i++) {
        oc__cut_value *v = &c->values[i];
        if (!v->wanted) {
            continue;
        }
        const oc__hlo_type *type = oc__cut_type(c, v->type, &v->grid);
        if (!type || !oc__cut_number(c, type, &v->number)) {
            return false;
        }
        arguments[(*out_count)++] = i;
    }
    return true;
}

static bool take_inputs(oc__cutter *c, const size_t *arguments, const oc_tensor *inputs,
                        oc__cut *cut)
{
    cut->inputs = calloc(cut->input_count + 1, sizeof *cut->inputs);
    if (!cut->inputs) {
        return no_memory(c);
    }
    for (size_t i = 0; c->rc == OC_OK && i < cut->input_count; i++) {
        c->rc = oc__grid_take(&c->values[arguments[i]].grid, &inputs[arguments[i]],
                              &cut->inputs[i], c->err);
    }
    return c->rc == OC_OK;
}

static bool keep_made(oc__cutter *c, const size_t *roots, size_t root_count,
                      oc__cut *cut)
{
    cut->made = oc__cut_take_memory(c, c->arena, root_count, sizeof *cut->made);
    for (size_t i = 0; cut->made && i < root_count; i++) {
        oc__grid *made = &cut->made[i];
        *made = c->values[roots[i]].grid;
        for (size_t d = 0; d < made->rank; d++) {
            size_t size = (size_t)made->counts[d] * sizeof(int64_t);
            int64_t *own =
                made->indices[d] ? oc__cut_take_memory(c, c->arena, 1, size) : NULL;
            if (made->indices[d] && !own) {
                return false;
            }
            if (own) {
                memcpy(own, made->indices[d], size);
            }
            made->indices[d] = own;
        }
    }
    return cut->made != NULL;
}

/* The whole way, with roots as indices into the values. */
static bool build(oc__cutter *c, const oc__hlo_func *main, const oc_tensor *inputs,
                  const oc__cut_root *roots, const size_t *flat, size_t root_count,
                  oc__cut *cut)
{
    const oc__hlo_op *end = main->body.ops[main->body.op_count - 1];
    size_t *arguments =
        oc__cut_take_memory(c, c->scratch, c->argument_count, sizeof *arguments);
    size_t *results = oc__cut_take_memory(c, c->scratch, root_count, sizeof *results);
    bool ok = arguments && results;
    for (size_t i = 0; ok && i < root_count; i++) {
        ok = want(c, flat[i], &roots[i].grid);
    }
    for (size_t i = c->node_count; ok && i-- > 0;) {
        ok = demand(c, &c->nodes[i]);
    }
    ok = ok && add_arguments(c, arguments, &cut->input_count);
    for (size_t i = 0; ok && i < c->node_count; i++) {
        ok = !c->nodes[i].needs || c->nodes[i].rule->emit(c, &c->nodes[i]);
    }
    for (size_t i = 0; ok && i < root_count; i++) {
        ok = oc__cut_take(c, end, flat[i], &roots[i].grid, &results[i]);
    }
    ok = ok && keep_made(c, flat, root_count, cut) &&
         (!inputs || take_inputs(c, arguments, inputs, cut));
    return ok && oc__cut_finish(c, main, arguments, cut->input_count, results,
                                root_count, &cut->module);
}

static bool start(oc__cutter *c, const oc__hlo_func *main, const oc__cut_root *roots,
                  size_t *flat, size_t root_count)
{
    c->argument_count = main->body.argument_count;
    oc__cut_frame *frame = make_frame(c, main);
    size_t *returned =
        oc__cut_take_memory(c, c->scratch, main->result_count, sizeof *returned);
    bool ok = frame && returned;
    for (size_t i = 0; ok && i < c->argument_count; i++) {
        frame->flat[main->body.first_argument + i] = c->value_count;
        ok = oc__cut_value_add(c, main->argument_types[i]);
    }
    ok = ok && flatten(c, frame, returned);
    for (size_t i = 0; ok && i < root_count; i++) {
        flat[i] = roots[i].value < main->value_count ? frame->flat[roots[i].value]
                                                     : OC__CUT_NONE;
        if (flat[i] == OC__CUT_NONE ||
            !oc__grid_fits(c->values[flat[i]].type, &roots[i].grid)) {
            c->rc = OC_FAIL(c->err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                            "root %zu: main has no value with such a grid", i);
            ok = false;
        }
    }
    return ok;
}

oc_status oc__cut_make(const oc__hlo_module *module, const oc_tensor *inputs,
                       size_t input_count, const oc__cut_root *roots, size_t root_count,
                       oc__cut *out_cut, oc_error *err)
{
    const oc__hlo_func *main;
    oc__cut made = {0};
    *out_cut = made;
    oc_status rc = oc__hlo_main(module, &main, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (inputs && input_count != main->body.argument_count) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "%zu inputs for a program with %zu arguments", input_count,
                       main->body.argument_count);
    }
    oc__cutter c = {.module = module, .err = err};
    size_t *flat = NULL;
    c.scratch = oc__arena_make();
    c.arena = oc__arena_make();
    bool ok = c.scratch && c.arena ? true : no_memory(&c);
    ok = ok && (flat = oc__cut_take_memory(&c, c.scratch, root_count, sizeof *flat)) &&
         oc__cut_check(&c, main) && start(&c, main, roots, flat, root_count) &&
         build(&c, main, inputs, roots, flat, root_count, &made);
    oc__arena_free(c.scratch);
    if (!ok) {
        if (!made.module) {
            oc__arena_free(c.arena);
        }
        oc__cut_free(&made);
        return c.rc;
    }
    made.seconds = oc__cut_cost(made.module);
    *out_cut = made;
    return OC_OK;
}

void oc__cut_free(oc__cut *cut)
{
    for (size_t i = 0; cut->inputs && i < cut->input_count; i++) {
        oc_tensor_free(&cut->inputs[i]);
    }
    free(cut->inputs);
    oc__hlo_module_free(cut->module);
    *cut = (oc__cut){0};
}
