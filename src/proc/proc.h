/* Child processes: started without a shell, waited for with a deadline, never left
 * behind.
 *
 * Calling sequence
 *     oc__proc child;
 *     oc__proc_options options = {.argv = argv, .stdout_fd = w, .stderr_fd = w};
 *     rc = oc__proc_start(&options, &child, err);    OC_NOT_FOUND: not on PATH
 *     ...
 *     oc__proc_end end;
 *     rc = oc__proc_wait(&child, deadline, &end, err);   OC_DEADLINE: it runs on
 *     oc__proc_stop(&child, grace_ms, &end);         TERM, grace_ms, KILL; always reaps
 *
 * A child runs in a process group of its own. Stopping it stops its children too, and
 * those that it leaves behind when it ends are killed; it dies by SIGKILL when the
 * process that started it ends. It inherits standard input from /dev/null, standard
 * output and error unless the options name others, the descriptor passed, and nothing
 * else.
 *
 * oc__proc_run is the whole sequence for a program that is run for its output. */
#ifndef ONCHIP_PROC_PROC_H
#define ONCHIP_PROC_PROC_H

#include "base/clock.h"
#include "base/error.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A point in time on CLOCK_MONOTONIC, in milliseconds; a jump of the wall clock does
 * not move it. */
typedef int64_t oc__deadline;
oc__deadline oc__deadline_in(int64_t timeout_ms);
/* Milliseconds that are left, 0 when it has passed; fits poll(). */
int oc__deadline_left_ms(oc__deadline deadline);

/* What a child may use; set before its program starts, inherited by its own children.
 */
typedef struct oc__proc_limits {
    int64_t cpu_s;        /* processor time of each process; 0: no limit */
    int64_t file_bytes;   /* of a file that is written (EFBIG); negative: no limit */
    const char *writable; /* the only folder, beside /dev/null, where files may be made
                             or written (EACCES), where the kernel has Landlock; NULL:
                             anywhere */
} oc__proc_limits;

typedef struct oc__proc_options {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
    const char *const
        *environment; /* NULL-terminated "NAME=value" laid over ours; may be NULL */
    int stdin_fd;     /* 0 or negative: /dev/null */
    int stdout_fd;    /* 0 or negative: inherited */
    int stderr_fd;    /* 0 or negative: inherited */
    int passed_fd;    /* becomes descriptor 3 of the child; 0 or negative: none */
    const oc__proc_limits *limits; /* NULL: none; a core file is never written with them
                                    */
} oc__proc_options;

typedef struct oc__proc {
    pid_t pid; /* 0: not running, already reaped */
    int pidfd;
} oc__proc;

typedef struct oc__proc_end {
    bool signalled; /* true: `code` is a signal number; false: an exit status */
    int code;
} oc__proc_end;

OC_MUST_USE oc_status oc__proc_start(const oc__proc_options *options,
                                     oc__proc *out_proc, oc_error *err);
OC_MUST_USE oc_status oc__proc_wait(oc__proc *proc, oc__deadline deadline,
                                    oc__proc_end *out_end, oc_error *err);

/* Ends a child that may be running: SIGTERM to its group, `grace_ms` to leave (0:
 * none), SIGKILL, and at most 5 s for the kernel to let it go. Safe on one that was
 * reaped already. False when even SIGKILL did not end it (uninterruptible in the
 * kernel). */
bool oc__proc_stop(oc__proc *proc, int grace_ms, oc__proc_end *out_end);

/* "exit status 3" or "signal 6 (Aborted)". */
void oc__proc_end_text(const oc__proc_end *end, char *out, size_t size);

/* A pipe whose ends lie above the descriptors that a child is given. 0, or -1 and
 * errno.
 */
int oc__proc_pipe(int fds[2]);

/* Sets them in the process that calls; 0, or -1 and errno. Async-signal-safe. */
int oc__proc_limits_set(const oc__proc_limits *limits);

/* Processes of this user that were started with `mark` ("NAME=value") in their
 * environment: those that leave their group and their parent are found too. Memory is
 * what belongs to them alone (anonymous and shared), in bytes, added up. */
int64_t oc__proc_marked_memory(const char *mark);
/* Kills them until none is found. */
void oc__proc_marked_kill(const char *mark);
/* One of them; 0: there is none. */
pid_t oc__proc_marked_pid(const char *mark);

/* Kills the children of this process and, where it is their subreaper, what comes to it
 * from them, until it has none. Yields one that stays until the deadline
 * (uninterruptible in the kernel), or 0. */
pid_t oc__proc_children_end(oc__deadline deadline);

/* Runs a program to its end; standard output and error are collected, each up to its
 * buffer's maximum (more is read and dropped). OC_DEADLINE: it was stopped. A non-zero
 * exit status is not an error: look at *out_end. */
OC_MUST_USE oc_status oc__proc_run(const char *const *argv, const char *input,
                                   size_t input_size, int64_t timeout_ms,
                                   oc__strbuf *out_stdout, oc__strbuf *out_stderr,
                                   oc__proc_end *out_end, oc_error *err);

#endif
