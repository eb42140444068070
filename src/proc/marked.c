/* Processes found by a mark in their environment. */
#include "proc/proc.h"

#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

enum { MAX_PROC_FILE = 1 << 20, MAX_ROUNDS = 1000 };

/* /proc/PID/NAME, malloc'd; nothing when it cannot be read (the process ended, or is
 * another user's). */
static void proc_file(long pid, const char *name, char **out_text, size_t *out_size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    oc__ignore(oc__file_read(path, MAX_PROC_FILE, out_text, out_size, NULL));
}

static bool is_marked(long pid, const char *mark)
{
    size_t size = 0;
    size_t length = strlen(mark) + 1; // with the NUL that ends a variable
    char *environment = NULL;
    proc_file(pid, "environ", &environment, &size);
    bool found = false;
    for (size_t at = 0; environment && at + length <= size && !found;) {
        found = memcmp(environment + at, mark, length) == 0;
        at += strnlen(environment + at, size - at) + 1;
    }
    free(environment);
    return found;
}

/* Calls `visit` for each; their number. */
static int each_marked(const char *mark,
                       void (*visit)(long pid, const char *mark, int64_t *sum),
                       int64_t *sum)
{
    int count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        long pid = isdigit((unsigned char)entry->d_name[0])
                       ? strtol(entry->d_name, NULL, 10)
                       : 0;
        if (pid > 0 && pid != getpid() && is_marked(pid, mark)) {
            visit(pid, mark, sum);
            count++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static void note_one(long pid, const char *mark, int64_t *pid_out)
{
    (void)mark;
    *pid_out = pid;
}

static int64_t kibibytes(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    return line ? strtoll(line + strlen(name), NULL, 10) : 0;
}

static void add_memory(long pid, const char *mark, int64_t *sum)
{
    (void)mark;
    size_t size = 0;
    char *status = NULL;
    proc_file(pid, "status", &status, &size);
    if (status) {
        *sum +=
            1024 * (kibibytes(status, "\nRssAnon:") + kibibytes(status, "\nRssShmem:"));
    }
    free(status);
}

/* The number of a process that ended may be another's by now, so the mark is looked at
 * again once the process is held. */
static void kill_one(long pid, const char *mark, int64_t *sum)
{
    (void)sum;
    int pidfd = pidfd_open((pid_t)pid, 0);
    if (pidfd >= 0 && is_marked(pid, mark)) {
        pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
    }
    if (pidfd >= 0) {
        close(pidfd);
    }
}

int64_t oc__proc_marked_memory(const char *mark)
{
    int64_t bytes = 0;
    each_marked(mark, add_memory, &bytes);
    return bytes;
}

void oc__proc_marked_kill(const char *mark)
{
    for (int round = 0; round < MAX_ROUNDS && each_marked(mark, kill_one, NULL) > 0;
         round++) {
        usleep(1000); // a killed process takes a moment to go
    }
}

pid_t oc__proc_marked_pid(const char *mark)
{
    int64_t pid = 0;
    each_marked(mark, note_one, &pid);
    return (pid_t)pid;
}
