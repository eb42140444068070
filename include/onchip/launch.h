/* `onchip launch`: a supervised job in a run folder that survives being killed.
 *
 *     oc_launch_options options = {.run_dir = "runs/fit", .platform = "cpu"};
 *     oc_launch_result *result;
 *     rc = oc_launch(&options, &result, &err);
 *     ... result->exit_status, result->status
 *     oc_launch_result_free(result);
 *
 * The job is a process of its own: the built-in one (onchip-train fits a line on the
 * requested device), or any command that speaks the event protocol
 * (docs/launch-protocol.md). docs/launch.md says what lies in the run folder.
 *
 * While it runs, oc_launch owns the process's SIGTERM, SIGINT, SIGHUP and SIGPIPE and
 * is its subreaper; it is called from one thread, with no children of the caller's
 * about. An error says that nothing was started (a request that makes no sense, a
 * folder that is held or not empty, a checkpoint that does not fit); the folder is then
 * as it was. OC_UNAVAILABLE is a resume that finds checkpoints and none of them good
 * (status 1). OC_OK: it ended one way or the other, and result says how. */
#ifndef ONCHIP_LAUNCH_H
#define ONCHIP_LAUNCH_H

#include "onchip/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An own exit status: ended by a signal, to be resumed (EX_TEMPFAIL). */
enum {
    OC_LAUNCH_PREEMPTED = 75,
    OC_LAUNCH_MAX_STEPS = 10000,
    OC_LAUNCH_MAX_STATE_MIB = 1 << 14
};

/* What is 0 or NULL takes its default; on a resume, that of the run's configuration. */
typedef struct oc_launch_options {
    const char *run_dir;
    const char *platform;       /* requested; not for a command */
    const char *plugin;         /* file, or NULL: the one that is found */
    const char *const *command; /* NULL-terminated; NULL: the built-in job */
    int64_t steps;            /* in all, resumed ones included; 1 .. 10000; default 8 */
    int64_t timeout_ms;       /* of everything; default 180 s, at most 86400 s */
    int64_t start_timeout_ms; /* until `ready`: load, compile; default 120 s */
    int64_t stall_timeout_ms; /* between two steps; default 60 s */
    int64_t grace_ms;         /* from SIGTERM to SIGKILL; default 10 s */
    int64_t checkpoint_every; /* steps; default 2 */
    int64_t batch;            /* 1 .. 64; default 8 */
    int64_t seed;             /* 0 .. 2^32 - 1; -1: default 3 */
    int64_t state_mib;        /* ballast in the state, for measuring; -1: default 0 */
    bool resume;
    bool restart; /* with resume: start at 0 when no checkpoint is good */
    /* Called with every event as it comes, as one line of JSON; may be NULL. */
    void (*on_event)(void *context, const char *line);
    void *context;
} oc_launch_options;

typedef struct oc_launch_result {
    int exit_status;    /* oc_exit, or OC_LAUNCH_PREEMPTED */
    const char *status; /* "completed", "failed", "timed_out", "preempted" */
    char message[512];  /* why, when it is not completed */
    char note[320];     /* what could not be made beside it (the figure), or "" */
    oc_verdict numeric, placement; /* UNSET for a command */
    char numeric_detail[320], placement_detail[320];
    int64_t last_step, checkpoint_step, updates;
    char *summary_json; /* as in summary.json */
} oc_launch_result;

OC_API OC_MUST_USE oc_status oc_launch(const oc_launch_options *options,
                                       oc_launch_result **out_result, oc_error *err);
OC_API void oc_launch_result_free(oc_launch_result *result);

#ifdef __cplusplus
}
#endif
#endif
