#include "fit/fit.h"

#include <string.h>

enum { KEY = 0, STEP = 2, PARAMETERS = 3, VELOCITY = 5, LOSS = 7 };

oc_status oc__fit_data(oc_tensor *out_x, oc_tensor *out_y, oc_error *err)
{
    const int64_t dims[1] = {OC__FIT_POINTS};
    oc_tensor x = {0}, y = {0};
    oc_status rc = oc_tensor_make(OC_F32, dims, 1, &x, err);
    if (rc == OC_OK) {
        rc = oc_tensor_make(OC_F32, dims, 1, &y, err);
    }
    if (rc != OC_OK) {
        oc_tensor_free(&x);
        return rc;
    }
    for (int i = 0; i < OC__FIT_POINTS; i++) {
        // One rounding in double, (2 i - 63) / 63: 63 is odd and small, so that no such
        // quotient lies near enough to the middle of two floats to be rounded twice.
        float at = (float)((double)(2 * i - (OC__FIT_POINTS - 1)) /
                           (double)(OC__FIT_POINTS - 1));
        ((float *)x.data)[i] = at;
        ((float *)y.data)[i] = 2.0F * at + 1.0F; // 2 at is exact: fused or not
    }
    *out_x = x;
    *out_y = y;
    return OC_OK;
}

oc_status oc__fit_data_hash(char out_hex[OC__SHA256_HEX], oc_error *err)
{
    oc_tensor x = {0}, y = {0};
    float both[2 * OC__FIT_POINTS];
    oc_status rc = oc__fit_data(&x, &y, err);
    if (rc == OC_OK) {
        memcpy(both, x.data, x.size_bytes);
        memcpy(both + OC__FIT_POINTS, y.data, y.size_bytes);
        oc__sha256_hex(both, sizeof both, out_hex);
    }
    oc_tensor_free(&x);
    oc_tensor_free(&y);
    return rc;
}

oc__fit_record oc__fit_start(uint32_t seed)
{
    return (oc__fit_record){.words = {0, seed}};
}

oc__fit_record oc__fit_read(const void *bytes)
{
    const unsigned char *at = bytes;
    oc__fit_record record;
    for (size_t i = 0; i < OC__FIT_WORDS; i++, at += sizeof *record.words) {
        record.words[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 |
                          (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    return record;
}

void oc__fit_state_hash(const oc__fit_record *record, char out_hex[OC__SHA256_HEX])
{
    oc__sha256_hex(record->words, OC__FIT_STATE_WORDS * sizeof *record->words, out_hex);
}

float oc__fit_loss(const oc__fit_record *record)
{
    float loss;
    memcpy(&loss, &record->words[LOSS], sizeof loss);
    return loss;
}

oc_status oc__fit_tensors(const oc__fit_record *record,
                          oc_tensor out_tensors[OC__FIT_STATE_TENSORS], oc_error *err)
{
    static const struct {
        oc_dtype dtype;
        size_t rank, word;
    } parts[OC__FIT_STATE_TENSORS] = {{OC_U32, 1, KEY},
                                      {OC_U32, 0, STEP},
                                      {OC_F32, 1, PARAMETERS},
                                      {OC_F32, 1, VELOCITY}};
    const int64_t two[1] = {2};
    oc_status rc = OC_OK;
    memset(out_tensors, 0, OC__FIT_STATE_TENSORS * sizeof *out_tensors);
    for (size_t i = 0; i < OC__FIT_STATE_TENSORS && rc == OC_OK; i++) {
        rc = oc_tensor_make(parts[i].dtype, two, parts[i].rank, &out_tensors[i], err);
        if (rc == OC_OK) {
            memcpy(out_tensors[i].data, &record->words[parts[i].word],
                   out_tensors[i].size_bytes);
        }
    }
    for (size_t i = 0; i < OC__FIT_STATE_TENSORS && rc != OC_OK; i++) {
        oc_tensor_free(&out_tensors[i]);
    }
    return rc;
}
