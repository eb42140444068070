/* onchip run: a program on a device, judged against the reference. */
#include "arguments.h"

#include "onchip/run.h"

#include <string.h>

enum {
    KEY_EXPECT = 'e',
    KEY_ALLOW = 512,
    KEY_BUDGET,
    KEY_RECEIPT,
    KEY_REFERENCE,
    KEY_SECOND_OPINION,
    KEY_XLA_OPTION
};

static const struct argp_option options[] = {
    {"expect", KEY_EXPECT, "FILE", 0,
     "Array that the next output must agree with as well", 0},
    {"allow", KEY_ALLOW, "NAME", 0,
     "Deviation that is not held against the device: flush-to-zero, "
     "reciprocal-division, "
     "fused-multiply-add, excess-precision or extra-rounding",
     0},
    {"reference", KEY_REFERENCE, "MODE", 0,
     "auto (default): judge every element where that fits into the budget, else a "
     "sample; full: every element; sample; none: do not judge",
     0},
    {"budget", KEY_BUDGET, "SECONDS", 0,
     "Time that the reference may take (default 10; full: as long as it takes)", 0},
    {"second-opinion", KEY_SECOND_OPINION, NULL, 0,
     "Run again with known rewrites of the compiler turned off, and report what "
     "changes",
     0},
    {"receipt", KEY_RECEIPT, "FILE", 0, "Write the receipt to FILE", 0},
    {"xla-option", KEY_XLA_OPTION, "OPTION", 0, "NAME=VALUE for the XLA compiler", 0},
    {0},
};

static error_t add(struct argp_state *state, const char **list, size_t *count,
                   const char *what, const char *argument)
{
    if (*count == CLI_RUN_LIST) {
        return cli_usage(state, "at most %d %s can be given", CLI_RUN_LIST, what);
    }
    list[(*count)++] = argument;
    return 0;
}

static error_t parse_reference(struct argp_state *state, const char *mode,
                               oc_run_reference *out_reference)
{
    static const struct {
        const char *name;
        oc_run_reference reference;
    } modes[] = {{"auto", OC_RUN_AUTO},
                 {"full", OC_RUN_FULL},
                 {"sample", OC_RUN_SAMPLE},
                 {"none", OC_RUN_NONE}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].name) == 0) {
            *out_reference = modes[i].reference;
            return 0;
        }
    }
    return cli_usage(state, "--reference '%s' is not auto, full, sample or none", mode);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_run_arguments *arguments = state->input;
    oc_run_options *wanted = &arguments->options;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->program;
        state->child_inputs[1] = &arguments->plugin;
        return 0;
    case KEY_EXPECT:
        return add(state, arguments->expect, &wanted->expect_count, "expectations",
                   argument);
    case KEY_ALLOW:
        return add(state, arguments->allow, &wanted->allow_count, "allowances",
                   argument);
    case KEY_XLA_OPTION:
        return add(state, arguments->xla_options, &wanted->xla_option_count,
                   "XLA options", argument);
    case KEY_REFERENCE: return parse_reference(state, argument, &wanted->reference);
    case KEY_BUDGET:
        return cli_parse_seconds(argument, &wanted->budget_ms)
                   ? 0
                   : cli_usage(state, "--budget '%s' is not a number of seconds",
                               argument);
    case KEY_SECOND_OPINION: wanted->second_opinion = true; return 0;
    case KEY_RECEIPT: wanted->receipt = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&cli_program_argp, 0, NULL, 0}, {&cli_plugin_argp, 0, NULL, 0}, {0}};
const struct argp cli_run_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "PROGRAM",
    .doc =
        "Run a StableHLO program on a device and judge every element of its outputs "
        "against an independent reference, and where it ran by what the completed "
        "outputs and the operating system show.\v"
        "Without --platform it is cpu. No expectation and no tolerance is needed: the "
        "bounds come from the program. A platform that is not there is a failure "
        "(status 3), never a run on the CPU.\n\n"
        "Example:\n"
        "  onchip run model.mlir --input x.npy --input w.npy --output-dir runs/first",
};

static void print_result(const oc_run_result *result)
{
    cli_print("%s", result->outputs_text);
    if (*result->deviations) {
        cli_print("deviates  %s\n", result->deviations);
    }
    cli_print("numeric   %s: %s\n", oc_verdict_name(result->numeric),
              result->numeric_detail);
    cli_print("placement %s: %s\n", oc_verdict_name(result->placement),
              result->placement_detail);
}

int cli_run(int argc, char **argv)
{
    static cli_run_arguments arguments; // its lists are too large for a stack
    cli_plugin_options_init(&arguments.plugin);
    if (cli_parse(&cli_run_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    oc_run_options *wanted = &arguments.options;
    wanted->program = arguments.program.request;
    wanted->platform = arguments.plugin.platform ? arguments.plugin.platform : "cpu";
    wanted->plugin = arguments.plugin.plugin;
    wanted->timeout_ms = arguments.plugin.timeout_ms;
    wanted->expect = arguments.expect;
    wanted->allow = arguments.allow;
    wanted->xla_options = arguments.xla_options;
    oc_error err = {0};
    oc_run_result *result = NULL;
    int status;
    if (oc_run(wanted, &result, &err) == OC_OK || result) {
        status = result->exit_status;
        if (arguments.plugin.json) {
            cli_print_document(result->receipt_json);
        } else {
            print_result(result);
        }
        if (result->failure.status != OC_OK) {
            status = cli_error(&result->failure);
        }
        if (err.status != OC_OK) {
            status = cli_error(&err);
        }
    } else {
        status = cli_error(&err);
    }
    oc_run_result_free(result);
    return status;
}
