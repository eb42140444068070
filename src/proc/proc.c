#include "proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PASSED_FD = 3, KILL_WAIT_MS = 5000 };

static int64_t now_ms(void)
{
    return oc__now_us() / 1000;
}

oc__deadline oc__deadline_in(int64_t timeout_ms)
{
    return now_ms() + timeout_ms;
}

int oc__deadline_left_ms(oc__deadline deadline)
{
    int64_t left = deadline - now_ms();
    return left <= 0 ? 0 : left > 1000000000 ? 1000000000 : (int)left;
}

/* Runs between fork and exec, where only async-signal-safe calls are allowed. */
static _Noreturn void child_exec(const oc__proc_options *options, pid_t parent,
                                 int report_fd, char *const *environment)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127); // the parent ended before the line above took hold
    }
    signal(SIGPIPE, SIG_DFL);
    sigset_t none; // who reads signals from a descriptor has them blocked
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool ok = null_fd >= 0;
    ok = ok && dup2(options->stdin_fd > 0 ? options->stdin_fd : null_fd, 0) == 0;
    if (options->stdout_fd > 0) {
        ok = ok && dup2(options->stdout_fd, 1) == 1;
    }
    if (options->stderr_fd > 0) {
        ok = ok && dup2(options->stderr_fd, 2) == 2;
    }
    if (options->passed_fd > 0) {
        ok = ok && dup2(options->passed_fd, PASSED_FD) == PASSED_FD;
    }
    ok = ok && (!options->limits || oc__proc_limits_set(options->limits) == 0);
    if (ok) {
        // Descriptors that whoever started us forgot to mark are none of the child's.
        unsigned int first = options->passed_fd > 0 ? PASSED_FD + 1 : PASSED_FD;
        close_range(first, ~0U, CLOSE_RANGE_CLOEXEC);
        // POSIX declares argv without const and promises not to change it.
        execvpe(options->argv[0], (char *const *)(size_t)options->argv, environment);
    }
    int why = errno;
    ssize_t ignored = write(report_fd, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

/* Our environment with `overlay` on top; one allocation, strings borrowed. */
static char **merge_environment(const char *const *overlay)
{
    size_t ours = 0;
    size_t extra = 0;
    while (environ[ours]) {
        ours++;
    }
    while (overlay && overlay[extra]) {
        extra++;
    }
    char **merged = calloc(ours + extra + 1, sizeof *merged);
    if (!merged) {
        return NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < ours; i++) {
        bool replaced = false;
        for (size_t j = 0; j < extra && !replaced; j++) {
            size_t name = strcspn(overlay[j], "=") + 1;
            replaced = strncmp(environ[i], overlay[j], name) == 0;
        }
        if (!replaced) {
            merged[count++] = environ[i];
        }
    }
    for (size_t j = 0; j < extra; j++) {
        merged[count++] = (char *)(size_t)overlay[j];
    }
    return merged;
}

int oc__proc_pipe(int fds[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) {
        return -1;
    }
    fds[0] = fcntl(low[0], F_DUPFD_CLOEXEC, PASSED_FD + 1);
    fds[1] = fcntl(low[1], F_DUPFD_CLOEXEC, PASSED_FD + 1);
    close(low[0]);
    close(low[1]);
    return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

oc_status oc__proc_start(const oc__proc_options *options, oc__proc *out_proc,
                         oc_error *err)
{
    oc_status rc = OC_OK;
    int report[2] = {-1, -1};
    const char *program = options->argv[0];
    *out_proc = (oc__proc){.pidfd = -1};
    char **environment = merge_environment(options->environment);
    if (!environment) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    if (oc__proc_pipe(report) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot create a pipe: %s",
                     strerror(errno));
        goto done;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot start '%s': %s", program,
                     strerror(errno));
        goto done;
    }
    if (pid == 0) {
        child_exec(options, parent, report[1], environment);
    }
    setpgid(pid, pid);
    close(report[1]);
    report[1] = -1;
    out_proc->pid = pid;
    out_proc->pidfd = pidfd_open(pid, 0);

    int why = 0;
    ssize_t got;
    do {
        got = read(report[0], &why, sizeof why);
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof why || out_proc->pidfd < 0) {
        why = got == (ssize_t)sizeof why ? why : errno;
        rc = OC_FAIL(err, why == ENOENT ? OC_NOT_FOUND : OC_IO, OC_BOUNDARY_NONE,
                     "cannot start '%s': %s", program, strerror(why));
        oc__proc_end ignored;
        oc__proc_stop(out_proc, 0, &ignored);
    }
done:
    if (report[0] >= 0) {
        close(report[0]);
    }
    if (report[1] >= 0) {
        close(report[1]);
    }
    free(environment);
    return rc;
}

static bool reap(oc__proc *proc, oc__proc_end *out_end)
{
    int status = 0;
    pid_t got;
    // What the child leaves running ends with it. The child is not reaped yet, so its
    // group's number cannot have been given away.
    kill(-proc->pid, SIGKILL);
    do {
        got = waitpid(proc->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    *out_end = (oc__proc_end){.signalled = got > 0 && WIFSIGNALED(status),
                              .code = got <= 0              ? 127
                                      : WIFSIGNALED(status) ? WTERMSIG(status)
                                                            : WEXITSTATUS(status)};
    if (proc->pidfd >= 0) {
        close(proc->pidfd);
    }
    *proc = (oc__proc){.pidfd = -1};
    return true;
}

static bool ends_by(const oc__proc *proc, oc__deadline deadline)
{
    struct pollfd wait = {.fd = proc->pidfd, .events = POLLIN};
    int ready;
    do {
        ready = poll(&wait, 1, oc__deadline_left_ms(deadline));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

oc_status oc__proc_wait(oc__proc *proc, oc__deadline deadline, oc__proc_end *out_end,
                        oc_error *err)
{
    *out_end = (oc__proc_end){0};
    if (!ends_by(proc, deadline)) {
        return OC_FAIL(err, OC_DEADLINE, OC_BOUNDARY_NONE, "process %d still runs",
                       (int)proc->pid);
    }
    reap(proc, out_end);
    return OC_OK;
}

bool oc__proc_stop(oc__proc *proc, int grace_ms, oc__proc_end *out_end)
{
    *out_end = (oc__proc_end){0};
    if (proc->pid <= 0) {
        return true;
    }
    pid_t group = -proc->pid;
    if (grace_ms > 0) {
        kill(group, SIGTERM);
        ends_by(proc, oc__deadline_in(grace_ms));
    }
    kill(group, SIGKILL);
    if (proc->pidfd >= 0 && !ends_by(proc, oc__deadline_in(KILL_WAIT_MS))) {
        return false;
    }
    return reap(proc, out_end);
}

void oc__proc_end_text(const oc__proc_end *end, char *out, size_t size)
{
    if (end->signalled) {
        snprintf(out, size, "signal %d (%s)", end->code, strsignal(end->code));
    } else {
        snprintf(out, size, "exit status %d", end->code);
    }
}

/* Reads what is there; false at the end of the stream. */
static bool drain(int fd, oc__strbuf *into)
{
    char chunk[8192];
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (got <= 0) {
        return false;
    }
    size_t room = into->max_size - into->size;
    oc__strbuf_add(into, chunk, (size_t)got < room ? (size_t)got : room);
    return true;
}

/* Collects both outputs until they are closed, the child has ended and nothing more is
 * there (a child of its own may hold them open), or time is up. */
static void collect(const oc__proc *child, int out, int errors, oc__deadline deadline,
                    oc__strbuf *out_stdout, oc__strbuf *out_stderr)
{
    struct pollfd fds[3] = {{.fd = out, .events = POLLIN},
                            {.fd = errors, .events = POLLIN},
                            {.fd = child->pidfd, .events = POLLIN}};
    while ((fds[0].fd >= 0 || fds[1].fd >= 0) && oc__deadline_left_ms(deadline) > 0) {
        if (poll(fds, 3, oc__deadline_left_ms(deadline)) <= 0) {
            continue;
        }
        if (fds[2].revents && !fds[0].revents && !fds[1].revents) {
            break;
        }
        if (fds[0].fd >= 0 && fds[0].revents && !drain(out, out_stdout)) {
            fds[0].fd = -1;
        }
        if (fds[1].fd >= 0 && fds[1].revents && !drain(errors, out_stderr)) {
            fds[1].fd = -1;
        }
    }
}

/* A file in memory that holds `input`, to be read from its start; -1 when that fails. A
 * child that does not read its input then cannot stop us with a full or a broken pipe.
 */
static int input_file(const char *input, size_t size)
{
    int fd = memfd_create("onchip-input", MFD_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    int high = fcntl(fd, F_DUPFD_CLOEXEC, PASSED_FD + 1);
    close(fd);
    if (high >= 0 &&
        (write(high, input, size) != (ssize_t)size || lseek(high, 0, SEEK_SET) != 0)) {
        close(high);
        return -1;
    }
    return high;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

oc_status oc__proc_run(const char *const *argv, const char *input, size_t input_size,
                       int64_t timeout_ms, oc__strbuf *out_stdout,
                       oc__strbuf *out_stderr, oc__proc_end *out_end, oc_error *err)
{
    oc_status rc = OC_OK;
    int out[2] = {-1, -1};
    int errors[2] = {-1, -1};
    oc__proc child = {.pidfd = -1};
    oc__deadline deadline = oc__deadline_in(timeout_ms);
    *out_end = (oc__proc_end){0};

    int in = input_file(input, input_size);
    if (in < 0 || oc__proc_pipe(out) != 0 || oc__proc_pipe(errors) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "cannot create a pipe: %s",
                     strerror(errno));
        goto done;
    }
    oc__proc_options options = {
        .argv = argv, .stdin_fd = in, .stdout_fd = out[1], .stderr_fd = errors[1]};
    rc = oc__proc_start(&options, &child, err);
    if (rc != OC_OK) {
        goto done;
    }
    close_fd(&out[1]);
    close_fd(&errors[1]);
    collect(&child, out[0], errors[0], deadline, out_stdout, out_stderr);
    rc = oc__proc_wait(&child, deadline, out_end, err);
    if (rc == OC_DEADLINE) {
        oc__error_prefix(err, "'%s' was stopped after %lld ms", argv[0],
                         (long long)timeout_ms);
    }
done:
    if (child.pid > 0) {
        oc__proc_end ignored;
        oc__proc_stop(&child, 500, &ignored);
    }
    close_fd(&in);
    for (int i = 0; i < 2; i++) {
        close_fd(&out[i]);
        close_fd(&errors[i]);
    }
    return rc;
}
