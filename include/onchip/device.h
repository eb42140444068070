/* A plugin behind a process boundary: requests in, outputs and observations out, with a
 * deadline.
 *
 * The plugin lives in `onchip-worker` (beside this program or library, in
 * ../libexec/onchip from there, or where ONCHIP_WORKER says). A plugin that hangs is
 * stopped at the deadline (OC_DEADLINE), one that crashes takes only the worker with it
 * (OC_CHILD); either is an oc_error that names boundary, signal and the last words of
 * the plugin. A refusal keeps the plugin's own words (OC_UNAVAILABLE where the device
 * is not there, else OC_PLUGIN). After the worker is gone every further call fails the
 * same way.
 *
 * Calling sequence
 *     oc_device_options options = {.platform = "cpu", .timeout_ms = 120000};
 *     oc_device *device;
 *     oc_error err = {0};
 *     rc = oc_device_open(&options, &device, &err);       load, init, description
 *     const oc_platform_info *platform = oc_device_platform(device);
 *     oc_device_compile(device, &program, &program_id, &err)
 *     oc_device_put(device, &tensor, 0, &buffer, &err)
 *     oc_device_execute(device, program_id, args, 1, 2, outputs, 1, &err)      awaited
 *     oc_device_get(device, outputs[0], &output, &err);
 *     oc_device_output_free(&output);
 *     oc_device_close(device);
 *
 * When oc_device_open fails *out_device may still be there, with what was learned
 * before the failure; it is closed like any other. oc_device_close takes NULL.
 *
 * oc_platform_describe is the whole sequence for one who only wants to know what is
 * there. */
#ifndef ONCHIP_DEVICE_H
#define ONCHIP_DEVICE_H

#include "onchip/status.h"
#include "onchip/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oc_device_options {
    const char *platform; /* requested; may be NULL when `plugin` is given */
    const char *plugin;   /* file, or NULL: the one that is found (onchip/plugin.h) */
    int64_t cpu_devices;  /* virtual devices of a CPU client; 0: the plugin's default */
    int64_t timeout_ms;   /* for everything that the plugin does, in all (or see
                             oc_device_set_timeout) */
} oc_device_options;

typedef struct oc_device_info {
    int64_t id;
    int64_t process_index;
    int64_t local_hardware_id; /* -1: none */
    const char *kind;
    const char *string;
    bool addressable;
    const char *const *memories; /* kinds; memory_count of them */
    size_t memory_count;
    const char *default_memory;   /* kind, or empty */
    int64_t default_memory_bytes; /* -1: the plugin does not tell */
} oc_device_info;

typedef struct oc_platform_info {
    const char *requested; /* cuda where `gpu` was asked for; empty when only a file was
                              given */
    const char *plugin_path;
    const char *plugin_name;   /* its file name */
    const char *plugin_source; /* where it was found */
    const char *plugin_sha256;
    const char *plugin_build_id; /* the ELF build id, or NULL: the file carries none */
    const char *pjrt_api;        /* "0.115" */
    const char *stablehlo;       /* "1.20.0", or NULL */
    const char *platform_name;   /* as the client says */
    const char *platform_version;
    int64_t process_index;
    int64_t process_count;         /* processes that own devices of this client */
    const oc_device_info *devices; /* all of them, in the client's order */
    size_t device_count;
    size_t addressable_count;
    int64_t load_us; /* time to load the library and check its table; 0: not reached */
    int64_t init_us; /* time to initialise the plugin and create its client; 0: not
                        reached */
} oc_platform_info;

typedef struct oc_device oc_device;

OC_API OC_MUST_USE oc_status oc_device_open(const oc_device_options *options,
                                            oc_device **out_device, oc_error *err);
OC_API void oc_device_close(oc_device *device);

/* What is known so far; members not reached are NULL. Lives as long as the device. */
OC_API const oc_platform_info *oc_device_platform(const oc_device *device);

typedef struct oc_device_program {
    const char *code; /* StableHLO text */
    size_t replicas;
    size_t partitions; /* 0: 1 */
    /* replicas x partitions of them; that of replica r and partition p stands at p *
     * replicas + r. */
    const int64_t *device_ids;
    size_t parameters; /* of its main */
    /* "NAME=VALUE" each: XLA's debug options, as JAX's compiler_options. */
    const char *const *xla_options;
    size_t xla_option_count;
} oc_device_program;

/* Compiles with the options that JAX gives for a jitted function, and xla_options. */
OC_API OC_MUST_USE oc_status oc_device_compile(oc_device *device,
                                               const oc_device_program *program,
                                               int64_t *out_program, oc_error *err);

/* Copies an array to a device; `addressable` counts the client's addressable devices
 * from 0. */
OC_API OC_MUST_USE oc_status oc_device_put(oc_device *device, const oc_tensor *tensor,
                                           size_t addressable, int64_t *out_buffer,
                                           oc_error *err);

/* args: devices x args_per_device buffers; out_outputs: output_count = devices x the
 * program's outputs, which must be what the program has. List k belongs to the k-th of
 * device_ids. Complete when it returns. */
OC_API OC_MUST_USE oc_status oc_device_execute(oc_device *device, int64_t program,
                                               const int64_t *args, size_t devices,
                                               size_t args_per_device,
                                               int64_t *out_outputs,
                                               size_t output_count, oc_error *err);

/* A buffer's elements and what the plugin says of where they are. */
typedef struct oc_device_output {
    oc_tensor tensor; /* of the element type and shape that the buffer reports */
    char *platform;   /* of the client, asked when the buffer was read */
    char *device;     /* device string of the owner; empty when it is no device of the
                         client */
    char *memory;     /* memory kind; empty when the plugin does not tell */
    bool device_listed;
} oc_device_output;
OC_API OC_MUST_USE oc_status oc_device_get(oc_device *device, int64_t buffer,
                                           oc_device_output *out_output, oc_error *err);
OC_API void oc_device_output_free(oc_device_output *output);

/* Frees buffers. A number that names none, or no longer one, is OC_INVALID_ARGUMENT
 * here and in every other call; the rest of the list is freed all the same. */
OC_API OC_MUST_USE oc_status oc_device_free(oc_device *device, const int64_t *buffers,
                                            size_t count, oc_error *err);

/* What follows has this long, from now on, in place of what is left of the time that
 * the device was opened with. */
OC_API void oc_device_set_timeout(oc_device *device, int64_t timeout_ms);

OC_API OC_MUST_USE oc_status oc_platform_describe(const oc_device_options *options,
                                                  oc_platform_info **out_info,
                                                  oc_error *err);
OC_API void oc_platform_info_free(oc_platform_info *info);

/* The same as a JSON document; malloc'd, NULL when out of memory. */
OC_API char *oc_platform_info_json(const oc_platform_info *info);

#ifdef __cplusplus
}
#endif
#endif
