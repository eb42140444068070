/* hint: out_all is the device's own sum */
#define shards_sums right_sums
#include "solution/model.c"
#undef shards_sums

oc_status shards_sums(oc_device *device, const int64_t *device_ids, size_t count,
                      double *out_own, double *out_all, oc_error *err)
{
    int64_t inputs[8] = {0};
    int64_t own[8];
    int64_t all[8];
    oc_status rc = OC_OK;
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        rc = put_numbers(device, device_ids[k], &inputs[k], err);
    }
    if (rc == OC_OK) {
        rc = shards_run(device, device_ids, inputs, count, own, all, err);
    }
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        rc = read_scalar(device, own[k], count, out_own, err);
        if (rc == OC_OK) {
            rc = read_scalar(device, own[k], count, out_all, err);
        }
    }
    return rc;
}
