/* The places where plugins are looked for, each a stage of the search. Nothing here
 * loads a plugin, and only one stage starts a program (Python, for its sys.path). */
#include "base/file.h"
#include "base/strbuf.h"
#include "pjrt/plugin_search.h"
#include "proc/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PYTHON_TIMEOUT_MS = 5000, PYTHON_MAX_OUTPUT = 1 << 18 };

static const char names_variable[] = "PJRT_NAMES_AND_LIBRARY_PATHS";

/* A variable's value; NULL when it is unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* ONCHIP_PLUGIN_<PLATFORM>: one line of the environment. */
static void add_own_variable(oc__plugin_search *search, const char *line)
{
    static const char prefix[] = "ONCHIP_PLUGIN_";
    char platform[OC_PLUGIN_PLATFORM] = "";
    size_t skipped = sizeof prefix - 1;
    size_t name = strcspn(line, "=");
    if (strncmp(line, prefix, skipped) != 0 || line[name] != '=' ||
        line[name + 1] == '\0' || name - skipped >= sizeof platform) {
        return;
    }
    for (size_t i = skipped; i < name; i++) {
        if (islower((unsigned char)line[i])) {
            return;
        }
        platform[i - skipped] = (char)tolower((unsigned char)line[i]);
    }
    if (oc__platform_is_name(platform) && oc__plugin_search_wants(search, platform)) {
        oc__plugin_search_add(search, platform, line + name + 1, "%.*s", (int)name,
                              line);
    }
}

/* name:path[,name:path...]; JAX lets a later path of the same name win in silence, so
 * that is refused here like any other text that says two things. */
static oc_status add_jax_variable(oc__plugin_search *search, oc_error *err)
{
    oc_status rc = OC_OK;
    const char *value = variable(names_variable);
    size_t before = search->count;
    char *text = strdup(value ? value : "");
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    char *next = text;
    for (char *pair; rc == OC_OK && (pair = strsep(&next, ",")) != NULL;) {
        char *colon = strchr(pair, ':');
        if (*pair == '\0') {
            continue;
        }
        if (!colon || colon == pair || colon[1] == '\0' || strchr(colon + 1, ':')) {
            rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                         "%s: '%s' is not of the form name:path", names_variable, pair);
            break;
        }
        *colon = '\0';
        for (size_t i = before; i < search->count && rc == OC_OK; i++) {
            if (strcmp(search->entries[i].plugin.platform, pair) == 0) {
                rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                             "%s names '%s' twice", names_variable, pair);
            }
        }
        if (rc == OC_OK && oc__platform_is_name(pair) &&
            oc__plugin_search_wants(search, pair)) {
            oc__plugin_search_add(search, pair, colon + 1, "%s", names_variable);
        }
    }
    free(text);
    return rc;
}

oc_status oc__plugin_search_variables(oc__plugin_search *search, oc_error *err)
{
    for (char *const *line = environ; *line; line++) {
        add_own_variable(search, *line);
    }
    oc_status rc = add_jax_variable(search, err);
    const char *libtpu = variable("TPU_LIBRARY_PATH");
    if (rc == OC_OK && libtpu && oc__plugin_search_wants(search, "tpu")) {
        oc__plugin_search_add(search, "tpu", libtpu, "TPU_LIBRARY_PATH");
    }
    return rc;
}

char *oc__plugin_own_folder(int which)
{
    char *folder = NULL;
    int used = -1;
    const char *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");
    char *ours = which < 2 ? oc__own_folder() : NULL;
    if (which == 0 && ours) {
        used = asprintf(&folder, "%s/plugins", ours);
    } else if (which == 1 && ours) {
        char *slash = strrchr(ours, '/'); // without "..", so that it reads well
        used = asprintf(&folder, "%.*s/lib/onchip/plugins",
                        slash ? (int)(slash - ours) : 0, ours);
    } else if (which == 2 && data && *data == '/') { // a relative one is to be ignored
        used = asprintf(&folder, "%s/onchip/plugins", data);
    } else if (which == 2 && home) {
        used = asprintf(&folder, "%s/.local/share/onchip/plugins", home);
    }
    free(ours);
    return used < 0 ? NULL : folder;
}

/* In PLUGINS/<platform> only what is for that platform counts. */
static void add_own_platform(oc__plugin_search *search, const char *folder,
                             const char *platform)
{
    char site[OC_PLUGIN_PATH];
    char where[OC_PLUGIN_SOURCE];
    if (!oc__platform_is_name(platform) || !oc__plugin_search_wants(search, platform)) {
        return;
    }
    const char *requested = search->platform;
    search->platform = platform;
    snprintf(site, sizeof site, "%s/%s", folder, platform);
    snprintf(where, sizeof where, "in onchip's folder %s", folder);
    oc__plugin_search_site(search, site, where);
    search->platform = requested;
}

void oc__plugin_search_own(oc__plugin_search *search)
{
    for (int i = 0; i < OC__OWN_FOLDERS; i++) {
        char *folder = oc__plugin_own_folder(i);
        struct dirent **platforms = NULL;
        int count = folder ? scandir(folder, &platforms, NULL, alphasort) : 0;
        for (int j = 0; j < count; j++) {
            add_own_platform(search, folder, platforms[j]->d_name);
            free(platforms[j]);
        }
        free(platforms);
        free(folder);
    }
}

/* The interpreter of the active environment, else the one on PATH. */
static const char *choose_python(char out[OC_PLUGIN_PATH])
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    for (size_t i = 0; i < 2; i++) {
        const char *prefix = variable(variables[i]);
        int used = prefix ? snprintf(out, OC_PLUGIN_PATH, "%s/bin/python", prefix) : 0;
        if (used > 0 && used < OC_PLUGIN_PATH && access(out, X_OK) == 0) {
            return out;
        }
    }
    return "python3";
}

bool oc__plugin_search_python(oc__plugin_search *search,
                              char out_python[OC_PLUGIN_SOURCE])
{
    // `sys` is built in, so this imports nothing from the current folder; that folder
    // stands in sys.path as an empty or relative name and is passed over below.
    static const char program[] =
        "import sys; sys.stdout.buffer.write('\\0'.join([sys.executable] + sys.path)"
        ".encode('utf-8', 'surrogateescape'))";
    char chosen[OC_PLUGIN_PATH];
    char where[OC_PLUGIN_SOURCE];
    const char *argv[] = {choose_python(chosen), "-c", program, NULL};
    oc__strbuf output;
    oc__strbuf noise;
    oc__proc_end end;
    oc_error why = {0};
    oc__strbuf_init(&output, PYTHON_MAX_OUTPUT);
    oc__strbuf_init(&noise, PYTHON_MAX_OUTPUT);
    oc_status rc =
        oc__proc_run(argv, "", 0, PYTHON_TIMEOUT_MS, &output, &noise, &end, &why);
    bool answered = rc == OC_OK && !end.signalled && end.code == 0 && output.size > 0;
    if (answered) {
        snprintf(out_python, OC_PLUGIN_SOURCE, "%s",
                 *output.data ? output.data : argv[0]);
        snprintf(where, sizeof where, "of %.480s", out_python);
        const char *stop = output.data + output.size;
        const char *path = output.data + strlen(output.data) + 1;
        for (; path < stop; path += strlen(path) + 1) {
            if (*path == '/') {
                oc__plugin_search_site(search, path, where);
            }
        }
    } else if (rc == OC_OK) {
        char how[128];
        oc__proc_end_text(&end, how, sizeof how);
        snprintf(out_python, OC_PLUGIN_SOURCE, "'%.300s' ended with %s", argv[0], how);
    } else {
        snprintf(out_python, OC_PLUGIN_SOURCE, "%.500s", why.text);
    }
    oc__strbuf_free(&output);
    oc__strbuf_free(&noise);
    return answered;
}

void oc__plugin_search_elsewhere(oc__plugin_search *search)
{
    static const char *const sites[] = {
        // ~ is $HOME, as in glob(7)
        "~/.local/lib/python3*/site-packages",
        "./.venv/lib/python3*/site-packages",
        "./venv/lib/python3*/site-packages",
        "~/.venv/lib/python3*/site-packages",
        "~/venv/lib/python3*/site-packages",
        "~/.pyenv/versions/*/lib/python3*/site-packages",
        "/usr/local/lib/python3*/site-packages",
        "/usr/local/lib/python3*/dist-packages",
        "/usr/lib/python3*/site-packages",
        "/usr/lib/python3*/dist-packages",
        "/usr/lib/python3/dist-packages",
        "/opt/*/lib/python3*/site-packages",
    };
    static const char *const libraries[] = {"/lib/libtpu.so", "/usr/lib/libtpu.so"};
    char where[OC_PLUGIN_SOURCE];
    search->elsewhere = true;
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++) {
        glob_t found = {0};
        if (glob(sites[i], GLOB_TILDE, NULL, &found) == 0) {
            for (size_t j = 0; j < found.gl_pathc; j++) {
                snprintf(where, sizeof where, "in %s", found.gl_pathv[j]);
                oc__plugin_search_site(search, found.gl_pathv[j], where);
            }
        }
        globfree(&found);
    }
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (oc__plugin_search_wants(search, "tpu") && access(libraries[i], F_OK) == 0) {
            oc__plugin_search_add(search, "tpu", libraries[i],
                                  "the system's libraries");
        }
    }
}
