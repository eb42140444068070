#include "reference/contraction.h"
#include "reference/dot_dims.h"
#include "reference/in_order.h"

#include <stdlib.h>

/* --- dimension numbers --- */

static oc_status read_list(oc__call *call, const oc__hlo_attr *numbers,
                           const char *name, size_t rank, oc__dim_list *out,
                           uint32_t *taken, oc_error *err)
{
    const int64_t *dims;
    uint32_t mask = 0;
    const oc__hlo_attr *entry = numbers ? oc__hlo_entry(numbers, name) : NULL;
    oc_status rc = oc__hlo_ints(oc__call_module(call), entry, &dims, &out->count, err);
    if (rc == OC_OK) {
        rc = oc__check_dims(call, name, dims, out->count, rank, false, &mask, err);
    }
    if (rc == OC_OK && (mask & *taken)) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "%s: a dimension has two uses", name);
    }
    for (size_t i = 0; rc == OC_OK && i < out->count; i++) {
        out->dims[i] = (size_t)dims[i];
    }
    *taken |= mask;
    return rc;
}

void oc__dims_left(size_t rank, uint32_t taken, oc__dim_list *out)
{
    out->count = 0;
    for (size_t d = 0; d < rank; d++) {
        if (!(taken >> d & 1)) {
            out->dims[out->count++] = d;
        }
    }
}

static oc_status same_sizes(oc__call *call, const oc__dim_list *lhs,
                            const oc__dim_list *rhs, const char *what, oc_error *err)
{
    const oc__value *a = call->in[0], *b = call->in[1];
    bool same = lhs->count == rhs->count;
    for (size_t i = 0; same && i < lhs->count; i++) {
        same = a->dims[lhs->dims[i]] == b->dims[rhs->dims[i]];
    }
    return same ? OC_OK
                : OC_CALL_FAIL(call, err, OC_PARSE,
                               "%s dimensions of %s and %s do not fit", what,
                               oc__shown_dims(a->dims, a->rank).text,
                               oc__shown_dims(b->dims, b->rank).text);
}

oc_status oc__dot_dims_read(oc__call *call, const char *attribute, oc__dot_dims *out,
                            oc_error *err)
{
    *out = (oc__dot_dims){0};
    const oc__hlo_attr *numbers = oc__hlo_attr_get(call->op, attribute);
    size_t lhs_rank = call->in[0]->rank, rhs_rank = call->in[1]->rank;
    struct {
        const char *name;
        size_t rank;
        oc__dim_list *to;
        uint32_t *taken;
    } lists[] = {
        {"lhs_batching_dimensions", lhs_rank, &out->lhs_batch, &out->lhs_taken},
        {"rhs_batching_dimensions", rhs_rank, &out->rhs_batch, &out->rhs_taken},
        {"lhs_contracting_dimensions", lhs_rank, &out->lhs_contract, &out->lhs_taken},
        {"rhs_contracting_dimensions", rhs_rank, &out->rhs_contract, &out->rhs_taken},
    };
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < sizeof lists / sizeof *lists; i++) {
        rc = read_list(call, numbers, lists[i].name, lists[i].rank, lists[i].to,
                       lists[i].taken, err);
    }
    if (rc == OC_OK) {
        rc = same_sizes(call, &out->lhs_batch, &out->rhs_batch, "batching", err);
    }
    if (rc == OC_OK) {
        rc = same_sizes(call, &out->lhs_contract, &out->rhs_contract, "contracting",
                        err);
    }
    return rc;
}

size_t oc__dims_product(const oc__value *value, const oc__dim_list *list)
{
    size_t product = 1;
    for (size_t i = 0; i < list->count; i++) {
        product *= (size_t)value->dims[list->dims[i]];
    }
    return product;
}

void oc__dims_append(int64_t *dims, size_t *rank, const oc__value *value,
                     const oc__dim_list *list)
{
    for (size_t i = 0; i < list->count && *rank < OC_MAX_RANK; i++) {
        dims[(*rank)++] = value->dims[list->dims[i]];
    }
}

bool oc__is_arranged(const oc__dim_list *const *lists, size_t list_count)
{
    size_t next = 0;
    for (size_t k = 0; k < list_count; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            if (lists[k]->dims[i] != next++) {
                return false;
            }
        }
    }
    return true;
}

oc_status oc__arranged(const oc__value *value, const oc__dim_list *const *lists,
                       size_t list_count, oc__value **out_value, oc_error *err)
{
    if (oc__is_arranged(lists, list_count)) {
        return oc__value_reshaped(value, value->dims, value->rank, out_value, err);
    }
    oc__view view = {.rank = 0};
    int64_t strides[OC_MAX_RANK];
    oc__strides(value->dims, value->rank, strides);
    for (size_t k = 0; k < list_count; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            size_t d = lists[k]->dims[i];
            view.dims[view.rank] = value->dims[d];
            view.from_strides[view.rank++] = strides[d];
        }
    }
    OC_ASSERT(view.rank == value->rank);
    return oc__view_read(value, &view, out_value, err);
}

/* --- dot_general --- */

typedef struct shape {
    oc__dim_list lhs_free, rhs_free;
    size_t batches, rows, columns, length;
} shape;

static shape shape_of(const oc__value *lhs, const oc__value *rhs,
                      const oc__dot_dims *dims)
{
    shape s = {.batches = oc__dims_product(lhs, &dims->lhs_batch),
               .length = oc__dims_product(lhs, &dims->lhs_contract)};
    oc__dims_left(lhs->rank, dims->lhs_taken, &s.lhs_free);
    oc__dims_left(rhs->rank, dims->rhs_taken, &s.rhs_free);
    s.rows = oc__dims_product(lhs, &s.lhs_free);
    s.columns = oc__dims_product(rhs, &s.rhs_free);
    return s;
}

/* The right operand as vectors: as it is where they lie across it and large products
 * are wanted, else moved. */
static oc_status arrange_right(oc__contraction *c, const oc__dot_dims *dims,
                               const shape *s, oc__value **out_value, oc_error *err)
{
    const oc__dim_list *across[] = {&dims->rhs_batch, &dims->rhs_contract,
                                    &s->rhs_free};
    const oc__dim_list *along[] = {&dims->rhs_batch, &s->rhs_free, &dims->rhs_contract};
    bool large = !oc__in_order(s->length, s->batches * s->rows * s->columns);
    if (oc__dtype_is_float(c->rhs->dtype) && large && s->columns > 1 &&
        oc__is_arranged(across, 3)) {
        c->panel = s->columns;
        return oc__arranged(c->rhs, across, 3, out_value, err);
    }
    return oc__arranged(c->rhs, along, 3, out_value, err);
}

static oc_status run_batches(oc__contraction *c, const oc__dot_dims *dims,
                             oc_error *err)
{
    shape s = shape_of(c->lhs, c->rhs, dims);
    const oc__dim_list *along[] = {&dims->lhs_batch, &s.lhs_free, &dims->lhs_contract};
    oc__value *lhs = NULL, *rhs = NULL;
    oc__strip *strips = calloc(s.batches + 1, sizeof *strips);
    oc_status rc =
        strips ? oc__arranged(c->lhs, along, 3, &lhs, err) : oc__no_memory(err);
    if (rc == OC_OK) {
        rc = arrange_right(c, dims, &s, &rhs, err);
    }
    for (size_t b = 0; rc == OC_OK && b < s.batches; b++) {
        strips[b] = (oc__strip){.a0 = b * s.rows,
                                .rows = s.rows,
                                .b0 = b * s.columns,
                                .columns = s.columns,
                                .start = b * s.rows * s.columns,
                                .row_stride = s.columns,
                                .column_stride = 1};
    }
    if (rc == OC_OK) {
        rc = oc__contraction_run(c, lhs, rhs, s.length, strips, s.batches, err);
    }
    oc__value_release(lhs);
    oc__value_release(rhs);
    free(strips);
    return rc;
}

oc_status oc__dot_of(oc__call *call, const oc__dot_dims *dims, oc_error *err)
{
    oc__contraction c;
    const oc__value *lhs = call->in[0], *rhs = call->in[1];
    shape s = shape_of(lhs, rhs, dims);
    int64_t out[OC_MAX_RANK];
    size_t rank = 0;
    if (dims->lhs_batch.count + s.lhs_free.count + s.rhs_free.count > OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "a result of more than %d dimensions",
                            OC_MAX_RANK);
    }
    oc__dims_append(out, &rank, lhs, &dims->lhs_batch);
    oc__dims_append(out, &rank, lhs, &s.lhs_free);
    oc__dims_append(out, &rank, rhs, &s.rhs_free);
    oc_status rc = oc__contraction_make(call, out, rank, s.length > 0, &c, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = run_batches(&c, dims, err);
    if (rc == OC_OK) {
        oc__contraction_give(&c);
    }
    oc__contraction_free(&c);
    return rc;
}

oc_status oc__run_dot_general(oc__call *call, oc_error *err)
{
    oc__dot_dims dims;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc == OC_OK) {
        rc = oc__dot_dims_read(call, "dot_dimension_numbers", &dims, err);
    }
    return rc == OC_OK ? oc__dot_of(call, &dims, err) : rc;
}

/* The old dot: the last dimension of the left with the first of the right operand. */
oc_status oc__run_dot(oc__call *call, oc_error *err)
{
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t lhs_rank = call->in[0]->rank, rhs_rank = call->in[1]->rank;
    if (lhs_rank == 0 || rhs_rank == 0) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes vectors and matrices");
    }
    oc__dot_dims dims = {.lhs_contract = {.count = 1, .dims = {lhs_rank - 1}},
                         .rhs_contract = {.count = 1, .dims = {0}},
                         .lhs_taken = 1U << (lhs_rank - 1),
                         .rhs_taken = 1};
    rc = same_sizes(call, &dims.lhs_contract, &dims.rhs_contract, "contracting", err);
    return rc == OC_OK ? oc__dot_of(call, &dims, err) : rc;
}
