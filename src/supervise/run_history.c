/* What an attempt leaves goes into history/attempt-NNNN when the next one begins.
 *
 * run.json holds the attempt's number and is moved last: whoever is killed on the way
 * leaves a folder in which the next one goes on with the same number. An attempt writes
 * run.json first, so that nothing lies there without it. */
#include "supervise/supervise.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RUN = 1 << 20, MAX_ATTEMPT = 1000000 };

static const char *const kept[] = {"events.jsonl", "summary.json", "receipt.json",
                                   "figure.svg",   "job.log",      "environment.json",
                                   "run.json"};
enum { KEPT = sizeof kept / sizeof *kept };

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
}

/* The highest attempt of history/; 0: none. */
static int64_t newest_kept(const char *run_dir)
{
    int64_t newest = 0;
    char *path = oc__path_join(run_dir, "history");
    DIR *folder = path ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        long number = strncmp(entry->d_name, "attempt-", 8) == 0
                          ? strtol(entry->d_name + 8, NULL, 10)
                          : 0;
        if (number > newest && number <= MAX_ATTEMPT) {
            newest = number;
        }
    }
    if (folder) {
        closedir(folder);
    }
    free(path);
    return newest;
}

/* A document that was written by an attempt; NULL when it cannot be read. */
static json_t *read_document(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    json_t *root = NULL;
    if (oc__file_read(path, MAX_RUN, &text, &size, NULL) == OC_OK) {
        oc__ignore(oc__json_parse(text, size, path, &root, NULL));
    }
    free(text);
    return root;
}

static bool read_run(const char *path, int64_t *out_attempt, int64_t *out_steps)
{
    json_t *root = read_document(path);
    int64_t attempt = json_integer_value(json_object_get(root, "attempt"));
    bool good = attempt > 0 && attempt <= MAX_ATTEMPT;
    if (good) {
        *out_attempt = attempt;
        *out_steps = json_integer_value(json_object_get(root, "steps"));
    }
    json_decref(root);
    return good;
}

bool oc__run_history_is_complete(const char *run_dir)
{
    char *path = oc__path_join(run_dir, "summary.json");
    json_t *root = path ? read_document(path) : NULL;
    const char *status = json_string_value(json_object_get(root, "status"));
    bool complete = status && strcmp(status, "completed") == 0;
    json_decref(root);
    free(path);
    return complete;
}

void oc__run_history_last(const char *run_dir, int64_t *out_attempt, int64_t *out_steps)
{
    *out_attempt = 0;
    *out_steps = 0;
    char *path = oc__path_join(run_dir, "run.json");
    if (path && !read_run(path, out_attempt, out_steps)) {
        // Killed between two attempts: the last one lies in history/ already.
        char *older = NULL;
        *out_attempt = newest_kept(run_dir);
        if (*out_attempt > 0 &&
            asprintf(&older, "%s/history/attempt-%04" PRId64 "/run.json", run_dir,
                     *out_attempt) >= 0) {
            int64_t ignored;
            read_run(older, &ignored, out_steps);
            free(older);
        }
    }
    free(path);
}

/* The contents of a folder reach the disk. */
static oc_status flush_folder(const char *path, oc_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    oc_status rc = ok ? OC_OK
                      : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                "cannot flush '%s': %s", path, strerror(errno));
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

/* Nothing is overwritten. Some file systems do not know RENAME_NOREPLACE (EINVAL). */
static oc_status move_file(const char *from, const char *to, oc_error *err)
{
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (failed != 0 && errno == EINVAL && access(to, F_OK) != 0) {
        failed = rename(from, to);
    }
    return failed == 0 || errno == ENOENT
               ? OC_OK
               : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                         "cannot move '%s' to '%s': %s", from, to, strerror(errno));
}

static oc_status keep_in(const char *run_dir, const char *target, oc_error *err)
{
    oc_status rc = oc__make_dirs(target, err);
    for (size_t i = 0; i < KEPT && rc == OC_OK; i++) {
        char *from = oc__path_join(run_dir, kept[i]);
        char *to = oc__path_join(target, kept[i]);
        if (!from || !to) {
            rc = no_memory(err);
        } else if (access(from, F_OK) == 0) {
            // The rest must be there for good before run.json stops naming it.
            if (i == KEPT - 1) {
                rc = flush_folder(target, err);
            }
            rc = rc == OC_OK ? move_file(from, to, err) : rc;
        }
        free(from);
        free(to);
    }
    if (rc == OC_OK) {
        rc = flush_folder(target, err);
    }
    return rc == OC_OK ? flush_folder(run_dir, err) : rc;
}

oc_status oc__run_history_keep(const char *run_dir, int64_t *out_attempt, oc_error *err)
{
    int64_t attempt;
    int64_t steps;
    char *path = oc__path_join(run_dir, "run.json");
    *out_attempt = 1;
    if (!path) {
        return no_memory(err);
    }
    bool shown = read_run(path, &attempt, &steps);
    bool there = access(path, F_OK) == 0;
    free(path);
    int64_t newest = newest_kept(run_dir);
    if (!there) {
        *out_attempt = newest + 1;
        return OC_OK;
    }
    // One that cannot be read is kept as well.
    attempt = shown ? attempt : newest + 1;
    char *target = NULL;
    oc_status rc;
    if (asprintf(&target, "%s/history/attempt-%04" PRId64, run_dir, attempt) < 0) {
        target = NULL;
        rc = no_memory(err);
    } else {
        rc = keep_in(run_dir, target, err);
    }
    free(target);
    *out_attempt = (attempt > newest ? attempt : newest) + 1;
    return rc;
}

/* base/file.h writes NAME.XXXXXX and renames it. */
static bool is_half_written(const char *name, const char *whole)
{
    size_t length = strlen(whole);
    return strncmp(name, whole, length) == 0 && name[length] == '.' &&
           strlen(name + length + 1) == 6;
}

bool oc__run_history_is_scrap(const char *name)
{
    // The file by which oc__run_dir_create tries a new folder.
    bool scrap = strcmp(name, "lock") == 0 || strcmp(name, ".writable") == 0 ||
                 is_half_written(name, ".writable") ||
                 is_half_written(name, "config.json") ||
                 is_half_written(name, "program.mlir");
    for (size_t i = 0; i < KEPT && !scrap; i++) {
        scrap = is_half_written(name, kept[i]);
    }
    return scrap;
}

void oc__run_history_sweep(const char *run_dir)
{
    DIR *folder = opendir(run_dir);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (oc__run_history_is_scrap(entry->d_name) &&
            strcmp(entry->d_name, "lock") != 0) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
}
