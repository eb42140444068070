#include "supervise/supervise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY_MS = 86400 * 1000 };

static const int64_t timeout_ms = 180000, start_timeout_ms = 120000,
                     stall_timeout_ms = 60000, grace_ms = 10000;

static oc_status check_range(const char *name, int64_t value, int64_t unset,
                             int64_t least, int64_t most, oc_error *err)
{
    return value == unset || (value >= least && value <= most)
               ? OC_OK
               : OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                         "%s %" PRId64 " is not from %" PRId64 " to %" PRId64, name,
                         value, least, most);
}

static oc_status check_limit(const char *name, int64_t *value, int64_t otherwise,
                             oc_error *err)
{
    if (*value < 0 || *value > DAY_MS) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%s is not more than 0 and at most 86400 s", name);
    }
    if (*value == 0) {
        *value = otherwise;
    }
    return OC_OK;
}

static bool can_run(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, X_OK) == 0;
}

/* As execvp looks for it, so that a mistyped name costs no run folder. */
static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    bool found = false;
    for (const char *at = path ? path : "/bin:/usr/bin"; at && !found;) {
        size_t length = strcspn(at, ":");
        char *folder = length > 0 ? strndup(at, length) : strdup(".");
        char *candidate = folder ? oc__path_join(folder, program) : NULL;
        found = candidate && can_run(candidate);
        free(candidate);
        free(folder);
        at = at[length] ? at + length + 1 : NULL;
    }
    return found;
}

static oc_status check_job(const oc_launch_options *options, oc_error *err)
{
    const char *const *command = options->command;
    if (command && (options->platform || options->plugin || options->batch != 0 ||
                    options->seed > 0 || options->checkpoint_every != 0 ||
                    options->state_mib > 0)) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "platform, plugin, batch, seed, checkpoint-every and state-mib "
                       "are of the built-in job; a command has none of them");
    }
    if (command && (!command[0] || !*command[0])) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "the command is empty");
    }
    if (command &&
        !(strchr(command[0], '/') ? can_run(command[0]) : on_path(command[0]))) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_USAGE,
                       "'%s' is not a program that can be run", command[0]);
    }
    if (!command && !options->resume && !(options->platform && *options->platform)) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "a platform is needed, for example cpu, or a command");
    }
    return OC_OK;
}

oc_status oc__launch_options_check(const oc_launch_options *options,
                                   oc_launch_options *out_checked, oc_error *err)
{
    *out_checked = *options;
    oc_launch_options *o = out_checked;
    if (!o->run_dir || !*o->run_dir) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "a run folder is needed");
    }
    if (o->restart && !o->resume) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "--restart needs --resume");
    }
    oc_status rc = check_range("steps", o->steps, 0, 1, OC_LAUNCH_MAX_STEPS, err);
    if (rc == OC_OK) {
        rc = check_range("checkpoint-every", o->checkpoint_every, 0, 1,
                         OC_LAUNCH_MAX_STEPS, err);
    }
    if (rc == OC_OK) {
        rc = check_range("batch", o->batch, 0, 1, 64, err);
    }
    if (rc == OC_OK) {
        rc = check_range("seed", o->seed, -1, 0, UINT32_MAX, err);
    }
    if (rc == OC_OK) {
        rc =
            check_range("state-mib", o->state_mib, -1, 0, OC_LAUNCH_MAX_STATE_MIB, err);
    }
    if (rc == OC_OK) {
        rc = check_limit("timeout", &o->timeout_ms, timeout_ms, err);
    }
    if (rc == OC_OK) {
        rc = check_limit("start-timeout", &o->start_timeout_ms, start_timeout_ms, err);
    }
    if (rc == OC_OK) {
        rc = check_limit("stall-timeout", &o->stall_timeout_ms, stall_timeout_ms, err);
    }
    if (rc == OC_OK) {
        rc = check_limit("grace", &o->grace_ms, grace_ms, err);
    }
    return rc == OC_OK ? check_job(o, err) : rc;
}
