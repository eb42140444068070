/* Checked reading of what the movement operations are told: every mismatch is a failure
 * of the program with both figures. */
#include "reference/movement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

oc__shown oc__shown_dims(const int64_t *dims, size_t rank)
{
    oc__shown shown = {.text = "scalar"};
    size_t used = 0;
    for (size_t d = 0; d < rank && used < sizeof shown.text; d++) {
        used += (size_t)snprintf(shown.text + used, sizeof shown.text - used, "%s%lld",
                                 d > 0 ? "x" : "", (long long)dims[d]);
    }
    return shown;
}

static oc_status all_tensors(oc__call *call, oc_error *err)
{
    for (size_t i = 0; i < call->op->operand_count; i++) {
        if (call->in[i]->kind != OC__HLO_TENSOR) {
            return OC_CALL_FAIL(call, err, OC_PARSE, "operand %zu is not a tensor", i);
        }
    }
    return OC_OK;
}

oc_status oc__check_tensors(oc__call *call, size_t at_least, size_t results,
                            oc_error *err)
{
    if (call->op->operand_count < at_least || call->op->result_count != results) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu operands and %zu results; it takes %zu or more and "
                            "gives %zu",
                            call->op->operand_count, call->op->result_count, at_least,
                            results);
    }
    return all_tensors(call, err);
}

oc_status oc__check_arity(oc__call *call, size_t operands, size_t results,
                          oc_error *err)
{
    if (call->op->operand_count != operands || call->op->result_count != results) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu operands and %zu results; it takes %zu and gives %zu",
                            call->op->operand_count, call->op->result_count, operands,
                            results);
    }
    return all_tensors(call, err);
}

oc_status oc__check_same_dtype(oc__call *call, const char *what, const oc__value *value,
                               const char *like_what, const oc__value *like,
                               oc_error *err)
{
    if (value->dtype != like->dtype) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s is %s where %s is %s", what,
                            oc_dtype_name(value->dtype), like_what,
                            oc_dtype_name(like->dtype));
    }
    return OC_OK;
}

oc_status oc__read_ints(oc__call *call, const char *name, const int64_t **out_ints,
                        size_t *out_count, oc_error *err)
{
    *out_count = 0;
    const oc__hlo_attr *attr = oc__hlo_attr_get(call->op, name);
    if (!attr) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "needs the attribute '%s'", name);
    }
    return oc__hlo_ints(oc__call_module(call), attr, out_ints, out_count, err);
}

oc_status oc__read_counted(oc__call *call, const char *name, size_t count,
                           bool optional, int64_t otherwise, int64_t *out,
                           oc_error *err)
{
    if (optional && !oc__hlo_attr_get(call->op, name)) {
        for (size_t i = 0; i < count; i++) {
            out[i] = otherwise;
        }
        return OC_OK;
    }
    const int64_t *ints;
    size_t found;
    oc_status rc = oc__read_ints(call, name, &ints, &found, err);
    if (rc == OC_OK && found != count) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "'%s' has %zu numbers; it needs %zu",
                          name, found, count);
    }
    if (rc == OC_OK && count > 0) {
        memcpy(out, ints, count * sizeof *out);
    }
    return rc;
}

oc_status oc__read_dimension(oc__call *call, const char *name, size_t rank,
                             size_t *out_dimension, oc_error *err)
{
    const oc__hlo_attr *attr = oc__hlo_attr_get(call->op, name);
    if (!attr || attr->kind != OC__ATTR_INT) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "needs the attribute '%s', a whole number", name);
    }
    if (attr->integer < 0 || (uint64_t)attr->integer >= rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "'%s' is %lld; the tensor has %zu dimensions", name,
                            (long long)attr->integer, rank);
    }
    *out_dimension = (size_t)attr->integer;
    return OC_OK;
}

oc_status oc__check_dims(oc__call *call, const char *what, const int64_t *dims,
                         size_t count, size_t rank, bool sorted, uint32_t *out_mask,
                         oc_error *err)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        if (dims[i] < 0 || (uint64_t)dims[i] >= rank) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "'%s' names dimension %lld of a tensor of %zu "
                                "dimensions",
                                what, (long long)dims[i], rank);
        }
        if (mask & (1U << dims[i])) {
            return OC_CALL_FAIL(call, err, OC_PARSE, "'%s' names dimension %lld twice",
                                what, (long long)dims[i]);
        }
        if (sorted && i > 0 && dims[i] < dims[i - 1]) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "'%s' must ascend; %lld stands after %lld", what,
                                (long long)dims[i], (long long)dims[i - 1]);
        }
        mask |= 1U << dims[i];
    }
    *out_mask = mask;
    return OC_OK;
}

oc_status oc__static_shape(oc__call *call, size_t index, int64_t *dims,
                           size_t *out_rank, oc_error *err)
{
    const oc__hlo_type *type = oc__call_result_type(call, index);
    if (type->kind != OC__HLO_TENSOR) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "its result must be a tensor, not %s",
                            type->text);
    }
    if (type->rank > OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT,
                            "a result of %zu dimensions; at most %d are handled",
                            type->rank, OC_MAX_RANK);
    }
    for (size_t d = 0; d < type->rank; d++) {
        if (type->dims[d] < 0) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "its result must have a static shape, not %s",
                                type->text);
        }
        dims[d] = type->dims[d];
    }
    *out_rank = type->rank;
    return OC_OK;
}

oc_status oc__index_elements(oc__call *call, const char *what, const oc__value *value,
                             int64_t **out_ints, oc_error *err)
{
    *out_ints = NULL;
    if (!oc__dtype_is_integer(value->dtype) || value->quant) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s must be integers, not %s", what,
                            value->quant ? "quantized" : oc_dtype_name(value->dtype));
    }
    int64_t *ints = calloc(value->count + 1, sizeof *ints);
    if (!ints) {
        return oc__no_memory(err);
    }
    oc__value decided = *value; /* the same elements, without what is said of them */
    decided.f = NULL;
    bool read = oc__value_ints(&decided, ints);
    OC_ASSERT(read);
    *out_ints = ints;
    return OC_OK;
}

oc_status oc__vector_operand(oc__call *call, size_t index, const char *what,
                             int64_t *out, size_t *out_count, oc_error *err)
{
    const oc__value *value = call->in[index];
    *out_count = 0;
    if (value->rank != 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%s has %zu dimensions; it must be a vector", what,
                            value->rank);
    }
    if (value->count > OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT,
                            "%s has %zu elements; at most %d dimensions are handled",
                            what, value->count, OC_MAX_RANK);
    }
    int64_t *ints;
    oc_status rc = oc__index_elements(call, what, value, &ints, err);
    if (rc != OC_OK) {
        return rc;
    }
    const uint8_t *f = oc__f(value);
    for (size_t i = 0; i < value->count; i++) {
        out[i] = ints[i];
        if (f && (f[i] & OC__F_UNDECIDED) && rc == OC_OK) {
            rc =
                OC_CALL_FAIL(call, err, OC_INVALID_ARGUMENT,
                             "element %zu of %s is undecided, and with it the shape of "
                             "the result",
                             i, what);
        }
    }
    *out_count = value->count;
    free(ints);
    return rc;
}

oc_status oc__per_dimension(oc__call *call, size_t index, const char *what,
                            int64_t *out, oc_error *err)
{
    size_t count;
    oc_status rc = oc__vector_operand(call, index, what, out, &count, err);
    if (rc == OC_OK && count != call->in[0]->rank) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "%s has %zu numbers for an operand of %zu dimensions", what,
                          count, call->in[0]->rank);
    }
    return rc;
}
