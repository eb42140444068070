/* What is known about plugins as packages: which files the Python wheels bring, how
 * JAX's plugin folders are named, and which packages onchip can install. */
#include "pjrt/plugin_search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const oc__platform oc__platforms[] = {
    {"cpu", "'python3 -m pip install lammps-jax-pjrt-cpu' brings one"},
    {"tpu", "'onchip plugins add tpu' installs one"},
    {"cuda", "'onchip plugins add cuda' installs one"},
    {"rocm", "'python3 -m pip install jax-rocm7-pjrt' brings one"},
    {0},
};

/* In the order of preference within a platform. */
static const struct package {
    const char *platform;
    const char *name; // as pip knows it
    const char *path; // in site-packages
} packages[] = {
    {"cpu", "lammps-jax-pjrt-cpu", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
    {"cpu", "xla-cpu-pjrt", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
    {"tpu", "libtpu", "libtpu/libtpu.so"},
    {"cuda", "jax-cuda13-pjrt", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"},
    {"cuda", "jax-cuda12-pjrt", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
    {"rocm", "jax-rocm7-pjrt", "jax_plugins/xla_rocm7/xla_rocm_plugin.so"},
};

enum { PACKAGES = sizeof packages / sizeof packages[0] };

/* The platform of the package jax_plugins.FOLDER: by JAX's habit the folder is called
 * xla_<platform><version>, or like the platform. */
static bool jax_plugin_platform(const char *folder, char out[OC_PLUGIN_PLATFORM])
{
    bool is_xla = strncmp(folder, "xla_", 4) == 0;
    const char *name = is_xla ? folder + 4 : folder;
    size_t length = strlen(name);
    if (length >= OC_PLUGIN_PLATFORM) {
        return false;
    }
    memcpy(out, name, length + 1);
    while (is_xla && length > 0 && strchr("0123456789", out[length - 1])) {
        out[--length] = '\0';
    }
    return oc__platform_is_name(out);
}

/* A plugin's folder may hold other libraries too: JAX's habit is to call the plugin
 * ..plugin.. or ..pjrt... */
static int is_plugin_library(const struct dirent *file)
{
    size_t length = strlen(file->d_name);
    return length > 3 && strcmp(file->d_name + length - 3, ".so") == 0 &&
           (strstr(file->d_name, "plugin") || strstr(file->d_name, "pjrt"));
}

static bool is_table_path(const char *path)
{
    for (size_t i = 0; i < PACKAGES; i++) {
        if (strcmp(packages[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static void add_jax_plugin(oc__plugin_search *search, const char *site,
                           const char *folder, const char *where)
{
    char platform[OC_PLUGIN_PLATFORM];
    char path[OC_PLUGIN_PATH];
    struct dirent **files = NULL;
    if (!jax_plugin_platform(folder, platform) ||
        !oc__plugin_search_wants(search, platform)) {
        return;
    }
    snprintf(path, sizeof path, "%s/jax_plugins/%s", site, folder);
    int count = scandir(path, &files, is_plugin_library, alphasort);
    for (int i = 0; i < count; i++) {
        int used = snprintf(path, sizeof path, "%s/jax_plugins/%s/%s", site, folder,
                            files[i]->d_name);
        if (used > 0 && (size_t)used < sizeof path &&
            !is_table_path(path + strlen(site) + 1)) {
            oc__plugin_search_add(search, platform, path,
                                  "Python package jax_plugins.%s %s", folder, where);
        }
        free(files[i]);
    }
    free(files);
}

static int is_visible(const struct dirent *file)
{
    return file->d_name[0] != '.';
}

void oc__plugin_search_site(oc__plugin_search *search, const char *site,
                            const char *where)
{
    char path[OC_PLUGIN_PATH];
    for (size_t i = 0; i < PACKAGES; i++) {
        const struct package *package = &packages[i];
        int used = snprintf(path, sizeof path, "%s/%s", site, package->path);
        if (used > 0 && (size_t)used < sizeof path &&
            oc__plugin_search_wants(search, package->platform) &&
            access(path, F_OK) == 0) {
            oc__plugin_search_add(search, package->platform, path,
                                  "Python package %s %s", package->name, where);
        }
    }
    struct dirent **folders = NULL;
    snprintf(path, sizeof path, "%s/jax_plugins", site);
    int count = scandir(path, &folders, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        add_jax_plugin(search, site, folders[i]->d_name, where);
        free(folders[i]);
    }
    free(folders);
}
