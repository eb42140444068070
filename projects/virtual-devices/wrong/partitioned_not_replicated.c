/* hint: the rows were partitioned */
#define shards_replicate right_replicate
#include "solution/model.c"
#undef shards_replicate

oc_status shards_replicate(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    return shards_partition(device, matrix, rows, columns, out_buffers, count, err);
}
