/* The record behind an oc_platform_info: filled from the plugin's file and the worker's
 * replies, step by step, so that a failure leaves what was learned before it. */
#ifndef ONCHIP_DEVICE_DEVICE_INFO_H
#define ONCHIP_DEVICE_DEVICE_INFO_H

#include "base/json.h"
#include "onchip/device.h"
#include "onchip/plugin.h"

typedef struct oc__device_record {
    oc_platform_info info; /* texts point into the members below */
    oc_plugin plugin;
    char sha256[65];
    char build_id[129];
    json_t *load_reply;
    json_t *init_reply;
    oc_device_info *devices;
    const char **memories; /* of all devices, one after the other */
} oc__device_record;

/* Who the plugin is: path, hash and build id of its file. */
OC_MUST_USE oc_status oc__device_record_plugin(oc__device_record *record,
                                               const oc_plugin *plugin, oc_error *err);
OC_MUST_USE oc_status oc__device_record_load(oc__device_record *record, json_t *reply,
                                             oc_error *err);
OC_MUST_USE oc_status oc__device_record_init(oc__device_record *record, json_t *reply,
                                             oc_error *err);
void oc__device_record_free(oc__device_record *record);

#endif
