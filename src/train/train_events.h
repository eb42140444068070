/* The events of docs/launch-protocol.md, as the job says them. */
#ifndef ONCHIP_TRAIN_TRAIN_EVENTS_H
#define ONCHIP_TRAIN_TRAIN_EVENTS_H

#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct oc__train_events {
    int fd;
    bool gone; /* nobody listens any more: nothing is written again */
} oc__train_events;

/* A decimal number of at most 9 digits; -1 when `text` (or NULL) is none. */
int64_t oc__train_number(const char *text);

/* Takes ONCHIP_EVENTS_FD. */
OC_MUST_USE oc_status oc__train_events_open(oc__train_events *out_events,
                                            oc_error *err);

/* Consumes `event` (NULL: memory ran out). */
OC_MUST_USE oc_status oc__train_emit(oc__train_events *events, json_t *event,
                                     oc_error *err);

typedef struct oc__train_progress {
    int64_t step;
    float loss;
    int64_t examples;
    double update_s;
    const char *state_hash;
} oc__train_progress;
OC_MUST_USE oc_status oc__train_emit_progress(oc__train_events *events,
                                              const oc__train_progress *progress,
                                              oc_error *err);

/* All of it, or the error of errno: write(2) may write less, and may be interrupted. */
OC_MUST_USE oc_status oc__train_write(int fd, const void *data, size_t size,
                                      const char *what, oc_error *err);

#endif
