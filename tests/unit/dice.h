/* Random choices of tests: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), so that a seed
 * is one test for good; or the bytes of a fuzzer's input, and splitmix64 after them. */
#ifndef ONCHIP_TESTS_DICE_H
#define ONCHIP_TESTS_DICE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
    const uint8_t *bytes; /* NULL: none */
    size_t size, at;
} dice;

static inline uint64_t dice_mixed(dice *from)
{
    uint64_t z = from->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* 64 bits; of a fuzzer's input one byte, mixed. */
static inline uint64_t dice_bits(dice *from)
{
    if (from->at < from->size) {
        dice one = {.state = from->bytes[from->at++]};
        return dice_mixed(&one);
    }
    return dice_mixed(from);
}

static inline size_t dice_below(dice *from, size_t count)
{
    if (from->at < from->size) {
        return from->bytes[from->at++] % count;
    }
    return (size_t)(dice_mixed(from) % count);
}

static inline bool dice_one_in(dice *from, size_t count)
{
    return dice_below(from, count) == 0;
}

/* [0, 1) */
static inline double dice_unit(dice *from)
{
    return (double)(dice_bits(from) >> 11) * 0x1p-53;
}

/* N(0, 1) (Box and Muller 1958). */
static inline double dice_normal(dice *from)
{
    double radius = sqrt(-2 * log(1 - dice_unit(from)));
    return radius * cos(6.283185307179586 * dice_unit(from));
}

#endif
