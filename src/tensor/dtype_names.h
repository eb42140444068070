/* Element types by the names that programs give them. */
#ifndef ONCHIP_TENSOR_DTYPE_NAMES_H
#define ONCHIP_TENSOR_DTYPE_NAMES_H

#include "onchip/tensor.h"

/* The inverse of oc_dtype_hlo_name on `size` bytes ("complex<f32>" without spaces);
 * OC_DTYPE_INVALID for any other text. */
oc_dtype oc__dtype_from_hlo(const char *text, size_t size);

#endif
