/* The lock of a run folder: the flock of a file that says who holds it. */
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_TEXT = 1024, SIGN_TRIES = 50, SIGN_WAIT_US = 10000 };

/* malloc'd, or NULL. */
static void read_boot_id(char **out_text)
{
    size_t size = 0;
    oc__ignore(oc__file_read("/proc/sys/kernel/random/boot_id", MAX_TEXT, out_text,
                             &size, NULL));
    if (*out_text) {
        (*out_text)[strcspn(*out_text, "\n")] = '\0';
    }
}

bool oc__run_lock_whereabouts(json_t *into)
{
    struct utsname names;
    char *boot = NULL;
    read_boot_id(&boot);
    bool ok =
        uname(&names) == 0 &&
        json_object_set_new(into, "host", oc__json_string(names.nodename)) == 0 &&
        json_object_set_new(into, "boot_id", oc__json_string(boot ? boot : "")) == 0;
    free(boot);
    return ok;
}

/* What the file says; NULL when it says nothing. */
static json_t *read_holder(int fd)
{
    char text[MAX_TEXT];
    json_t *root = NULL;
    ssize_t got = pread(fd, text, sizeof text, 0);
    if (got > 0) {
        oc__ignore(oc__json_parse(text, (size_t)got, "lock", &root, NULL));
    }
    return root;
}

static const char *member(const json_t *holder, const char *name)
{
    const char *text = json_string_value(json_object_get(holder, name));
    return text ? text : "?";
}

/* The holder signs a moment after it took the lock. */
static oc_status held(const char *run_dir, int fd, oc_error *err)
{
    json_t *holder = read_holder(fd);
    for (int i = 0; i < SIGN_TRIES && !holder; i++) {
        usleep(SIGN_WAIT_US);
        holder = read_holder(fd);
    }
    oc_status rc =
        holder ? OC_FAIL(
                     err, OC_EXISTS, OC_BOUNDARY_USAGE,
                     "run folder '%s' is held by another onchip launch: pid %lld on %s",
                     run_dir,
                     (long long)json_integer_value(json_object_get(holder, "pid")),
                     member(holder, "host"))
               : OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                         "run folder '%s' is held by another onchip launch, which just "
                         "begins",
                         run_dir);
    json_decref(holder);
    return rc;
}

/* A lock that was not let go of names its holder still. Of this host the flock has told
 * that it is dead, and a reboot ended it surely; of another host, on a shared file
 * system, it tells nothing. */
static oc_status check_holder(const char *path, int fd, oc_error *err)
{
    oc_status rc = OC_OK;
    json_t *holder = read_holder(fd);
    json_t *here = json_object();
    if (!oc__run_lock_whereabouts(here)) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    } else if (holder && strcmp(member(holder, "host"), member(here, "host")) != 0) {
        rc = OC_FAIL(
            err, OC_EXISTS, OC_BOUNDARY_USAGE,
            "'%s' names pid %lld on %s, which is not this host (%s): whether it "
            "lives cannot be told from here; remove the file when it does not",
            path, (long long)json_integer_value(json_object_get(holder, "pid")),
            member(holder, "host"), member(here, "host"));
    }
    json_decref(here);
    json_decref(holder);
    return rc;
}

/* The file may have been removed, and made anew by another, before it was locked. */
static bool is_still(const char *path, int fd)
{
    struct stat ours;
    struct stat there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

oc_status oc__run_lock_take(const char *run_dir, int *out_fd, bool *out_made,
                            oc_error *err)
{
    oc_status rc = OC_OK;
    int fd = -1;
    *out_fd = -1;
    *out_made = false;
    char *path = oc__path_join(run_dir, "lock");
    if (!path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0644);
        *out_made = fd >= 0;
        if (fd < 0 && errno == EEXIST) { // made by another between the two
            fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        }
    }
    if (fd < 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot open '%s': %s", path,
                     strerror(errno));
        goto done;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        rc = errno == EWOULDBLOCK
                 ? held(run_dir, fd, err)
                 : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot lock '%s': %s",
                           path, strerror(errno));
        *out_made = false; // another's by now
        goto done;
    }
    if (!is_still(path, fd)) {
        rc = OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                     "run folder '%s' is taken by another onchip launch", run_dir);
        goto done;
    }
    rc = check_holder(path, fd, err);
    if (rc == OC_OK) {
        *out_fd = fd;
        fd = -1;
    }
done:
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    return rc;
}

oc_status oc__run_lock_sign(int fd, oc_error *err)
{
    json_t *root = json_object();
    json_object_set_new(root, "pid", json_integer(getpid()));
    char *text = oc__run_lock_whereabouts(root) ? oc__json_text(root) : NULL;
    json_decref(root);
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    size_t size = strlen(text);
    size_t done = 0;
    bool ok = ftruncate(fd, 0) == 0;
    while (ok && done < size) {
        ssize_t wrote = pwrite(fd, text + done, size - done, (off_t)done);
        ok = wrote > 0 || (wrote < 0 && errno == EINTR);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    free(text);
    return ok ? OC_OK
              : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot write the lock: %s",
                        strerror(errno));
}
