#include "reference/fuse.h"

#include <string.h>

enum {
    MIN_COUNT = 2 * OC__TILE /* elements; fewer are not worth the planning */
};

/* --- what can be fused --- */

static bool is_real(const oc__hlo_type *type)
{
    return type->kind == OC__HLO_TENSOR && !type->quant &&
           oc__dtype_is_float(type->dtype);
}

size_t oc__fuse_count(const oc__hlo_type *type)
{
    size_t count = 1;
    for (size_t i = 0; i < type->rank; i++) {
        if (type->dims[i] <= 0 ||
            __builtin_mul_overflow(count, (size_t)type->dims[i], &count)) {
            return 0;
        }
    }
    return count;
}

static bool same_dims(const oc__hlo_type *a, const oc__hlo_type *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

const oc__hlo_dense *oc__fuse_splat(const oc__hlo_op *op)
{
    const oc__hlo_attr *value = oc__hlo_attr_get(op, "value");
    bool splat = value && value->kind == OC__ATTR_DENSE &&
                 (value->dense->splat || oc__fuse_count(op->result_types[0]) == 1);
    return splat ? value->dense : NULL;
}

/* Operands of a tile function: of the result's dimensions, or single for clamp. */
static bool operands_fit(const oc__hlo_func *func, const oc__hlo_op *op, size_t arity)
{
    const oc__hlo_type *result = op->result_types[0];
    for (size_t k = 0; k < arity; k++) {
        const oc__hlo_type *type = func->value_types[op->operands[k]];
        bool joins = same_dims(type, result) || (arity == 3 && type->rank == 0);
        if (!is_real(type) || !joins ||
            type->dtype != func->value_types[op->operands[0]]->dtype) {
            return false;
        }
    }
    return result->dtype == func->value_types[op->operands[0]]->dtype ||
           strcmp(op->name, "stablehlo.convert") == 0;
}

oc__fuse_role oc__fuse_role_of(const oc__hlo_func *func, const oc__hlo_op *op)
{
    size_t arity;
    if (op->result_count != 1 || op->region_count != 0 ||
        !is_real(op->result_types[0])) {
        return OC__FUSE_NOT;
    }
    if (oc__is_constant(op)) {
        return oc__fuse_splat(op) ? OC__FUSE_CONSTANT : OC__FUSE_NOT;
    }
    if (strcmp(op->name, "stablehlo.broadcast_in_dim") == 0) {
        const oc__hlo_type *from = func->value_types[op->operands[0]];
        return is_real(from) && oc__fuse_count(from) == 1 &&
                       from->dtype == op->result_types[0]->dtype
                   ? OC__FUSE_BROADCAST
                   : OC__FUSE_NOT;
    }
    bool tile = oc__tile_find(op->name, &arity) && op->operand_count == arity &&
                arity <= OC__FUSE_MAX_ARITY && operands_fit(func, op, arity);
    return tile ? OC__FUSE_TILE : OC__FUSE_NOT;
}

size_t oc__fuse_length(const oc__hlo_func *func, const oc__hlo_block *block, size_t at)
{
    const oc__hlo_type *shape = NULL;
    size_t length = 0;
    for (size_t i = at; i < block->op_count && i - at < OC__FUSE_MAX_OPS; i++) {
        const oc__hlo_op *op = block->ops[i];
        oc__fuse_role r = oc__fuse_role_of(func, op);
        if (r == OC__FUSE_NOT ||
            (r == OC__FUSE_TILE && shape && !same_dims(op->result_types[0], shape))) {
            break;
        }
        if (r == OC__FUSE_TILE) {
            shape = op->result_types[0];
            length = i - at + 1;
        }
    }
    return length > 1 && oc__fuse_count(shape) >= MIN_COUNT ? length : 0;
}
