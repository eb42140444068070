/* hint: the rows were dealt out in turn */
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
    int64_t block = rows / (int64_t)count;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        float block_of[64];
        for (int64_t j = 0; j < block * columns && j < 64; j++) {
            block_of[j] = matrix[((int64_t)i + j / columns * (int64_t)count) * columns +
                                 j % columns];
        }
        rc = put_rows(device, block_of, block, columns, i, &out_buffers[i], err);
    }
    return rc;
}
