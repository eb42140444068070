/* Buffers: to the device, back to the host, and what they say about themselves. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of one element; 0 for the types that the fake does not hold. */
static size_t width_of(PJRT_Buffer_Type type)
{
    switch (type) {
    case PJRT_Buffer_Type_PRED:
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8: return 1;
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_F16:
    case PJRT_Buffer_Type_BF16: return 2;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_F32: return 4;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_F64: return 8;
    default: return 0;
    }
}

PJRT_Buffer *fake_buffer_new(PJRT_Device *device, PJRT_Buffer_Type type,
                             const int64_t *dims, size_t num_dims)
{
    size_t size = width_of(type);
    if (size == 0 || num_dims > FAKE_MAX_RANK) {
        return NULL;
    }
    for (size_t i = 0; i < num_dims; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(size, (size_t)dims[i], &size)) {
            return NULL;
        }
    }
    PJRT_Buffer *buffer = fake_alloc(1, sizeof *buffer);
    buffer->device = device;
    buffer->memory = &device->memories[FAKE_DEVICE_MEMORY];
    buffer->type = type;
    buffer->num_dims = num_dims;
    if (num_dims > 0) {
        memcpy(buffer->dims, dims, num_dims * sizeof *dims);
    }
    buffer->size_bytes = size;
    buffer->data = fake_alloc(size ? size : 1, 1);
    return buffer;
}

static bool is_row_major(const PJRT_Client_BufferFromHostBuffer_Args *args)
{
    if (args->num_byte_strides != 0 && args->num_byte_strides != args->num_dims) {
        return false;
    }
    int64_t stride = (int64_t)width_of(args->type);
    for (size_t i = args->num_byte_strides; i-- > 0; stride *= args->dims[i]) {
        if (args->byte_strides[i] != stride) {
            return false;
        }
    }
    return true;
}

FAKE_DEFINE(Client_BufferFromHostBuffer)
{
    args->buffer = NULL;
    args->done_with_host_buffer = NULL;
    PJRT_Device *device = args->memory ? args->memory->device : args->device;
    if (!device || args->device_layout || !is_row_major(args)) {
        return fake_error(PJRT_Error_Code_UNIMPLEMENTED,
                          "The fake plugin takes row-major data for a named device.");
    }
    PJRT_Buffer *buffer =
        fake_buffer_new(device, args->type, args->dims, args->num_dims);
    if (!buffer) {
        return fake_error(
            PJRT_Error_Code_INVALID_ARGUMENT,
            "The fake plugin cannot hold an array of this type or shape.");
    }
    if (args->memory) {
        buffer->memory = args->memory;
    }
    if (buffer->size_bytes > 0) {
        memcpy(buffer->data, args->data, buffer->size_bytes);
    }
    args->buffer = buffer;
    args->done_with_host_buffer = fake_event(NULL);
    return NULL;
}

FAKE_DEFINE(Buffer_Destroy)
{
    free(args->buffer->data);
    free(args->buffer);
    return NULL;
}

FAKE_DEFINE(Buffer_ElementType)
{
    args->type = args->buffer->type;
    return NULL;
}

FAKE_DEFINE(Buffer_Dimensions)
{
    args->dims = args->buffer->dims;
    args->num_dims = args->buffer->num_dims;
    return NULL;
}

FAKE_DEFINE(Buffer_OnDeviceSizeInBytes)
{
    args->on_device_size_in_bytes = args->buffer->size_bytes;
    return NULL;
}

FAKE_DEFINE(Buffer_Device)
{
    args->device = args->buffer->device;
    return NULL;
}

FAKE_DEFINE(Buffer_Memory)
{
    args->memory = args->buffer->memory;
    return NULL;
}

FAKE_DEFINE(Buffer_Delete)
{
    args->buffer->deleted = true;
    return NULL;
}

FAKE_DEFINE(Buffer_IsDeleted)
{
    args->is_deleted = args->buffer->deleted;
    return NULL;
}

FAKE_DEFINE(Buffer_IsOnCpu)
{
    args->is_on_cpu = true;
    return NULL;
}

FAKE_DEFINE(Buffer_ReadyEvent)
{
    args->event = fake_event(NULL);
    args->event->never_ready = args->buffer->never_ready;
    return NULL;
}

/* Its arrays are row major, and no other layout can be asked for. */
static bool is_row_major_layout(const PJRT_Buffer_MemoryLayout *layout)
{
    if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
        layout->tiled.num_tiles > 0) {
        return false;
    }
    for (size_t i = 0; i < layout->tiled.minor_to_major_size; i++) {
        if (layout->tiled.minor_to_major[i] !=
            (int64_t)(layout->tiled.minor_to_major_size - 1 - i)) {
            return false;
        }
    }
    return true;
}

FAKE_DEFINE(Buffer_ToHostBuffer)
{
    PJRT_Buffer *src = args->src;
    args->event = NULL;
    if (args->host_layout && !is_row_major_layout(args->host_layout)) {
        return fake_error(PJRT_Error_Code_UNIMPLEMENTED,
                          "The fake plugin's arrays are row major.");
    }
    if (!args->dst) {
        args->dst_size = src->size_bytes;
        return NULL;
    }
    if (args->dst_size < src->size_bytes) {
        return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                          "`dst_size` must be >= %zu, got %zu.", src->size_bytes,
                          args->dst_size);
    }
    PJRT_Error *error = NULL;
    if (src->deleted) {
        error = fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                           "ToLiteral() called on deleted or donated buffer: "
                           "INVALID_ARGUMENT: Buffer has been deleted or donated.");
    } else if (!src->never_ready && src->size_bytes > 0) {
        memcpy(args->dst, src->data, src->size_bytes);
    }
    args->event = fake_event(error);
    args->event->never_ready = src->never_ready;
    return NULL;
}
