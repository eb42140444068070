/* Documented accuracy of transcendental functions: the largest error, in ulp of the
 * result type, that a platform's documents or a sweep of the pinned plugin state.
 * Sources: JAX docs/accuracy.md as of 2026-09-18 (f32, f64, bf16, f16; columns CPU,
 * GPU, TPU: the largest of its generations), and where the CPU plugin of this project
 * measured more (sine, cosine, tan, cbrt), that figure. chlo functions: the CPU plugin
 * measured. */
#ifndef ONCHIP_REFERENCE_FIGURES_H
#define ONCHIP_REFERENCE_FIGURES_H

#include "onchip/tensor.h"

/* k in ulp; negative when nothing is documented for this platform, operation and type.
 * `platform` NULL is "cpu"; complex types have figures of their own (in u |w|). */
double oc__figure_ulps(const char *platform, const char *op_name, oc_dtype dtype);

#endif
