/* The parts of sort and top_k. Lines are the slices along the sorted dimension; `place`
 * counts line after line, line * n + position. */
#ifndef ONCHIP_REFERENCE_MOVEMENT_SORT_H
#define ONCHIP_REFERENCE_MOVEMENT_SORT_H

#include "reference/movement.h"

/* How a place follows the one before it in its line. */
enum {
    OC__SORT_AFTER = 0,   /* surely */
    OC__SORT_TIED = 1,    /* the two compare as equal: an unstable sort may swap them */
    OC__SORT_OVERLAPS = 2 /* balls overlap: their group may come in any order */
};

/* What is so for a whole line. */
enum {
    OC__SORT_NAN = 1,      /* the comparator meets NaN, and does not order it */
    OC__SORT_DISORDER = 2, /* it is no strict weak order, or depends on an open value */
    OC__SORT_UNDECIDED = 4
};

typedef struct oc__sorting {
    oc__call *call;
    oc__value *const *in; /* borrowed */
    size_t count;         /* of operands */
    bool stable;
    size_t n, lines, inner; /* length of a line, how many, step between its elements */
    int64_t *order;         /* [place]: the element of the operands */
    uint8_t *links;         /* [place] */
    uint8_t *line_flags;    /* [line] */
    /* Keys, when the comparator is `<` of one number of each side; else NULL. The
     * number of element e lies in low[e] .. high[e]; keys ascend in the wanted order.
     */
    int64_t *keys, *low, *high;
    bool descending;
    bool *is_key; /* [operand]: its elements are the numbers themselves */
} oc__sorting;

static inline size_t oc__sort_element(const oc__sorting *s, size_t line,
                                      size_t position)
{
    return (line / s->inner * s->n + position) * s->inner + line % s->inner;
}

/* movement_sort_keys.c: fills keys, low, high, is_key and line_flags from a value with
 * a number for every element. `total`: NaN and the zeros are ordered as IEEE's
 * totalOrder has them. */
OC_MUST_USE oc_status oc__sort_take_keys(oc__sorting *s, const oc__value *numbers,
                                         bool descending, bool total, oc_error *err);
/* The same for a comparator that compares one number of each side; *out_found false
 * when it is another. */
OC_MUST_USE oc_status oc__sort_find_keys(oc__sorting *s, const oc__hlo_region *region,
                                         bool *out_found, oc_error *err);
double oc__sort_number(const oc__sorting *s, int64_t key); /* of floats */

/* order and links: by keys, and by asking the comparator (movement_sort_merge.c). */
OC_MUST_USE oc_status oc__sort_by_keys(oc__sorting *s, oc_error *err);
OC_MUST_USE oc_status oc__sort_by_asking(oc__sorting *s, const oc__hlo_region *region,
                                         oc_error *err);

/* movement_sort_results.c: the call's results, widened and flagged as links and
 * line_flags say. */
OC_MUST_USE oc_status oc__sort_give(oc__sorting *s, oc_error *err);

#endif
