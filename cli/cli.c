#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIMEOUT_MS = 120000, MAX_TIMEOUT_S = 86400 };

static int stdout_errno; /* of the first write that failed; 0: none did */

void cli_plugin_options_init(cli_plugin_options *options)
{
    *options = (cli_plugin_options){.timeout_ms = DEFAULT_TIMEOUT_MS};
}

bool cli_parse_seconds(const char *text, int64_t *out_ms)
{
    char *end = NULL;
    errno = 0;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(seconds >= 0.001) ||
        seconds > MAX_TIMEOUT_S) {
        return false;
    }
    *out_ms = (int64_t)(seconds * 1000.0);
    return true;
}

static const struct argp_option plugin_options[] = {
    {"platform", 'p', "PLATFORM", 0,
     "Requested platform: cpu, tpu, cuda, rocm, ...; gpu is "
     "whichever of cuda and rocm is found",
     0},
    {"plugin", 'P', "FILE", 0, "PJRT plugin to load, instead of the one that is found",
     0},
    {"timeout", 't', "SECONDS", 0,
     "Deadline for everything the plugin does (default 120)", 0},
    {"json", 'j', NULL, 0, "Print JSON and nothing else", 0},
    {0},
};

static error_t parse_plugin_option(int key, char *argument, struct argp_state *state)
{
    cli_plugin_options *options = state->input;
    switch (key) {
    case 'p':
        if (*argument == '\0') {
            return cli_usage(state, "--platform needs a name, for example cpu");
        }
        options->platform = argument;
        return 0;
    case 'P':
        if (*argument == '\0') {
            return cli_usage(state, "--plugin needs a file");
        }
        options->plugin = argument;
        return 0;
    case 't':
        if (!cli_parse_seconds(argument, &options->timeout_ms)) {
            return cli_usage(state,
                             "--timeout '%s' is not a number of seconds from 0.001 "
                             "to %d",
                             argument, MAX_TIMEOUT_S);
        }
        return 0;
    case 'j': options->json = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_plugin_argp = {.options = plugin_options,
                                     .parser = parse_plugin_option};

int cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    char name[64];
    char *verb = argv[0];
    snprintf(name, sizeof name, "onchip %s", verb);
    argv[0] = name; // argp prints argv[0] in its messages
    argp_err_exit_status = OC_EXIT_USAGE;
    error_t failed = argp_parse(argp, argc, argv, 0, NULL, input);
    argv[0] = verb;
    return failed == 0 ? OC_EXIT_PASS : OC_EXIT_USAGE;
}

error_t cli_usage(struct argp_state *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    argp_error(state, "%s", text);
    return EINVAL;
}

/* Words of plugins, documents and file names must not act on the terminal: control
 * characters (U+0000 to U+001F but tab and line feed, U+007F to U+009F) become '?'. */
static void disarm(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        bool is_c0 = (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f;
        if (*at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f) { // in UTF-8
            *at++ = '?';
            *at = '?';
        } else if (is_c0) {
            *at = '?';
        }
    }
}

/* Puts prefix, formatted text and suffix; false when the stream fails (errno) or memory
 * runs out. */
OC_PRINTF(3, 0)
static bool put(FILE *stream, const char *prefix, const char *format, va_list arguments,
                const char *suffix)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        errno = ENOMEM;
        return false;
    }
    disarm(text);
    bool ok = fputs(prefix, stream) >= 0 && fputs(text, stream) >= 0 &&
              fputs(suffix, stream) >= 0;
    free(text);
    return ok;
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(stderr, "onchip: ", format, arguments, "\n");
    va_end(arguments);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(stderr, "onchip: warning: ", format, arguments, "\n");
    va_end(arguments);
}

int cli_error(const oc_error *err)
{
    cli_note("error: [%s] %s", oc_boundary_name(err->boundary), err->text);
    return (int)oc_status_exit(err->status, err->boundary);
}

void cli_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!put(stdout, "", format, arguments, "") && stdout_errno == 0) {
        stdout_errno = errno;
    }
    va_end(arguments);
}

void cli_print_document(const char *text)
{
    if (fputs(text, stdout) < 0 && stdout_errno == 0) {
        stdout_errno = errno;
    }
}

int cli_finish(int exit_status)
{
    if (fflush(stdout) != 0 && stdout_errno == 0) {
        stdout_errno = errno;
    }
    if (stdout_errno != 0) {
        cli_note("error: [evidence] cannot write the answer to standard output: %s",
                 strerror(stdout_errno));
        return OC_EXIT_ERROR;
    }
    return exit_status;
}
