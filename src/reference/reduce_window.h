/* The two ways of reduce_window: plain operations by folds of statistics, any other
 * body by its region. */
#ifndef ONCHIP_REFERENCE_REDUCE_WINDOW_H
#define ONCHIP_REFERENCE_REDUCE_WINDOW_H

#include "reference/contract.h"
#include "reference/fold.h"

typedef struct oc__windows {
    size_t rank;
    oc__window_dim dims[OC_MAX_RANK + 1];
    int64_t output[OC_MAX_RANK];
    size_t taps; /* elements of a window */
} oc__windows;

/* *out_value has all its planes, zeros or not. */
OC_MUST_USE oc_status oc__window_fold(oc__call *call, const oc__fold *fold,
                                      const oc__value *in, const oc__value *init,
                                      const oc__windows *w, oc__value **out_value,
                                      oc_error *err);

#endif
