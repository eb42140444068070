/* The inputs of kind `check`, from the lesson or from a verifier's nonce.
 *
 * Without a nonce: X = arange(24).reshape(8, 3) / 8.
 * With one: X[i] = k/8 with k the i-th byte, as a signed 8-bit number, of
 *     SHA-256("onchip.nonce/1" 0x00 nonce-bytes),  i = 0..23.
 * Every |k| <= 128, so each X[i] is exact in float32 and in bfloat16 (8 significand
 * bits), each product with w = [0.5, -0.25, 1] and each sum is a multiple of 1/32 below
 * 64 and exact in float32. */
#ifndef ONCHIP_RECEIPT_NONCE_H
#define ONCHIP_RECEIPT_NONCE_H

#include "receipt/receipt.h"

/* `nonce` is hexadecimal of 1 to OC__MAX_NONCE_BYTES bytes, or NULL.
 * OC_INVALID_ARGUMENT (boundary usage) otherwise. Fills X, w and both biases. */
OC_MUST_USE oc_status oc__receipt_inputs(const char *nonce,
                                         float out_x[OC__ROWS * OC__FEATURES],
                                         float out_w[OC__FEATURES], float out_bias[2],
                                         oc_error *err);

#endif
