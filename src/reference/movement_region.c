/* map and chlo.scan: a region over the elements, or the slices, of tensors. */
#include "reference/frame.h"
#include "reference/hull.h"
#include "reference/movement.h"

#include <stdlib.h>
#include <string.h>

/* --- map ------------------------------------------------------------------ */

static oc_status check_map(oc__call *call, oc_error *err)
{
    const int64_t *dims;
    size_t count;
    oc_status rc = oc__check_tensors(call, 1, call->op->result_count, err);
    if (rc == OC_OK && call->op->region_count != 1) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "needs a region");
    }
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "dimensions", &dims, &count, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *first = call->in[0];
    bool whole = count == first->rank;
    for (size_t d = 0; whole && d < count; d++) {
        whole = dims[d] == (int64_t)d;
    }
    if (!whole) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "'dimensions' must be 0 to %zu in order, all of the "
                            "operand's",
                            first->rank);
    }
    for (size_t i = 1; i < call->op->operand_count; i++) {
        const oc__value *next = call->in[i];
        if (next->rank != first->rank ||
            memcmp(next->dims, first->dims, first->rank * sizeof *first->dims) != 0) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "operand %zu is %s where the first one is %s", i,
                                oc__shown_dims(next->dims, next->rank).text,
                                oc__shown_dims(first->dims, first->rank).text);
        }
    }
    return OC_OK;
}

oc_status oc__run_map(oc__call *call, oc_error *err)
{
    oc_status rc = check_map(call, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *first = call->in[0];
    size_t arg_count = call->op->operand_count, result_count = call->op->result_count;
    const int64_t dim = (int64_t)first->count;
    oc__value **args = calloc(arg_count + result_count, sizeof(oc__value *));
    if (!args) {
        return oc__no_memory(err);
    }
    oc__value **results = args + arg_count;
    for (size_t i = 0; rc == OC_OK && i < arg_count; i++) {
        rc = oc__value_reshaped(call->in[i], &dim, 1, &args[i], err);
    }
    if (rc == OC_OK) {
        rc = oc__region_map(call, call->op->regions[0], first->count, args, arg_count,
                            results, result_count, err);
    }
    for (size_t i = 0; rc == OC_OK && i < result_count; i++) {
        oc__value *made;
        rc = oc__value_reshaped(results[i], first->dims, first->rank, &made, err);
        if (rc == OC_OK) {
            oc__give(call, i, made);
        }
    }
    for (size_t i = 0; i < arg_count + result_count; i++) {
        oc__value_release(args[i]);
    }
    free(args);
    return rc;
}

/* --- scan ----------------------------------------------------------------- */

/* body(slices of the inputs, carries) gives slices of the outputs and the next carries,
 * step after step along one dimension. */
typedef struct scan {
    oc__call *call;
    size_t inputs, carries, outputs;
    int64_t dimension, steps;
    oc__value **args;    /* [inputs + carries] */
    oc__value **results; /* [outputs + carries] */
} scan;

static oc_status read_scan(scan *s, oc_error *err)
{
    oc__call *call = s->call;
    oc_status rc = oc__check_tensors(call, 0, call->op->result_count, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t operands = call->op->operand_count;
    if (call->op->region_count != 1 ||
        call->op->regions[0]->block.argument_count != operands) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "needs a region of %zu arguments, one for each operand",
                            operands);
    }
    /* Inputs have a dimension more than the region's arguments, carries are as they. */
    const oc__hlo_block *block = &call->op->regions[0]->block;
    while (s->inputs < operands &&
           call->in[s->inputs]->rank ==
               call->frame->func->value_types[block->first_argument + s->inputs]->rank +
                   1) {
        s->inputs++;
    }
    s->carries = operands - s->inputs;
    if (call->op->result_count < s->carries) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%zu results for %zu carries",
                            call->op->result_count, s->carries);
    }
    s->outputs = call->op->result_count - s->carries;
    s->dimension = oc__hlo_attr_int(call->op, "dimension", -1);
    s->steps = oc__hlo_attr_int(call->op, "scan_dim_size", -1);
    for (size_t i = 0; i < s->inputs; i++) {
        const oc__value *input = call->in[i];
        if (s->dimension < 0 || (uint64_t)s->dimension >= input->rank) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "'dimension' is %lld; operand %zu has %zu dimensions",
                                (long long)s->dimension, i, input->rank);
        }
        int64_t n = input->dims[s->dimension];
        if (s->steps >= 0 && n != s->steps) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "operand %zu gives %lld steps where %lld were given", i,
                                (long long)n, (long long)s->steps);
        }
        s->steps = n;
    }
    if (s->steps < 0) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "nothing says how many steps it takes");
    }
    return OC_OK;
}

/* Slice `at` of a tensor along the scan's dimension, as a view of it: the dims are the
 * slice's, `whole` the tensor's. */
static oc__view slice_view(const scan *s, const int64_t *whole, size_t rank, int64_t at)
{
    oc__view view = {.rank = rank - 1, .from_start = 0};
    int64_t strides[OC_MAX_RANK];
    size_t skipped = (size_t)s->dimension;
    oc__element_strides(whole, rank, strides);
    view.from_start = view.to_start = at * strides[skipped];
    for (size_t d = 0; d + 1 < rank; d++) {
        size_t from = d < skipped ? d : d + 1;
        view.dims[d] = whole[from];
        view.from_strides[d] = view.to_strides[d] = strides[from];
    }
    return view;
}

/* Result j of step `at` into output j, which is made when the first slice is there. */
static oc_status write_output(scan *s, size_t j, int64_t at, oc_error *err)
{
    const oc__value *slice = s->results[j];
    oc__value **out = &s->call->out[j];
    size_t rank = slice->rank + 1, skipped = (size_t)s->dimension;
    int64_t whole[OC_MAX_RANK];
    if (rank > OC_MAX_RANK || skipped >= rank) {
        return OC_CALL_FAIL(s->call, err, OC_PARSE,
                            "output %zu cannot have %zu dimensions and a scan along "
                            "%zu",
                            j, rank, skipped);
    }
    for (size_t d = 0; d < rank; d++) {
        whole[d] = d < skipped    ? slice->dims[d]
                   : d == skipped ? s->steps
                                  : slice->dims[d - 1];
    }
    if (!*out) {
        oc_status rc =
            oc__value_make(slice->dtype, slice->quant, whole, rank, out, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    if ((*out)->dtype != slice->dtype || (*out)->rank != rank ||
        memcmp((*out)->dims, whole, rank * sizeof *whole) != 0) {
        return OC_CALL_FAIL(s->call, err, OC_PARSE,
                            "its region returns slices of different shapes");
    }
    oc__view view = slice_view(s, whole, rank, at);
    view.from_start = 0;
    oc__element_strides(view.dims, view.rank, view.from_strides);
    return oc__view_write(*out, slice, &view, err);
}

static oc_status take_step(scan *s, int64_t at, oc_error *err)
{
    oc__call *call = s->call;
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < s->inputs; i++) {
        const oc__value *input = call->in[i];
        oc__view view = slice_view(s, input->dims, input->rank, at);
        rc = oc__view_read(input, &view, &s->args[i], err);
    }
    if (rc == OC_OK) {
        rc =
            oc__region_call(call, call->op->regions[0], s->args, s->inputs + s->carries,
                            s->results, s->outputs + s->carries, err);
    }
    for (size_t j = 0; rc == OC_OK && j < s->outputs; j++) {
        rc = write_output(s, j, at, err);
    }
    for (size_t i = 0; i < s->inputs; i++) {
        oc__value_release(s->args[i]);
        s->args[i] = NULL;
    }
    for (size_t j = 0; j < s->outputs + s->carries; j++) {
        if (rc == OC_OK && j >= s->outputs) {
            oc__value **carry = &s->args[s->inputs + j - s->outputs];
            oc__value_release(*carry);
            *carry = s->results[j];
        } else {
            oc__value_release(s->results[j]);
        }
        s->results[j] = NULL;
    }
    return rc;
}

/* The outputs of no step at all have the declared shape. */
static oc_status make_empty(scan *s, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t j = 0; rc == OC_OK && j < s->outputs; j++) {
        rc = oc__value_zeros(oc__call_result_type(s->call, j), &s->call->out[j], err);
    }
    return rc;
}

oc_status oc__run_scan(oc__call *call, oc_error *err)
{
    scan s = {.call = call};
    oc_status rc = read_scan(&s, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t arg_count = s.inputs + s.carries, result_count = call->op->result_count;
    s.args = calloc(arg_count + result_count + 1, sizeof(oc__value *));
    if (!s.args) {
        return oc__no_memory(err);
    }
    s.results = s.args + arg_count;
    for (size_t i = 0; i < s.carries; i++) {
        s.args[s.inputs + i] = oc__value_retain(call->in[s.inputs + i]);
    }
    bool reverse = oc__hlo_attr_flag(call->op, "is_reverse");
    for (int64_t t = 0; rc == OC_OK && t < s.steps; t++) {
        rc = take_step(&s, reverse ? s.steps - 1 - t : t, err);
    }
    if (rc == OC_OK && s.steps == 0) {
        rc = make_empty(&s, err);
    }
    for (size_t i = 0; rc == OC_OK && i < s.carries; i++) {
        call->out[s.outputs + i] = s.args[s.inputs + i];
        s.args[s.inputs + i] = NULL;
    }
    /* A body that is declared associative may be applied along any tree. */
    for (size_t j = 0; rc == OC_OK && j < result_count && s.steps > 2 &&
                       oc__hlo_attr_flag(call->op, "is_associative");
         j++) {
        if (oc__dtype_is_integer(call->out[j]->dtype) ||
            call->out[j]->dtype == OC_PRED) {
            continue;
        }
        oc__call_note(call, "scan_order", call->out[j]->count);
        rc = oc__value_flag(&call->out[j], OC__F_OPEN, err);
    }
    for (size_t i = 0; i < arg_count + result_count; i++) {
        oc__value_release(s.args[i]);
    }
    free(s.args);
    return rc;
}
