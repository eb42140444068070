/* Checkpoints: folders step-00000004 that appear whole or not at all, and say
 * themselves whether they are still what was written.
 *
 *     FOLDER/step-00000004/  state.bin ...  manifest.json
 *     FOLDER/tmp-PID-4/      being written; swept by oc__checkpoint_sweep
 *     FOLDER/bad-00000004-1/ set aside: damaged, or of another run
 *
 * Writing: the files in a temporary folder, each fsynced; the manifest, fsynced; fsync
 * of the folder; renameat2(RENAME_NOREPLACE); fsync of the parent. What fails before
 * the rename leaves nothing but a temporary folder, which is removed; a failed fsync is
 * never tried again as a success (fsync forgets it). The manifest holds format
 * ("onchip.checkpoint/1"), step, state_hash, the identity (pairs of name and value:
 * digests of program, configuration, data), for every file its name, size and SHA-256,
 * `sha256` of the parent checkpoint's manifest (null for the first), and, last, the
 * SHA-256 of the manifest without it.
 *
 * A checkpoint is GOOD when its manifest is one, hashes to what it says, is of the step
 * that the folder's name says, has the pairs that are wanted in its identity, and the
 * folder holds exactly its files, of their sizes and hashes. Anything else is damaged,
 * and `why` names the file, the member or the key and both values. Files are never
 * followed through symbolic links.
 *
 * Errors are of boundary EVIDENCE (writing) or INPUT (reading); OC_IO with errno's
 * words; a full disk says so and names the bytes that were wanted. */
#ifndef ONCHIP_CHECKPOINT_CHECKPOINT_H
#define ONCHIP_CHECKPOINT_CHECKPOINT_H

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OC__CHECKPOINT_FILES = 8,
    OC__CHECKPOINT_KEYS = 8,
    OC__CHECKPOINT_KEPT = 2,
    OC__CHECKPOINT_MAX_STEP = 99999999
};

/* A pair of the identity. */
typedef struct oc__checkpoint_key {
    const char *name;
    const char *value;
} oc__checkpoint_key;

typedef struct oc__checkpoint_identity {
    oc__checkpoint_key keys[OC__CHECKPOINT_KEYS];
    size_t count;
} oc__checkpoint_identity;

typedef struct oc__checkpoint_file {
    const char *name; /* a plain name */
    oc__bytes bytes;
} oc__checkpoint_file;

/* What is written. */
typedef struct oc__checkpoint_state {
    int64_t step;
    const char *state_hash; /* SHA-256, hexadecimal */
    const oc__checkpoint_file *files;
    size_t file_count;
} oc__checkpoint_state;

/* OC_EXISTS when the step is there already; OC_INVALID_ARGUMENT for what a manifest
 * cannot say. The folder must be there. The parent is the newest of an earlier step
 * whose manifest is good and of the identity; its files are not read. */
OC_MUST_USE oc_status oc__checkpoint_write(const char *folder,
                                           const oc__checkpoint_identity *identity,
                                           const oc__checkpoint_state *state,
                                           oc_error *err);

typedef struct oc__checkpoint {
    int64_t step;
    char *path;
    char state_hash[OC__SHA256_HEX]; /* "" when the manifest cannot be read */
    bool good;
    char why[320];  /* what is wrong; "" when it is good */
    bool other_run; /* whole, but `key` of the identity differs */
    char key[64];   /* the first that differs */
} oc__checkpoint;

typedef struct oc__checkpoint_list {
    oc__checkpoint *items; /* newest first */
    size_t count;
} oc__checkpoint_list;

/* Verifies every step-* of the folder; a folder that is not there has none. identity
 * NULL: any. Nothing is changed. */
OC_MUST_USE oc_status oc__checkpoint_scan(const char *folder,
                                          const oc__checkpoint_identity *identity,
                                          oc__checkpoint_list *out_list, oc_error *err);
void oc__checkpoint_list_free(oc__checkpoint_list *list);
/* The newest good one; NULL when there is none. */
const oc__checkpoint *oc__checkpoint_newest(const oc__checkpoint_list *list);

/* A file of a checkpoint, held once more against its manifest: malloc'd. */
OC_MUST_USE oc_status oc__checkpoint_read(const oc__checkpoint *checkpoint,
                                          const char *name, void **out_data,
                                          size_t *out_size, oc_error *err);

/* Removes all good ones but the newest `keep` that verify; damaged ones stay. */
OC_MUST_USE oc_status oc__checkpoint_prune(const char *folder, size_t keep,
                                           oc_error *err);
/* Renames a damaged one to bad-STEP-N (the first N that is free). */
OC_MUST_USE oc_status oc__checkpoint_set_aside(const char *folder,
                                               const oc__checkpoint *checkpoint,
                                               oc_error *err);
/* Removes temporary folders that nobody writes any more. */
void oc__checkpoint_sweep(const char *folder);

#endif
