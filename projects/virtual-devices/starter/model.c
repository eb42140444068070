/* Yours to write. shards.h says what each function does; `tests/check --stage N` says
 * whether it does. Each one fails on purpose until it is written. Helpers go into the
 * stage that first needs them. */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

/* ---- stage 1 ---- */

oc_status shards_open(const char *plugin, int64_t count, oc_device **out_device,
                      oc_error *err)
{
    (void)plugin;
    (void)count;
    (void)out_device;
    return shards_fail(
        err, OC_NOT_FOUND,
        "not written yet: shards_open: open the platform \"cpu\" with oc_device_open; "
        "`cpu_devices` asks for the number of virtual devices");
}

oc_status shards_names(const oc_device *device, const char **out_names, size_t count,
                       oc_error *err)
{
    (void)device;
    (void)out_names;
    (void)count;
    return shards_fail(err, OC_NOT_FOUND,
                       "not written yet: shards_names: write the `string` of each "
                       "device of oc_device_platform");
}

/* ---- stage 2 ---- */

oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    (void)device;
    (void)matrix;
    (void)rows;
    (void)columns;
    (void)out_buffers;
    (void)count;
    return shards_fail(err, OC_NOT_FOUND,
                       "not written yet: shards_partition: refuse rows that do not "
                       "divide, then place block i on device i with oc_device_put");
}

oc_status shards_owners(oc_device *device, const int64_t *buffers, size_t count,
                        size_t *out_owners, oc_error *err)
{
    (void)device;
    (void)buffers;
    (void)count;
    (void)out_owners;
    return shards_fail(err, OC_NOT_FOUND,
                       "not written yet: shards_owners: read each buffer with "
                       "oc_device_get and find its device among those of the client");
}

/* ---- stage 3 ---- */

oc_status shards_replicate(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    (void)device;
    (void)matrix;
    (void)rows;
    (void)columns;
    (void)out_buffers;
    (void)count;
    return shards_fail(
        err, OC_NOT_FOUND,
        "not written yet: shards_replicate: place the whole matrix on each device");
}

oc_status shards_layout_of(oc_device *device, const int64_t *buffers, size_t count,
                           int64_t rows, int64_t columns, shards_layout *out_layout,
                           oc_error *err)
{
    (void)device;
    (void)buffers;
    (void)count;
    (void)rows;
    (void)columns;
    (void)out_layout;
    return shards_fail(err, OC_NOT_FOUND,
                       "not written yet: shards_layout_of: compare shapes, owners and "
                       "bytes of the buffers");
}

/* ---- stage 4 ---- */

oc_status shards_closed_form(int64_t n, int64_t *out_sum, oc_error *err)
{
    (void)n;
    (void)out_sum;
    return shards_fail(err, OC_NOT_FOUND,
                       "not written yet: shards_closed_form: compute n(n-1)(2n-1)/6 "
                       "without overflow on the way");
}

oc_status shards_sums(oc_device *device, const int64_t *device_ids, size_t count,
                      double *out_own, double *out_all, oc_error *err)
{
    (void)device;
    (void)device_ids;
    (void)count;
    (void)out_own;
    (void)out_all;
    return shards_fail(
        err, OC_NOT_FOUND,
        "not written yet: shards_sums: place each device's numbers, call shards_run, "
        "and write each output by the device that it lies on");
}
