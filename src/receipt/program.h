/* The StableHLO program of kind `check`: predict(x, w) = x @ w + bias for x of 8x3 and
 * w of 3 float32 elements, with the bias as a constant. The runner compiles this text
 * and the verifier demands it, so that a receipt cannot tell of another program. */
#ifndef ONCHIP_RECEIPT_PROGRAM_H
#define ONCHIP_RECEIPT_PROGRAM_H

#include <stddef.h>

enum { OC__PROGRAM_TEXT = 1024 }; /* a buffer of this size holds it for any bias */

/* Writes the NUL-terminated text for a finite bias that six digits after the point of
 * its scientific form give exactly, as 0.125 and -0.25. */
void oc__receipt_program(char *out, size_t size, float bias);

#endif
