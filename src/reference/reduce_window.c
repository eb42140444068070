#include "reference/reduce_window.h"

#include "reference/fold.h"

#include <stdlib.h>

/* Lanes of one statistic that are at work at once, about. */
enum { SLAB = 1 << 18 };

static bool is_trivial(const oc__window_dim *dim)
{
    return dim->size == 1 && dim->stride == 1 && dim->base_dilation == 1 &&
           dim->low == 0 && dim->high == 0;
}

/* --- one statistic along one dimension
 * -------------------------------------------------
 *
 * A window of w elements is made of blocks whose sizes are the powers of two in w. With
 * `line` holding, at every place, the fold of the next b elements, those of 2 b are one
 * more fold away, so that a window costs 2 log2(w) folds and not w. Every element
 * enters once: the bounds of any order hold. */

static void fold_windows(const oc__fold *fold, size_t stat, const oc__window_dim *dim,
                         size_t inner, oc__lane *line, oc__lane *to)
{
    size_t size = (size_t)dim->size, gap = (size_t)dim->window_dilation;
    size_t stride = (size_t)dim->stride, places = (size_t)dim->padded;
    size_t outputs = (size_t)dim->output, done = 0;
    for (size_t block = 1; block <= size && outputs > 0; block *= 2) {
        if (size & block) {
            const oc__lane *from = line + done * gap * inner;
            if (stride == 1) {
                oc__fold_into(fold, stat, to, from, outputs * inner);
            }
            for (size_t o = 0; o < outputs && stride > 1; o++) {
                oc__fold_into(fold, stat, to + o * inner, from + o * stride * inner,
                              inner);
            }
            done += block;
        }
        size_t reach = (2 * block - 1) * gap;
        if (2 * block <= size && places > reach) {
            oc__fold_into(fold, stat, line, line + block * gap * inner,
                          (places - reach) * inner);
        }
    }
}

/* from[outer][base][inner] to to[outer][output][inner]; line: [padded][inner]. */
static void fold_dimension(const oc__fold *fold, size_t stat, const oc__window_dim *dim,
                           size_t outer, size_t inner, const oc__lane *from,
                           oc__lane *line, oc__lane *to)
{
    size_t base = (size_t)dim->base, padded = (size_t)dim->padded;
    size_t outputs = (size_t)dim->output;
    for (size_t o = 0; o < outer; o++) {
        oc__fold_clear_one(fold, stat, line, padded * inner);
        for (size_t i = 0; i < base; i++) {
            int64_t place = dim->low + (int64_t)i * dim->base_dilation;
            if (place >= 0 && place < dim->padded) {
                memcpy(line + (size_t)place * inner, from + i * inner,
                       inner * sizeof *line);
            }
        }
        oc__fold_clear_one(fold, stat, to, outputs * inner);
        fold_windows(fold, stat, dim, inner, line, to);
        from += base * inner;
        to += outputs * inner;
    }
}

/* --- slabs
 * ------------------------------------------------------------------------------
 *
 * Dimensions in front and behind that the window leaves alone split the work into
 * slabs: [slices][rows][columns], a few columns of one slice at a time. */

typedef struct slabs {
    const oc__fold *fold;
    const oc__windows *w;
    size_t first, count; /* the dimensions between */
    size_t slices, rows, out_rows, columns;
    size_t columns_at_once;
    size_t most; /* lanes of a statistic on the way */
    oc__lane *stats, *other, *line;
    uint64_t *times; /* [out_rows]: how often the initial value enters; NULL: once */
} slabs;

/* Elements of the bases behind dimension d, in one column. */
static size_t bases_behind(const slabs *s, size_t d)
{
    size_t product = 1;
    for (size_t k = d + 1; k < s->first + s->count; k++) {
        product *= (size_t)s->w->dims[k].base;
    }
    return product;
}

static void split(slabs *s)
{
    size_t end = s->w->rank;
    while (end > 0 && is_trivial(&s->w->dims[end - 1])) {
        s->columns *= (size_t)s->w->dims[--end].base;
    }
    while (s->first < end && is_trivial(&s->w->dims[s->first])) {
        s->slices *= (size_t)s->w->dims[s->first++].base;
    }
    s->count = end - s->first;
    for (size_t d = s->first; d < end; d++) {
        s->rows *= (size_t)s->w->dims[d].base;
    }
}

static oc_status plan_slabs(oc__call *call, const oc__fold *fold, const oc__windows *w,
                            slabs *s, oc_error *err)
{
    *s = (slabs){.fold = fold,
                 .w = w,
                 .slices = 1,
                 .rows = 1,
                 .out_rows = 1,
                 .columns = fold->pairs ? 2 : 1};
    split(s);
    size_t line = 1, lanes = s->rows;
    bool fits = true;
    for (size_t d = s->first; d < s->first + s->count; d++) {
        size_t behind = bases_behind(s, d), padded, after;
        fits = fits && oc__size_mul((size_t)w->dims[d].padded, behind, &padded) &&
               oc__size_mul(s->out_rows, (size_t)w->dims[d].output, &s->out_rows) &&
               oc__size_mul(s->out_rows, behind, &after);
        line = fits && padded > line ? padded : line;
        lanes = fits && after > lanes ? after : lanes;
    }
    size_t most = lanes > line ? lanes : line;
    s->columns_at_once = most < SLAB ? SLAB / most : 1;
    if (s->columns_at_once > s->columns) {
        s->columns_at_once = s->columns;
    }
    fits = fits && oc__size_mul(lanes, s->columns_at_once, &s->most) &&
           oc__size_mul(line, s->columns_at_once, &line) && s->most < SIZE_MAX / 256 &&
           line < SIZE_MAX / 256;
    if (!fits) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "a window is too large");
    }
    s->stats = malloc((s->most + 1) * fold->width * sizeof *s->stats);
    s->other = malloc((s->most + 1) * sizeof *s->other);
    s->line = malloc((line + 1) * sizeof *s->line);
    return s->stats && s->other && s->line ? OC_OK : oc__no_memory(err);
}

/* One dimension after the other, of the statistics of a slab with n columns. */
static void fold_slab(slabs *s, size_t stat, size_t n)
{
    oc__lane *from = s->stats + stat * s->most, *to = s->other;
    size_t outer = 1;
    for (size_t d = s->first; d < s->first + s->count; d++) {
        fold_dimension(s->fold, stat, &s->w->dims[d], outer, bases_behind(s, d) * n,
                       from, s->line, to);
        outer *= (size_t)s->w->dims[d].output;
        oc__lane *swap = from;
        from = to;
        to = swap;
    }
    if (from == s->other) {
        memcpy(s->stats + stat * s->most, from, s->out_rows * n * sizeof *from);
    }
}

static oc_status run_slab(oc__call *call, slabs *s, const oc__value *in,
                          const oc__value *init, oc__value *out, size_t slice,
                          size_t column, size_t n, oc_error *err)
{
    const oc__fold *fold = s->fold;
    // Rows of all columns lie behind each other.
    bool whole = n == s->columns;
    size_t rows = whole ? 1 : s->rows, in_row = whole ? s->rows * n : n;
    bool flags = false;
    oc__fold_clear_one(fold, fold->width - 1, s->stats + (fold->width - 1) * s->most,
                       s->most);
    for (size_t row = 0; row < rows; row++) {
        size_t start = (slice * s->rows + row) * s->columns + column;
        bool some =
            oc__fold_derive(fold, in, start, in_row, s->stats + row * n, s->most);
        flags = flags || some;
    }
    for (size_t stat = 0; stat + !flags < fold->width; stat++) {
        fold_slab(s, stat, n);
    }
    bool at_once = whole && !s->times;
    rows = at_once ? 1 : s->out_rows;
    in_row = at_once ? s->out_rows * n : n;
    for (size_t row = 0; row < rows; row++) {
        size_t start = (slice * s->out_rows + row) * s->columns + column;
        oc__lane *lanes = s->stats + row * n;
        for (size_t i = 0; s->times && i < n; i++) {
            oc__fold_enter(fold, init, &s->times[row], start + i, 1, lanes + i,
                           s->most);
        }
        if (!s->times) {
            oc__fold_enter(fold, init, NULL, start, in_row, lanes, s->most);
        }
        oc__fold_finish(fold, lanes, s->most, in_row, out, start);
    }
    return oc__call_tick(call, err);
}

/* The text pads with the initial value, so that it enters once for every padded place
 * under the window, and once to begin with. */
static oc_status count_entries(slabs *s, oc_error *err)
{
    s->times = calloc(s->out_rows + 1, sizeof *s->times);
    if (!s->times) {
        return oc__no_memory(err);
    }
    for (size_t row = 0; row < s->out_rows; row++) {
        uint64_t real = 1, taps = 1;
        size_t rest = row;
        for (size_t d = s->first + s->count; d-- > s->first;) {
            const oc__window_dim *dim = &s->w->dims[d];
            int64_t at = (int64_t)(rest % (size_t)dim->output);
            uint64_t here = 0;
            for (int64_t tap = 0; tap < dim->size; tap++) {
                here += oc__window_element(dim, at, tap) >= 0;
            }
            rest /= (size_t)dim->output;
            real *= here;
            taps *= (uint64_t)dim->size;
        }
        s->times[row] = taps - real + 1;
    }
    return OC_OK;
}

oc_status oc__window_fold(oc__call *call, const oc__fold *fold, const oc__value *in,
                          const oc__value *init, const oc__windows *w,
                          oc__value **out_value, oc_error *err)
{
    slabs s;
    oc__value *out = NULL;
    bool counts = oc__fold_counts(fold, init);
    oc_status rc = plan_slabs(call, fold, w, &s, err);
    if (rc == OC_OK && counts) {
        rc = count_entries(&s, err);
    }
    if (rc == OC_OK) {
        rc = oc__fold_result(fold, w->output, w->rank, &out, err);
    }
    for (size_t slice = 0; rc == OC_OK && slice < s.slices && out->count > 0; slice++) {
        for (size_t c = 0; rc == OC_OK && c < s.columns; c += s.columns_at_once) {
            size_t n =
                s.columns - c < s.columns_at_once ? s.columns - c : s.columns_at_once;
            rc = run_slab(call, &s, in, init, out, slice, c, n, err);
        }
    }
    if (rc == OC_OK && counts && out->count > 0) {
        rc = oc__value_flag(&out, OC__F_OPEN, err);
        oc__call_note(call, "reduce_init", out->count);
    }
    if (rc == OC_OK) {
        oc__call_flops(call, (double)out->count * (double)w->taps);
        *out_value = out;
        out = NULL;
    }
    oc__value_release(out);
    free(s.stats);
    free(s.other);
    free(s.line);
    free(s.times);
    return rc;
}
