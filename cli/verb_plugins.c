/* onchip plugins: lists the plugins that are named or found, or adds one. */
#include "arguments.h"

#include "onchip/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct argp_option options[] = {
    {"platform", 'p', "PLATFORM", 0, "List the plugins of this platform alone", 0},
    {"json", 'j', NULL, 0, "Print JSON and nothing else", 0},
    {"yes", 'y', NULL, 0, "With add: accept the plugin's terms without being asked", 0},
    {0},
};

static error_t parse_argument(cli_plugins_arguments *into, char *argument,
                              struct argp_state *state)
{
    if (state->arg_num == 0 && strcmp(argument, "add") != 0) {
        return cli_usage(state, "'%s' is not understood; only 'add' is", argument);
    }
    if (state->arg_num > 1) {
        return cli_usage(state, "one plugin is added at a time");
    }
    into->add = state->arg_num == 0 ? "" : argument;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    cli_plugins_arguments *into = state->input;
    switch (key) {
    case 'p':
        if (*argument == '\0') {
            return cli_usage(state, "--platform needs a name, for example cpu");
        }
        into->platform = argument;
        return 0;
    case 'j': into->json = true; return 0;
    case 'y': into->yes = true; return 0;
    case ARGP_KEY_ARG: return parse_argument(into, argument, state);
    case ARGP_KEY_END:
        if (into->add && *into->add == '\0') {
            return cli_usage(state, "add needs a platform, tpu or cuda");
        }
        if (into->add && (into->platform || into->json)) {
            return cli_usage(state, "--platform and --json belong to the list, not to "
                                    "add");
        }
        if (!into->add && into->yes) {
            return cli_usage(state, "--yes belongs to add");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_plugins_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "\nadd tpu|cuda",
    .doc = "List every PJRT plugin that is named or found, without loading it; or "
           "install one, checked by hash, into onchip's own folder.\v"
           "Example:\n"
           "  onchip plugins --platform tpu",
};

static void print_entry(const oc_plugin_entry *entry)
{
    const oc_plugin *plugin = &entry->plugin;
    cli_print("%s: %s (%s)\n    %s\n", plugin->platform, plugin->path,
              oc_plugin_standing_name(entry->standing), plugin->source);
    if (entry->standing == OC_PLUGIN_BROKEN) {
        cli_print("    %s\n", entry->reason);
    } else if (entry->standing == OC_PLUGIN_ELSEWHERE) {
        cli_print("    onchip does not look there; pass --plugin %s\n", plugin->path);
    }
}

static int print_list(const oc_plugin_list *list, bool json, bool wanted_one)
{
    if (json) {
        char *text = oc_plugin_list_json(list);
        if (!text) {
            oc_error err = {.status = OC_NOMEM, .text = "out of memory"};
            return cli_error(&err);
        }
        cli_print_document(text);
        free(text);
        return OC_EXIT_PASS;
    }
    for (size_t i = 0; i < list->count; i++) {
        print_entry(&list->entries[i]);
    }
    if (list->note[0]) {
        cli_warn("Python's packages could not be listed: %s", list->note);
    }
    if (list->count == 0 && !wanted_one) {
        fprintf(stderr, "onchip: no plugin is named or found on this machine\n");
    }
    return OC_EXIT_PASS;
}

/* A platform that was asked for and has no usable plugin ends the listing with the
 * search's own words and its exit status. */
static int list_plugins(const cli_plugins_arguments *wanted)
{
    oc_error err = {0};
    oc_plugin_list list;
    oc_plugin found;
    if (oc_plugin_list_make(wanted->platform, &list, &err) != OC_OK) {
        return cli_error(&err);
    }
    int status = print_list(&list, wanted->json, wanted->platform != NULL);
    if (status == OC_EXIT_PASS && wanted->platform &&
        oc_plugin_find(wanted->platform, NULL, &found, &err) != OC_OK) {
        status = cli_error(&err);
    }
    oc_plugin_list_free(&list);
    return status;
}

/* Shows the terms. True: they were accepted, on the command line or here. */
static bool accept_terms(const oc_plugin_offer *offer, bool yes)
{
    fprintf(stderr, "%s\n", offer->terms);
    if (yes) {
        return true;
    }
    if (!isatty(STDIN_FILENO)) {
        fprintf(stderr, "To accept these terms without a terminal, pass --yes.\n");
        return false;
    }
    fprintf(stderr, "Accept these terms and install %s %s? [y/N] ", offer->package,
            offer->version);
    char answer[16] = "";
    if (!fgets(answer, sizeof answer, stdin)) {
        return false;
    }
    answer[strcspn(answer, "\n")] = '\0';
    return strcmp(answer, "y") == 0 || strcmp(answer, "Y") == 0 ||
           strcmp(answer, "yes") == 0;
}

static int add_plugin(const cli_plugins_arguments *wanted)
{
    oc_error err = {0};
    oc_plugin_added added;
    bool accepted = true;
    const oc_plugin_offer *offer = oc_plugin_offer_find(wanted->add);
    if (offer && offer->terms) {
        accepted = accept_terms(offer, wanted->yes);
    }
    if (offer && accepted) {
        fprintf(stderr, "onchip: adding %s %s (a download of %s; licence: %s)\n",
                offer->package, offer->version, offer->size, offer->license);
    }
    if (oc_plugin_add(wanted->add, accepted, &added, &err) != OC_OK) {
        return cli_error(&err);
    }
    cli_print("%s: %s\n", added.already ? "there already" : "added", added.plugin.path);
    if (offer && offer->besides) {
        fprintf(stderr,
                "onchip: a machine with the device needs besides: its driver, and\n"
                "    python3 -m pip install --target '%s' %s\n",
                added.folder, offer->besides);
    }
    return OC_EXIT_PASS;
}

int cli_plugins(int argc, char **argv)
{
    cli_plugins_arguments wanted = {0};
    if (cli_parse(&cli_plugins_argp, argc, argv, &wanted) != OC_EXIT_PASS) {
        return OC_EXIT_USAGE;
    }
    return wanted.add ? add_plugin(&wanted) : list_plugins(&wanted);
}
