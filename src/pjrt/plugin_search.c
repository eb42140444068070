/* The candidates of a search: which are wanted, in what order they stand, and whether
 * their files are there. */
#include "pjrt/plugin_search.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool oc__platform_is_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length < OC_PLUGIN_PLATFORM &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

oc_status oc__platform_check(const char *platform, oc_error *err)
{
    if (!oc__platform_is_name(platform)) {
        return OC_FAIL(
            err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
            "'%s' is not the name of a platform; onchip knows " OC__PLATFORM_NAMES,
            platform);
    }
    return OC_OK;
}

size_t oc__platform_rank(const char *name)
{
    size_t rank = 0;
    while (oc__platforms[rank].name && strcmp(oc__platforms[rank].name, name) != 0) {
        rank++;
    }
    return rank;
}

bool oc__plugin_search_wants(const oc__plugin_search *search, const char *platform)
{
    const char *wanted = search->platform;
    if (wanted && strcmp(wanted, "gpu") == 0) {
        return strcmp(platform, "cuda") == 0 || strcmp(platform, "rocm") == 0;
    }
    return !wanted || strcmp(wanted, platform) == 0;
}

/* What stands elsewhere may be the same file under another name: a link, or a folder
 * that Python searches too. */
static bool is_known_file(const oc__plugin_search *search, const char *path)
{
    char *resolved = search->elsewhere ? realpath(path, NULL) : NULL;
    bool known = false;
    for (size_t i = 0; i < search->count && !known; i++) {
        const char *other = search->entries[i].plugin.path;
        char *other_resolved = resolved ? realpath(other, NULL) : NULL;
        known = other_resolved && strcmp(other_resolved, resolved) == 0;
        free(other_resolved);
    }
    free(resolved);
    return known;
}

/* Room for one more entry; NULL when memory runs out. */
static oc_plugin_entry *new_entry(oc__plugin_search *search)
{
    if (search->count == search->capacity) {
        size_t capacity = search->capacity ? 2 * search->capacity : 8;
        oc_plugin_entry *grown =
            realloc(search->entries, capacity * sizeof *search->entries);
        if (!grown) {
            search->failed = true;
            return NULL;
        }
        search->entries = grown;
        search->capacity = capacity;
    }
    return &search->entries[search->count++];
}

void oc__plugin_search_add(oc__plugin_search *search, const char *platform,
                           const char *path, const char *source_format, ...)
{
    va_list arguments;
    oc_plugin_entry *entry = is_known_file(search, path) ? NULL : new_entry(search);
    if (!entry) {
        return;
    }
    *entry = (oc_plugin_entry){.standing = search->elsewhere ? OC_PLUGIN_ELSEWHERE
                                                             : OC_PLUGIN_SHADOWED};
    snprintf(entry->plugin.platform, sizeof entry->plugin.platform, "%s", platform);
    snprintf(entry->plugin.path, sizeof entry->plugin.path, "%s", path);
    va_start(arguments, source_format);
    vsnprintf(entry->plugin.source, sizeof entry->plugin.source, source_format,
              arguments);
    va_end(arguments);
}

static bool comes_before(const oc_plugin *a, const oc_plugin *b)
{
    size_t rank_a = oc__platform_rank(a->platform);
    size_t rank_b = oc__platform_rank(b->platform);
    return rank_a != rank_b ? rank_a < rank_b : strcmp(a->platform, b->platform) < 0;
}

void oc__plugin_search_sort(oc__plugin_search *search)
{
    for (size_t i = 1; i < search->count; i++) {
        oc_plugin_entry moved = search->entries[i];
        size_t at = i;
        while (at > 0 && comes_before(&moved.plugin, &search->entries[at - 1].plugin)) {
            search->entries[at] = search->entries[at - 1];
            at--;
        }
        search->entries[at] = moved;
    }
}

void oc__plugin_path_absolute(char path[OC_PLUGIN_PATH])
{
    char folder[OC_PLUGIN_PATH];
    char joined[2 * OC_PLUGIN_PATH];
    if (path[0] != '/' && getcwd(folder, sizeof folder)) {
        snprintf(joined, sizeof joined, "%s/%s", folder, path);
        if (strlen(joined) < OC_PLUGIN_PATH) {
            memcpy(path, joined, strlen(joined) + 1);
        }
    }
}

oc_status oc__plugin_file_check(const char *path, oc_error *err)
{
    struct stat status;
    size_t length = strlen(path);
    if (stat(path, &status) != 0) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
                       "cannot open plugin '%s': %s", path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "plugin '%s' is a folder; name the library (.so) in it", path);
    }
    if (!S_ISREG(status.st_mode)) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "plugin '%s' is not a regular file", path);
    }
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "plugin '%s' is a configuration for JAX, which onchip does not "
                       "read; name the library (.so) itself",
                       path);
    }
    if (access(path, R_OK) != 0) {
        return OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
                       "cannot read plugin '%s': %s", path, strerror(errno));
    }
    return OC_OK;
}
