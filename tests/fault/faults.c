/* A library to preload: it counts the calls that change a folder, and lets the N-th one
 * be the last, fail, or set something off.
 *
 *     FAULT_PROGRAM  only a process that runs a program of this name is meant
 *     FAULT_FOLDER   only calls on paths in this folder (absolute, real) are counted
 *     FAULT_LOG      file, outside of the folder: a line "NUMBER CALL PATH" for each,
 *                    "NUMBER CALL! PATH" for one that fails
 *     FAULT_AT       the number of the call
 *     FAULT_ACTION   what happens at it (actions[], or an errno's name; with a plus,
 *                    that errno from there on)
 *
 * Counted: open and openat with O_CREAT; write, pwrite, fsync, fdatasync, ftruncate;
 * close of what was open for writing; rename, renameat, renameat2, unlink, unlinkat,
 * rmdir, mkdir, mkdirat. A child between fork and exec counts nothing. */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum {
    DIE_BEFORE,
    DIE_AFTER,
    DIE_TORN,
    ALL_DIE,
    POWER_CUT,
    CHILDREN_DIE,
    WRITE_HALF,
    FAIL,
    TERM_LAUNCHER,
    HANG,
    HANG_DEAF,
    SPIN,
    EXIT_0,
    DAEMON
} action;

static const struct {
    const char *name;
    action what;
    int error;
} actions[] = {
    {"before", DIE_BEFORE, 0}, {"after", DIE_AFTER, 0},
    {"torn", DIE_TORN, 0},     {"all", ALL_DIE, 0},
    {"cut", POWER_CUT, 0},     {"children", CHILDREN_DIE, 0},
    {"half", WRITE_HALF, 0},   {"term", TERM_LAUNCHER, 0},
    {"hang", HANG, 0},         {"deaf", HANG_DEAF, 0},
    {"spin", SPIN, 0},         {"exit", EXIT_0, 0},
    {"daemon", DAEMON, 0},     {"ENOSPC", FAIL, ENOSPC},
    {"EIO", FAIL, EIO},        {"EROFS", FAIL, EROFS},
    {"EDQUOT", FAIL, EDQUOT},  {"EINTR", FAIL, EINTR},
};

static struct {
    bool on;
    pid_t owner;
    char program[64];
    const char *folder;
    const char *log;
    long at;
    action what;
    int error;
    bool lasting;
    long count;
} faults;

/* dlsym gives an object pointer; POSIX says that it holds a function's address. */
void faults_next(const char *name, void *out, size_t size)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        _exit(126);
    }
    memcpy(out, (void *)&found, size);
}

bool faults_on(void)
{
    return faults.on;
}

static void program_name(const char *link, char *out, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%.60s", slash ? slash + 1 : path);
}

__attribute__((constructor)) static void read_settings(void)
{
    const char *program = getenv("FAULT_PROGRAM");
    const char *what = getenv("FAULT_ACTION");
    const char *at = getenv("FAULT_AT");
    faults.folder = getenv("FAULT_FOLDER");
    faults.log = getenv("FAULT_LOG");
    faults.owner = getpid();
    program_name("/proc/self/exe", faults.program, sizeof faults.program);
    faults.on = program && faults.folder && strcmp(program, faults.program) == 0;
    faults.at = at && what ? strtol(at, NULL, 10) : 0;
    bool known = !what;
    for (size_t i = 0; what && i < sizeof actions / sizeof actions[0]; i++) {
        size_t length = strlen(actions[i].name);
        if (strncmp(what, actions[i].name, length) == 0 &&
            (what[length] == '\0' || strcmp(what + length, "+") == 0)) {
            faults.what = actions[i].what;
            faults.error = actions[i].error;
            faults.lasting = what[length] == '+';
            known = true;
        }
    }
    if (faults.on && !known) {
        _exit(126);
    }
}

static bool inside(const char *path)
{
    size_t length = strlen(faults.folder);
    return strncmp(path, faults.folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* The path of `path` (NULL: of the descriptor itself) from the folder `fd`. */
static void resolve(int fd, const char *path, char *out, size_t size)
{
    char link[64];
    char folder[PATH_MAX];
    out[0] = '\0';
    if (path && path[0] == '/') {
        snprintf(out, size, "%s", path);
        return;
    }
    if (fd == AT_FDCWD) {
        snprintf(link, sizeof link, "/proc/self/cwd");
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    }
    ssize_t length = readlink(link, folder, sizeof folder - 1);
    if (length > 0) {
        folder[length] = '\0';
        snprintf(out, size, "%s%s%s", folder, path ? "/" : "", path ? path : "");
    }
}

static void note(long number, const char *call, bool fails, const char *path)
{
    if (!faults.log) {
        return;
    }
    NEXT(open)
    __typeof__(&write) real_write;
    faults_next("write", (void *)&real_write, sizeof real_write);
    char line[2 * PATH_MAX + 64];
    int size = snprintf(line, sizeof line, "%ld %s%s %s\n", number, call,
                        fails ? "!" : "", path);
    int fd = real(faults.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || real_write(fd, line, (size_t)size) != size) {
        _exit(126);
    }
    __typeof__(&close) real_close;
    faults_next("close", (void *)&real_close, sizeof real_close);
    real_close(fd);
}

static void kill_children(void)
{
    NEXT(close)
    char text[4096];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)faults.owner);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    real(fd);
    for (char *at = text, *end; *at; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        kill((pid_t)pid, SIGKILL);
    }
}

/* The launcher: this process, or the one that started it. */
static pid_t launcher(void)
{
    char link[64];
    char name[64];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)getppid());
    program_name(link, name, sizeof name);
    return strcmp(name, "onchip") == 0 ? getppid() : faults.owner;
}

/* The file system of the folder takes nothing more, and what its journal has not
 * committed is lost: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (fs/ext4/ext4.h
 * of Linux). The folder, which may not be there yet, lies in a mount of its own. */
static void shut_down(void)
{
    enum { NO_LOG_FLUSH = 2 };
    uint32_t flags = NO_LOG_FLUSH;
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", faults.folder);
    *strrchr(parent, '/') = '\0';
    int fd = open(parent, O_RDONLY | O_CLOEXEC);
    if (ioctl(fd, _IOR('X', 125, uint32_t), &flags) != 0) {
        _exit(126);
    }
}

static _Noreturn void die(void)
{
    kill(faults.owner, SIGKILL);
    for (;;) {
        pause();
    }
}

static void hang(bool deaf)
{
    sigset_t set;
    sigfillset(&set);
    if (deaf) {
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    for (;;) {
        pause();
    }
}

/* A process that leaves the group, the session and its parent, and holds nothing. */
static void start_daemon(void)
{
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, 0);
            close_range(0, ~0U, 0);
            sleep(1000);
        }
        _exit(0);
    }
}

/* What is full still lets go, and what is read-only still closes. */
static bool lasts_for(faults_call call)
{
    if (faults.error == EIO) {
        return true;
    }
    if (faults.error == EROFS) {
        return call != CALL_SYNC && call != CALL_CLOSE;
    }
    return call == CALL_OPEN || call == CALL_WRITE || call == CALL_MAKE ||
           call == CALL_TRUNCATE;
}

static faults_verdict count(faults_call call, const char *name, const char *path)
{
    faults_verdict result = {0};
    if (!faults.on || !inside(path) || getpid() != faults.owner) {
        return result;
    }
    int saved = errno;
    long number = __atomic_add_fetch(&faults.count, 1, __ATOMIC_SEQ_CST);
    result.fail =
        faults.what == FAIL &&
        (faults.lasting ? number >= faults.at && lasts_for(call) : number == faults.at);
    note(number, name, result.fail, path);
    errno = saved;
    if (number != faults.at) {
        return result;
    }
    switch (faults.what) {
    case DIE_BEFORE: die();
    case DIE_AFTER: result.die = true; break;
    case DIE_TORN: result.die = result.half = true; break;
    case POWER_CUT: shut_down(); __attribute__((fallthrough));
    case ALL_DIE:
        kill(launcher(), SIGKILL);
        kill_children();
        die();
    case CHILDREN_DIE: kill_children(); break;
    case WRITE_HALF: result.half = true; break;
    case FAIL: break;
    case TERM_LAUNCHER: kill(launcher(), SIGTERM); break;
    case HANG: hang(false); break;
    case HANG_DEAF: hang(true); break;
    case SPIN:
        for (volatile long turns = 0;; turns = turns + 1) {
        }
    case EXIT_0: _exit(0);
    case DAEMON: start_daemon(); break;
    }
    errno = saved;
    return result;
}

long faults_finish(faults_verdict what, long result)
{
    if (what.die) {
        die();
    }
    return result;
}

int faults_refuse(void)
{
    errno = faults.error;
    return -1;
}

faults_verdict faults_count(faults_call call, const char *name, int fd,
                            const char *path)
{
    char resolved[2 * PATH_MAX];
    int saved = errno;
    if (!faults.on) {
        return (faults_verdict){0};
    }
    resolve(fd, path, resolved, sizeof resolved);
    errno = saved;
    return count(call, name, resolved);
}
