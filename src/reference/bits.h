/* Elements as so many bits. */
#ifndef ONCHIP_REFERENCE_BITS_H
#define ONCHIP_REFERENCE_BITS_H

#include "onchip/tensor.h"

#include <stdint.h>

/* The width of an element as the specification counts it (num_bits): 1 for i1, 4 for
 * i4, 128 for complex<f64>; 0 for a type without elements. */
unsigned oc__bits_width(oc_dtype dtype);

static inline uint64_t oc__bits_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* The number that `bits` low bits stand for in two's complement. */
static inline int64_t oc__bits_signed(uint64_t x, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((x ^ sign) - sign);
}

#endif
