/* Arrays whose first index runs fastest. */
#ifndef ONCHIP_TENSOR_NPY_FORTRAN_H
#define ONCHIP_TENSOR_NPY_FORTRAN_H

#include "tensor/npy_header.h"
#include "tensor/npy_source.h"

/* Reads the array of this header, of rank 1 or more and data_bytes > 0, into row-major
 * `out` of as many bytes; a piece at a time, so that there is no second copy of it. */
OC_MUST_USE oc_status oc__npy_read_fortran(oc__npy_source *source,
                                           const oc__npy_header *header,
                                           unsigned char *out, oc_error *err);

#endif
