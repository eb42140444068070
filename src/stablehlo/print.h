/* A module back to text: MLIR's generic form ("stablehlo.add"(%0, %1) {...} : (...) ->
 * ...), which every MLIR of StableHLO's versions reads. Reading the text again gives an
 * equal module (oc__hlo_equal), and printing that gives the same text. */
#ifndef ONCHIP_STABLEHLO_PRINT_H
#define ONCHIP_STABLEHLO_PRINT_H

#include "base/strbuf.h"
#include "stablehlo/module.h"

/* out->failed is set when the text outgrew its maximum or memory. */
void oc__hlo_print(const oc__hlo_module *module, oc__strbuf *out);

/* "tensor<2x?xf32>"; written from the fields, not from `text`. */
void oc__hlo_print_type(const oc__hlo_type *type, oc__strbuf *out);
void oc__hlo_print_attr(const oc__hlo_attr *attr, oc__strbuf *out);

/* Equal but for names of values, locations and spelling. */
bool oc__hlo_equal(const oc__hlo_module *a, const oc__hlo_module *b);

#endif
