/* hint: blocks of unequal size */
#define shards_partition right_partition
#include "solution/model.c"
#undef shards_partition

oc_status shards_partition(oc_device *device, const float *matrix, int64_t rows,
                           int64_t columns, int64_t *out_buffers, size_t count,
                           oc_error *err)
{
    int64_t first = 0;
    int64_t block = rows / (int64_t)count;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        int64_t own = block + ((int64_t)i < rows % (int64_t)count ? 1 : 0);
        rc = put_rows(device, matrix + first * columns, own, columns, i,
                      &out_buffers[i], err);
        first += own;
    }
    return rc;
}
