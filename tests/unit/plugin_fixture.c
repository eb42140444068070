#include "plugin_fixture.h"
#include "folder.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fixture_elf[] = "\177ELF and no more";
char fixture_root[] = "/tmp/onchip-plugin-XXXXXX";

const char *fixture_under(const char *name)
{
    static char paths[4][FIXTURE_PATH];
    static unsigned int next;
    char *path = paths[next++ % 4];
    snprintf(path, FIXTURE_PATH, "%s/%s", fixture_root, name);
    return path;
}

const char *fixture_make(const char *name, const char *content)
{
    char folder[FIXTURE_PATH];
    const char *path = fixture_under(name);
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(oc__make_dirs(folder, NULL), OC_OK);
    assert_int_equal(oc__file_replace(path, content, strlen(content), NULL), OC_OK);
    return path;
}

void fixture_make_python(const char *name)
{
    char script[FIXTURE_PATH];
    snprintf(script, sizeof script,
             "#!/bin/sh\nprintf '%%s\\0\\0relative\\0%%s' '%s' '%s/site'\n",
             fixture_under(name), fixture_root);
    assert_int_equal(chmod(fixture_make(name, script), 0755), 0);
}

/* A world with nothing in it but a Python without packages. */
int fixture_set_up(void **state)
{
    (void)state;
    static const char *const variables[] = {
        "ONCHIP_PLUGIN_CPU",  "ONCHIP_PLUGIN_TPU",    "ONCHIP_PLUGIN_CUDA",
        "ONCHIP_PLUGIN_ROCM", "ONCHIP_PLUGIN_BANANA", "ONCHIP_PLUGIN_ZEBRA",
        "ONCHIP_PLUGIN_APE",  "TPU_LIBRARY_PATH",     "PJRT_NAMES_AND_LIBRARY_PATHS",
        "VIRTUAL_ENV",        "CONDA_PREFIX"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]);
    }
    memcpy(strrchr(fixture_root, '-'), "-XXXXXX", 8);
    if (!mkdtemp(fixture_root) || chdir(fixture_root) != 0) {
        return -1;
    }
    fixture_make("home/.keep", "");
    fixture_make("system/.keep", "");
    setenv("HOME", fixture_under("home"), 1);
    setenv("XDG_DATA_HOME", fixture_under("data"), 1);
    // The programs that the scripts need, and no Python.
    static const char *const programs[] = {"env", "cat", "mkdir", "touch"};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        char from[64];
        char to[64];
        snprintf(from, sizeof from, "/usr/bin/%s", programs[i]);
        snprintf(to, sizeof to, "system/%s", programs[i]);
        if (symlink(from, fixture_under(to)) != 0) {
            return -1;
        }
    }
    char path[2 * FIXTURE_PATH];
    snprintf(path, sizeof path, "%s:%s", fixture_under("bin"), fixture_under("system"));
    setenv("PATH", path, 1);
    fixture_make_python("bin/python3");
    return 0;
}

int fixture_tear_down(void **state)
{
    (void)state;
    return folder_remove(fixture_root);
}
