/* The client of a loaded plugin, its devices and their memories.
 *
 * Texts are views into memory of the plugin, valid as long as the client. */
#ifndef ONCHIP_PJRT_PJRT_CLIENT_H
#define ONCHIP_PJRT_PJRT_CLIENT_H

#include "pjrt/pjrt_api.h"

#include <stdint.h>

typedef struct oc__text {
    const char *data;
    size_t size;
} oc__text;

/* Initialises the plugin and creates its client. cpu_devices > 0 asks the CPU plugin
 * for that many virtual devices (create option cpu_device_count); other plugins refuse
 * the option by name. An accelerator that is not there is OC_UNAVAILABLE (PJRT codes 5
 * NOT_FOUND, 9 FAILED_PRECONDITION and 14 UNAVAILABLE), any other refusal OC_PLUGIN;
 * both at boundary INIT. */
OC_MUST_USE oc_status oc__pjrt_create_client(oc__pjrt *pjrt, int64_t cpu_devices,
                                             oc_error *err);

typedef struct oc__pjrt_identity {
    oc__text platform_name;
    oc__text platform_version;  /* empty when the plugin does not tell */
    int64_t process_index;      /* 0 when the plugin does not tell */
    char stablehlo_version[48]; /* "1.20.0", or empty */
} oc__pjrt_identity;
OC_MUST_USE oc_status oc__pjrt_identify(const oc__pjrt *pjrt,
                                        oc__pjrt_identity *out_identity, oc_error *err);

typedef struct oc__pjrt_device_info {
    int64_t id;
    int64_t process_index;
    int64_t local_hardware_id; /* -1 when there is none */
    oc__text kind;
    oc__text string;
    bool addressable;
    int64_t bytes_limit; /* of its default memory; -1 when the plugin does not tell */
    PJRT_Memory *const *memories;
    size_t memory_count;
    PJRT_Memory *default_memory; /* or NULL */
} oc__pjrt_device_info;
OC_MUST_USE oc_status oc__pjrt_describe_device(const oc__pjrt *pjrt,
                                               PJRT_Device *device,
                                               oc__pjrt_device_info *out_info,
                                               oc_error *err);

/* Kind of a memory ("device", "pinned_host"); empty when the plugin does not tell. */
oc__text oc__pjrt_memory_kind(const oc__pjrt *pjrt, PJRT_Memory *memory);

/* True when `device` is one of the client's. Compared by pointer: nothing is asked of a
 * device that the client does not own. */
bool oc__pjrt_owns(const oc__pjrt *pjrt, const PJRT_Device *device);

#endif
