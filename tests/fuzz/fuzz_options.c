/* The option parsers of the verbs. The first byte chooses the verb; the rest, split at
 * its NULs, is the command line. What a parser takes must be within what its help text
 * promises; nothing is run. */
#include "arguments.h"

#include "onchip/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64, DAY_MS = 86400000 };

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(bool promise)
{
    if (!promise) {
        abort();
    }
}

static bool parse(const struct argp *argp, int argc, char **argv, void *input)
{
    return argp_parse(argp, argc, argv, ARGP_SILENT, NULL, input) == 0;
}

static void hold_plugin_options(const cli_plugin_options *options)
{
    hold(options->timeout_ms >= 1 && options->timeout_ms <= DAY_MS);
    hold(!options->platform || *options->platform);
    hold(!options->plugin || *options->plugin);
}

static void parse_check(int argc, char **argv)
{
    cli_check_arguments arguments = {0};
    cli_plugin_options_init(&arguments.plugin);
    if (parse(&cli_check_argp, argc, argv, &arguments)) {
        hold_plugin_options(&arguments.plugin);
        hold(arguments.devices >= 0 && arguments.devices <= OC_CHECK_MAX_DEVICES);
        hold(!arguments.run_dir || *arguments.run_dir);
    }
}

static void parse_devices(int argc, char **argv)
{
    cli_plugin_options options;
    cli_plugin_options_init(&options);
    if (parse(&cli_devices_argp, argc, argv, &options)) {
        hold_plugin_options(&options);
    }
}

static void parse_plugins(int argc, char **argv)
{
    cli_plugins_arguments arguments = {0};
    if (parse(&cli_plugins_argp, argc, argv, &arguments)) {
        hold(!arguments.platform || *arguments.platform);
        hold(!arguments.yes || arguments.add);
        hold(!arguments.add ||
             (*arguments.add && !arguments.platform && !arguments.json));
    }
}

static void parse_verify(int argc, char **argv)
{
    cli_verify_arguments arguments = {0};
    if (parse(&cli_verify_argp, argc, argv, &arguments)) {
        hold(arguments.options.require && *arguments.options.require);
        hold(arguments.file_count > 0 && arguments.file_count < argc);
        for (int i = 0; i < arguments.file_count; i++) {
            hold(arguments.files[i] != NULL);
        }
    }
}

static void hold_program(const cli_program_options *program)
{
    const oc_program_request *request = &program->request;
    hold(request->program && request->inputs == program->inputs);
    hold(request->input_count <= CLI_PROGRAM_INPUTS);
    hold(!request->output_dir || *request->output_dir);
    hold(request->replicas <= 4096 && request->partitions <= 4096);
}

static void parse_eval(int argc, char **argv)
{
    static cli_eval_arguments arguments;
    arguments = (cli_eval_arguments){0};
    if (parse(&cli_eval_argp, argc, argv, &arguments)) {
        hold_program(&arguments.program);
        hold(arguments.program.request.timeout_ms >= 0);
    }
}

static void parse_inspect(int argc, char **argv)
{
    cli_inspect_arguments arguments = {0};
    if (parse(&cli_inspect_argp, argc, argv, &arguments)) {
        hold(arguments.program != NULL);
    }
}

static void parse_run(int argc, char **argv)
{
    static cli_run_arguments arguments;
    arguments = (cli_run_arguments){0};
    cli_plugin_options_init(&arguments.plugin);
    if (parse(&cli_run_argp, argc, argv, &arguments)) {
        hold_program(&arguments.program);
        hold_plugin_options(&arguments.plugin);
        hold(arguments.options.expect_count <= CLI_RUN_LIST);
        hold(arguments.options.allow_count <= CLI_RUN_LIST);
        hold(arguments.options.xla_option_count <= CLI_RUN_LIST);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char verb[] = "verb";
    static void (*const parsers[])(int argc, char **argv) = {
        parse_check, parse_devices, parse_plugins, parse_verify,
        parse_eval,  parse_inspect, parse_run};
    char *argv[MAX_ARGUMENTS + 1] = {verb};
    int argc = 1;
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size); // the first byte's place is the last NUL's
    if (!text) {
        abort();
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (size_t at = 0; at + 1 < size && argc < MAX_ARGUMENTS;
         at += strlen(text + at) + 1) {
        argv[argc++] = text + at;
    }
    parsers[data[0] % (sizeof parsers / sizeof *parsers)](argc, argv);
    free(text);
    return 0;
}
