/* splitmix64 (Steele, Lea, Flood 2014): 64 random bits, the same ones everywhere for a
 * seed. */
#ifndef ONCHIP_BASE_RANDOM_H
#define ONCHIP_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t oc__random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

#endif
