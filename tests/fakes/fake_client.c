/* The client, its devices and their memories. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const memory_kinds[FAKE_MEMORIES] = {"device", "pinned_host",
                                                        "unpinned_host"};
static const char device_kind[] = "cpu";

static void describe(PJRT_Device *device, int id)
{
    PJRT_DeviceDescription *d = &device->description;
    d->id = id;
    snprintf(d->debug, sizeof d->debug, "fake:%d", id);
    snprintf(d->text, sizeof d->text, "FakeCpuDevice(id=%d)", id);
    for (int k = 0; k < FAKE_MEMORIES; k++) {
        PJRT_Memory *m = &device->memories[k];
        m->id = id * FAKE_MEMORIES + k;
        m->kind = memory_kinds[k];
        m->device = device;
        snprintf(m->debug, sizeof m->debug, "FakeMemory(id=%d, kind=%s)", m->id,
                 m->kind);
        snprintf(m->text, sizeof m->text, "FAKE_%s_%d", m->kind, m->id);
        device->memory_list[k] = m;
    }
}

static PJRT_Error *read_option(const PJRT_NamedValue *option, size_t *device_count)
{
    static const char known[] = "cpu_device_count";
    FAKE_CHECK(option, PJRT_NamedValue);
    if (option->name_size != strlen(known) ||
        memcmp(option->name, known, strlen(known)) != 0) {
        return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                          "Unexpected option name passed to PJRT_Client_Create: %.*s",
                          (int)option->name_size, option->name);
    }
    if (option->type != PJRT_NamedValue_kInt64 || option->int64_value < 1 ||
        option->int64_value > FAKE_MAX_DEVICES) {
        return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                          "%s must be an integer from 1 to %d", known,
                          FAKE_MAX_DEVICES);
    }
    *device_count = (size_t)option->int64_value;
    return NULL;
}

FAKE_DEFINE(Client_Create)
{
    args->client = NULL;
    PJRT_Error *error = fake_lies_act(FAKE_AT_CREATE);
    size_t count = FAKE_DEFAULT_DEVICES;
    for (size_t i = 0; !error && i < args->num_options; i++) {
        error = read_option(&args->create_options[i], &count);
    }
    if (error) {
        return error;
    }

    PJRT_Client *client = fake_alloc(1, sizeof *client);
    client->num_devices = fake_lies_count(count);
    for (size_t i = 0; i <= client->num_devices; i++) {
        describe(&client->devices[i], (int)i);
    }
    for (size_t i = 0; i < client->num_devices; i++) {
        client->device_list[i] = &client->devices[i];
        for (size_t k = 0; k < FAKE_MEMORIES; k++) {
            client->memory_list[i * FAKE_MEMORIES + k] =
                &client->devices[i].memories[k];
        }
    }
    args->client = client;
    return NULL;
}

FAKE_DEFINE(Client_Destroy)
{
    free(args->client);
    return NULL;
}

FAKE_DEFINE(Client_PlatformName)
{
    args->platform_name = fake_platform;
    args->platform_name_size = strlen(fake_platform);
    return NULL;
}

FAKE_DEFINE(Client_PlatformVersion)
{
    static const char version[] = "fake 1";
    args->platform_version = version;
    args->platform_version_size = strlen(version);
    return NULL;
}

FAKE_DEFINE(Client_ProcessIndex)
{
    args->process_index = 0;
    return NULL;
}

FAKE_DEFINE(Client_Devices)
{
    args->devices = args->client->device_list;
    args->num_devices = args->client->num_devices;
    return NULL;
}

FAKE_DEFINE(Client_AddressableDevices)
{
    args->addressable_devices = args->client->device_list;
    args->num_addressable_devices = args->client->num_devices;
    return NULL;
}

FAKE_DEFINE(Client_AddressableMemories)
{
    args->addressable_memories = args->client->memory_list;
    args->num_addressable_memories = args->client->num_devices * FAKE_MEMORIES;
    return NULL;
}

PJRT_Device *fake_device_of(PJRT_Client *client, int64_t id)
{
    bool known = id >= 0 && (uint64_t)id < client->num_devices;
    return known ? client->device_list[id] : NULL;
}

static PJRT_Error *look_up(PJRT_Client *client, int id, PJRT_Device **out)
{
    *out = fake_device_of(client, id);
    return *out ? NULL
                : fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                             "No matching device found for device_id %d", id);
}

FAKE_DEFINE(Client_LookupDevice)
{
    return look_up(args->client, args->id, &args->device);
}

FAKE_DEFINE(Client_LookupAddressableDevice)
{
    return look_up(args->client, args->local_hardware_id, &args->addressable_device);
}

FAKE_DEFINE(DeviceDescription_Id)
{
    args->id = args->device_description->id;
    return NULL;
}

FAKE_DEFINE(DeviceDescription_ProcessIndex)
{
    args->process_index = 0;
    return NULL;
}

FAKE_DEFINE(DeviceDescription_Attributes)
{
    args->attributes = NULL;
    args->num_attributes = 0;
    return NULL;
}

FAKE_DEFINE(DeviceDescription_Kind)
{
    args->device_kind = device_kind;
    args->device_kind_size = strlen(device_kind);
    return NULL;
}

FAKE_DEFINE(DeviceDescription_DebugString)
{
    args->debug_string = args->device_description->debug;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

FAKE_DEFINE(DeviceDescription_ToString)
{
    args->to_string = args->device_description->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}

FAKE_DEFINE(Device_GetDescription)
{
    args->device_description = &args->device->description;
    return NULL;
}

FAKE_DEFINE(Device_IsAddressable)
{
    args->is_addressable = true;
    return NULL;
}

FAKE_DEFINE(Device_LocalHardwareId)
{
    args->local_hardware_id = args->device->description.id;
    return NULL;
}

FAKE_DEFINE(Device_AddressableMemories)
{
    args->memories = args->device->memory_list;
    args->num_memories = FAKE_MEMORIES;
    return NULL;
}

FAKE_DEFINE(Device_DefaultMemory)
{
    args->memory = args->device->memory_list[FAKE_DEVICE_MEMORY];
    return NULL;
}

FAKE_DEFINE(Memory_Id)
{
    args->id = args->memory->id;
    return NULL;
}

FAKE_DEFINE(Memory_Kind)
{
    args->kind = args->memory->kind;
    args->kind_size = strlen(args->kind);
    return NULL;
}

FAKE_DEFINE(Memory_DebugString)
{
    args->debug_string = args->memory->debug;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

FAKE_DEFINE(Memory_ToString)
{
    args->to_string = args->memory->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}

FAKE_DEFINE(Memory_AddressableByDevices)
{
    args->devices = &args->memory->device;
    args->num_devices = 1;
    return NULL;
}
