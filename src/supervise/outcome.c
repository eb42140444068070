/* How a launch ended: status, exit status, summary.json. */
#include "supervise/supervise.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_PREEMPTED = OC_LAUNCH_PREEMPTED };

OC_PRINTF(4, 5)
static void ended_as(oc_launch_result *result, const char *status, int exit_status,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->status = status;
    result->exit_status = exit_status;
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
}

static bool reached_target(const oc__supervision *run)
{
    return !run->end.signalled && run->end.code == 0 && run->events.completed &&
           !run->events.failed && run->events.last_step == run->events.steps;
}

/* The built-in job ends with the exit status of its error; a command's own statuses
 * mean nothing to us. */
static int exit_of(const oc__supervision *run)
{
    bool ours = !run->folder->config.command && !run->end.signalled;
    return ours && run->end.code >= OC_EXIT_USAGE && run->end.code <= OC_EXIT_ERROR
               ? run->end.code
               : OC_EXIT_FAIL;
}

static void preempted(const oc__supervision *run, oc_launch_result *result)
{
    const char *signal = run->reason == OC__STOP_SIGNAL ? strsignal(run->signal) : NULL;
    const char *how =
        run->killed ? "; it did not end within the grace and was killed" : "";
    char why[96] = "the job asks to be resumed (exit status 75)";
    if (signal) {
        snprintf(why, sizeof why, "stopped by a signal (%.40s)", signal);
    }
    bool kept = result->checkpoint_step > 0 ||
                (!run->end.signalled && run->end.code == STATUS_PREEMPTED);
    if (kept) {
        ended_as(result, "preempted", STATUS_PREEMPTED,
                 "%s at step %" PRId64 ", checkpoint of step %" PRId64 "%s", why,
                 result->last_step, result->checkpoint_step, how);
    } else {
        ended_as(result, "preempted", OC_EXIT_FAIL,
                 "%s at step %" PRId64 " before there was a checkpoint%s", why,
                 result->last_step, how);
    }
}

static void over_limit(const oc__supervision *run, oc_launch_result *result)
{
    const oc_launch_options *options = run->options;
    bool total = strcmp(run->limit, "total") == 0;
    bool start = strcmp(run->limit, "start") == 0;
    int64_t ms = total   ? options->timeout_ms
                 : start ? options->start_timeout_ms
                         : options->stall_timeout_ms;
    ended_as(result, "timed_out", OC_EXIT_FAIL,
             "%s within %g s (%s); the job was at step %" PRId64 "%s",
             total   ? "it was not done"
             : start ? "the job was not ready"
                     : "there was no further step",
             (double)ms / 1000.0,
             total   ? "--timeout"
             : start ? "--start-timeout"
                     : "--stall-timeout",
             result->last_step,
             run->killed ? ", did not obey SIGTERM and was killed" : "");
}

static void failed(const oc__supervision *run, oc_launch_result *result)
{
    char end[96];
    oc__proc_end_text(&run->end, end, sizeof end);
    bool killed = (run->end.signalled && run->end.code == SIGKILL) ||
                  (!run->end.signalled && run->end.code == 128 + SIGKILL);
    if (killed && run->ran_out_of_memory) {
        ended_as(result, "failed", OC_EXIT_FAIL,
                 "the job was killed for want of memory (%s; oom_kill in "
                 "memory.events) at step %" PRId64,
                 end, result->last_step);
    } else if (run->events.failed) {
        ended_as(result, "failed", exit_of(run), "%s: %s (%s)", run->events.kind,
                 run->events.message, end);
    } else if (!run->end.signalled && run->end.code == 0) {
        ended_as(result, "failed", OC_EXIT_FAIL,
                 "the job ended with exit status 0 at step %" PRId64 " of %" PRId64
                 "%s",
                 result->last_step, run->events.steps,
                 run->events.completed ? "" : " without the event 'completed'");
    } else {
        ended_as(result, "failed", exit_of(run),
                 "the job ended with %s at step %" PRId64, end, result->last_step);
    }
}

static void decide(const oc__supervision *run, oc_launch_result *result)
{
    const oc_error *failure = &run->failure;
    if (run->unkillable > 0) {
        ended_as(
            result, "failed", OC_EXIT_ERROR,
            "unkillable: process %d does not end, even by SIGKILL; it may hold the "
            "device still",
            (int)run->unkillable);
    } else if (failure->status != OC_OK && failure->status != OC_PARSE) {
        ended_as(result, "failed", OC_EXIT_ERROR, "%s", failure->text);
    } else if (run->reason == OC__STOP_LIMIT) {
        over_limit(run, result);
    } else if (failure->status == OC_PARSE) {
        ended_as(result, "failed", OC_EXIT_FAIL, "protocol: %s", failure->text);
    } else if (reached_target(run)) {
        ended_as(result, "completed", OC_EXIT_PASS, "%s", "");
    } else if (run->reason == OC__STOP_SIGNAL ||
               (!run->end.signalled && run->end.code == STATUS_PREEMPTED)) {
        preempted(run, result);
    } else {
        failed(run, result);
    }
}

static json_t *rate(int64_t examples, double seconds)
{
    return seconds > 0 ? oc__json_float((double)examples / seconds) : json_null();
}

/* docs/launch.md, "summary.json". */
static char *summary_text(const oc__supervision *run, const oc_launch_result *result)
{
    const oc__launch_events *events = &run->events;
    double job_s = 1e-6 * (double)run->job_us;
    int64_t lost = result->last_step - result->checkpoint_step;
    json_t *root = json_object();
    json_object_set_new(root, "status", json_string(result->status));
    json_object_set_new(root, "message",
                        *result->message ? oc__json_string(result->message)
                                         : json_null());
    json_object_set_new(root, "attempt", json_integer(run->folder->attempt));
    json_object_set_new(root, "steps", json_integer(events->steps));
    json_object_set_new(root, "resumed_from", json_integer(events->resumed_from));
    json_object_set_new(root, "updates", json_integer(events->updates));
    json_object_set_new(root, "examples", json_integer(events->examples));
    json_object_set_new(root, "last_step", json_integer(result->last_step));
    json_object_set_new(root, "checkpoint_step", json_integer(result->checkpoint_step));
    json_object_set_new(root, "uncheckpointed_updates",
                        json_integer(lost > 0 ? lost : 0));
    json_object_set_new(root, "update_s", oc__json_float(events->update_s));
    json_object_set_new(root, "job_s", oc__json_float(job_s));
    json_object_set_new(root, "update_examples_per_s",
                        rate(events->examples, events->update_s));
    json_object_set_new(root, "job_examples_per_s", rate(events->examples, job_s));
    json_object_set_new(root, "update_duty_fraction",
                        job_s > 0 ? oc__json_float(events->update_s / job_s)
                                  : json_null());
    bool known = run->job.pid > 0 && run->unkillable != run->job.pid;
    json_object_set_new(root, "exit_status",
                        known && !run->end.signalled ? json_integer(run->end.code)
                                                     : json_null());
    json_object_set_new(root, "signal",
                        known && run->end.signalled ? json_integer(run->end.code)
                                                    : json_null());
    char *text = oc__json_text(root);
    json_decref(root);
    return text;
}

static oc_status write_summary(const oc__supervision *run, oc_launch_result *result,
                               oc_error *err)
{
    free(result->summary_json);
    result->summary_json = summary_text(run, result);
    char *path = oc__path_join(run->folder->path, "summary.json");
    oc_status rc = result->summary_json && path
                       ? oc__file_write_new(path, result->summary_json,
                                            strlen(result->summary_json), err)
                       : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    free(path);
    return rc;
}

/* What a resume would find, not what the job has said. */
static oc_status look_at_checkpoints(const oc__supervision *run,
                                     oc__checkpoint_list *out_list,
                                     oc_launch_result *result, oc_error *err)
{
    char *path = oc__path_join(run->folder->path, "checkpoints");
    oc_status rc =
        path ? oc__checkpoint_scan(path, &run->folder->identity, out_list, err)
             : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    const oc__checkpoint *newest = oc__checkpoint_newest(out_list);
    result->checkpoint_step = newest ? newest->step : 0;
    free(path);
    return rc;
}

/* A failure to keep what was reached comes after any other end but completion. */
static void could_not_keep(oc_launch_result *result, const oc_error *err)
{
    if (err->status != OC_OK && result->exit_status != OC_EXIT_ERROR) {
        ended_as(result, "failed", OC_EXIT_ERROR, "%s", err->text);
    }
}

void oc__launch_outcome(oc__supervision *run, oc_launch_result *result)
{
    oc__checkpoint_list checkpoints = {0};
    oc_error err = {0};
    result->last_step = run->events.last_step;
    result->updates = run->events.updates;
    oc_status rc = look_at_checkpoints(run, &checkpoints, result, &err);
    decide(run, result);
    if (rc == OC_OK && !run->folder->config.command) {
        rc = oc__launch_judge(run, &checkpoints, result, &err);
    }
    could_not_keep(result, &err);
    if (rc == OC_OK && strcmp(result->status, "completed") == 0 &&
        !run->folder->config.command) {
        result->exit_status =
            (int)oc_verdict_exit(oc_verdict_worst(result->numeric, result->placement));
    }
    oc_error late = {0};
    if (write_summary(run, result, &late) != OC_OK) {
        could_not_keep(result, &late);
        free(result->summary_json);
        result->summary_json = summary_text(run, result); // of what is known now
    }
    oc__checkpoint_list_free(&checkpoints);
}
