#include "pjrt/pjrt_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool means_absent(int plugin_code)
{
    enum { NOT_FOUND = 5, FAILED_PRECONDITION = 9, UNAVAILABLE = 14 };
    return plugin_code == NOT_FOUND || plugin_code == FAILED_PRECONDITION ||
           plugin_code == UNAVAILABLE;
}

static oc_status list_devices(oc__pjrt *pjrt, oc_error *err)
{
    PJRT_Client_Devices_Args all = {.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE,
                                    .client = pjrt->client};
    oc_status rc =
        OC__PJRT_CALL(pjrt, PJRT_Client_Devices, &all, OC_BOUNDARY_DISCOVERY, err);
    if (rc != OC_OK) {
        return rc;
    }
    PJRT_Client_AddressableDevices_Args near = {
        .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE,
        .client = pjrt->client};
    rc = OC__PJRT_CALL(pjrt, PJRT_Client_AddressableDevices, &near,
                       OC_BOUNDARY_DISCOVERY, err);
    if (rc != OC_OK) {
        return rc;
    }
    pjrt->devices = all.devices;
    pjrt->device_count = all.num_devices;
    pjrt->addressable = near.addressable_devices;
    pjrt->addressable_count = near.num_addressable_devices;
    return OC_OK;
}

oc_status oc__pjrt_create_client(oc__pjrt *pjrt, int64_t cpu_devices, oc_error *err)
{
    oc_error local = {0};
    PJRT_Plugin_Initialize_Args initialize = {
        .struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Plugin_Initialize, &initialize,
                                 OC_BOUNDARY_INIT, &local);
    static const char option_name[] = "cpu_device_count";
    PJRT_NamedValue option = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                              .name = option_name,
                              .name_size = sizeof option_name - 1,
                              .type = PJRT_NamedValue_kInt64,
                              .int64_value = cpu_devices,
                              .value_size = 1};
    PJRT_Client_Create_Args create = {
        .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE,
        .create_options = cpu_devices > 0 ? &option : NULL,
        .num_options = cpu_devices > 0 ? 1 : 0};
    if (rc == OC_OK) {
        rc = OC__PJRT_CALL(pjrt, PJRT_Client_Create, &create, OC_BOUNDARY_INIT, &local);
    }
    if (rc != OC_OK) {
        local.status = means_absent(local.plugin_code) ? OC_UNAVAILABLE : rc;
        if (err) {
            *err = local;
        }
        return local.status;
    }
    if (!create.client) {
        return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_INIT,
                       "PJRT_Client_Create reported success and gave no client");
    }
    pjrt->client = create.client;
    return list_devices(pjrt, err);
}

static void stablehlo_version(const oc__pjrt *pjrt, char *out, size_t size)
{
    static const char wanted[] = "stablehlo_current_version";
    PJRT_Plugin_Attributes_Args args = {.struct_size =
                                            PJRT_Plugin_Attributes_Args_STRUCT_SIZE};
    out[0] = '\0';
    if (OC__PJRT_CALL(pjrt, PJRT_Plugin_Attributes, &args, OC_BOUNDARY_INIT, NULL) !=
        OC_OK) {
        return;
    }
    for (size_t i = 0; i < args.num_attributes; i++) {
        const PJRT_NamedValue *value = &args.attributes[i];
        if (value->type == PJRT_NamedValue_kInt64List && value->value_size == 3 &&
            value->name_size == sizeof wanted - 1 &&
            memcmp(value->name, wanted, value->name_size) == 0) {
            const int64_t *part = value->int64_array_value;
            snprintf(out, size, "%" PRId64 ".%" PRId64 ".%" PRId64, part[0], part[1],
                     part[2]);
        }
    }
}

oc_status oc__pjrt_identify(const oc__pjrt *pjrt, oc__pjrt_identity *out_identity,
                            oc_error *err)
{
    *out_identity = (oc__pjrt_identity){0};
    PJRT_Client_PlatformName_Args name = {.struct_size =
                                              PJRT_Client_PlatformName_Args_STRUCT_SIZE,
                                          .client = pjrt->client};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Client_PlatformName, &name,
                                 OC_BOUNDARY_DISCOVERY, err);
    if (rc != OC_OK) {
        return rc;
    }
    out_identity->platform_name =
        (oc__text){name.platform_name, name.platform_name_size};

    PJRT_Client_PlatformVersion_Args version = {
        .struct_size = PJRT_Client_PlatformVersion_Args_STRUCT_SIZE,
        .client = pjrt->client};
    if (OC__PJRT_CALL(pjrt, PJRT_Client_PlatformVersion, &version,
                      OC_BOUNDARY_DISCOVERY, NULL) == OC_OK) {
        out_identity->platform_version =
            (oc__text){version.platform_version, version.platform_version_size};
    }
    PJRT_Client_ProcessIndex_Args index = {
        .struct_size = PJRT_Client_ProcessIndex_Args_STRUCT_SIZE,
        .client = pjrt->client};
    if (OC__PJRT_CALL(pjrt, PJRT_Client_ProcessIndex, &index, OC_BOUNDARY_DISCOVERY,
                      NULL) == OC_OK) {
        out_identity->process_index = index.process_index;
    }
    stablehlo_version(pjrt, out_identity->stablehlo_version,
                      sizeof out_identity->stablehlo_version);
    return OC_OK;
}

static oc_status describe(const oc__pjrt *pjrt, PJRT_DeviceDescription *description,
                          oc__pjrt_device_info *out, oc_error *err)
{
    PJRT_DeviceDescription_Id_Args id = {.struct_size =
                                             PJRT_DeviceDescription_Id_Args_STRUCT_SIZE,
                                         .device_description = description};
    PJRT_DeviceDescription_Kind_Args kind = {
        .struct_size = PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE,
        .device_description = description};
    PJRT_DeviceDescription_ToString_Args string = {
        .struct_size = PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE,
        .device_description = description};
    const oc_boundary at = OC_BOUNDARY_DISCOVERY;
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_DeviceDescription_Id, &id, at, err);
    if (rc == OC_OK) {
        rc = OC__PJRT_CALL(pjrt, PJRT_DeviceDescription_Kind, &kind, at, err);
    }
    if (rc == OC_OK) {
        rc = OC__PJRT_CALL(pjrt, PJRT_DeviceDescription_ToString, &string, at, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    out->id = id.id;
    out->kind = (oc__text){kind.device_kind, kind.device_kind_size};
    out->string = (oc__text){string.to_string, string.to_string_size};

    PJRT_DeviceDescription_ProcessIndex_Args process = {
        .struct_size = PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE,
        .device_description = description};
    if (OC__PJRT_CALL(pjrt, PJRT_DeviceDescription_ProcessIndex, &process, at, NULL) ==
        OC_OK) {
        out->process_index = process.process_index;
    }
    return OC_OK;
}

/* What only an addressable device can be asked, and what a plugin may not implement. */
static void describe_memories(const oc__pjrt *pjrt, PJRT_Device *device,
                              oc__pjrt_device_info *out)
{
    const oc_boundary at = OC_BOUNDARY_DISCOVERY;
    PJRT_Device_LocalHardwareId_Args hardware = {
        .struct_size = PJRT_Device_LocalHardwareId_Args_STRUCT_SIZE, .device = device};
    if (OC__PJRT_CALL(pjrt, PJRT_Device_LocalHardwareId, &hardware, at, NULL) ==
        OC_OK) {
        out->local_hardware_id = hardware.local_hardware_id;
    }
    PJRT_Device_AddressableMemories_Args memories = {
        .struct_size = PJRT_Device_AddressableMemories_Args_STRUCT_SIZE,
        .device = device};
    if (OC__PJRT_CALL(pjrt, PJRT_Device_AddressableMemories, &memories, at, NULL) ==
        OC_OK) {
        out->memories = memories.memories;
        out->memory_count = memories.num_memories;
    }
    PJRT_Device_DefaultMemory_Args standard = {
        .struct_size = PJRT_Device_DefaultMemory_Args_STRUCT_SIZE, .device = device};
    if (OC__PJRT_CALL(pjrt, PJRT_Device_DefaultMemory, &standard, at, NULL) == OC_OK) {
        out->default_memory = standard.memory;
    }
    PJRT_Device_MemoryStats_Args stats = {
        .struct_size = PJRT_Device_MemoryStats_Args_STRUCT_SIZE, .device = device};
    if (OC__PJRT_CALL(pjrt, PJRT_Device_MemoryStats, &stats, at, NULL) == OC_OK &&
        stats.bytes_limit_is_set) {
        out->bytes_limit = stats.bytes_limit;
    }
}

oc_status oc__pjrt_describe_device(const oc__pjrt *pjrt, PJRT_Device *device,
                                   oc__pjrt_device_info *out_info, oc_error *err)
{
    *out_info = (oc__pjrt_device_info){.local_hardware_id = -1, .bytes_limit = -1};
    PJRT_Device_GetDescription_Args get = {
        .struct_size = PJRT_Device_GetDescription_Args_STRUCT_SIZE, .device = device};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Device_GetDescription, &get,
                                 OC_BOUNDARY_DISCOVERY, err);
    if (rc == OC_OK) {
        rc = describe(pjrt, get.device_description, out_info, err);
    }
    for (size_t i = 0; rc == OC_OK && i < pjrt->addressable_count; i++) {
        if (pjrt->addressable[i] == device) {
            out_info->addressable = true;
            describe_memories(pjrt, device, out_info);
        }
    }
    return rc;
}

oc__text oc__pjrt_memory_kind(const oc__pjrt *pjrt, PJRT_Memory *memory)
{
    PJRT_Memory_Kind_Args kind = {.struct_size = PJRT_Memory_Kind_Args_STRUCT_SIZE,
                                  .memory = memory};
    if (!memory || OC__PJRT_CALL(pjrt, PJRT_Memory_Kind, &kind, OC_BOUNDARY_DISCOVERY,
                                 NULL) != OC_OK) {
        return (oc__text){"", 0};
    }
    return (oc__text){kind.kind, kind.kind_size};
}

bool oc__pjrt_owns(const oc__pjrt *pjrt, const PJRT_Device *device)
{
    for (size_t i = 0; i < pjrt->device_count; i++) {
        if (pjrt->devices[i] == device) {
            return true;
        }
    }
    return false;
}
