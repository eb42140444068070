/* What stands in the new program for an operation. */
#include "reference/cut_inner.h"

#include <string.h>

/* The node's operation with these operands and attributes. */
static bool emit(oc__cutter *c, const oc__cut_node *node, const size_t *operands,
                 size_t operand_count, const oc__hlo_named *attributes,
                 size_t attribute_count)
{
    const oc__hlo_op *op = node->op;
    size_t first;
    const oc__hlo_type **types =
        oc__cut_take_memory(c, c->scratch, op->result_count, sizeof *types);
    bool ok = types != NULL;
    for (size_t k = 0; ok && k < op->result_count; k++) {
        // Results that nobody wants come along as they are made.
        const oc__cut_value *out = oc__cut_out(c, node, k);
        types[k] = oc__cut_type(c, out->type, &out->grid);
        ok = types[k] != NULL;
    }
    oc__cut_draft draft = {.name = op->name,
                           .operands = operands,
                           .operand_count = operand_count,
                           .result_types = types,
                           .result_count = op->result_count,
                           .attributes = attributes,
                           .attribute_count = attribute_count,
                           .frame = node->frame};
    ok = ok && oc__cut_add(c, op, &draft, &first);
    for (size_t k = 0; ok && k < op->result_count; k++) {
        oc__cut_out(c, node, k)->number = first + k;
    }
    return ok;
}

/* The operands that are needed, at their grids. */
static bool take_operands(oc__cutter *c, const oc__cut_node *node, size_t **out,
                          size_t *out_count)
{
    size_t count = node->op->operand_count;
    *out_count = 0;
    *out = oc__cut_take_memory(c, c->scratch, count, sizeof **out);
    bool ok = *out != NULL;
    for (size_t k = 0; ok && k < count; k++) {
        if (node->needs[k].rank != OC__CUT_NONE) {
            ok = oc__cut_take(c, node->op, node->operands[k], &node->needs[k],
                              &(*out)[(*out_count)++]);
        }
    }
    return ok;
}

bool oc__cut_emit_same(oc__cutter *c, const oc__cut_node *node)
{
    size_t *operands, count;
    return take_operands(c, node, &operands, &count) &&
           emit(c, node, operands, count, node->op->attributes,
                node->op->attribute_count);
}

/* Each result that somebody wants, from its operand. */
bool oc__cut_emit_each(oc__cutter *c, const oc__cut_node *node)
{
    bool ok = true;
    for (size_t k = 0; ok && k < node->op->operand_count; k++) {
        oc__cut_value *out = oc__cut_out(c, node, k);
        size_t operand;
        if (!out->wanted) {
            continue;
        }
        const oc__hlo_type *type = oc__cut_type(c, out->type, &out->grid);
        ok = type &&
             oc__cut_take(c, node->op, node->operands[k], &node->needs[k], &operand);
        oc__cut_draft draft = {.name = node->op->name,
                               .operands = &operand,
                               .operand_count = 1,
                               .result_types = &type,
                               .result_count = 1,
                               .attributes = node->op->attributes,
                               .attribute_count = node->op->attribute_count};
        ok = ok && oc__cut_add(c, node->op, &draft, &out->number);
    }
    return ok;
}

/* A slice is its operand at other indices. */
bool oc__cut_emit_slice(oc__cutter *c, const oc__cut_node *node)
{
    return oc__cut_take(c, node->op, node->operands[0], &node->needs[0],
                        &oc__cut_out(c, node, 0)->number);
}

/* The node's attributes with another value for one of them. */
static oc__hlo_named *replaced(oc__cutter *c, const oc__cut_node *node,
                               const char *name, const oc__hlo_attr *value)
{
    size_t count = node->op->attribute_count;
    oc__hlo_named *attributes =
        oc__cut_take_memory(c, c->arena, count, sizeof *attributes);
    for (size_t i = 0; attributes && i < count; i++) {
        attributes[i] = node->op->attributes[i];
        if (strcmp(attributes[i].name, name) == 0) {
            attributes[i].value = value;
        }
    }
    return value ? attributes : NULL;
}

bool oc__cut_emit_broadcast(oc__cutter *c, const oc__cut_node *node)
{
    size_t *operands, count;
    const oc__grid *out = &oc__cut_out(c, node, 0)->grid;
    const oc__hlo_attr *sizes =
        oc__cut_ints(c, out->counts, out->rank - node->needs[0].rank);
    oc__hlo_named *attributes = replaced(c, node, "broadcast_sizes", sizes);
    return attributes && take_operands(c, node, &operands, &count) &&
           emit(c, node, operands, count, attributes, node->op->attribute_count);
}

/* The elements of a constant are picked here. */
bool oc__cut_emit_constant(oc__cutter *c, const oc__cut_node *node)
{
    const oc__cut_value *out = oc__cut_out(c, node, 0);
    const oc__hlo_attr *whole = oc__hlo_attr_get(node->op, "value");
    bool dense = whole && whole->kind == OC__ATTR_DENSE &&
                 oc__grid_fits(whole->type, &out->grid);
    if (!dense || oc__grid_is_whole(&out->grid)) {
        return oc__cut_emit_same(c, node);
    }
    const oc__hlo_type *type = oc__cut_type(c, whole->type, &out->grid);
    oc__hlo_attr *attr = oc__cut_take_memory(c, c->arena, 1, sizeof *attr);
    if (!type || !attr) {
        return false;
    }
    *attr = *whole;
    attr->type = type;
    if (!whole->dense->splat) {
        size_t size = oc_dtype_host_bits(type->dtype) / 8, count = 1;
        for (size_t d = 0; d < type->rank; d++) {
            count *= (size_t)type->dims[d]; // no more than the whole has
        }
        oc__hlo_dense *part = oc__cut_take_memory(c, c->arena, 1, sizeof *part);
        void *data = oc__cut_take_memory(c, c->arena, count, size);
        if (!part || !data) {
            return false;
        }
        oc__grid_copy(&out->grid, whole->type->dims, size, whole->dense->data, data);
        *part = (oc__hlo_dense){.size_bytes = count * size, .data = data};
        attr->dense = part;
    }
    oc__hlo_named *attributes = replaced(c, node, "value", attr);
    return attributes && emit(c, node, NULL, 0, attributes, node->op->attribute_count);
}

/* The size of a dimension of the whole program's value. */
bool oc__cut_emit_size(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    const oc__hlo_type *in = oc__cut_in(c, node, 0)->type;
    int64_t d = oc__hlo_attr_int(node->op, "dimension", -1);
    if (d < 0 || d >= (int64_t)in->rank || !oc__dtype_is_integer(out->type->dtype)) {
        return oc__cut_fail_at(c, node->op, OC_PARSE,
                               "its operand has no such dimension");
    }
    return oc__cut_constant(c, node->op, out->type->dtype, &in->dims[d], NULL,
                            &out->number);
}

/* Where its own dimension is cut: counted up whole on its own, taken apart, spread. */
bool oc__cut_emit_iota(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    int64_t dimension = oc__hlo_attr_int(node->op, "iota_dimension", -1);
    if (dimension < 0 || dimension >= (int64_t)out->type->rank ||
        !out->grid.indices[dimension] || out->type->quant) {
        return oc__cut_emit_same(c, node);
    }
    static const oc__hlo_attr zero = {.kind = OC__ATTR_INT, .type = &oc__cut_i64};
    size_t d = (size_t)dimension, line;
    oc__grid made = out->grid, part = {.rank = 1};
    oc__grid_pass(&part, 0, &made, d);
    const oc__hlo_type *type = oc__cut_type(c, out->type, &made);
    const oc__hlo_type *counted =
        oc__cut_vector(c, out->type->dtype, &out->type->dims[d]);
    const oc__hlo_attr *dims = oc__cut_ints(c, &dimension, 1);
    oc__hlo_named *attributes = oc__cut_take_memory(c, c->arena, 2, sizeof *attributes);
    if (!type || !counted || !dims || !attributes || !oc__cut_value_add(c, counted)) {
        return false;
    }
    attributes[0] = (oc__hlo_named){"iota_dimension", &zero};
    attributes[1] = (oc__hlo_named){"broadcast_dimensions", dims};
    oc__cut_draft count = {.name = "stablehlo.iota",
                           .result_types = &counted,
                           .result_count = 1,
                           .attributes = &attributes[0],
                           .attribute_count = 1};
    oc__cut_draft spread = {.name = "stablehlo.broadcast_in_dim",
                            .operands = &line,
                            .operand_count = 1,
                            .result_types = &type,
                            .result_count = 1,
                            .attributes = &attributes[1],
                            .attribute_count = 1};
    oc__cut_value *added = &c->values[c->value_count - 1];
    oc__grid_whole(counted, &added->grid);
    return oc__cut_add(c, node->op, &count, &added->number) &&
           oc__cut_take(c, node->op, c->value_count - 1, &part, &line) &&
           oc__cut_add(c, node->op, &spread, &oc__cut_out(c, node, 0)->number);
}
