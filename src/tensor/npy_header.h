/* The header of a .npy file: a Python dictionary, read without Python.
 *
 * Source of the format: NumPy, numpy.lib.format, versions 1.0 to 3.0. */
#ifndef ONCHIP_TENSOR_NPY_HEADER_H
#define ONCHIP_TENSOR_NPY_HEADER_H

#include "base/error.h"
#include "base/strbuf.h"
#include "onchip/tensor.h"

#include <stdbool.h>

enum {
    OC__NPY_PREFIX = 12, /* magic, version and length; version 1.0 has two bytes less,
                            and the dictionary's first two in their place */
    OC__NPY_MAX_HEADER = 65536
};

typedef struct oc__npy_header {
    char descr[24]; /* "<f4", as the file has it */
    bool big_endian;
    char kind; /* NumPy's letter: b, i, u, f, c, V, O, ...; 0 when descr is no such text
                */
    size_t item_bytes;
    bool fortran_order;
    size_t rank;
    int64_t dims[OC_MAX_RANK];
    size_t data_bytes;
} oc__npy_header;

/* From the first bytes of a file: where the dictionary begins and where it ends and the
 * array begins. */
OC_MUST_USE oc_status oc__npy_prefix_parse(const unsigned char bytes[OC__NPY_PREFIX],
                                           size_t *out_begin, size_t *out_end,
                                           oc_error *err);

/* OC_PARSE for what numpy.load refuses too, and for structured arrays; OC_LIMIT for
 * more than OC_MAX_RANK dimensions or a size that does not fit. */
OC_MUST_USE oc_status oc__npy_header_parse(const char *text, size_t size,
                                           oc__npy_header *out_header, oc_error *err);

/* Adds a whole header of version 1.0, prefix included, of a multiple of 64 bytes. */
void oc__npy_header_add(oc__strbuf *out, char kind, size_t item_bytes,
                        const int64_t *dims, size_t rank);

#endif
