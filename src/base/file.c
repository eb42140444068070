#include "base/file.h"

#include "base/strbuf.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool oc__is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Creates one folder, or is content with one that is there; else errno says why not. */
static bool make_dir(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    if (errno != EEXIST || stat(path, &status) != 0) {
        return false;
    }
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

char *oc__path_join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The parent of `path` as something that open() takes: "." when it has no folder part.
 */
static char *parent_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

char *oc__own_folder(void)
{
    Dl_info info;
    if (!dladdr((const void *)(size_t)&oc__own_folder, &info) || !info.dli_fname) {
        return NULL;
    }
    char *resolved = realpath(info.dli_fname, NULL);
    if (!resolved || strrchr(info.dli_fname, '/') == NULL) {
        // A program started through PATH carries only its bare name.
        free(resolved);
        resolved = realpath("/proc/self/exe", NULL);
    }
    char *folder = resolved ? parent_folder(resolved) : NULL;
    free(resolved);
    return folder;
}

char *oc__own_program(const char *variable, const char *name)
{
    const char *named = getenv(variable);
    if (named && *named) {
        return strdup(named);
    }
    static const char *const places[] = {
        "", "../libexec/onchip/", "../../libexec/onchip/"}; // from lib/<architecture>
    char *folder = oc__own_folder();
    char *found = NULL;
    for (size_t i = 0; folder && !found && i < sizeof places / sizeof *places; i++) {
        if (asprintf(&found, "%s/%s%s", folder, places[i], name) < 0) {
            found = NULL;
        } else if (access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(folder);
    return found;
}

oc_status oc__file_read(const char *path, size_t max_size, char **out_data,
                        size_t *out_size, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__strbuf content;
    oc__strbuf_init(&content, max_size);
    char chunk[16384];
    *out_data = NULL;
    *out_size = 0;

    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        rc = OC_FAIL(err, errno == ENOENT ? OC_NOT_FOUND : OC_IO, OC_BOUNDARY_INPUT,
                     "cannot open '%s': %s", path, strerror(errno));
        goto done;
    }
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (size_t)status.st_size > max_size) {
        rc = OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                     "'%s' has %lld bytes; at most %zu are read", path,
                     (long long)status.st_size, max_size);
        goto done;
    }
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot read '%s': %s", path,
                         strerror(errno));
            goto done;
        }
        oc__strbuf_add(&content, chunk, (size_t)got);
        if (content.failed) {
            rc = OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                         "'%s' is longer than the %zu bytes that are read", path,
                         max_size);
            goto done;
        }
        if (got == 0) {
            break;
        }
    }
    *out_data = content.data;
    *out_size = content.size;
    content.data = NULL;
done:
    oc__strbuf_free(&content);
    if (fd >= 0 && !is_stdin) {
        close(fd);
    }
    return rc;
}

static oc_status write_all(int fd, const char *data, size_t size, const char *path,
                           oc_error *err)
{
    while (size > 0) {
        ssize_t wrote = write(fd, data, size);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot write '%s': %s",
                           path, strerror(errno));
        }
        data += wrote;
        size -= (size_t)wrote;
    }
    return OC_OK;
}

/* Some file systems do not know RENAME_NOREPLACE (EINVAL); link() refuses an existing
 * target there. */
static int put_in_place(const char *temporary, const char *path, bool replace)
{
    unsigned int flags = replace ? 0 : RENAME_NOREPLACE;
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, flags) == 0) {
        return 0;
    }
    if (replace || errno != EINVAL || link(temporary, path) != 0) {
        return -1;
    }
    unlink(temporary);
    return 0;
}

static oc_status write_whole(const char *path, const oc__bytes *pieces, size_t count,
                             bool replace, oc_error *err)
{
    oc_status rc = OC_OK;
    int fd = -1;
    int folder_fd = -1;
    bool temporary_exists = false;
    char *temporary = NULL;
    char *folder = parent_folder(path);
    if (!folder || asprintf(&temporary, "%s.XXXXXX", path) < 0) {
        temporary = NULL;
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot create '%s': %s", path,
                     strerror(errno));
        goto done;
    }
    temporary_exists = true;
    fchmod(fd, 0644);
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        rc = write_all(fd, pieces[i].data, pieces[i].size, path, err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    if (fsync(fd) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot flush '%s': %s", path,
                     strerror(errno));
        goto done;
    }
    if (put_in_place(temporary, path, replace) != 0) {
        rc = OC_FAIL(err, errno == EEXIST ? OC_EXISTS : OC_IO, OC_BOUNDARY_EVIDENCE,
                     "cannot create '%s': %s", path, strerror(errno));
        goto done;
    }
    temporary_exists = false;
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // EINVAL: a file system that has nothing to flush there (fsync(2)). A folder that
    // may be written and not read cannot be opened; the name is then as good as it
    // gets.
    if (folder_fd >= 0 && fsync(folder_fd) != 0 && errno != EINVAL) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                     "cannot flush the folder of '%s': %s", path, strerror(errno));
        if (!replace) {
            unlink(path);
        }
    }
done:
    if (temporary_exists) {
        unlink(temporary);
    }
    if (folder_fd >= 0) {
        close(folder_fd);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(temporary);
    free(folder);
    return rc;
}

oc_status oc__file_write_new(const char *path, const void *data, size_t size,
                             oc_error *err)
{
    return write_whole(path, &(oc__bytes){data, size}, 1, false, err);
}

oc_status oc__file_write_new_pieces(const char *path, const oc__bytes *pieces,
                                    size_t count, oc_error *err)
{
    return write_whole(path, pieces, count, false, err);
}

oc_status oc__file_replace(const char *path, const void *data, size_t size,
                           oc_error *err)
{
    return write_whole(path, &(oc__bytes){data, size}, 1, true, err);
}

oc_status oc__make_dirs(const char *path, oc_error *err)
{
    char *partial = strdup(path);
    if (!partial) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    oc_status rc = OC_OK;
    for (char *at = partial + 1; rc == OC_OK; at++) {
        if (*at != '/' && *at != '\0') {
            continue;
        }
        char separator = *at;
        *at = '\0';
        if (!make_dir(partial)) {
            rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                         "cannot create folder '%s': %s", partial, strerror(errno));
        }
        *at = separator;
        if (separator == '\0') {
            break;
        }
    }
    free(partial);
    return rc;
}

/* A copy without the slashes at its end, with which a path would name what a link
 * points to, and its own parent. */
static char *trim_slashes(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return strndup(path, length);
}

oc_status oc__run_dir_create(const char *given, oc_error *err)
{
    oc_status rc = OC_OK;
    bool created = false;
    char *path = trim_slashes(given);
    char *parent = path ? parent_folder(path) : NULL;
    char *probe = path ? oc__path_join(path, ".writable") : NULL;
    if (!parent || !probe) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        goto done;
    }
    struct stat status;
    if (lstat(path, &status) == 0) {
        rc =
            OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_USAGE,
                    "run folder '%s' exists already and evidence is never overwritten; "
                    "name a new folder",
                    path);
        goto done;
    }
    rc = oc__make_dirs(parent, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (mkdir(path, 0777) != 0) {
        rc = OC_FAIL(err, errno == EEXIST ? OC_EXISTS : OC_IO,
                     errno == EEXIST ? OC_BOUNDARY_USAGE : OC_BOUNDARY_EVIDENCE,
                     "cannot create run folder '%s': %s", path, strerror(errno));
        goto done;
    }
    created = true;
    rc = oc__file_write_new(probe, "", 0, err);
    if (rc == OC_OK) {
        unlink(probe);
    }
done:
    if (rc != OC_OK && created) {
        rmdir(path);
    }
    free(probe);
    free(parent);
    free(path);
    return rc;
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void oc__remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
