/* What a plugin says of its platform, and who it is: the answer of `onchip devices`.
 *
 * The plugin is loaded in a process of its own with a deadline; whatever it does there
 * is an oc_error here: it hangs (OC_DEADLINE), dies (OC_CHILD, the signal named),
 * refuses (OC_UNAVAILABLE or OC_PLUGIN, its own words kept).
 *
 *     oc_device_options options = {.platform = "cpu", .timeout_ms = 120000};
 *     oc_platform_info *info;
 *     if (oc_platform_describe(&options, &info, &err) == OC_OK) { ... }
 *     oc_platform_info_free(info);
 */
#ifndef ONCHIP_DEVICE_H
#define ONCHIP_DEVICE_H

#include "onchip/status.h"

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
    int64_t timeout_ms;   /* for everything that the plugin does, in all */
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
