/* Limits of a child: resource limits, and Landlock where the kernel has it
 * (https://docs.kernel.org/userspace-api/landlock.html). Everything here runs between
 * fork and exec. */
#include "proc/proc.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights by the version of Landlock that brought them. The header may be older than the
 * kernel, so the third is written out: LANDLOCK_ACCESS_FS_TRUNCATE. */
static const uint64_t write_rights[] = {
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
        LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
        LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
        LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
    LANDLOCK_ACCESS_FS_REFER,
    1U << 14,
};

static void allow(int ruleset, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd >= 0) {
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(rule.parent_fd);
    }
}

/* A second fence beside the resource limits: a kernel without it changes nothing. */
static void fence(const char *writable)
{
    long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint64_t rights = 0;
    for (long i = 0; i < version && i < 3; i++) {
        rights |= write_rights[i];
    }
    struct landlock_ruleset_attr attributes = {.handled_access_fs = rights};
    int ruleset = version < 1 ? -1
                              : (int)syscall(SYS_landlock_create_ruleset, &attributes,
                                             sizeof attributes.handled_access_fs, 0);
    if (ruleset < 0) {
        return;
    }
    uint64_t of_files = rights & (LANDLOCK_ACCESS_FS_WRITE_FILE | write_rights[2]);
    allow(ruleset, writable, rights);
    allow(ruleset, "/dev/null", of_files);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
}

static int limit(__rlimit_resource_t resource, int64_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) {
        return -1;
    }
    rlim_t value = (rlim_t)most < now.rlim_max ? (rlim_t)most : now.rlim_max;
    return setrlimit(resource, &(struct rlimit){value, value});
}

int oc__proc_limits_set(const oc__proc_limits *limits)
{
    if (limit(RLIMIT_CORE, 0) != 0 ||
        (limits->cpu_s > 0 && limit(RLIMIT_CPU, limits->cpu_s) != 0)) {
        return -1;
    }
    if (limits->file_bytes >= 0) {
        signal(SIGXFSZ, SIG_IGN); // a write past the limit fails and does not kill
        if (limit(RLIMIT_FSIZE, limits->file_bytes) != 0) {
            return -1;
        }
    }
    if (limits->writable) {
        fence(limits->writable);
    }
    return 0;
}
