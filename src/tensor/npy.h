/* .npy and .npz files.
 *
 * Reading takes versions 1.0 to 3.0, C and Fortran order, either byte order, 0-d and
 * zero-sized arrays, headers padded or not, keys in any order, Python 2's `3L`. It
 * never unpickles: object and structured arrays are refused. A file must end where its
 * array ends. An .npz member is read through libzip, at most `max_bytes` unpacked, and
 * its declared size must be what comes out.
 *
 * NumPy knows no bfloat16 or float8: ml_dtypes' arrays are saved with a descr of |V2,
 * <V2, |V1 or <f1 that names no type. Such an array is taken for `wanted` when that is
 * a type of that size which NumPy lacks (<f1 for float8_e5m2 only), and *out_assumed
 * says so; else it is refused.
 *
 * Errors name the file, what was found and what would do; OC_PARSE, OC_LIMIT,
 * OC_NOT_FOUND or OC_IO at boundary input. */
#ifndef ONCHIP_TENSOR_NPY_H
#define ONCHIP_TENSOR_NPY_H

#include "base/error.h"
#include "onchip/tensor.h"

#include <stdbool.h>

/* `path` is FILE.npz:NAME (NAME with or without .npy) or else a .npy file's. `wanted`
 * is OC_DTYPE_INVALID when nothing is known. i4, ui4, i2, ui2, f6 and f4 come as int8
 * or uint8 arrays (or ml_dtypes' own) and are taken for `wanted`, *out_assumed too; a
 * value out of range is refused. Otherwise the file's own type is returned and the
 * caller compares. *out_tensor belongs to the caller, nothing on failure. */
OC_MUST_USE oc_status oc__npy_read(const char *path, oc_dtype wanted, size_t max_bytes,
                                   oc_tensor *out_tensor, bool *out_assumed,
                                   oc_error *err);

/* Writes version 1.0, C order, little endian, a file that is whole or not there
 * (oc__file_write_new_pieces). bfloat16 is written as ml_dtypes does it (<V2), the
 * smaller floats as |V1, which numpy.load reads and .view(type) turns back (at
 * ml_dtypes' own <f1 for float8_e5m2 it fails); i4 and i2 as int8, ui4 and ui2 as
 * uint8. */
OC_MUST_USE oc_status oc__npy_write(const char *path, const oc_tensor *tensor,
                                    oc_error *err);

#endif
