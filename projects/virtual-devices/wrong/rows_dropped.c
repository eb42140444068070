/* hint: the last rows were dropped */
#define shards_partition right_partition
#include "solution/model.c"
#undef shards_partition

oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    int64_t block = rows / (int64_t)count;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        const float *first = matrix + (int64_t)i * block * columns;
        rc = put_rows(device, first, block, columns, i, &out_buffers[i], err);
    }
    return rc;
}
