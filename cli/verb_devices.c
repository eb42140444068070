/* onchip devices: what a plugin says of its platform, and who the plugin is. */
#include "arguments.h"

#include "onchip/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static error_t parse(int key, char *argument, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = state->input; return 0;
    case ARGP_KEY_ARG: return cli_usage(state, "'%s' is not expected here", argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_plugin_argp, 0, NULL, 0}, {0}};
const struct argp cli_devices_argp = {
    .parser = parse,
    .children = children,
    .doc = "List the devices of a platform (cpu when none is named) and the plugin "
           "that serves "
           "them.\v"
           "Example:\n"
           "  onchip devices --platform cpu",
};

static void print_size(int64_t bytes)
{
    if (bytes >= 0) {
        cli_print(" (%.2f GiB)", (double)bytes / (1024.0 * 1024.0 * 1024.0));
    }
}

static void print_device(const oc_device_info *device)
{
    cli_print("  %" PRId64 "  %s  kind %s  process %" PRId64 "  %s\n", device->id,
              device->string, device->kind, device->process_index,
              device->addressable ? "addressable" : "not addressable");
    for (size_t i = 0; i < device->memory_count; i++) {
        bool is_default = strcmp(device->memories[i], device->default_memory) == 0;
        cli_print("       memory %s", device->memories[i]);
        if (is_default) {
            print_size(device->default_memory_bytes);
            cli_print(", the default");
        }
        cli_print("\n");
    }
}

static void print_platform(const oc_platform_info *info)
{
    cli_print("platform   %s, version %s\n", info->platform_name,
              *info->platform_version ? info->platform_version : "not told");
    cli_print("plugin     %s\n", info->plugin_path);
    cli_print("           from %s\n", info->plugin_source);
    cli_print("           sha256 %s\n", info->plugin_sha256);
    cli_print("           build id %s\n",
              info->plugin_build_id ? info->plugin_build_id : "none in the file");
    cli_print("PJRT API   %s\n", info->pjrt_api);
    cli_print("StableHLO  %s\n", info->stablehlo ? info->stablehlo : "not told");
    cli_print("process    %" PRId64 " of %" PRId64 "\n", info->process_index,
              info->process_count);
    cli_print("devices    %zu, %zu of them addressable\n", info->device_count,
              info->addressable_count);
    for (size_t i = 0; i < info->device_count; i++) {
        print_device(&info->devices[i]);
    }
}

/* A client that calls itself otherwise than was asked for is told of, and is no
 * success. */
static int compare_platform(const cli_plugin_options *options,
                            const oc_platform_info *info)
{
    if (!options->platform || strcmp(info->requested, info->platform_name) == 0) {
        return OC_EXIT_PASS;
    }
    oc_error err = {.status = OC_UNAVAILABLE, .boundary = OC_BOUNDARY_DISCOVERY};
    snprintf(
        err.text, sizeof err.text,
        "requested and observed platform disagree: requested %.64s, observed %.64s",
        info->requested, info->platform_name);
    return cli_error(&err);
}

int cli_devices(int argc, char **argv)
{
    cli_plugin_options options;
    cli_plugin_options_init(&options);
    if (cli_parse(&cli_devices_argp, argc, argv, &options) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    oc_error err = {0};
    oc_platform_info *info = NULL;
    bool any = options.plugin && !options.platform;
    oc_device_options wanted = {.platform =
                                    options.platform || any ? options.platform : "cpu",
                                .plugin = options.plugin,
                                .timeout_ms = options.timeout_ms};
    if (oc_platform_describe(&wanted, &info, &err) != OC_OK) {
        return cli_error(&err);
    }
    if (options.json) {
        char *text = oc_platform_info_json(info);
        cli_print_document(text ? text : "");
        free(text);
    } else {
        print_platform(info);
    }
    int status = compare_platform(&options, info);
    oc_platform_info_free(info);
    return status;
}
