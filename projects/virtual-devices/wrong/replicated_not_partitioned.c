/* hint: that is replication */
#define shards_partition right_partition
#include "solution/model.c"
#undef shards_partition

oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        out_buffers[i] = SHARDS_NO_BUFFER;
    }
    if (rows % (int64_t)count != 0) {
        return shards_fail(err, OC_INVALID_ARGUMENT, "the rows do not divide");
    }
    return shards_replicate(device, matrix, rows, columns, out_buffers, count, err);
}
