#include "audit/audit_room.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_TALK = 256 << 10,
    MAX_PRINTED = 256 << 10,
    MEMORY_TICK_MS = 25, /* between looks at the memory */
    CHUNK = 16384
};

/* What was printed last tells most (a sanitizer's report), so the older half goes. */
static void add_last(oc__strbuf *buf, const char *bytes, size_t size)
{
    if (buf->size + size > buf->max_size) {
        size_t kept = buf->max_size / 2;
        memmove(buf->data, buf->data + buf->size - kept, kept + 1);
        buf->size = kept;
    }
    oc__strbuf_add(buf, bytes, size);
}

/* Takes what is there; false at the end of the stream. */
static bool drain(int fd, oc__audit_child *child, bool is_talk)
{
    char chunk[CHUNK];
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) {
        return true;
    }
    if (got <= 0) {
        return false;
    }
    if (is_talk) {
        oc__strbuf_add(&child->talk, chunk, (size_t)got);
    } else {
        add_last(&child->printed, chunk, (size_t)got);
    }
    return true;
}

/* Collects until the program has ended and nothing more is there (what it left behind
 * may hold the pipes open), or one of its limits is passed. */
static void watch(oc__audit_child *child, const oc__proc *process, int talk,
                  int printed)
{
    struct pollfd fds[3] = {{.fd = talk, .events = POLLIN},
                            {.fd = printed, .events = POLLIN},
                            {.fd = process->pidfd, .events = POLLIN}};
    oc__deadline deadline = oc__deadline_in(child->timeout_ms);
    oc__deadline next_look = oc__deadline_in(MEMORY_TICK_MS);
    bool ended = false;
    child->how = OC__AUDIT_ENDED;
    for (;;) {
        int left = oc__deadline_left_ms(deadline);
        int to_look = oc__deadline_left_ms(next_look);
        poll(fds, 3, ended ? 0 : left < to_look ? left : to_look);
        if (ended && !fds[0].revents && !fds[1].revents) {
            return;
        }
        if (fds[2].revents && !ended) {
            ended = true;
            oc__proc_marked_kill(child->mark); // or they could write for ever
        }
        if (!ended && left == 0) {
            child->how = OC__AUDIT_DEADLINE;
            return;
        }
        if (!ended && to_look == 0) {
            if (oc__proc_marked_memory(child->mark) > child->memory_bytes) {
                child->how = OC__AUDIT_MEMORY;
                return;
            }
            next_look = oc__deadline_in(MEMORY_TICK_MS);
        }
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd >= 0 && fds[i].revents && !drain(fds[i].fd, child, i == 0)) {
                fds[i].fd = -1;
                fds[i].revents = 0;
            }
        }
    }
}

static void close_pipe(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
        fds[i] = -1;
    }
}

oc_status oc__audit_child_run(oc__audit_child *child, oc_error *err)
{
    oc_status rc = OC_OK;
    int talk[2] = {-1, -1};
    int printed[2] = {-1, -1};
    oc__proc process = {.pidfd = -1};
    oc__strbuf_init(&child->talk, MAX_TALK);
    oc__strbuf_init(&child->printed, MAX_PRINTED);
    oc__strbuf_add(&child->talk, "", 0);
    oc__strbuf_add(&child->printed, "", 0);

    if (oc__proc_pipe(talk) != 0 || oc__proc_pipe(printed) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot create a pipe: %s",
                     strerror(errno));
        goto done;
    }
    oc__proc_options options = {.argv = child->argv,
                                .environment = child->environment,
                                .stdout_fd = printed[1],
                                .stderr_fd = printed[1],
                                .passed_fd = talk[1],
                                .limits = child->limits};
    rc = oc__proc_start(&options, &process, err);
    if (rc != OC_OK) {
        goto done;
    }
    close(talk[1]);
    close(printed[1]);
    talk[1] = printed[1] = -1;
    watch(child, &process, talk[0], printed[0]);
    if (!oc__proc_stop(&process, 0, &child->end)) {
        rc = OC_FAIL(err, OC_CHILD, OC_BOUNDARY_NONE, "'%s' cannot be ended",
                     child->argv[0]);
    }
    oc__proc_marked_kill(child->mark);
done:
    close_pipe(talk);
    close_pipe(printed);
    return rc;
}

void oc__audit_child_free(oc__audit_child *child)
{
    oc__strbuf_free(&child->talk);
    oc__strbuf_free(&child->printed);
}
