/* The events of a job (docs/launch-protocol.md): checked, given their time, kept in
 * events.jsonl, and added up. */
#ifndef ONCHIP_SUPERVISE_EVENTS_H
#define ONCHIP_SUPERVISE_EVENTS_H

#include "base/json.h"
#include "base/strbuf.h"

#include <stdint.h>

enum { OC__EVENT_LINE = 64 << 10, OC__EVENT_FILE = 64 << 20 };

typedef struct oc__launch_events {
    int file; /* events.jsonl */
    int64_t size, start_us;
    int64_t steps, resumed_from;
    void (*on_event)(void *context, const char *line);
    void *context;
    char *line; /* what came of the next one */
    size_t used;
    oc__strbuf taken; /* lines that are not in the file yet */

    /* What the job has said. */
    bool ready, completed, failed;
    int64_t last_step, checkpoint_step, updates, examples;
    double update_s;
    int64_t moved_us; /* when it last got further */
    char kind[64], message[320];
    json_t *observed;
} oc__launch_events;

/* All members 0 but those that the launcher knows: start_us, steps, resumed_from and
 * last_step (the same), on_event, context. */
OC_MUST_USE oc_status oc__events_open(const char *path, oc__launch_events *events,
                                      oc_error *err);
/* `observed` stays the caller's. */
OC_MUST_USE oc_status oc__events_close(oc__launch_events *events, oc_error *err);
/* Reads what has come, at most a line's length. OC_PARSE: it is no event; OC_IO: it
 * cannot be kept. *out_open: false at the end of the stream. */
OC_MUST_USE oc_status oc__events_read(oc__launch_events *events, int fd, bool *out_open,
                                      oc_error *err);
/* An event of the launcher's own; takes the reference. */
OC_MUST_USE oc_status oc__events_say(oc__launch_events *events, json_t *event,
                                     oc_error *err);

/* events_check.c: one event of the job. OC_PARSE: it may not say that. */
OC_MUST_USE oc_status oc__event_take(oc__launch_events *events, json_t *root,
                                     oc_error *err);

#endif
