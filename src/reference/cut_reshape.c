/* reshape: dimensions side by side that have the same product on both sides are a group
 * of their own. What passes through it depends on how it is split. */
#include "reference/cut_inner.h"

#include <stdlib.h>
#include <string.h>

typedef struct group {
    size_t in[OC_MAX_RANK], out[OC_MAX_RANK]; /* dimensions longer than 1 */
    size_t in_count, out_count;
} group;

typedef struct reshaping {
    oc__cutter *c;
    const oc__hlo_type *in, *out;
    oc__grid *need, *made;
} reshaping;

/* [b, s] -> [b * s]: every wanted index needs one of each dimension; all of their
 * combinations are made. */
static bool merged(reshaping *r, const group *g)
{
    size_t o = g->out[0];
    int64_t dim = r->out->dims[o];
    bool *marks = calloc((size_t)dim + 1, 1), *all = calloc((size_t)dim + 1, 1);
    bool ok = marks && all;
    int64_t stride = dim;
    if (ok) {
        memset(all, true, (size_t)dim);
    }
    for (size_t k = 0; ok && k < g->in_count; k++) {
        int64_t length = r->in->dims[g->in[k]];
        stride /= length;
        memset(marks, 0, (size_t)length);
        for (int64_t i = 0; i < r->made->counts[o]; i++) {
            marks[oc__grid_at(r->made, o, i) / stride % length] = true;
        }
        for (int64_t i = 0; i < dim; i++) {
            all[i] = all[i] && marks[i / stride % length];
        }
        ok = oc__grid_mark(r->c, r->need, g->in[k], marks, length);
    }
    ok = ok && oc__grid_mark(r->c, r->made, o, all, dim);
    free(marks);
    free(all);
    return ok;
}

/* [b * s] -> [b, s]: all combinations of what is wanted. */
static bool split(reshaping *r, const group *g)
{
    size_t n = g->in[0];
    int64_t dim = r->in->dims[n];
    bool *marks = calloc((size_t)dim + 1, 1);
    bool ok = marks != NULL;
    if (ok) {
        memset(marks, true, (size_t)dim);
    }
    int64_t stride = dim;
    for (size_t k = 0; ok && k < g->out_count; k++) {
        size_t o = g->out[k];
        int64_t length = r->out->dims[o];
        bool *wanted = calloc((size_t)length + 1, 1);
        ok = wanted != NULL;
        stride /= length;
        for (int64_t i = 0; ok && i < r->made->counts[o]; i++) {
            wanted[oc__grid_at(r->made, o, i)] = true;
        }
        for (int64_t i = 0; ok && i < dim; i++) {
            marks[i] = marks[i] && wanted[i / stride % length];
        }
        free(wanted);
    }
    ok = ok && oc__grid_mark(r->c, r->need, n, marks, dim);
    free(marks);
    return ok;
}

static bool pass_group(reshaping *r, const group *g)
{
    bool whole = true;
    for (size_t k = 0; k < g->out_count; k++) {
        whole = whole && !r->made->indices[g->out[k]];
    }
    if (whole) {
        return true;
    }
    if (g->in_count == 1 && g->out_count == 1) {
        oc__grid_pass(r->need, g->in[0], r->made, g->out[0]);
        return true;
    }
    if (g->in_count == 1 || g->out_count == 1) {
        bool ok = g->in_count == 1 ? split(r, g) : merged(r, g);
        return ok || r->c->rc != OC_OK ||
               oc__cut_take_memory(r->c, r->c->scratch, SIZE_MAX, SIZE_MAX);
    }
    for (size_t k = 0; k < g->out_count; k++) {
        oc__grid_fill(r->made, g->out[k], r->out->dims[g->out[k]]);
    }
    return true;
}

bool oc__cut_demand_reshape(oc__cutter *c, const oc__cut_node *node)
{
    oc__cut_value *out = oc__cut_out(c, node, 0);
    reshaping r = {.c = c,
                   .in = oc__cut_in(c, node, 0)->type,
                   .out = out->type,
                   .need = &node->needs[0],
                   .made = &out->grid};
    for (size_t d = 0; d < r.out->rank; d++) {
        if (r.out->dims[d] == 0) {
            return true; // nothing is left out of nothing
        }
    }
    size_t i = 0, k = 0;
    bool ok = true;
    while (ok && (i < r.in->rank || k < r.out->rank)) {
        group g = {.in_count = 0};
        int64_t in = 1, to = 1;
        bool large = false;
        do {
            // The side that is behind takes its next dimension.
            bool next_in = i < r.in->rank && (in <= to || k == r.out->rank);
            int64_t dim = next_in ? r.in->dims[i] : r.out->dims[k];
            if (next_in) {
                g.in[g.in_count] = i++;
                g.in_count += dim > 1;
                large = large || __builtin_mul_overflow(in, dim, &in);
            } else {
                g.out[g.out_count] = k++;
                g.out_count += dim > 1;
                large = large || __builtin_mul_overflow(to, dim, &to);
            }
        } while (in != to && !large && (i < r.in->rank || k < r.out->rank));
        ok = in == to && !large
                 ? pass_group(&r, &g)
                 : oc__cut_fail_at(c, node->op, OC_PARSE,
                                   "its operand has not as many elements");
    }
    return ok;
}
