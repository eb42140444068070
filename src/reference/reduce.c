#include "reference/contract.h"
#include "reference/fold.h"
#include "reference/in_order.h"

#include <stdlib.h>

enum { TILE = 512, TICK_ELEMENTS = 1 << 18 };

/* Dimensions of one kind beside each other are one loop. The innermost three make a
 * block of contiguous elements [groups][rows][columns]: the rows are folded, columns
 * and groups are kept. What lies further out is walked over. */
typedef struct axis {
    size_t n, stride, out_stride;
} axis;

typedef struct plan {
    size_t groups, rows, columns;
    axis kept[OC_MAX_RANK + 2], folded[OC_MAX_RANK + 2];
    size_t kept_count, folded_count;
} plan;

static plan make_plan(const oc__value *in, uint32_t mask, bool pairs)
{
    struct {
        size_t n;
        bool folded;
    } runs[OC_MAX_RANK + 2];
    size_t count = 0;
    for (size_t d = 0; d < in->rank + pairs; d++) {
        size_t n = d < in->rank ? (size_t)in->dims[d] : 2;
        bool folded = d < in->rank && (mask >> d & 1);
        if (n == 1) {
            continue;
        }
        if (count > 0 && runs[count - 1].folded == folded) {
            runs[count - 1].n *= n;
        } else {
            runs[count].n = n;
            runs[count++].folded = folded;
        }
    }
    plan p = {.groups = 1, .rows = 1, .columns = 1};
    size_t *block[] = {&p.columns, &p.rows, &p.groups};
    for (size_t k = 0; k < 3 && count > 0; k++) {
        if (runs[count - 1].folded == (k == 1)) {
            *block[k] = runs[--count].n;
        }
    }
    size_t stride = p.groups * p.rows * p.columns, out_stride = p.groups * p.columns;
    while (count > 0) {
        size_t n = runs[--count].n;
        axis a = {.n = n, .stride = stride, .out_stride = out_stride};
        stride *= n;
        if (runs[count].folded) {
            p.folded[p.folded_count++] = a;
        } else {
            out_stride *= n;
            p.kept[p.kept_count++] = a;
        }
    }
    return p;
}

/* The next place of a walk over axes; false after the last. */
static bool step(const axis *axes, size_t count, size_t *at, size_t *offset,
                 size_t *out_offset)
{
    for (size_t k = 0; k < count; k++) {
        if (++at[k] < axes[k].n) {
            *offset += axes[k].stride;
            *out_offset += axes[k].out_stride;
            return true;
        }
        at[k] = 0;
        *offset -= (axes[k].n - 1) * axes[k].stride;
        *out_offset -= (axes[k].n - 1) * axes[k].out_stride;
    }
    return false;
}

typedef struct work {
    oc__lane tile[OC__FOLD_WIDTH * TILE], sums[OC__FOLD_WIDTH * TILE];
    size_t since_tick;
} work;

/* Folds all rows of a part of the block, at every place of the folded axes, into
 * w->sums. */
static oc_status fold_part(oc__call *call, const oc__fold *fold, const oc__value *in,
                           const plan *p, size_t start, size_t groups, size_t columns,
                           work *w, oc_error *err)
{
    size_t whole = p->rows * p->columns;
    size_t rows_at_once = whole <= TILE        ? p->rows
                          : p->columns <= TILE ? TILE / p->columns
                                               : 1;
    size_t at[OC_MAX_RANK + 2] = {0}, offset = 0, unused = 0;
    oc__fold_clear(fold, w->sums, TILE, groups * columns);
    do {
        for (size_t row = 0; row < p->rows; row += rows_at_once) {
            size_t rows = p->rows - row < rows_at_once ? p->rows - row : rows_at_once;
            size_t n = groups * rows * columns;
            bool flags = oc__fold_derive(fold, in, start + offset + row * p->columns, n,
                                         w->tile, TILE);
            for (size_t k = 0; k + !flags < fold->width; k++) {
                oc__fold_rows(fold, k, w->sums + k * TILE, w->tile + k * TILE, groups,
                              rows, columns);
            }
            w->since_tick += n;
            if (w->since_tick > TICK_ELEMENTS) {
                w->since_tick = 0;
                oc_status rc = oc__call_tick(call, err);
                if (rc != OC_OK) {
                    return rc;
                }
            }
        }
    } while (step(p->folded, p->folded_count, at, &offset, &unused));
    return OC_OK;
}

static oc_status fold_all(oc__call *call, const oc__fold *fold, const oc__value *in,
                          const oc__value *init, const plan *p, oc__value *out, work *w,
                          oc_error *err)
{
    size_t at[OC_MAX_RANK + 2] = {0}, offset = 0, out_offset = 0;
    size_t whole = p->rows * p->columns;
    size_t groups_at_once = whole <= TILE ? TILE / whole : 1;
    do {
        for (size_t g = 0; g < p->groups; g += groups_at_once) {
            size_t groups =
                p->groups - g < groups_at_once ? p->groups - g : groups_at_once;
            for (size_t c = 0; c < p->columns; c += TILE) {
                size_t columns = p->columns - c < TILE ? p->columns - c : TILE;
                size_t result = out_offset + g * p->columns + c;
                oc_status rc = fold_part(call, fold, in, p, offset + g * whole + c,
                                         groups, columns, w, err);
                if (rc != OC_OK) {
                    return rc;
                }
                oc__fold_enter(fold, init, NULL, result, groups * columns, w->sums,
                               TILE);
                oc__fold_finish(fold, w->sums, TILE, groups * columns, out, result);
            }
        }
    } while (step(p->kept, p->kept_count, at, &offset, &out_offset));
    return OC_OK;
}

/* Nothing to fold: every result is the initial value. */
static void fold_nothing(const oc__fold *fold, const oc__value *init, oc__value *out,
                         work *w)
{
    size_t count = out->count * (fold->pairs ? 2 : 1);
    for (size_t i = 0; i < count; i += TILE) {
        size_t n = count - i < TILE ? count - i : TILE;
        oc__fold_clear(fold, w->sums, TILE, n);
        oc__fold_enter(fold, init, NULL, i, n, w->sums, TILE);
        oc__fold_finish(fold, w->sums, TILE, n, out, i);
    }
}

/* The input with the folded dimensions in front: [steps * width]. */
static oc_status slices_of(const oc__value *in, uint32_t mask, oc__value **out_value,
                           oc_error *err)
{
    oc__view view = {.rank = in->rank};
    int64_t strides[OC_MAX_RANK], count = (int64_t)in->count;
    oc__strides(in->dims, in->rank, strides);
    size_t to = 0;
    for (int folded = 1; folded >= 0; folded--) {
        for (size_t d = 0; d < in->rank; d++) {
            if ((int)(mask >> d & 1) == folded) {
                view.dims[to] = in->dims[d];
                view.from_strides[to++] = strides[d];
            }
        }
    }
    oc__value *moved = NULL;
    oc_status rc = oc__view_read(in, &view, &moved, err);
    if (rc == OC_OK) {
        rc = oc__value_reshaped(moved, &count, 1, out_value, err);
    }
    oc__value_release(moved);
    return rc;
}

/* The midpoints of a few terms each, step by step (in_order.h). */
static oc_status take_steps(const oc__fold *fold, const oc__value *in,
                            const oc__value *init, uint32_t mask, oc__value *out,
                            oc_error *err)
{
    size_t parts = fold->pairs ? 2 : 1, width = out->count * parts;
    size_t terms = out->count > 0 ? in->count / out->count : 0;
    bool sums = fold->body == OC__BODY_ADD || fold->body == OC__BODY_MULTIPLY;
    if (!fold->model.env.arith || !sums || !oc__in_order(terms, width)) {
        return OC_OK;
    }
    oc__value *slices = NULL;
    double *text = malloc((width + 1) * sizeof *text);
    oc_status rc = text ? slices_of(in, mask, &slices, err) : oc__no_memory(err);
    if (rc == OC_OK) {
        for (size_t i = 0; i < width; i++) {
            text[i] = oc__m(init)[i % parts];
        }
        for (size_t k = 0; k < terms; k++) {
            oc__in_order_step(fold->model.env.from, fold->body, text,
                              oc__m(slices) + k * width, width);
        }
        oc__settle_all(out, text);
    }
    oc__value_release(slices);
    free(text);
    return rc;
}

static oc_status reduce_fold(oc__call *call, const oc__fold *fold, const oc__value *in,
                             const oc__value *init, uint32_t mask, const int64_t *dims,
                             size_t rank, oc__value **out_value, oc_error *err)
{
    oc__value *out = NULL;
    work *w = calloc(1, sizeof *w);
    oc_status rc =
        w ? oc__fold_result(fold, dims, rank, &out, err) : oc__no_memory(err);
    if (rc != OC_OK) {
        goto done;
    }
    if (in->count == 0) {
        fold_nothing(fold, init, out, w);
    } else {
        plan p = make_plan(in, mask, fold->pairs);
        rc = fold_all(call, fold, in, init, &p, out, w, err);
        oc__call_flops(call, (double)in->count);
    }
    if (rc == OC_OK) {
        rc = take_steps(fold, in, init, mask, out, err);
    }
    // How often an initial value enters is left to the implementation.
    if (rc == OC_OK && in->count > 0 && oc__fold_counts(fold, init)) {
        rc = oc__value_flag(&out, OC__F_OPEN, err);
        oc__call_note(call, "reduce_init", out->count);
    }
    if (rc == OC_OK) {
        oc__value_tidy(out);
        *out_value = out;
        out = NULL;
    }
done:
    oc__value_release(out);
    free(w);
    return rc;
}

/* --- any body --- */

static oc_status reduce_region(oc__call *call, oc__value *const *in, size_t inputs,
                               uint32_t mask, const int64_t *dims, size_t rank,
                               oc_error *err)
{
    size_t width = 1, steps = 1;
    oc_status rc = OC_OK;
    oc__value **values = calloc(3 * inputs, sizeof(oc__value *));
    if (!values) {
        return oc__no_memory(err);
    }
    oc__value **slices = values, **starts = values + inputs,
              **results = values + 2 * inputs;
    for (size_t d = 0; d < in[0]->rank; d++) {
        *(mask >> d & 1 ? &steps : &width) *= (size_t)in[0]->dims[d];
    }
    for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
        oc__view all = {.rank = 1, .dims = {(int64_t)width}};
        rc = slices_of(in[i], mask, &slices[i], err);
        if (rc == OC_OK) {
            rc = oc__view_read(in[inputs + i], &all, &starts[i], err);
        }
    }
    if (rc == OC_OK) {
        rc = oc__region_fold(call, slices, starts, inputs, steps, width, results, err);
    }
    for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
        oc__value *shaped = NULL;
        rc = oc__value_reshaped(results[i], dims, rank, &shaped, err);
        if (rc == OC_OK) {
            oc__give(call, i, shaped);
            rc = oc__widen_tree(call, &call->out[i], steps, err);
        }
    }
    oc__values_free(values, 3 * inputs);
    return rc;
}

/* --- the operation --- */

static oc_status check_operands(oc__call *call, size_t inputs, oc_error *err)
{
    if (inputs == 0 || call->op->operand_count != 2 * inputs ||
        call->op->region_count != 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "wants inputs, as many initial values, and one region");
    }
    oc_status rc = oc__check_arity(call, 2 * inputs, inputs, err);
    for (size_t i = 0; rc == OC_OK && i < inputs; i++) {
        const oc__value *in = call->in[i], *first = call->in[0];
        if (in->rank != first->rank ||
            memcmp(in->dims, first->dims, in->rank * sizeof *in->dims) != 0) {
            rc = OC_CALL_FAIL(call, err, OC_PARSE, "inputs of shapes %s and %s",
                              oc__shown_dims(first->dims, first->rank).text,
                              oc__shown_dims(in->dims, in->rank).text);
        } else if (call->in[inputs + i]->count != 1) {
            rc = OC_CALL_FAIL(call, err, OC_PARSE,
                              "initial value %zu is no single element", i);
        }
    }
    return rc;
}

oc_status oc__reduce_operands(oc__call *call, size_t *out_inputs,
                              oc__value ***out_values, oc_error *err)
{
    size_t inputs = call->op->operand_count / 2;
    *out_inputs = inputs;
    *out_values = NULL;
    oc_status rc = check_operands(call, inputs, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value **values = calloc(2 * inputs, sizeof(oc__value *));
    rc = values ? OC_OK : oc__no_memory(err);
    for (size_t i = 0; rc == OC_OK && i < 2 * inputs; i++) {
        oc_dtype dtype = oc__call_result_type(call, i % inputs)->dtype;
        rc = oc__promote(call, call->in[i], dtype, &values[i], err);
    }
    if (rc != OC_OK) {
        oc__values_free(values, 2 * inputs);
        values = NULL;
    }
    *out_values = values;
    return rc;
}

void oc__values_free(oc__value **values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        oc__value_release(values[i]);
    }
    free(values);
}

oc_status oc__run_reduce(oc__call *call, oc_error *err)
{
    size_t inputs, count, rank = 0;
    const int64_t *which;
    uint32_t mask = 0;
    int64_t dims[OC_MAX_RANK];
    oc__value **values = NULL;
    oc_status rc = oc__reduce_operands(call, &inputs, &values, err);
    if (rc == OC_OK) {
        rc = oc__read_ints(call, "dimensions", &which, &count, err);
    }
    if (rc == OC_OK) {
        rc = oc__check_dims(call, "dimensions", which, count, call->in[0]->rank, false,
                            &mask, err);
    }
    for (size_t d = 0; rc == OC_OK && d < call->in[0]->rank; d++) {
        if (!(mask >> d & 1)) {
            dims[rank++] = call->in[0]->dims[d];
        }
    }
    oc__fold fold;
    oc__body body = rc == OC_OK
                        ? oc__region_body(call->op->regions[0], values[0]->dtype)
                        : OC__BODY_OTHER;
    if (rc == OC_OK && inputs == 1 &&
        oc__fold_make(call, body, values[0], values[1], &fold)) {
        oc__value *out = NULL;
        rc =
            reduce_fold(call, &fold, values[0], values[1], mask, dims, rank, &out, err);
        if (rc == OC_OK) {
            oc__give(call, 0, out);
        }
    } else if (rc == OC_OK) {
        rc = reduce_region(call, values, inputs, mask, dims, rank, err);
    }
    oc__values_free(values, 2 * inputs);
    return rc;
}
