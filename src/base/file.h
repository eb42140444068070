/* Files appear whole or not at all, and are never overwritten.
 *
 * Calling sequence
 *     oc__run_dir_create(path, err)
 *         a new folder; an existing path is refused
 *     oc__file_write_new(path, data, size, err)
 *         temporary file, fsync, rename, fsync of the folder
 *     oc__file_read(path, max, &data, &size, err)
 *         free(data) by the caller; NUL-terminated
 *
 * Error handling: every function names the path and errno's text. A failed write leaves
 * no file, neither the target nor a temporary one. */
#ifndef ONCHIP_BASE_FILE_H
#define ONCHIP_BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* `path` "-" reads standard input. OC_LIMIT past max_size, before more than that is
 * read. */
OC_MUST_USE oc_status oc__file_read(const char *path, size_t max_size, char **out_data,
                                    size_t *out_size, oc_error *err);

OC_MUST_USE oc_status oc__file_write_new(const char *path, const void *data,
                                         size_t size, oc_error *err);

/* As write_new, of pieces that lie apart, for data too large to be copied together. */
typedef struct oc__bytes {
    const void *data;
    size_t size;
} oc__bytes;
OC_MUST_USE oc_status oc__file_write_new_pieces(const char *path,
                                                const oc__bytes *pieces, size_t count,
                                                oc_error *err);

/* As write_new, but takes the place of an older file; for caches, never for evidence.
 */
OC_MUST_USE oc_status oc__file_replace(const char *path, const void *data, size_t size,
                                       oc_error *err);

/* Creates the folder `path` itself (parents too); OC_EXISTS when something is there
 * already. Checks that files can be written in it; the folder is gone again when they
 * cannot. */
OC_MUST_USE oc_status oc__run_dir_create(const char *path, oc_error *err);

/* Creates missing folders on the way to and including `path`, mode 0777 less the umask.
 */
OC_MUST_USE oc_status oc__make_dirs(const char *path, oc_error *err);

/* Removes a file, or a folder with all that is in it; links are not followed. What
 * cannot be removed stays. */
void oc__remove_tree(const char *path);

/* "a/b" of "a" and "b", malloc'd; NULL when out of memory. */
char *oc__path_join(const char *folder, const char *name);

/* The folder that holds the object file (program or library) in which this code stands,
 * without a final '/'; malloc'd, NULL when it cannot be told. */
char *oc__own_folder(void);

/* A program that comes with this one: the one that the environment's `variable` names,
 * else `name` beside this object file or in libexec/onchip of the same installation.
 * malloc'd; NULL when it is not there. */
char *oc__own_program(const char *variable, const char *name);

bool oc__is_file(const char *path);

#endif
