/* The list of all plugins: the same search as plugin_find.c, to its end, with every
 * candidate judged. */
#include "base/json.h"
#include "pjrt/plugin_search.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *oc_plugin_standing_name(oc_plugin_standing standing)
{
    switch (standing) {
    case OC_PLUGIN_CHOSEN: return "chosen";
    case OC_PLUGIN_SHADOWED: return "shadowed";
    case OC_PLUGIN_BROKEN: return "broken";
    case OC_PLUGIN_ELSEWHERE: return "elsewhere";
    }
    return "unknown";
}

static bool is_elf(const char *path)
{
    char magic[4] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is;
}

static void judge(oc_plugin_entry *entry, bool is_first)
{
    oc_error why = {0};
    oc__plugin_path_absolute(entry->plugin.path);
    if (oc__plugin_file_check(entry->plugin.path, &why) != OC_OK) {
        snprintf(entry->reason, sizeof entry->reason, "%.*s",
                 (int)sizeof entry->reason - 1, why.text);
    } else if (!is_elf(entry->plugin.path)) {
        snprintf(entry->reason, sizeof entry->reason, "it is not an ELF library");
    }
    if (entry->reason[0]) {
        entry->standing = OC_PLUGIN_BROKEN;
    } else if (is_first) {
        entry->standing = OC_PLUGIN_CHOSEN;
    }
}

/* Elsewhere's entries come after all others of their platform and are first of none. */
static void judge_all(oc_plugin_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *before = i > 0 ? list->entries[i - 1].plugin.platform : "";
        bool is_first = strcmp(before, list->entries[i].plugin.platform) != 0 &&
                        list->entries[i].standing != OC_PLUGIN_ELSEWHERE;
        judge(&list->entries[i], is_first);
    }
}

oc_status oc_plugin_list_make(const char *platform, oc_plugin_list *out_list,
                              oc_error *err)
{
    char python[OC_PLUGIN_SOURCE] = "";
    oc__plugin_search search = {.platform = platform};
    *out_list = (oc_plugin_list){0};
    oc_status rc = platform ? oc__platform_check(platform, err) : OC_OK;
    if (rc != OC_OK) {
        goto done;
    }
    rc = oc__plugin_search_variables(&search, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__plugin_search_own(&search);
    if (!oc__plugin_search_python(&search, python)) {
        memcpy(out_list->note, python, sizeof python);
    }
    oc__plugin_search_elsewhere(&search);
    if (search.failed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
        goto done;
    }
    oc__plugin_search_sort(&search);
    out_list->entries = search.entries;
    out_list->count = search.count;
    search.entries = NULL;
    judge_all(out_list);
done:
    free(search.entries);
    return rc;
}

void oc_plugin_list_free(oc_plugin_list *list)
{
    if (list) {
        free(list->entries);
        *list = (oc_plugin_list){0};
    }
}

/* A path may be any bytes; JSON text is UTF-8. */
static json_t *text_of(const char *text)
{
    json_t *value = json_string(text);
    char plain[OC_PLUGIN_PATH];
    if (!value) {
        snprintf(plain, sizeof plain, "%s", text);
        for (char *at = plain; *at; at++) {
            if ((unsigned char)*at >= 0x80) {
                *at = '?';
            }
        }
        value = json_string(plain);
    }
    return value;
}

char *oc_plugin_list_json(const oc_plugin_list *list)
{
    char *text = NULL;
    json_t *plugins = json_array();
    json_t *root = json_pack("{s:O, s:o}", "plugins", plugins, "note",
                             list->note[0] ? text_of(list->note) : json_null());
    bool whole = root != NULL;
    for (size_t i = 0; whole && i < list->count; i++) {
        const oc_plugin_entry *entry = &list->entries[i];
        json_t *item =
            json_pack("{s:s, s:o, s:s, s:o, s:o}", "platform", entry->plugin.platform,
                      "path", text_of(entry->plugin.path), "standing",
                      oc_plugin_standing_name(entry->standing), "source",
                      text_of(entry->plugin.source), "reason",
                      entry->reason[0] ? text_of(entry->reason) : json_null());
        whole = item && json_array_append_new(plugins, item) == 0;
    }
    text = whole ? oc__json_text(root) : NULL;
    json_decref(root);
    json_decref(plugins);
    return text;
}
