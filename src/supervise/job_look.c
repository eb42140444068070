/* What the kernel shows of the job. */
#include "supervise/supervise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4096 };

/* /proc/PID/NAME, malloc'd, or NULL. */
static void proc_text(pid_t pid, const char *name, char **out_text)
{
    char path[64];
    size_t size = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    oc__ignore(oc__file_read(path, MAX_TEXT, out_text, &size, NULL));
}

void oc__job_look(pid_t pid, json_t *into)
{
    char *stat = NULL;
    char *wchan = NULL;
    proc_text(pid, "stat", &stat);
    proc_text(pid, "wchan", &wchan);
    // "PID (NAME) S ...": the name may hold anything, parentheses too.
    const char *name_end = stat ? strrchr(stat, ')') : NULL;
    char state[2] = {name_end && strlen(name_end) > 2 ? name_end[2] : '?', '\0'};
    bool waits = wchan && *wchan && strcmp(wchan, "0") != 0;
    json_object_set_new(into, "pid", json_integer(pid));
    json_object_set_new(into, "state", oc__json_string(state));
    json_object_set_new(into, "wchan", waits ? oc__json_string(wchan) : json_null());
    free(stat);
    free(wchan);
}

int64_t oc__job_oom_kills(void)
{
    char *groups = NULL;
    char *events = NULL;
    char *path = NULL;
    size_t size = 0;
    int64_t kills = -1;
    oc__ignore(oc__file_read("/proc/self/cgroup", MAX_TEXT, &groups, &size, NULL));
    // Version 2 is the line of hierarchy 0 (cgroups(7)).
    char *own = groups ? strstr(groups, "0::/") : NULL;
    if (own && (own == groups || own[-1] == '\n')) {
        own += 3;
        own[strcspn(own, "\n")] = '\0';
        if (asprintf(&path, "/sys/fs/cgroup%s/memory.events", own) < 0) {
            path = NULL;
        }
    }
    if (path) {
        oc__ignore(oc__file_read(path, MAX_TEXT, &events, &size, NULL));
    }
    const char *line = events ? strstr(events, "oom_kill ") : NULL;
    if (line) {
        kills = strtoll(line + strlen("oom_kill "), NULL, 10);
    }
    free(path);
    free(events);
    free(groups);
    return kills;
}
