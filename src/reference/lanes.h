/* Integers as 64-bit lanes: wrapped arithmetic of every width is that of 2^64 cut off.
 */
#ifndef ONCHIP_REFERENCE_LANES_H
#define ONCHIP_REFERENCE_LANES_H

#include "reference/value.h"

typedef union oc__lane {
    double d;
    uint64_t u;
} oc__lane;

/* Elements start .. start + n of an array of integers or i1, sign- or zero-extended. */
void oc__lanes_load(oc_dtype dtype, const void *elements, size_t start, size_t n,
                    oc__lane *out);
/* The same of an operand; where it has one element, that one n times. */
void oc__lanes_of(const oc__value *value, size_t start, size_t n, oc__lane *out);
/* The low bits of the lanes as elements; i1 is whether a lane is not 0. */
void oc__lanes_store(oc_dtype dtype, const oc__lane *lanes, size_t n, void *elements,
                     size_t start);

#endif
