/* The parts of oc__combine_updates. */
#ifndef ONCHIP_REFERENCE_MOVEMENT_COMBINE_H
#define ONCHIP_REFERENCE_MOVEMENT_COMBINE_H

#include "reference/fold.h"
#include "reference/movement.h"

/* The updates that meet one element. */
typedef struct oc__update_run {
    size_t begin, count; /* in `list` */
    int64_t target;
} oc__update_run;

typedef struct oc__combine {
    oc__call *call;
    const oc__hlo_region *region;
    oc__value **targets;
    oc__value *const *updates;
    size_t count;    /* of targets */
    oc__keyed *list; /* key: the target's element; item: the update's */
    size_t list_count;
    oc__update_run *runs;
    size_t run_count, longest;
} oc__combine;

/* *target with element index[i] taken from element i of `update`. */
OC_MUST_USE oc_status oc__combine_replace(oc__value **target, const oc__value *update,
                                          const int64_t *index, oc_error *err);

/* Folds the runs of two updates and more into target 0 (movement_fold.c). */
OC_MUST_USE oc_status oc__combine_fold(oc__combine *c, const oc__fold *fold,
                                       oc_error *err);

#endif
