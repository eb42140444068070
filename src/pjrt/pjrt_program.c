#include "pjrt/pjrt_program.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUTS = 65536 };

static oc_status count_outputs(const oc__pjrt *pjrt, oc__pjrt_program *program,
                               oc_error *err)
{
    const oc_boundary at = OC_BOUNDARY_COMPILE;
    PJRT_LoadedExecutable_GetExecutable_Args get = {
        .struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
        .loaded_executable = program->loaded};
    oc_status rc =
        OC__PJRT_CALL(pjrt, PJRT_LoadedExecutable_GetExecutable, &get, at, err);
    if (rc != OC_OK) {
        return rc;
    }
    PJRT_Executable_NumOutputs_Args outputs = {
        .struct_size = PJRT_Executable_NumOutputs_Args_STRUCT_SIZE,
        .executable = get.executable};
    rc = OC__PJRT_CALL(pjrt, PJRT_Executable_NumOutputs, &outputs, at, err);
    PJRT_Executable_Destroy_Args destroy = {
        .struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
        .executable = get.executable};
    oc__ignore(OC__PJRT_CALL(pjrt, PJRT_Executable_Destroy, &destroy, at, NULL));
    if (rc == OC_OK && outputs.num_outputs > MAX_OUTPUTS) {
        rc = OC_FAIL(err, OC_LIMIT, at,
                     "the program has %zu outputs; at most %d are handled",
                     outputs.num_outputs, MAX_OUTPUTS);
    }
    program->num_outputs = outputs.num_outputs;
    return rc;
}

oc_status oc__pjrt_compile(const oc__pjrt *pjrt, const char *code, size_t code_size,
                           const void *options, size_t options_size,
                           oc__pjrt_program *out_program, oc_error *err)
{
    *out_program = (oc__pjrt_program){0};
    if (options_size == 0 || code_size == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_COMPILE,
                       "an empty program or empty compile options were given");
    }
    // The plugin may rewrite the program in place when the options allow it.
    char *own_code = malloc(code_size);
    if (!own_code) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_COMPILE, "out of memory");
    }
    memcpy(own_code, code, code_size);
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = own_code,
                            .code_size = code_size,
                            .format = "mlir",
                            .format_size = 4};
    PJRT_Client_Compile_Args compile = {.struct_size =
                                            PJRT_Client_Compile_Args_STRUCT_SIZE,
                                        .client = pjrt->client,
                                        .program = &program,
                                        .compile_options = options,
                                        .compile_options_size = options_size};
    oc_status rc =
        OC__PJRT_CALL(pjrt, PJRT_Client_Compile, &compile, OC_BOUNDARY_COMPILE, err);
    free(own_code);
    if (rc != OC_OK) {
        return rc;
    }
    if (!compile.executable) {
        return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_COMPILE,
                       "PJRT_Client_Compile reported success and gave no executable");
    }
    out_program->loaded = compile.executable;
    rc = count_outputs(pjrt, out_program, err);
    if (rc != OC_OK) {
        oc__pjrt_program_free(pjrt, out_program);
    }
    return rc;
}

void oc__pjrt_program_free(const oc__pjrt *pjrt, oc__pjrt_program *program)
{
    PJRT_LoadedExecutable_Destroy_Args destroy = {
        .struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
        .executable = program->loaded};
    if (program->loaded) {
        oc__ignore(OC__PJRT_CALL(pjrt, PJRT_LoadedExecutable_Destroy, &destroy,
                                 OC_BOUNDARY_NONE, NULL));
    }
    *program = (oc__pjrt_program){0};
}

oc_status oc__pjrt_put(const oc__pjrt *pjrt, const oc_tensor *tensor,
                       PJRT_Device *device, PJRT_Buffer **out_buffer, oc_error *err)
{
    *out_buffer = NULL;
    // Types past PJRT's numbers would be taken for whatever a plugin makes of them.
    if (tensor->dtype > OC_F4E2M1FN) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_TRANSFER,
                       "PJRT has no buffer type for %s", oc_dtype_name(tensor->dtype));
    }
    PJRT_Client_BufferFromHostBuffer_Args put = {
        .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
        .client = pjrt->client,
        .data = tensor->data,
        .type = (PJRT_Buffer_Type)tensor->dtype,
        .dims = tensor->dims,
        .num_dims = tensor->rank,
        .host_buffer_semantics =
            PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
        .device = device};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Client_BufferFromHostBuffer, &put,
                                 OC_BOUNDARY_TRANSFER, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc__pjrt_await(pjrt, put.done_with_host_buffer, OC_BOUNDARY_TRANSFER, err);
    if (rc == OC_OK && !put.buffer) {
        rc = OC_FAIL(
            err, OC_PLUGIN, OC_BOUNDARY_TRANSFER,
            "PJRT_Client_BufferFromHostBuffer reported success and gave no buffer");
    }
    if (rc != OC_OK) {
        oc__pjrt_buffer_free(pjrt, put.buffer);
        return rc;
    }
    *out_buffer = put.buffer;
    return OC_OK;
}

/* Awaits every device's event, also after one has failed: they must all be consumed. */
static oc_status await_devices(const oc__pjrt *pjrt, PJRT_Event **events, size_t count,
                               oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count; i++) {
        oc_status one = oc__pjrt_await(pjrt, events[i], OC_BOUNDARY_EXECUTE, err);
        rc = rc == OC_OK ? one : rc;
    }
    return rc;
}

oc_status oc__pjrt_execute(const oc__pjrt *pjrt, const oc__pjrt_program *program,
                           PJRT_Buffer *const *arguments, size_t num_devices,
                           size_t num_args, PJRT_Buffer **out_outputs, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t total = num_devices * program->num_outputs;
    PJRT_Buffer *const **argument_lists = calloc(num_devices, sizeof *argument_lists);
    PJRT_Buffer ***output_lists = calloc(num_devices, sizeof *output_lists);
    PJRT_Event **events = calloc(num_devices, sizeof(PJRT_Event *));
    memset(out_outputs, 0, total * sizeof *out_outputs);
    if (!argument_lists || !output_lists || !events) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EXECUTE, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < num_devices; i++) {
        argument_lists[i] = arguments + i * num_args;
        output_lists[i] = out_outputs + i * program->num_outputs;
    }
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_LoadedExecutable_Execute_Args execute = {
        .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
        .executable = program->loaded,
        .options = &options,
        .argument_lists = argument_lists,
        .num_devices = num_devices,
        .num_args = num_args,
        .output_lists = output_lists,
        .device_complete_events = events};
    rc = OC__PJRT_CALL(pjrt, PJRT_LoadedExecutable_Execute, &execute,
                       OC_BOUNDARY_EXECUTE, err);
    if (rc == OC_OK) {
        rc = await_devices(pjrt, events, num_devices, err);
    }
    for (size_t i = 0; rc == OC_OK && i < total; i++) {
        if (!out_outputs[i]) {
            rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                         "the execution reported success and gave no output %zu", i);
        }
    }
done:
    for (size_t i = 0; rc != OC_OK && i < total; i++) {
        oc__pjrt_buffer_free(pjrt, out_outputs[i]);
        out_outputs[i] = NULL;
    }
    free(events);
    free(output_lists);
    free(argument_lists);
    return rc;
}

oc_status oc__pjrt_describe_buffer(const oc__pjrt *pjrt, PJRT_Buffer *buffer,
                                   oc__pjrt_buffer_info *out_info, oc_error *err)
{
    const oc_boundary at = OC_BOUNDARY_PLACEMENT;
    *out_info = (oc__pjrt_buffer_info){0};
    PJRT_Buffer_ElementType_Args type = {
        .struct_size = PJRT_Buffer_ElementType_Args_STRUCT_SIZE, .buffer = buffer};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Buffer_ElementType, &type, at, err);
    PJRT_Buffer_Dimensions_Args dims = {
        .struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE, .buffer = buffer};
    if (rc == OC_OK) {
        rc = OC__PJRT_CALL(pjrt, PJRT_Buffer_Dimensions, &dims, at, err);
    }
    PJRT_Buffer_Device_Args device = {
        .struct_size = PJRT_Buffer_Device_Args_STRUCT_SIZE, .buffer = buffer};
    if (rc == OC_OK) {
        rc = OC__PJRT_CALL(pjrt, PJRT_Buffer_Device, &device, at, err);
    }
    if (rc == OC_OK && dims.num_dims > OC_MAX_RANK) {
        rc = OC_FAIL(err, OC_LIMIT, at,
                     "a buffer has %zu dimensions; at most %d are handled",
                     dims.num_dims, OC_MAX_RANK);
    }
    if (rc != OC_OK) {
        return rc;
    }
    out_info->dtype = (oc_dtype)type.type;
    out_info->rank = dims.num_dims;
    for (size_t i = 0; i < dims.num_dims; i++) {
        out_info->dims[i] = dims.dims[i];
    }
    out_info->device = device.device;
    out_info->device_listed = oc__pjrt_owns(pjrt, device.device);
    PJRT_Buffer_Memory_Args memory = {
        .struct_size = PJRT_Buffer_Memory_Args_STRUCT_SIZE, .buffer = buffer};
    if (OC__PJRT_CALL(pjrt, PJRT_Buffer_Memory, &memory, at, NULL) == OC_OK) {
        out_info->memory_kind = oc__pjrt_memory_kind(pjrt, memory.memory);
    }
    return OC_OK;
}

oc_status oc__pjrt_get(const oc__pjrt *pjrt, PJRT_Buffer *buffer, oc_tensor *out_tensor,
                       oc_error *err)
{
    *out_tensor = (oc_tensor){0};
    oc_tensor host = {0};
    oc__pjrt_buffer_info info;
    oc_status rc = oc__pjrt_describe_buffer(pjrt, buffer, &info, err);
    if (rc == OC_OK) {
        rc = oc_tensor_make(info.dtype, info.dims, info.rank, &host, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    // Without a host layout the bytes come in the device's own order of dimensions.
    int64_t minor_to_major[OC_MAX_RANK];
    for (size_t i = 0; i < info.rank; i++) {
        minor_to_major[i] = (int64_t)(info.rank - 1 - i);
    }
    PJRT_Buffer_MemoryLayout row_major = {
        .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
        .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                  .minor_to_major = minor_to_major,
                  .minor_to_major_size = info.rank},
        .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
    PJRT_Buffer_ToHostBuffer_Args get = {.struct_size =
                                             PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
                                         .src = buffer,
                                         .host_layout = &row_major};
    rc = OC__PJRT_CALL(pjrt, PJRT_Buffer_ToHostBuffer, &get, OC_BOUNDARY_TRANSFER, err);
    if (rc == OC_OK && get.dst_size != host.size_bytes) {
        rc = OC_FAIL(
            err, OC_PLUGIN, OC_BOUNDARY_TRANSFER,
            "the buffer needs %zu bytes on the host, but its type and shape need %zu",
            get.dst_size, host.size_bytes);
    }
    if (rc == OC_OK && host.size_bytes > 0) {
        get.dst = host.data;
        rc = OC__PJRT_CALL(pjrt, PJRT_Buffer_ToHostBuffer, &get, OC_BOUNDARY_TRANSFER,
                           err);
        if (rc == OC_OK) {
            rc = oc__pjrt_await(pjrt, get.event, OC_BOUNDARY_TRANSFER, err);
        }
    }
    if (rc != OC_OK) {
        oc_tensor_free(&host);
        return rc;
    }
    *out_tensor = host;
    return OC_OK;
}

void oc__pjrt_buffer_free(const oc__pjrt *pjrt, PJRT_Buffer *buffer)
{
    PJRT_Buffer_Destroy_Args destroy = {
        .struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
    if (buffer) {
        oc__ignore(
            OC__PJRT_CALL(pjrt, PJRT_Buffer_Destroy, &destroy, OC_BOUNDARY_NONE, NULL));
    }
}
