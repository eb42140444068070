/* Installing a plugin: pip fetches one pinned wheel, checked by hash, into a temporary
 * folder beside the final one, and a rename makes it appear. */
#include "base/file.h"
#include "base/strbuf.h"
#include "pjrt/plugin_search.h"
#include "proc/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PIP_TIMEOUT_MS = 30 * 60 * 1000, PIP_MAX_OUTPUT = 1 << 20, PIP_TOLD = 900 };

typedef struct pin {
    oc_plugin_offer offer;
    const char *sha256; // of the wheel
    const char *tag;    // the wheel's platform tag
} pin;

static const pin pins[] = {
    {
        .offer =
            {
                .platform = "tpu",
                .package = "libtpu",
                .version = "0.0.52",
                .size = "137 MB",
                .license = "Google Cloud Platform Terms of Service",
                .terms =
                    "libtpu is Google's and no part of onchip. Google makes it "
                    "available as \"Software\"\n"
                    "under the agreement that governs your use of Google Cloud "
                    "Platform (if there is\n"
                    "none, the agreement at https://cloud.google.com/terms), including "
                    "the Service\n"
                    "Specific Terms at "
                    "https://cloud.google.com/terms/service-terms.",
            },
        .sha256 = "f5e2e596eaea9357fbb5a6755a7a9007c6ab75bfde4a55191b03eff402971140",
        .tag = "manylinux_2_31_x86_64",
    },
    {
        .offer =
            {
                .platform = "cuda",
                .package = "jax-cuda13-pjrt",
                .version = "0.12.0.1",
                .size = "135 MB",
                .license = "Apache-2.0",
                .besides = "nvidia-cublas nvidia-cuda-cupti nvidia-cuda-nvcc "
                           "nvidia-cuda-nvrtc "
                           "nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft "
                           "nvidia-cusolver "
                           "nvidia-cusparse nvidia-nccl-cu13 nvidia-nvjitlink "
                           "nvidia-nvshmem-cu13 nvidia-nvvm",
            },
        .sha256 = "5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90",
        .tag = "manylinux_2_27_x86_64",
    },
};

static const pin *pin_find(const char *platform)
{
    for (size_t i = 0; i < sizeof pins / sizeof pins[0]; i++) {
        if (strcmp(pins[i].offer.platform, platform) == 0) {
            return &pins[i];
        }
    }
    return NULL;
}

const oc_plugin_offer *oc_plugin_offer_find(const char *platform)
{
    const pin *found = pin_find(platform);
    return found ? &found->offer : NULL;
}

/* Temporary folders are named .add-XXXXXX; none is in use while the lock is held. */
static int is_leftover(const struct dirent *file)
{
    return strncmp(file->d_name, ".add-", 5) == 0;
}

static void remove_leftovers(const char *folder)
{
    struct dirent **found = NULL;
    int count = scandir(folder, &found, is_leftover, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = oc__path_join(folder, found[i]->d_name);
        if (path) {
            oc__remove_tree(path);
        }
        free(path);
        free(found[i]);
    }
    free(found);
}

/* The plugin that stands in `site`, described as if the folder were `plugins`/platform;
 * false when there is none. */
static bool plugin_in(const char *site, const char *platform, const char *plugins,
                      oc_plugin *out)
{
    oc__plugin_search search = {.platform = platform};
    char where[OC_PLUGIN_SOURCE];
    snprintf(where, sizeof where, "in onchip's folder %.480s", plugins);
    oc__plugin_search_site(&search, site, where);
    bool found = search.count > 0;
    if (found) {
        *out = search.entries[0].plugin;
    }
    free(search.entries);
    return found;
}

/* The last lines of what pip said, at most PIP_TOLD bytes. */
static const char *last_words(const oc__strbuf *noise)
{
    size_t size = noise->size;
    while (size > 0 && noise->data[size - 1] == '\n') {
        noise->data[--size] = '\0';
    }
    if (size == 0) {
        return "it said nothing";
    }
    const char *from = noise->data + (size > PIP_TOLD ? size - PIP_TOLD : 0);
    const char *line = size > PIP_TOLD ? strchr(from, '\n') : NULL;
    return line ? line + 1 : from;
}

/* Runs pip for one requirement. PIP_TARGET and the like of the user's would contradict
 * --target; -I keeps modules of the current folder out; TMPDIR is on the file system of
 * the target, since /tmp is often too small for these libraries. */
static oc_status run_pip(const pin *pinned, const char *temporary, const char *site,
                         oc_error *err)
{
    oc_status rc;
    oc__strbuf output;
    oc__strbuf noise;
    oc__proc_end end;
    char requirement[256];
    char tmpdir[OC_PLUGIN_PATH + 8];
    oc__strbuf_init(&output, PIP_MAX_OUTPUT);
    oc__strbuf_init(&noise, PIP_MAX_OUTPUT);
    int length = snprintf(requirement, sizeof requirement, "%s==%s --hash=sha256:%s\n",
                          pinned->offer.package, pinned->offer.version, pinned->sha256);
    snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", temporary);
    char tag[64];
    snprintf(tag, sizeof tag, "--platform=%s", pinned->tag);
    const char *argv[] = {"env",
                          "-uPIP_USER",
                          "-uPIP_TARGET",
                          "-uPIP_PREFIX",
                          tmpdir,
                          "python3",
                          "-I",
                          "-m",
                          "pip",
                          "install",
                          "--quiet",
                          "--no-input",
                          "--disable-pip-version-check",
                          "--no-deps",
                          "--no-compile",
                          "--no-cache-dir",
                          "--require-hashes",
                          "--only-binary=:all:",
                          tag,
                          "--python-version=3.11",
                          "--implementation=cp",
                          "--target",
                          site,
                          "-r",
                          "/dev/stdin",
                          NULL};
    rc = oc__proc_run(argv, requirement, (size_t)length, PIP_TIMEOUT_MS, &output,
                      &noise, &end, err);
    if (rc != OC_OK) {
        oc__error_at_boundary(err, OC_BOUNDARY_PLUGIN);
    } else if (!end.signalled && end.code == 127) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN,
                     "there is no python3 to run pip with; install python3 and pip");
    } else if (noise.size > 0 && strstr(noise.data, "No module named pip")) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN,
                     "python3 has no pip; install it (Debian: python3-pip) and try "
                     "again");
    } else if (end.signalled || end.code != 0) {
        char how[128];
        oc__proc_end_text(&end, how, sizeof how);
        rc = OC_FAIL(err, OC_CHILD, OC_BOUNDARY_PLUGIN,
                     "pip could not install %s==%s (%s): %s", pinned->offer.package,
                     pinned->offer.version, how, last_words(&noise));
    }
    oc__strbuf_free(&output);
    oc__strbuf_free(&noise);
    return rc;
}

/* With the lock on `plugins` held. */
static oc_status install(const pin *pinned, const char *plugins, const char *final,
                         oc_plugin *out_plugin, oc_error *err)
{
    oc_status rc = OC_OK;
    const char *platform = pinned->offer.platform;
    char *site = NULL;
    char *temporary = oc__path_join(plugins, ".add-XXXXXX");
    if (!temporary || !mkdtemp(temporary)) {
        rc = OC_FAIL(err, temporary ? OC_IO : OC_NOMEM, OC_BOUNDARY_PLUGIN,
                     "cannot create a folder in '%s': %s", plugins, strerror(errno));
        free(temporary);
        return rc;
    }
    site = oc__path_join(temporary, "site");
    if (!site) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
        goto done;
    }
    rc = run_pip(pinned, temporary, site, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (!plugin_in(site, platform, plugins, out_plugin)) {
        rc = OC_FAIL(err, OC_CHILD, OC_BOUNDARY_PLUGIN,
                     "pip installed %s==%s, but no plugin for %s is in it",
                     pinned->offer.package, pinned->offer.version, platform);
        goto done;
    }
    if (rename(site, final) != 0) {
        rc = OC_FAIL(err, errno == ENOTEMPTY || errno == EEXIST ? OC_EXISTS : OC_IO,
                     OC_BOUNDARY_PLUGIN,
                     "cannot put the plugin at '%s': %s; move away what is there",
                     final, strerror(errno));
        goto done;
    }
    plugin_in(final, platform, plugins, out_plugin);
done:
    oc__remove_tree(temporary);
    free(site);
    free(temporary);
    return rc;
}

static oc_status check_request(const pin *pinned, const char *platform,
                               bool accepted_terms, oc_error *err)
{
    struct utsname machine;
    if (!pinned) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "onchip can add a plugin for tpu or cuda, not for '%s'",
                       platform);
    }
    if (pinned->offer.terms && !accepted_terms) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "the terms of %s were not accepted; nothing was installed",
                       pinned->offer.package);
    }
    if (uname(&machine) != 0 || strcmp(machine.machine, "x86_64") != 0) {
        return OC_FAIL(err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN,
                       "%s is offered for x86_64 Linux alone", pinned->offer.package);
    }
    return OC_OK;
}

oc_status oc_plugin_add(const char *platform, bool accepted_terms,
                        oc_plugin_added *out_added, oc_error *err)
{
    oc_status rc;
    int lock = -1;
    char *plugins = NULL;
    char *final = NULL;
    const pin *pinned = pin_find(platform);
    *out_added = (oc_plugin_added){0};
    rc = check_request(pinned, platform, accepted_terms, err);
    if (rc != OC_OK) {
        goto done;
    }
    plugins = oc__plugin_own_folder(OC__OWN_FOLDERS - 1);
    final = plugins ? oc__path_join(plugins, platform) : NULL;
    if (!final) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_PLUGIN,
                     "there is no folder to install into: neither XDG_DATA_HOME nor "
                     "HOME is set");
        goto done;
    }
    snprintf(out_added->folder, sizeof out_added->folder, "%s", final);
    if (plugin_in(final, platform, plugins, &out_added->plugin)) {
        out_added->already = true;
        goto done;
    }
    rc = oc__make_dirs(plugins, err);
    if (rc != OC_OK) {
        oc__error_prefix(err, "no plugin was added");
        goto done;
    }
    lock = open(plugins, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
        rc = OC_FAIL(err, errno == EWOULDBLOCK ? OC_EXISTS : OC_IO, OC_BOUNDARY_PLUGIN,
                     "cannot lock '%s' (is another onchip adding a plugin?): %s",
                     plugins, strerror(errno));
        goto done;
    }
    remove_leftovers(plugins);
    rc = install(pinned, plugins, final, &out_added->plugin, err);
done:
    if (lock >= 0) {
        close(lock);
    }
    free(final);
    free(plugins);
    return rc;
}
