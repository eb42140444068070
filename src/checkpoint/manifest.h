/* Inside the room: the manifest as values, its one text, and the strict reader.
 *
 * A manifest has exactly one text: what oc__json_text gives of its members in their
 * order (docs/launch-protocol.md, "Checkpoints"). Names and values are of characters
 * that JSON does not escape, so that other writers get the same bytes without effort.
 * The reader writes what it has read once more and compares: every byte counts. */
#ifndef ONCHIP_CHECKPOINT_MANIFEST_H
#define ONCHIP_CHECKPOINT_MANIFEST_H

#include "checkpoint/checkpoint.h"

#define OC__MANIFEST_FILE   "manifest.json"
#define OC__MANIFEST_FORMAT "onchip.checkpoint/1"

enum {
    OC__MANIFEST_BYTES = 16384, /* more than eight files and eight pairs take */
    OC__MANIFEST_NAME = 101,    /* of a file, with the NUL */
    OC__MANIFEST_KEY = 64,
    OC__MANIFEST_VALUE = 129
};
#define OC__MANIFEST_MAX_SIZE ((int64_t)1 << 40)

typedef struct oc__manifest_pair {
    char name[OC__MANIFEST_KEY];
    char value[OC__MANIFEST_VALUE];
} oc__manifest_pair;

typedef struct oc__manifest_file {
    char name[OC__MANIFEST_NAME];
    int64_t size;
    char sha256[OC__SHA256_HEX];
} oc__manifest_file;

typedef struct oc__manifest {
    int64_t step;
    char state_hash[OC__SHA256_HEX];
    oc__manifest_pair identity[OC__CHECKPOINT_KEYS];
    size_t identity_count;
    oc__manifest_file files[OC__CHECKPOINT_FILES];
    size_t file_count;
    char parent_sha256[OC__SHA256_HEX]; /* "": null */
    char sha256[OC__SHA256_HEX];
} oc__manifest;

/* Each adds one, checked; OC_PARSE names what is wrong with it. Used by the reader and
 * by the writer, so that nothing is written that would not be read. */
OC_MUST_USE oc_status oc__manifest_set_step(oc__manifest *manifest, int64_t step,
                                            const char *state_hash, oc_error *err);
OC_MUST_USE oc_status oc__manifest_add_pair(oc__manifest *manifest, const char *name,
                                            const char *value, oc_error *err);
OC_MUST_USE oc_status oc__manifest_add_file(oc__manifest *manifest, const char *name,
                                            int64_t size, const char *sha256,
                                            oc_error *err);

/* Sets `sha256` and yields the text, malloc'd; NULL when out of memory. */
char *oc__manifest_text(oc__manifest *manifest);

/* OC_PARSE or OC_LIMIT says what is wrong with it. */
OC_MUST_USE oc_status oc__manifest_read(const char *text, size_t size,
                                        oc__manifest *out_manifest, oc_error *err);

#endif
