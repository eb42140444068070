/* onchip-worker: started by the room `device` with its channel as descriptor 3. Not for
 * people. */
#include "device/worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CHANNEL_FD = 3 };

int main(void)
{
    if (fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("onchip-worker: started by onchip, not by hand\n", stderr);
        return 2;
    }
    // A plugin that aborts leaves its words in the log; its core could be many
    // gigabytes.
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    // Not exit(): destructors of plugins hang and crash, and the answers are out.
    _exit(oc__worker_serve(CHANNEL_FD));
}
