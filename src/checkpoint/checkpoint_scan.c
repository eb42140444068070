/* The checkpoints of a folder, verified. */
#include "checkpoint/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int newer_first(const void *a, const void *b)
{
    const oc__checkpoint *left = a;
    const oc__checkpoint *right = b;
    if (left->step != right->step) {
        return left->step < right->step ? 1 : -1;
    }
    return strcmp(left->path, right->path);
}

/* The step that a name is of; 0 for what is no number within the limits: such a name is
 * refused when it is verified. */
static int64_t step_of(const char *name)
{
    char *end = NULL;
    errno = 0;
    long long step = strtoll(name + strlen("step-"), &end, 10);
    bool fits = errno == 0 && *end == '\0' && step >= 0;
    return fits && step <= OC__CHECKPOINT_MAX_STEP ? step : 0;
}

static oc_status add_step(oc__checkpoint_list *list, const char *folder,
                          const char *name, oc_error *err)
{
    size_t bytes = 0;
    oc__checkpoint *items = NULL;
    if (!__builtin_mul_overflow(list->count + 1, sizeof *items, &bytes)) {
        items = realloc(list->items, bytes);
    }
    if (items) {
        list->items = items;
        items[list->count] = (oc__checkpoint){.step = step_of(name),
                                              .path = oc__path_join(folder, name)};
    }
    if (!items || !items[list->count].path) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    list->count++;
    return OC_OK;
}

/* A stream of its own for the entries of a folder that is open. */
static DIR *open_entries(int fd)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = own >= 0 ? fdopendir(own) : NULL;
    if (own >= 0 && !entries) {
        close(own);
    }
    return entries;
}

oc_status oc__checkpoint_list_steps(const char *folder, int folder_fd,
                                    oc__checkpoint_list *out_list, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__checkpoint_list list = {0};
    *out_list = (oc__checkpoint_list){0};
    DIR *entries = open_entries(folder_fd);
    errno = entries ? 0 : errno;
    for (struct dirent *entry = NULL;
         rc == OC_OK && entries && (entry = readdir(entries)); errno = 0) {
        if (strncmp(entry->d_name, "step-", strlen("step-")) == 0) {
            rc = add_step(&list, folder, entry->d_name, err);
        }
    }
    if (rc == OC_OK && errno != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot list '%s': %s", folder,
                     strerror(errno));
    }
    if (entries) {
        closedir(entries);
    }
    if (rc != OC_OK) {
        oc__checkpoint_list_free(&list);
        return rc;
    }
    if (list.count > 1) {
        qsort(list.items, list.count, sizeof *list.items, newer_first);
    }
    *out_list = list;
    return OC_OK;
}

static bool has_file(const oc__manifest *manifest, const char *name)
{
    for (size_t i = 0; i < manifest->file_count; i++) {
        if (strcmp(manifest->files[i].name, name) == 0) {
            return true;
        }
    }
    return strcmp(name, OC__MANIFEST_FILE) == 0;
}

/* The folder holds nothing but the files of the manifest and the manifest. */
static oc_status hold_entries(int fd, const oc__manifest *manifest, oc_error *err)
{
    oc_status rc = OC_OK;
    DIR *entries = open_entries(fd);
    errno = entries ? 0 : errno;
    for (struct dirent *entry = NULL;
         rc == OC_OK && entries && (entry = readdir(entries)); errno = 0) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            !has_file(manifest, name)) {
            rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "'%.200s' is not of this checkpoint", name);
        }
    }
    if (rc == OC_OK && errno != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot list its files: %s",
                     strerror(errno));
    }
    if (entries) {
        closedir(entries);
    }
    return rc;
}

/* Whole by itself: OC_OK, and its manifest. */
static oc_status hold_whole(int folder_fd, const char *name, bool contents,
                            oc__manifest *out_manifest, oc_error *err)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        bool shortage = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        return OC_FAIL(err, shortage ? OC_IO : OC_PARSE, OC_BOUNDARY_INPUT,
                       "cannot open the folder: %s", strerror(errno));
    }
    oc_status rc = oc__checkpoint_manifest(fd, name, out_manifest, err);
    if (rc == OC_OK) {
        rc = hold_entries(fd, out_manifest, err);
    }
    for (size_t i = 0; contents && rc == OC_OK && i < out_manifest->file_count; i++) {
        rc = oc__checkpoint_hold_file(fd, &out_manifest->files[i], NULL, err);
    }
    close(fd);
    return rc;
}

/* Every pair that is wanted must be there; others are the job's own. */
static void hold_identity(const oc__manifest *manifest,
                          const oc__checkpoint_identity *identity,
                          oc__checkpoint *checkpoint)
{
    for (size_t i = 0; identity && checkpoint->good && i < identity->count; i++) {
        const oc__checkpoint_key *wanted = &identity->keys[i];
        const char *value = NULL;
        for (size_t j = 0; j < manifest->identity_count; j++) {
            if (strcmp(manifest->identity[j].name, wanted->name) == 0) {
                value = manifest->identity[j].value;
            }
        }
        if (value && strcmp(value, wanted->value) == 0) {
            continue;
        }
        checkpoint->good = false;
        checkpoint->other_run = true;
        snprintf(checkpoint->key, sizeof checkpoint->key, "%s", wanted->name);
        snprintf(checkpoint->why, sizeof checkpoint->why,
                 "it is of another run: '%.63s' is '%.100s', not '%.100s'",
                 wanted->name, value ? value : "(none)", wanted->value);
    }
}

oc_status oc__checkpoint_verify(int folder_fd, const oc__checkpoint_identity *identity,
                                bool contents, oc__checkpoint *checkpoint,
                                oc__manifest *out_manifest, oc_error *err)
{
    oc_error why = {0};
    const char *name = strrchr(checkpoint->path, '/') + 1;
    *out_manifest = (oc__manifest){0};
    oc_status rc = hold_whole(folder_fd, name, contents, out_manifest, &why);
    memcpy(checkpoint->state_hash, out_manifest->state_hash, OC__SHA256_HEX);
    if (rc == OC_OK) {
        checkpoint->good = true;
        hold_identity(out_manifest, identity, checkpoint);
    } else if (rc == OC_PARSE || rc == OC_LIMIT) {
        // The text is longer only for names that nobody gives.
        size_t length = strnlen(why.text, sizeof checkpoint->why - 1);
        memcpy(checkpoint->why, why.text, length);
        checkpoint->why[length] = '\0';
        rc = OC_OK;
    } else {
        rc = OC_FAIL(err, rc, why.boundary, "cannot verify '%s': %s", checkpoint->path,
                     why.text);
    }
    return rc;
}

oc_status oc__checkpoint_scan(const char *folder,
                              const oc__checkpoint_identity *identity,
                              oc__checkpoint_list *out_list, oc_error *err)
{
    oc__manifest manifest;
    oc__checkpoint_list list = {0};
    *out_list = (oc__checkpoint_list){0};
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        return OC_OK;
    }
    if (fd < 0) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot open '%s': %s", folder,
                       strerror(errno));
    }
    oc_status rc = oc__checkpoint_list_steps(folder, fd, &list, err);
    for (size_t i = 0; rc == OC_OK && i < list.count; i++) {
        rc = oc__checkpoint_verify(fd, identity, true, &list.items[i], &manifest, err);
    }
    close(fd);
    if (rc != OC_OK) {
        oc__checkpoint_list_free(&list);
        return rc;
    }
    *out_list = list;
    return OC_OK;
}

void oc__checkpoint_list_free(oc__checkpoint_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
    }
    free(list->items);
    *list = (oc__checkpoint_list){0};
}

const oc__checkpoint *oc__checkpoint_newest(const oc__checkpoint_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].good) {
            return &list->items[i];
        }
    }
    return NULL;
}
