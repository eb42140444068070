#include "reference/eval.h"
#include "tensor/float_format.h"

#include <stdlib.h>
#include <string.h>

/* The call's frame as its process alone sees it: a frame of one process. `one` is its
 * active flag. */
static oc__frame own_frame(const oc__call *call, bool *one)
{
    oc__frame view = *call->frame;
    *one = true;
    view.slots += call->process * view.func->value_count;
    view.first_process += call->process;
    view.process_count = 1;
    view.active = one;
    return view;
}

static oc_status run(oc__call *call, const oc__hlo_region *region, size_t batch,
                     oc__value *const *args, size_t arg_count, oc__value **out_results,
                     size_t result_count, oc_error *err)
{
    const oc__hlo_block *block = &region->block;
    if (arg_count != block->argument_count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "a region takes %zu arguments, not %zu",
                            block->argument_count, arg_count);
    }
    bool one;
    oc__frame view = own_frame(call, &one);
    view.batch = batch;
    for (size_t i = 0; i < arg_count; i++) {
        oc__frame_set(&view, 0, block->first_argument + i, oc__value_retain(args[i]));
    }
    return oc__block_run(call->eval, &view, block, out_results, result_count, err);
}

oc_status oc__region_call(oc__call *call, const oc__hlo_region *region,
                          oc__value *const *args, size_t arg_count,
                          oc__value **out_results, size_t result_count, oc_error *err)
{
    memset(out_results, 0, result_count * sizeof *out_results);
    return run(call, region, 0, args, arg_count, out_results, result_count, err);
}

/* --- maps ---------------------------------------------------------------------- */

/* *value as [n], each element of a single one being the same. */
static oc_status spread(oc__value **value, size_t n, oc_error *err)
{
    oc__value *old = *value, *made = NULL;
    const int64_t dim = (int64_t)n;
    if (old->rank == 1 && old->count == n) {
        return OC_OK;
    }
    if (old->kind != OC__HLO_TENSOR || old->count != 1) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "a region that is run element by element returns no scalar");
    }
    int64_t *zeros = calloc(n, sizeof *zeros);
    if (!zeros) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a region");
    }
    oc_status rc = oc__value_gather(old, NULL, zeros, &dim, 1, &made, err);
    free(zeros);
    if (rc == OC_OK) {
        oc__value_release(old);
        *value = made;
    }
    return rc;
}

static oc_status map_batched(oc__call *call, const oc__hlo_region *region, size_t n,
                             oc__value *const *args, size_t arg_count,
                             oc__value **out_results, size_t result_count,
                             oc_error *err)
{
    oc_status rc =
        run(call, region, n, args, arg_count, out_results, result_count, err);
    for (size_t i = 0; rc == OC_OK && i < result_count; i++) {
        rc = spread(&out_results[i], n, err);
    }
    return rc;
}

/* Results of no invocation at all, of the types that the region's return has. */
static oc_status map_nothing(oc__call *call, const oc__hlo_region *region,
                             oc__value **out_results, size_t result_count,
                             oc_error *err)
{
    const oc__hlo_block *block = &region->block;
    const oc__hlo_op *last =
        block->op_count > 0 ? block->ops[block->op_count - 1] : NULL;
    if (!last || last->operand_count != result_count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "its region does not return %zu values", result_count);
    }
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < result_count; i++) {
        const oc__hlo_type *type = call->frame->func->value_types[last->operands[i]];
        const int64_t none = 0;
        rc = oc__value_make(type->dtype, type->quant, &none, 1, &out_results[i], err);
    }
    return rc;
}

/* One invocation: element j of every argument, its results put into element j. */
static oc_status map_one(oc__call *call, const oc__hlo_region *region, size_t n,
                         int64_t j, oc__value *const *args, oc__value **scalars,
                         size_t arg_count, oc__value **out_results, size_t result_count,
                         oc_error *err)
{
    oc__value **results = scalars + arg_count;
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < arg_count; i++) {
        rc = oc__value_gather(args[i], NULL, &j, NULL, 0, &scalars[i], err);
    }
    if (rc == OC_OK) {
        rc = run(call, region, 0, scalars, arg_count, results, result_count, err);
    }
    for (size_t i = 0; rc == OC_OK && i < result_count; i++) {
        oc__value *written = NULL;
        if (j == 0) {
            const int64_t dim = (int64_t)n;
            rc = oc__value_make(results[i]->dtype, results[i]->quant, &dim, 1,
                                &out_results[i], err);
        }
        if (rc == OC_OK) {
            rc = oc__value_overwrite(out_results[i], true, results[i], &j, &written,
                                     err);
        }
        if (rc == OC_OK) {
            oc__value_release(out_results[i]);
            out_results[i] = written;
        }
    }
    for (size_t i = 0; i < arg_count + result_count; i++) {
        oc__value_release(scalars[i]);
        scalars[i] = NULL;
    }
    return rc;
}

oc_status oc__region_map(oc__call *call, const oc__hlo_region *region, size_t n,
                         oc__value *const *args, size_t arg_count,
                         oc__value **out_results, size_t result_count, oc_error *err)
{
    memset(out_results, 0, result_count * sizeof *out_results);
    oc_status rc = OC_OK;
    oc__value **scalars = NULL;
    if (n == 0) {
        rc = map_nothing(call, region, out_results, result_count, err);
        goto done;
    }
    if (oc__plan_block(call->eval, &region->block)->batches) {
        rc = map_batched(call, region, n, args, arg_count, out_results, result_count,
                         err);
        goto done;
    }
    scalars = calloc(arg_count + result_count + 1, sizeof(oc__value *));
    if (!scalars) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a region");
        goto done;
    }
    for (size_t j = 0; rc == OC_OK && j < n; j++) {
        rc = map_one(call, region, n, (int64_t)j, args, scalars, arg_count, out_results,
                     result_count, err);
    }
done:
    free(scalars);
    for (size_t i = 0; rc != OC_OK && i < result_count; i++) {
        oc__value_release(out_results[i]);
        out_results[i] = NULL;
    }
    return rc;
}

/* --- bodies -------------------------------------------------------------------- */

/* The operation of the block that defines a value; NULL for others. */
static const oc__hlo_op *definer(const oc__hlo_block *block, size_t value)
{
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        if (op->result_count == 1 && op->first_result == value) {
            return op;
        }
    }
    return NULL;
}

/* A value of the block less the conversion to this type that made it. */
static size_t unconverted(const oc__hlo_block *block, size_t value, oc_dtype to)
{
    const oc__hlo_op *op = definer(block, value);
    bool converts = op && strcmp(op->name, "stablehlo.convert") == 0 &&
                    op->result_types[0]->dtype == to;
    return converts ? op->operands[0] : value;
}

/* Whether an operation on numbers converted from `own` to `wide`, converted back, is
 * that operation in `own`: choices are, and sums, since a sum rounded to 2 p + 2 bits
 * and then to p is rounded right (Figueroa 1995). */
static bool may_be_wider(const char *name, oc_dtype own, oc_dtype wide)
{
    const oc__float_format *narrow = oc__float_format_of(own),
                           *wider = oc__float_format_of(wide);
    bool fits = oc__dtype_is_float(own) && oc__dtype_is_float(wide) &&
                wider->precision >= 2 * narrow->precision + 2 &&
                wider->min_exponent <= narrow->min_exponent &&
                wider->overflow_from >= narrow->overflow_from;
    return fits && (strcmp(name, "stablehlo.add") == 0 ||
                    strcmp(name, "stablehlo.maximum") == 0 ||
                    strcmp(name, "stablehlo.minimum") == 0);
}

/* The block's one operation on its two arguments, conversions to a wider type and back
 * apart; NULL when there is more to it. */
static const oc__hlo_op *sole_op(const oc__hlo_block *block, size_t returned,
                                 oc_dtype own)
{
    enum { ALONE = 2, CONVERTED = 5 }; // the return counted
    const oc__hlo_op *op = definer(block, returned);
    bool wider = block->op_count == CONVERTED;
    op = wider ? definer(block, unconverted(block, returned, own)) : op;
    if (!op || op->operand_count != 2 || (!wider && block->op_count != ALONE)) {
        return NULL;
    }
    size_t operands[2] = {op->operands[0], op->operands[1]};
    if (wider) {
        oc_dtype wide = op->result_types[0]->dtype;
        if (!may_be_wider(op->name, own, wide)) {
            return NULL;
        }
        operands[0] = unconverted(block, operands[0], wide);
        operands[1] = unconverted(block, operands[1], wide);
    }
    size_t first = block->first_argument;
    bool both = (operands[0] == first && operands[1] == first + 1) ||
                (operands[0] == first + 1 && operands[1] == first);
    return both ? op : NULL;
}

oc__body oc__region_body(const oc__hlo_region *region, oc_dtype argument)
{
    static const struct {
        const char *op;
        oc__body body;
    } bodies[] = {
        {"stablehlo.add", OC__BODY_ADD},
        {"stablehlo.multiply", OC__BODY_MULTIPLY},
        {"stablehlo.maximum", OC__BODY_MAXIMUM},
        {"stablehlo.minimum", OC__BODY_MINIMUM},
        {"stablehlo.and", OC__BODY_AND},
        {"stablehlo.or", OC__BODY_OR},
        {"stablehlo.xor", OC__BODY_XOR},
    };
    const oc__hlo_block *block = &region->block;
    const oc__hlo_op *last =
        block->op_count > 0 ? block->ops[block->op_count - 1] : NULL;
    if (block->argument_count != 2 || !last || last->operand_count != 1 ||
        last->result_count != 0) {
        return OC__BODY_OTHER;
    }
    size_t first = block->first_argument;
    if (block->op_count == 1) {
        return last->operands[0] == first       ? OC__BODY_FIRST
               : last->operands[0] == first + 1 ? OC__BODY_SECOND
                                                : OC__BODY_OTHER;
    }
    const oc__hlo_op *op = sole_op(block, last->operands[0], argument);
    for (size_t i = 0; op && i < sizeof bodies / sizeof *bodies; i++) {
        if (strcmp(op->name, bodies[i].op) == 0) {
            return bodies[i].body;
        }
    }
    return OC__BODY_OTHER;
}
