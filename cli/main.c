/* onchip VERB ...: finds the verb and runs it. */
#include "cli.h"

#include "onchip/version.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_verb cli_verbs[] = {
    {"check", "run the lesson's prediction on a device and keep a receipt", cli_check},
    {"run", "run a program on a device and judge it against the reference", cli_run},
    {"eval", "evaluate a program by the reference, without a device", cli_eval},
    {"inspect", "show a program's signature and operations", cli_inspect},
    {"launch", "run a supervised job that survives being killed", cli_launch},
    {"verify", "decide receipts again from their evidence, without a device",
     cli_verify},
    {"audit", "check a C file of a course project, stage by stage", cli_audit},
    {"devices", "list the devices of a platform", cli_devices},
    {"plugins", "list the plugins found, or add one", cli_plugins},
    {0},
};

static void print_help(void)
{
    cli_print(
        "Usage: onchip VERB [OPTION...]\n"
        "Is the result right, and did it run on the device that was asked for?\n\n");
    for (const cli_verb *verb = cli_verbs; verb->name; verb++) {
        cli_print("  %-10s %s\n", verb->name, verb->summary);
    }
    cli_print("\n'onchip VERB --help' lists a verb's options and shows an example.\n"
              "Exit status: 0 PASS, 1 FAIL, 2 usage or unreadable input, 3 device "
              "unavailable,\n"
              "4 UNKNOWN, 5 could not do it.\n");
}

/* A descriptor 0, 1 or 2 that is closed would be handed to the next file opened, and
 * then talk would be written into evidence. */
static void open_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) {
            _exit(OC_EXIT_ERROR);
        }
    }
}

int main(int argc, char **argv)
{
    open_standard_streams();
    signal(SIGPIPE,
           SIG_IGN); // a reader that went away is a failed write, reported as such
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return cli_finish(OC_EXIT_PASS);
    }
    if (strcmp(name, "--version") == 0) {
        cli_print("onchip %s\n", ONCHIP_VERSION);
        return cli_finish(OC_EXIT_PASS);
    }
    for (const cli_verb *verb = cli_verbs; verb->name; verb++) {
        if (strcmp(name, verb->name) == 0) {
            return cli_finish(verb->run(argc - 1, argv + 1));
        }
    }
    if (*name) {
        fprintf(stderr, "onchip: '%s' is not a verb\n", name);
    }
    fprintf(stderr, "Try 'onchip --help'.\n");
    return OC_EXIT_USAGE;
}
