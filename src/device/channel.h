/* The worker process and the conversation with it: one request, one reply, the plugin's
 * noise collected meanwhile, nothing waited for past the deadline. */
#ifndef ONCHIP_DEVICE_CHANNEL_H
#define ONCHIP_DEVICE_CHANNEL_H

#include "device/wire.h"
#include "proc/proc.h"

typedef struct oc__channel {
    oc__proc worker;
    int socket; /* -1: closed */
    int log_fd; /* -1: closed */
    oc__strbuf
        log; /* at most OC__LOG_BYTES: the first half, and the last half of the rest */
    oc__deadline deadline;
    int64_t timeout_ms;
    bool broken; /* the worker is gone or talked nonsense; `failure` says how */
    oc_error failure;
} oc__channel;

enum { OC__LOG_BYTES = 1 << 20 };

/* Starts the worker with `environment` (NULL-terminated "NAME=value" laid over ours).
 * The deadline counts from here; a later one may be set. oc__channel_close takes what a
 * failed open left, too.
 */
OC_MUST_USE oc_status oc__channel_open(oc__channel *channel,
                                       const char *const *environment,
                                       int64_t timeout_ms, oc_error *err);
void oc__channel_close(oc__channel *channel);

/* Consumes `request`. An error without a boundary of its own gets `boundary`. */
OC_MUST_USE oc_status oc__channel_call(oc__channel *channel, json_t *request,
                                       const void *blob, size_t blob_size,
                                       oc_boundary boundary, oc__message *out_reply,
                                       oc_error *err);

#endif
