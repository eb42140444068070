/* The children of this process, to their last. */
#include "proc/proc.h"

#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_STAT = 4096, PAUSE_US = 1000 };

/* The parent of a process, by /proc/PID/stat: the second field after the name, which is
 * in parentheses and may hold anything (proc_pid_stat(5)). */
static long parent_of(long pid)
{
    char path[64];
    char *text = NULL;
    size_t size = 0;
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    oc__ignore(oc__file_read(path, MAX_STAT, &text, &size, NULL));
    const char *name_end = text ? strrchr(text, ')') : NULL;
    if (name_end && strlen(name_end) > 4) {
        parent = strtol(name_end + 4, NULL, 10);
    }
    free(text);
    return parent;
}

/* A child keeps its number until it is waited for, so that no stranger is hit. */
static pid_t kill_children(void)
{
    pid_t last = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        long pid = isdigit((unsigned char)entry->d_name[0])
                       ? strtol(entry->d_name, NULL, 10)
                       : 0;
        if (pid > 0 && parent_of(pid) == getpid()) {
            kill((pid_t)pid, SIGKILL);
            last = (pid_t)pid;
        }
    }
    if (folder) {
        closedir(folder);
    }
    return last;
}

pid_t oc__proc_children_end(oc__deadline deadline)
{
    pid_t left = 0;
    for (;;) {
        pid_t got = waitpid(-1, NULL, WNOHANG | __WALL);
        if (got < 0 && errno != EINTR) {
            return 0; // ECHILD: there is none
        }
        if (got != 0) {
            continue;
        }
        if (left > 0 && oc__deadline_left_ms(deadline) == 0) {
            return left;
        }
        left = kill_children();
        usleep(PAUSE_US);
    }
}
