/* Element types and dense arrays on the host.
 *
 * A tensor owns its data (aligned to 64 bytes, row major, little endian, elements of 8
 * bits and more one after the other); oc_tensor_free releases it and takes one that was
 * never made. The element types are StableHLO's; each has the number that
 * PJRT_Buffer_Type gives it, where it gives one. */
#ifndef ONCHIP_TENSOR_H
#define ONCHIP_TENSOR_H

#include "onchip/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum oc_dtype {
    OC_DTYPE_INVALID = 0,
    OC_PRED = 1,
    OC_S8 = 2,
    OC_S16 = 3,
    OC_S32 = 4,
    OC_S64 = 5,
    OC_U8 = 6,
    OC_U16 = 7,
    OC_U32 = 8,
    OC_U64 = 9,
    OC_F16 = 10,
    OC_F32 = 11,
    OC_F64 = 12,
    OC_BF16 = 13,
    OC_C64 = 14,
    OC_C128 = 15,
    OC_F8E5M2 = 16,
    OC_F8E4M3FN = 17,
    OC_F8E4M3B11FNUZ = 18,
    OC_F8E5M2FNUZ = 19,
    OC_F8E4M3FNUZ = 20,
    OC_S4 = 21,
    OC_U4 = 22,
    OC_TOKEN = 23,
    OC_S2 = 24,
    OC_U2 = 25,
    OC_F8E4M3 = 26,
    OC_F8E3M4 = 27,
    OC_F8E8M0FNU = 28,
    OC_F4E2M1FN = 29,
    /* StableHLO's, without a number of PJRT's. */
    OC_F6E2M3FN = 100,
    OC_F6E3M2FN = 101
} oc_dtype;

enum { OC_MAX_RANK = 16 };

typedef struct oc_tensor {
    oc_dtype dtype;
    size_t rank;
    int64_t dims[OC_MAX_RANK];
    size_t size_bytes;
    void *data;
} oc_tensor;

/* NumPy's name ("float32", "bfloat16", "bool"); "invalid" for a number that is no type.
 */
OC_API const char *oc_dtype_name(oc_dtype dtype);
/* StableHLO's name ("f32", "i1", "ui8", "complex<f32>"); else "invalid". */
OC_API const char *oc_dtype_hlo_name(oc_dtype dtype);
/* Bits of one element in a host array; 0 when the type has none or is not known. Types
 * of less than 8 bits take a byte each, as PJRT's host buffers do. */
OC_API size_t oc_dtype_host_bits(oc_dtype dtype);

/* Allocates zeroed data. OC_INVALID_ARGUMENT: a negative dimension or a type without
 * elements; OC_LIMIT: more than OC_MAX_RANK dimensions, or a size that does not fit. */
OC_API OC_MUST_USE oc_status oc_tensor_make(oc_dtype dtype, const int64_t *dims,
                                            size_t rank, oc_tensor *out_tensor,
                                            oc_error *err);
OC_API void oc_tensor_free(oc_tensor *tensor);
/* The number of elements; 1 for a scalar. */
OC_API size_t oc_tensor_count(const oc_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
