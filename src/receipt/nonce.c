#include "receipt/nonce.h"

#include "base/hash.h"

#include <string.h>

static const char domain[] = "onchip.nonce/1"; // its NUL separates it from the nonce

static oc_status inputs_of_nonce(const char *nonce,
                                 float out_x[OC__ROWS * OC__FEATURES], oc_error *err)
{
    unsigned char message[sizeof domain + OC__MAX_NONCE_BYTES];
    unsigned char digest[OC__SHA256_BYTES];
    memcpy(message, domain, sizeof domain);
    long length = oc__hex_decode(nonce, message + sizeof domain, OC__MAX_NONCE_BYTES);
    if (length < 1) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "nonce '%.140s' is not hexadecimal of 1 to %d bytes", nonce,
                       OC__MAX_NONCE_BYTES);
    }
    oc__sha256(message, sizeof domain + (size_t)length, digest);
    for (size_t i = 0; i < (size_t)OC__ROWS * OC__FEATURES; i++) {
        int k = digest[i] < 128 ? digest[i] : digest[i] - 256;
        out_x[i] = (float)k / 8.0F;
    }
    return OC_OK;
}

oc_status oc__receipt_inputs(const char *nonce, float out_x[OC__ROWS * OC__FEATURES],
                             float out_w[OC__FEATURES], float out_bias[2],
                             oc_error *err)
{
    for (size_t i = 0; i < (size_t)OC__ROWS * OC__FEATURES; i++) {
        out_x[i] = (float)i / 8.0F;
    }
    memcpy(out_w, (const float[OC__FEATURES]){0.5F, -0.25F, 1.0F},
           sizeof(float) * OC__FEATURES);
    memcpy(out_bias, (const float[2]){0.125F, -0.25F}, sizeof(float) * 2);
    return nonce ? inputs_of_nonce(nonce, out_x, err) : OC_OK;
}
