/* job.log: the first half MiB goes to the file as it comes, the last is kept in a ring
 * and follows at the end, so that a flood costs neither memory nor disk. */
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

static oc_status put(const oc__job_log *log, const char *data, size_t size,
                     oc_error *err)
{
    while (size > 0) {
        ssize_t wrote = write(log->file, data, size);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot write '%s': %s",
                           log->path, strerror(errno));
        }
        data += wrote;
        size -= (size_t)wrote;
    }
    return OC_OK;
}

oc_status oc__job_log_open(const char *path, oc__job_log *log, oc_error *err)
{
    *log = (oc__job_log){
        .file = -1, .tail = malloc(OC__JOB_LOG_HALF), .path = strdup(path)};
    if (!log->tail || !log->path) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    log->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    return log->file >= 0 ? OC_OK
                          : OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                                    "cannot create '%s': %s", path, strerror(errno));
}

static void keep_tail(oc__job_log *log, const char *data, size_t size)
{
    while (size > 0) {
        size_t at = (size_t)((log->size - OC__JOB_LOG_HALF) % OC__JOB_LOG_HALF);
        size_t part = OC__JOB_LOG_HALF - at < size ? OC__JOB_LOG_HALF - at : size;
        memcpy(log->tail + at, data, part);
        log->size += (int64_t)part;
        data += part;
        size -= part;
    }
}

oc_status oc__job_log_read(oc__job_log *log, int fd, bool *out_open, oc_error *err)
{
    char chunk[CHUNK];
    ssize_t got = read(fd, chunk, sizeof chunk);
    *out_open = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got <= 0) {
        return OC_OK;
    }
    size_t size = (size_t)got;
    size_t head = 0;
    oc_status rc = OC_OK;
    if (log->size < OC__JOB_LOG_HALF) {
        size_t room = (size_t)(OC__JOB_LOG_HALF - log->size);
        head = size < room ? size : room;
        rc = put(log, chunk, head, err);
        log->size += (int64_t)head;
    }
    keep_tail(log, chunk + head, size - head);
    return rc;
}

oc_status oc__job_log_close(oc__job_log *log, oc_error *err)
{
    oc_status rc = OC_OK;
    int64_t past = log->size - OC__JOB_LOG_HALF; // what went into the ring
    int64_t lost = past - OC__JOB_LOG_HALF;
    if (log->file >= 0 && lost > 0) {
        char line[96];
        int size = snprintf(line, sizeof line,
                            "\n[onchip: %" PRId64 " bytes are left out here]\n", lost);
        size_t at = (size_t)(past % OC__JOB_LOG_HALF); // the oldest byte
        rc = put(log, line, (size_t)size, err);
        if (rc == OC_OK) {
            rc = put(log, log->tail + at, OC__JOB_LOG_HALF - at, err);
        }
        if (rc == OC_OK) {
            rc = put(log, log->tail, at, err);
        }
    } else if (log->file >= 0 && past > 0) {
        rc = put(log, log->tail, (size_t)past, err);
    }
    if (log->file >= 0 && close(log->file) != 0 && rc == OC_OK) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot close '%s': %s",
                     log->path, strerror(errno));
    }
    free(log->tail);
    free(log->path);
    *log = (oc__job_log){.file = -1};
    return rc;
}
