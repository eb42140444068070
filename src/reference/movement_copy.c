/* Strided copies of planes, at the speed of memory where runs are contiguous, and the
 * results of movement operations. */
#include "reference/hull.h"
#include "reference/movement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one plane ------------------------------------------------------------ */

typedef struct loop {
    size_t n;
    ptrdiff_t from, to; /* steps in bytes */
} loop;

typedef void (*rows_fn)(char *to, const char *from, loop outer, loop inner);

/* Two nested loops over elements of a size that the compiler knows. */
#define DEFINE_ROWS(size)                                                              \
    static void rows_##size(char *to, const char *from, loop outer, loop inner)        \
    {                                                                                  \
        for (size_t i = 0; i < outer.n; i++, to += outer.to, from += outer.from) {     \
            if (inner.to == (size) && inner.from == (size)) {                          \
                memcpy(to, from, inner.n *(size));                                     \
            } else if (inner.to == (size) && inner.from == 0) {                        \
                char one[size];                                                        \
                memcpy(one, from, size);                                               \
                for (size_t j = 0; j < inner.n; j++) {                                 \
                    memcpy(to + j * (size), one, size);                                \
                }                                                                      \
            } else {                                                                   \
                char *t = to;                                                          \
                const char *f = from;                                                  \
                for (size_t j = 0; j < inner.n; j++, t += inner.to, f += inner.from) { \
                    memcpy(t, f, size);                                                \
                }                                                                      \
            }                                                                          \
        }                                                                              \
    }

DEFINE_ROWS(1)
DEFINE_ROWS(2)
DEFINE_ROWS(4)
DEFINE_ROWS(8)
DEFINE_ROWS(16)

static rows_fn rows_for(size_t size)
{
    switch (size) {
    case 1: return rows_1;
    case 2: return rows_2;
    case 4: return rows_4;
    case 8: return rows_8;
    default: OC_ASSERT(size == 16); return rows_16;
    }
}

/* The view as loops, outermost first: without dimensions of one, and with neighbours
 * that continue each other merged. *out_empty: there is nothing to copy. */
static size_t make_loops(const oc__view *view, size_t size, loop *loops,
                         bool *out_empty)
{
    size_t count = 0;
    *out_empty = false;
    for (size_t d = 0; d < view->rank; d++) {
        size_t n = (size_t)view->dims[d];
        ptrdiff_t from = view->from_strides[d] * (ptrdiff_t)size;
        ptrdiff_t to = view->to_strides[d] * (ptrdiff_t)size;
        *out_empty = *out_empty || n == 0;
        if (n <= 1) {
            continue;
        }
        loop *last = count > 0 ? &loops[count - 1] : NULL;
        if (last && last->from == from * (ptrdiff_t)n &&
            last->to == to * (ptrdiff_t)n) {
            *last = (loop){.n = last->n * n, .from = from, .to = to};
        } else {
            loops[count++] = (loop){.n = n, .from = from, .to = to};
        }
    }
    return count;
}

/* Reading across the rows of the source touches a cache line, and a page, for every
 * element: then both loops are halved, the longer one first, until what is left fits
 * into every level of the caches (Frigo and others, Cache-oblivious algorithms, 1999).
 */
static void copy_across(rows_fn rows, char *to, const char *from, loop outer,
                        loop inner, size_t edge)
{
    if (outer.n <= edge && inner.n <= edge) {
        rows(to, from, outer, inner);
        return;
    }
    loop *longer = outer.n > inner.n ? &outer : &inner;
    size_t half = longer->n / 2, rest = longer->n - half;
    ptrdiff_t to_step = (ptrdiff_t)half * longer->to;
    ptrdiff_t from_step = (ptrdiff_t)half * longer->from;
    longer->n = half;
    copy_across(rows, to, from, outer, inner, edge);
    longer->n = rest;
    copy_across(rows, to + to_step, from + from_step, outer, inner, edge);
}

static void copy_block(rows_fn rows, char *to, const char *from, loop outer, loop inner,
                       size_t size)
{
    if (llabs(inner.from) <= llabs(outer.from) || outer.from == 0) {
        rows(to, from, outer, inner);
    } else {
        copy_across(rows, to, from, outer, inner, size < 4 ? 16 : 8);
    }
}

void oc__copy_elements(const oc__view *view, void *to_bytes, const void *from_bytes,
                       size_t element_size)
{
    loop loops[OC_MAX_RANK + 2];
    bool empty;
    size_t count = make_loops(view, element_size, loops, &empty);
    if (empty) {
        return;
    }
    while (count <
           2) { /* two loops at least, so that there are an outer and an inner */
        memmove(loops + 1, loops, count * sizeof *loops);
        loops[0] = (loop){.n = 1};
        count++;
    }
    /* The outer one of the block: whichever runs along the source most closely. */
    size_t near = count - 2;
    for (size_t k = 0; k + 1 < count; k++) {
        if (loops[k].from != 0 &&
            (loops[near].from == 0 || llabs(loops[k].from) < llabs(loops[near].from))) {
            near = k;
        }
    }
    loop outer = loops[near], inner = loops[count - 1];
    memmove(loops + near, loops + near + 1, (count - near - 1) * sizeof *loops);
    count -= 2;

    rows_fn rows = rows_for(element_size);
    char *to = (char *)to_bytes + view->to_start * (ptrdiff_t)element_size;
    const char *from =
        (const char *)from_bytes + view->from_start * (ptrdiff_t)element_size;
    size_t at[OC_MAX_RANK + 2] = {0};
    for (;;) {
        copy_block(rows, to, from, outer, inner, element_size);
        size_t k = count;
        while (k > 0 && ++at[k - 1] == loops[k - 1].n) {
            k--;
            to -= (ptrdiff_t)(loops[k].n - 1) * loops[k].to;
            from -= (ptrdiff_t)(loops[k].n - 1) * loops[k].from;
            at[k] = 0;
        }
        if (k == 0) {
            return;
        }
        to += loops[k - 1].to;
        from += loops[k - 1].from;
    }
}

/* --- all planes of a value ------------------------------------------------ */

enum { PLANE_M, PLANE_R, PLANE_S, PLANE_F, PLANE_COUNT };

static oc__plane **plane_slot(oc__value *value, int which)
{
    oc__plane **const slots[PLANE_COUNT] = {&value->m, &value->r, &value->s, &value->f};
    return slots[which];
}

static size_t plane_element(const oc__value *value, int which)
{
    if (which == PLANE_F) {
        return 1;
    }
    if (which == PLANE_M) {
        return oc__value_m_size(value);
    }
    return oc__dtype_is_complex(value->dtype) ? 2 * sizeof(double) : sizeof(double);
}

void oc__element_strides(const int64_t *dims, size_t rank, int64_t *out_strides)
{
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] == 0) {
            memset(out_strides, 0, rank * sizeof *out_strides);
            return;
        }
    }
    oc__strides(dims, rank, out_strides);
}

oc__view oc__view_of(const int64_t *dims, size_t rank)
{
    oc__view view = {.rank = rank};
    memcpy(view.dims, dims, rank * sizeof *dims);
    oc__element_strides(dims, rank, view.to_strides);
    memcpy(view.from_strides, view.to_strides, rank * sizeof *dims);
    return view;
}

oc_status oc__view_read(const oc__value *source, oc__view *view, oc__value **out_value,
                        oc_error *err)
{
    oc__value *made = NULL;
    oc_status rc = oc__value_make(source->dtype, source->quant, view->dims, view->rank,
                                  &made, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__element_strides(view->dims, view->rank, view->to_strides);
    view->to_start = 0;
    for (int which = 0; which < PLANE_COUNT; which++) {
        const oc__plane *from = *plane_slot((oc__value *)source, which);
        oc__plane **to = plane_slot(made, which);
        size_t size = plane_element(source, which);
        if (!from) {
            continue;
        }
        if (which != PLANE_M && !(*to = oc__plane_make(made->count, size))) {
            rc = oc__no_memory(err);
            goto done;
        }
        oc__copy_elements(view, (*to)->bytes, from->bytes, size);
    }
    *out_value = made;
    made = NULL;
done:
    oc__value_release(made);
    return rc;
}

/* The plane of the target to write into: its own, made when it had none. */
static void *own_plane(oc__value *value, int which)
{
    switch (which) {
    case PLANE_R: return oc__value_own_r(value);
    case PLANE_S: return oc__value_own_s(value);
    case PLANE_F: return oc__value_own_f(value);
    default: break;
    }
    if (value->m->references > 1) {
        oc__plane *copy = oc__plane_make(value->count, oc__value_m_size(value));
        if (!copy) {
            return NULL;
        }
        memcpy(copy->bytes, value->m->bytes, copy->size_bytes);
        oc__plane_release(value->m);
        value->m = copy;
    }
    return value->m->bytes;
}

oc_status oc__view_write(oc__value *target, const oc__value *source,
                         const oc__view *view, oc_error *err)
{
    static const double zero[2] = {0.0, 0.0};
    oc__view repeat_zero = *view; /* a plane that the source lacks holds zeros */
    memset(repeat_zero.from_strides, 0, sizeof repeat_zero.from_strides);
    repeat_zero.from_start = 0;
    for (int which = 0; which < PLANE_COUNT; which++) {
        const oc__plane *from = *plane_slot((oc__value *)source, which);
        if (!from && !*plane_slot(target, which)) {
            continue;
        }
        void *to = own_plane(target, which);
        if (!to) {
            return oc__no_memory(err);
        }
        oc__copy_elements(from ? view : &repeat_zero, to,
                          from ? (const void *)from->bytes : zero,
                          plane_element(target, which));
    }
    return OC_OK;
}

/* --- results -------------------------------------------------------------- */

void oc__give(oc__call *call, size_t index, oc__value *value)
{
    value->quant = oc__call_result_type(call, index)->quant;
    call->out[index] = value;
}

oc_status oc__forget_prepare(oc__value *value, oc_error *err)
{
    bool has_radius =
        oc__dtype_is_float(value->dtype) || oc__dtype_is_complex(value->dtype);
    void *plane =
        has_radius ? (void *)oc__value_own_r(value) : (void *)oc__value_own_f(value);
    return plane ? OC_OK : oc__no_memory(err);
}

void oc__forget_element(oc__value *value, size_t i)
{
    size_t width = oc__dtype_is_complex(value->dtype) ? 2 : 1;
    if (value->r) {
        for (size_t k = 0; k < width; k++) {
            oc__r(value)[width * i + k] = INFINITY;
        }
    } else {
        oc__f(value)[i] |= OC__F_UNDECIDED;
    }
}

oc_status oc__give_undecided(oc__call *call, size_t index, const oc__value *like,
                             const int64_t *dims, size_t rank, const char *rule,
                             oc_error *err)
{
    oc__value *made = NULL;
    oc_status rc = oc__value_make(like->dtype, like->quant, dims, rank, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    memset(made->m->bytes, 0, made->m->size_bytes);
    oc__call_note(call, rule, made->count);
    oc__give(call, index, made);
    return oc__value_undecide(&call->out[index], 0, err);
}

oc_status oc__take_operand(oc__call *call, size_t index, oc__value **out_value,
                           oc_error *err)
{
    oc__value *operand = call->in[index];
    oc_status rc =
        oc__value_reshaped(operand, operand->dims, operand->rank, out_value, err);
    if (rc == OC_OK && operand->references == 1) {
        for (int which = 0; which < PLANE_COUNT; which++) {
            oc__plane **slot = plane_slot(operand, which);
            oc__plane_release(*slot);
            *slot = NULL;
        }
    }
    return rc;
}
