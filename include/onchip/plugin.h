/* PJRT plugins on this machine: finding them without loading them, and adding one.
 *
 * A platform is named as PJRT clients name themselves: cpu, tpu, cuda, rocm, or the
 * name of another plugin ([a-z0-9_]+). `gpu` stands for whichever of cuda and rocm
 * comes first. The plugin of a platform is the first of
 *
 *   1. the path that the caller gives (--plugin)
 *   2. ONCHIP_PLUGIN_<PLATFORM>, the platform in upper case
 *   3. PJRT_NAMES_AND_LIBRARY_PATHS, JAX's form name:path[,name:path...]
 *   4. TPU_LIBRARY_PATH, for tpu alone
 *   5. onchip's own folders: plugins/<platform> beside this program or library,
 *      ../lib/onchip/plugins/<platform> from there, and
 *      ${XDG_DATA_HOME:-$HOME/.local/share}/onchip/plugins/<platform>
 *   6. the Python packages that JAX would load: libtpu, jax_plugins.* and onchip's CPU
 *      plugins, on the sys.path of $VIRTUAL_ENV/bin/python, else of
 *      $CONDA_PREFIX/bin/python, else of python3
 *
 * A variable that is set but names nothing that can be loaded is an error and never
 * passed over; an empty variable counts as unset. Python is started only when nothing
 * before it matched.
 *
 * Calling sequence
 *     oc_plugin plugin;
 *     if (oc_plugin_find("tpu", NULL, &plugin, &err) == OC_OK) {
 *         printf("%s, from %s\n", plugin.path, plugin.source);
 *     }
 *
 * An oc_plugin owns nothing and needs no clean-up. */
#ifndef ONCHIP_PLUGIN_H
#define ONCHIP_PLUGIN_H

#include "onchip/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OC_PLUGIN_PLATFORM = 64, OC_PLUGIN_PATH = 4096, OC_PLUGIN_SOURCE = 512 };

typedef struct oc_plugin {
    char platform[OC_PLUGIN_PLATFORM]; /* "cuda" when `gpu` matched it */
    char path[OC_PLUGIN_PATH];         /* absolute, of the library */
    char source[OC_PLUGIN_SOURCE];     /* "ONCHIP_PLUGIN_TPU", "Python package libtpu
                                          of /usr/bin/python3" */
} oc_plugin;

/* Finds the plugin of `platform`. `explicit_path` may be NULL; with it and `gpu` the
 * platform is rocm when the file's name says so, else cuda. The file is not loaded: it
 * exists and can be read, and that is all that is known. `platform` may be NULL when
 * `explicit_path` is not; out_plugin->platform is then empty.
 *
 * Errors: OC_INVALID_ARGUMENT at USAGE, a name that is no platform's; at INPUT, a named
 * path is a folder or no regular file, or a variable is malformed. OC_NOT_FOUND at
 * INPUT, a named path is not there or cannot be read. OC_UNAVAILABLE at PLUGIN, nothing
 * was found: the text says where onchip looked, and names a plugin that stands
 * elsewhere, or how to get one. */
OC_API OC_MUST_USE oc_status oc_plugin_find(const char *platform,
                                            const char *explicit_path,
                                            oc_plugin *out_plugin, oc_error *err);

typedef enum oc_plugin_standing {
    OC_PLUGIN_CHOSEN,   /* what oc_plugin_find gives */
    OC_PLUGIN_SHADOWED, /* found, but another one comes before it */
    OC_PLUGIN_BROKEN,   /* named or found, but cannot be loaded: see `reason` */
    OC_PLUGIN_ELSEWHERE /* present where onchip does not look */
} oc_plugin_standing;

/* "chosen", "shadowed", "broken", "elsewhere" */
OC_API const char *oc_plugin_standing_name(oc_plugin_standing standing);

typedef struct oc_plugin_entry {
    oc_plugin plugin;
    oc_plugin_standing standing;
    char reason[OC_PLUGIN_SOURCE]; /* empty unless BROKEN */
} oc_plugin_entry;

typedef struct oc_plugin_list {
    oc_plugin_entry *entries; /* by platform, each in the order of the search */
    size_t count;
    char note[OC_PLUGIN_SOURCE]; /* why Python's packages are not listed, or empty */
} oc_plugin_list;

/* Lists every plugin that is named or found, of one platform or (NULL) of all. A broken
 * one that comes first keeps its platform from having a chosen one. Errors: as
 * oc_plugin_find for a name that cannot be a platform's and for a malformed variable;
 * an empty list is no error. oc_plugin_list_free frees the entries. */
OC_API OC_MUST_USE oc_status oc_plugin_list_make(const char *platform,
                                                 oc_plugin_list *out_list,
                                                 oc_error *err);
OC_API void oc_plugin_list_free(oc_plugin_list *list);

/* The list as JSON: {"plugins": [{platform, path, standing, source, reason}], note},
 * malloc'd; NULL when out of memory. */
OC_API char *oc_plugin_list_json(const oc_plugin_list *list);

/* What oc_plugin_add can install, pinned by version and hash. All text is static. */
typedef struct oc_plugin_offer {
    const char *platform;
    const char *package;
    const char *version;
    const char *size;    /* of the download, "137 MB" */
    const char *license; /* as the package states it */
    const char *terms;   /* to be accepted before it is installed, or NULL */
    const char *besides; /* pip packages that a machine with the device needs in the
                            same folder, or NULL */
} oc_plugin_offer;

/* NULL: onchip has none for this platform. */
OC_API const oc_plugin_offer *oc_plugin_offer_find(const char *platform);

typedef struct oc_plugin_added {
    oc_plugin plugin;
    char folder[OC_PLUGIN_PATH]; /* that it was installed into */
    bool already;                /* it was there, and nothing was done */
} oc_plugin_added;

/* Installs the offer for `platform` with pip into onchip's folder of the user (5
 * above), whole or not at all; what a killed call left behind is removed by the next. A
 * plugin that is there already is left as it is. `accepted_terms`: the user has seen
 * offer->terms and accepted them. This takes as long as the download does and prints
 * nothing.
 *
 * Errors: OC_INVALID_ARGUMENT at USAGE, no offer for this platform, or terms not
 * accepted. At PLUGIN: OC_NOT_FOUND, there is no Python or no pip; OC_CHILD, pip failed
 * (its last lines are in the text); OC_EXISTS, another onchip is adding, or the folder
 * holds something else; OC_UNAVAILABLE, the offer is for another kind of machine;
 * OC_IO. */
OC_API OC_MUST_USE oc_status oc_plugin_add(const char *platform, bool accepted_terms,
                                           oc_plugin_added *out_added, oc_error *err);

#ifdef __cplusplus
}
#endif

#endif
