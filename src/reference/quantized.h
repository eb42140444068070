/* Operations on quantized tensors, by the specification's one rule ("Quantization
 * computations"): dequantize the operands, run the operation on the expressed type,
 * quantize the results. What is quantized again is left to the implementation by the
 * specification ("Execution semantics of quantized operation") and OC__F_OPEN; a result
 * that is not (a hybrid dot, a comparison) is bound to the rule.
 *
 * Not wrapped are operations that move storage integers unchanged (contract "M"), those
 * that take quantized tensors for what they are (uniform_quantize, uniform_dequantize,
 * bitcast_convert, constants), those that run code (contract "-"), and those with
 * regions, whose bodies are made of operations that are wrapped themselves. */
#ifndef ONCHIP_REFERENCE_QUANTIZED_H
#define ONCHIP_REFERENCE_QUANTIZED_H

#include "reference/kernel.h"

/* Whether an operation goes through oc__quantized_run instead of kernel->run: asked
 * once, of the declared types. */
bool oc__quantized_applies(const oc__hlo_func *func, const oc__hlo_op *op,
                           const oc__kernel *kernel);

/* Runs a kernel for floats on quantized operands and results. */
OC_MUST_USE oc_status oc__quantized_run(oc__call *call, const oc__kernel *float_kernel,
                                        oc_error *err);

/* A quantized value as numbers of its expressed type (`contractible` as in
 * oc__call_contractible: the multiplication by the scale may feed a fused add). */
OC_MUST_USE oc_status oc__dequantize(oc__call *call, const oc__value *value,
                                     bool contractible, oc__value **out_value,
                                     oc_error *err);

/* Numbers as the quantized type `quant`. open: flags the results OC__F_OPEN and takes m
 * as it is; else an element whose ball reaches two codes is OC__F_UNDECIDED. */
OC_MUST_USE oc_status oc__quantize(oc__call *call, const oc__value *value,
                                   const oc__hlo_quant *quant, bool open,
                                   oc__value **out_value, oc_error *err);

#endif
