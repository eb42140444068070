/* Elements as so many bits. */
#ifndef ONCHIP_REFERENCE_BITS_H
#define ONCHIP_REFERENCE_BITS_H

#include "onchip/tensor.h"

#include <stdint.h>

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
