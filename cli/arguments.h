/* What the parser of each verb fills, apart from running the verb, so that a parser can
 * be tried alone:
 *
 *     cli_check_arguments arguments = {0};
 *     cli_plugin_options_init(&arguments.plugin);
 *     argp_parse(&cli_check_argp, argc, argv, flags, NULL, &arguments);
 *
 * Text points into argv. */
#ifndef ONCHIP_CLI_ARGUMENTS_H
#define ONCHIP_CLI_ARGUMENTS_H

#include "cli.h"

#include "onchip/audit.h"
#include "onchip/launch.h"
#include "onchip/program.h"
#include "onchip/run.h"
#include "onchip/verify.h"

enum { CLI_AUDIT_RECEIPTS = 16, CLI_PROGRAM_INPUTS = 4096, CLI_RUN_LIST = 256 };

typedef struct cli_audit_arguments {
    oc_audit_options options;
    const char *receipts[CLI_AUDIT_RECEIPTS];
    bool json;
} cli_audit_arguments;
void cli_audit_arguments_init(cli_audit_arguments *arguments);

typedef struct cli_check_arguments {
    cli_plugin_options plugin;
    int64_t devices; /* 0: not given */
    const char *nonce;
    const char *run_dir;
} cli_check_arguments;

/* The options of a verb that takes a program; a child like cli_plugin_argp. */
typedef struct cli_program_options {
    oc_program_request request; /* `inputs` points to those below */
    const char *inputs[CLI_PROGRAM_INPUTS];
} cli_program_options;
extern const struct argp cli_program_argp;

typedef struct cli_eval_arguments {
    cli_program_options program;
    bool json;
} cli_eval_arguments;

typedef struct cli_inspect_arguments {
    const char *program;
    bool json;
} cli_inspect_arguments;

typedef struct cli_launch_arguments {
    oc_launch_options options;
    bool json;
} cli_launch_arguments;
void cli_launch_arguments_init(cli_launch_arguments *arguments);

typedef struct cli_run_arguments {
    cli_program_options program;
    cli_plugin_options plugin;
    oc_run_options options; /* what neither of them has; its lists are those below */
    const char *expect[CLI_RUN_LIST];
    const char *allow[CLI_RUN_LIST];
    const char *xla_options[CLI_RUN_LIST];
} cli_run_arguments;

typedef struct cli_plugins_arguments {
    const char *platform;
    bool json;
    bool yes;
    const char *add; /* the platform to add a plugin for, or NULL: list */
} cli_plugins_arguments;

typedef struct cli_verify_arguments {
    oc_verify_options options;
    bool json;
    char **files;
    int file_count;
} cli_verify_arguments;

extern const struct argp cli_audit_argp; /* presets: cli_audit_arguments_init */
extern const struct argp cli_check_argp;
extern const struct argp cli_devices_argp; /* its input is a cli_plugin_options */
extern const struct argp cli_eval_argp;
extern const struct argp cli_inspect_argp;
extern const struct argp cli_launch_argp; /* presets: cli_launch_arguments_init */
extern const struct argp cli_plugins_argp;
extern const struct argp cli_run_argp;
extern const struct argp cli_verify_argp;

#endif
