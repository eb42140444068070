/* Kernels that kernels_real.c names and other files hold, and what they share. */
#ifndef ONCHIP_REFERENCE_REAL_H
#define ONCHIP_REFERENCE_REAL_H

#include "reference/tile.h"

/* Every one runs the call's operation for operands of its types; OC_PARSE where the
 * operation is not for them. */
OC_MUST_USE oc_status oc__integers_run(oc__call *call, oc_error *err); /* and i1 */
OC_MUST_USE oc_status oc__complexes_run(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__compare_run(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__is_finite_run(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__select_run(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__convert_run(oc__call *call, oc_error *err);
OC_MUST_USE oc_status oc__real_run(oc__call *call, oc_error *err); /* and imag */
OC_MUST_USE oc_status oc__complex_make_run(oc__call *call, oc_error *err);

/* --- comparisons --- */

/* How a may stand to b: one bit where it is sure. */
enum {
    OC__LESS = 1,
    OC__EQUAL = 2,
    OC__GREATER = 4,
    OC__UNORDERED = 8,
    OC__ANY_ORDER = 15
};
/* same: a and b are one value of the program. total: IEEE 754's totalOrder. */
unsigned oc__order(oc__ball a, oc__ball b, bool same, bool total);

/* comparison_direction as the orders for which it is true; OC_PARSE. */
OC_MUST_USE oc_status oc__direction(oc__call *call, unsigned *out_orders,
                                    oc_error *err);

/* --- parts of complex values --- */

/* The real (0) or imaginary (1) parts as a value of reals. */
OC_MUST_USE oc_status oc__complex_part(const oc__value *value, size_t part,
                                       oc__value **out_value, oc_error *err);
/* Real and imaginary parts (of the same count, or single elements) as a complex value;
 * imag NULL: zeros. */
OC_MUST_USE oc_status oc__complex_join(const oc__value *real, const oc__value *imag,
                                       oc__value **out_value, oc_error *err);
/* f32 for complex<f32>; the type itself for types that are not complex. */
oc_dtype oc__component(oc_dtype dtype);

/* An operand that must be a tensor, not quantized. */
OC_MUST_USE oc_status oc__operands_check(oc__call *call, size_t arity, oc_error *err);

#endif
