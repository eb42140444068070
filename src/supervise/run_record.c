/* run.json and environment.json: what an attempt is, and where it runs. */
#include "supervise/supervise.h"

#include "onchip/version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_COMMAND_LINE = 1 << 20 };

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
}

static oc_status write_json(const oc__run_folder *folder, const char *name,
                            json_t *root, oc_error *err)
{
    char *text = oc__json_text(root);
    char *path = oc__path_join(folder->path, name);
    oc_status rc = text && path ? oc__file_write_new(path, text, strlen(text), err)
                                : no_memory(err);
    json_decref(root);
    free(text);
    free(path);
    return rc;
}

static double seconds(int64_t ms)
{
    return (double)ms / 1000.0;
}

static oc_status write_run(const oc_launch_options *options,
                           const oc__run_folder *folder, oc_error *err)
{
    char now[OC__UTC_TEXT];
    oc__receipt_now(now);
    json_t *launcher = json_object();
    json_object_set_new(launcher, "pid", json_integer(getpid()));
    oc__ignore(oc__run_lock_whereabouts(launcher) ? OC_OK : OC_NOMEM);
    json_t *limits = json_object();
    json_object_set_new(limits, "timeout_s",
                        oc__json_float(seconds(options->timeout_ms)));
    json_object_set_new(limits, "start_timeout_s",
                        oc__json_float(seconds(options->start_timeout_ms)));
    json_object_set_new(limits, "stall_timeout_s",
                        oc__json_float(seconds(options->stall_timeout_ms)));
    json_object_set_new(limits, "grace_s", oc__json_float(seconds(options->grace_ms)));
    const char *checkpoint =
        folder->resume_path ? strrchr(folder->resume_path, '/') + 1 : NULL;
    json_t *root = json_object();
    json_object_set_new(root, "attempt", json_integer(folder->attempt));
    json_object_set_new(root, "started", json_string(now));
    json_object_set_new(root, "steps", json_integer(folder->steps));
    json_object_set_new(root, "resumed_from", json_integer(folder->resumed_from));
    json_object_set_new(root, "checkpoint",
                        checkpoint ? oc__json_string(checkpoint) : json_null());
    json_object_set_new(root, "limits", limits);
    json_object_set_new(root, "launcher", launcher);
    return write_json(folder, "run.json", root, err);
}

/* The words with which this process was started. */
static json_t *command_line(void)
{
    char *text = NULL;
    size_t size = 0;
    json_t *list = json_array();
    oc__ignore(
        oc__file_read("/proc/self/cmdline", MAX_COMMAND_LINE, &text, &size, NULL));
    for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
        json_array_append_new(list, oc__json_string(text + at));
    }
    free(text);
    return list;
}

static oc_status write_environment(const oc__run_folder *folder, oc_error *err)
{
    struct utsname names;
    char *here = realpath(".", NULL);
    json_t *root = json_object();
    json_object_set_new(root, "onchip", json_string(ONCHIP_VERSION));
    oc__ignore(oc__run_lock_whereabouts(root) ? OC_OK : OC_NOMEM);
    if (uname(&names) == 0) {
        json_object_set_new(root, "kernel", oc__json_string(names.release));
        json_object_set_new(root, "machine", oc__json_string(names.machine));
    }
    json_object_set_new(root, "processors",
                        json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(root, "folder", oc__json_string(here ? here : "?"));
    json_object_set_new(root, "command_line", command_line());
    free(here);
    return write_json(folder, "environment.json", root, err);
}

oc_status oc__run_record_write(const oc_launch_options *options,
                               const oc__run_folder *folder, oc_error *err)
{
    oc_status rc = write_run(options, folder, err);
    return rc == OC_OK ? write_environment(folder, err) : rc;
}
