#include "base/hash.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Below this size hashing costs less than looking into the cache.
enum { CACHE_FROM_BYTES = 1 << 20 };

void oc__sha256(const void *data, size_t size, unsigned char out[OC__SHA256_BYTES])
{
    struct sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, size, data);
    sha256_digest(&state, OC__SHA256_BYTES, out);
}

void oc__hex_encode(const void *data, size_t size, char *out_hex)
{
    base16_encode_update(out_hex, size, data);
    out_hex[BASE16_ENCODE_LENGTH(size)] = '\0';
}

void oc__sha256_hex(const void *data, size_t size, char out_hex[OC__SHA256_HEX])
{
    unsigned char digest[OC__SHA256_BYTES];
    oc__sha256(data, size, digest);
    oc__hex_encode(digest, sizeof digest, out_hex);
}

long oc__hex_decode(const char *text, unsigned char *out, size_t max_bytes)
{
    size_t length = strlen(text);
    size_t decoded = max_bytes;
    struct base16_decode_ctx state;
    // Nettle passes over white space; hexadecimal that people compare has none.
    if (strspn(text, "0123456789abcdefABCDEF") != length || length % 2 != 0 ||
        length / 2 > max_bytes) {
        return -1;
    }
    base16_decode_init(&state);
    if (!base16_decode_update(&state, &decoded, out, length, text) ||
        !base16_decode_final(&state)) {
        return -1;
    }
    return (long)decoded;
}

static char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    char *folder = NULL;
    if (cache && cache[0] == '/') {
        return oc__path_join(cache, "onchip/sha256");
    }
    const char *home = getenv("HOME");
    if (home && home[0] == '/') {
        folder = oc__path_join(home, ".cache/onchip/sha256");
    }
    return folder;
}

/* The cache entry's path says what the file was when it was hashed; its content is the
 * digest. */
static char *cache_entry(const char *folder, const struct stat *status)
{
    char *path = NULL;
    int length = asprintf(
        &path, "%s/%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%lld.%09ld-%lld.%09ld", folder,
        (uint64_t)status->st_dev, (uint64_t)status->st_ino, (uint64_t)status->st_size,
        (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
        (long long)status->st_ctim.tv_sec, status->st_ctim.tv_nsec);
    return length < 0 ? NULL : path;
}

static bool cache_lookup(const char *entry, char out_hex[OC__SHA256_HEX])
{
    char *text = NULL;
    size_t size = 0;
    unsigned char digest[OC__SHA256_BYTES];
    bool found = oc__file_read(entry, OC__SHA256_HEX, &text, &size, NULL) == OC_OK &&
                 size == OC__SHA256_HEX - 1 &&
                 oc__hex_decode(text, digest, sizeof digest) == OC__SHA256_BYTES;
    if (found) {
        memcpy(out_hex, text, OC__SHA256_HEX);
    }
    free(text);
    return found;
}

static oc_status hash_fd(int fd, const char *path, char out_hex[OC__SHA256_HEX],
                         oc_error *err)
{
    enum { CHUNK = 1 << 18 };
    unsigned char *chunk = malloc(CHUNK);
    if (!chunk) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    oc_status rc = OC_OK;
    unsigned char digest[OC__SHA256_BYTES];
    struct sha256_ctx state;
    sha256_init(&state);
    for (;;) {
        ssize_t got = read(fd, chunk, CHUNK);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot read '%s': %s", path,
                         strerror(errno));
            break;
        }
        if (got == 0) {
            sha256_digest(&state, sizeof digest, digest);
            oc__hex_encode(digest, sizeof digest, out_hex);
            break;
        }
        sha256_update(&state, (size_t)got, chunk);
    }
    free(chunk);
    return rc;
}

oc_status oc__sha256_file(const char *path, char out_hex[OC__SHA256_HEX], oc_error *err)
{
    oc_status rc = OC_OK;
    char *folder = NULL;
    char *entry = NULL;
    struct stat before;
    struct stat after;
    out_hex[0] = '\0';

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &before) != 0) {
        rc = OC_FAIL(err, errno == ENOENT ? OC_NOT_FOUND : OC_IO, OC_BOUNDARY_INPUT,
                     "cannot open '%s': %s", path, strerror(errno));
        goto done;
    }
    if (before.st_size >= CACHE_FROM_BYTES) {
        folder = cache_folder();
        entry = folder ? cache_entry(folder, &before) : NULL;
    }
    if (entry && cache_lookup(entry, out_hex)) {
        goto done;
    }
    rc = hash_fd(fd, path, out_hex, err);
    if (rc != OC_OK || !entry || fstat(fd, &after) != 0) {
        goto done;
    }
    bool settled = time(NULL) - before.st_ctim.tv_sec > 2 &&
                   before.st_ctim.tv_sec == after.st_ctim.tv_sec &&
                   before.st_ctim.tv_nsec == after.st_ctim.tv_nsec;
    if (settled && oc__make_dirs(folder, NULL) == OC_OK) {
        // A cache that cannot be written costs the next run a second, nothing else.
        oc__ignore(oc__file_replace(entry, out_hex, OC__SHA256_HEX - 1, NULL));
    }
done:
    free(entry);
    free(folder);
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}
