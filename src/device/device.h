/* A plugin behind a process boundary: requests in, outputs and observations out, with a
 * deadline.
 *
 * The plugin lives in `onchip-worker` (beside this program or library, in
 * ../libexec/onchip from there, or where ONCHIP_WORKER says). A plugin that hangs is
 * stopped at the deadline, one that crashes takes only the worker with it; either is an
 * oc_error that names boundary, signal and the last words of the plugin's log. After
 * such an error every further call fails the same way.
 *
 * Calling sequence
 *     oc__device *device;
 *     rc = oc__device_open(&options, &device, err);      load, init, description
 *     rc = oc__device_compile(device, &program, &id, err);
 *     rc = oc__device_put(device, &tensor, 0, &buffer, err);
 *     rc = oc__device_execute(device, id, args, 1, 2, outputs, 1, err);   awaited
 *     rc = oc__device_get(device, outputs[0], &output, err);
 *     oc__device_observe(device, visit, context);        while the worker still lives
 *     oc__device_close(device);
 *
 * When oc__device_open fails *out_device may still be there, for its log and what was
 * learned before the failure; it is closed like any other. */
#ifndef ONCHIP_DEVICE_DEVICE_H
#define ONCHIP_DEVICE_DEVICE_H

#include "base/strbuf.h"
#include "onchip/device.h"
#include "onchip/tensor.h"

typedef struct oc__device oc__device;

OC_MUST_USE oc_status oc__device_open(const oc_device_options *options,
                                      oc__device **out_device, oc_error *err);
void oc__device_close(oc__device *device);

/* What is known so far; members not reached are NULL. Lives as long as the device. */
const oc_platform_info *oc__device_info(const oc__device *device);

/* What the plugin wrote to standard output and standard error so far: the first and the
 * last half MiB of it. */
const oc__strbuf *oc__device_log(const oc__device *device);

typedef struct oc__device_program {
    const char *code; /* StableHLO text */
    size_t replicas;
    const int64_t *device_ids; /* one a replica */
    size_t parameters;
} oc__device_program;

/* out_options (may be NULL) is given the compile options used: bytes and text. */
typedef struct oc__device_compile_options {
    oc__strbuf bytes;
    oc__strbuf text;
} oc__device_compile_options;

OC_MUST_USE oc_status oc__device_compile(oc__device *device,
                                         const oc__device_program *program,
                                         int64_t *out_program,
                                         oc__device_compile_options *out_options,
                                         oc_error *err);

/* `addressable` counts the client's addressable devices from 0. */
OC_MUST_USE oc_status oc__device_put(oc__device *device, const oc_tensor *tensor,
                                     size_t addressable, int64_t *out_buffer,
                                     oc_error *err);

/* args: devices x args_per_device buffers; out_outputs: output_count = devices x the
 * program's outputs, which must be what the program has. Complete when it returns. */
OC_MUST_USE oc_status oc__device_execute(oc__device *device, int64_t program,
                                         const int64_t *args, size_t devices,
                                         size_t args_per_device, int64_t *out_outputs,
                                         size_t output_count, oc_error *err);

/* A buffer's elements and what the plugin says of where they are. */
typedef struct oc__device_output {
    oc_tensor tensor;
    char *platform; /* of the client, asked when the buffer was read */
    char *device;   /* device string of the owner; empty when it is no device of the
                       client */
    char *memory;   /* memory kind; empty when the plugin does not tell */
    bool device_listed;
} oc__device_output;
OC_MUST_USE oc_status oc__device_get(oc__device *device, int64_t buffer,
                                     oc__device_output *out_output, oc_error *err);
void oc__device_output_free(oc__device_output *output);

/* What the kernel shows, read by this process and not by the plugin's: device nodes
 * that the worker holds ("device_node"), the plugin's mapped file ("plugin_mapped"),
 * accelerators on the PCI bus
 * ("pci_device"). */
typedef void oc__observation(void *context, const char *what, const char *value);
void oc__device_observe(const oc__device *device, oc__observation *visit,
                        void *context);

#endif
