#include "reference/movement_sort.h"

#include <stdlib.h>
#include <string.h>

static oc_status make(oc__sorting *s, oc__call *call, oc__value *const *in,
                      size_t count, size_t dimension, oc_error *err)
{
    const oc__value *first = in[0];
    s->call = call;
    s->in = in;
    s->count = count;
    s->n = first->count > 0 ? (size_t)first->dims[dimension] : 0;
    s->inner = 1;
    for (size_t d = dimension + 1; d < first->rank; d++) {
        s->inner *= (size_t)first->dims[d];
    }
    s->lines = s->n > 0 ? first->count / s->n : 0;
    s->order = malloc((first->count + 1) * sizeof *s->order);
    s->links = calloc(first->count + 1, 1);
    s->line_flags = calloc(s->lines + 1, 1);
    s->is_key = calloc(count + 1, sizeof *s->is_key);
    return s->order && s->links && s->line_flags && s->is_key ? OC_OK
                                                              : oc__no_memory(err);
}

static void free_all(oc__sorting *s)
{
    free(s->order);
    free(s->links);
    free(s->line_flags);
    free(s->keys);
    free(s->low);
    free(s->high);
    free(s->is_key);
}

static oc_status check_sort(oc__call *call, size_t *out_dimension, oc_error *err)
{
    size_t count = call->op->operand_count;
    oc_status rc = oc__check_tensors(call, 1, count, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *first = call->in[0];
    int64_t rank = (int64_t)first->rank;
    int64_t dimension = oc__hlo_attr_int(call->op, "dimension", -1);
    if (dimension < -rank || dimension >= rank) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "'dimension' is %lld; the operand has %zu dimensions",
                            (long long)dimension, first->rank);
    }
    *out_dimension = (size_t)(dimension < 0 ? dimension + rank : dimension);
    if (call->op->region_count != 1 ||
        call->op->regions[0]->block.argument_count != 2 * count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "needs a comparator of %zu arguments for %zu operands",
                            2 * count, count);
    }
    for (size_t k = 1; k < count; k++) {
        const oc__value *next = call->in[k];
        if (next->rank != first->rank ||
            memcmp(next->dims, first->dims, first->rank * sizeof *first->dims) != 0) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "operand %zu is %s where the first one is %s", k,
                                oc__shown_dims(next->dims, next->rank).text,
                                oc__shown_dims(first->dims, first->rank).text);
        }
    }
    return OC_OK;
}

oc_status oc__run_sort(oc__call *call, oc_error *err)
{
    size_t dimension = 0;
    bool keyed = false;
    oc__sorting s = {.stable = oc__hlo_attr_flag(call->op, "is_stable")};
    oc_status rc = check_sort(call, &dimension, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__hlo_region *region = call->op->regions[0];
    rc = make(&s, call, call->in, call->op->operand_count, dimension, err);
    if (rc == OC_OK && s.n * s.lines > 0) {
        rc = oc__sort_find_keys(&s, region, &keyed, err);
    }
    if (rc == OC_OK && s.n * s.lines > 0) {
        rc = keyed ? oc__sort_by_keys(&s, err) : oc__sort_by_asking(&s, region, err);
    }
    if (rc == OC_OK) {
        rc = oc__sort_give(&s, err);
    }
    for (size_t k = 0; rc == OC_OK && k < s.count; k++) {
        oc__give(call, k, call->out[k]);
    }
    free_all(&s);
    return rc;
}

/* --- top_k ---------------------------------------------------------------- */

/* The places of the elements in their lines. */
static oc_status make_places(const oc__value *operand, oc__value **out, oc_error *err)
{
    oc_status rc = oc__value_make(OC_S32, NULL, operand->dims, operand->rank, out, err);
    for (size_t i = 0; rc == OC_OK && i < operand->count; i++) {
        ((int32_t *)(void *)(*out)->m->bytes)[i] =
            (int32_t)(i % (size_t)operand->dims[operand->rank - 1]);
    }
    return rc;
}

static oc_status check_top_k(oc__call *call, int64_t *out_k, oc_error *err)
{
    oc_status rc = oc__check_arity(call, 1, 2, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *operand = call->in[0];
    int64_t k = oc__hlo_attr_int(call->op, "k", -1);
    int64_t n = operand->rank > 0 ? operand->dims[operand->rank - 1] : 0;
    if (operand->rank == 0 || k < 0 || k > n || n > INT32_MAX) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "k is %lld for an operand of %zu dimensions, the last of "
                            "%lld elements",
                            (long long)k, operand->rank, (long long)n);
    }
    if (oc__dtype_is_complex(operand->dtype) || operand->quant) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "its operand cannot be %s",
                            operand->quant ? "quantized"
                                           : oc_dtype_name(operand->dtype));
    }
    *out_k = k;
    return OC_OK;
}

/* A sort of the last dimension, largest first, in the total order of floats (XLA's TopK
 * puts NaN above everything), of which the first k stay. */
oc_status oc__run_top_k(oc__call *call, oc_error *err)
{
    int64_t k = 0;
    oc__sorting s = {0};
    oc__value *in[2] = {NULL, NULL};
    oc_status rc = check_top_k(call, &k, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__hlo_attr *stable = oc__hlo_attr_get(call->op, "is_stable");
    s.stable = !stable || stable->integer != 0;
    in[0] = call->in[0];
    rc = make_places(in[0], &in[1], err);
    if (rc == OC_OK) {
        rc = make(&s, call, in, 2, in[0]->rank - 1, err);
    }
    if (rc == OC_OK) {
        rc = oc__sort_take_keys(&s, in[0], true, true, err);
    }
    if (rc == OC_OK) {
        s.is_key[0] = true;
        rc = oc__sort_by_keys(&s, err);
    }
    if (rc == OC_OK) {
        rc = oc__sort_give(&s, err);
    }
    for (size_t i = 0; rc == OC_OK && i < 2; i++) {
        oc__value *whole = call->out[i], *first = NULL;
        oc__view view = oc__view_of(whole->dims, whole->rank);
        view.dims[whole->rank - 1] = k;
        rc = oc__view_read(whole, &view, &first, err);
        if (rc == OC_OK) {
            oc__value_release(whole);
            oc__give(call, i, first);
        }
    }
    oc__value_release(in[1]);
    free_all(&s);
    return rc;
}
