/* config.json: what makes a run this run. */
#include "fit/fit.h"
#include "supervise/supervise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONFIG = 1 << 20, BATCH = 8, SEED = 3, EVERY = 2, STATE_MIB = 0 };

static const char format[] = "onchip.launch/1";

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
}

/* A list of words that ends with NULL; NULL when memory runs out. */
static char **copy_words(const char *const *words)
{
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = strdup(words[i]);
        if (!copy[i]) {
            while (i > 0) {
                free(copy[--i]);
            }
            free(copy);
            return NULL;
        }
    }
    return copy;
}

void oc__launch_config_free(oc__launch_config *config)
{
    for (size_t i = 0; config->command && config->command[i]; i++) {
        free(config->command[i]);
    }
    free(config->command);
    free(config->platform);
    free(config->plugin);
    *config = (oc__launch_config){0};
}

/* Digests of what the built-in job of this onchip would do. */
static oc_status digests(int64_t batch, char out_program[OC__SHA256_HEX],
                         char out_data[OC__SHA256_HEX], oc_error *err)
{
    char *program = oc__fit_program(batch);
    if (!program) {
        return no_memory(err);
    }
    oc__sha256_hex(program, strlen(program), out_program);
    free(program);
    return oc__fit_data_hash(out_data, err);
}

static json_t *words_json(char *const *words)
{
    json_t *list = words ? json_array() : json_null();
    for (size_t i = 0; words && words[i]; i++) {
        json_array_append_new(list, oc__json_string(words[i]));
    }
    return list;
}

static json_t *text_or_null(const char *text)
{
    return text ? oc__json_string(text) : json_null();
}

/* The text of config.json, malloc'd. */
static char *config_text(const oc__launch_config *config)
{
    bool command = config->command != NULL;
    json_t *root = json_object();
    json_object_set_new(root, "format", json_string(format));
    json_object_set_new(root, "command", words_json(config->command));
    json_object_set_new(root, "platform", text_or_null(config->platform));
    json_object_set_new(root, "plugin", text_or_null(config->plugin));
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"batch", config->batch},
                   {"seed", config->seed},
                   {"checkpoint_every", config->checkpoint_every},
                   {"state_mib", config->state_mib}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_object_set_new(root, numbers[i].name,
                            command ? json_null() : json_integer(numbers[i].value));
    }
    json_object_set_new(root, "program_sha256",
                        command ? json_null() : json_string(config->program_sha256));
    json_object_set_new(root, "data_sha256",
                        command ? json_null() : json_string(config->data_sha256));
    char *text = json_object_size(root) == 10 ? oc__json_text(root) : NULL;
    json_decref(root);
    return text;
}

static int64_t given(int64_t value, int64_t unset, int64_t otherwise)
{
    return value == unset ? otherwise : value;
}

oc_status oc__launch_config_make(const oc_launch_options *options,
                                 oc__launch_config *out_config, oc_error *err)
{
    *out_config = (oc__launch_config){0};
    if (options->command) {
        out_config->command = copy_words(options->command);
    } else {
        out_config->platform = strdup(options->platform);
        out_config->plugin = options->plugin ? realpath(options->plugin, NULL) : NULL;
        if (options->plugin && !out_config->plugin) {
            return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
                           "the plugin '%s' is not there", options->plugin);
        }
        out_config->batch = given(options->batch, 0, BATCH);
        out_config->seed = given(options->seed, -1, SEED);
        out_config->checkpoint_every = given(options->checkpoint_every, 0, EVERY);
        out_config->state_mib = given(options->state_mib, -1, STATE_MIB);
        oc_status rc = digests(out_config->batch, out_config->program_sha256,
                               out_config->data_sha256, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    char *text =
        out_config->command || out_config->platform ? config_text(out_config) : NULL;
    if (!text) {
        return no_memory(err);
    }
    oc__sha256_hex(text, strlen(text), out_config->sha256);
    free(text);
    return OC_OK;
}

static char *member_text(const json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));
    return text ? strdup(text) : NULL;
}

static char **member_words(const json_t *root, const char *name)
{
    const json_t *list = json_object_get(root, name);
    size_t count = json_array_size(list);
    char **words = count > 0 ? calloc(count + 1, sizeof *words) : NULL;
    for (size_t i = 0; words && i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        words[i] = strdup(word ? word : "");
    }
    return words;
}

static void member_digest(const json_t *root, const char *name,
                          char out[OC__SHA256_HEX])
{
    const char *text = json_string_value(json_object_get(root, name));
    snprintf(out, OC__SHA256_HEX, "%s", text ? text : "");
}

static void fill_config(const json_t *root, oc__launch_config *config)
{
    config->command = member_words(root, "command");
    config->platform = member_text(root, "platform");
    config->plugin = member_text(root, "plugin");
    config->batch = json_integer_value(json_object_get(root, "batch"));
    config->seed = json_integer_value(json_object_get(root, "seed"));
    config->checkpoint_every =
        json_integer_value(json_object_get(root, "checkpoint_every"));
    config->state_mib = json_integer_value(json_object_get(root, "state_mib"));
    member_digest(root, "program_sha256", config->program_sha256);
    member_digest(root, "data_sha256", config->data_sha256);
}

oc_status oc__launch_config_read(const char *run_dir, oc__launch_config *out_config,
                                 oc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    char *again = NULL;
    json_t *root = NULL;
    *out_config = (oc__launch_config){0};
    char *path = oc__path_join(run_dir, "config.json");
    oc_status rc =
        path ? oc__file_read(path, MAX_CONFIG, &text, &size, err) : no_memory(err);
    if (rc == OC_OK) {
        rc = oc__json_parse(text, size, path, &root, err);
    }
    if (rc != OC_OK) {
        oc__error_at_boundary(err, OC_BOUNDARY_INPUT);
        goto done;
    }
    fill_config(root, out_config);
    // What we would write for what was read are the bytes that are there, or somebody
    // else wrote them.
    again = config_text(out_config);
    if (!again) {
        rc = no_memory(err);
    } else if (strlen(again) != size || memcmp(again, text, size) != 0 ||
               !(out_config->command || out_config->platform)) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "'%s' is not as onchip writes it; it was changed", path);
    }
    oc__sha256_hex(text, size, out_config->sha256);
done:
    json_decref(root);
    free(again);
    free(text);
    free(path);
    return rc;
}

static oc_status differs(const char *key, const char *kept, const char *wanted,
                         oc_error *err)
{
    return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                   "%s differs: the run has '%s', asked for is '%s'; nothing was "
                   "changed",
                   key, kept ? kept : "none", wanted ? wanted : "none");
}

static oc_status compare_text(const char *key, const char *kept, const char *wanted,
                              oc_error *err)
{
    return !wanted || (kept && strcmp(kept, wanted) == 0)
               ? OC_OK
               : differs(key, kept, wanted, err);
}

static oc_status compare_number(const char *key, int64_t kept, int64_t wanted,
                                int64_t unset, oc_error *err)
{
    char texts[2][24];
    snprintf(texts[0], sizeof texts[0], "%" PRId64, kept);
    snprintf(texts[1], sizeof texts[1], "%" PRId64, wanted);
    return wanted == unset || kept == wanted ? OC_OK
                                             : differs(key, texts[0], texts[1], err);
}

static oc_status compare_command(char *const *kept, const char *const *wanted,
                                 oc_error *err)
{
    if (!kept) {
        return differs("command", "the built-in job", wanted[0], err);
    }
    for (size_t i = 0;; i++) {
        if (!kept[i] && !wanted[i]) {
            return OC_OK;
        }
        if (!kept[i] || !wanted[i] || strcmp(kept[i], wanted[i]) != 0) {
            char key[48];
            snprintf(key, sizeof key, "word %zu of the command", i);
            return differs(key, kept[i], wanted[i], err);
        }
    }
}

/* The program that lies in the folder, and what this onchip would run. */
static oc_status compare_program(const oc__launch_config *config, const char *run_dir,
                                 oc_error *err)
{
    char program[OC__SHA256_HEX];
    char data[OC__SHA256_HEX];
    char kept[OC__SHA256_HEX] = "";
    size_t size = 0;
    char *text = NULL;
    if (config->batch < 1 || config->batch > OC__FIT_POINTS) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "config.json: batch %" PRId64 " is not from 1 to 64",
                       config->batch);
    }
    oc_status rc = digests(config->batch, program, data, err);
    if (rc == OC_OK) {
        rc = compare_text("program", config->program_sha256, program, err);
    }
    if (rc == OC_OK) {
        rc = compare_text("data", config->data_sha256, data, err);
    }
    char *path = oc__path_join(run_dir, "program.mlir");
    if (rc == OC_OK && !path) {
        rc = no_memory(err);
    }
    if (rc == OC_OK && oc__is_file(path)) { // else it is written again
        rc = oc__file_read(path, MAX_CONFIG, &text, &size, err);
        oc__sha256_hex(rc == OC_OK ? text : "", size, kept);
        rc = rc == OC_OK ? compare_text("program (program.mlir)", kept, program, err)
                         : rc;
    }
    free(text);
    free(path);
    return rc;
}

oc_status oc__launch_config_compare(const oc__launch_config *config,
                                    const oc_launch_options *options,
                                    const char *run_dir, oc_error *err)
{
    oc_status rc = options->command
                       ? compare_command(config->command, options->command, err)
                       : OC_OK;
    char *plugin = options->plugin ? realpath(options->plugin, NULL) : NULL;
    if (rc == OC_OK) {
        rc = compare_text("platform", config->platform, options->platform, err);
    }
    if (rc == OC_OK) {
        rc = compare_text("plugin", config->plugin, plugin ? plugin : options->plugin,
                          err);
    }
    free(plugin);
    const struct {
        const char *key;
        int64_t kept, wanted, unset;
    } numbers[] = {
        {"batch", config->batch, options->batch, 0},
        {"seed", config->seed, options->seed, -1},
        {"checkpoint-every", config->checkpoint_every, options->checkpoint_every, 0},
        {"state-mib", config->state_mib, options->state_mib, -1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && rc == OC_OK; i++) {
        rc = compare_number(numbers[i].key, numbers[i].kept, numbers[i].wanted,
                            numbers[i].unset, err);
    }
    return rc == OC_OK && !config->command ? compare_program(config, run_dir, err) : rc;
}

static oc_status write_missing(const char *run_dir, const char *name, const char *text,
                               oc_error *err)
{
    char *path = oc__path_join(run_dir, name);
    oc_status rc = OC_OK;
    if (!path || !text) {
        rc = no_memory(err);
    } else if (!oc__is_file(path)) {
        rc = oc__file_write_new(path, text, strlen(text), err);
    }
    free(path);
    return rc;
}

/* The configuration first: a folder with it is a run, and a launcher that is killed
 * between the two is made up for by the next. */
oc_status oc__launch_config_write(const char *run_dir, const oc__launch_config *config,
                                  oc_error *err)
{
    char *text = config_text(config);
    oc_status rc = write_missing(run_dir, "config.json", text, err);
    free(text);
    if (rc == OC_OK && !config->command) {
        char *program = oc__fit_program(config->batch);
        rc = write_missing(run_dir, "program.mlir", program, err);
        free(program);
    }
    return rc;
}
