#include "reference/eval.h"

#include <stdlib.h>
#include <string.h>

/* What an operation does with the number that it is given, as far as a fused
 * multiply-add is concerned: a compiler that fuses may leave the rounding of a product
 * out where the product goes into an addition. */
typedef enum use {
    OTHER = 0, /* not known: it may add (calls, regions, reductions, and functions whose
                  polynomials compilers write out, such as x - n ln 2 in exponential) */
    PASSES,    /* moves or negates the number: its users decide */
    ROUNDED /* never adds it: what it reads was rounded, or is not looked at as one */
} use;

typedef struct use_row {
    const char *op;
    use use;
} use_row;

/* Sorted for bsearch. */
static const use_row uses[] = {
    {"sdy.sharding_constraint", PASSES},
    {"stablehlo.abs", ROUNDED},
    {"stablehlo.all_gather", ROUNDED},
    {"stablehlo.all_to_all", ROUNDED},
    {"stablehlo.bitcast_convert", ROUNDED},
    {"stablehlo.broadcast", PASSES},
    {"stablehlo.broadcast_in_dim", PASSES},
    {"stablehlo.ceil", ROUNDED},
    {"stablehlo.clamp", ROUNDED},
    {"stablehlo.collective_broadcast", ROUNDED},
    {"stablehlo.collective_permute", ROUNDED},
    {"stablehlo.compare", ROUNDED},
    {"stablehlo.complex", PASSES},
    {"stablehlo.concatenate", PASSES},
    {"stablehlo.convert", PASSES},
    {"stablehlo.convolution", ROUNDED},
    {"stablehlo.divide", ROUNDED},
    {"stablehlo.dot", ROUNDED},
    {"stablehlo.dot_general", ROUNDED},
    {"stablehlo.dynamic_broadcast_in_dim", PASSES},
    {"stablehlo.dynamic_gather", PASSES},
    {"stablehlo.dynamic_pad", PASSES},
    {"stablehlo.dynamic_reshape", PASSES},
    {"stablehlo.dynamic_slice", PASSES},
    {"stablehlo.dynamic_update_slice", PASSES},
    {"stablehlo.fft", ROUNDED},
    {"stablehlo.floor", ROUNDED},
    {"stablehlo.gather", PASSES},
    {"stablehlo.get_dimension_size", ROUNDED},
    {"stablehlo.get_tuple_element", PASSES},
    {"stablehlo.imag", PASSES},
    {"stablehlo.is_finite", ROUNDED},
    {"stablehlo.maximum", ROUNDED},
    {"stablehlo.minimum", ROUNDED},
    {"stablehlo.multiply", ROUNDED},
    {"stablehlo.negate", PASSES},
    {"stablehlo.optimization_barrier", PASSES},
    {"stablehlo.pad", PASSES},
    {"stablehlo.real", PASSES},
    {"stablehlo.real_dynamic_slice", PASSES},
    {"stablehlo.reduce_precision", ROUNDED},
    {"stablehlo.reshape", PASSES},
    {"stablehlo.reverse", PASSES},
    {"stablehlo.select", PASSES},
    {"stablehlo.sign", ROUNDED},
    {"stablehlo.slice", PASSES},
    {"stablehlo.sort", ROUNDED},
    {"stablehlo.sqrt", ROUNDED},
    {"stablehlo.transpose", PASSES},
    {"stablehlo.tuple", PASSES},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const use_row *)row)->op);
}

static use use_of(const oc__hlo_op *op, bool is_main)
{
    // What main gives back is rounded when it is stored.
    if (is_main && strcmp(op->name, "func.return") == 0) {
        return ROUNDED;
    }
    const use_row *row =
        bsearch(op->name, uses, sizeof uses / sizeof *uses, sizeof *uses, by_name);
    return row ? row->use : OTHER;
}

/* Backwards: when an operation is looked at, every user of its results was. */
void oc__plan_feeds_add(const oc__hlo_func *func, bool is_main,
                        const oc__hlo_op *const *ops, size_t op_count, bool *feeds_add)
{
    memset(feeds_add, 0, func->value_count);
    for (size_t i = op_count; i-- > 0;) {
        const oc__hlo_op *op = ops[i];
        use u = use_of(op, is_main);
        bool adds = u == OTHER;
        for (size_t r = 0; u == PASSES && r < op->result_count; r++) {
            adds = adds || feeds_add[op->first_result + r];
        }
        for (size_t k = 0; adds && k < op->operand_count; k++) {
            feeds_add[op->operands[k]] = true;
        }
    }
}
