#include "reference/eval.h"
#include "reference/fuse.h"
#include "reference/quantized.h"

#include <stdlib.h>
#include <string.h>

/* --- pointer maps -------------------------------------------------------------- */

static size_t start(const oc__pointer_map *map, const void *key)
{
    // Fibonacci hashing; the low bits of a pointer into an arena are always zero.
    return (size_t)(((uint64_t)(uintptr_t)key >> 4) * 0x9E3779B97F4A7C15U >> 20) &
           (map->capacity - 1);
}

static size_t find(const oc__pointer_map *map, const void *key)
{
    size_t at = start(map, key);
    while (map->keys[at] && map->keys[at] != key) {
        at = (at + 1) & (map->capacity - 1);
    }
    return at;
}

static const void *map_get(const oc__pointer_map *map, const void *key)
{
    return map->capacity == 0 ? NULL : map->values[find(map, key)];
}

static bool map_put(oc__eval *eval, oc__pointer_map *map, const void *key,
                    const void *value)
{
    if (2 * map->count >= map->capacity) {
        oc__pointer_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64};
        larger.keys = oc__arena_take(eval->arena, larger.capacity, sizeof(void *));
        larger.values = oc__arena_take(eval->arena, larger.capacity, sizeof(void *));
        if (!larger.keys || !larger.values) {
            return false;
        }
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->keys[i]) {
                size_t at = find(&larger, map->keys[i]);
                larger.keys[at] = map->keys[i];
                larger.values[at] = map->values[i];
            }
        }
        larger.count = map->count;
        *map = larger;
    }
    size_t at = find(map, key);
    map->keys[at] = key;
    map->values[at] = value;
    map->count++;
    return true;
}

/* --- a function ---------------------------------------------------------------- */

typedef struct planner {
    oc__eval *eval;
    const oc__hlo_func *func;
    bool is_main;
    oc__func_plan *plan;
    const oc__hlo_op **ops; /* each before those of its regions */
    size_t op_count;
    size_t *homes;  /* [value]: number of the block that defines it */
    bool *captured; /* [value]: used inside a region that lies deeper than its block */
    size_t block_count;
} planner;

static size_t count_ops(const oc__hlo_block *block)
{
    size_t count = block->op_count;
    for (size_t i = 0; i < block->op_count; i++) {
        for (size_t r = 0; r < block->ops[i]->region_count; r++) {
            count += count_ops(&block->ops[i]->regions[r]->block);
        }
    }
    return count;
}

/* Lists the operations and learns where every value is defined and used. */
static void survey(planner *p, const oc__hlo_block *block)
{
    size_t home = p->block_count++;
    for (size_t a = 0; a < block->argument_count; a++) {
        p->homes[block->first_argument + a] = home;
    }
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        p->ops[p->op_count++] = op;
        for (size_t k = 0; k < op->operand_count; k++) {
            if (p->homes[op->operands[k]] != home) {
                p->captured[op->operands[k]] = true;
            }
        }
        for (size_t k = 0; k < op->result_count; k++) {
            p->homes[op->first_result + k] = home;
            p->plan->producers[op->first_result + k] = op;
        }
        for (size_t r = 0; r < op->region_count; r++) {
            survey(p, &op->regions[r]->block);
        }
    }
}

static bool plan_gives(planner *p, const oc__hlo_op *op, oc__op_plan *plan)
{
    plan->gives =
        oc__arena_take(p->eval->arena, op->operand_count, sizeof *plan->gives);
    for (size_t d = 0; plan->gives && d < op->dying_count; d++) {
        if (p->captured[op->dying[d]]) {
            continue;
        }
        for (size_t k = op->operand_count; k-- > 0;) {
            if (op->operands[k] == op->dying[d]) {
                plan->gives[k] = true;
                break;
            }
        }
    }
    return plan->gives != NULL;
}

static bool is_return(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strcmp(dot ? dot + 1 : name, "return") == 0;
}

/* Whether a value is a tensor of one element whatever the inputs. */
static bool is_scalar(const oc__hlo_type *type)
{
    return type->kind == OC__HLO_TENSOR && type->rank == 0;
}

static bool op_batches(const oc__hlo_op *op, const oc__op_plan *plan)
{
    if (plan->is_return) {
        return true;
    }
    bool batches = plan->kernel && plan->kernel->batches && op->region_count == 0;
    for (size_t i = 0; batches && i < op->result_count; i++) {
        batches = is_scalar(op->result_types[i]);
    }
    return batches;
}

static bool plan_block(planner *p, const oc__hlo_block *block, bool in_region)
{
    oc__block_plan *plan = oc__arena_take(p->eval->arena, 1, sizeof *plan);
    if (!plan) {
        return false;
    }
    plan->block = block;
    plan->ops = oc__arena_take(p->eval->arena, block->op_count, sizeof *plan->ops);
    if (!plan->ops || !map_put(p->eval, &p->eval->blocks, block, plan)) {
        return false;
    }
    plan->next = p->eval->block_plans;
    p->eval->block_plans = plan;
    plan->batches = true;
    size_t chain_end = 0;
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        oc__op_plan *made = &plan->ops[i];
        if (i >= chain_end) {
            made->fused = oc__fuse_length(p->func, block, i);
            chain_end = i + made->fused;
        }
        made->is_return = i + 1 == block->op_count && is_return(op->name);
        made->kernel = made->is_return ? NULL : oc__kernel_find(op->name);
        made->quantized = made->kernel && made->kernel->run &&
                          oc__quantized_applies(p->func, op, made->kernel);
        made->is_constant = oc__is_constant(op);
        made->keeps = in_region;
        if (!plan_gives(p, op, made)) {
            return false;
        }
        plan->batches = plan->batches && op_batches(op, made);
        for (size_t r = 0; r < op->region_count; r++) {
            if (!plan_block(p, &op->regions[r]->block, true)) {
                return false;
            }
        }
    }
    return true;
}

/* The plan itself stays in the evaluation's arena; `p` holds what is needed to make it.
 */
static bool make(planner *p)
{
    const oc__hlo_func *func = p->func;
    size_t op_count = count_ops(&func->body);
    p->plan->func = func;
    p->plan->producers =
        oc__arena_take(p->eval->arena, func->value_count, sizeof(void *));
    p->plan->feeds_add = oc__arena_take(p->eval->arena, func->value_count, 1);
    p->ops = calloc(op_count + 1, sizeof(void *));
    p->homes = calloc(func->value_count + 1, sizeof *p->homes);
    p->captured = calloc(func->value_count + 1, sizeof *p->captured);
    if (!p->plan->producers || !p->plan->feeds_add || !p->ops || !p->homes ||
        !p->captured) {
        return false;
    }
    survey(p, &func->body);
    oc__plan_feeds_add(func, p->is_main, p->ops, p->op_count, p->plan->feeds_add);
    return plan_block(p, &func->body, false) &&
           map_put(p->eval, &p->eval->funcs, func, p->plan);
}

const oc__func_plan *oc__plan_func(oc__eval *eval, const oc__hlo_func *func)
{
    const oc__func_plan *known = map_get(&eval->funcs, func);
    if (known) {
        return known;
    }
    planner p = {.eval = eval, .func = func, .is_main = func == eval->main};
    p.plan = oc__arena_take(eval->arena, 1, sizeof *p.plan);
    bool made = p.plan && make(&p);
    free(p.ops);
    free(p.homes);
    free(p.captured);
    return made ? p.plan : NULL;
}

const oc__block_plan *oc__plan_block(oc__eval *eval, const oc__hlo_block *block)
{
    return map_get(&eval->blocks, block);
}

oc_status oc__plan_callee(oc__eval *eval, const oc__hlo_op *op, const char *name,
                          const oc__hlo_func **out_func, oc_error *err)
{
    *out_func = map_get(&eval->callees, op);
    if (*out_func) {
        return OC_OK;
    }
    const oc__hlo_func *func = name ? oc__hlo_func_find(eval->module, name) : NULL;
    if (!func) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "%s: there is no function @%s",
                       op->name, name ? name : "");
    }
    if (!map_put(eval, &eval->callees, op, func)) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a call");
    }
    *out_func = func;
    return OC_OK;
}

void oc__plan_release(oc__eval *eval)
{
    for (oc__block_plan *b = eval->block_plans; b; b = b->next) {
        for (size_t i = 0; i < b->block->op_count; i++) {
            oc__value_release(b->ops[i].kept);
        }
    }
}
