/* A checkpoint is written: whole under its name, or not there.
 *
 * SHA-256 takes as long as a fast disk, so large files are hashed by a second thread
 * while this one writes them, in pieces with which the kernel is told to begin at once
 * (sync_file_range); fsync then waits for what is left. */
#include "checkpoint/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Below THREAD_BYTES a thread costs more than the hash.
enum { PIECE_BYTES = 8 << 20, THREAD_BYTES = 1 << 20 };

typedef struct writer {
    const char *folder;
    const oc__checkpoint_state *state;
    size_t total; /* bytes of all files */
    int folder_fd;
    int fd; /* of the temporary folder */
    int file_fds[OC__CHECKPOINT_FILES];
    char hashes[OC__CHECKPOINT_FILES][OC__SHA256_HEX];
    bool made; /* the temporary folder is there */
    char name[OC__CHECKPOINT_NAME_BYTES];
    char temporary[OC__CHECKPOINT_NAME_BYTES];
    oc__manifest manifest;
} writer;

/* The error of errno. */
static oc_status refused(const writer *w, const char *what, const char *name,
                         oc_error *err)
{
    int why = errno;
    if (why == ENOSPC || why == EDQUOT) {
        return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                       "the disk is full: no room in '%s' for the %zu bytes of "
                       "checkpoint '%s': cannot %s '%s': %s",
                       w->folder, w->total, w->name, what, name, strerror(why));
    }
    return OC_FAIL(err, OC_IO, OC_BOUNDARY_EVIDENCE,
                   "cannot %s '%s' of checkpoint '%s/%s': %s", what, name, w->folder,
                   w->name, strerror(why));
}

static oc_status write_all(const writer *w, int fd, const char *name, const char *data,
                           size_t size, oc_error *err)
{
    while (size > 0) {
        ssize_t wrote = write(fd, data, size);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            errno = wrote == 0 ? EIO : errno;
            return refused(w, "write", name, err);
        }
        data += wrote;
        size -= (size_t)wrote;
    }
    return OC_OK;
}

static int create_file(const writer *w, const char *name)
{
    return openat(w->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0666);
}

static void *hash_files(void *context)
{
    writer *w = context;
    for (size_t i = 0; i < w->state->file_count; i++) {
        const oc__bytes *bytes = &w->state->files[i].bytes;
        oc__sha256_hex(bytes->data, bytes->size, w->hashes[i]);
    }
    return NULL;
}

/* Written, not yet flushed; its descriptor stays open for that. */
static oc_status write_file(writer *w, size_t index, oc_error *err)
{
    const oc__checkpoint_file *file = &w->state->files[index];
    int fd = create_file(w, file->name);
    w->file_fds[index] = fd;
    if (fd < 0) {
        return refused(w, "create", file->name, err);
    }
    oc_status rc = OC_OK;
    for (size_t done = 0; rc == OC_OK && done < file->bytes.size;) {
        const char *at = (const char *)file->bytes.data + done;
        size_t left = file->bytes.size - done;
        size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
        rc = write_all(w, fd, file->name, at, piece, err);
        if (rc == OC_OK && piece == PIECE_BYTES) {
            // A hint: without the flags that wait it takes no error from fsync.
            sync_file_range(fd, (off_t)done, (off_t)piece, SYNC_FILE_RANGE_WRITE);
        }
        done += piece;
    }
    return rc;
}

static oc_status write_files(writer *w, oc_error *err)
{
    pthread_t hasher;
    oc_status rc = OC_OK;
    bool apart =
        w->total >= THREAD_BYTES && pthread_create(&hasher, NULL, hash_files, w) == 0;
    if (!apart) {
        hash_files(w);
    }
    for (size_t i = 0; rc == OC_OK && i < w->state->file_count; i++) {
        rc = write_file(w, i, err);
    }
    if (apart) {
        pthread_join(hasher, NULL);
    }
    for (size_t i = 0; rc == OC_OK && i < w->state->file_count; i++) {
        const oc__checkpoint_file *file = &w->state->files[i];
        rc = oc__manifest_add_file(&w->manifest, file->name, (int64_t)file->bytes.size,
                                   w->hashes[i], err);
    }
    return rc;
}

/* Closes it in any case. */
static oc_status flush_file(const writer *w, int *fd, const char *name, oc_error *err)
{
    oc_status rc = fsync(*fd) == 0 ? OC_OK : refused(w, "flush", name, err);
    int failed = close(*fd);
    *fd = -1;
    return rc == OC_OK && failed ? refused(w, "close", name, err) : rc;
}

/* The newest of an earlier step and of this identity whose manifest is one. Its files
 * are not read: the manifests make the chain, and another hash of the whole state would
 * cost as much as writing it. */
static oc_status find_parent(writer *w, const oc__checkpoint_identity *identity,
                             oc_error *err)
{
    oc__checkpoint_list list = {0};
    oc_status rc = oc__checkpoint_list_steps(w->folder, w->folder_fd, &list, err);
    for (size_t i = 0; rc == OC_OK && i < list.count; i++) {
        oc__manifest parent = {0};
        oc__checkpoint *item = &list.items[i];
        if (item->step < w->state->step) {
            rc = oc__checkpoint_verify(w->folder_fd, identity, false, item, &parent,
                                       err);
        }
        if (rc == OC_OK && item->good) {
            memcpy(w->manifest.parent_sha256, parent.sha256, OC__SHA256_HEX);
            break;
        }
    }
    oc__checkpoint_list_free(&list);
    return rc;
}

static oc_status write_manifest(writer *w, oc_error *err)
{
    char *text = oc__manifest_text(&w->manifest);
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    oc_status rc = OC_OK;
    int fd = create_file(w, OC__MANIFEST_FILE);
    if (fd < 0) {
        rc = refused(w, "create", OC__MANIFEST_FILE, err);
        goto done;
    }
    rc = write_all(w, fd, OC__MANIFEST_FILE, text, strlen(text), err);
    if (rc == OC_OK) {
        rc = flush_file(w, &fd, OC__MANIFEST_FILE, err);
    }
done:
    if (fd >= 0) {
        close(fd);
    }
    free(text);
    return rc;
}

/* Under its name, durably. Where that cannot be had it loses the name again, by a
 * rename, so that none is ever seen half removed. */
static oc_status put_in_place(const writer *w, oc_error *err)
{
    if (fsync(w->fd) != 0) {
        return refused(w, "flush", w->temporary, err);
    }
    if (oc__checkpoint_rename(w->folder_fd, w->temporary, w->name) != 0) {
        return errno == EEXIST
                   ? OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_EVIDENCE,
                             "checkpoint '%s/%s' is there already", w->folder, w->name)
                   : refused(w, "rename", w->temporary, err);
    }
    if (fsync(w->folder_fd) != 0) {
        oc_status rc = refused(w, "flush", w->folder, err);
        oc__checkpoint_rename(w->folder_fd, w->name, w->temporary);
        return rc;
    }
    return OC_OK;
}

/* What was asked for, before anything is done. */
static oc_status check_request(writer *w, const oc__checkpoint_identity *identity,
                               oc_error *err)
{
    static const char any_digest[] =
        "0000000000000000000000000000000000000000000000000000000000000000";
    const oc__checkpoint_state *state = w->state;
    oc__manifest probe = {0};
    oc_error why = {0};
    oc_status rc =
        oc__manifest_set_step(&w->manifest, state->step, state->state_hash, &why);
    for (size_t i = 0; rc == OC_OK && identity && i < identity->count; i++) {
        rc = oc__manifest_add_pair(&w->manifest, identity->keys[i].name,
                                   identity->keys[i].value, &why);
    }
    if (rc == OC_OK && state->file_count == 0) {
        rc = OC_FAIL(&why, OC_PARSE, OC_BOUNDARY_EVIDENCE, "there are no files");
    }
    for (size_t i = 0; rc == OC_OK && i < state->file_count; i++) {
        size_t size = state->files[i].bytes.size;
        int64_t stored = size > INT64_MAX ? INT64_MAX : (int64_t)size;
        rc = oc__manifest_add_file(&probe, state->files[i].name, stored, any_digest,
                                   &why);
        w->total += size;
    }
    return rc == OC_OK ? OC_OK
                       : OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_EVIDENCE,
                                 "no checkpoint can be made of this: %s", why.text);
}

static oc_status make_folder(writer *w, oc_error *err)
{
    struct stat status;
    if (fstatat(w->folder_fd, w->name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        return OC_FAIL(err, OC_EXISTS, OC_BOUNDARY_EVIDENCE,
                       "checkpoint '%s/%s' is there already", w->folder, w->name);
    }
    int failed = mkdirat(w->folder_fd, w->temporary, 0777);
    if (failed && errno == EEXIST) {
        // Left by an earlier process of our number (oc__checkpoint_sweep).
        oc__checkpoint_remove(w->folder, w->temporary);
        failed = mkdirat(w->folder_fd, w->temporary, 0777);
    }
    w->made = !failed;
    if (!failed) {
        w->fd = openat(w->folder_fd, w->temporary,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    return w->fd >= 0 ? OC_OK : refused(w, "create", w->temporary, err);
}

static oc_status write_checkpoint(writer *w, const oc__checkpoint_identity *identity,
                                  oc_error *err)
{
    size_t count = w->state->file_count;
    oc_status rc = make_folder(w, err);
    if (rc == OC_OK) {
        rc = write_files(w, err);
    }
    if (rc == OC_OK) {
        rc = find_parent(w, identity, err);
    }
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        rc = flush_file(w, &w->file_fds[i], w->state->files[i].name, err);
    }
    if (rc == OC_OK) {
        rc = write_manifest(w, err);
    }
    return rc == OC_OK ? put_in_place(w, err) : rc;
}

oc_status oc__checkpoint_write(const char *folder,
                               const oc__checkpoint_identity *identity,
                               const oc__checkpoint_state *state, oc_error *err)
{
    writer w = {.folder = folder, .state = state, .folder_fd = -1, .fd = -1};
    for (size_t i = 0; i < OC__CHECKPOINT_FILES; i++) {
        w.file_fds[i] = -1;
    }
    oc_status rc = check_request(&w, identity, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__checkpoint_name(state->step, w.name);
    oc__checkpoint_temporary(state->step, w.temporary);
    w.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = w.folder_fd >= 0 ? write_checkpoint(&w, identity, err)
                          : refused(&w, "open", folder, err);
    for (size_t i = 0; i < OC__CHECKPOINT_FILES; i++) {
        if (w.file_fds[i] >= 0) {
            close(w.file_fds[i]);
        }
    }
    if (w.fd >= 0) {
        close(w.fd);
    }
    if (rc != OC_OK && w.made) {
        oc__checkpoint_remove(folder, w.temporary);
    }
    if (w.folder_fd >= 0) {
        close(w.folder_fd);
    }
    return rc;
}
