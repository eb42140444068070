/* Which elements stand for outputs that are too large to judge whole, and what they
 * can miss.
 *
 * Of every dimension of an output `draws` indices are drawn at random (with
 * replacement, from a seed that is drawn after the outputs are in), and the corners and
 * the ends of tiles are added: 0, n - 1, and the indices before and after the last
 * multiples of 8, 128 and 256. A dimension that has no more than `draws` indices, or
 * that the reference would compute whole anyway, is taken whole. The i-th draws of
 * all cut dimensions together are an element at random, free of the others, so that a
 * fault that touches a fraction f of the elements is missed with a probability of at
 * most (1 - f)^draws, however it lies. The other combinations come on top.
 */
#ifndef ONCHIP_NUMERIC_SAMPLE_H
#define ONCHIP_NUMERIC_SAMPLE_H

#include "reference/cut.h"

typedef struct oc__sample {
    oc__cut cut;
    oc_tensor *outputs;  /* what came back from the device, at the grids */
    oc__cut_root *roots; /* [output_count] */
    size_t output_count;
    int64_t draws;        /* INT64_MAX: nothing was left out */
    uint64_t judged, all; /* elements of all outputs */
} oc__sample;

/* `draws` 0: as many as fit into `seconds` (a power of two from 16 to 65536; 16 when
 * fewer would be needed). Deterministic: the same seed and draws give the same sample.
 */
OC_MUST_USE oc_status oc__sample_make(const oc__hlo_module *module,
                                      const oc_tensor *inputs, size_t input_count,
                                      const oc_tensor *outputs, size_t output_count,
                                      uint64_t seed, int64_t draws, double seconds,
                                      oc__sample *out_sample, oc_error *err);
void oc__sample_free(oc__sample *sample);

/* The bound of the probability that a fault in a fraction f of the elements is missed.
 */
double oc__sample_miss(const oc__sample *sample, double f);

#endif
