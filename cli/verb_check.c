/* onchip check: the lesson on a device, its figure and its receipt. */
#include "arguments.h"

#include "onchip/check.h"
#include "onchip/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DEVICES = 'd', KEY_NONCE = 'n', KEY_RUN_DIR = 'r' };

static const struct argp_option options[] = {
    {"devices", KEY_DEVICES, "N", 0,
     "Also shard the rows over N devices and run an all-reduce over them (1 to 32; on "
     "the "
     "CPU they are virtual)",
     0},
    {"nonce", KEY_NONCE, "HEX", 0,
     "Derive the inputs from a verifier's challenge of 1 to 64 bytes", 0},
    {"run-dir", KEY_RUN_DIR, "DIR", 0,
     "Keep receipt, figures and the plugin's log in DIR, which must not be there yet",
     0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_check_arguments *arguments = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->plugin; return 0;
    case KEY_DEVICES:
        errno = 0;
        arguments->devices = strtol(argument, &end, 10);
        if (errno != 0 || end == argument || *end != '\0' || arguments->devices < 1 ||
            arguments->devices > OC_CHECK_MAX_DEVICES) {
            return cli_usage(state, "--devices '%s' is not a number from 1 to %d",
                             argument, OC_CHECK_MAX_DEVICES);
        }
        return 0;
    case KEY_NONCE: arguments->nonce = argument; return 0;
    case KEY_RUN_DIR:
        if (*argument == '\0') {
            return cli_usage(state, "--run-dir needs a folder");
        }
        arguments->run_dir = argument;
        return 0;
    case ARGP_KEY_ARG: return cli_usage(state, "'%s' is not expected here", argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_plugin_argp, 0, NULL, 0}, {0}};
const struct argp cli_check_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "Run the prediction of the lesson \"Move your experiment to a TPU\" on a "
           "device, judge "
           "its values and its placement, and keep a receipt.\v"
           "Without --platform the environment variable COURSE_EXPECT_PLATFORM (cpu or "
           "tpu) names "
           "the platform, else it is cpu. A platform that is not there is a failure "
           "(status 3), "
           "never a run on the CPU.\n\n"
           "Example:\n"
           "  onchip check --platform cpu --run-dir runs/first",
};

/* --platform, else COURSE_EXPECT_PLATFORM, else cpu; NULL is a usage error that was
 * told. */
static const char *requested_platform(const cli_plugin_options *plugin)
{
    const char *expected = getenv("COURSE_EXPECT_PLATFORM");
    if (plugin->platform) {
        return plugin->platform;
    }
    if (!expected) {
        return "cpu";
    }
    if (strcmp(expected, "cpu") != 0 && strcmp(expected, "tpu") != 0) {
        oc_error err = {.status = OC_INVALID_ARGUMENT,
                        .boundary = OC_BOUNDARY_USAGE,
                        .text = "COURSE_EXPECT_PLATFORM must be cpu or tpu"};
        cli_error(&err);
        return NULL;
    }
    return expected;
}

/* As Python prints a list of floats. */
static void print_prediction(const float *values)
{
    cli_print("Completed prediction: [");
    for (size_t i = 0; i < OC_CHECK_ROWS; i++) {
        double value = (double)values[i];
        bool whole = isfinite(values[i]) && value == rint(value) && fabs(value) < 1e16;
        cli_print(whole ? "%s%.1f" : "%s%.9g", i ? ", " : "", value);
    }
    cli_print("]\n");
}

static void print_lines(const oc_check_result *result)
{
    if (result->report_json) {
        cli_print_document(result->report_json);
    }
    if (result->prediction_reached) {
        print_prediction(result->prediction);
    }
    if (result->mismatch_rejected) {
        cli_print("Mismatched platform report rejected.\n");
    }
    if (result->changed_reached) {
        cli_print("Changed bias, first prediction: %.9g\n",
                  (double)result->changed_first);
    }
    if (result->reversal_preserved) {
        cli_print("Row reversal preserved values and requested placement.\n");
    }
    if (result->collective != OC_VERDICT_UNSET) {
        cli_print("Collective: %s: %s\n", oc_verdict_name(result->collective),
                  result->collective_detail);
    }
}

/* `exit_status` is the program's: a PASS whose receipt could not be kept is none. */
static void print_verdict(const oc_check_result *result, int exit_status)
{
    cli_print("numeric   %s: %s\n", oc_verdict_name(result->numeric),
              result->numeric_detail);
    cli_print("placement %s: %s\n", oc_verdict_name(result->placement),
              result->placement_detail);
    switch (exit_status) {
    case OC_EXIT_PASS: cli_print("PASS: welcome-03\n"); break;
    case OC_EXIT_FAIL: cli_print("FAIL: welcome-03\n"); break;
    case OC_EXIT_UNKNOWN: cli_print("UNKNOWN: welcome-03\n"); break;
    default: break;
    }
}

/* A figure is an illustration: without gnuplot the verdict stands all the same. */
static void draw(const cli_check_arguments *arguments, const oc_check_result *result)
{
    oc_error err = {0};
    size_t size = strlen(result->receipt_json);
    if (!result->prediction_reached) {
        return;
    }
    if (!arguments->plugin.json) {
        char *text = NULL;
        if (oc_figure_text(result->receipt_json, size, result->reference, OC_CHECK_ROWS,
                           &text, &err) == OC_OK) {
            cli_print("\n%s\n", text);
        } else {
            cli_warn("the figure was not drawn: %s", err.text);
        }
        free(text);
    }
    if (arguments->run_dir && err.status == OC_OK &&
        oc_figure_write(result->receipt_json, size, result->reference, OC_CHECK_ROWS,
                        arguments->run_dir, &err) != OC_OK) {
        cli_warn("the figures were not written: %s", err.text);
    }
}

static int answer(const cli_check_arguments *arguments, const char *platform,
                  const oc_check_result *result, const oc_error *keeping)
{
    if (strcmp(platform, result->expected) != 0) {
        cli_note("%s is %s here", platform, result->expected);
    }
    if (arguments->plugin.json) {
        cli_print_document(result->receipt_json);
    } else {
        print_lines(result);
    }
    if (keeping->status == OC_OK) {
        draw(arguments, result);
    }
    int status = result->exit_status;
    if (result->failure.status != OC_OK) {
        status = cli_error(&result->failure);
    }
    if (keeping->status != OC_OK) {
        status = cli_error(keeping);
    }
    if (!arguments->plugin.json) {
        print_verdict(result, status);
    }
    return status;
}

int cli_check(int argc, char **argv)
{
    cli_check_arguments arguments = {0};
    cli_plugin_options_init(&arguments.plugin);
    if (cli_parse(&cli_check_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    const char *platform = requested_platform(&arguments.plugin);
    if (!platform) {
        return OC_EXIT_USAGE;
    }
    oc_error err = {0};
    oc_check_result *result = NULL;
    oc_check_options wanted = {.platform = platform,
                               .plugin = arguments.plugin.plugin,
                               .devices = arguments.devices,
                               .nonce = arguments.nonce,
                               .run_dir = arguments.run_dir,
                               .timeout_ms = arguments.plugin.timeout_ms};
    int status = OC_EXIT_ERROR;
    if (oc_check(&wanted, &result, &err) == OC_OK || result) {
        status = answer(&arguments, platform, result, &err);
    } else {
        status = cli_error(&err);
    }
    oc_check_result_free(result);
    return status;
}
