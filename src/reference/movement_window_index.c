/* From index vectors to elements of the operand. */
#include "base/strbuf.h"
#include "reference/hull.h"
#include "reference/movement_windows.h"

#include <stdlib.h>
#include <string.h>

/* What is the same for all windows. */
typedef struct walk {
    const oc__windows *w;
    const int64_t *numbers; /* of the indices */
    int64_t operand_strides[OC_MAX_RANK], index_strides[OC_MAX_RANK];
    int64_t result_strides[OC_MAX_RANK];
    int64_t vector_stride;
    size_t window_count;      /* elements of a window */
    int64_t *window_result;   /* [window_count]: offset in the result, */
    int64_t *window_operand;  /* in the operand, */
    int64_t *window_position; /* and [window_count * operand rank], if !clamps */
} walk;

/* Counts `at` up within dims, last dimension fastest. */
static void advance(int64_t *at, const int64_t *dims, size_t rank)
{
    for (size_t d = rank; d-- > 0;) {
        if (++at[d] < dims[d]) {
            return;
        }
        at[d] = 0;
    }
}

static bool walk_windows(walk *k)
{
    const oc__windows *w = k->w;
    size_t rank = w->operand->rank;
    int64_t at[OC_MAX_RANK] = {0}, result_of[OC_MAX_RANK] = {0};
    uint32_t hidden = oc__hidden_dims(w);
    size_t next = 0, cells;
    k->window_count = 1;
    for (size_t d = 0; d < rank; d++) {
        k->window_count *= (size_t)w->sizes[d];
        if (!(hidden >> d & 1U)) {
            result_of[d] = k->result_strides[w->offset.dims[next++]];
        }
    }
    k->window_result = calloc(k->window_count + 1, sizeof(int64_t));
    k->window_operand = calloc(k->window_count + 1, sizeof(int64_t));
    if (!w->clamps) {
        if (!oc__size_mul(k->window_count, rank, &cells)) {
            return false;
        }
        k->window_position = calloc(cells + 1, sizeof(int64_t));
    }
    if (!k->window_result || !k->window_operand ||
        (!w->clamps && !k->window_position)) {
        return false;
    }
    for (size_t i = 0; i < k->window_count; i++) {
        for (size_t d = 0; d < rank; d++) {
            k->window_result[i] += at[d] * result_of[d];
            k->window_operand[i] += at[d] * k->operand_strides[d];
            if (k->window_position) {
                k->window_position[i * rank + d] = at[d];
            }
        }
        advance(at, w->sizes, rank);
    }
    return true;
}

/* The start of the window of batch position `batch`: per operand dimension, clamped for
 * gather. *out_first: the place of its index vector. */
static void window_start(const walk *k, const int64_t *batch, int64_t *start,
                         int64_t *out_first)
{
    const oc__windows *w = k->w;
    int64_t first = 0;
    for (size_t b = 0; b < oc__batch_rank(w); b++) {
        first += batch[b] * k->index_strides[oc__index_dim(w, b)];
    }
    memset(start, 0, w->operand->rank * sizeof *start);
    for (size_t i = 0; i < w->index_map.count; i++) {
        int64_t d = w->index_map.dims[i];
        int64_t x = k->numbers[first + (int64_t)i * k->vector_stride];
        int64_t last = w->operand->dims[d] - w->sizes[d];
        start[d] = !w->clamps ? x : x < 0 ? 0 : x > last ? last : x;
    }
    for (size_t i = 0; i < w->batching.count; i++) {
        size_t d = (size_t)w->index_batching.dims[i];
        start[w->batching.dims[i]] = batch[d - (d > w->vector_dim)];
    }
    *out_first = first;
}

/* Per element: the operand element, -1 outside. */
static void place_window(const walk *k, const int64_t *start, int64_t result_at,
                         int64_t *index)
{
    const oc__windows *w = k->w;
    size_t rank = w->operand->rank;
    int64_t base = 0;
    bool inside = true, outside = false;
    for (size_t d = 0; d < rank; d++) {
        int64_t n = w->operand->dims[d];
        /* Where the sum below might not fit, nothing of the window is inside. */
        outside = outside || start[d] >= n || start[d] <= -w->sizes[d];
        inside = inside && start[d] >= 0 && start[d] <= n - w->sizes[d];
        base += outside ? 0 : start[d] * k->operand_strides[d];
    }
    for (size_t i = 0; i < k->window_count; i++) {
        bool hit = !outside;
        for (size_t d = 0; hit && !inside && d < rank; d++) {
            int64_t at = start[d] + k->window_position[i * rank + d];
            hit = at >= 0 && at < w->operand->dims[d];
        }
        index[result_at + k->window_result[i]] = hit ? base + k->window_operand[i] : -1;
    }
}

/* Start vectors must ascend in the order of `index_map`, when the program says so. */
static bool descends(const oc__windows *w, const int64_t *before, const int64_t *start)
{
    for (size_t i = 0; i < w->index_map.count; i++) {
        int64_t a = before[w->index_map.dims[i]], b = start[w->index_map.dims[i]];
        if (a != b) {
            return a > b;
        }
    }
    return false;
}

static oc_status walk_batch(oc__call *call, const walk *k, oc__window_index *out,
                            oc_error *err)
{
    const oc__windows *w = k->w;
    const uint8_t *f = oc__f(w->indices);
    int64_t batch[OC_MAX_RANK] = {0}, batch_dims[OC_MAX_RANK], strides[OC_MAX_RANK];
    int64_t starts[2][OC_MAX_RANK];
    size_t rank = 0, count = 1;
    for (size_t d = 0; d < w->rank; d++) {
        if (!(w->offset.mask >> d & 1U)) {
            strides[rank] = k->result_strides[d];
            batch_dims[rank++] = w->dims[d];
            count *= (size_t)w->dims[d];
        }
    }
    for (size_t i = 0; i < count; i++) {
        int64_t *start = starts[i % 2], first, result_at = 0;
        window_start(k, batch, start, &first);
        out->unsorted =
            out->unsorted || (i > 0 && descends(w, starts[(i + 1) % 2], start));
        for (size_t b = 0; b < rank; b++) {
            result_at += batch[b] * strides[b];
        }
        uint8_t flags = 0;
        for (size_t v = 0; f && v < w->index_map.count; v++) {
            flags |= f[first + (int64_t)v * k->vector_stride];
        }
        place_window(k, start, result_at, out->index);
        if (flags & OC__F_UNDECIDED) {
            out->undecided += k->window_count;
        }
        for (size_t j = 0; flags && j < k->window_count; j++) {
            int64_t at = result_at + k->window_result[j];
            if (flags & OC__F_UNDECIDED) {
                out->index[at] = -1;
            }
            if (out->sticky) {
                out->sticky[at] = flags & OC__F_STICKY;
            }
        }
        advance(batch, batch_dims, rank);
        oc_status rc = i % 65536 == 65535 ? oc__call_tick(call, err) : OC_OK;
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

oc_status oc__windows_index(oc__call *call, const oc__windows *w, oc__window_index *out,
                            oc_error *err)
{
    walk k = {.w = w};
    int64_t *numbers = NULL;
    size_t count = 1;
    *out = (oc__window_index){0};
    oc_status rc = oc__index_elements(call, "the indices", w->indices, &numbers, err);
    if (rc != OC_OK) {
        goto done;
    }
    for (size_t d = 0; d < w->rank; d++) {
        if (__builtin_mul_overflow(count, (size_t)w->dims[d], &count)) {
            rc = OC_CALL_FAIL(call, err, OC_LIMIT, "the result's size does not fit");
            goto done;
        }
    }
    k.numbers = numbers;
    oc__element_strides(w->operand->dims, w->operand->rank, k.operand_strides);
    oc__element_strides(w->indices->dims, w->indices->rank, k.index_strides);
    oc__element_strides(w->dims, w->rank, k.result_strides);
    k.vector_stride =
        w->vector_dim < w->indices->rank ? k.index_strides[w->vector_dim] : 0;
    out->index = calloc(count + 1, sizeof *out->index);
    if (oc__value_sticky(w->indices)) {
        out->sticky = calloc(count + 1, 1);
    }
    if (!out->index || (oc__value_sticky(w->indices) && !out->sticky)) {
        rc = oc__no_memory(err);
        goto done;
    }
    if (count == 0) {
        goto done;
    }
    if (!walk_windows(&k)) {
        rc = oc__no_memory(err);
    } else if (k.window_count ==
               0) { /* a collapsed dimension of which nothing is taken */
        rc = OC_CALL_FAIL(call, err, OC_PARSE,
                          "windows without elements for a result of %zu", count);
    } else {
        rc = walk_batch(call, &k, out, err);
    }
done:
    free(numbers);
    free(k.window_result);
    free(k.window_operand);
    free(k.window_position);
    if (rc != OC_OK) {
        oc__window_index_free(out);
    }
    return rc;
}

void oc__window_index_free(oc__window_index *index)
{
    free(index->index);
    free(index->sticky);
    *index = (oc__window_index){0};
}
