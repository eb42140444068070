#include "device/channel.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXIT_WAIT_MS = 300, LAST_WORDS = 400, LOWEST_FD = 4 };

/* Moves a descriptor above those that the child fills. */
static int raise_fd(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
    close(fd);
    return high;
}

oc_status oc__channel_open(oc__channel *channel, const char *const *environment,
                           int64_t timeout_ms, oc_error *err)
{
    oc_status rc = OC_OK;
    int sockets[2] = {-1, -1};
    int pipes[2] = {-1, -1};
    *channel = (oc__channel){.worker = {.pidfd = -1},
                             .socket = -1,
                             .log_fd = -1,
                             .deadline = oc__deadline_in(timeout_ms),
                             .timeout_ms = timeout_ms};
    oc__strbuf_init(&channel->log, OC__LOG_BYTES);
    char *program = oc__own_program("ONCHIP_WORKER", "onchip-worker");
    if (!program) {
        rc = OC_FAIL(
            err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN,
            "onchip-worker is not beside this program; set ONCHIP_WORKER to it");
        goto done;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
        pipe2(pipes, O_CLOEXEC) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_PLUGIN, "cannot create a pipe: %s",
                     strerror(errno));
        goto done;
    }
    for (int i = 0; i < 2; i++) {
        sockets[i] = raise_fd(sockets[i]);
        pipes[i] = raise_fd(pipes[i]);
    }
    const char *argv[] = {program, NULL};
    oc__proc_options options = {.argv = argv,
                                .environment = environment,
                                .stdout_fd = pipes[1],
                                .stderr_fd = pipes[1],
                                .passed_fd = sockets[1]};
    rc = oc__proc_start(&options, &channel->worker, err);
    if (rc != OC_OK) {
        oc__error_at_boundary(err, OC_BOUNDARY_PLUGIN);
        goto done;
    }
    channel->socket = sockets[0];
    channel->log_fd = pipes[0];
    sockets[0] = -1;
    pipes[0] = -1;
    fcntl(channel->socket, F_SETFL, O_NONBLOCK);
    fcntl(channel->log_fd, F_SETFL, O_NONBLOCK);
done:
    for (int i = 0; i < 2; i++) {
        if (sockets[i] >= 0) {
            close(sockets[i]);
        }
        if (pipes[i] >= 0) {
            close(pipes[i]);
        }
    }
    free(program);
    return rc;
}

void oc__channel_close(oc__channel *channel)
{
    oc__proc_end end;
    if (channel->socket >= 0) {
        close(channel->socket);
    }
    if (channel->log_fd >= 0) {
        close(channel->log_fd);
    }
    oc__proc_stop(&channel->worker, 0, &end);
    oc__strbuf_free(&channel->log);
}

/* Reads the noise that has arrived. When the log is full its middle goes: the beginning
 * says what was started, the end says why it stopped. */
static void drain_log(oc__channel *channel)
{
    char chunk[16384];
    for (;;) {
        ssize_t got = read(channel->log_fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return; // nothing there for now
        }
        if (got == 0) {
            close(channel->log_fd);
            channel->log_fd = -1;
            return;
        }
        oc__strbuf *log = &channel->log;
        if (log->size + (size_t)got > log->max_size) {
            size_t head = log->max_size / 2;
            size_t kept = log->max_size / 4;
            memmove(log->data + head, log->data + log->size - kept, kept);
            log->size = head + kept;
        }
        oc__strbuf_add(log, chunk, (size_t)got);
    }
}

static bool worker_ended(const oc__channel *channel)
{
    struct pollfd wait = {.fd = channel->worker.pidfd, .events = POLLIN};
    return poll(&wait, 1, 0) > 0;
}

/* Waits until the socket is ready; drains the log meanwhile. */
static oc_status wait_ready(oc__channel *channel, short events, oc_error *err)
{
    for (;;) {
        struct pollfd fds[3] = {{.fd = channel->socket, .events = events},
                                {.fd = channel->worker.pidfd, .events = POLLIN},
                                {.fd = channel->log_fd, .events = POLLIN}};
        int left = oc__deadline_left_ms(channel->deadline);
        int ready = poll(fds, 3, left);
        if (ready < 0 && errno != EINTR) {
            return OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "poll failed: %s",
                           strerror(errno));
        }
        if (fds[2].revents && channel->log_fd >= 0) {
            drain_log(channel);
        }
        if (ready > 0 && fds[0].revents) {
            return OC_OK;
        }
        // A child of the worker may hold its end of the socket open after it is gone.
        if (ready > 0 && fds[1].revents) {
            return OC_FAIL(err, OC_CHILD, OC_BOUNDARY_NONE, "ended");
        }
        if (left == 0) {
            return OC_FAIL(err, OC_DEADLINE, OC_BOUNDARY_NONE, "late");
        }
    }
}

static oc_status move_bytes(void *context, bool sending, void *data, size_t size,
                            oc_error *err)
{
    oc__channel *channel = context;
    char *at = data;
    while (size > 0) {
        ssize_t moved = sending ? send(channel->socket, at, size, MSG_NOSIGNAL)
                                : recv(channel->socket, at, size, 0);
        if (moved > 0) {
            at += moved;
            size -= (size_t)moved;
            continue;
        }
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            return OC_FAIL(err, OC_CHILD, OC_BOUNDARY_NONE, "closed");
        }
        oc_status rc = wait_ready(channel, sending ? POLLOUT : POLLIN, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

/* The last line or lines of the log, on one line, for an error text. */
static void last_words(const oc__channel *channel, char *out, size_t size)
{
    size_t end = channel->log.size;
    out[0] = '\0';
    while (end > 0 && strchr("\n\r ", channel->log.data[end - 1])) {
        end--;
    }
    size_t start = end > size - 32 ? end - (size - 32) : 0;
    if (end == 0) {
        return;
    }
    size_t used = (size_t)snprintf(out, size, "; its last words: ");
    for (size_t i = start; i < end && used + 1 < size; i++) {
        char c = channel->log.data[i];
        out[used] = ' ';
        if (c >= 0x20 && c < 0x7f) {
            out[used] = c;
        }
        used++;
    }
    out[used] = '\0';
}

/* Turns a conversation that broke off into the error that the caller sees, now and from
 * now on. */
static oc_status break_off(oc__channel *channel, oc_boundary boundary, oc_status why,
                           oc_error *err)
{
    const char *place = oc_boundary_name(boundary);
    oc__proc_end end;
    char ended[64] = "";
    char words[LAST_WORDS];
    bool had_ended = why != OC_DEADLINE &&
                     oc__proc_wait(&channel->worker, oc__deadline_in(EXIT_WAIT_MS),
                                   &end, NULL) == OC_OK;
    if (had_ended) {
        oc__proc_end_text(&end, ended, sizeof ended);
    } else {
        oc__proc_stop(&channel->worker, why == OC_DEADLINE ? EXIT_WAIT_MS : 0, &end);
    }
    if (channel->log_fd >= 0) {
        drain_log(channel);
    }
    last_words(channel, words, sizeof words);
    channel->broken = true;
    channel->failure = (oc_error){0};
    if (why == OC_DEADLINE) {
        oc__ignore(
            OC_FAIL(&channel->failure, OC_DEADLINE, boundary,
                    "the plugin gave no answer in %s within %g s; its process was "
                    "stopped%s",
                    place, (double)channel->timeout_ms / 1000.0, words));
    } else if (why == OC_NOMEM) {
        oc__ignore(OC_FAIL(&channel->failure, OC_NOMEM, boundary,
                           "no memory for what the plugin answers in %s", place));
    } else if (had_ended) {
        oc__ignore(OC_FAIL(&channel->failure, OC_CHILD, boundary,
                           "the plugin ended its process in %s with %s%s", place, ended,
                           words));
    } else {
        oc__ignore(
            OC_FAIL(&channel->failure, OC_CHILD, boundary,
                    "the plugin broke its process's channel in %s; it was stopped%s",
                    place, words));
    }
    if (err && err->status == OC_OK) {
        *err = channel->failure;
    }
    return channel->failure.status;
}

/* The error that the worker reports. */
static oc_status reported_error(const json_t *reply, oc_boundary boundary,
                                oc_error *err)
{
    const char *text = json_string_value(json_object_get(reply, "text"));
    oc_status status = (oc_status)json_integer_value(json_object_get(reply, "status"));
    oc_boundary at =
        (oc_boundary)json_integer_value(json_object_get(reply, "boundary"));
    bool known = at > OC_BOUNDARY_NONE && at <= OC_BOUNDARY_EVIDENCE;
    oc_status rc =
        OC_FAIL(err, status == OC_OK ? OC_CHILD : status, known ? at : boundary, "%s",
                text ? text : "no reason given");
    if (err && err->status == rc) {
        err->plugin_code =
            (int)json_integer_value(json_object_get(reply, "plugin_code"));
    }
    return rc;
}

oc_status oc__channel_call(oc__channel *channel, json_t *request, const void *blob,
                           size_t blob_size, oc_boundary boundary,
                           oc__message *out_reply, oc_error *err)
{
    oc_error trouble = {0};
    *out_reply = (oc__message){0};
    if (!request) {
        return OC_FAIL(err, OC_NOMEM, boundary, "out of memory");
    }
    if (channel->broken) {
        json_decref(request);
        if (err && err->status == OC_OK) {
            *err = channel->failure;
        }
        return channel->failure.status;
    }
    oc__wire wire = {.move = move_bytes, .context = channel};
    oc_status rc = oc__wire_send(&wire, request, blob, blob_size, &trouble);
    json_decref(request);
    if (rc == OC_OK) {
        rc = oc__wire_receive(&wire, out_reply, &trouble);
    }
    if (rc != OC_OK) {
        return break_off(channel, boundary, worker_ended(channel) ? OC_CHILD : rc, err);
    }
    if (!json_is_true(json_object_get(out_reply->json, "ok"))) {
        rc = reported_error(out_reply->json, boundary, err);
        oc__message_free(out_reply);
    }
    return rc;
}
