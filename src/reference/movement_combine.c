/* Many updates of single elements in an order that nothing fixes: the second half of
 * scatter and select_and_scatter.
 *
 * Updates are sorted by the element that they meet. An element met once takes one call
 * of the body, all such elements in one batch. One met more often is a fold in any
 * order (fold.h) where the body is a known operation, and for an overwriting body one
 * of a set of candidates. Any other body is applied in the order of the updates, as XLA
 * does; the specification allows every order, so that the result is open. */
#include "reference/movement_combine.h"
#include "reference/frame.h"

#include <stdlib.h>
#include <string.h>

/* --- runs ----------------------------------------------------------------- */

static oc_status make_runs(oc__combine *c, const int64_t *index, oc_error *err)
{
    size_t n = c->updates[0]->count;
    oc_status rc = OC_OK;
    oc__keyed *spare = malloc((n + 1) * sizeof *spare);
    c->list = malloc((n + 1) * sizeof *c->list);
    c->runs = malloc((n + 1) * sizeof *c->runs);
    if (!spare || !c->list || !c->runs) {
        rc = oc__no_memory(err);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        if (index[i] >= 0) {
            c->list[c->list_count++] = (oc__keyed){.key = index[i], .item = (int64_t)i};
        }
    }
    oc__sort_keyed(c->list, spare, c->list_count);
    for (size_t i = 0; i < c->list_count; i++) {
        if (i == 0 || c->list[i].key != c->list[i - 1].key) {
            c->runs[c->run_count++] =
                (oc__update_run){.begin = i, .target = c->list[i].key};
        }
        size_t count = ++c->runs[c->run_count - 1].count;
        c->longest = count > c->longest ? count : c->longest;
    }
done:
    free(spare);
    return rc;
}

/* --- in order: one update of each run at a time --------------------------- */

oc_status oc__combine_replace(oc__value **target, const oc__value *update,
                              const int64_t *index, oc_error *err)
{
    oc__value *written;
    oc_status rc = oc__value_overwrite(*target, true, update, index, &written, err);
    if (rc == OC_OK) {
        oc__value_release(*target);
        *target = written;
    }
    return rc;
}

/* targets[to[i]] = region(targets[to[i]], updates[from[i]]); no element twice. */
static oc_status apply(oc__combine *c, const int64_t *to, const int64_t *from, size_t n,
                       oc_error *err)
{
    const int64_t dim = (int64_t)n;
    oc__value **args = calloc(3 * c->count, sizeof(oc__value *));
    oc__value **results = args + 2 * c->count;
    if (!args) {
        return oc__no_memory(err);
    }
    oc_status rc = OC_OK;
    for (size_t k = 0; rc == OC_OK && k < c->count; k++) {
        rc = oc__value_gather(c->targets[k], NULL, to, &dim, 1, &args[k], err);
        if (rc == OC_OK) {
            rc = oc__value_gather(c->updates[k], NULL, from, &dim, 1,
                                  &args[c->count + k], err);
        }
    }
    if (rc == OC_OK) {
        rc = oc__region_map(c->call, c->region, n, args, 2 * c->count, results,
                            c->count, err);
    }
    for (size_t k = 0; rc == OC_OK && k < c->count; k++) {
        rc = oc__check_same_dtype(c->call, "what the region returns", results[k],
                                  "the operand", c->targets[k], err);
        if (rc == OC_OK) {
            rc = oc__combine_replace(&c->targets[k], results[k], to, err);
        }
    }
    for (size_t k = 0; k < 3 * c->count; k++) {
        oc__value_release(args[k]);
    }
    free(args);
    return rc;
}

/* Applies the body to the runs of `least` updates and more, the first update of each,
 * then the second, ... up to the `most`th. */
static oc_status apply_in_order(oc__combine *c, size_t least, size_t most,
                                oc_error *err)
{
    oc_status rc = OC_OK;
    int64_t *to = malloc((2 * c->run_count + 1) * sizeof *to);
    size_t *live = malloc((c->run_count + 1) * sizeof *live), n = 0;
    if (!to || !live) {
        rc = oc__no_memory(err);
        goto done;
    }
    int64_t *from = to + c->run_count;
    for (size_t i = 0; i < c->run_count; i++) {
        if (c->runs[i].count >= least && c->runs[i].count <= most) {
            live[n++] = i;
        }
    }
    for (size_t step = 0; rc == OC_OK && n > 0; step++) {
        size_t left = 0;
        for (size_t i = 0; i < n; i++) {
            const oc__update_run *r = &c->runs[live[i]];
            to[i] = r->target;
            from[i] = c->list[r->begin + step].item;
            if (step + 1 < r->count) {
                live[left++] = live[i];
            }
        }
        rc = apply(c, to, from, n, err);
        n = left;
        if (rc == OC_OK) {
            rc = oc__call_tick(c->call, err);
        }
    }
done:
    free(to);
    free(live);
    return rc;
}

/* --- overwriting: the last one, as XLA has it ----------------------------- */

/* Marks the elements of the longer runs (differing ones only, when asked) as open. */
static oc_status mark_runs(oc__combine *c, bool if_they_differ, const char *rule,
                           oc_error *err)
{
    uint64_t marked = 0;
    for (size_t k = 0; k < c->count; k++) {
        const oc__value *u = c->updates[k];
        size_t size = oc__value_m_size(u),
               width = oc__dtype_is_complex(u->dtype) ? 2 : 1;
        uint8_t *f = NULL;
        for (size_t i = 0; i < c->run_count; i++) {
            const oc__update_run *r = &c->runs[i];
            bool differs = r->count > 1 && !if_they_differ;
            for (size_t j = 1; !differs && j < r->count; j++) {
                size_t a = (size_t)c->list[r->begin].item;
                size_t b = (size_t)c->list[r->begin + j].item;
                differs = memcmp(u->m->bytes + a * size, u->m->bytes + b * size, size);
                for (size_t x = 0; u->r && x < width; x++) {
                    differs =
                        differs || oc__r(u)[a * width + x] != oc__r(u)[b * width + x];
                }
            }
            if (differs && !f && !(f = oc__value_own_f(c->targets[k]))) {
                return oc__no_memory(err);
            }
            if (differs) {
                f[r->target] |= OC__F_OPEN;
                marked++;
            }
        }
    }
    if (marked > 0) {
        oc__call_note(c->call, rule, marked);
    }
    return OC_OK;
}

static oc_status overwrite(oc__combine *c, const int64_t *index, oc_error *err)
{
    oc_status rc = oc__combine_replace(&c->targets[0], c->updates[0], index, err);
    if (rc == OC_OK && c->longest > 1) {
        rc = mark_runs(c, true, "scatter_duplicates", err);
    }
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

/* The region's arguments must be of the operands' types: a body that computes in a
 * wider one (the specification's is_promotable) is not evaluated. */
static oc_status check_region(const oc__combine *c, oc_error *err)
{
    const oc__hlo_block *block = &c->region->block;
    if (block->argument_count != 2 * c->count) {
        return OC_CALL_FAIL(c->call, err, OC_PARSE,
                            "its region takes %zu arguments; it needs %zu",
                            block->argument_count, 2 * c->count);
    }
    for (size_t i = 0; i < block->argument_count; i++) {
        const oc__hlo_type *type =
            c->call->frame->func->value_types[block->first_argument + i];
        if (type->dtype != c->targets[i % c->count]->dtype) {
            return OC_CALL_FAIL(c->call, err, OC_INVALID_ARGUMENT,
                                "a region on %s for an operand of %s is not evaluated",
                                type->text,
                                oc_dtype_name(c->targets[i % c->count]->dtype));
        }
    }
    return OC_OK;
}

static oc_status combine_all(oc__combine *c, const int64_t *index, oc_error *err)
{
    oc__body body = c->count == 1 ? oc__region_body(c->region, c->targets[0]->dtype)
                                  : OC__BODY_OTHER;
    oc__fold fold;
    if (body == OC__BODY_SECOND) {
        return overwrite(c, index, err);
    }
    if (body == OC__BODY_FIRST || c->longest == 0) {
        return OC_OK;
    }
    oc_status rc = apply_in_order(c, 1, 1, err);
    if (rc != OC_OK || c->longest == 1) {
        return rc;
    }
    if (!oc__fold_make(c->call, body, c->updates[0], c->targets[0], &fold)) {
        rc = apply_in_order(c, 2, SIZE_MAX, err);
        return rc == OC_OK ? mark_runs(c, false, "scatter_order", err) : rc;
    }
    /* Each update is stored before the next one reads it: rounded in its own type. */
    oc_dtype dtype = c->targets[0]->dtype;
    if (oc__dtype_is_float(dtype)) {
        oc__sum_model_make(c->call, dtype, dtype, &fold.model);
    }
    return oc__combine_fold(c, &fold, err);
}

oc_status oc__combine_updates(oc__call *call, const oc__hlo_region *region,
                              oc__value **targets, oc__value *const *updates,
                              size_t count, const int64_t *index, bool unique,
                              oc_error *err)
{
    oc__combine c = {.call = call,
                     .region = region,
                     .targets = targets,
                     .updates = updates,
                     .count = count};
    oc_status rc = check_region(&c, err);
    if (rc == OC_OK) {
        rc = make_runs(&c, index, err);
    }
    if (rc == OC_OK) {
        rc = combine_all(&c, index, err);
    }
    if (rc == OC_OK && unique && c.longest > 1) {
        rc = mark_runs(&c, false, "scatter_unique_indices", err);
    }
    free(c.list);
    free(c.runs);
    return rc;
}
