/* What is taken away, and what is only put aside. */
#include "checkpoint/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ASIDE = 9999, STAT_BYTES = 512 };

void oc__checkpoint_temporary(int64_t step, char out[OC__CHECKPOINT_NAME_BYTES])
{
    snprintf(out, OC__CHECKPOINT_NAME_BYTES, "tmp-%d-%" PRId64, (int)getpid(), step);
}

/* Where the file system does not know RENAME_NOREPLACE (EINVAL: NFS, 9p), rename itself
 * refuses a folder that is not empty, and a checkpoint never is. */
int oc__checkpoint_rename(int folder_fd, const char *from, const char *to)
{
    if (renameat2(folder_fd, from, folder_fd, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL) {
        return -1;
    }
    int failed = renameat(folder_fd, from, folder_fd, to);
    if (failed && (errno == ENOTEMPTY || errno == ENOTDIR)) {
        errno = EEXIST;
    }
    return failed;
}

void oc__checkpoint_remove(const char *folder, const char *name)
{
    char *path = oc__path_join(folder, name);
    if (path) {
        oc__remove_tree(path);
    }
    free(path);
}

static oc_status open_folder(const char *folder, int *out_fd, oc_error *err)
{
    *out_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *out_fd >= 0 ? OC_OK
                        : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                  "cannot open '%s': %s", folder, strerror(errno));
}

static oc_status refused(const char *what, const char *folder, const char *name,
                         oc_error *err)
{
    return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot %s '%s/%s': %s", what,
                   folder, name, strerror(errno));
}

/* Takes a checkpoint away by its name first, so that none is ever seen half removed. */
static oc_status retire(const char *folder, int fd, int64_t step, oc_error *err)
{
    char name[OC__CHECKPOINT_NAME_BYTES];
    char temporary[OC__CHECKPOINT_NAME_BYTES];
    oc__checkpoint_name(step, name);
    oc__checkpoint_temporary(step, temporary);
    oc__checkpoint_remove(folder, temporary);
    return oc__checkpoint_rename(fd, name, temporary) == 0
               ? OC_OK
               : refused("remove", folder, name, err);
}

oc_status oc__checkpoint_prune(const char *folder, size_t keep, oc_error *err)
{
    oc__checkpoint_list list = {0};
    int fd = -1;
    size_t good = 0;
    oc_status rc = open_folder(folder, &fd, err);
    if (rc == OC_OK) {
        rc = oc__checkpoint_scan(folder, NULL, &list, err);
    }
    for (size_t i = 0; rc == OC_OK && i < list.count; i++) {
        if (list.items[i].good && good++ >= keep) {
            rc = retire(folder, fd, list.items[i].step, err);
        }
    }
    // The new names are on the disk before the first file goes: a power cut leaves the
    // whole checkpoint or a temporary folder.
    if (rc == OC_OK && good > keep && fsync(fd) != 0) {
        rc = refused("flush", folder, "", err);
    }
    for (size_t i = 0; rc == OC_OK && good > keep && i < list.count; i++) {
        char temporary[OC__CHECKPOINT_NAME_BYTES];
        oc__checkpoint_temporary(list.items[i].step, temporary);
        if (list.items[i].good) {
            oc__checkpoint_remove(folder, temporary);
        }
    }
    oc__checkpoint_list_free(&list);
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

oc_status oc__checkpoint_set_aside(const char *folder, const oc__checkpoint *checkpoint,
                                   oc_error *err)
{
    const char *name = strrchr(checkpoint->path, '/');
    char aside[OC__CHECKPOINT_NAME_BYTES];
    int fd = -1;
    if (checkpoint->good || !name) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_EVIDENCE,
                       "checkpoint '%s' is good and stays where it is",
                       checkpoint->path);
    }
    oc_status rc = open_folder(folder, &fd, err);
    if (rc != OC_OK) {
        return rc;
    }
    name++;
    int failed = -1;
    errno = EEXIST;
    for (int i = 1; failed && errno == EEXIST && i <= MAX_ASIDE; i++) {
        snprintf(aside, sizeof aside, "bad-%08" PRId64 "-%d", checkpoint->step, i);
        failed = oc__checkpoint_rename(fd, name, aside);
    }
    if (failed) {
        rc = refused("set aside", folder, name, err);
    } else if (fsync(fd) != 0) {
        rc = refused("flush", folder, "", err);
    }
    close(fd);
    return rc;
}

/* Neither gone nor a zombie, for which kill() succeeds as well (proc(5): the state
 * stands behind the last ')' of stat). Where there is no /proc, kill() decides. */
static bool is_alive(pid_t pid)
{
    char path[64];
    char *text = NULL;
    size_t size = 0;
    if (kill(pid, 0) != 0 && errno == ESRCH) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (oc__file_read(path, STAT_BYTES, &text, &size, NULL) != OC_OK) {
        return true;
    }
    const char *end = strrchr(text, ')');
    bool alive = !end || strncmp(end, ") Z", 3) != 0;
    free(text);
    return alive;
}

/* The writer in a name "tmp-PID-STEP", without a sign or leading zeros; 0: no such
 * name. */
static pid_t writer_of(const char *name)
{
    char again[OC__CHECKPOINT_NAME_BYTES];
    char *end = NULL;
    if (strncmp(name, "tmp-", strlen("tmp-")) != 0) {
        return 0;
    }
    long pid = strtol(name + strlen("tmp-"), &end, 10);
    long step = *end == '-' ? strtol(end + 1, NULL, 10) : -1;
    if (pid <= 0 || pid > INT_MAX || step < 0) {
        return 0;
    }
    snprintf(again, sizeof again, "tmp-%ld-%ld", pid, step);
    return strcmp(again, name) == 0 ? (pid_t)pid : 0;
}

/* A process number that was given out again keeps its folder a little longer, no more:
 * one job writes, which the run folder's lock guarantees, so what is of our own number
 * is left from one that had it before. */
void oc__checkpoint_sweep(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry = NULL; entries && (entry = readdir(entries));) {
        pid_t writer = writer_of(entry->d_name);
        if (writer > 0 && (writer == getpid() || !is_alive(writer))) {
            oc__checkpoint_remove(folder, entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
}
