/* Many updates of one element with a known operation, in any order. */
#include "reference/movement_combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLD_CHUNK = 8192 };

/* The members of all longer runs: their updates, and which of those runs each is of. */
typedef struct members {
    size_t count, run_count;
    int64_t *updates, *targets; /* [count], [run_count] */
    size_t *runs;               /* [count] */
} members;

static bool list_members(const oc__combine *c, members *out)
{
    *out = (members){.updates = malloc((c->list_count + 1) * sizeof(int64_t)),
                     .targets = malloc((c->run_count + 1) * sizeof(int64_t)),
                     .runs = malloc((c->list_count + 1) * sizeof(size_t))};
    if (!out->updates || !out->targets || !out->runs) {
        return false;
    }
    for (size_t i = 0; i < c->run_count; i++) {
        const oc__update_run *r = &c->runs[i];
        if (r->count < 2) {
            continue;
        }
        for (size_t j = 0; j < r->count; j++) {
            out->runs[out->count] = out->run_count;
            out->updates[out->count++] = c->list[r->begin + j].item;
        }
        out->targets[out->run_count++] = r->target;
    }
    return true;
}

/* Folds the members into the lanes of their runs, which hold the targets' elements:
 * each `width` lanes wide (complex elements take two). */
static oc_status fold_members(const oc__fold *fold, const members *all,
                              const oc__value *updates, size_t width, oc__lane *lanes,
                              size_t stride, oc_error *err)
{
    size_t room = FOLD_CHUNK * width;
    oc__lane *own = malloc(fold->width * room * sizeof *own);
    if (!own) {
        return oc__no_memory(err);
    }
    for (size_t start = 0; start < all->count; start += FOLD_CHUNK) {
        size_t n = all->count - start < FOLD_CHUNK ? all->count - start : FOLD_CHUNK;
        oc__fold_clear(fold, own, room, n * width);
        (void)oc__fold_derive(fold, updates, start * width, n * width, own, room);
        for (size_t i = 0, rows; i < n; i += rows) {
            size_t r = all->runs[start + i];
            for (rows = 1; i + rows < n && all->runs[start + i + rows] == r;) {
                rows++;
            }
            for (size_t s = 0; s < fold->width; s++) {
                oc__fold_rows(fold, s, lanes + s * stride + r * width,
                              own + s * room + i * width, 1, rows, width);
            }
        }
    }
    free(own);
    return OC_OK;
}

/* The midpoints that the updates give one after the other, as XLA applies them: each is
 * stored, rounded in its type, before the next one reads it. (Sums and products of two
 * numbers of a type are exact in double, or double is the type: one rounding.) The
 * balls of the fold stay and are widened to be balls around these. */
static void step_in_order(const oc__fold *fold, const members *all,
                          const oc__value *old, const oc__value *updates, size_t width,
                          oc__value *made)
{
    oc_dtype dtype = made->dtype;
    double *m = oc__m(made), *r = oc__r(made);
    double *steps = malloc((old->count * width + 1) * sizeof *steps);
    if (!steps) {
        return; // the midpoints of the fold are as good
    }
    memcpy(steps, oc__m(old), old->count * width * sizeof *steps);
    for (size_t i = 0; i < all->count * width; i++) {
        double *to = &steps[all->runs[i / width] * width + i % width];
        double x = oc__m(updates)[i];
        *to = oc__float_round(dtype, fold->body == OC__BODY_ADD ? *to + x : *to * x);
    }
    for (size_t i = 0; i < made->count * width; i++) {
        if (isfinite(m[i]) && isfinite(steps[i]) && m[i] != steps[i]) {
            r[i] = nextafter(r[i] + fabs(steps[i] - m[i]), (double)INFINITY);
            m[i] = steps[i];
        }
    }
    free(steps);
}

oc_status oc__combine_fold(oc__combine *c, const oc__fold *fold, oc_error *err)
{
    members all;
    oc__value *updates = NULL, *old = NULL, *made = NULL;
    oc__lane *lanes = NULL;
    size_t width = fold->pairs ? 2 : 1;
    oc_status rc = list_members(c, &all) ? OC_OK : oc__no_memory(err);
    const int64_t count = (int64_t)all.count, dim = (int64_t)all.run_count;
    if (rc == OC_OK) {
        rc = oc__value_gather(c->updates[0], NULL, all.updates, &count, 1, &updates,
                              err);
    }
    if (rc == OC_OK) {
        rc = oc__value_gather(c->targets[0], NULL, all.targets, &dim, 1, &old, err);
    }
    if (rc == OC_OK) {
        rc = oc__fold_result(fold, &dim, 1, &made, err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    size_t stride = all.run_count * width;
    lanes = malloc((fold->width * stride + 1) * sizeof *lanes);
    if (!lanes) {
        rc = oc__no_memory(err);
        goto done;
    }
    oc__fold_clear(fold, lanes, stride, stride);
    (void)oc__fold_derive(fold, old, 0, stride, lanes, stride);
    rc = fold_members(fold, &all, updates, width, lanes, stride, err);
    if (rc == OC_OK) {
        oc__fold_finish(fold, lanes, stride, stride, made, 0);
        bool rounds = fold->body == OC__BODY_ADD || fold->body == OC__BODY_MULTIPLY;
        if (rounds && made->r) {
            step_in_order(fold, &all, old, updates, width, made);
        }
        oc__value_tidy(made);
        rc = oc__combine_replace(&c->targets[0], made, all.targets, err);
    }
done:
    free(lanes);
    oc__value_release(updates);
    oc__value_release(old);
    oc__value_release(made);
    free(all.updates);
    free(all.targets);
    free(all.runs);
    return rc;
}
