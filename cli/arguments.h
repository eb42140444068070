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
#include "onchip/verify.h"

enum { CLI_AUDIT_RECEIPTS = 16 };

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
extern const struct argp cli_plugins_argp;
extern const struct argp cli_verify_argp;

#endif
