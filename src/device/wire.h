/* The messages between onchip and its worker process.
 *
 * A message is a JSON object and a blob of bytes (an array, a program). On the wire:
 * the magic "OCW1", the JSON's size (uint32), the blob's size (uint64), the JSON, the
 * blob; both processes run on one machine, so numbers are in its byte order. A request
 * has a member "op"; a reply has "ok", and when it is false the members of an oc_error.
 *
 * The worker's memory belongs to a plugin that may have overwritten it, so the reader
 * trusts nothing: wrong magic, sizes over the limits and bad JSON are OC_CHILD. */
#ifndef ONCHIP_DEVICE_WIRE_H
#define ONCHIP_DEVICE_WIRE_H

#include "base/error.h"
#include "base/json.h"
#include "onchip/tensor.h"

#include <stdbool.h>
#include <stddef.h>

/* Moves exactly `size` bytes or fails; how long it waits is its own affair. */
typedef struct oc__wire {
    oc_status (*move)(void *context, bool sending, void *data, size_t size,
                      oc_error *err);
    void *context;
} oc__wire;

typedef struct oc__message {
    json_t *json;
    void *blob; /* NULL when blob_size is 0; aligned as a tensor's data is */
    size_t blob_size;
} oc__message;

/* Neither consumes its arguments; oc__message_free releases what receive gave. */
OC_MUST_USE oc_status oc__wire_send(const oc__wire *wire, const json_t *json,
                                    const void *blob, size_t blob_size, oc_error *err);
OC_MUST_USE oc_status oc__wire_receive(const oc__wire *wire, oc__message *out_message,
                                       oc_error *err);
void oc__message_free(oc__message *message);

/* Makes the array of members "dtype" and "dims" whose elements are the blob, which is
 * taken out of the message and not copied. OC_CHILD when they do not fit each other. */
OC_MUST_USE oc_status oc__message_take_array(oc__message *message,
                                             oc_tensor *out_tensor, oc_error *err);

#endif
