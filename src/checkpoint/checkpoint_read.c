/* One checkpoint read and held against its manifest. */
#include "checkpoint/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 18 };

void oc__checkpoint_name(int64_t step, char out[OC__CHECKPOINT_NAME_BYTES])
{
    snprintf(out, OC__CHECKPOINT_NAME_BYTES, "step-%08" PRId64, step);
}

static oc_status refused(const char *what, const char *name, oc_error *err)
{
    bool shortage = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    return OC_FAIL(err, shortage ? OC_IO : OC_PARSE, OC_BOUNDARY_INPUT,
                   "cannot %s '%.100s': %s", what, name, strerror(errno));
}

/* O_NONBLOCK: a pipe of that name is refused, not waited for. */
static oc_status open_file(int folder_fd, const char *name, int *out_fd,
                           int64_t *out_size, oc_error *err)
{
    struct stat status;
    *out_size = 0;
    *out_fd = openat(folder_fd, name,
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*out_fd < 0 && errno == ENOENT) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s' is missing", name);
    }
    if (*out_fd < 0 && errno == ELOOP) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s' is a symbolic link",
                       name);
    }
    if (*out_fd < 0 || fstat(*out_fd, &status) != 0) {
        return refused("open", name, err);
    }
    *out_size = status.st_size;
    return S_ISREG(status.st_mode)
               ? OC_OK
               : OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s' is no file", name);
}

/* As read(), until `size` bytes or the end. */
static ssize_t read_whole(int fd, unsigned char *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, data + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

oc_status oc__checkpoint_manifest(int fd, const char *name, oc__manifest *out_manifest,
                                  oc_error *err)
{
    unsigned char text[OC__MANIFEST_BYTES];
    char wanted[OC__CHECKPOINT_NAME_BYTES];
    int64_t size = 0;
    int file = -1;
    *out_manifest = (oc__manifest){0};
    oc_status rc = open_file(fd, OC__MANIFEST_FILE, &file, &size, err);
    if (rc != OC_OK) {
        goto done;
    }
    ssize_t got = read_whole(file, text, sizeof text);
    if (got < 0) {
        rc = refused("read", OC__MANIFEST_FILE, err);
        goto done;
    }
    if (got == sizeof text) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "'%s' is longer than the %d bytes that one can have",
                     OC__MANIFEST_FILE, OC__MANIFEST_BYTES - 1);
        goto done;
    }
    rc = oc__manifest_read((const char *)text, (size_t)got, out_manifest, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__checkpoint_name(out_manifest->step, wanted);
    if (strcmp(name, wanted) != 0) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "the folder's name is '%.100s', but its '%s' is of step %" PRId64
                     " ('%s')",
                     name, OC__MANIFEST_FILE, out_manifest->step, wanted);
    }
done:
    if (file >= 0) {
        close(file);
    }
    return rc;
}

/* `data` holds the whole file or, with `piecewise`, one piece after the other. */
static oc_status hash_file(int fd, const oc__manifest_file *file, unsigned char *data,
                           bool piecewise, oc_error *err)
{
    unsigned char digest[OC__SHA256_BYTES];
    char hex[OC__SHA256_HEX];
    struct sha256_ctx state;
    sha256_init(&state);
    size_t size = (size_t)file->size;
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
        unsigned char *at = piecewise ? data : data + done;
        ssize_t got = read_whole(fd, at, piece);
        if (got < 0) {
            return refused("read", file->name, err);
        }
        if ((size_t)got < piece) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "'%s' became shorter while it was read", file->name);
        }
        sha256_update(&state, piece, at);
        done += piece;
    }
    sha256_digest(&state, sizeof digest, digest);
    oc__hex_encode(digest, sizeof digest, hex);
    if (strcmp(hex, file->sha256) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s' has SHA-256 %s, not %s as its manifest says", file->name,
                       hex, file->sha256);
    }
    return OC_OK;
}

oc_status oc__checkpoint_hold_file(int fd, const oc__manifest_file *file,
                                   void **out_data, oc_error *err)
{
    unsigned char *data = NULL;
    int64_t size = 0;
    int opened = -1;
    oc_status rc = open_file(fd, file->name, &opened, &size, err);
    if (rc == OC_OK && size != file->size) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "'%s' has %" PRId64 " bytes, not %" PRId64 " as its manifest says",
                     file->name, size, file->size);
    }
    if (rc != OC_OK) {
        goto done;
    }
    data = malloc(out_data ? (size_t)size + 1 : PIECE_BYTES);
    if (!data) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT,
                     "out of memory for the %" PRId64 " bytes of '%s'", size,
                     file->name);
        goto done;
    }
    rc = hash_file(opened, file, data, !out_data, err);
    if (rc == OC_OK && out_data) {
        *out_data = data;
        data = NULL;
    }
done:
    free(data);
    if (opened >= 0) {
        close(opened);
    }
    return rc;
}

oc_status oc__checkpoint_read(const oc__checkpoint *checkpoint, const char *name,
                              void **out_data, size_t *out_size, oc_error *err)
{
    oc__manifest manifest;
    *out_data = NULL;
    *out_size = 0;
    const char *slash = strrchr(checkpoint->path, '/');
    int fd = open(checkpoint->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return OC_FAIL(err, errno == ENOENT ? OC_NOT_FOUND : OC_IO, OC_BOUNDARY_INPUT,
                       "cannot open checkpoint '%s': %s", checkpoint->path,
                       strerror(errno));
    }
    oc_status rc = oc__checkpoint_manifest(fd, slash ? slash + 1 : checkpoint->path,
                                           &manifest, err);
    size_t at = 0;
    while (rc == OC_OK && at < manifest.file_count &&
           strcmp(manifest.files[at].name, name) != 0) {
        at++;
    }
    if (rc == OC_OK && at == manifest.file_count) {
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "it has no file '%s'", name);
    }
    if (rc == OC_OK) {
        rc = oc__checkpoint_hold_file(fd, &manifest.files[at], out_data, err);
    }
    if (rc == OC_OK) {
        *out_size = (size_t)manifest.files[at].size;
    } else {
        oc__error_prefix(err, "checkpoint '%s'", checkpoint->path);
    }
    close(fd);
    return rc;
}
