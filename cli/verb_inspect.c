/* onchip inspect: what a program holds. */
#include "arguments.h"

#include <stdlib.h>

enum { KEY_JSON = 'j' };

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "Print JSON and nothing else", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_inspect_arguments *arguments = state->input;
    switch (key) {
    case KEY_JSON: arguments->json = true; return 0;
    case ARGP_KEY_ARG:
        if (arguments->program) {
            return cli_usage(state, "'%s' is not expected here", argument);
        }
        arguments->program = argument;
        return 0;
    case ARGP_KEY_END:
        return arguments->program
                   ? 0
                   : cli_usage(state, "a PROGRAM is needed: a file of StableHLO text");
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_inspect_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "PROGRAM",
    .doc =
        "Show a StableHLO program's signature, its operations with the contract that "
        "each is judged by, and whether the reference can evaluate it.\v"
        "Example:\n"
        "  onchip inspect model.mlir",
};

int cli_inspect(int argc, char **argv)
{
    cli_inspect_arguments arguments = {0};
    if (cli_parse(&cli_inspect_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    oc_error err = {0};
    char *text = NULL;
    if (oc_inspect(arguments.program, arguments.json, &text, &err) != OC_OK) {
        return cli_error(&err);
    }
    if (arguments.json) {
        cli_print_document(text);
    } else {
        cli_print("%s", text);
    }
    free(text);
    return OC_EXIT_PASS;
}
