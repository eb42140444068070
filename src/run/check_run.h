/* One run of `check` between its parts: check_execute.c fills the receipt from the
 * device, check_collective.c adds the all-reduce, check_judge.c both verdicts, check.c
 * is the frame. */
#ifndef ONCHIP_RUN_CHECK_RUN_H
#define ONCHIP_RUN_CHECK_RUN_H

#include "device/device.h"
#include "onchip/check.h"
#include "proc/proc.h"
#include "receipt/receipt.h"

typedef struct oc__check_run {
    const oc_check_options *options;
    oc__receipt *receipt;
    oc_device *device;
    const oc_device_info *target; /* the first addressable device */
    float reference[OC__ROWS];    /* of the prediction, filled by the judge */
} oc__check_run;

/* Compiles, transfers, executes and reads back; what was reached before a failure stays
 * in the receipt. */
OC_MUST_USE oc_status oc__check_execute(oc__check_run *run, oc_error *err);

/* --devices N: shards and all-reduce. shard_count is set when all of it was reached. */
OC_MUST_USE oc_status oc__check_collective(oc__check_run *run, oc_error *err);

/* Places float32 values on an addressable device, counted from 0. */
OC_MUST_USE oc_status oc__check_put(oc__check_run *run, const float *values,
                                    const int64_t *dims, size_t rank,
                                    size_t addressable, int64_t *out_buffer,
                                    oc_error *err);

/* Both verdicts, the controls and the claims, from what the receipt holds. */
void oc__check_judge(oc__check_run *run);

/* The first `count` addressable devices' ids. False when there are fewer. */
bool oc__check_device_ids(const oc_platform_info *info, size_t count, int64_t *out_ids);

#endif
