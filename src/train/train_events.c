#include "train_events.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DIGITS = 9, MAX_PROGRESS = 320, MAX_NUMBER = 32 };

int64_t oc__train_number(const char *text)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits >= 1 && digits <= MAX_DIGITS && !text[digits] ? atoll(text) : -1;
}

oc_status oc__train_events_open(oc__train_events *out_events, oc_error *err)
{
    int64_t fd = oc__train_number(getenv("ONCHIP_EVENTS_FD"));
    *out_events = (oc__train_events){.fd = (int)fd};
    if (fd < 3 || fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0) {
        out_events->gone = true;
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "ONCHIP_EVENTS_FD names no open descriptor; `onchip launch` "
                       "starts this program");
    }
    return OC_OK;
}

oc_status oc__train_write(int fd, const void *data, size_t size, const char *what,
                          oc_error *err)
{
    const char *at = data;
    while (size > 0) {
        ssize_t wrote = write(fd, at, size);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                           "cannot write %zu bytes of %s: %s", size, what,
                           strerror(errno));
        }
        at += wrote;
        size -= (size_t)wrote;
    }
    return OC_OK;
}

static oc_status say(oc__train_events *events, const char *line, size_t size,
                     oc_error *err)
{
    if (events->gone) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                       "nobody listens to events any more");
    }
    oc_status rc = oc__train_write(events->fd, line, size, "an event", err);
    events->gone = rc != OC_OK;
    return rc;
}

oc_status oc__train_emit(oc__train_events *events, json_t *event, oc_error *err)
{
    char *text =
        event ? json_dumps(event, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(event);
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    size_t size = strlen(text);
    text[size] = '\n'; // in place of the NUL, so that it goes out in one write
    oc_status rc = say(events, text, size + 1, err);
    free(text);
    return rc;
}

/* A JSON number that gives the float back (C11 5.2.4.2.2: FLT_DECIMAL_DIG is 9), or the
 * text that stands for one that is not finite. */
static void number_text(float value, char out[MAX_NUMBER])
{
    if (isfinite(value)) {
        snprintf(out, MAX_NUMBER, "%.9g", (double)value);
    } else {
        snprintf(out, MAX_NUMBER, "\"%s\"",
                 isnan(value) ? "NaN" : (value > 0 ? "Infinity" : "-Infinity"));
    }
}

/* One a step, perhaps thousands a second: without a tree of values. */
oc_status oc__train_emit_progress(oc__train_events *events,
                                  const oc__train_progress *progress, oc_error *err)
{
    char line[MAX_PROGRESS], loss[MAX_NUMBER];
    number_text(progress->loss, loss);
    int size = snprintf(line, sizeof line,
                        "{\"event\":\"progress\",\"step\":%lld,\"loss\":%s,"
                        "\"examples\":%lld,\"update_s\":%.9g,\"state_hash\":\"%s\"}\n",
                        (long long)progress->step, loss, (long long)progress->examples,
                        progress->update_s, progress->state_hash);
    return say(events, line, (size_t)size, err);
}
