/* The search in its order: the first candidate of a platform counts, and when it cannot
 * be used that is an error, never a reason to take the next. */
#include "base/strbuf.h"
#include "pjrt/plugin_search.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static oc_status find_explicit(const char *platform, const char *path, oc_plugin *out,
                               oc_error *err)
{
    oc_status rc = oc__plugin_file_check(path, err);
    if (rc != OC_OK) {
        return rc;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (platform && strcmp(platform, "gpu") == 0) {
        platform = strstr(name, "rocm") ? "rocm" : "cuda";
    }
    snprintf(out->platform, sizeof out->platform, "%s", platform ? platform : "");
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->source, sizeof out->source, "--plugin");
    oc__plugin_path_absolute(out->path);
    return OC_OK;
}

/* ONCHIP_PLUGIN_TPU of "tpu". */
static void add_variable_name(oc__strbuf *text, const char *platform)
{
    oc__strbuf_addf(text, "ONCHIP_PLUGIN_");
    for (const char *at = platform; *at; at++) {
        oc__strbuf_addf(text, "%c", toupper((unsigned char)*at));
    }
}

static void add_places(oc__strbuf *text, const char *platform, const char *python,
                       bool python_answered)
{
    bool is_gpu = strcmp(platform, "gpu") == 0;
    add_variable_name(text, is_gpu ? "cuda" : platform);
    if (is_gpu) {
        oc__strbuf_addf(text, ", ONCHIP_PLUGIN_ROCM");
    }
    oc__strbuf_addf(text, ", PJRT_NAMES_AND_LIBRARY_PATHS%s; the folders",
                    strcmp(platform, "tpu") == 0 ? ", TPU_LIBRARY_PATH" : "");
    for (int i = 0; i < OC__OWN_FOLDERS; i++) {
        char *folder = oc__plugin_own_folder(i);
        if (folder) {
            oc__strbuf_addf(text, " '%s'", folder);
        }
        free(folder);
    }
    if (python_answered) {
        oc__strbuf_addf(text, "; the Python packages of '%s'", python);
    } else {
        oc__strbuf_addf(text, "; Python's packages could not be listed: %s", python);
    }
}

static const char *remedy_of(const char *platform)
{
    return oc__platforms[oc__platform_rank(strcmp(platform, "gpu") == 0 ? "cuda"
                                                                        : platform)]
        .remedy;
}

/* Nothing where onchip looks: says where that was and what to do. */
static oc_status nothing_found(oc__plugin_search *search, const char *python,
                               bool python_answered, oc_error *err)
{
    const char *platform = search->platform;
    const char *remedy = remedy_of(platform);
    oc__strbuf text;
    oc__strbuf_init(&text, OC_ERROR_TEXT);
    oc__plugin_search_elsewhere(search);
    oc__plugin_search_sort(search);
    if (search->count == 0 && !remedy) {
        oc__strbuf_addf(&text,
                        "'%s' is not a platform that onchip knows (" OC__PLATFORM_NAMES
                        "), and nothing names a plugin for it; set ",
                        platform);
        add_variable_name(&text, platform);
        oc__strbuf_addf(&text, " or pass --plugin");
    } else {
        oc__strbuf_addf(&text, "no plugin for %s; onchip looked in ", platform);
        add_places(&text, platform, python, python_answered);
    }
    if (search->count > 0) {
        const oc_plugin *found = &search->entries[0].plugin;
        char path[OC_PLUGIN_PATH];
        snprintf(path, sizeof path, "%s", found->path);
        oc__plugin_path_absolute(path);
        oc__strbuf_addf(&text,
                        ". A plugin for %s stands in '%s', where onchip does not look; "
                        "pass --plugin %s, or set ",
                        found->platform, path, path);
        add_variable_name(&text, found->platform);
        oc__strbuf_addf(&text, " to it");
    } else if (remedy) {
        oc__strbuf_addf(&text, ". %s", remedy);
    }
    bool is_known = search->count > 0 || remedy;
    oc_status rc = OC_FAIL(err, is_known ? OC_UNAVAILABLE : OC_INVALID_ARGUMENT,
                           is_known ? OC_BOUNDARY_PLUGIN : OC_BOUNDARY_USAGE, "%s",
                           text.data ? text.data : "no plugin was found");
    oc__strbuf_free(&text);
    return rc;
}

static oc_status out_of_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
}

oc_status oc_plugin_find(const char *platform, const char *explicit_path,
                         oc_plugin *out_plugin, oc_error *err)
{
    char python[OC_PLUGIN_SOURCE] = "";
    bool python_answered = false;
    oc__plugin_search search = {.platform = platform};
    *out_plugin = (oc_plugin){0};
    oc_status rc = platform || !explicit_path
                       ? oc__platform_check(platform ? platform : "", err)
                       : OC_OK;
    if (rc != OC_OK) {
        goto done;
    }
    if (explicit_path) {
        rc = find_explicit(platform, explicit_path, out_plugin, err);
        goto done;
    }
    rc = oc__plugin_search_variables(&search, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (search.count == 0) {
        oc__plugin_search_own(&search);
    }
    if (search.count == 0) {
        python_answered = oc__plugin_search_python(&search, python);
    }
    if (search.failed) {
        rc = out_of_memory(err);
    } else if (search.count == 0) {
        rc = nothing_found(&search, python, python_answered, err);
    } else {
        oc__plugin_search_sort(&search);
        const oc_plugin *first = &search.entries[0].plugin;
        rc = oc__plugin_file_check(first->path, err);
        if (rc != OC_OK) {
            oc__error_prefix(err, "%s", first->source);
            goto done;
        }
        *out_plugin = *first;
        oc__plugin_path_absolute(out_plugin->path);
    }
done:
    free(search.entries);
    return rc;
}
