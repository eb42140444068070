#include "device/wire.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char magic[4] = "OCW1";
enum { MAX_JSON_BYTES = 4 << 20, ALIGNMENT = 64 };
static const uint64_t max_blob_bytes = (uint64_t)1 << 36;

typedef struct header {
    char magic[4];
    uint32_t json_size;
    uint64_t blob_size;
} header;

oc_status oc__wire_send(const oc__wire *wire, const json_t *json, const void *blob,
                        size_t blob_size, oc_error *err)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    size_t size = strlen(text);
    header head = {.json_size = (uint32_t)size, .blob_size = blob_size};
    memcpy(head.magic, magic, sizeof magic);
    // In one piece: each piece would wake the other side up.
    char *start = realloc(text, sizeof head + size);
    if (!start) {
        free(text);
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    memmove(start + sizeof head, start, size);
    memcpy(start, &head, sizeof head);
    oc_status rc = wire->move(wire->context, true, start, sizeof head + size, err);
    if (rc == OC_OK && blob_size > 0) {
        // The mover only reads when sending.
        rc = wire->move(wire->context, true, (void *)(uintptr_t)blob, blob_size, err);
    }
    free(start);
    return rc;
}

oc_status oc__wire_receive(const oc__wire *wire, oc__message *out_message,
                           oc_error *err)
{
    *out_message = (oc__message){0};
    oc__message got = {0};
    char *text = NULL;
    header head;
    oc_status rc = wire->move(wire->context, false, &head, sizeof head, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (memcmp(head.magic, magic, sizeof magic) != 0 ||
        head.json_size > MAX_JSON_BYTES || head.blob_size > max_blob_bytes) {
        rc = OC_FAIL(err, OC_CHILD, OC_BOUNDARY_NONE,
                     "bytes that are no message arrived from the plugin's process");
        goto done;
    }
    text = malloc((size_t)head.json_size + 1);
    got.blob =
        head.blob_size > 0
            ? aligned_alloc(ALIGNMENT, (head.blob_size / ALIGNMENT + 1) * ALIGNMENT)
            : NULL;
    got.blob_size = (size_t)head.blob_size;
    if (!text || (head.blob_size > 0 && !got.blob)) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE,
                     "no memory for a message of %zu bytes", got.blob_size);
        goto done;
    }
    rc = wire->move(wire->context, false, text, head.json_size, err);
    if (rc == OC_OK && got.blob) {
        rc = wire->move(wire->context, false, got.blob, got.blob_size, err);
    }
    if (rc == OC_OK) {
        rc = oc__json_parse(text, head.json_size, "message", &got.json, err);
    }
    if (rc == OC_OK) {
        *out_message = got;
        got = (oc__message){0};
    }
done:
    oc__message_free(&got);
    free(text);
    return rc;
}

void oc__message_free(oc__message *message)
{
    json_decref(message->json);
    free(message->blob);
    *message = (oc__message){0};
}

/* The bytes that an array has; false when there is no such array. */
static bool array_bytes(oc_dtype dtype, const int64_t *dims, size_t rank, size_t *out)
{
    size_t bytes = oc_dtype_host_bits(dtype) / 8;
    bool fits = bytes > 0;
    for (size_t i = 0; i < rank && fits; i++) {
        fits = dims[i] >= 0 && !__builtin_mul_overflow(bytes, (size_t)dims[i], &bytes);
    }
    *out = bytes;
    return fits;
}

oc_status oc__message_take_array(oc__message *message, oc_tensor *out_tensor,
                                 oc_error *err)
{
    const json_t *dims_value = json_object_get(message->json, "dims");
    oc_tensor array = {
        .dtype = (oc_dtype)json_integer_value(json_object_get(message->json, "dtype")),
        .rank = json_array_size(dims_value)};
    *out_tensor = (oc_tensor){0};
    for (size_t i = 0; i < array.rank && i < OC_MAX_RANK; i++) {
        array.dims[i] = json_integer_value(json_array_get(dims_value, i));
    }
    if (array.rank > OC_MAX_RANK ||
        !array_bytes(array.dtype, array.dims, array.rank, &array.size_bytes) ||
        array.size_bytes != message->blob_size) {
        return OC_FAIL(err, OC_CHILD, OC_BOUNDARY_TRANSFER,
                       "an array does not have the bytes that its type and shape need");
    }
    if (message->blob_size == 0) {
        return oc_tensor_make(array.dtype, array.dims, array.rank, out_tensor, err);
    }
    array.data = message->blob;
    message->blob = NULL;
    message->blob_size = 0;
    *out_tensor = array;
    return OC_OK;
}
