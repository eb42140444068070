#include "reference/lanes.h"

/* element: the type as it lies in memory; bits: what of it counts. */
#define FOR_EACH_INTEGER(X)                                                            \
    X(OC_PRED, uint8_t, 1)                                                             \
    X(OC_S2, int8_t, 2)                                                                \
    X(OC_S4, int8_t, 4)                                                                \
    X(OC_S8, int8_t, 8)                                                                \
    X(OC_S16, int16_t, 16)                                                             \
    X(OC_S32, int32_t, 32)                                                             \
    X(OC_S64, int64_t, 64)                                                             \
    X(OC_U2, uint8_t, 2)                                                               \
    X(OC_U4, uint8_t, 4)                                                               \
    X(OC_U8, uint8_t, 8)                                                               \
    X(OC_U16, uint16_t, 16)                                                            \
    X(OC_U32, uint32_t, 32)                                                            \
    X(OC_U64, uint64_t, 64)

void oc__lanes_load(oc_dtype dtype, const void *elements, size_t start, size_t n,
                    oc__lane *out)
{
    switch ((int)dtype) {
#define LOAD(name, element, bits)                                                      \
    case name: {                                                                       \
        const element *from = (const element *)elements + start;                       \
        for (size_t i = 0; i < n; i++) {                                               \
            out[i].u = (uint64_t)from[i];                                              \
        }                                                                              \
        return;                                                                        \
    }
        FOR_EACH_INTEGER(LOAD)
    default: OC_ASSERT(false); // no type of integers
    }
}

void oc__lanes_of(const oc__value *value, size_t start, size_t n, oc__lane *out)
{
    if (value->count != 1) {
        oc__lanes_load(value->dtype, value->m->bytes, start, n, out);
        return;
    }
    oc__lanes_load(value->dtype, value->m->bytes, 0, 1, out);
    for (size_t i = 1; i < n; i++) {
        out[i] = out[0];
    }
}

/* Cuts a lane to its low bits and extends it again, so that the bytes of i4 and i2 are
 * what oc_tensor wants. */
static uint64_t cut(uint64_t value, int bits, bool is_signed)
{
    int unused = 64 - bits;
    uint64_t high = value << unused;
    return is_signed ? (uint64_t)((int64_t)high >> unused) : high >> unused;
}

void oc__lanes_store(oc_dtype dtype, const oc__lane *lanes, size_t n, void *elements,
                     size_t start)
{
    if (dtype == OC_PRED) {
        uint8_t *to = (uint8_t *)elements + start;
        for (size_t i = 0; i < n; i++) {
            to[i] = lanes[i].u != 0;
        }
        return;
    }
    switch ((int)dtype) {
#define STORE(name, element, bits)                                                     \
    case name: {                                                                       \
        for (size_t i = 0; i < n; i++) {                                               \
            ((element *)elements)[start + i] =                                         \
                (element)cut(lanes[i].u, bits, (element)-1 < (element)1);              \
        }                                                                              \
        return;                                                                        \
    }
        FOR_EACH_INTEGER(STORE)
    default: OC_ASSERT(false); // no type of integers
    }
}
