#include "reference/chlo.h"

#include "reference/real.h"
#include "tensor/float_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- operations made of others */

/* Runs the call as `kernel`'s operation on other operands. The copy of the operation
 * only lives as long as the run; what is kept of it (its name) is the kernel's. */
static oc_status run_as(oc__call *call, const oc__kernel *kernel, oc__value *const *in,
                        size_t operand_count, const size_t *operands, oc_error *err)
{
    oc__hlo_op op = *call->op;
    op.name = kernel->op;
    op.operand_count = operand_count;
    op.operands = operands;
    oc__call as = *call;
    as.op = &op;
    as.in = in;
    return kernel->run(&as, err);
}

oc_status oc__chlo_square(oc__call *call, oc_error *err)
{
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *const in[2] = {call->in[0], call->in[0]};
    const size_t operands[2] = {call->op->operands[0], call->op->operands[0]};
    return run_as(call, oc__kernel_find("stablehlo.multiply"), in, 2, operands, err);
}

enum { MAX_OPERANDS = 3 };

/* Where dimension d of an operand goes in the result: as broadcast_dimensions says for
 * an operand of lower rank, else its last dimension to the last one. */
static oc_status placement(oc__call *call, const oc__value *value, size_t rank,
                           int64_t *out_to, oc_error *err)
{
    const int64_t *given = NULL;
    size_t count = 0;
    oc_status rc = oc__hlo_ints(oc__call_module(call),
                                oc__hlo_attr_get(call->op, "broadcast_dimensions"),
                                &given, &count, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool explicit = count > 0 && count == value->rank && value->rank < rank;
    for (size_t d = 0; d < value->rank; d++) {
        out_to[d] = explicit ? given[d] : (int64_t)(rank - value->rank + d);
        if (out_to[d] < 0 || (size_t)out_to[d] >= rank ||
            (d > 0 && out_to[d] <= out_to[d - 1])) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "broadcast_dimensions must name dimensions of the "
                                "result in ascending order");
        }
    }
    return OC_OK;
}

static oc_status broadcast_to(oc__call *call, const oc__value *value,
                              const int64_t *dims, size_t rank, size_t count,
                              oc__value **out, oc_error *err)
{
    int64_t to[OC_MAX_RANK] = {0}, strides[OC_MAX_RANK], steps[OC_MAX_RANK] = {0};
    oc_status rc = placement(call, value, rank, to, err);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t *index = calloc(count + 1, sizeof *index);
    if (!index) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for %zu indices", count);
    }
    oc__strides(value->dims, value->rank, strides);
    for (size_t d = 0; d < value->rank; d++) {
        steps[to[d]] = value->dims[d] == 1 ? 0 : strides[d];
    }
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        for (size_t d = rank; d-- > 0;) {
            index[i] += (int64_t)(rest % (size_t)dims[d]) * steps[d];
            rest /= (size_t)dims[d];
        }
    }
    rc = oc__value_gather(value, NULL, index, dims, rank, out, err);
    free(index);
    return rc;
}

/* The dims that all operands broadcast to. */
static oc_status joint_dims(oc__call *call, int64_t *dims, size_t *out_rank,
                            size_t *out_count, oc_error *err)
{
    size_t rank = 0, count = 1;
    for (size_t k = 0; k < call->op->operand_count; k++) {
        rank = call->in[k]->rank > rank ? call->in[k]->rank : rank;
    }
    for (size_t d = 0; d < rank; d++) {
        dims[d] = 1;
    }
    for (size_t k = 0; k < call->op->operand_count; k++) {
        const oc__value *v = call->in[k];
        int64_t to[OC_MAX_RANK];
        oc_status rc = placement(call, v, rank, to, err);
        for (size_t d = 0; rc == OC_OK && d < v->rank; d++) {
            int64_t *dim = &dims[to[d]];
            if (*dim != 1 && v->dims[d] != 1 && *dim != v->dims[d]) {
                rc = OC_CALL_FAIL(
                    call, err, OC_PARSE,
                    "operand %zu does not broadcast: dimension %zu is %lld "
                    "beside %lld",
                    k, d, (long long)v->dims[d], (long long)*dim);
            }
            *dim = *dim == 1 ? v->dims[d] : *dim;
        }
        if (rc != OC_OK) {
            return rc;
        }
    }
    for (size_t d = 0; d < rank; d++) {
        if (__builtin_mul_overflow(count, (size_t)dims[d], &count) ||
            count > PTRDIFF_MAX / sizeof(int64_t)) {
            return OC_CALL_FAIL(call, err, OC_LIMIT, "the result is too large");
        }
    }
    *out_rank = rank;
    *out_count = count;
    return OC_OK;
}

static const oc__kernel *kernel_behind(const char *op_name)
{
    static const char *const dialects[] = {"stablehlo", "chlo"};
    const char *name = op_name + strlen("chlo.broadcast_");
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        char full[64];
        snprintf(full, sizeof full, "%s.%s", dialects[i], name);
        const oc__kernel *kernel = oc__kernel_find(full);
        if (kernel) {
            return kernel;
        }
    }
    return NULL;
}

oc_status oc__chlo_broadcast(oc__call *call, oc_error *err)
{
    const oc__kernel *kernel = kernel_behind(call->op->name);
    int64_t dims[OC_MAX_RANK];
    size_t rank = 0, count = 0, operands = call->op->operand_count;
    bool tensors = kernel && operands > 0 && operands <= MAX_OPERANDS;
    for (size_t k = 0; tensors && k < operands; k++) {
        tensors = call->in[k]->kind == OC__HLO_TENSOR;
    }
    if (!tensors) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes two or three tensors");
    }
    oc__value *in[MAX_OPERANDS] = {NULL};
    oc_status rc = joint_dims(call, dims, &rank, &count, err);
    for (size_t k = 0; rc == OC_OK && k < operands; k++) {
        rc = broadcast_to(call, call->in[k], dims, rank, count, &in[k], err);
    }
    if (rc == OC_OK) {
        rc = run_as(call, kernel, in, operands, call->op->operands, err);
    }
    for (size_t k = 0; k < operands; k++) {
        oc__value_release(in[k]);
    }
    return rc;
}

/* --- exact operations */

oc_status oc__chlo_conj(oc__call *call, oc_error *err)
{
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *x = call->in[0];
    if (!oc__dtype_is_complex(x->dtype)) {
        call->out[0] = oc__value_retain(call->in[0]);
        return OC_OK;
    }
    oc__value *out;
    rc = oc__value_make(x->dtype, NULL, x->dims, x->rank, &out, err);
    if (rc != OC_OK) {
        return rc;
    }
    call->out[0] = out;
    for (size_t i = 0; i < x->count; i++) {
        oc__m(out)[2 * i] = oc__m(x)[2 * i];
        oc__m(out)[2 * i + 1] = -oc__m(x)[2 * i + 1];
    }
    out->r = oc__plane_retain(x->r);
    out->s = oc__plane_retain(x->s);
    out->f = oc__plane_retain(x->f);
    return OC_OK;
}

oc_status oc__chlo_is_inf(oc__call *call, oc_error *err)
{
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *x = call->in[0];
    bool positive = !strstr(call->op->name, "neg"),
         negative = !strstr(call->op->name, "pos");
    if (!oc__dtype_is_float(x->dtype)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes real floats");
    }
    oc__value *out;
    rc = oc__value_make(OC_PRED, NULL, x->dims, x->rank, &out, err);
    if (rc != OC_OK) {
        return rc;
    }
    call->out[0] = out;
    uint8_t *f = oc__value_own_f(out);
    if (!f) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for the flags");
    }
    for (size_t i = 0; i < x->count; i++) {
        double m = oc__m(x)[i], r = x->r ? oc__r(x)[i] : 0;
        out->m->bytes[i] = isinf(m) && (signbit(m) ? negative : positive);
        uint8_t sticky = x->f ? oc__f(x)[i] & OC__F_STICKY : 0;
        f[i] = r < (double)INFINITY ? sticky : sticky | OC__F_UNDECIDED;
    }
    oc__value_tidy(out);
    return OC_OK;
}

/* --- constant_like */

/* One element from an attribute `3.0 : f32`, `1 : i64` or a dense splat. */
static bool scalar_of(const oc__hlo_attr *attr, oc_tensor *tensor)
{
    if (!attr) {
        return false;
    }
    if (attr->kind == OC__ATTR_DENSE) {
        bool fits = attr->dense->size_bytes == tensor->size_bytes;
        if (fits) {
            memcpy(tensor->data, attr->dense->data, tensor->size_bytes);
        }
        return fits;
    }
    bool whole = attr->kind == OC__ATTR_INT || attr->kind == OC__ATTR_BOOL;
    if (!whole && attr->kind != OC__ATTR_FLOAT) {
        return false;
    }
    if (oc__dtype_is_float(tensor->dtype)) {
        double value = whole ? (double)attr->integer : attr->real;
        oc__float_encode_array(tensor->dtype, &value, 1, tensor->data);
        return true;
    }
    // Little endian: the low bytes of the number are the element.
    bool integers = oc__dtype_is_integer(tensor->dtype) || tensor->dtype == OC_PRED;
    if (whole && integers) {
        memcpy(tensor->data, &attr->integer, tensor->size_bytes);
    }
    return whole && integers;
}

oc_status oc__chlo_constant_like(oc__call *call, oc_error *err)
{
    if (call->op->operand_count != 1 || call->op->result_count != 1 ||
        call->in[0]->kind != OC__HLO_TENSOR) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes one tensor");
    }
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    const oc__value *like = call->in[0];
    oc_tensor tensor = {0};
    oc__value *scalar = NULL;
    int64_t *index = NULL;
    oc_status rc = oc_tensor_make(type->dtype, NULL, 0, &tensor, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (!scalar_of(oc__hlo_attr_get(call->op, "value"), &tensor)) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "needs a value of one %s",
                          oc_dtype_name(type->dtype));
        goto done;
    }
    rc = oc__value_from_tensor(&tensor, NULL, &scalar, err);
    if (rc != OC_OK) {
        goto done;
    }
    index = calloc(like->count + 1, sizeof *index);
    rc = index ? oc__value_gather(scalar, NULL, index, like->dims, like->rank,
                                  &call->out[0], err)
               : OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for %zu indices",
                              like->count);
done:
    free(index);
    oc__value_release(scalar);
    oc_tensor_free(&tensor);
    return rc;
}
