/* onchip audit: a learner's file of a course project, stage by stage. */
#include "arguments.h"

#include "onchip/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_ADD_RECEIPT = 'a',
    KEY_EVIDENCE_DIR = 'e',
    KEY_IMPLEMENTATION = 'i',
    KEY_PROJECT = 'c',
    KEY_STAGE = 's'
};

static const struct argp_option options[] = {
    {"project", KEY_PROJECT, "NAME", 0,
     "tpu-runtime-audit (the default) or virtual-devices", 0},
    {"implementation", KEY_IMPLEMENTATION, "FILE", 0,
     "starter (the default), solution or a C file", 0},
    {"stage", KEY_STAGE, "N", 0, "Last stage to check, 1 to 4 (default: the last)", 0},
    {"evidence-dir", KEY_EVIDENCE_DIR, "DIR", 0,
     "Keep the evidence file in DIR; an older one there goes to DIR/history", 0},
    {"add-receipt", KEY_ADD_RECEIPT, "FILE", 0,
     "Receipt of another run that supports claims; may be given again", 0},
    {"plugin", 'P', "FILE", 0, "PJRT plugin to load, instead of the one that is found",
     0},
    {"timeout", 't', "SECONDS", 0, "Deadline for the program (default 30)", 0},
    {"json", 'j', NULL, 0, "Print JSON and nothing else", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_audit_arguments *arguments = state->input;
    switch (key) {
    case KEY_PROJECT: arguments->options.project = argument; return 0;
    case KEY_IMPLEMENTATION: arguments->options.implementation = argument; return 0;
    case KEY_STAGE:
        if (argument[0] < '1' || argument[0] > '0' + OC_AUDIT_STAGES || argument[1]) {
            return cli_usage(state, "--stage '%s' is not a number from 1 to %d",
                             argument, OC_AUDIT_STAGES);
        }
        arguments->options.stage = argument[0] - '0';
        return 0;
    case KEY_EVIDENCE_DIR:
        if (*argument == '\0') {
            return cli_usage(state, "--evidence-dir needs a folder");
        }
        arguments->options.evidence_dir = argument;
        return 0;
    case KEY_ADD_RECEIPT:
        if (arguments->options.receipt_count == CLI_AUDIT_RECEIPTS) {
            return cli_usage(state, "--add-receipt takes at most %d receipts",
                             CLI_AUDIT_RECEIPTS);
        }
        arguments->receipts[arguments->options.receipt_count++] = argument;
        return 0;
    case 'P':
        if (*argument == '\0') {
            return cli_usage(state, "--plugin needs a file");
        }
        arguments->options.plugin = argument;
        return 0;
    case 't':
        if (!cli_parse_seconds(argument, &arguments->options.timeout_ms)) {
            return cli_usage(state, "--timeout '%s' is not a number of seconds",
                             argument);
        }
        return 0;
    case 'j': arguments->json = true; return 0;
    case ARGP_KEY_ARG: return cli_usage(state, "'%s' is not expected here", argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_audit_argp = {
    .options = options,
    .parser = parse,
    .doc =
        "Check a C file of a course project: compile it, run it apart with limits, and "
        "say stage by stage what held."
        "\v"
        "Stage N includes the stages before it. Needs a C compiler (CC, cc, gcc or "
        "clang) and pkg-config.\n\n"
        "Example:\n"
        "  onchip audit --implementation model.c --stage 1",
};

void cli_audit_arguments_init(cli_audit_arguments *arguments)
{
    *arguments = (cli_audit_arguments){.options = {.project = "tpu-runtime-audit",
                                                   .implementation = "starter",
                                                   .timeout_ms = 30000}};
    arguments->options.receipts = arguments->receipts;
}

/* Each line of `text` behind `prefix`. */
static void print_lines(const char *prefix, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        cli_print("%s%.*s\n", prefix, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_stage(const oc_audit_result *result, size_t index)
{
    const oc_audit_stage *stage = &result->stages[index];
    if (stage->verdict == OC_PASS) {
        cli_print("PASS %s stage %zu: %s\n", result->project, index + 1, stage->title);
    } else {
        cli_print("FAIL %s stage %zu: %s: expected %s, got %s\n", result->project,
                  index + 1, stage->function, stage->expected, stage->got);
        if (stage->hint) {
            cli_print("  hint: %s\n", stage->hint);
        }
    }
    for (size_t i = 0; i < stage->say_count; i++) {
        print_lines("  ", stage->says[i]);
    }
}

int cli_audit(int argc, char **argv)
{
    cli_audit_arguments arguments;
    oc_audit_result *result = NULL;
    oc_error err = {0};
    cli_audit_arguments_init(&arguments);
    if (cli_parse(&cli_audit_argp, argc, argv, &arguments) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    if (oc_audit(&arguments.options, &result, &err) != OC_OK) {
        return cli_error(&err);
    }
    int status = (int)oc_verdict_exit(result->stages[result->stage_count - 1].verdict);
    char *json = arguments.json ? oc_audit_json(result) : NULL;
    if (json) {
        cli_print_document(json);
    } else if (arguments.json) {
        cli_warn("out of memory");
        status = OC_EXIT_ERROR;
    } else {
        for (size_t i = 0; i < result->stage_count; i++) {
            print_stage(result, i);
        }
        if (*result->printed) {
            cli_print("  printed:\n");
            print_lines("  | ", result->printed);
        }
        if (result->evidence) {
            cli_print("evidence: %s\n", result->evidence);
        }
    }
    free(json);
    oc_audit_result_free(result);
    return status;
}
