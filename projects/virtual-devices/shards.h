/* What the learner writes in model.c, and what the checker gives to write it with.
 *
 * Every device here is a virtual one: the CPU client of the runtime splits one host
 * into as many devices as it is asked for. Placement and order are real, the hardware
 * is one CPU.
 *
 * Conventions. The index of a device is its place in
 * oc_device_platform(device)->devices, from 0; it is also what oc_device_put calls
 * `addressable`. A buffer is the number that oc_device_put or oc_device_execute gave;
 * the device owns it, nobody frees it. A function that fails returns a status other
 * than OC_OK with a sentence in *err (see shards_fail), and what oc_* functions answer
 * is passed on. */
#ifndef SHARDS_H
#define SHARDS_H

#include <onchip/device.h>

#include <stdio.h>

enum {
    SHARDS_NO_BUFFER = -1,
    SHARDS_ELEMENTS = 8 /* of every device in the sum of squares */
};

typedef enum shards_layout {
    SHARDS_NEITHER = 0,
    SHARDS_PARTITIONED, /* every device holds its own block of rows */
    SHARDS_REPLICATED   /* every device holds the whole matrix */
} shards_layout;

/* ---- given ---- */

/* Describes a failure and returns `status`; the first failure wins. */
static inline oc_status shards_fail(oc_error *err, oc_status status, const char *text)
{
    if (err != NULL && err->status == OC_OK) {
        err->status = status;
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return status;
}

/* Runs the sum of squares on `count` replicas; replica k runs on the device whose `id`
 * is device_ids[k]. inputs[k] is a buffer of SHARDS_ELEMENTS float32 that lies on that
 * device. Each replica adds up its own squares, then all of them add up their sums (an
 * all-reduce). out_own[k] and out_all[k] are float32 scalars: replica k's own sum and
 * the sum of all. */
oc_status shards_run(oc_device *device, const int64_t *device_ids,
                     const int64_t *inputs, size_t count, int64_t *out_own,
                     int64_t *out_all, oc_error *err);

/* ---- stage 1 ---- */

/* Opens the platform "cpu" with `count` virtual devices, from the file `plugin` or,
 * where that is NULL, from the one that is found. *out_device is closed by the caller
 * with oc_device_close; NULL on failure. */
oc_status shards_open(const char *plugin, int64_t count, oc_device **out_device,
                      oc_error *err);

/* out_names[i] is the `string` of the device of index i, as the client gives it; it
 * belongs to the device. OC_INVALID_ARGUMENT: the client has not `count` devices. */
oc_status shards_names(const oc_device *device, const char **out_names, size_t count,
                       oc_error *err);

/* ---- stage 2 ---- */

/* Cuts a row-major float32 matrix into `count` blocks of rows / count whole rows, in
 * order, and places block i on the device of index i: out_buffers[i], of the shape
 * (rows / count) x columns. OC_INVALID_ARGUMENT: `rows` does not divide by `count`;
 * then nothing is placed and every out_buffers[i] is SHARDS_NO_BUFFER. */
oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err);

/* out_owners[k] is the index of the device that buffers[k] itself reports (`device` of
 * oc_device_get). The buffers may come in any order. OC_INVALID_ARGUMENT: a buffer on
 * no device of the client. */
oc_status shards_owners(oc_device *device, const int64_t *buffers, size_t count,
                        size_t *out_owners, oc_error *err);

/* ---- stage 3 ---- */

/* Places the whole matrix, rows x columns, on each device: out_buffers[i] on the device
 * of index i. */
oc_status shards_replicate(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err);

/* Says from the buffers alone how a matrix of rows x columns, count > 1, is laid out:
 * SHARDS_PARTITIONED or SHARDS_REPLICATED when no two buffers have the same owner and
 * all of them have the shape of a block or of the whole; copies hold the same bytes.
 * Everything else is SHARDS_NEITHER, which is no failure. */
oc_status shards_layout_of(oc_device *device, const int64_t *buffers, size_t count,
                           int64_t rows, int64_t columns, shards_layout *out_layout,
                           oc_error *err);

/* ---- stage 4 ---- */

/* 0*0 + 1*1 + ... + (n-1)*(n-1), exact in int64 wherever the result fits.
 * OC_INVALID_ARGUMENT: n < 0; OC_LIMIT: the result does not fit. */
oc_status shards_closed_form(int64_t n, int64_t *out_sum, oc_error *err);

/* The numbers 0, 1, 2, ... over `count` devices: the device of index i takes the
 * SHARDS_ELEMENTS numbers from i * SHARDS_ELEMENTS on. Runs shards_run on the replicas
 * of `device_ids` (ids, not indexes; in any order) and writes by the index of the
 * device that holds the output: out_own[i] and out_all[i] come from the device of index
 * i. */
oc_status shards_sums(oc_device *device, const int64_t *device_ids, size_t count,
                      double *out_own, double *out_all, oc_error *err);

#endif
