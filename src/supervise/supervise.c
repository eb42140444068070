/* The loop around a job: events, output, signals, limits, and the stop ladder. */
#include "supervise/supervise.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    KILL_WAIT_MS = 5000, /* for the kernel to let go of what SIGKILL ended */
    MUTE_MS = 2000,      /* a job that closed its events may still end of itself */
    NEVER_MS = 3600 * 1000,
    /* A job of a thousand steps a second wakes the launcher once for fifty of them:
     * waking costs more than reading. Then as many reads as the pipe may hold. */
    PACE_MS = 50,
    READS = OC__JOB_PIPE / OC__EVENT_LINE
};

typedef enum ladder { RUNNING, TERMINATED, KILLED, STUCK } ladder;

/* What only the loop knows. */
typedef struct loop {
    oc__supervision *run;
    oc__job_log log;
    int total; /* timer on CLOCK_BOOTTIME, which goes on while the machine sleeps */
    ladder rung;
    oc__deadline next;  /* rung's, while it is not RUNNING */
    oc__deadline muted; /* when events were closed; 0: they are open */
    oc__deadline paced; /* events are not looked at before */
} loop;

static bool start_clock(loop *l)
{
    int64_t ms = l->run->options->timeout_ms;
    const struct itimerspec when = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};
    l->total = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return l->total >= 0 && timerfd_settime(l->total, 0, &when, NULL) == 0;
}

static void kill_all(loop *l)
{
    l->run->killed = true;
    kill(-l->run->job.pid, SIGKILL);
    l->rung = KILLED;
    l->next = oc__deadline_in(KILL_WAIT_MS);
}

/* The first reason stays. SIGCONT, so that a job that was stopped can obey. */
static void stop(loop *l, oc__stop_reason reason)
{
    if (l->rung != RUNNING) {
        return;
    }
    l->run->reason = reason;
    kill(-l->run->job.pid, SIGTERM);
    kill(-l->run->job.pid, SIGCONT);
    l->rung = TERMINATED;
    l->next = oc__deadline_in(l->run->options->grace_ms);
}

/* What cannot be kept, or is no event, ends the job; the first such error stays. */
static void trouble(loop *l, const oc_error *err)
{
    oc__supervision *run = l->run;
    if (run->failure.status == OC_OK) {
        run->failure = *err;
    }
    bool protocol = err->status == OC_PARSE;
    if (protocol && l->rung == RUNNING) {
        json_t *event = json_object();
        json_object_set_new(event, "event", json_string("failed"));
        json_object_set_new(event, "kind", json_string("protocol"));
        json_object_set_new(event, "message", oc__json_string(err->text));
        oc__ignore(oc__events_say(&run->events, event, NULL));
    }
    stop(l, protocol ? OC__STOP_PROTOCOL : OC__STOP_IO);
}

static void over_limit(loop *l, const char *limit, int64_t since_us)
{
    oc__supervision *run = l->run;
    oc_error err = {0};
    if (l->rung != RUNNING) {
        return;
    }
    run->limit = limit;
    json_t *event = json_object();
    json_object_set_new(event, "event", json_string("stalled"));
    json_object_set_new(event, "limit", json_string(limit));
    json_object_set_new(event, "after_s",
                        oc__json_float(1e-6 * (double)(oc__now_us() - since_us)));
    oc__job_look(run->job.pid, event);
    oc_status rc = oc__events_say(&run->events, event, &err);
    stop(l, OC__STOP_LIMIT);
    if (rc != OC_OK) {
        trouble(l, &err);
    }
}

/* Milliseconds until the limit of a step (or of the start) is over. */
static int64_t step_left(const oc__supervision *run)
{
    const oc__launch_events *events = &run->events;
    int64_t limit =
        events->ready ? run->options->stall_timeout_ms : run->options->start_timeout_ms;
    return limit - (oc__now_us() - events->moved_us) / 1000;
}

static int wait_ms(const loop *l)
{
    int64_t left = NEVER_MS;
    if (l->rung == RUNNING) {
        int64_t step = step_left(l->run);
        left = step < 0 ? 0 : step < left ? step : left;
        if (l->muted > 0 && oc__deadline_left_ms(l->muted) < left) {
            left = oc__deadline_left_ms(l->muted);
        }
    } else {
        left = oc__deadline_left_ms(l->next);
    }
    // Rounded up: what is due within a millisecond must not be asked for in a loop.
    return (int)left + 1;
}

static void on_signal(loop *l)
{
    struct signalfd_siginfo info;
    while (read(l->run->signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (l->rung == RUNNING) {
            l->run->signal = (int)info.ssi_signo;
            stop(l, OC__STOP_SIGNAL);
        } else if (l->rung == TERMINATED && info.ssi_signo == SIGINT) {
            kill_all(l); // somebody at the terminal will not wait
        }
    }
}

static void on_time(loop *l)
{
    oc__supervision *run = l->run;
    if (l->rung == RUNNING) {
        if (step_left(run) < 0) {
            over_limit(l, run->events.ready ? "stall" : "start", run->events.moved_us);
        } else if (l->muted > 0 && oc__deadline_left_ms(l->muted) == 0) {
            oc_error err = {0};
            oc__ignore(OC_FAIL(&err, OC_PARSE, OC_BOUNDARY_EXECUTE,
                               "the job closed its events (descriptor 3) and runs on"));
            l->muted = 0;
            trouble(l, &err);
        }
    } else if (oc__deadline_left_ms(l->next) == 0) {
        if (l->rung == TERMINATED) {
            kill_all(l);
        } else {
            l->rung = STUCK;
            run->unkillable = run->job.pid;
        }
    }
}

/* False: nothing more comes from there for now. */
static bool read_events(loop *l)
{
    oc__supervision *run = l->run;
    oc_error err = {0};
    bool open = true;
    char dropped[4096];
    if (run->job.events < 0) {
        return false;
    }
    int64_t before = run->events.size;
    size_t used = run->events.used;
    if (run->failure.status != OC_OK) { // what follows nonsense is not looked at
        ssize_t got = read(run->job.events, dropped, sizeof dropped);
        open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
        if (open) {
            return got > 0;
        }
    } else if (oc__events_read(&run->events, run->job.events, &open, &err) != OC_OK) {
        trouble(l, &err);
        return true;
    }
    if (!open) {
        close(run->job.events);
        run->job.events = -1;
        if (!run->events.completed && !run->events.failed) {
            l->muted = oc__deadline_in(MUTE_MS);
        }
    }
    return open && (run->events.size != before || run->events.used != used);
}

static bool read_output(loop *l)
{
    oc__supervision *run = l->run;
    oc_error err = {0};
    bool open = true;
    if (run->job.output < 0) {
        return false;
    }
    int64_t before = l->log.size;
    if (oc__job_log_read(&l->log, run->job.output, &open, &err) != OC_OK) {
        trouble(l, &err);
    }
    if (!open) {
        close(run->job.output);
        run->job.output = -1;
    }
    return l->log.size != before;
}

/* Until the job has ended, or cannot be ended. */
static void turn(loop *l)
{
    oc__supervision *run = l->run;
    bool over = false; // the total limit is said once
    while (l->rung != STUCK) {
        int pause = oc__deadline_left_ms(l->paced);
        struct pollfd fds[] = {
            {.fd = run->job.proc.pidfd, .events = POLLIN},
            {.fd = l->run->signals->fd, .events = POLLIN},
            {.fd = over ? -1 : l->total, .events = POLLIN},
            {.fd = pause > 0 ? -1 : run->job.events, .events = POLLIN},
            {.fd = run->job.output, .events = POLLIN}};
        int left = wait_ms(l);
        int ready = poll(fds, sizeof fds / sizeof *fds,
                         pause > 0 && pause < left ? pause : left);
        if (ready > 0 && fds[1].revents) {
            on_signal(l);
        }
        if (ready > 0 && fds[3].revents) {
            for (int i = 0; i < READS && read_events(l); i++) {
            }
            l->paced = oc__deadline_in(PACE_MS);
        }
        if (ready > 0 && fds[4].revents) {
            read_output(l);
        }
        if (ready > 0 && fds[0].revents) {
            return;
        }
        if (ready > 0 && fds[2].revents) {
            over = true;
            over_limit(l, "total", run->events.start_us);
        }
        on_time(l);
    }
}

/* The job has ended: so must all that it started; then what they have said is read to
 * its end. */
static void gather(loop *l)
{
    oc__supervision *run = l->run;
    char mark[OC__RUN_MARK];
    oc__run_folder_mark(run->folder, mark);
    if (l->rung != STUCK) {
        oc__ignore(oc__proc_wait(&run->job.proc, oc__deadline_in(0), &run->end, NULL));
        run->unkillable = oc__proc_children_end(oc__deadline_in(KILL_WAIT_MS));
    }
    if (run->unkillable > 0) {
        oc__proc_marked_kill(mark);
    }
    l->rung = l->rung == RUNNING ? KILLED : l->rung; // no ladder for who is gone
    while (read_events(l)) {
    }
    while (read_output(l)) {
    }
}

static json_t *ended_event(const oc__supervision *run)
{
    json_t *event = json_object();
    json_object_set_new(event, "event", json_string("ended"));
    if (run->unkillable == run->job.pid) {
        json_object_set_new(event, "unkillable", json_integer(run->unkillable));
    } else {
        json_object_set_new(event, run->end.signalled ? "signal" : "exit_status",
                            json_integer(run->end.code));
    }
    return event;
}

static char *file_of(const oc__run_folder *folder, const char *name)
{
    return oc__path_join(folder->path, name);
}

static oc_status open_files(loop *l, oc_error *err)
{
    oc__supervision *run = l->run;
    char *events = file_of(run->folder, "events.jsonl");
    char *log = file_of(run->folder, "job.log");
    oc_status rc = events && log
                       ? oc__events_open(events, &run->events, err)
                       : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    if (rc == OC_OK) {
        rc = oc__job_log_open(log, &l->log, err);
    }
    free(events);
    free(log);
    return rc;
}

/* A file that cannot be finished fails the run; the first error stays. */
static void keep_failure(oc__supervision *run, const oc_error *err)
{
    if (err->status != OC_OK && run->failure.status == OC_OK) {
        run->failure = *err;
        run->reason = OC__STOP_IO;
    }
}

static void run_job(loop *l)
{
    oc__supervision *run = l->run;
    oc_error err = {0};
    turn(l);
    run->job_us = oc__now_us() - run->events.start_us;
    gather(l);
    if (oc__events_say(&run->events, ended_event(run), &err) != OC_OK) {
        keep_failure(run, &err);
    }
}

oc_status oc__supervise(oc__supervision *run, oc_error *err)
{
    loop l = {.run = run, .log = {.file = -1}, .total = -1};
    oc_error trouble_at_end = {0};
    int64_t ooms = oc__job_oom_kills();
    int64_t now = oc__now_us();
    run->job = (oc__job){.proc = {.pidfd = -1}, .events = -1, .output = -1};
    run->events = (oc__launch_events){.file = -1,
                                      .start_us = now,
                                      .moved_us = now,
                                      .steps = run->folder->steps,
                                      .resumed_from = run->folder->resumed_from,
                                      .last_step = run->folder->resumed_from,
                                      .checkpoint_step = run->folder->resumed_from,
                                      .on_event = run->options->on_event,
                                      .context = run->options->context};
    oc_status rc = OC_OK;
    if (!start_clock(&l)) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot watch the time: %s",
                     strerror(errno));
    }
    if (rc == OC_OK) {
        rc = open_files(&l, err);
    }
    if (rc == OC_OK) {
        rc = oc__job_start(run->folder, &run->job, err);
    }
    oc__error_at_boundary(err, OC_BOUNDARY_EXECUTE);
    if (rc == OC_OK) {
        run_job(&l);
    }
    run->ran_out_of_memory = ooms >= 0 && oc__job_oom_kills() > ooms;
    if (oc__job_log_close(&l.log, &trouble_at_end) != OC_OK ||
        oc__events_close(&run->events, &trouble_at_end) != OC_OK) {
        keep_failure(run, &trouble_at_end);
    }
    for (int i = 0; i < 3; i++) {
        int fd = i == 0 ? l.total : i == 1 ? run->job.events : run->job.output;
        if (fd >= 0) {
            close(fd);
        }
    }
    return rc;
}
