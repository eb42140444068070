/* What a job may say, and in which order (docs/launch-protocol.md). */
#include "supervise/events.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 128 };

typedef enum kind { COUNT, TEXT, LONG_TEXT, SECONDS, REAL, TEXTS } kind;

static const struct {
    const char *event, *name;
    kind kind;
} members[] = {
    {"started", "pid", COUNT},          {"started", "backend", TEXT},
    {"started", "device_count", COUNT}, {"started", "devices", TEXTS},
    {"restored", "step", COUNT},        {"restored", "state_hash", TEXT},
    {"ready", "compile_s", SECONDS},    {"ready", "warmup_s", SECONDS},
    {"progress", "step", COUNT},        {"progress", "loss", REAL},
    {"progress", "examples", COUNT},    {"progress", "update_s", SECONDS},
    {"progress", "state_hash", TEXT},   {"checkpoint", "step", COUNT},
    {"checkpoint", "state_hash", TEXT}, {"completed", "step", COUNT},
    {"failed", "kind", TEXT},           {"failed", "message", LONG_TEXT},
};

static bool is_text(const json_t *value, size_t longest)
{
    return json_is_string(value) && json_string_length(value) <= longest;
}

static bool fits(const json_t *value, kind wanted)
{
    double number = 0;
    size_t index;
    const json_t *item;
    switch (wanted) {
    case COUNT: return json_is_integer(value) && json_integer_value(value) >= 0;
    case TEXT: return is_text(value, MAX_TEXT);
    case LONG_TEXT: return is_text(value, OC__EVENT_LINE);
    case SECONDS:
        return json_is_number(value) && json_number_value(value) >= 0 &&
               isfinite(json_number_value(value));
    case REAL: return oc__json_as_float(value, &number);
    case TEXTS:
        if (!json_is_array(value)) {
            return false;
        }
        json_array_foreach((json_t *)(size_t)value, index, item)
        {
            if (!json_is_string(item)) {
                return false;
            }
        }
        return true;
    }
    return false;
}

static oc_status refuse_member(const char *event, const char *name, kind wanted,
                               const json_t *value, oc_error *err)
{
    static const char *const words[] = {[COUNT] = "a whole number from 0",
                                        [TEXT] = "a text of at most 128 bytes",
                                        [LONG_TEXT] = "a text",
                                        [SECONDS] = "seconds, finite, from 0",
                                        [REAL] = "a number, NaN or an Infinity",
                                        [TEXTS] = "a list of texts"};
    return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                   value ? "event '%.40s': '%s' is not %s"
                         : "event '%.40s' lacks '%s', %s",
                   event, name, words[wanted]);
}

static oc_status check_members(const json_t *root, const char *event, oc_error *err)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(members[i].event, event) != 0) {
            continue;
        }
        const json_t *value = json_object_get(root, members[i].name);
        if (!fits(value, members[i].kind)) {
            return refuse_member(event, members[i].name, members[i].kind, value, err);
        }
    }
    return OC_OK;
}

static int64_t number(const json_t *root, const char *name)
{
    return json_integer_value(json_object_get(root, name));
}

static void keep_text(const json_t *root, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", json_string_value(json_object_get(root, name)));
}

static oc_status take_progress(oc__launch_events *events, const json_t *root,
                               oc_error *err)
{
    int64_t step = number(root, "step");
    if (!events->ready || step != events->last_step + 1 || step > events->steps) {
        return OC_FAIL(
            err, OC_PARSE, OC_BOUNDARY_EXECUTE,
            "event 'progress' of step %" PRId64 " comes %s %" PRId64 " of %" PRId64,
            step, events->ready ? "after step" : "before 'ready', after step",
            events->last_step, events->steps);
    }
    events->last_step = step;
    events->updates++;
    if (__builtin_add_overflow(events->examples, number(root, "examples"),
                               &events->examples)) {
        events->examples = INT64_MAX;
    }
    events->update_s += json_number_value(json_object_get(root, "update_s"));
    events->moved_us = oc__now_us();
    return OC_OK;
}

static oc_status take_step(oc__launch_events *events, const char *event, int64_t step,
                           oc_error *err)
{
    bool completed = strcmp(event, "completed") == 0;
    bool restored = strcmp(event, "restored") == 0;
    if (restored ? step != events->resumed_from : step > events->last_step) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "event '%s' is of step %" PRId64
                       ", but the job is at step %" PRId64,
                       event, step, events->last_step);
    }
    if (completed && step != events->steps) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "event 'completed' is of step %" PRId64 " of %" PRId64, step,
                       events->steps);
    }
    if (completed || (!restored && step > events->checkpoint_step)) {
        events->moved_us = oc__now_us();
    }
    events->completed = events->completed || completed;
    if (!completed && !restored && step > events->checkpoint_step) {
        events->checkpoint_step = step;
    }
    return OC_OK;
}

oc_status oc__event_take(oc__launch_events *events, json_t *root, oc_error *err)
{
    const char *event = json_string_value(json_object_get(root, "event"));
    if (!event || !*event) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "a line of the job is no event: it has no text 'event'");
    }
    if (strcmp(event, "stalled") == 0 || strcmp(event, "ended") == 0 ||
        json_object_get(root, "t_s")) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                       "event '%.40s': 'stalled', 'ended' and 't_s' are the launcher's",
                       event);
    }
    oc_status rc = check_members(root, event, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (strcmp(event, "progress") == 0) {
        return take_progress(events, root, err);
    }
    if (strcmp(event, "checkpoint") == 0 || strcmp(event, "completed") == 0 ||
        strcmp(event, "restored") == 0) {
        return take_step(events, event, number(root, "step"), err);
    }
    if (strcmp(event, "ready") == 0 && !events->ready) {
        events->ready = true;
        events->moved_us = oc__now_us();
    } else if (strcmp(event, "failed") == 0 && !events->failed) {
        events->failed = true;
        keep_text(root, "kind", events->kind, sizeof events->kind);
        keep_text(root, "message", events->message, sizeof events->message);
    } else if (strcmp(event, "observed") == 0 && !events->observed) {
        events->observed = json_incref(root);
    }
    return OC_OK;
}
