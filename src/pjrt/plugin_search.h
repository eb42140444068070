/* The search for plugins: candidates in the order in which they count, gathered by the
 * stages of plugin_places.c with the tables of plugin_packages.c. Private to the room.
 */
#ifndef ONCHIP_PJRT_PLUGIN_SEARCH_H
#define ONCHIP_PJRT_PLUGIN_SEARCH_H

#include "base/error.h"
#include "onchip/plugin.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc__plugin_search {
    const char *platform; /* NULL: all; "gpu": cuda and rocm */
    oc_plugin_entry *entries;
    size_t count;
    size_t capacity;
    bool elsewhere; /* candidates from now on stand where onchip does not look */
    bool failed;    /* memory ran out */
} oc__plugin_search;

/* A platform that onchip knows by name; `remedy` says how to get a plugin for it. */
typedef struct oc__platform {
    const char *name;
    const char *remedy;
} oc__platform;
extern const oc__platform oc__platforms[]; /* ends with a NULL name */

/* "cpu, tpu, cuda, rocm" and the alias gpu. */
#define OC__PLATFORM_NAMES "cpu, tpu, cuda, rocm, gpu"

/* [a-z0-9_]+ that fits oc_plugin.platform */
bool oc__platform_is_name(const char *name);
OC_MUST_USE oc_status oc__platform_check(const char *name, oc_error *err);
/* The index in oc__platforms, or their number for an unknown one. */
size_t oc__platform_rank(const char *name);
bool oc__plugin_search_wants(const oc__plugin_search *search, const char *platform);

OC_PRINTF(4, 5)
void oc__plugin_search_add(oc__plugin_search *search, const char *platform,
                           const char *path, const char *source_format, ...);

/* Adds what stands in `site`, a folder laid out like site-packages: the known packages
 * first, then the other jax_plugins.*. `where` ends the source's sentence. */
void oc__plugin_search_site(oc__plugin_search *search, const char *site,
                            const char *where);

/* By platform in the order of oc__platforms, others by name; within one, as found. */
void oc__plugin_search_sort(oc__plugin_search *search);

/* dlopen looks a bare name up in the system's folders, so a path is made absolute. */
void oc__plugin_path_absolute(char path[OC_PLUGIN_PATH]);

/* A file is there and can be read; else OC_NOT_FOUND or OC_INVALID_ARGUMENT at INPUT.
 */
OC_MUST_USE oc_status oc__plugin_file_check(const char *path, oc_error *err);

/* The stages, in the order of onchip/plugin.h. A variable that cannot be understood is
 * an error; nothing found is not. */
OC_MUST_USE oc_status oc__plugin_search_variables(oc__plugin_search *search,
                                                  oc_error *err);
void oc__plugin_search_own(oc__plugin_search *search);
/* out_python: the interpreter that was asked, or why none was. False: none was. */
bool oc__plugin_search_python(oc__plugin_search *search,
                              char out_python[OC_PLUGIN_SOURCE]);
void oc__plugin_search_elsewhere(oc__plugin_search *search);

/* The n-th of onchip's own folders (0, 1, 2), malloc'd; NULL when there is none such.
 * The last one is the user's, where oc_plugin_add installs. */
enum { OC__OWN_FOLDERS = 3 };
char *oc__plugin_own_folder(int which);

#endif
