/* Element types by the names that programs give them, and their widths as programs
 * count them. */
#ifndef ONCHIP_TENSOR_DTYPE_NAMES_H
#define ONCHIP_TENSOR_DTYPE_NAMES_H

#include "onchip/tensor.h"

/* The inverse of oc_dtype_hlo_name on `size` bytes ("complex<f32>" without spaces);
 * OC_DTYPE_INVALID for any other text. */
oc_dtype oc__dtype_from_hlo(const char *text, size_t size);

/* Bits of an element as the specification counts them (num_bits): 1 for i1, 4 for i4,
 * 128 for complex<f64>; 0 for a type without elements. */
unsigned oc__dtype_width(oc_dtype dtype);

#endif
