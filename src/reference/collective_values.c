#include "reference/collective.h"

#include "reference/hull.h"
#include "reference/sum.h"

#include <stdlib.h>
#include <string.h>

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC,
                   "no memory for a collective operation");
}

/* --- parts --------------------------------------------------------------------- */

/* index[i]: where element i of a piece of `length` along `dimension`, starting at
 * `start`, lies in the whole of dims `dims`. malloc'd; NULL when out of memory. */
static int64_t *piece_index(const int64_t *dims, size_t rank, size_t dimension,
                            int64_t start, int64_t length)
{
    int64_t outer = 1, inner = 1;
    for (size_t d = 0; d < rank; d++) {
        *(d < dimension ? &outer : &inner) *= d == dimension ? 1 : dims[d];
    }
    int64_t *index = malloc(((size_t)(outer * length * inner) + 1) * sizeof *index);
    int64_t *at = index;
    for (int64_t o = 0; index && o < outer; o++) {
        int64_t first = (o * dims[dimension] + start) * inner;
        for (int64_t i = 0; i < length * inner; i++) {
            *at++ = first + i;
        }
    }
    return index;
}

oc_status oc__value_part(const oc__value *value, size_t dimension, size_t index,
                         size_t count, oc__value **out_value, oc_error *err)
{
    *out_value = NULL;
    if (count == 0 || value->dims[dimension] % (int64_t)count != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "dimension %zu of %lld cannot be split into %zu equal parts",
                       dimension, (long long)value->dims[dimension], count);
    }
    int64_t dims[OC_MAX_RANK];
    memcpy(dims, value->dims, value->rank * sizeof *dims);
    dims[dimension] /= (int64_t)count;
    int64_t *from = piece_index(value->dims, value->rank, dimension,
                                (int64_t)index * dims[dimension], dims[dimension]);
    if (!from) {
        return no_memory(err);
    }
    oc_status rc =
        oc__value_gather(value, NULL, from, dims, value->rank, out_value, err);
    free(from);
    return rc;
}

/* The parts of a concatenation may differ along its dimension only. */
static oc_status joined_dims(oc__value *const *parts, size_t count, size_t dimension,
                             int64_t *dims, oc_error *err)
{
    const oc__value *first = parts[0];
    memcpy(dims, first->dims, first->rank * sizeof *dims);
    dims[dimension] = 0;
    for (size_t k = 0; k < count; k++) {
        bool same = parts[k]->dtype == first->dtype && parts[k]->rank == first->rank;
        for (size_t d = 0; same && d < first->rank; d++) {
            same = d == dimension || parts[k]->dims[d] == first->dims[d];
        }
        if (!same || __builtin_add_overflow(dims[dimension], parts[k]->dims[dimension],
                                            &dims[dimension])) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "the tensors of a group do not fit together along "
                           "dimension %zu",
                           dimension);
        }
    }
    return OC_OK;
}

oc_status oc__value_concatenate(oc__value *const *parts, size_t count, size_t dimension,
                                oc__value **out_value, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    int64_t start = 0;
    oc__value *made = NULL;
    *out_value = NULL;
    oc_status rc = joined_dims(parts, count, dimension, dims, err);
    if (rc == OC_OK) {
        rc = oc__value_make(parts[0]->dtype, parts[0]->quant, dims, parts[0]->rank,
                            &made, err);
    }
    for (size_t k = 0; rc == OC_OK && k < count; k++) {
        int64_t length = parts[k]->dims[dimension];
        int64_t *to = piece_index(dims, parts[k]->rank, dimension, start, length);
        oc__value *written = NULL;
        rc = to ? oc__value_overwrite(made, true, parts[k], to, &written, err)
                : no_memory(err);
        free(to);
        if (rc == OC_OK) {
            oc__value_release(made);
            made = written;
        }
        start += length;
    }
    if (rc != OC_OK) {
        oc__value_release(made);
        return rc;
    }
    *out_value = made;
    return OC_OK;
}

/* --- reductions ---------------------------------------------------------------- */

/* The same numbers in the wider type that the region computes in. */
static oc_status promote(oc__call *call, const oc__value *value, oc_dtype dtype,
                         oc__value **out_value, oc_error *err)
{
    oc_status rc = oc__value_reshaped(value, value->dims, value->rank, out_value, err);
    if (!*out_value || value->dtype == dtype) {
        return rc;
    }
    bool reals = oc__dtype_is_float(value->dtype) && oc__dtype_is_float(dtype);
    bool complexes = oc__dtype_is_complex(value->dtype) && oc__dtype_is_complex(dtype);
    if ((reals || complexes) &&
        oc_dtype_host_bits(dtype) >= oc_dtype_host_bits(value->dtype)) {
        // Every number of the narrower type is one of the wider.
        (*out_value)->dtype = dtype;
        return OC_OK;
    }
    oc__value_release(*out_value);
    *out_value = NULL;
    return OC_CALL_FAIL(call, err, OC_INVALID_ARGUMENT,
                        "the reference does not promote %s to %s",
                        oc_dtype_name(value->dtype), oc_dtype_name(dtype));
}

/* Sums of more than two floats: any order of the additions may come (numerics 8.2). */
static oc_status sum_all(oc__call *call, oc__value *const *terms, size_t count,
                         oc__value **out_value, oc_error *err)
{
    const oc__value *first = terms[0];
    size_t width = oc__dtype_is_complex(first->dtype) ? 2 : 1;
    oc_status rc =
        oc__value_make(first->dtype, NULL, first->dims, first->rank, out_value, err);
    oc__value *out = *out_value;
    if (!out) {
        return rc;
    }
    bool sigma = oc__call_arith(call)->sigma;
    double *m = oc__m(out), *r = oc__value_own_r(out);
    double *s = sigma ? oc__value_own_s(out) : NULL;
    uint8_t *f = oc__value_own_f(out);
    if (!r || !f || (sigma && !s)) {
        oc__value_release(out);
        *out_value = NULL;
        return no_memory(err);
    }
    oc__sum_model model;
    oc__sum_model_make(
        call, oc__sum_accumulator(oc__call_arith(call), first->dtype, first->dtype),
        first->dtype, &model);
    for (size_t i = 0; i < out->count * width; i++) {
        oc__sum sum;
        oc__sum_start(&sum);
        for (size_t k = 0; k < count; k++) {
            const oc__value *t = terms[k];
            oc__sum_add(&sum, oc__m(t)[i], t->r ? oc__r(t)[i] : 0,
                        t->s ? oc__s(t)[i] : 0, t->f ? oc__f(t)[i / width] : 0);
        }
        sum.roundings = (double)(count - 1);
        oc__ball ball = oc__sum_finish(&model, &sum);
        m[i] = ball.m;
        r[i] = ball.r;
        f[i / width] |= ball.f;
        if (s) {
            s[i] = ball.s;
        }
    }
    oc__call_flops(call, (double)(count - 1) * (double)(out->count * width));
    oc__value_tidy(out);
    return OC_OK;
}

static bool is_exact(oc__body body)
{
    return body == OC__BODY_MAXIMUM || body == OC__BODY_MINIMUM ||
           body == OC__BODY_AND || body == OC__BODY_OR || body == OC__BODY_XOR;
}

/* The computation applied in the group's order. Where rounding makes the order matter
 * and no bound is at hand, the result is one of several that the text allows. */
static oc_status fold(oc__call *call, oc__value *const *terms, size_t count,
                      oc__value **out_value, oc_error *err)
{
    const oc__hlo_region *region = call->op->regions[0];
    const int64_t flat = (int64_t)terms[0]->count;
    oc__value *acc = NULL, *term = NULL, *next = NULL;
    oc_status rc = oc__value_reshaped(terms[0], &flat, 1, &acc, err);
    for (size_t k = 1; rc == OC_OK && k < count; k++) {
        rc = oc__value_reshaped(terms[k], &flat, 1, &term, err);
        if (rc == OC_OK) {
            oc__value *const args[] = {acc, term};
            rc = oc__region_map(call, region, (size_t)flat, args, 2, &next, 1, err);
        }
        oc__value_release(term);
        term = NULL;
        if (rc == OC_OK) {
            oc__value_release(acc);
            acc = next;
        }
    }
    bool floats = rc == OC_OK &&
                  (oc__dtype_is_float(acc->dtype) || oc__dtype_is_complex(acc->dtype));
    if (floats && count > 2 && !is_exact(oc__region_body(region, acc->dtype))) {
        rc = oc__value_flag(&acc, OC__F_OPEN, err);
        oc__call_note(call, "reduction_order", (uint64_t)flat);
    }
    if (rc == OC_OK) {
        rc = oc__value_reshaped(acc, terms[0]->dims, terms[0]->rank, out_value, err);
    }
    oc__value_release(acc);
    return rc;
}

oc_status oc__group_reduce(oc__call *call, oc__value *const *terms, size_t count,
                           oc__value **out_value, oc_error *err)
{
    *out_value = NULL;
    OC_ASSERT(count > 0);
    const oc__hlo_op *op = call->op;
    if (op->region_count != 1 || op->regions[0]->block.argument_count != 2) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "its computation must take two arguments");
    }
    size_t argument = op->regions[0]->block.first_argument;
    oc_dtype dtype = call->frame->func->value_types[argument]->dtype;
    oc_status rc = OC_OK;
    oc__value **promoted = calloc(count + 1, sizeof *promoted);
    if (!promoted) {
        return no_memory(err);
    }
    for (size_t k = 0; k < count; k++) {
        rc = promote(call, terms[k], dtype, &promoted[k], err);
        if (!promoted[k]) {
            goto done;
        }
        if (promoted[k]->count != promoted[0]->count) {
            rc = OC_CALL_FAIL(call, err, OC_PARSE,
                              "the operands of a group differ in shape");
            goto done;
        }
    }
    bool floats = oc__dtype_is_float(dtype) || oc__dtype_is_complex(dtype);
    bool sum = floats && count > 2 && !promoted[0]->quant &&
               oc__region_body(op->regions[0], dtype) == OC__BODY_ADD;
    rc = sum ? sum_all(call, promoted, count, out_value, err)
             : fold(call, promoted, count, out_value, err);
done:
    for (size_t k = 0; k < count; k++) {
        oc__value_release(promoted[k]);
    }
    free(promoted);
    return rc;
}
