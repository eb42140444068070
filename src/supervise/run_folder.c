#include "supervise/supervise.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_STEPS = 8, LEAVE_MS = 2000 };

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
}

void oc__run_folder_mark(const oc__run_folder *folder, char out[OC__RUN_MARK])
{
    // The name is of this folder alone, so that a launch within a job does not take the
    // outer one's mark away.
    char hash[OC__SHA256_HEX];
    oc__sha256_hex(folder->path, strlen(folder->path), hash);
    snprintf(out, OC__RUN_MARK, "ONCHIP_JOB_%.16s=%s", hash, folder->path);
}

/* Nothing but what a launcher leaves that was killed before it had made a run. */
static bool is_empty(const char *path)
{
    bool empty = true;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        empty = empty &&
                (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                 oc__run_history_is_scrap(entry->d_name));
    }
    if (folder) {
        closedir(folder);
    }
    return empty;
}

static oc_status not_empty(const char *path, oc_error *err)
{
    return OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                   "run folder '%s' is not empty; --resume goes on with a run, another "
                   "folder begins one",
                   path);
}

static bool has_lock(const char *path)
{
    char *lock = oc__path_join(path, "lock");
    bool there = lock && access(lock, F_OK) == 0;
    free(lock);
    return there;
}

/* Makes the folder where it is missing, and finds its absolute path. */
static oc_status find_folder(const oc_launch_options *options, oc__run_folder *folder,
                             oc_error *err)
{
    struct stat status;
    const char *given = options->run_dir;
    bool there = lstat(given, &status) == 0;
    if (!there && errno != ENOENT) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot look at '%s': %s",
                       given, strerror(errno));
    }
    if (there && !S_ISDIR(status.st_mode)) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                       "'%s' is no folder%s; a run folder must be one", given,
                       S_ISLNK(status.st_mode) ? " but a symbolic link" : "");
    }
    if (!there && options->resume) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_USAGE,
                       "there is nothing to resume: '%s' is not there", given);
    }
    if (!there) {
        oc_status rc = oc__run_dir_create(given, err);
        if (rc != OC_OK) {
            return rc;
        }
        folder->made = true;
    }
    folder->path = realpath(given, NULL);
    return folder->path ? OC_OK
                        : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                  "cannot find '%s': %s", given, strerror(errno));
}

static void set_identity(oc__run_folder *folder)
{
    oc__checkpoint_identity *identity = &folder->identity;
    oc__launch_config *config = &folder->config;
    identity->keys[identity->count++] = (oc__checkpoint_key){"config", config->sha256};
    if (!config->command) {
        identity->keys[identity->count++] =
            (oc__checkpoint_key){"program", config->program_sha256};
        identity->keys[identity->count++] =
            (oc__checkpoint_key){"data", config->data_sha256};
    }
}

/* What was killed together with its launcher may take a moment to go. */
static oc_status check_orphans(const oc__run_folder *folder, oc_error *err)
{
    char mark[OC__RUN_MARK];
    oc__run_folder_mark(folder, mark);
    oc__deadline deadline = oc__deadline_in(LEAVE_MS);
    pid_t pid = oc__proc_marked_pid(mark);
    while (pid > 0 && oc__deadline_left_ms(deadline) > 0) {
        usleep(10000);
        pid = oc__proc_marked_pid(mark);
    }
    return pid > 0 ? OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                             "process %d of an earlier attempt in '%s' still runs and "
                             "may hold the device; end it first",
                             (int)pid, folder->path)
                   : OC_OK;
}

/* Why nothing can be resumed, where no checkpoint is good. */
static oc_status none_good(const oc__checkpoint_list *list, const char *path,
                           oc_error *err)
{
    const oc__checkpoint *newest = list->count > 0 ? &list->items[0] : NULL;
    if (!newest) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_USAGE,
                       "there is nothing to resume: '%s' has no checkpoint; --restart "
                       "begins at 0",
                       path);
    }
    if (newest->other_run) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%s differs: checkpoint %" PRId64 " is of another run: %s",
                       newest->key, newest->step, newest->why);
    }
    return OC_FAIL(err, OC_UNAVAILABLE, OC_BOUNDARY_INPUT,
                   "no checkpoint of '%s' is good (the newest, of step %" PRId64
                   ": %s); --restart begins at 0",
                   path, newest->step, newest->why);
}

static oc_status choose_checkpoint(const oc_launch_options *options,
                                   oc__run_folder *folder,
                                   const oc__checkpoint_list *list, oc_error *err)
{
    const oc__checkpoint *newest = oc__checkpoint_newest(list);
    if (!newest) {
        return options->restart ? OC_OK : none_good(list, folder->path, err);
    }
    // One that was killed behind its last checkpoint has still to say how it ended.
    if (newest->step > folder->steps ||
        (newest->step == folder->steps && oc__run_history_is_complete(folder->path))) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "the newest checkpoint is of step %" PRId64
                       ", so --steps must be more; it is %" PRId64,
                       newest->step, folder->steps);
    }
    folder->resumed_from = newest->step;
    folder->resume_path = strdup(newest->path);
    return folder->resume_path ? OC_OK : no_memory(err);
}

/* Everything of a resume that may refuse. */
static oc_status check_resume(const oc_launch_options *options, oc__run_folder *folder,
                              const char *checkpoints, oc__checkpoint_list *list,
                              oc_error *err)
{
    char *config = oc__path_join(folder->path, "config.json");
    bool there = config && access(config, F_OK) == 0;
    free(config);
    if (!there) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_USAGE,
                       "there is nothing to resume: '%s' has no config.json",
                       folder->path);
    }
    oc_status rc = oc__launch_config_read(folder->path, &folder->config, err);
    if (rc == OC_OK) {
        rc = oc__launch_config_compare(&folder->config, options, folder->path, err);
    }
    if (rc == OC_OK) {
        rc = check_orphans(folder, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    int64_t attempt;
    int64_t steps;
    oc__run_history_last(folder->path, &attempt, &steps);
    folder->steps = options->steps ? options->steps : steps ? steps : DEFAULT_STEPS;
    set_identity(folder);
    rc = oc__checkpoint_scan(checkpoints, &folder->identity, list, err);
    return rc == OC_OK ? choose_checkpoint(options, folder, list, err) : rc;
}

static oc_status check_fresh(const oc_launch_options *options, oc__run_folder *folder,
                             oc_error *err)
{
    if (!is_empty(folder->path)) {
        return not_empty(folder->path, err);
    }
    folder->steps = options->steps ? options->steps : DEFAULT_STEPS;
    oc_status rc = oc__launch_config_make(options, &folder->config, err);
    set_identity(folder);
    return rc == OC_OK ? check_orphans(folder, err) : rc;
}

static oc_status make_run(const oc_launch_options *options, oc__run_folder *folder,
                          const char *checkpoints, const oc__checkpoint_list *list,
                          oc_error *err)
{
    oc_status rc = oc__run_lock_sign(folder->lock_fd, err);
    oc__run_history_sweep(folder->path);
    if (rc == OC_OK) {
        rc = oc__launch_config_write(folder->path, &folder->config, err);
    }
    if (rc == OC_OK) {
        rc = oc__make_dirs(checkpoints, err);
    }
    for (size_t i = 0; i < list->count && rc == OC_OK; i++) {
        if (!list->items[i].good) {
            rc = oc__checkpoint_set_aside(checkpoints, &list->items[i], err);
        }
    }
    if (rc == OC_OK) {
        oc__checkpoint_sweep(checkpoints);
        rc = oc__run_history_keep(folder->path, &folder->attempt, err);
    }
    return rc == OC_OK ? oc__run_record_write(options, folder, err) : rc;
}

static void remove_made(const oc__run_folder *folder, const char *name)
{
    char *path = oc__path_join(folder->path, name);
    if (path) {
        oc__ignore(remove(path) == 0 ? OC_OK : OC_IO);
    }
    free(path);
}

/* Removes what was made before anything was refused. */
static void let_go(oc__run_folder *folder)
{
    if (folder->path && folder->lock_made) {
        remove_made(folder, "lock");
    }
    if (folder->path && folder->made) {
        rmdir(folder->path);
    }
    oc__run_folder_close(folder);
}

void oc__run_folder_undo(oc__run_folder *folder)
{
    static const char *const names[] = {
        "events.jsonl", "job.log",      "environment.json", "run.json",
        "checkpoints",  "program.mlir", "config.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        remove_made(folder, names[i]);
    }
    let_go(folder);
}

oc_status oc__run_folder_open(const oc_launch_options *options,
                              oc__run_folder *out_folder, oc_error *err)
{
    oc__checkpoint_list list = {0};
    char *checkpoints = NULL;
    *out_folder = (oc__run_folder){.lock_fd = -1};
    oc__run_folder *folder = out_folder;
    oc_status rc = find_folder(options, folder, err);
    // A lock made there and removed again would move the folder's time.
    if (rc == OC_OK && !options->resume && !has_lock(folder->path) &&
        !is_empty(folder->path)) {
        rc = not_empty(folder->path, err);
    }
    if (rc == OC_OK) {
        rc = oc__run_lock_take(folder->path, &folder->lock_fd, &folder->lock_made, err);
    }
    checkpoints = rc == OC_OK ? oc__path_join(folder->path, "checkpoints") : NULL;
    if (rc == OC_OK && !checkpoints) {
        rc = no_memory(err);
    }
    if (rc == OC_OK) {
        rc = options->resume ? check_resume(options, folder, checkpoints, &list, err)
                             : check_fresh(options, folder, err);
    }
    if (rc == OC_OK) {
        rc = make_run(options, folder, checkpoints, &list, err);
        if (rc != OC_OK && !options->resume) {
            oc__run_folder_undo(folder);
        }
    }
    if (rc != OC_OK) {
        let_go(folder);
    }
    free(checkpoints);
    oc__checkpoint_list_free(&list);
    return rc;
}

void oc__run_folder_close(oc__run_folder *folder)
{
    if (folder->lock_fd >= 0) {
        // Let go of in order: who takes the folder elsewhere finds no name in it. What
        // was never signed stays as it was.
        oc__ignore(folder->attempt > 0 && ftruncate(folder->lock_fd, 0) != 0 ? OC_IO
                                                                             : OC_OK);
        close(folder->lock_fd);
    }
    free(folder->resume_path);
    free(folder->path);
    oc__launch_config_free(&folder->config);
    *folder = (oc__run_folder){.lock_fd = -1};
}
