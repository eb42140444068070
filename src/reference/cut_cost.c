#include "reference/cut.h"
#include "reference/kernel.h"

#include <math.h>
#include <string.h>

/* Regions and calls inside of each other, and operations with calls followed. */
enum { MAX_DEPTH = OC__HLO_MAX_DEPTH, MAX_OPS = 1 << 23 };

typedef struct costing {
    const oc__hlo_module *module;
    size_t ops;
} costing;

/* Seconds for one unit of work. Measured on two cores of an AMD EPYC (OpenBLAS on
 * both), programs of one operation on f32, most of them 2048 x 2048; balls where it
 * says so. Dots: 2048^3 1.1 s (balls: 2.0 s), 4096^3 9.1 s, 64 times 512 x 64 x 512 of
 * balls 4.2 s: a flop and a result together come within a third of these. A chain of
 * four arithmetic operations 0.094 s; exponential and rsqrt 0.18 s, tanh and logistic
 * 0.08 s; reduce with add 0.065 s; sort 0.73 s; gather 0.065 s, pad 0.023 s. */
typedef struct rates {
    double flop, sum, element, function, fold, sort, other;
} rates;
static const rates measured = {
    .flop = 5.5e-11,   /* dots, convolutions */
    .sum = 2e-7,       /* their results */
    .element = 5.5e-9, /* elementwise */
    .function = 4e-8,  /* transcendentals */
    .fold = 1.5e-8,    /* elements that are reduced */
    .sort = 1.7e-7,    /* results of a sort */
    .other = 5e-9,     /* elements that are moved: operands and results */
};

static double count_of(const oc__hlo_type *type)
{
    double count = type->kind == OC__HLO_TENSOR ? 1 : 0;
    for (size_t d = 0; type->kind == OC__HLO_TENSOR && d < type->rank; d++) {
        count *= type->dims[d] == OC__HLO_DYNAMIC ? (double)NAN : (double)type->dims[d];
    }
    return count;
}

static double results_of(const oc__hlo_op *op)
{
    double count = 0;
    for (size_t k = 0; k < op->result_count; k++) {
        count += count_of(op->result_types[k]);
    }
    return count;
}

static double operands_of(const oc__hlo_func *func, const oc__hlo_op *op)
{
    double count = 0;
    for (size_t k = 0; k < op->operand_count; k++) {
        count += count_of(func->value_types[op->operands[k]]);
    }
    return count;
}

/* Two for each product. */
static double dot_flops(const oc__hlo_func *func, const oc__hlo_op *op)
{
    const oc__hlo_type *lhs = func->value_types[op->operands[0]];
    const oc__hlo_attr *numbers = oc__hlo_attr_get(op, "dot_dimension_numbers");
    const oc__hlo_attr *list = oc__hlo_entry(numbers, "lhs_contracting_dimensions");
    double terms = numbers || lhs->rank == 0 ? 1 : (double)lhs->dims[lhs->rank - 1];
    for (size_t i = 0; list && list->kind == OC__ATTR_INTS && i < list->count; i++) {
        size_t d = (size_t)list->ints[i];
        terms *= d < lhs->rank ? (double)lhs->dims[d] : 1;
    }
    return 2 * terms * results_of(op);
}

static double convolution_flops(const oc__hlo_func *func, const oc__hlo_op *op)
{
    const oc__hlo_type *kernel = func->value_types[op->operands[1]];
    const oc__hlo_attr *feature = oc__hlo_entry(
        oc__hlo_attr_get(op, "dimension_numbers"), "kernel_output_feature_dimension");
    size_t d = feature && feature->kind == OC__ATTR_INT ? (size_t)feature->integer : 0;
    double outputs = d < kernel->rank ? (double)kernel->dims[d] : 1;
    return outputs > 0 ? 2 * results_of(op) * count_of(kernel) / outputs : 0;
}

static double block_cost(costing *all, const oc__hlo_func *func,
                         const oc__hlo_block *block, int depth);

static double called_cost(costing *all, const oc__hlo_op *op, int depth)
{
    const char *name = oc__hlo_attr_text(op, "callee", NULL);
    name = name ? name : oc__hlo_attr_text(op, "decomposition", NULL);
    const oc__hlo_func *func = name ? oc__hlo_func_find(all->module, name) : NULL;
    return func ? block_cost(all, func, &func->body, depth) : 0;
}

static double op_cost(costing *all, const oc__hlo_func *func, const oc__hlo_op *op,
                      int depth)
{
    size_t arity;
    const oc__kernel *kernel = oc__kernel_find(op->name);
    double results = results_of(op), operands = operands_of(func, op), inner = 0;
    bool two = op->operand_count >= 2;
    if (two && strncmp(op->name, "stablehlo.dot", 13) == 0) {
        return dot_flops(func, op) * measured.flop + results * measured.sum +
               operands * measured.other;
    }
    if (two && strcmp(op->name, "stablehlo.convolution") == 0) {
        return convolution_flops(func, op) * measured.flop + results * measured.sum +
               operands * measured.other;
    }
    if (strcmp(op->name, "stablehlo.reduce") == 0) {
        return operands * measured.fold + results * measured.element;
    }
    if (strcmp(op->name, "stablehlo.sort") == 0) {
        return results * measured.sort;
    }
    if (oc__tile_find_special(op->name, &arity)) {
        return results * measured.function;
    }
    if (kernel && kernel->batches) {
        return results * measured.element;
    }
    for (size_t r = 0; r < op->region_count; r++) {
        inner += block_cost(all, func, &op->regions[r]->block, depth + 1);
    }
    return (operands + results) * measured.other + inner +
           called_cost(all, op, depth + 1);
}

static double block_cost(costing *all, const oc__hlo_func *func,
                         const oc__hlo_block *block, int depth)
{
    double cost = depth < MAX_DEPTH ? 0 : (double)NAN;
    for (size_t i = 0; !isnan(cost) && i < block->op_count; i++) {
        cost += all->ops++ < MAX_OPS ? op_cost(all, func, block->ops[i], depth)
                                     : (double)NAN;
    }
    return cost;
}

double oc__cut_cost(const oc__hlo_module *module)
{
    const oc__hlo_func *main = oc__hlo_func_find(module, "main");
    costing all = {.module = module};
    return main ? block_cost(&all, main, &main->body, 0) : (double)NAN;
}
