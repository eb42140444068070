/* Starts the job of a run folder. */
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLES = 8 };

static char *variable(const char *name, const char *value)
{
    char *text = NULL;
    return asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text;
}

/* docs/launch-protocol.md, "What the job is given"; false when out of memory. */
static bool make_environment(const oc__run_folder *folder, char *out[VARIABLES + 1])
{
    char steps[24];
    char mark[OC__RUN_MARK];
    size_t count = 0;
    snprintf(steps, sizeof steps, "%" PRId64, folder->steps);
    oc__run_folder_mark(folder, mark);
    char *checkpoints = oc__path_join(folder->path, "checkpoints");
    out[count++] = variable("ONCHIP_EVENTS_FD", "3");
    out[count++] = variable("ONCHIP_RUN_DIR", folder->path);
    out[count++] = variable("ONCHIP_STEPS", steps);
    out[count++] = checkpoints ? variable("ONCHIP_CHECKPOINTS", checkpoints) : NULL;
    out[count++] = variable("ONCHIP_CONFIG_SHA256", folder->config.sha256);
    out[count++] = strdup(mark);
    if (folder->resume_path) {
        out[count++] = variable("ONCHIP_RESUME", folder->resume_path);
    } else {
        unsetenv("ONCHIP_RESUME"); // of a launch that this one is a job of
    }
    out[count] = NULL;
    free(checkpoints);
    bool whole = true;
    for (size_t i = 0; i < count; i++) {
        whole = whole && out[i];
    }
    return whole;
}

static void close_fd(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

oc_status oc__job_start(const oc__run_folder *folder, oc__job *out_job, oc_error *err)
{
    oc_status rc = OC_OK;
    char *environment[VARIABLES + 1] = {0};
    int events[2] = {-1, -1};
    int output[2] = {-1, -1};
    *out_job = (oc__job){.proc = {.pidfd = -1}, .events = -1, .output = -1};
    char *program =
        folder->config.command ? NULL : oc__own_program("ONCHIP_TRAIN", "onchip-train");
    const char *const built_in[] = {program, NULL};
    const char *const *argv = built_in;
    if (folder->config.command) {
        argv = (const char *const *)folder->config.command;
    } else if (!program) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN,
                     "onchip-train is not beside this program; set ONCHIP_TRAIN to it");
        goto done;
    }
    if (!make_environment(folder, environment)) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    if (oc__proc_pipe(events) != 0 || oc__proc_pipe(output) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot create a pipe: %s",
                     strerror(errno));
        goto done;
    }
    const oc__proc_options options = {.argv = argv,
                                      .environment = (const char *const *)environment,
                                      .stdout_fd = output[1],
                                      .stderr_fd = output[1],
                                      .passed_fd = events[1]};
    rc = oc__proc_start(&options, &out_job->proc, err);
    if (rc == OC_OK) {
        out_job->pid = out_job->proc.pid;
        out_job->events = events[0];
        out_job->output = output[0];
        events[0] = output[0] = -1;
        fcntl(out_job->events, F_SETPIPE_SZ, OC__JOB_PIPE);
        fcntl(out_job->events, F_SETFL, O_NONBLOCK);
        fcntl(out_job->output, F_SETFL, O_NONBLOCK);
    }
done:
    for (int i = 0; i < 2; i++) {
        close_fd(events[i]);
        close_fd(output[i]);
    }
    for (size_t i = 0; i < VARIABLES; i++) {
        free(environment[i]);
    }
    free(program);
    return rc;
}
