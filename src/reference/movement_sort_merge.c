/* The order of every line, from keys or by asking the comparator. */
#include "reference/movement_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- by keys -------------------------------------------------------------- */

/* Two neighbouring places belong to one group unless everything before is surely below
 * everything after. Without balls a group is a run of equal keys. */
static void link_line(const oc__sorting *s, size_t line, int64_t *after)
{
    const int64_t *order = s->order + line * s->n;
    uint8_t *links = s->links + line * s->n;
    int64_t before = INT64_MIN, next = INT64_MAX;
    for (size_t p = s->n; p-- > 0;) {
        next = s->low[order[p]] < next ? s->low[order[p]] : next;
        after[p] = next;
    }
    size_t begin = 0;
    bool balls = false;
    for (size_t p = 0; p <= s->n; p++) {
        if (p == s->n || (p > 0 && before < after[p])) { /* the group ends here */
            for (size_t q = begin + 1; q < p; q++) {
                links[q] = balls ? OC__SORT_OVERLAPS : OC__SORT_TIED;
            }
            begin = p;
            balls = false;
        }
        if (p < s->n) {
            int64_t high = s->high[order[p]];
            before = high > before ? high : before;
            balls = balls || s->low[order[p]] != high;
        }
    }
}

oc_status oc__sort_by_keys(oc__sorting *s, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__keyed *list = malloc((2 * s->n + 1) * sizeof *list);
    int64_t *after = malloc((s->n + 1) * sizeof *after);
    if (!list || !after) {
        rc = oc__no_memory(err);
        goto done;
    }
    for (size_t line = 0; rc == OC_OK && line < s->lines; line++) {
        for (size_t p = 0; p < s->n; p++) {
            size_t e = oc__sort_element(s, line, p);
            list[p] = (oc__keyed){.key = s->keys[e], .item = (int64_t)e};
        }
        oc__sort_keyed(list, list + s->n, s->n);
        for (size_t p = 0; p < s->n; p++) {
            s->order[line * s->n + p] = list[p].item;
        }
        link_line(s, line, after);
        rc = oc__call_tick(s->call, err);
    }
done:
    free(list);
    free(after);
    return rc;
}

/* --- by asking ------------------------------------------------------------ */

typedef struct question {
    int64_t left, right; /* elements */
} question;

/* Calls the comparator for all questions at once; answers are i1 and the flags of it.
 */
static oc_status ask(oc__sorting *s, const oc__hlo_region *region,
                     const question *questions, size_t n, uint8_t *answers,
                     uint8_t *flags, oc_error *err)
{
    const int64_t dim = (int64_t)n;
    oc__value *answer = NULL;
    oc__value **args = calloc(2 * s->count, sizeof(oc__value *));
    int64_t *index = malloc((n + 1) * sizeof *index);
    oc_status rc = args && index ? OC_OK : oc__no_memory(err);
    for (size_t side = 0; rc == OC_OK && side < 2; side++) {
        for (size_t i = 0; i < n; i++) {
            index[i] = side == 0 ? questions[i].left : questions[i].right;
        }
        for (size_t k = 0; rc == OC_OK && k < s->count; k++) {
            rc = oc__value_gather(s->in[k], NULL, index, &dim, 1, &args[2 * k + side],
                                  err);
        }
    }
    if (rc == OC_OK) {
        rc = oc__region_map(s->call, region, n, args, 2 * s->count, &answer, 1, err);
    }
    if (rc == OC_OK && answer->dtype != OC_PRED) {
        rc = OC_CALL_FAIL(s->call, err, OC_PARSE, "its comparator must return i1");
    }
    if (rc == OC_OK) {
        memcpy(answers, answer->m->bytes, n);
        memset(flags, 0, n);
        if (answer->f) {
            memcpy(flags, oc__f(answer), n);
        }
    }
    for (size_t k = 0; args && k < 2 * s->count; k++) {
        oc__value_release(args[k]);
    }
    oc__value_release(answer);
    free(args);
    free(index);
    return rc == OC_OK ? oc__call_tick(s->call, err) : rc;
}

/* A search for the place of one element of a left run in the run to its right: how many
 * of that run come before it. */
typedef struct search {
    size_t place; /* of the element */
    size_t right; /* first place of the right run */
    size_t right_size;
    size_t low, high; /* the answer lies between; it is `low` in the end */
} search;

typedef struct merging {
    oc__sorting *s;
    const oc__hlo_region *region;
    search *searches;
    size_t *live;
    question *questions;
    uint8_t *answers, *flags;
    int64_t *merged;
} merging;

static void note_answer(oc__sorting *s, size_t place, uint8_t flags)
{
    if (flags & OC__F_UNDECIDED) {
        s->line_flags[place / s->n] |= OC__SORT_UNDECIDED;
    }
    if (flags & OC__F_OPEN) {
        s->line_flags[place / s->n] |= OC__SORT_DISORDER;
    }
}

/* The live searches, in step: as many calls of the region as one of them takes. An
 * element of the right run comes first only where it is surely less, so that equal ones
 * keep their order. */
static oc_status search_all(merging *m, size_t live, oc_error *err)
{
    oc__sorting *s = m->s;
    oc_status rc = OC_OK;
    while (rc == OC_OK && live > 0) {
        for (size_t i = 0; i < live; i++) {
            const search *x = &m->searches[m->live[i]];
            size_t middle = x->right + (x->low + x->high) / 2;
            m->questions[i] =
                (question){.left = s->order[middle], .right = s->order[x->place]};
        }
        rc = ask(s, m->region, m->questions, live, m->answers, m->flags, err);
        size_t left = 0;
        for (size_t i = 0; rc == OC_OK && i < live; i++) {
            search *x = &m->searches[m->live[i]];
            size_t middle = (x->low + x->high) / 2;
            note_answer(s, x->place, m->flags[i]);
            if (m->answers[i]) {
                x->low = middle + 1;
            } else {
                x->high = middle;
            }
            if (x->low < x->high) {
                m->live[left++] = m->live[i];
            }
        }
        live = left;
    }
    return rc;
}

/* Searches for the left elements of all merges: the last one of each run first, then
 * the middle ones between those that are known, between whose places theirs must lie.
 * So a merge of 2 n elements takes about 2 n questions in log^2 n rounds, and the
 * places ascend whatever the comparator says. `width` is a power of two. */
static oc_status find_places(merging *m, size_t count, size_t width, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t step = width; rc == OC_OK && step > 0; step /= 2) {
        size_t live = 0;
        for (size_t first = 0; first < count; first += width) {
            search *run = m->searches + first;
            for (size_t j = step - 1; j < width; j += 2 * step) {
                run[j].low = j >= step ? run[j - step].low : 0;
                if (j + step < width) {
                    run[j].high = run[j + step].low;
                }
                if (run[j].low < run[j].high) {
                    m->live[live++] = first + j;
                }
            }
        }
        rc = search_all(m, live, err);
    }
    return rc;
}

/* Merges all pairs of neighbouring runs of `width`. */
static oc_status merge_runs(merging *m, size_t width, oc_error *err)
{
    oc__sorting *s = m->s;
    size_t count = 0;
    for (size_t line = 0; line < s->lines; line++) {
        for (size_t i = 0; i + width < s->n; i += 2 * width) {
            size_t left = line * s->n + i, right_size = s->n - i - width;
            right_size = right_size < width ? right_size : width;
            for (size_t j = 0; j < width; j++) {
                m->searches[count++] = (search){.place = left + j,
                                                .right = left + width,
                                                .high = right_size,
                                                .right_size = right_size};
            }
        }
    }
    oc_status rc = find_places(m, count, width, err);
    if (rc != OC_OK) {
        return rc;
    }
    memcpy(m->merged, s->order, s->n * s->lines * sizeof *m->merged);
    for (size_t first = 0; first < count; first += width) {
        const search *run = m->searches + first;
        size_t passed = 0, to = run->place; /* of the right run; the next place */
        for (size_t j = 0; j <= width; j++) {
            size_t before = j < width ? run[j].low : run->right_size;
            for (; passed < before; passed++) {
                m->merged[to++] = s->order[run->right + passed];
            }
            if (j < width) {
                m->merged[to++] = s->order[run[j].place];
            }
        }
    }
    memcpy(s->order, m->merged, s->n * s->lines * sizeof *m->merged);
    return OC_OK;
}

/* Asks both ways about all neighbours: are they equal, and was it an order at all? */
static oc_status link_neighbours(merging *m, oc_error *err)
{
    oc__sorting *s = m->s;
    for (size_t way = 0; way < 2; way++) {
        size_t count = 0;
        for (size_t place = 0; place < s->n * s->lines; place++) {
            if (place % s->n > 0) {
                question q = {.left = s->order[place - 1], .right = s->order[place]};
                m->questions[count++] =
                    way == 0 ? q : (question){.left = q.right, .right = q.left};
            }
        }
        oc_status rc =
            ask(s, m->region, m->questions, count, m->answers, m->flags, err);
        if (rc != OC_OK) {
            return rc;
        }
        count = 0;
        for (size_t place = 0; place < s->n * s->lines; place++) {
            if (place % s->n == 0) {
                continue;
            }
            note_answer(s, place, m->flags[count]);
            bool yes = m->answers[count++];
            if (way == 0) {
                s->links[place] = yes ? OC__SORT_AFTER : OC__SORT_TIED;
            } else if (yes) {
                s->line_flags[place / s->n] |= OC__SORT_DISORDER;
            }
        }
    }
    return OC_OK;
}

/* Whether the region reads an argument of operand k. */
static bool reads(const oc__hlo_block *block, size_t first)
{
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        for (size_t k = 0; k < op->operand_count; k++) {
            if (op->operands[k] == first || op->operands[k] == first + 1) {
                return true;
            }
        }
        for (size_t r = 0; r < op->region_count; r++) {
            if (reads(&op->regions[r]->block, first)) {
                return true;
            }
        }
    }
    return false;
}

/* NaN that ties with a number was not ordered by the comparator. */
static void find_nans(oc__sorting *s, const oc__hlo_region *region)
{
    for (size_t k = 0; k < s->count; k++) {
        const oc__value *in = s->in[k];
        if (!oc__dtype_is_float(in->dtype) ||
            !reads(&region->block, region->block.first_argument + 2 * k)) {
            continue;
        }
        for (size_t place = 0; place < s->n * s->lines; place++) {
            if (s->links[place] == OC__SORT_TIED &&
                isnan(oc__m(in)[s->order[place]]) !=
                    isnan(oc__m(in)[s->order[place - 1]])) {
                s->line_flags[place / s->n] |= OC__SORT_NAN;
            }
        }
    }
}

oc_status oc__sort_by_asking(oc__sorting *s, const oc__hlo_region *region,
                             oc_error *err)
{
    size_t count = s->n * s->lines;
    merging m = {.s = s, .region = region};
    oc_status rc = OC_OK;
    m.searches = malloc((count + 1) * sizeof *m.searches);
    m.live = malloc((count + 1) * sizeof *m.live);
    m.questions = malloc((count + 1) * sizeof *m.questions);
    m.answers = malloc(2 * (count + 1));
    m.merged = malloc((count + 1) * sizeof *m.merged);
    if (!m.searches || !m.live || !m.questions || !m.answers || !m.merged) {
        rc = oc__no_memory(err);
        goto done;
    }
    m.flags = m.answers + count + 1;
    for (size_t line = 0; line < s->lines; line++) {
        for (size_t p = 0; p < s->n; p++) {
            s->order[line * s->n + p] = (int64_t)oc__sort_element(s, line, p);
        }
    }
    for (size_t width = 1; rc == OC_OK && width < s->n; width *= 2) {
        rc = merge_runs(&m, width, err);
    }
    if (rc == OC_OK) {
        rc = link_neighbours(&m, err);
    }
    if (rc == OC_OK) {
        find_nans(s, region);
    }
done:
    free(m.searches);
    free(m.live);
    free(m.questions);
    free(m.answers);
    free(m.merged);
    return rc;
}
