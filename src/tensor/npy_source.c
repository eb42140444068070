#include "tensor/npy_source.h"

#include "base/strbuf.h"
#include "tensor/zip_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deflate's best: 258 bytes of a bit for the length and one for the distance, RFC 1951.
 */
enum { DEFLATE_RATIO = 1032 };

static const char archive_suffix[] = ".npz";

/* Opens what is surely a file: a pipe or a device would block or never end. */
static oc_status open_file(const char *path, int *out_fd, size_t *out_size,
                           oc_error *err)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *out_fd = -1;
    *out_size = 0;
    if (fd < 0 || fstat(fd, &status) != 0) {
        oc_status rc =
            OC_FAIL(err, errno == ENOENT ? OC_NOT_FOUND : OC_IO, OC_BOUNDARY_INPUT,
                    "cannot open '%s': %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return rc;
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "'%s' is not a file", path);
    }
    *out_fd = fd;
    *out_size = (size_t)status.st_size;
    return OC_OK;
}

/* Some of the names in the archive, fit to be shown: "a, b, c". */
static void list_names(struct zip *archive, oc__strbuf *out)
{
    enum { SHOWN = 8 };
    zip_int64_t count = oc__zip()->get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count && i < SHOWN; i++) {
        const char *name = oc__zip()->get_name(archive, (zip_uint64_t)i, 0);
        oc__strbuf_addf(out, "%s", i == 0 ? "" : ", ");
        for (; name && *name; name++) {
            bool plain = (unsigned char)*name >= ' ' && *name != 0x7f;
            oc__strbuf_add(out, plain ? name : "?", 1);
        }
    }
    oc__strbuf_addf(out, "%s", count == 0 ? "nothing" : count > SHOWN ? ", ..." : "");
}

/* Finds NAME or NAME.npy; numpy.load shows the names without .npy. */
static oc_status find_member(struct zip *archive, const char *path, const char *name,
                             zip_uint64_t *out_index, oc_error *err)
{
    oc_status rc = OC_OK;
    oc__strbuf names, with_suffix;
    oc__strbuf_init(&names, 1024);
    oc__strbuf_init(&with_suffix, 65536);
    oc__strbuf_addf(&with_suffix, "%s.npy", name);
    zip_int64_t index = *name ? oc__zip()->name_locate(archive, name, 0) : -1;
    if (*name && index < 0 && with_suffix.data) {
        index = oc__zip()->name_locate(archive, with_suffix.data, 0);
    }
    if (index < 0) {
        list_names(archive, &names);
        rc = OC_FAIL(err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
                     *name ? "'%s' names no array of its archive, which holds %s"
                           : "'%s' names no array; add a colon and one of %s",
                     path, names.data ? names.data : "");
    }
    *out_index = (zip_uint64_t)index;
    oc__strbuf_free(&names);
    oc__strbuf_free(&with_suffix);
    return rc;
}

static oc_status check_member(const zip_stat_t *status, size_t archive_size,
                              const char *path, size_t max_bytes, oc_error *err)
{
    const zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((status->valid & needed) != needed || status->comp_size > archive_size ||
        (status->comp_method != ZIP_CM_STORE &&
         status->comp_method != ZIP_CM_DEFLATE)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s' is packed in a way that NumPy does not write", path);
    }
    if (status->size > max_bytes) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "'%s' has %llu bytes when unpacked; at most %zu are read", path,
                       (unsigned long long)status->size, max_bytes);
    }
    if (status->size / DEFLATE_RATIO > status->comp_size) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "'%s' claims %llu bytes of %llu packed ones, which cannot be",
                       path, (unsigned long long)status->size,
                       (unsigned long long)status->comp_size);
    }
    return OC_OK;
}

/* Takes the descriptor, also when it fails. */
static oc_status open_member(int fd, size_t archive_size, const char *path,
                             const char *name, size_t max_bytes, oc__npy_source *source,
                             oc_error *err)
{
    int code = 0;
    zip_error_t reason;
    if (!oc__zip()) {
        close(fd);
        return OC_FAIL(
            err, OC_NOT_FOUND, OC_BOUNDARY_INPUT,
            "'%s' cannot be opened: libzip.so.4 is not there; install libzip", path);
    }
    source->archive = oc__zip()->fdopen(fd, 0, &code);
    if (!source->archive) {
        close(fd);
        oc__zip()->error_init_with_code(&reason, code);
        oc_status rc =
            OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s' is no .npz archive: %s",
                    path, oc__zip()->error_strerror(&reason));
        oc__zip()->error_fini(&reason);
        return rc;
    }
    zip_uint64_t index = 0;
    zip_stat_t status;
    oc_status rc = find_member(source->archive, path, name, &index, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (oc__zip()->stat_index(source->archive, index, 0, &status) == 0) {
        rc = check_member(&status, archive_size, path, max_bytes, err);
        if (rc != OC_OK) {
            return rc;
        }
        source->size = (size_t)status.size;
        source->member = oc__zip()->fopen_index(source->archive, index, 0);
    }
    return source->member
               ? OC_OK
               : OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "cannot unpack '%s': %s",
                         path, oc__zip()->strerror(source->archive));
}

/* The last ".npz" of the path that a colon follows or that ends it; NULL when it is a
 * plain file's path. */
static const char *archive_end(const char *path)
{
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, archive_suffix)) != NULL;) {
        at += sizeof archive_suffix - 1;
        if (*at == ':' || *at == '\0') {
            found = at;
        }
    }
    return found;
}

oc_status oc__npy_source_open(const char *path, size_t max_bytes,
                              oc__npy_source *out_source, oc_error *err)
{
    oc__npy_source source = {.fd = -1};
    const char *end = archive_end(path);
    char *file = end ? strndup(path, (size_t)(end - path)) : strdup(path);
    oc_status rc = OC_OK;
    int fd = -1;
    *out_source = source;
    if (!file) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
        goto done;
    }
    size_t size = 0;
    rc = open_file(file, &fd, &size, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (end) {
        rc = open_member(fd, size, path, *end ? end + 1 : end, max_bytes, &source, err);
    } else {
        source.fd = fd;
        source.size = size;
        if (size > max_bytes) {
            rc = OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                         "'%s' has %zu bytes; at most %zu are read", path, size,
                         max_bytes);
        }
    }
done:
    if (rc != OC_OK) {
        oc__npy_source_close(&source);
    } else {
        *out_source = source;
    }
    free(file);
    return rc;
}

/* At most `size` bytes; none at the end. */
static oc_status read_some(oc__npy_source *source, void *bytes, size_t size,
                           size_t *out_got, oc_error *err)
{
    *out_got = 0;
    if (source->member) {
        zip_int64_t got = oc__zip()->fread(source->member, bytes, size);
        if (got < 0) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "cannot unpack it: %s",
                           oc__zip()->file_strerror(source->member));
        }
        *out_got = (size_t)got;
        return OC_OK;
    }
    ssize_t got;
    do {
        got = read(source->fd, bytes, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot read it: %s",
                       strerror(errno));
    }
    *out_got = (size_t)got;
    return OC_OK;
}

oc_status oc__npy_source_read(oc__npy_source *source, void *bytes, size_t size,
                              oc_error *err)
{
    unsigned char *at = bytes;
    for (size_t left = size, got; left > 0; at += got, left -= got) {
        oc_status rc = read_some(source, at, left, &got, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (got == 0) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "it is cut short: %zu more bytes were expected", left);
        }
    }
    return OC_OK;
}

oc_status oc__npy_source_end(oc__npy_source *source, oc_error *err)
{
    char more;
    size_t got = 0;
    oc_status rc = read_some(source, &more, 1, &got, err);
    if (rc == OC_OK && got > 0) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "it is longer than it was said to be");
    }
    return rc;
}

void oc__npy_source_close(oc__npy_source *source)
{
    if (source->member) {
        oc__zip()->fclose(source->member);
    }
    if (source->archive) {
        oc__zip()->discard(source->archive);
    }
    if (source->fd >= 0) {
        close(source->fd);
    }
    *source = (oc__npy_source){.fd = -1};
}
