/* The options of every verb that takes a program: PROGRAM, --input, --replicas,
 * --partitions, --output-dir. */
#include "arguments.h"

#include <errno.h>
#include <stdlib.h>

enum { KEY_INPUT = 'i', KEY_OUTPUT_DIR = 'o', KEY_REPLICAS = 256, KEY_PARTITIONS };
enum { MAX_PROCESSES = 4096 };

static const struct argp_option options[] = {
    {"input", KEY_INPUT, "FILE", 0,
     "Array for the next argument: FILE.npy, FILE.npz:NAME, or random:SEED[:SET] with "
     "SET "
     "lattice, normal, positive or special; a last random: serves all that are left. "
     "Several processes: all of the first, then all of the second, ... (replica major)",
     0},
    {"output-dir", KEY_OUTPUT_DIR, "DIR", 0, "Keep the outputs in DIR as out0.npy, ...",
     0},
    {"replicas", KEY_REPLICAS, "N", 0, "Replicas of the program (default 1)", 0},
    {"partitions", KEY_PARTITIONS, "N", 0, "Partitions of each replica (default 1)", 0},
    {0},
};

static error_t parse_count(struct argp_state *state, const char *option,
                           const char *text, size_t *out_count)
{
    char *end = NULL;
    errno = 0;
    long count = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || count < 1 ||
        count > MAX_PROCESSES) {
        return cli_usage(state, "%s '%s' is not a number from 1 to %d", option, text,
                         MAX_PROCESSES);
    }
    *out_count = (size_t)count;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cli_program_options *program = state->input;
    switch (key) {
    case KEY_INPUT:
        if (program->request.input_count == CLI_PROGRAM_INPUTS) {
            return cli_usage(state, "at most %d inputs can be given",
                             CLI_PROGRAM_INPUTS);
        }
        program->inputs[program->request.input_count++] = argument;
        return 0;
    case KEY_OUTPUT_DIR:
        if (*argument == '\0') {
            return cli_usage(state, "--output-dir needs a folder");
        }
        program->request.output_dir = argument;
        return 0;
    case KEY_REPLICAS:
        return parse_count(state, "--replicas", argument, &program->request.replicas);
    case KEY_PARTITIONS:
        return parse_count(state, "--partitions", argument,
                           &program->request.partitions);
    case ARGP_KEY_ARG:
        if (program->request.program) {
            return cli_usage(state, "'%s' is not expected here", argument);
        }
        program->request.program = argument;
        return 0;
    case ARGP_KEY_END:
        program->request.inputs = program->inputs;
        return program->request.program
                   ? 0
                   : cli_usage(state, "a PROGRAM is needed: a file of StableHLO text");
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_program_argp = {.options = options, .parser = parse};
