/* Operation by operation: how the grid of a result becomes grids of the operands, and
 * what is made in its place. Wrong programs are not looked for: a rule must only keep
 * within its operands' dimensions, the evaluator says what is wrong with the cut as it
 * does with the whole. */
#include "reference/cut_inner.h"
#include "reference/kernel.h"

#include <string.h>

bool oc__cut_read(oc__cutter *c, const oc__hlo_attr *attr, const int64_t **out_ints,
                  size_t *out_count)
{
    c->rc = oc__hlo_ints(c->module, attr, out_ints, out_count, c->err);
    return c->rc == OC_OK;
}

static bool read_ints(oc__cutter *c, const oc__cut_node *node, const char *name,
                      const int64_t **out_ints, size_t *out_count)
{
    return oc__cut_read(c, oc__hlo_attr_get(node->op, name), out_ints, out_count);
}

/* --- whole, and element by element --- */

static bool demand_whole(oc__cutter *c, const oc__cut_node *node)
{
    for (size_t k = 0; k < node->op->result_count; k++) {
        oc__cut_value *out = oc__cut_out(c, node, k);
        oc__grid_whole(out->type, &out->grid);
    }
    return true;
}

static bool same_dims(const oc__hlo_type *a, const oc__hlo_type *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static bool demand_elements(oc__cutter *c, const oc__cut_node *node)
{
    const oc__cut_value *out = oc__cut_out(c, node, 0);
    for (size_t k = 0; k < node->op->operand_count; k++) {
        if (same_dims(oc__cut_in(c, node, k)->type, out->type)) {
            node->needs[k] = out->grid;
        }
    }
    return true;
}

/* What the evaluator may run for many calls of a region at once works on each element
 * by itself; so it does on whole tensors when operands have the result's dimensions or,
 * beside others (clamp, select), none. */
static bool is_elementwise(const oc__cutter *c, const oc__cut_node *node)
{
    const oc__kernel *kernel = oc__kernel_find(node->op->name);
    bool is = kernel && kernel->batches && node->op->result_count == 1 &&
              node->op->region_count == 0 && node->op->operand_count > 0;
    for (size_t k = 0; is && k < node->op->operand_count; k++) {
        const oc__hlo_type *in = oc__cut_in(c, node, k)->type;
        is = same_dims(in, oc__cut_out(c, node, 0)->type) ||
             (in->rank == 0 && node->op->operand_count > 1);
    }
    return is;
}

/* --- each result is its operand --- */

static bool demand_each(oc__cutter *c, const oc__cut_node *node)
{
    for (size_t k = 0; k < node->op->operand_count; k++) {
        const oc__cut_value *out = oc__cut_out(c, node, k);
        node->needs[k] = out->grid;
        if (!out->wanted) {
            oc__cut_skip(node, k);
        }
    }
    return true;
}

/* --- dimensions that move --- */

/* The evaluator sees that one divisor stands for many by the number of elements that a
 * broadcast adds (tile.c): along one of these dimensions it must still add one. */
static bool keep_spread(oc__cutter *c, oc__cut_value *out, uint32_t spread)
{
    size_t widest = OC_MAX_RANK;
    for (size_t d = 0; d < out->type->rank; d++) {
        if ((spread >> d & 1) && out->type->dims[d] > 1) {
            widest = d;
            if (out->grid.counts[d] != 1) {
                return true;
            }
        }
    }
    if (widest == OC_MAX_RANK) {
        return true;
    }
    int64_t *two = oc__cut_take_memory(c, c->scratch, 2, sizeof *two);
    if (!two) {
        return false;
    }
    int64_t one = out->grid.indices[widest][0];
    two[0] = one > 0 ? one - 1 : 0;
    two[1] = two[0] + 1;
    oc__grid_fill(&out->grid, widest, 2);
    out->grid.indices[widest] = out->type->dims[widest] > 2 ? two : NULL;
    return true;
}

/* By a list, each dimension of the operand to one of the result. */
static bool demand_broadcast_in_dim(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    const oc__hlo_type *in = oc__cut_in(c, node, 0)->type;
    const int64_t *dims;
    size_t count;
    if (!read_ints(c, node, "broadcast_dimensions", &dims, &count)) {
        return false;
    }
    uint32_t spread = UINT32_MAX; // dimensions that have one element of it for many
    for (size_t d = 0; d < count && d < in->rank; d++) {
        if (in->dims[d] != 1) {
            spread &= ~(1U << (dims[d] & 31));
            oc__grid_pass(&node->needs[0], d, &out->grid, (size_t)dims[d]);
        }
    }
    return keep_spread(c, out, spread);
}

/* The old one: new dimensions in front. */
static bool demand_broadcast(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    oc__grid *need = &node->needs[0];
    if (out->grid.rank < need->rank) {
        return oc__cut_fail_at(c, node->op, OC_PARSE,
                               "a result of fewer dimensions than its operand");
    }
    size_t added = out->grid.rank - need->rank;
    for (size_t d = 0; d < need->rank; d++) {
        oc__grid_pass(need, d, &out->grid, added + d);
    }
    return keep_spread(c, out, (1U << added) - 1);
}

static bool demand_transpose(oc__cutter *c, const oc__cut_node *node)
{
    const int64_t *order;
    size_t count;
    bool ok = read_ints(c, node, "permutation", &order, &count);
    for (size_t d = 0; ok && d < count; d++) {
        oc__grid_pass(&node->needs[0], (size_t)order[d], &oc__cut_out(c, node, 0)->grid,
                      d);
    }
    return ok;
}

/* need[d] of dimension d: start + stride * (first - i or i). */
static bool map_dimension(oc__cutter *c, const oc__grid *out, size_t d, oc__grid *need,
                          int64_t start, int64_t stride)
{
    int64_t count = out->counts[d];
    int64_t *indices =
        oc__cut_take_memory(c, c->scratch, (size_t)count, sizeof *indices);
    for (int64_t i = 0; indices && i < count; i++) {
        int64_t at = stride < 0 ? count - 1 - i : i; // sorted
        // Unsigned, so that what is out of all bounds wraps; it does not fit then.
        indices[i] = (int64_t)((uint64_t)start +
                               (uint64_t)stride * (uint64_t)oc__grid_at(out, d, at));
    }
    need->indices[d] = indices;
    need->counts[d] = count;
    return indices != NULL;
}

static bool demand_slice(oc__cutter *c, const oc__cut_node *node)
{
    const int64_t *starts, *strides;
    size_t count, stride_count;
    const oc__cut_value *out = oc__cut_out(c, node, 0);
    bool ok = read_ints(c, node, "start_indices", &starts, &count) &&
              read_ints(c, node, "strides", &strides, &stride_count);
    const oc__hlo_type *in = oc__cut_in(c, node, 0)->type;
    for (size_t d = 0; ok && d < count && d < in->rank && d < out->type->rank; d++) {
        bool all = out->type->dims[d] == in->dims[d];
        if (all) {
            oc__grid_pass(&node->needs[0], d, &out->grid, d);
        } else {
            ok = map_dimension(c, &out->grid, d, &node->needs[0], starts[d],
                               d < stride_count ? strides[d] : 1);
        }
    }
    return ok;
}

static bool demand_reverse(oc__cutter *c, const oc__cut_node *node)
{
    const int64_t *dims;
    size_t count;
    const oc__cut_value *out = oc__cut_out(c, node, 0);
    bool ok = read_ints(c, node, "dimensions", &dims, &count);
    node->needs[0] = out->grid;
    for (size_t i = 0; ok && i < count; i++) {
        size_t d = (size_t)dims[i];
        if (d < out->grid.rank && out->grid.indices[d]) {
            ok = map_dimension(c, &out->grid, d, &node->needs[0],
                               out->type->dims[d] - 1, -1);
        }
    }
    return ok;
}

/* --- lanes: reduce, sort --- */

/* All results at one grid, as what works on them together needs. */
static bool join_results(oc__cutter *c, const oc__cut_node *node, oc__grid *both)
{
    bool any = false, ok = true;
    for (size_t k = 0; ok && k < node->op->result_count; k++) {
        const oc__cut_value *out = oc__cut_out(c, node, k);
        if (out->wanted && any) {
            ok = oc__grid_join(c, out->type, both, &out->grid);
        } else if (out->wanted) {
            *both = out->grid;
            any = true;
        }
    }
    return ok;
}

static void set_results(oc__cutter *c, const oc__cut_node *node, const oc__grid *grid)
{
    for (size_t k = 0; k < node->op->result_count; k++) {
        oc__cut_out(c, node, k)->grid = *grid;
    }
}

static bool demand_reduce(oc__cutter *c, const oc__cut_node *node)
{
    const int64_t *dims;
    size_t count, at = 0;
    oc__grid out = {.rank = 0};
    if (!read_ints(c, node, "dimensions", &dims, &count) ||
        !join_results(c, node, &out)) {
        return false;
    }
    set_results(c, node, &out);
    for (size_t d = 0; d < node->needs[0].rank; d++) {
        bool reduced = false;
        for (size_t i = 0; i < count; i++) {
            reduced = reduced || dims[i] == (int64_t)d;
        }
        for (size_t k = 0; !reduced && k < node->op->operand_count / 2; k++) {
            oc__grid_pass(&node->needs[k], d, &out, at);
        }
        at += !reduced;
    }
    return true;
}

static bool demand_sort(oc__cutter *c, const oc__cut_node *node)
{
    oc__grid grid = {.rank = 0};
    if (!join_results(c, node, &grid)) {
        return false;
    }
    int64_t given = oc__hlo_attr_int(node->op, "dimension", -1);
    size_t d = (size_t)(given < 0 ? given + (int64_t)grid.rank : given);
    if (d < grid.rank) {
        oc__grid_fill(&grid, d, oc__cut_out(c, node, 0)->type->dims[d]);
    }
    set_results(c, node, &grid);
    for (size_t k = 0; k < node->op->operand_count; k++) {
        node->needs[k] = grid;
    }
    return true;
}

/* --- the table --- */

static bool demand_nothing(oc__cutter *c, const oc__cut_node *node)
{
    (void)c;
    for (size_t k = 0; k < node->op->operand_count; k++) {
        oc__cut_skip(node, k);
    }
    return true;
}

static bool demand_iota(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    size_t d = (size_t)oc__hlo_attr_int(node->op, "iota_dimension", 0);
    if (out->type->quant && d < out->type->rank) {
        oc__grid_fill(&out->grid, d,
                      out->type->dims[d]); // it may have scales of its own
    }
    return true;
}

static bool has_operands(const oc__hlo_op *op, int count)
{
    size_t results = op->result_count;
    switch (count) {
    case OC__CUT_ANY: return results == 1;
    case OC__CUT_EACH: return op->operand_count == results;
    case OC__CUT_PAIRS: return op->operand_count == 2 * results;
    default: return results == 1 && op->operand_count == (size_t)count;
    }
}

const oc__cut_rule *oc__cut_rule_of(const oc__cutter *c, const oc__cut_node *node)
{
    static const oc__cut_rule rules[] = {
        {"chlo.constant_like", 1, demand_elements, oc__cut_emit_same},
        {"sdy.sharding_constraint", OC__CUT_EACH, demand_each, oc__cut_emit_each},
        {"stablehlo.broadcast", 1, demand_broadcast, oc__cut_emit_broadcast},
        {"stablehlo.broadcast_in_dim", 1, demand_broadcast_in_dim, oc__cut_emit_same},
        {"stablehlo.concatenate", OC__CUT_ANY, oc__cut_demand_concatenate,
         oc__cut_emit_same},
        {"stablehlo.constant", 0, demand_nothing, oc__cut_emit_constant},
        {"stablehlo.convolution", 2, oc__cut_demand_convolution, oc__cut_emit_same},
        {"stablehlo.dot", 2, oc__cut_demand_dot, oc__cut_emit_same},
        {"stablehlo.dot_general", 2, oc__cut_demand_dot_general, oc__cut_emit_same},
        {"stablehlo.get_dimension_size", 1, demand_nothing, oc__cut_emit_size},
        {"stablehlo.iota", 0, demand_iota, oc__cut_emit_iota},
        {"stablehlo.optimization_barrier", OC__CUT_EACH, demand_each,
         oc__cut_emit_each},
        {"stablehlo.pad", 2, oc__cut_demand_pad, oc__cut_emit_same},
        {"stablehlo.reduce", OC__CUT_PAIRS, demand_reduce, oc__cut_emit_same},
        {"stablehlo.reshape", 1, oc__cut_demand_reshape, oc__cut_emit_same},
        {"stablehlo.reverse", 1, demand_reverse, oc__cut_emit_same},
        {"stablehlo.slice", 1, demand_slice, oc__cut_emit_slice},
        {"stablehlo.sort", OC__CUT_EACH, demand_sort, oc__cut_emit_same},
        {"stablehlo.transpose", 1, demand_transpose, oc__cut_emit_same},
    };
    static const oc__cut_rule elementwise = {"", 0, demand_elements, oc__cut_emit_same};
    static const oc__cut_rule whole = {"", 0, demand_whole, oc__cut_emit_same};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].op, node->op->name) == 0) {
            return has_operands(node->op, rules[i].operand_count) ? &rules[i] : &whole;
        }
    }
    return is_elementwise(c, node) ? &elementwise : &whole;
}
