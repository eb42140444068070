/* The command line. One file a verb (cli/verb_NAME.c), which sees public headers only;
 * each parses with argp, calls the library, prints, and returns the exit status.
 *
 * stdout is the answer; stderr is talk. An answer that cannot be written is exit
 * status 5. */
#ifndef ONCHIP_CLI_CLI_H
#define ONCHIP_CLI_CLI_H

#include "onchip/status.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cli_verb {
    const char *name;
    const char *summary;               /* one line, lower case, no full stop */
    int (*run)(int argc, char **argv); /* argv[0] is the verb */
} cli_verb;

/* In the order of --help; ends with a NULL name. */
extern const cli_verb cli_verbs[];

int cli_audit(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_eval(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_launch(int argc, char **argv);
int cli_plugins(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_verify(int argc, char **argv);

/* The options of every verb that loads a plugin: --platform, --plugin, --timeout,
 * --json. A verb takes them as its first argp child (cli_plugin_argp, child input &its
 * cli_plugin_options). */
typedef struct cli_plugin_options {
    const char *platform; /* NULL when not given */
    const char *plugin;   /* NULL when not given */
    int64_t timeout_ms;   /* preset by cli_plugin_options_init */
    bool json;
} cli_plugin_options;
extern const struct argp cli_plugin_argp;
/* Seconds with an optional fraction, more than 0 and at most a day. */
bool cli_parse_seconds(const char *text, int64_t *out_ms);
void cli_plugin_options_init(cli_plugin_options *options);

/* argp_parse with our conventions: usage errors end in status 2. `input` is the verb's
 * own. A verb whose parse fails returns the status at once: if (cli_parse(...) != 0)
 * return 2.
 * --help and --usage print to stdout and end the program with 0. */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* For use in an argp parser: "onchip VERB: text" and the hint to --help; yields EINVAL.
 */
OC_PRINTF(2, 3) error_t cli_usage(struct argp_state *state, const char *format, ...);

/* Prints "onchip: error: [boundary] text" to stderr; yields the exit status of the
 * error. */
int cli_error(const oc_error *err);
OC_PRINTF(1, 2) void cli_warn(const char *format, ...);
OC_PRINTF(1, 2) void cli_note(const char *format, ...);

/* Writes to stdout; cli_finish flushes it and turns a failed write into exit status 5.
 * What cli_print and the messages above are given is disarmed: control characters in it
 * become '?'. A document (JSON) goes out as it is. */
OC_PRINTF(1, 2) void cli_print(const char *format, ...);
void cli_print_document(const char *text);
int cli_finish(int exit_status);

#endif
