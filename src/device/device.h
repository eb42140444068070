/* What the room offers beyond onchip/device.h: the plugin's log, the compile options
 * that were used, and what the kernel shows of the worker. */
#ifndef ONCHIP_DEVICE_DEVICE_H
#define ONCHIP_DEVICE_DEVICE_H

#include "base/strbuf.h"
#include "onchip/device.h"

/* What the plugin wrote to standard output and standard error so far: the first and the
 * last half MiB of it. */
const oc__strbuf *oc__device_log(const oc_device *device);

typedef struct oc__device_compile_options {
    oc__strbuf bytes;
    oc__strbuf text;
} oc__device_compile_options;

/* Compiles `count` programs at once that differ in their code alone (program->code is
 * not looked at); all of them or none. out_options (may be NULL) is given the compile
 * options used. */
OC_MUST_USE oc_status oc__device_compile(oc_device *device,
                                         const oc_device_program *program,
                                         const char *const *codes, size_t count,
                                         int64_t *out_programs,
                                         oc__device_compile_options *out_options,
                                         oc_error *err);

/* One step of a loop in one exchange with the worker: an execution on one device, the
 * elements of output number `fetch`, and then an end for the buffers that the step
 * makes superfluous, its own arguments among them. When it fails, what
 * it had made is out of reach until the device is closed. */
typedef struct oc__device_step_request {
    int64_t program;
    const int64_t *args;
    size_t arg_count;
    size_t output_count;
    size_t fetch;
    const int64_t *freed;
    size_t freed_count;
} oc__device_step_request;
OC_MUST_USE oc_status oc__device_step(oc_device *device,
                                      const oc__device_step_request *step,
                                      int64_t *out_outputs,
                                      oc_device_output *out_fetched, oc_error *err);

/* What the kernel shows, read by this process and not by the plugin's, while the worker
 * still lives: device nodes that it holds ("device_node"), the plugin's mapped file
 * ("plugin_mapped"), accelerators on the PCI bus ("pci_device"). */
typedef void oc__observation(void *context, const char *what, const char *value);
void oc__device_observe(const oc_device *device, oc__observation *visit, void *context);

#endif
