/* events.jsonl: every line of the job, and the launcher's own, as they come. */
#include "supervise/events.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TAKEN = 8 << 20 };

oc_status oc__events_open(const char *path, oc__launch_events *events, oc_error *err)
{
    events->line = malloc(OC__EVENT_LINE + 1);
    oc__strbuf_init(&events->taken, MAX_TAKEN);
    events->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (!events->line) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    return events->file >= 0 ? OC_OK
                             : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                       "cannot create '%s': %s", path, strerror(errno));
}

oc_status oc__events_close(oc__launch_events *events, oc_error *err)
{
    bool ok = events->file < 0 || fsync(events->file) == 0;
    int why = errno;
    if (events->file >= 0 && close(events->file) != 0 && ok) {
        ok = false;
        why = errno;
    }
    free(events->line);
    oc__strbuf_free(&events->taken);
    events->line = NULL;
    events->file = -1;
    return ok ? OC_OK
              : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                        "cannot keep events.jsonl: %s", strerror(why));
}

/* What was taken, in one write(2) of whole lines, so that a reader never sees half of
 * one; where the disk takes only a part, the rest follows or the part is taken back. */
static oc_status flush(oc__launch_events *events, oc_error *err)
{
    size_t done = 0, size = events->taken.size;
    if (events->taken.failed) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    events->taken.size = 0;
    while (done < size) {
        ssize_t wrote = write(events->file, events->taken.data + done, size - done);
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (wrote == 0 || errno != EINTR) {
            oc_status rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                   "cannot write %zu bytes to events.jsonl: %s", size,
                                   strerror(wrote < 0 ? errno : ENOSPC));
            oc__ignore(ftruncate(events->file, events->size) == 0 ? OC_OK : OC_IO);
            return rc;
        }
    }
    events->size += (int64_t)size;
    return OC_OK;
}

/* The line as it came, with the time in front of its members. */
static void take(oc__launch_events *events, const char *text, size_t size)
{
    int64_t us = oc__now_us() - events->start_us;
    size_t begin = events->taken.size;
    oc__strbuf_addf(&events->taken, "{\"t_s\": %" PRId64 ".%06" PRId64 ", ",
                    us / 1000000, us % 1000000);
    oc__strbuf_add(&events->taken, text + 1, size - 1); // after its '{'
    if (events->on_event && !events->taken.failed) {
        events->on_event(events->context, events->taken.data + begin);
    }
    oc__strbuf_add(&events->taken, "\n", 1);
}

oc_status oc__events_say(oc__launch_events *events, json_t *event, oc_error *err)
{
    char *text = json_dumps(event, 0);
    oc_status rc =
        text ? OC_OK : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    json_decref(event);
    if (rc == OC_OK) {
        take(events, text, strlen(text));
        rc = flush(events, err);
    }
    free(text);
    return rc;
}

/* One line of the job, without its end. */
static oc_status take_line(oc__launch_events *events, const char *text, size_t size,
                           oc_error *err)
{
    json_t *root = NULL;
    oc_error why = {0};
    while (size > 0 && strchr(" \t\r", text[size - 1])) {
        size--;
    }
    while (size > 0 && strchr(" \t", *text)) {
        text++;
        size--;
    }
    if (events->size > OC__EVENT_FILE) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "the job has said more than %d MiB of events",
                       OC__EVENT_FILE >> 20);
    }
    oc_status rc = oc__json_parse(text, size, "event", &root, &why);
    if (rc != OC_OK) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "a line of the job is no event: %.200s", why.text);
    }
    if (!json_is_object(root)) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                     "a line of the job is no event: it is no JSON object");
    }
    rc = rc == OC_OK ? oc__event_take(events, root, err) : rc;
    json_decref(root);
    if (rc == OC_OK) {
        take(events, text, size);
    }
    return rc;
}

oc_status oc__events_read(oc__launch_events *events, int fd, bool *out_open,
                          oc_error *err)
{
    ssize_t got =
        read(fd, events->line + events->used, OC__EVENT_LINE + 1 - events->used);
    *out_open = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got <= 0) {
        return OC_OK; // what stands unfinished at the end is no line
    }
    events->used += (size_t)got;
    char *at = events->line;
    char *end = events->line + events->used;
    oc_status rc = OC_OK;
    for (char *stop; rc == OC_OK && (stop = memchr(at, '\n', (size_t)(end - at)));) {
        rc = take_line(events, at, (size_t)(stop - at), err);
        at = stop + 1;
    }
    events->used = (size_t)(end - at);
    memmove(events->line, at, events->used);
    // What came before a wrong line is kept.
    oc_status kept = flush(events, rc == OC_OK ? err : NULL);
    rc = rc == OC_OK ? kept : rc;
    if (rc == OC_OK && events->used > OC__EVENT_LINE) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                     "a line of the job is longer than the %d bytes of an event",
                     OC__EVENT_LINE);
    }
    return rc;
}
