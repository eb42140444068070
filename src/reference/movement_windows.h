/* Where the windows of gather and scatter lie: the part of the two operations that is
 * one and the same. Names are gather's; scatter's updates stand for gather's result. */
#ifndef ONCHIP_REFERENCE_MOVEMENT_WINDOWS_H
#define ONCHIP_REFERENCE_MOVEMENT_WINDOWS_H

#include "reference/movement.h"

typedef struct oc__dim_list {
    const int64_t *dims;
    size_t count;
    uint32_t mask; /* their bits */
} oc__dim_list;

typedef struct oc__windows {
    const oc__value *operand; /* borrowed */
    const oc__value *indices; /* borrowed */
    oc__dim_list offset, collapsed, batching, index_batching, index_map;
    size_t vector_dim;
    bool clamps; /* gather: starts are moved inside; scatter: updates outside drop */
    int64_t sizes[OC_MAX_RANK]; /* of a window, per dimension of the operand */
    size_t rank;                /* of the result (the updates) and its dimensions */
    int64_t dims[OC_MAX_RANK];
} oc__windows;

/* Bits of the operand's dimensions that windows have and the result does not. */
static inline uint32_t oc__hidden_dims(const oc__windows *w)
{
    return w->collapsed.mask | w->batching.mask;
}

/* Dimensions of the indices that number windows: all but the vectors' own. */
static inline size_t oc__batch_rank(const oc__windows *w)
{
    return w->indices->rank - (w->vector_dim < w->indices->rank);
}

/* The dimension of the indices behind batch dimension b. */
static inline size_t oc__index_dim(const oc__windows *w, size_t b)
{
    return b < w->vector_dim ? b : b + 1;
}

/* Reads and checks the dimension numbers (attribute `name`, entries named as gather's,
 * or as scatter's). operand, indices and clamps are set before. */
OC_MUST_USE oc_status oc__windows_read(oc__call *call, const char *name, oc__windows *w,
                                       oc_error *err);

/* gather: sizes are set; works out rank and dims. */
OC_MUST_USE oc_status oc__windows_result(oc__call *call, oc__windows *w, oc_error *err);

/* scatter: rank and dims (the updates') are set; works out and checks sizes. */
OC_MUST_USE oc_status oc__windows_sizes(oc__call *call, oc__windows *w, oc_error *err);

typedef struct oc__window_index {
    int64_t *index;     /* malloc'd: per element of the result its operand element; -1
                           outside, or where an index vector is undecided */
    uint64_t undecided; /* elements whose index vector is */
    uint8_t *sticky;    /* malloc'd, NULL when there are none: per element */
    bool unsorted;      /* start vectors do not ascend */
} oc__window_index;

OC_MUST_USE oc_status oc__windows_index(oc__call *call, const oc__windows *w,
                                        oc__window_index *out, oc_error *err);
void oc__window_index_free(oc__window_index *index);

#endif
