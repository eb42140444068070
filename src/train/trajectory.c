#include "trajectory.h"

#include "base/file.h"
#include "train_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static oc_status failed(const char *what, oc_error *err)
{
    return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot %s trajectory.bin: %s",
                   what, strerror(errno));
}

static oc_status check_record(int fd, int64_t step, const oc__fit_record *record,
                              oc_error *err)
{
    oc__fit_record found = {0};
    ssize_t got = pread(fd, found.words, sizeof found.words,
                        (off_t)(step - 1) * OC__FIT_RECORD_BYTES);
    if (got < 0) {
        return failed("read", err);
    }
    if ((size_t)got != sizeof found.words) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "trajectory.bin ends before the record of step %lld, at which "
                       "the checkpoint stands",
                       (long long)step);
    }
    if (memcmp(found.words, record->words, sizeof found.words) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "the record of step %lld in trajectory.bin is not that of the "
                       "checkpoint",
                       (long long)step);
    }
    return OC_OK;
}

/* A new name in a folder is only as safe as the folder's own fsync. */
static oc_status sync_folder(const char *path, oc_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return failed("open the folder of", err);
    }
    oc_status rc = fsync(fd) == 0 ? OC_OK : failed("sync the folder of", err);
    close(fd);
    return rc;
}

oc_status oc__trajectory_open(const char *run_dir, int64_t step,
                              const oc__fit_record *record, int *out_fd, oc_error *err)
{
    oc_status rc = OC_OK;
    int fd = -1;
    *out_fd = -1;
    char *path = oc__path_join(run_dir, "trajectory.bin");
    if (!path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (step == 0 ? O_CREAT : 0);
    fd = open(path, flags, 0666);
    if (fd < 0) {
        rc = failed("open", err);
        goto done;
    }
    if (step > 0) {
        rc = check_record(fd, step, record, err);
    }
    if (rc == OC_OK && ftruncate(fd, (off_t)step * OC__FIT_RECORD_BYTES) != 0) {
        rc = failed("cut", err);
    }
    if (rc == OC_OK && fsync(fd) != 0) {
        rc = failed("sync", err);
    }
    if (rc == OC_OK) {
        rc = sync_folder(run_dir, err);
    }
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

oc_status oc__trajectory_add(int fd, const oc__fit_record *record, oc_error *err)
{
    return oc__train_write(fd, record->words, sizeof record->words, "trajectory.bin",
                           err);
}

oc_status oc__trajectory_sync(int fd, oc_error *err)
{
    return fdatasync(fd) == 0 ? OC_OK : failed("sync", err);
}
