/* What is known of sorted elements whose order is not fixed.
 *
 * The numbers by which a line is sorted come out as order statistics: the number at
 * place p lies between the p-th lowest lower end and the p-th lowest upper end of the
 * balls, whichever way they fall out. (Sorting moves no number by more than the largest
 * change of any.) Anything that only goes with them jumps: the hull of the group, or
 * undecided. */
#include "reference/hull.h"
#include "reference/movement_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct widening {
    oc__sorting *s;
    size_t operand;
    oc__value *out;
    int64_t *low, *high;     /* of a group */
    oc__keyed *list, *spare; /* [n] */
    uint64_t open, loose;
} widening;

/* A group: places first .. first + count of a line. */
typedef struct group {
    size_t line, first, count;
} group;

static size_t out_element(const widening *w, const group *g, size_t i)
{
    return oc__sort_element(w->s, g->line, g->first + i);
}

static void sort_ends(widening *w, const group *g, const int64_t *ends, int64_t *out)
{
    for (size_t i = 0; i < g->count; i++) {
        int64_t e = w->s->order[g->line * w->s->n + g->first + i];
        w->list[i] = (oc__keyed){.key = ends[e]};
    }
    oc__sort_keyed(w->list, w->spare, g->count);
    for (size_t i = 0; i < g->count; i++) {
        out[i] = w->list[i].key;
    }
}

static void set_statistic(widening *w, size_t e, int64_t low, int64_t high)
{
    oc__value *v = w->out;
    uint8_t *f = oc__f(v);
    if (!oc__dtype_is_float(v->dtype)) {
        f[e] = (uint8_t)(f[e] & ~OC__F_UNDECIDED) | (low != high ? OC__F_UNDECIDED : 0);
        return;
    }
    double a = oc__sort_number(w->s, low), b = oc__sort_number(w->s, high);
    double m = oc__m(v)[e];
    if (low == high) {
        oc__r(v)[e] = 0;
    } else if (!isfinite(a) || !isfinite(b) || !isfinite(m)) {
        oc__r(v)[e] = INFINITY;
    } else {
        double reach = fmax(fabs(m - a), fabs(b - m));
        oc__r(v)[e] = reach > 0 ? nextafter(reach, (double)INFINITY) : 0;
        f[e] |= a == 0 && b == 0 && m == 0 ? OC__F_ZERO_SIGN : 0;
    }
}

static void widen_keys(widening *w, const group *g)
{
    sort_ends(w, g, w->s->low, w->low);
    sort_ends(w, g, w->s->high, w->high);
    for (size_t i = 0; i < g->count; i++) {
        set_statistic(w, out_element(w, g, i), w->low[i], w->high[i]);
    }
}

/* Any element of the group may stand at any of its places. */
static void widen_reals(widening *w, const group *g, size_t width, size_t part)
{
    double *m = oc__m(w->out), *r = oc__r(w->out);
    double low = INFINITY, high = -(double)INFINITY;
    bool finite = true;
    for (size_t i = 0; i < g->count; i++) {
        size_t e = out_element(w, g, i) * width + part;
        finite = finite && isfinite(m[e]) && isfinite(r[e]);
        low = fmin(low, m[e] - r[e]);
        high = fmax(high, m[e] + r[e]);
    }
    for (size_t i = 0; i < g->count; i++) {
        size_t e = out_element(w, g, i) * width + part;
        double reach = fmax(m[e] - low, high - m[e]);
        r[e] = finite ? nextafter(reach * (1 + 0x1p-50), (double)INFINITY) : INFINITY;
    }
}

/* Whether all elements of the group are one and the same, radii included. */
static bool all_same(const widening *w, const group *g)
{
    const oc__value *v = w->out;
    size_t size = oc__value_m_size(v), first = out_element(w, g, 0);
    size_t real = oc__dtype_is_complex(v->dtype) ? 2 * sizeof(double) : sizeof(double);
    for (size_t i = 1; i < g->count; i++) {
        size_t e = out_element(w, g, i);
        if (memcmp(v->m->bytes + e * size, v->m->bytes + first * size, size) != 0 ||
            (v->r &&
             memcmp(v->r->bytes + e * real, v->r->bytes + first * real, real) != 0) ||
            (v->f && v->f->bytes[e] != v->f->bytes[first])) {
            return false;
        }
    }
    return true;
}

static void widen_overlap(widening *w, const group *g)
{
    oc__value *v = w->out;
    uint8_t *f = oc__f(v);
    uint8_t all = 0;
    for (size_t i = 0; i < g->count; i++) {
        all |= f[out_element(w, g, i)];
    }
    bool jumps = !w->s->is_key[w->operand];
    if (jumps && all_same(w, g)) {
        return;
    }
    if (!jumps) {
        widen_keys(w, g);
    } else if (v->r) {
        size_t width = oc__dtype_is_complex(v->dtype) ? 2 : 1;
        for (size_t part = 0; part < width; part++) {
            widen_reals(w, g, width, part);
        }
    }
    for (size_t i = 0; i < g->count; i++) {
        size_t e = out_element(w, g, i);
        f[e] |= all & (OC__F_STICKY | OC__F_ZERO_SIGN);
        if (jumps) {
            f[e] |= v->r ? OC__F_HULL : OC__F_UNDECIDED;
        }
        w->loose += jumps;
    }
}

static void widen_group(widening *w, const group *g, uint8_t link)
{
    if (link == OC__SORT_OVERLAPS) {
        widen_overlap(w, g);
    } else if (!w->s->stable && !all_same(w, g)) {
        for (size_t i = 0; i < g->count; i++) {
            oc__f(w->out)[out_element(w, g, i)] |= OC__F_OPEN;
        }
        w->open += g->count;
    }
}

static void widen_line(widening *w, size_t line)
{
    oc__sorting *s = w->s;
    const uint8_t *links = s->links + line * s->n;
    group g = {.line = line};
    for (size_t p = 1; p <= s->n; p++) {
        if (p < s->n && links[p] != OC__SORT_AFTER) {
            continue;
        }
        g.count = p - g.first;
        if (g.count > 1) {
            widen_group(w, &g, links[p - 1]);
        }
        g.first = p;
    }
    uint8_t flags = s->line_flags[line];
    for (size_t p = 0; flags && p < s->n; p++) {
        size_t e = oc__sort_element(s, line, p);
        oc__f(w->out)[e] |= flags & (OC__SORT_NAN | OC__SORT_DISORDER) ? OC__F_OPEN : 0;
        if (flags & OC__SORT_UNDECIDED) {
            oc__forget_element(w->out, e);
        }
    }
}

/* Whether anything is to be said of the order at all. */
static bool is_plain(const oc__sorting *s)
{
    for (size_t line = 0; line < s->lines; line++) {
        if (s->line_flags[line]) {
            return false;
        }
    }
    for (size_t place = 0; place < s->n * s->lines; place++) {
        if (s->links[place] == OC__SORT_OVERLAPS ||
            (s->links[place] == OC__SORT_TIED && !s->stable)) {
            return false;
        }
    }
    return true;
}

static oc_status widen(widening *w, oc_error *err)
{
    oc__value *out = w->out;
    oc_status rc = oc__forget_prepare(out, err);
    if (rc == OC_OK && !oc__value_own_f(out)) {
        rc = oc__no_memory(err);
    }
    for (size_t line = 0; rc == OC_OK && line < w->s->lines; line++) {
        widen_line(w, line);
    }
    if (rc == OC_OK) {
        oc__value_tidy(out);
    }
    return rc;
}

static void note_lines(const oc__sorting *s)
{
    static const struct {
        uint8_t flag;
        const char *rule;
    } rules[] = {{OC__SORT_NAN, "sort_nan"},
                 {OC__SORT_DISORDER, "sort_comparator"},
                 {OC__SORT_UNDECIDED, "sort_undecided"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint64_t lines = 0;
        for (size_t line = 0; line < s->lines; line++) {
            lines += (s->line_flags[line] & rules[i].flag) != 0;
        }
        if (lines > 0) {
            oc__call_note(s->call, rules[i].rule, lines * s->n * s->count);
        }
    }
}

oc_status oc__sort_give(oc__sorting *s, oc_error *err)
{
    widening w = {.s = s};
    size_t count = s->n * s->lines;
    bool plain = is_plain(s);
    oc_status rc = OC_OK;
    int64_t *index = malloc((count + 1) * sizeof *index);
    w.low = malloc((2 * s->n + 1) * sizeof *w.low);
    w.list = malloc((2 * s->n + 1) * sizeof *w.list);
    if (!index || !w.low || !w.list) {
        rc = oc__no_memory(err);
        goto done;
    }
    w.high = w.low + s->n;
    w.spare = w.list + s->n;
    for (size_t line = 0; line < s->lines; line++) {
        for (size_t p = 0; p < s->n; p++) {
            index[oc__sort_element(s, line, p)] = s->order[line * s->n + p];
        }
    }
    for (size_t k = 0; rc == OC_OK && k < s->count; k++) {
        oc__value *made;
        rc = oc__value_gather(s->in[k], NULL, index, s->in[k]->dims, s->in[k]->rank,
                              &made, err);
        if (rc == OC_OK) {
            s->call->out[k] = w.out = made;
            w.operand = k;
            rc = plain ? OC_OK : widen(&w, err);
        }
    }
    note_lines(s);
    if (w.open > 0) {
        oc__call_note(s->call, "sort_unstable", w.open);
    }
    if (w.loose > 0) {
        oc__call_note(s->call, "sort_overlap", w.loose);
    }
done:
    free(index);
    free(w.low);
    free(w.list);
    return rc;
}
