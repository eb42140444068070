/* select_and_scatter: in every window of the operand an element is selected, and the
 * window's source is scattered to it. */
#include "reference/fold.h"
#include "reference/movement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLACES = 1 << 24 }; /* of a window */

typedef struct selection {
    oc__call *call;
    const oc__value *operand, *source;
    int64_t sizes[OC_MAX_RANK], strides[OC_MAX_RANK], padding[2 * OC_MAX_RANK];
    int64_t *selected; /* [source element]: the operand's element, -1: none yet */
    int64_t *next;     /* [source element]: the one to compare with, -1: outside */
    uint8_t *doubts;   /* [source element]: OC__F_UNDECIDED, OC__F_OPEN */
} selection;

static oc_status read_windows(selection *s, oc_error *err)
{
    oc__call *call = s->call;
    size_t rank = s->operand->rank;
    oc_status rc =
        oc__read_counted(call, "window_dimensions", rank, false, 1, s->sizes, err);
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "window_strides", rank, true, 1, s->strides, err);
    }
    if (rc == OC_OK) {
        rc = oc__read_counted(call, "padding", 2 * rank, true, 0, s->padding, err);
    }
    if (rc == OC_OK && s->source->rank != rank) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "a source of %zu dimensions for an operand of %zu",
                          s->source->rank, rank);
    }
    int64_t places = 1; /* of a window */
    for (size_t d = 0; rc == OC_OK && d < rank; d++) {
        int64_t padded, low = s->padding[2 * d], high = s->padding[2 * d + 1];
        if (s->sizes[d] < 1 || s->strides[d] < 1 ||
            __builtin_add_overflow(s->operand->dims[d], low, &padded) ||
            __builtin_add_overflow(padded, high, &padded) || padded < 0) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "windows of %lld, stride %lld, padding %lld and %lld "
                                "along dimension %zu, which has %lld elements",
                                (long long)s->sizes[d], (long long)s->strides[d],
                                (long long)low, (long long)high, d,
                                (long long)s->operand->dims[d]);
        }
        if (__builtin_mul_overflow(places, s->sizes[d], &places) ||
            places > MAX_PLACES) {
            return OC_CALL_FAIL(call, err, OC_LIMIT, "windows of more than %d elements",
                                MAX_PLACES);
        }
        int64_t windows = padded == 0 || s->sizes[d] > padded
                              ? 0
                              : (padded - s->sizes[d]) / s->strides[d] + 1;
        if (s->source->dims[d] != windows) {
            rc = OC_CALL_FAIL(call, err, OC_PARSE,
                              "%lld windows along dimension %zu, where the source has "
                              "%lld elements",
                              (long long)windows, d, (long long)s->source->dims[d]);
        }
    }
    return rc;
}

/* next[i]: the operand's element at place `offset` of the window of source element i.
 */
static void place(selection *s, const int64_t *offset)
{
    size_t rank = s->operand->rank;
    int64_t at[OC_MAX_RANK] = {0}, strides[OC_MAX_RANK];
    oc__element_strides(s->operand->dims, rank, strides);
    for (size_t i = 0; i < s->source->count; i++) {
        int64_t element = 0;
        for (size_t d = 0; d < rank && element >= 0; d++) {
            int64_t x = at[d] * s->strides[d] + offset[d] - s->padding[2 * d];
            bool inside = x >= 0 && x < s->operand->dims[d];
            element = inside ? element + x * strides[d] : -1;
        }
        s->next[i] = element;
        for (size_t d = rank; d-- > 0;) {
            if (++at[d] < s->source->dims[d]) {
                break;
            }
            at[d] = 0;
        }
    }
}

/* The next place of a window; false when there is none. */
static bool next_offset(const selection *s, int64_t *offset)
{
    for (size_t d = s->operand->rank; d-- > 0;) {
        if (++offset[d] < s->sizes[d]) {
            return true;
        }
        offset[d] = 0;
    }
    return false;
}

/* select(selected, next) for all windows that have both. */
static oc_status compare(selection *s, int64_t *pairs, size_t *windows, oc_error *err)
{
    size_t n = 0, room = s->source->count;
    bool has_nan = oc__dtype_is_float(s->operand->dtype);
    oc__value *args[2] = {NULL, NULL}, *answer = NULL;
    for (size_t i = 0; i < s->source->count; i++) {
        if (s->next[i] < 0) {
            continue;
        }
        if (s->selected[i] < 0) {
            s->selected[i] = s->next[i];
            continue;
        }
        if (has_nan && (isnan(oc__m(s->operand)[s->selected[i]]) ||
                        isnan(oc__m(s->operand)[s->next[i]]))) {
            s->doubts[i] |= OC__F_OPEN;
        }
        pairs[n] = s->selected[i];
        pairs[room + n] = s->next[i];
        windows[n++] = i;
    }
    const int64_t dim = (int64_t)n;
    oc_status rc = oc__value_gather(s->operand, NULL, pairs, &dim, 1, &args[0], err);
    if (rc == OC_OK) {
        rc = oc__value_gather(s->operand, NULL, pairs + room, &dim, 1, &args[1], err);
    }
    if (rc == OC_OK) {
        rc = oc__region_map(s->call, s->call->op->regions[0], n, args, 2, &answer, 1,
                            err);
    }
    if (rc == OC_OK && answer->dtype != OC_PRED) {
        rc = OC_CALL_FAIL(s->call, err, OC_PARSE, "its select region must return i1");
    }
    for (size_t i = 0; rc == OC_OK && i < n; i++) {
        if (!answer->m->bytes[i]) {
            s->selected[windows[i]] = pairs[room + i];
        }
        if (oc__f(answer)) {
            s->doubts[windows[i]] |= oc__f(answer)[i] & (OC__F_UNDECIDED | OC__F_OPEN);
        }
    }
    oc__value_release(args[0]);
    oc__value_release(args[1]);
    oc__value_release(answer);
    return rc;
}

static oc_status select_all(selection *s, oc_error *err)
{
    size_t count = s->source->count;
    int64_t offset[OC_MAX_RANK] = {0};
    oc_status rc = OC_OK;
    int64_t *pairs = malloc((2 * count + 1) * sizeof *pairs);
    size_t *windows = malloc((count + 1) * sizeof *windows);
    s->selected = malloc((count + 1) * sizeof *s->selected);
    s->next = malloc((count + 1) * sizeof *s->next);
    s->doubts = calloc(count + 1, 1);
    if (!pairs || !windows || !s->selected || !s->next || !s->doubts) {
        rc = oc__no_memory(err);
        goto done;
    }
    memset(s->selected, 0xFF, count * sizeof *s->selected);
    if (count == 0) {
        goto done;
    }
    do {
        place(s, offset);
        rc = compare(s, pairs, windows, err);
        if (rc == OC_OK) {
            rc = oc__call_tick(s->call, err);
        }
    } while (rc == OC_OK && next_offset(s, offset));
done:
    free(pairs);
    free(windows);
    return rc;
}

/* Every element of a doubtful window may or may not have got its source. */
static oc_status mark_doubts(selection *s, oc_error *err)
{
    int64_t offset[OC_MAX_RANK] = {0};
    uint8_t any = 0;
    for (size_t i = 0; i < s->source->count; i++) {
        any |= s->doubts[i];
    }
    if (!any) {
        return OC_OK;
    }
    oc__value *result = s->call->out[0];
    oc_status rc = any & OC__F_UNDECIDED ? oc__forget_prepare(result, err) : OC_OK;
    uint8_t *f = rc == OC_OK ? oc__value_own_f(result) : NULL;
    if (!f) {
        return rc == OC_OK ? oc__no_memory(err) : rc;
    }
    uint64_t undecided = 0, open = 0;
    do {
        place(s, offset);
        for (size_t i = 0; i < s->source->count; i++) {
            if (s->next[i] < 0 || !s->doubts[i]) {
                continue;
            }
            if (s->doubts[i] & OC__F_UNDECIDED) {
                oc__forget_element(result, (size_t)s->next[i]);
                undecided++;
            }
            f[s->next[i]] |= s->doubts[i] & OC__F_OPEN;
            open += (s->doubts[i] & OC__F_OPEN) != 0;
        }
    } while (next_offset(s, offset));
    if (undecided > 0) {
        oc__call_note(s->call, "undecided_select", undecided);
    }
    if (open > 0) {
        oc__call_note(s->call, "select_nan", open);
    }
    return OC_OK;
}

/* An initial value that changes the result may enter any number of times. */
static oc_status mark_initial(selection *s, const oc__hlo_region *scatter,
                              oc_error *err)
{
    oc__fold fold;
    const oc__value *init = s->call->in[2];
    oc__body body = oc__region_body(scatter, init->dtype);
    if (!oc__fold_make(s->call, body, s->source, init, &fold) ||
        !oc__fold_counts(&fold, init)) {
        return OC_OK;
    }
    uint8_t *f = oc__value_own_f(s->call->out[0]);
    if (!f) {
        return oc__no_memory(err);
    }
    uint64_t marked = 0;
    for (size_t i = 0; i < s->source->count; i++) {
        if (s->selected[i] >= 0 && !(f[s->selected[i]] & OC__F_OPEN)) {
            f[s->selected[i]] |= OC__F_OPEN;
            marked++;
        }
    }
    oc__call_note(s->call, "initial_value", marked);
    return OC_OK;
}

oc_status oc__run_select_and_scatter(oc__call *call, oc_error *err)
{
    oc_status rc = oc__check_arity(call, 3, 1, err);
    if (rc == OC_OK && call->op->region_count != 2) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "has %zu regions; it needs 2",
                          call->op->region_count);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *init = call->in[2];
    selection s = {.call = call, .operand = call->in[0], .source = call->in[1]};
    rc = oc__check_same_dtype(call, "the source", s.source, "the operand", s.operand,
                              err);
    if (rc == OC_OK) {
        rc = oc__check_same_dtype(call, "the initial value", init, "the operand",
                                  s.operand, err);
    }
    if (rc == OC_OK && init->rank != 0) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "the initial value is %s; it must be a scalar",
                          oc__shown_dims(init->dims, init->rank).text);
    }
    if (rc == OC_OK) {
        rc = read_windows(&s, err);
    }
    if (rc == OC_OK) {
        rc = select_all(&s, err);
    }
    if (rc == OC_OK) {
        oc__view fill = {.rank = s.operand->rank};
        memcpy(fill.dims, s.operand->dims, sizeof fill.dims);
        rc = oc__view_read(init, &fill, &call->out[0], err);
    }
    if (rc == OC_OK) {
        oc__give(call, 0, call->out[0]);
        oc__value *const updates = (oc__value *)s.source;
        rc = oc__combine_updates(call, call->op->regions[1], call->out, &updates, 1,
                                 s.selected, false, err);
    }
    if (rc == OC_OK) {
        rc = mark_initial(&s, call->op->regions[1], err);
    }
    if (rc == OC_OK) {
        rc = mark_doubts(&s, err);
    }
    free(s.selected);
    free(s.next);
    free(s.doubts);
    return rc;
}
