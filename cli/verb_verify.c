/* onchip verify RECEIPT... --require PLATFORM [--nonce HEX] [--json] */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 128 }; /* files that are judged before their answers are printed */

static const struct argp_option options[] = {
    {"require", 'r', "PLATFORM", 0,
     "Platform that the work must have run on: cpu, tpu, cuda, rocm, ...; gpu is "
     "content "
     "with cuda and rocm",
     0},
    {"nonce", 'n', "HEX", 0, "Nonce that every receipt must answer", 0},
    {"json", 'j', NULL, 0, "Print one JSON array with an object for each file", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    cli_verify_arguments *arguments = state->input;
    switch (key) {
    case 'r': arguments->options.require = argument; return 0;
    case 'n': arguments->options.nonce = argument; return 0;
    case 'j': arguments->json = true; return 0;
    case ARGP_KEY_ARGS:
        arguments->files = state->argv + state->next;
        arguments->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (arguments->file_count == 0) {
            return cli_usage(state, "verify needs a receipt, a run folder or '-'");
        }
        if (!arguments->options.require || !*arguments->options.require) {
            return cli_usage(state, "verify needs --require PLATFORM");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_verify_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "RECEIPT...",
    .doc =
        "Decide receipts again from their evidence, without a device."
        "\v"
        "RECEIPT is a receipt of onchip check, a run folder with its receipt.json, the "
        "report of the lesson's own program (also inside a terminal capture), the "
        "evidence of onchip audit, or '-' for standard input.\n\n"
        "Example:\n"
        "  onchip verify run/receipt.json --require tpu --nonce 5eed0123",
};

/* How an answer ranks for the exit status: a FAIL, then what could not be read, then
 * what could not be done, then an UNKNOWN. */
static int worse(int a, int b)
{
    static const int ranks[] = {OC_EXIT_FAIL, OC_EXIT_USAGE, OC_EXIT_ERROR,
                                OC_EXIT_UNKNOWN};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (a == ranks[i] || b == ranks[i]) {
            return ranks[i];
        }
    }
    return OC_EXIT_PASS;
}

/* Prints text from a document or a file name, which must not break the line. */
static void print_on_line(const char *text)
{
    for (; *text; text += strcspn(text, "\n\t")) {
        if (*text == '\n' || *text == '\t') {
            cli_print("?");
            text++;
        }
        cli_print("%.*s", (int)strcspn(text, "\n\t"), text);
    }
}

/* Prints the answer on one file; false when memory ran out. */
static bool print_answer(const cli_verify_arguments *arguments, int index,
                         const oc_verify_result *result, const oc_error *err)
{
    const char *file = arguments->files[index];
    if (!arguments->json) {
        bool failed = err->status != OC_OK;
        cli_print("%s ", failed ? "UNREADABLE" : oc_verdict_name(result->verdict));
        print_on_line(file);
        cli_print(": ");
        print_on_line(failed ? err->text : result->detail);
        cli_print("\n");
        return true;
    }
    char *text = oc_verify_json(file, result, err);
    if (!text) {
        return false;
    }
    text[strlen(text) - 1] = '\0';
    cli_print_document(index == 0 ? "[\n" : ",\n");
    cli_print_document(text);
    free(text);
    return true;
}

/* Prints the answers on the files from `first` on; false when memory ran out. */
static bool answer_batch(const cli_verify_arguments *arguments, int first, int count,
                         int *exit_status)
{
    oc_verify_result results[BATCH];
    oc_error errors[BATCH];
    const char *paths[BATCH] = {0};
    for (int i = 0; i < count; i++) {
        paths[i] = arguments->files[first + i];
    }
    oc_verify_files(paths, (size_t)count, &arguments->options, results, errors);
    for (int i = 0; i < count; i++) {
        int status = errors[i].status == OC_OK
                         ? (int)oc_verdict_exit(results[i].verdict)
                         : (int)oc_status_exit(errors[i].status, errors[i].boundary);
        *exit_status = worse(*exit_status, status);
        if (!print_answer(arguments, first + i, &results[i], &errors[i])) {
            return false;
        }
    }
    return true;
}

int cli_verify(int argc, char **argv)
{
    cli_verify_arguments arguments = {0};
    oc_error err = {0};
    int exit_status = OC_EXIT_PASS;
    if (cli_parse(&cli_verify_argp, argc, argv, &arguments) != 0) {
        return OC_EXIT_USAGE;
    }
    if (oc_verify_check_options(&arguments.options, &err) != OC_OK) {
        return cli_error(&err);
    }
    for (int first = 0; first < arguments.file_count; first += BATCH) {
        int left = arguments.file_count - first;
        if (!answer_batch(&arguments, first, left < BATCH ? left : BATCH,
                          &exit_status)) {
            cli_warn("out of memory");
            return OC_EXIT_ERROR;
        }
    }
    if (arguments.json) {
        cli_print("\n]\n");
    }
    return exit_status;
}
