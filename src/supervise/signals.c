/* The signals that a launch answers itself. */
#include "supervise/supervise.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

oc_status oc__signals_take(oc__signals *signals, oc_error *err)
{
    static const int wanted[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    // What whoever started us has turned off (nohup, a job in the background) stays so.
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct sigaction now;
        if (sigaction(wanted[i], NULL, &now) == 0 &&
            (wanted[i] == SIGTERM || now.sa_handler != SIG_IGN)) {
            sigaddset(&set, wanted[i]);
        }
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction plain = {.sa_handler = SIG_DFL}; // else no child is waited for
    sigprocmask(SIG_BLOCK, &set, &signals->old_mask);
    sigaction(SIGPIPE, &ignore, &signals->old_pipe);
    sigaction(SIGCHLD, &plain, &signals->old_child);
    prctl(PR_GET_CHILD_SUBREAPER, &signals->old_subreaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals->fd >= 0 ? OC_OK
                            : OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE,
                                      "cannot watch signals: %s", strerror(errno));
}

void oc__signals_give_back(oc__signals *signals)
{
    struct signalfd_siginfo info;
    while (signals->fd >= 0 && read(signals->fd, &info, sizeof info) > 0) {
        // It came when the job was ending anyway.
    }
    if (signals->fd >= 0) {
        close(signals->fd);
    }
    prctl(PR_SET_CHILD_SUBREAPER, signals->old_subreaper);
    sigaction(SIGCHLD, &signals->old_child, NULL);
    sigaction(SIGPIPE, &signals->old_pipe, NULL);
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}
