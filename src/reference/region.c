#include "reference/eval.h"

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

oc__body oc__region_body(const oc__hlo_region *region)
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
    if (block->argument_count != 2 || block->op_count == 0 || block->op_count > 2) {
        return OC__BODY_OTHER;
    }
    size_t first = block->first_argument;
    const oc__hlo_op *last = block->ops[block->op_count - 1];
    if (last->operand_count != 1 || last->result_count != 0) {
        return OC__BODY_OTHER;
    }
    if (block->op_count == 1) {
        return last->operands[0] == first       ? OC__BODY_FIRST
               : last->operands[0] == first + 1 ? OC__BODY_SECOND
                                                : OC__BODY_OTHER;
    }
    const oc__hlo_op *op = block->ops[0];
    bool both = op->operand_count == 2 && op->result_count == 1 &&
                last->operands[0] == op->first_result &&
                ((op->operands[0] == first && op->operands[1] == first + 1) ||
                 (op->operands[0] == first + 1 && op->operands[1] == first));
    for (size_t i = 0; both && i < sizeof bodies / sizeof *bodies; i++) {
        if (strcmp(op->name, bodies[i].op) == 0) {
            return bodies[i].body;
        }
    }
    return OC__BODY_OTHER;
}
