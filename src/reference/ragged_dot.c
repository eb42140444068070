#include "reference/contraction.h"
#include "reference/dot_dims.h"

#include <stdlib.h>

/* chlo.ragged_dot: a dot whose left operand is cut into groups along one dimension, the
 * ragged one. That is a kept dimension (each group has a right operand of its own), a
 * contracted one (each group has a result of its own) or a batched one (nothing
 * changes). group_sizes: [groups], or [prefix..., groups] with a row of sizes for every
 * index of the dimensions in front of the ragged one. */
typedef struct ragged {
    oc__call *call;
    oc__dot_dims dims;
    oc__dim_list lhs_free, rhs_free,
        group; /* group: of the right operand, one or none */
    size_t ragged;
    size_t batches, rows, columns, length, groups;
    int64_t *sizes;   /* as in the operand */
    size_t size_rows; /* 1, or the product of the prefix */
} ragged;

enum mode { KEPT, CONTRACTED, BATCHED };

static bool lists(const oc__dim_list *list, size_t dim)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->dims[i] == dim) {
            return true;
        }
    }
    return false;
}

static enum mode mode_of(const ragged *r)
{
    return lists(&r->dims.lhs_batch, r->ragged)      ? BATCHED
           : lists(&r->dims.lhs_contract, r->ragged) ? CONTRACTED
                                                     : KEPT;
}

static oc_status read_one(ragged *r, const char *name, size_t rank, size_t most,
                          oc__dim_list *out, oc_error *err)
{
    const oc__hlo_attr *numbers =
        oc__hlo_attr_get(r->call->op, "ragged_dot_dimension_numbers");
    const int64_t *dims;
    size_t count;
    uint32_t mask;
    oc_status rc =
        oc__hlo_ints(oc__call_module(r->call),
                     numbers ? oc__hlo_entry(numbers, name) : NULL, &dims, &count, err);
    if (rc == OC_OK) {
        rc = oc__check_dims(r->call, name, dims, count, rank, false, &mask, err);
    }
    if (rc == OC_OK && count > most) {
        rc = OC_CALL_FAIL(r->call, err, OC_PARSE, "%s: %zu dimensions", name, count);
    }
    *out = (oc__dim_list){.count = rc == OC_OK ? count : 0};
    for (size_t i = 0; i < out->count; i++) {
        out->dims[i] = (size_t)dims[i];
    }
    return rc;
}

/* Dimensions of the left operand in front of the ragged one, in its order of roles. */
static size_t prefix_of(const ragged *r)
{
    const oc__value *lhs = r->call->in[0];
    const oc__dim_list *all[2] = {&r->dims.lhs_batch, NULL};
    enum mode mode = mode_of(r);
    all[1] = mode == KEPT         ? &r->lhs_free
             : mode == CONTRACTED ? &r->dims.lhs_contract
                                  : NULL;
    size_t product = 1;
    for (size_t k = 0; k < 2 && all[k]; k++) {
        for (size_t i = 0; i < all[k]->count && all[k]->dims[i] != r->ragged; i++) {
            product *= (size_t)lhs->dims[all[k]->dims[i]];
        }
    }
    return product;
}

static oc_status read_sizes(ragged *r, oc_error *err)
{
    const oc__value *sizes = r->call->in[2];
    if (sizes->rank == 0) {
        return OC_CALL_FAIL(r->call, err, OC_PARSE, "group_sizes is a scalar");
    }
    r->groups = (size_t)sizes->dims[sizes->rank - 1];
    r->size_rows = r->groups > 0 ? sizes->count / r->groups : 1;
    size_t prefix = prefix_of(r);
    if (sizes->rank > 1 && r->size_rows != prefix) {
        return OC_CALL_FAIL(r->call, err, OC_PARSE, "group_sizes of %s for %zu rows",
                            oc__shown_dims(sizes->dims, sizes->rank).text, prefix);
    }
    const uint8_t *f = oc__f(sizes);
    for (size_t i = 0; f && i < sizes->count; i++) {
        if (f[i] & OC__F_UNDECIDED) {
            return OC_CALL_FAIL(r->call, err, OC_INVALID_ARGUMENT,
                                "group sizes are undecided");
        }
    }
    oc_status rc = oc__index_elements(r->call, "group_sizes", sizes, &r->sizes, err);
    for (size_t i = 0; rc == OC_OK && i < sizes->count; i++) {
        if (r->sizes[i] < 0) {
            rc = OC_CALL_FAIL(r->call, err, OC_PARSE, "a group of size %lld",
                              (long long)r->sizes[i]);
        }
    }
    return rc;
}

static oc_status read_ragged(ragged *r, oc_error *err)
{
    oc__call *call = r->call;
    oc__dim_list ragged_dim;
    size_t lhs_rank = call->in[0]->rank, rhs_rank = call->in[1]->rank;
    oc_status rc =
        oc__dot_dims_read(call, "ragged_dot_dimension_numbers", &r->dims, err);
    if (rc == OC_OK) {
        rc = read_one(r, "lhs_ragged_dimensions", lhs_rank, 1, &ragged_dim, err);
    }
    if (rc == OC_OK) {
        rc = read_one(r, "rhs_group_dimensions", rhs_rank, 1, &r->group, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    r->ragged = ragged_dim.dims[0];
    bool kept = mode_of(r) == KEPT;
    if (ragged_dim.count != 1 || (r->group.count == 1) != kept ||
        (kept && (r->dims.rhs_taken >> r->group.dims[0] & 1))) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "wants one ragged dimension, and one group dimension where "
                            "that is a kept one");
    }
    uint32_t rhs_taken = r->dims.rhs_taken | (kept ? 1U << r->group.dims[0] : 0);
    oc__dims_left(lhs_rank, r->dims.lhs_taken, &r->lhs_free);
    oc__dims_left(rhs_rank, rhs_taken, &r->rhs_free);
    r->batches = oc__dims_product(call->in[0], &r->dims.lhs_batch);
    r->rows = oc__dims_product(call->in[0], &r->lhs_free);
    r->columns = oc__dims_product(call->in[1], &r->rhs_free);
    r->length = oc__dims_product(call->in[0], &r->dims.lhs_contract);
    return read_sizes(r, err);
}

/* The group of place `at` of a row of sizes; `groups` past the last one. */
static size_t group_at(const ragged *r, size_t size_row, size_t at)
{
    const int64_t *sizes = r->sizes + (r->size_rows > 1 ? size_row * r->groups : 0);
    int64_t left = (int64_t)at;
    size_t g = 0;
    while (g < r->groups && left >= sizes[g]) {
        left -= sizes[g++];
    }
    return g;
}

/* Splits an index of the merged dimensions of a list at the ragged one: what lies in
 * front, and the place along it. */
static void split(const ragged *r, const oc__dim_list *list, size_t index,
                  size_t *out_front, size_t *out_place)
{
    const oc__value *lhs = r->call->in[0];
    *out_place = 0;
    for (size_t i = list->count; i-- > 0;) {
        size_t n = (size_t)lhs->dims[list->dims[i]];
        *out_place = index % n;
        index /= n;
        if (list->dims[i] == r->ragged) {
            break;
        }
    }
    *out_front = index;
}

static size_t front_count(const ragged *r, const oc__dim_list *list)
{
    size_t product = 1;
    for (size_t i = 0; i < list->count && list->dims[i] != r->ragged; i++) {
        product *= (size_t)r->call->in[0]->dims[list->dims[i]];
    }
    return product;
}

/* A kept dimension: rows of one group and batch beside each other make a strip. */
static oc_status run_kept(ragged *r, oc__contraction *c, const oc__value *lhs,
                          const oc__value *rhs, oc_error *err)
{
    size_t count = 0, most = r->batches * r->rows,
           fronts = front_count(r, &r->lhs_free);
    uint64_t past = 0;
    oc__strip *strips = calloc(most + 1, sizeof *strips);
    if (!strips) {
        return oc__no_memory(err);
    }
    for (size_t b = 0; b < r->batches; b++) {
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < r->rows; i++) {
            size_t front, place;
            split(r, &r->lhs_free, i, &front, &place);
            size_t g = group_at(r, b * fronts + front, place);
            past += g == r->groups;
            if (g < r->groups && g == last) {
                strips[count - 1].rows++;
            } else if (g < r->groups) {
                strips[count++] = (oc__strip){.a0 = b * r->rows + i,
                                              .rows = 1,
                                              .b0 = (g * r->batches + b) * r->columns,
                                              .columns = r->columns,
                                              .start = (b * r->rows + i) * r->columns,
                                              .row_stride = r->columns,
                                              .column_stride = 1};
            }
            last = g;
        }
    }
    oc_status rc = oc__contraction_run(c, lhs, rhs, r->length, strips, count, err);
    // The text does not say what rows of no group are; XLA's are 0.
    uint8_t *f = oc__f(c->out);
    for (size_t i = 0; past > 0 && i < r->batches * r->rows; i++) {
        size_t front, place;
        split(r, &r->lhs_free, i % r->rows, &front, &place);
        if (group_at(r, i / r->rows * fronts + front, place) == r->groups) {
            memset(f + i * r->columns, OC__F_OPEN, r->columns);
        }
    }
    if (past > 0) {
        oc__call_note(r->call, "ragged_rows_of_no_group", past * r->columns);
    }
    free(strips);
    return rc;
}

/* A copy of vectors [batches][vectors][length] in which what is not of group g is 0. */
static oc_status only_group(const ragged *r, const oc__value *value, size_t vectors,
                            size_t g, oc__value **out_value, oc_error *err)
{
    size_t fronts = front_count(r, &r->dims.lhs_contract);
    int64_t *index = malloc((value->count + 1) * sizeof *index);
    oc__value *zero = NULL;
    oc_status rc = index ? oc__value_make(value->dtype, NULL, NULL, 0, &zero, err)
                         : oc__no_memory(err);
    if (rc == OC_OK) {
        memset(zero->m->bytes, 0, zero->m->size_bytes);
        for (size_t i = 0; i < value->count; i++) {
            size_t front, place, batch = i / (vectors * r->length);
            split(r, &r->dims.lhs_contract, i % r->length, &front, &place);
            index[i] =
                group_at(r, batch * fronts + front, place) == g ? (int64_t)i : -1;
        }
        rc = oc__value_gather(value, zero, index, value->dims, value->rank, out_value,
                              err);
    }
    oc__value_release(zero);
    free(index);
    return rc;
}

static oc_status run_contracted(ragged *r, oc__contraction *c, const oc__value *lhs,
                                const oc__value *rhs, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t each = r->rows * r->columns;
    oc__strip *strips = calloc(r->batches + 1, sizeof *strips);
    if (!strips) {
        return oc__no_memory(err);
    }
    for (size_t g = 0; rc == OC_OK && g < r->groups; g++) {
        oc__value *left = NULL, *right = NULL;
        for (size_t b = 0; b < r->batches; b++) {
            strips[b] = (oc__strip){.a0 = b * r->rows,
                                    .rows = r->rows,
                                    .b0 = b * r->columns,
                                    .columns = r->columns,
                                    .start = (g * r->batches + b) * each,
                                    .row_stride = r->columns,
                                    .column_stride = 1};
        }
        rc = only_group(r, lhs, r->rows, g, &left, err);
        if (rc == OC_OK) {
            rc = only_group(r, rhs, r->columns, g, &right, err);
        }
        if (rc == OC_OK) {
            rc =
                oc__contraction_run(c, left, right, r->length, strips, r->batches, err);
        }
        oc__value_release(left);
        oc__value_release(right);
    }
    free(strips);
    return rc;
}

static oc_status run_groups(ragged *r, enum mode mode, oc_error *err)
{
    oc__call *call = r->call;
    int64_t shape[OC_MAX_RANK];
    size_t rank = 0;
    if (mode == CONTRACTED) {
        shape[rank++] = (int64_t)r->groups;
    }
    if (rank + r->dims.lhs_batch.count + r->lhs_free.count + r->rhs_free.count >
        OC_MAX_RANK) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "a result of too many dimensions");
    }
    oc__dims_append(shape, &rank, call->in[0], &r->dims.lhs_batch);
    oc__dims_append(shape, &rank, call->in[0], &r->lhs_free);
    oc__dims_append(shape, &rank, call->in[1], &r->rhs_free);
    const oc__dim_list *lhs_order[] = {&r->dims.lhs_batch, &r->lhs_free,
                                       &r->dims.lhs_contract};
    const oc__dim_list *rhs_order[] = {&r->group, &r->dims.rhs_batch, &r->rhs_free,
                                       &r->dims.rhs_contract};
    oc__contraction c;
    oc__value *lhs = NULL, *rhs = NULL;
    oc_status rc = oc__contraction_make(call, shape, rank, false, &c, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc__arranged(c.lhs, lhs_order, 3, &lhs, err);
    if (rc == OC_OK) {
        rc = oc__arranged(c.rhs, rhs_order, 4, &rhs, err);
    }
    if (rc == OC_OK) {
        rc = mode == KEPT ? run_kept(r, &c, lhs, rhs, err)
                          : run_contracted(r, &c, lhs, rhs, err);
    }
    if (rc == OC_OK) {
        oc__contraction_give(&c);
    }
    oc__value_release(lhs);
    oc__value_release(rhs);
    oc__contraction_free(&c);
    return rc;
}

oc_status oc__run_ragged_dot(oc__call *call, oc_error *err)
{
    ragged r = {.call = call};
    oc_status rc = oc__check_arity(call, 3, 1, err);
    if (rc == OC_OK) {
        rc = read_ragged(&r, err);
    }
    if (rc == OC_OK) {
        enum mode mode = mode_of(&r);
        rc = mode == BATCHED ? oc__dot_of(call, &r.dims, err)
                             : run_groups(&r, mode, err);
    }
    free(r.sizes);
    return rc;
}
