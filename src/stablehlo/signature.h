/* What @main takes and gives, and whether arrays fit it.
 *
 * Plugins compare sizes only and reinterpret a wrong type in silence; so element type,
 * rank, every static dimension and the count are checked here, before anything reaches
 * one. */
#ifndef ONCHIP_STABLEHLO_SIGNATURE_H
#define ONCHIP_STABLEHLO_SIGNATURE_H

#include "base/strbuf.h"
#include "stablehlo/module.h"

/* Checks the inputs of `processes` processes (process 0's arguments first). OC_INVALID_
 * ARGUMENT at boundary input names the argument ("argument 1 (%x)"), what it is and
 * what it must be; too few: which are missing; a bound of #stablehlo.bounds exceeded.
 */
OC_MUST_USE oc_status oc__signature_check(const oc__hlo_module *module,
                                          const oc__hlo_func *func,
                                          const oc_tensor *inputs, size_t input_count,
                                          size_t processes, oc_error *err);

/* "(%a: tensor<3xf32>, ...) -> (tensor<f32>)" */
void oc__signature_text(const oc__hlo_func *func, oc__strbuf *out);

#endif
