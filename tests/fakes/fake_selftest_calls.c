/* The calls of the self-test; see fake_selftest.h. */
#include "fake_selftest.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PJRT_Api *selftest_api;
char selftest_failure[SELFTEST_TEXT];

bool selftest_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!selftest_failure[0]) {
        vsnprintf(selftest_failure, sizeof selftest_failure, format, list);
    }
    va_end(list);
    return false;
}

/* Takes over `error`. Returns its code, 0 for none, and its message in `text`. */
static int take_error(PJRT_Error *error, char text[SELFTEST_TEXT])
{
    text[0] = 0;
    if (!error) {
        return 0;
    }
    PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                 .error = error};
    PJRT_Error_GetCode_Args c = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE,
                                 .error = error};
    PJRT_Error_Destroy_Args d = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
                                 .error = error};
    selftest_api->PJRT_Error_Message(&m);
    selftest_api->PJRT_Error_GetCode(&c);
    if (m.message) {
        snprintf(text, SELFTEST_TEXT, "%.*s", (int)m.message_size, m.message);
    } else {
        snprintf(text, SELFTEST_TEXT, "(no message)");
    }
    selftest_api->PJRT_Error_Destroy(&d);
    return (int)c.code;
}

bool selftest_good(PJRT_Error *error, const char *what)
{
    char text[SELFTEST_TEXT];
    bool failed = error != NULL;
    int code = take_error(error, text);
    return failed ? selftest_fail("%s: code %d: %s", what, code, text) : true;
}

bool selftest_refused(PJRT_Error *error, int code, const char *words, const char *what)
{
    char text[SELFTEST_TEXT];
    int got = take_error(error, text);
    if (got != code || !strstr(text, words)) {
        return selftest_fail("%s: code %d, \"%s\" instead of %d, \"%s\"", what, got,
                             text, code, words);
    }
    return true;
}

bool selftest_settle(PJRT_Event *event, const char *what)
{
    ARGS(ready, Event_IsReady, .event = event);
    ARGS(await, Event_Await, .event = event);
    ARGS(destroy, Event_Destroy, .event = event);
    bool ok = event ? CALL(ready, Event_IsReady) : selftest_fail("%s: no event", what);
    ok = ok && selftest_good(selftest_api->PJRT_Event_Await(&await), what);
    if (event) {
        ok = CALL(destroy, Event_Destroy) && ok;
    }
    return ok;
}

bool selftest_open_table(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return selftest_fail("dlopen: %s", dlerror());
    }
    const PJRT_Api *(*get)(void);
    *(void **)&get = dlsym(library, "GetPjrtApi");
    if (!get) {
        return selftest_fail("no GetPjrtApi");
    }
    selftest_api = get();
    if (!selftest_api) {
        return selftest_fail("GetPjrtApi returned NULL");
    }
    if (selftest_api->struct_size < (size_t)PJRT_Api_STRUCT_SIZE) {
        return selftest_fail("the table has %zu bytes", selftest_api->struct_size);
    }
    if (selftest_api->pjrt_api_version.major_version != PJRT_API_MAJOR) {
        return selftest_fail("major version %d",
                             selftest_api->pjrt_api_version.major_version);
    }
    size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy);
    for (size_t at = first; at < selftest_api->struct_size; at += sizeof(void *)) {
        void *slot;
        memcpy(&slot, (const char *)selftest_api + at, sizeof slot);
        if (!slot) {
            return selftest_fail("slot %zu is NULL", (at - first) / sizeof slot);
        }
    }
    ARGS(initialize, Plugin_Initialize, .extension_start = NULL);
    ARGS(attributes, Plugin_Attributes, .extension_start = NULL);
    if (!CALL(initialize, Plugin_Initialize) || !CALL(attributes, Plugin_Attributes)) {
        return false;
    }
    static const char wanted[] = "stablehlo_current_version";
    for (size_t i = 0; i < attributes.num_attributes; i++) {
        if (attributes.attributes[i].name_size == strlen(wanted) &&
            memcmp(attributes.attributes[i].name, wanted, strlen(wanted)) == 0) {
            return attributes.attributes[i].type == PJRT_NamedValue_kInt64List &&
                           attributes.attributes[i].value_size == 3
                       ? true
                       : selftest_fail("%s is no list of 3 integers", wanted);
        }
    }
    return selftest_fail("no attribute %s", wanted);
}

static PJRT_NamedValue integer_option(const char *name, int64_t value)
{
    return (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                             .name = name,
                             .name_size = strlen(name),
                             .type = PJRT_NamedValue_kInt64,
                             .int64_value = value,
                             .value_size = 1};
}

/* A name that the plugin does not know is refused; the oldest plugins pass over it. */
static bool check_unknown_option(void)
{
    PJRT_NamedValue unknown = integer_option("no_such_option", 1);
    ARGS(create, Client_Create, .create_options = &unknown, .num_options = 1);
    PJRT_Error *error = selftest_api->PJRT_Client_Create(&create);
    if (error) {
        return selftest_refused(
            error, PJRT_Error_Code_INVALID_ARGUMENT,
            "Unexpected option name passed to PJRT_Client_Create: no_such_option",
            "unknown option");
    }
    ARGS(destroy, Client_Destroy, .client = create.client);
    return CALL(destroy, Client_Destroy);
}

bool selftest_open_client(PJRT_Client **out, PJRT_Device *const **out_devices)
{
    PJRT_NamedValue count = integer_option("cpu_device_count", SELFTEST_DEVICES);
    ARGS(create, Client_Create, .create_options = &count, .num_options = 1);
    if (!CALL(create, Client_Create) || !check_unknown_option()) {
        return false;
    }
    *out = create.client;
    ARGS(name, Client_PlatformName, .client = *out);
    ARGS(small, Client_PlatformName, .client = *out);
    small.struct_size = 4;
    ARGS(devices, Client_AddressableDevices, .client = *out);
    ARGS(lookup, Client_LookupDevice, .client = *out, .id = 1);
    ARGS(missing, Client_LookupDevice, .client = *out, .id = 77);
    if (!selftest_refused(selftest_api->PJRT_Client_PlatformName(&small),
                          PJRT_Error_Code_INVALID_ARGUMENT,
                          "Unexpected PJRT_Client_PlatformName_Args size: expected 40, "
                          "got 4.",
                          "small struct_size") ||
        !CALL(name, Client_PlatformName) || !CALL(devices, Client_AddressableDevices)) {
        return false;
    }
    if (name.platform_name_size != 3 || memcmp(name.platform_name, "cpu", 3) != 0) {
        return selftest_fail("the platform is %.*s", (int)name.platform_name_size,
                             name.platform_name);
    }
    if (devices.num_addressable_devices != SELFTEST_DEVICES) {
        return selftest_fail("%zu devices instead of %d",
                             devices.num_addressable_devices, SELFTEST_DEVICES);
    }
    *out_devices = devices.addressable_devices;
    if (!CALL(lookup, Client_LookupDevice) || lookup.device != (*out_devices)[1]) {
        return selftest_fail("device 1 is not the second");
    }
    return selftest_refused(selftest_api->PJRT_Client_LookupDevice(&missing),
                            PJRT_Error_Code_INVALID_ARGUMENT,
                            "No matching device found for device_id 77",
                            "missing device");
}

bool selftest_check_device(PJRT_Device *device, int id)
{
    ARGS(description, Device_GetDescription, .device = device);
    ARGS(memory, Device_DefaultMemory, .device = device);
    ARGS(memories, Device_AddressableMemories, .device = device);
    ARGS(addressable, Device_IsAddressable, .device = device);
    ARGS(stats, Device_MemoryStats, .device = device);
    if (!CALL(description, Device_GetDescription) ||
        !CALL(memory, Device_DefaultMemory) ||
        !CALL(memories, Device_AddressableMemories) ||
        !CALL(addressable, Device_IsAddressable) ||
        !selftest_refused(selftest_api->PJRT_Device_MemoryStats(&stats),
                          PJRT_Error_Code_UNIMPLEMENTED, "is not supported",
                          "memory statistics")) {
        return false;
    }
    ARGS(number, DeviceDescription_Id,
         .device_description = description.device_description);
    ARGS(kind, DeviceDescription_Kind,
         .device_description = description.device_description);
    ARGS(text, DeviceDescription_ToString,
         .device_description = description.device_description);
    ARGS(by, Memory_AddressableByDevices, .memory = memory.memory);
    if (!CALL(number, DeviceDescription_Id) || !CALL(kind, DeviceDescription_Kind) ||
        !CALL(text, DeviceDescription_ToString) ||
        !CALL(by, Memory_AddressableByDevices)) {
        return false;
    }
    bool right = number.id == id && kind.device_kind_size == 3 &&
                 text.to_string_size > 0 && addressable.is_addressable &&
                 memories.num_memories == 3 && memories.memories[0] == memory.memory &&
                 by.num_devices == 1 && by.devices[0] == device;
    return right ? true : selftest_fail("device %d describes itself wrongly", id);
}

PJRT_LoadedExecutable *selftest_compile(PJRT_Client *client, const char *text,
                                        const char *options, size_t options_size)
{
    char *copy = strdup(text);
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = copy,
                            .code_size = strlen(text),
                            .format = "mlir",
                            .format_size = 4};
    ARGS(args, Client_Compile, .client = client, .program = &program,
         .compile_options = options, .compile_options_size = options_size);
    bool ok = CALL(args, Client_Compile);
    program.format_size = 2;
    ARGS(bad, Client_Compile, .client = client, .program = &program,
         .compile_options = options, .compile_options_size = options_size);
    ok = selftest_refused(selftest_api->PJRT_Client_Compile(&bad),
                          PJRT_Error_Code_INVALID_ARGUMENT,
                          "Unknown program format 'ml'.", "format") &&
         ok;
    free(copy);
    return ok ? args.executable : NULL;
}

bool selftest_check_executable(PJRT_LoadedExecutable *loaded, size_t outputs,
                               size_t replicas)
{
    ARGS(get, LoadedExecutable_GetExecutable, .loaded_executable = loaded);
    if (!CALL(get, LoadedExecutable_GetExecutable)) {
        return false;
    }
    ARGS(count, Executable_NumOutputs, .executable = get.executable);
    ARGS(copies, Executable_NumReplicas, .executable = get.executable);
    ARGS(parts, Executable_NumPartitions, .executable = get.executable);
    ARGS(types, Executable_OutputElementTypes, .executable = get.executable);
    ARGS(dims, Executable_OutputDimensions, .executable = get.executable);
    ARGS(name, Executable_Name, .executable = get.executable);
    ARGS(print, Executable_Fingerprint, .executable = get.executable);
    ARGS(destroy, Executable_Destroy, .executable = get.executable);
    bool ok = CALL(count, Executable_NumOutputs) &&
              CALL(copies, Executable_NumReplicas) &&
              CALL(parts, Executable_NumPartitions) &&
              CALL(types, Executable_OutputElementTypes) &&
              CALL(dims, Executable_OutputDimensions) && CALL(name, Executable_Name) &&
              CALL(print, Executable_Fingerprint);
    if (ok && (count.num_outputs != outputs || copies.num_replicas != replicas ||
               parts.num_partitions != 1 || types.num_output_types != outputs ||
               types.output_types[0] != PJRT_Buffer_Type_F32 ||
               dims.num_outputs != outputs || print.executable_fingerprint_size == 0 ||
               name.executable_name_size != strlen("predict") ||
               memcmp(name.executable_name, "predict", strlen("predict")) != 0)) {
        ok = selftest_fail("the executable describes itself wrongly");
    }
    return CALL(destroy, Executable_Destroy) && ok;
}

PJRT_Buffer *selftest_put(PJRT_Client *client, PJRT_Device *device, const float *data,
                          const int64_t *dims, size_t num_dims)
{
    ARGS(args, Client_BufferFromHostBuffer, .client = client, .data = data,
         .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = num_dims,
         .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
         .device = device);
    bool ok = CALL(args, Client_BufferFromHostBuffer) &&
              selftest_settle(args.done_with_host_buffer, "transfer to the device");
    return ok ? args.buffer : NULL;
}

bool selftest_get(PJRT_Buffer *buffer, PJRT_Device *device, float *values, size_t count,
                  size_t rank, const char *what)
{
    ARGS(type, Buffer_ElementType, .buffer = buffer);
    ARGS(dims, Buffer_Dimensions, .buffer = buffer);
    ARGS(owner, Buffer_Device, .buffer = buffer);
    ARGS(memory, Buffer_Memory, .buffer = buffer);
    ARGS(cpu, Buffer_IsOnCpu, .buffer = buffer);
    ARGS(ready, Buffer_ReadyEvent, .buffer = buffer);
    ARGS(size, Buffer_ToHostBuffer, .src = buffer);
    ARGS(small, Buffer_ToHostBuffer, .src = buffer, .dst = values, .dst_size = 1);
    if (!CALL(ready, Buffer_ReadyEvent) || !selftest_settle(ready.event, what) ||
        !CALL(type, Buffer_ElementType) || !CALL(dims, Buffer_Dimensions) ||
        !CALL(owner, Buffer_Device) || !CALL(memory, Buffer_Memory) ||
        !CALL(cpu, Buffer_IsOnCpu) || !CALL(size, Buffer_ToHostBuffer)) {
        return false;
    }
    ARGS(kind, Memory_Kind, .memory = memory.memory);
    if (!CALL(kind, Memory_Kind)) {
        return false;
    }
    if (owner.device != device) {
        return selftest_fail("%s: the output is not on the device asked for", what);
    }
    if (kind.kind_size != 6 || memcmp(kind.kind, "device", 6) != 0) {
        return selftest_fail("%s: the output's memory is %.*s", what,
                             (int)kind.kind_size, kind.kind);
    }
    if (type.type != PJRT_Buffer_Type_F32) {
        return selftest_fail("%s: the output's element type is %d", what,
                             (int)type.type);
    }
    if (dims.num_dims != rank) {
        return selftest_fail("%s: the output has %zu dimensions, not %zu", what,
                             dims.num_dims, rank);
    }
    if (!cpu.is_on_cpu || size.event || size.dst_size != count * sizeof *values) {
        return selftest_fail("%s: the output has %zu bytes", what, size.dst_size);
    }
    ARGS(read, Buffer_ToHostBuffer, .src = buffer, .dst = values,
         .dst_size = count * sizeof *values);
    return selftest_refused(selftest_api->PJRT_Buffer_ToHostBuffer(&small),
                            PJRT_Error_Code_INVALID_ARGUMENT,
                            "`dst_size` must be >= ", "size") &&
           CALL(read, Buffer_ToHostBuffer) && selftest_settle(read.event, what);
}
