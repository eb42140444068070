/* onchip launch: a supervised job in a run folder that survives being killed. */
#include "arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    KEY_PLATFORM = 'p',
    KEY_PLUGIN = 'P',
    KEY_RUN_DIR = 'r',
    KEY_STEPS = 's',
    KEY_TIMEOUT = 't',
    KEY_JSON = 'j',
    KEY_START_TIMEOUT = 512,
    KEY_STALL_TIMEOUT,
    KEY_GRACE,
    KEY_RESUME,
    KEY_RESTART,
    KEY_CHECKPOINT_EVERY,
    KEY_BATCH,
    KEY_SEED,
    KEY_STATE_MIB
};

static const struct argp_option options[] = {
    {"platform", KEY_PLATFORM, "PLATFORM", 0,
     "Requested platform of the built-in job: cpu, tpu, cuda, rocm, ...", 0},
    {"plugin", KEY_PLUGIN, "FILE", 0,
     "PJRT plugin to load, instead of the one that is found", 0},
    {"run-dir", KEY_RUN_DIR, "DIR", 0,
     "Run folder; it must be empty or absent, or be resumed", 0},
    {"steps", KEY_STEPS, "N", 0,
     "Step to reach, resumed ones included, 1 to 10000 (default 8)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "Limit for everything (default 180)", 0},
    {"start-timeout", KEY_START_TIMEOUT, "SECONDS", 0,
     "Limit until the first step can begin (default 120)", 0},
    {"stall-timeout", KEY_STALL_TIMEOUT, "SECONDS", 0,
     "Limit between two steps (default 60)", 0},
    {"grace", KEY_GRACE, "SECONDS", 0,
     "Time from SIGTERM to SIGKILL when the job is stopped (default 10)", 0},
    {"resume", KEY_RESUME, NULL, 0, "Go on from the newest checkpoint that verifies",
     0},
    {"restart", KEY_RESTART, NULL, 0,
     "With --resume: begin at 0 when no checkpoint is good", 0},
    {"checkpoint-every", KEY_CHECKPOINT_EVERY, "N", 0,
     "Steps between two checkpoints (default 2)", 0},
    {"batch", KEY_BATCH, "N", 0, "Points in a minibatch, 1 to 64 (default 8)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the random key (default 3)", 0},
    {"state-mib", KEY_STATE_MIB, "N", 0,
     "Ballast in the state, in MiB, for measuring (default 0)", 0},
    {"json", KEY_JSON, NULL, 0, "Print summary.json and nothing else", 0},
    {0},
};

static error_t parse_number(struct argp_state *state, const char *option,
                            const char *text, int64_t least, int64_t most,
                            int64_t *out_value)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most) {
        return cli_usage(state, "%s '%s' is not a number from %" PRId64 " to %" PRId64,
                         option, text, least, most);
    }
    *out_value = value;
    return 0;
}

static error_t parse_limit(struct argp_state *state, const char *option,
                           const char *text, int64_t *out_ms)
{
    return cli_parse_seconds(text, out_ms)
               ? 0
               : cli_usage(state,
                           "%s '%s' is not a number of seconds from 0.001 to 86400",
                           option, text);
}

static error_t parse_text(struct argp_state *state, const char *option,
                          const char *text, const char **out_text)
{
    if (*text == '\0') {
        return cli_usage(state, "%s is empty", option);
    }
    *out_text = text;
    return 0;
}

/* The words behind "--" are the command, whatever they look like. */
static error_t take_command(struct argp_state *state, cli_launch_arguments *arguments)
{
    if (state->quoted == 0 || state->next - 1 < state->quoted) {
        return cli_usage(state, "'%s' is not expected here; a command stands behind --",
                         state->argv[state->next - 1]);
    }
    arguments->options.command = (const char *const *)(state->argv + state->next - 1);
    state->next = state->argc;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_launch_arguments *arguments = state->input;
    oc_launch_options *wanted = &arguments->options;
    switch (key) {
    case KEY_PLATFORM:
        return parse_text(state, "--platform", argument, &wanted->platform);
    case KEY_PLUGIN: return parse_text(state, "--plugin", argument, &wanted->plugin);
    case KEY_RUN_DIR: return parse_text(state, "--run-dir", argument, &wanted->run_dir);
    case KEY_STEPS:
        return parse_number(state, "--steps", argument, 1, OC_LAUNCH_MAX_STEPS,
                            &wanted->steps);
    case KEY_TIMEOUT:
        return parse_limit(state, "--timeout", argument, &wanted->timeout_ms);
    case KEY_START_TIMEOUT:
        return parse_limit(state, "--start-timeout", argument,
                           &wanted->start_timeout_ms);
    case KEY_STALL_TIMEOUT:
        return parse_limit(state, "--stall-timeout", argument,
                           &wanted->stall_timeout_ms);
    case KEY_GRACE: return parse_limit(state, "--grace", argument, &wanted->grace_ms);
    case KEY_RESUME: wanted->resume = true; return 0;
    case KEY_RESTART: wanted->restart = true; return 0;
    case KEY_CHECKPOINT_EVERY:
        return parse_number(state, "--checkpoint-every", argument, 1,
                            OC_LAUNCH_MAX_STEPS, &wanted->checkpoint_every);
    case KEY_BATCH:
        return parse_number(state, "--batch", argument, 1, 64, &wanted->batch);
    case KEY_SEED:
        return parse_number(state, "--seed", argument, 0, UINT32_MAX, &wanted->seed);
    case KEY_STATE_MIB:
        return parse_number(state, "--state-mib", argument, 0, OC_LAUNCH_MAX_STATE_MIB,
                            &wanted->state_mib);
    case KEY_JSON: arguments->json = true; return 0;
    case ARGP_KEY_ARG: return take_command(state, arguments);
    case ARGP_KEY_END:
        return wanted->run_dir ? 0 : cli_usage(state, "--run-dir DIR is needed");
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_launch_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[-- COMMAND...]",
    .doc =
        "Run a job in a run folder, supervised: with limits, checkpoints, and a "
        "summary "
        "of how it ended. Killed at any moment, it goes on from its newest checkpoint "
        "with --resume."
        "\v"
        "The built-in job fits a line on the requested platform, every step judged "
        "against the reference; a COMMAND is any program that speaks the event "
        "protocol "
        "(docs/launch-protocol.md). Options that are not given with --resume are those "
        "of the run.\n\n"
        "Example:\n"
        "  onchip launch --platform cpu --run-dir runs/fit --steps 8",
};

void cli_launch_arguments_init(cli_launch_arguments *arguments)
{
    *arguments = (cli_launch_arguments){.options = {.seed = -1, .state_mib = -1}};
}

/* What stands behind a member of an event; for show only. */
static const char *member(const char *line, const char *name)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " :") : "";
}

/* A line on a terminal that is written over, at most ten times a second. */
static void show_event(void *context, const char *line)
{
    struct timespec *last = context;
    struct timespec now;
    bool progress = strncmp(member(line, "event"), "\"progress\"", 10) == 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed =
        (now.tv_sec - last->tv_sec) * 1000 + (now.tv_nsec - last->tv_nsec) / 1000000;
    if (progress && passed >= 100) {
        *last = now;
        fprintf(stderr, "\r\033[Kstep %ld  loss %.6g",
                strtol(member(line, "step"), NULL, 10),
                strtod(member(line, "loss"), NULL));
    } else if (strncmp(member(line, "event"), "\"ended\"", 7) == 0) {
        fprintf(stderr, "\r\033[K");
    }
}

static void print_result(const oc_launch_result *result, bool judged)
{
    cli_print(
        "%-9s step %" PRId64 ", %" PRId64 " updates, checkpoint of step %" PRId64 "\n",
        result->status, result->last_step, result->updates, result->checkpoint_step);
    if (judged) {
        cli_print("numeric   %s: %s\n", oc_verdict_name(result->numeric),
                  result->numeric_detail);
        cli_print("placement %s: %s\n", oc_verdict_name(result->placement),
                  result->placement_detail);
    }
}

int cli_launch(int argc, char **argv)
{
    cli_launch_arguments arguments;
    struct timespec shown = {0};
    oc_launch_result *result = NULL;
    oc_error err = {0};
    cli_launch_arguments_init(&arguments);
    if (cli_parse(&cli_launch_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    if (isatty(STDERR_FILENO)) {
        arguments.options.on_event = show_event;
        arguments.options.context = &shown;
    }
    if (oc_launch(&arguments.options, &result, &err) != OC_OK) {
        int status = cli_error(&err);
        // No device is meant here: there is a run, and none of its checkpoints is good.
        return err.status == OC_UNAVAILABLE ? OC_EXIT_FAIL : status;
    }
    if (*result->message) {
        cli_note("%s: %s", result->status, result->message);
    }
    if (*result->note) {
        cli_warn("%s", result->note);
    }
    if (arguments.json && result->summary_json) {
        cli_print_document(result->summary_json);
    } else if (!arguments.json) {
        print_result(result, result->numeric != OC_VERDICT_UNSET);
    }
    int status = result->exit_status;
    oc_launch_result_free(result);
    return status;
}
