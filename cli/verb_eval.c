/* onchip eval: the reference alone. */
#include "arguments.h"

enum { KEY_JSON = 'j', KEY_TIMEOUT = 't' };

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "Print JSON and nothing else", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "Deadline for the evaluation (default none)",
     0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_eval_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->program; return 0;
    case KEY_JSON: arguments->json = true; return 0;
    case KEY_TIMEOUT:
        if (!cli_parse_seconds(argument, &arguments->program.request.timeout_ms)) {
            return cli_usage(state, "--timeout '%s' is not a number of seconds",
                             argument);
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_program_argp, 0, NULL, 0}, {0}};
const struct argp cli_eval_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "PROGRAM",
    .doc =
        "Evaluate a StableHLO program by the reference, without any device: outK.npy "
        "is the answer of the program's text, outK.radius.npy how far from it a "
        "conforming device may be.\v"
        "A program that the reference must give up (a loop without end, --timeout) "
        "ends with status 4.\n\n"
        "Example:\n"
        "  onchip eval model.mlir --input x.npy --input w.npy --output-dir answers",
};

int cli_eval(int argc, char **argv)
{
    cli_eval_arguments arguments = {0};
    if (cli_parse(&cli_eval_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    oc_error err = {0};
    oc_eval_result *result = NULL;
    if (oc_eval(&arguments.program.request, &result, &err) != OC_OK) {
        int status = cli_error(&err);
        bool given_up = err.boundary == OC_BOUNDARY_NUMERIC &&
                        (err.status == OC_LIMIT || err.status == OC_DEADLINE);
        return given_up ? OC_EXIT_UNKNOWN : status;
    }
    if (arguments.json) {
        cli_print_document(result->json);
    } else {
        cli_print("%s", result->text);
    }
    oc_eval_result_free(result);
    return OC_EXIT_PASS;
}
