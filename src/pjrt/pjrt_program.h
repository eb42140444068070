/* Programs and buffers on a client. Every handle belongs to the client; what these
 * functions give is released with the matching _free, before the client. */
#ifndef ONCHIP_PJRT_PJRT_PROGRAM_H
#define ONCHIP_PJRT_PJRT_PROGRAM_H

#include "onchip/tensor.h"
#include "pjrt/pjrt_client.h"

typedef struct oc__pjrt_program {
    PJRT_LoadedExecutable *loaded;
    size_t num_outputs;
} oc__pjrt_program;

/* Compiles StableHLO (text or a portable artifact, the plugin tells them apart) with
 * serialized compile options, which must not be empty: an empty message aborts the CPU
 * plugin. */
OC_MUST_USE oc_status oc__pjrt_compile(const oc__pjrt *pjrt, const char *code,
                                       size_t code_size, const void *options,
                                       size_t options_size,
                                       oc__pjrt_program *out_program, oc_error *err);
void oc__pjrt_program_free(const oc__pjrt *pjrt, oc__pjrt_program *program);

/* Copies a host array to an addressable device and waits until the host array is free
 * again. */
OC_MUST_USE oc_status oc__pjrt_put(const oc__pjrt *pjrt, const oc_tensor *tensor,
                                   PJRT_Device *device, PJRT_Buffer **out_buffer,
                                   oc_error *err);

/* Runs on num_devices devices and waits for each to complete. arguments: num_devices
 * lists of num_args buffers; out_outputs: num_devices lists of program->num_outputs
 * buffers, all NULL when it fails. List k belongs to the k-th device of the executable.
 */
OC_MUST_USE oc_status oc__pjrt_execute(const oc__pjrt *pjrt,
                                       const oc__pjrt_program *program,
                                       PJRT_Buffer *const *arguments,
                                       size_t num_devices, size_t num_args,
                                       PJRT_Buffer **out_outputs, oc_error *err);

/* What a buffer says of itself. */
typedef struct oc__pjrt_buffer_info {
    oc_dtype dtype; /* OC_DTYPE_INVALID for a type that onchip does not know */
    size_t rank;
    int64_t dims[OC_MAX_RANK];
    PJRT_Device *device;
    bool device_listed;   /* the device is one of the client's */
    oc__text memory_kind; /* empty when the plugin does not tell */
} oc__pjrt_buffer_info;
OC_MUST_USE oc_status oc__pjrt_describe_buffer(const oc__pjrt *pjrt,
                                               PJRT_Buffer *buffer,
                                               oc__pjrt_buffer_info *out_info,
                                               oc_error *err);

/* Copies a buffer to the host, into an array of the type and shape that the buffer
 * reports. */
OC_MUST_USE oc_status oc__pjrt_get(const oc__pjrt *pjrt, PJRT_Buffer *buffer,
                                   oc_tensor *out_tensor, oc_error *err);
void oc__pjrt_buffer_free(const oc__pjrt *pjrt, PJRT_Buffer *buffer);

#endif
