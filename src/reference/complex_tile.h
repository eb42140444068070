/* Elementwise operations on complex numbers, a tile at a time. */
#ifndef ONCHIP_REFERENCE_COMPLEX_TILE_H
#define ONCHIP_REFERENCE_COMPLEX_TILE_H

#include "reference/tile.h"

/* The two parts of a tile of complex numbers; both have the element's flags. A result
 * that is real has re alone. */
typedef struct oc__pair {
    oc__tile re, im;
} oc__pair;

/* env: of the component type. Flags of the parts of a result are joined afterwards. */
typedef void (*oc__pair_fn)(const oc__tile_env *env, size_t n, const oc__pair *in,
                            oc__pair *out);

void oc__pair_multiply(const oc__tile_env *, size_t, const oc__pair *, oc__pair *);
void oc__pair_divide(const oc__tile_env *, size_t, const oc__pair *, oc__pair *);
void oc__pair_abs(const oc__tile_env *, size_t, const oc__pair *, oc__pair *);
void oc__pair_sign(const oc__tile_env *, size_t, const oc__pair *, oc__pair *);

#endif
