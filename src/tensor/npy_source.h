/* Where the bytes of a .npy file come from: a file, or a member of an .npz archive. */
#ifndef ONCHIP_TENSOR_NPY_SOURCE_H
#define ONCHIP_TENSOR_NPY_SOURCE_H

#include "base/error.h"

#include <stddef.h>

typedef struct oc__npy_source {
    size_t size; /* of the whole .npy, unpacked: for an archive's member, as declared */
    int fd;      /* of a plain file; else -1 */
    struct zip *archive;
    struct zip_file *member;
} oc__npy_source;

/* `path` as in oc__npy_read. Errors name the file; those of the other functions do not.
 * OC_LIMIT for more than max_bytes, and for a member whose declared size deflate cannot
 * reach from its packed one. */
OC_MUST_USE oc_status oc__npy_source_open(const char *path, size_t max_bytes,
                                          oc__npy_source *out_source, oc_error *err);

/* The next `size` bytes, all of them. */
OC_MUST_USE oc_status oc__npy_source_read(oc__npy_source *source, void *bytes,
                                          size_t size, oc_error *err);

/* OC_PARSE unless there are no more bytes and an archive's checksum is right. */
OC_MUST_USE oc_status oc__npy_source_end(oc__npy_source *source, oc_error *err);

void oc__npy_source_close(oc__npy_source *source);

#endif
