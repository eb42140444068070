/* Reductions whose body is no single operation: argmax and its like, logaddexp,
 * products of complex numbers. The body runs on many elements at once. */
#include "reference/contract.h"

#include <stdlib.h>

/* Past so many steps neighbours are folded in pairs, as a balanced tree: in order too,
 * and the body runs on long vectors only. */
enum { IN_SEQUENCE = 256, MAX_LEVELS = 64 };

static void release_all(oc__value **values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        oc__value_release(values[i]);
        values[i] = NULL;
    }
}

oc_status oc__region_apply(oc__call *call, oc__value **values, oc__value *const *right,
                           size_t count, size_t n, oc_error *err)
{
    const oc__hlo_region *region = call->op->regions[0];
    oc__value **args = calloc(3 * count, sizeof(oc__value *));
    if (!args) {
        return oc__no_memory(err);
    }
    memcpy(args, values, count * sizeof *args);
    memcpy(args + count, right, count * sizeof *args);
    oc__value **results = args + 2 * count;
    oc_status rc =
        oc__region_map(call, region, n, args, 2 * count, results, count, err);
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        oc__value_release(values[i]);
        values[i] = results[i];
    }
    free(args);
    oc__call_flops(call, (double)n * (double)region->block.op_count);
    return rc == OC_OK ? oc__call_tick(call, err) : rc;
}

/* Every `stride`-th slice from `first` on, `slices` of them: [slices * width]. */
static oc_status take(const oc__value *value, size_t first, size_t stride,
                      size_t slices, size_t width, oc__value **out_value, oc_error *err)
{
    int64_t count = (int64_t)(slices * width);
    oc__view view = {.rank = 2,
                     .dims = {(int64_t)slices, (int64_t)width},
                     .from_strides = {(int64_t)(stride * width), 1},
                     .from_start = (int64_t)(first * width)};
    oc__value *made = NULL;
    oc_status rc = oc__view_read(value, &view, &made, err);
    if (rc == OC_OK) {
        rc = oc__value_reshaped(made, &count, 1, out_value, err);
    }
    oc__value_release(made);
    return rc;
}

static oc_status take_all(oc__value *const *values, size_t count, size_t first,
                          size_t stride, size_t slices, size_t width,
                          oc__value **out_values, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        rc = take(values[i], first, stride, slices, width, &out_values[i], err);
    }
    return rc;
}

static oc_status fold_in_sequence(oc__call *call, oc__value **results,
                                  oc__value *const *inputs, size_t count, size_t steps,
                                  size_t width, oc__value **slices, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t k = 0; rc == OC_OK && k < steps; k++) {
        rc = take_all(inputs, count, k, 1, 1, width, slices, err);
        if (rc == OC_OK) {
            rc = oc__region_apply(call, results, slices, count, width, err);
        }
        release_all(slices, count);
    }
    return rc;
}

/* Pairs of neighbours, level after level; a slice without a neighbour waits in `rest`,
 * to come in from the right at the end. */
static oc_status fold_in_pairs(oc__call *call, oc__value **results,
                               oc__value *const *inputs, size_t count, size_t steps,
                               size_t width, oc__value **slices, oc_error *err)
{
    oc__value **left = slices, **right = slices + count, **rest = slices + 2 * count;
    size_t waiting = 0;
    oc__value *const *level = inputs;
    oc_status rc = OC_OK;
    while (rc == OC_OK && steps > 1) {
        size_t pairs = steps / 2;
        oc__value **next = slices + (2 + MAX_LEVELS) * count;
        if (steps % 2) {
            rc = take_all(level, count, steps - 1, 1, 1, width, rest + waiting * count,
                          err);
            waiting++;
        }
        if (rc == OC_OK) {
            rc = take_all(level, count, 0, 2, pairs, width, left, err);
        }
        if (rc == OC_OK) {
            rc = take_all(level, count, 1, 2, pairs, width, right, err);
        }
        if (rc == OC_OK) {
            rc = oc__region_apply(call, left, right, count, pairs * width, err);
        }
        release_all(right, count);
        release_all(next, count);
        memcpy(next, left, count * sizeof *left);
        memset(left, 0, count * sizeof *left);
        level = next;
        steps = pairs;
    }
    if (rc == OC_OK) {
        rc = oc__region_apply(call, results, level, count, width, err);
    }
    while (rc == OC_OK && waiting > 0) {
        waiting--;
        rc = oc__region_apply(call, results, rest + waiting * count, count, width, err);
    }
    return rc;
}

oc_status oc__region_fold(oc__call *call, oc__value *const *inputs,
                          oc__value *const *inits, size_t count, size_t steps,
                          size_t width, oc__value **out_results, oc_error *err)
{
    size_t slots = (3 + MAX_LEVELS) * count;
    oc__value **slices = calloc(slots, sizeof(oc__value *));
    oc_status rc = slices ? OC_OK : oc__no_memory(err);
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        out_results[i] = oc__value_retain(inits[i]);
    }
    if (rc == OC_OK && width > 0 && steps <= IN_SEQUENCE) {
        rc = fold_in_sequence(call, out_results, inputs, count, steps, width, slices,
                              err);
    } else if (rc == OC_OK && width > 0) {
        rc = fold_in_pairs(call, out_results, inputs, count, steps, width, slices, err);
    }
    if (slices) {
        release_all(slices, slots);
    }
    free(slices);
    return rc;
}

/* --- any tree --- */

/* Operations that round nothing: what a body of them chooses is the same in every tree.
 */
static bool is_exact(const char *name)
{
    static const char *const exact[] = {"stablehlo.select",
                                        "stablehlo.maximum",
                                        "stablehlo.minimum",
                                        "stablehlo.constant",
                                        "stablehlo.negate",
                                        "stablehlo.abs",
                                        "stablehlo.clamp",
                                        "stablehlo.reshape",
                                        "stablehlo.broadcast_in_dim",
                                        "stablehlo.sign",
                                        "stablehlo.floor",
                                        "stablehlo.ceil",
                                        "stablehlo.real",
                                        "stablehlo.imag",
                                        "stablehlo.complex",
                                        "stablehlo.tuple",
                                        "stablehlo.get_tuple_element"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        if (strcmp(name, exact[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool body_rounds(const oc__hlo_region *region)
{
    for (size_t i = 0; i < region->block.op_count; i++) {
        const oc__hlo_op *op = region->block.ops[i];
        for (size_t k = 0; k < op->result_count; k++) {
            const oc__hlo_type *type = op->result_types[k];
            bool floats =
                type->kind == OC__HLO_TENSOR &&
                (oc__dtype_is_float(type->dtype) || oc__dtype_is_complex(type->dtype));
            if ((floats && !is_exact(op->name)) || op->region_count > 0) {
                return true;
            }
        }
    }
    return false;
}

oc_status oc__widen_tree(oc__call *call, oc__value **value, size_t steps, oc_error *err)
{
    oc__value *result = *value;
    bool pairs = oc__dtype_is_complex(result->dtype);
    if ((!pairs && !oc__dtype_is_float(result->dtype)) || steps < 2 ||
        !body_rounds(call->op->regions[0])) {
        return OC_OK;
    }
    double unit = oc__power_of_two(-oc__float_format_of(result->dtype)->precision);
    const double *m = oc__m(result);
    double *r = oc__value_own_r(result);
    if (!r) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; i < result->count * (pairs ? 2 : 1); i++) {
        double size = pairs ? 4 * hypot(m[i & ~(size_t)1], m[i | 1]) : fabs(m[i]);
        if (isfinite(size)) {
            r[i] += (double)(steps - 1) * unit * (size + r[i]);
        }
    }
    return oc__value_flag(value, OC__F_TABLE, err);
}
