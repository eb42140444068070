/* Inside the room: the folder of checkpoints, held open.
 *
 * Damage is OC_PARSE; what says nothing about a checkpoint (no descriptors, no memory)
 * is OC_IO or OC_NOMEM, so that a shortage never sets a good one aside. */
#ifndef ONCHIP_CHECKPOINT_INSIDE_H
#define ONCHIP_CHECKPOINT_INSIDE_H

#include "checkpoint/manifest.h"

enum { OC__CHECKPOINT_NAME_BYTES = 48 };

/* "step-00000004" */
void oc__checkpoint_name(int64_t step, char out[OC__CHECKPOINT_NAME_BYTES]);
/* "tmp-PID-4", PID being ours. */
void oc__checkpoint_temporary(int64_t step, char out[OC__CHECKPOINT_NAME_BYTES]);

/* Every step-* of the folder, newest first, not verified. */
OC_MUST_USE oc_status oc__checkpoint_list_steps(const char *folder, int folder_fd,
                                                oc__checkpoint_list *out_list,
                                                oc_error *err);

/* Fills in what `checkpoint`, of oc__checkpoint_list_steps, is; without `contents` the
 * files are not read. out_manifest is that of a good one. */
OC_MUST_USE oc_status oc__checkpoint_verify(int folder_fd,
                                            const oc__checkpoint_identity *identity,
                                            bool contents, oc__checkpoint *checkpoint,
                                            oc__manifest *out_manifest, oc_error *err);

/* The manifest in the folder of a checkpoint of this name. */
OC_MUST_USE oc_status oc__checkpoint_manifest(int fd, const char *name,
                                              oc__manifest *out_manifest,
                                              oc_error *err);
/* Holds a file against its manifest; with out_data, its content (malloc'd). */
OC_MUST_USE oc_status oc__checkpoint_hold_file(int fd, const oc__manifest_file *file,
                                               void **out_data, oc_error *err);

/* Renames within the folder and never replaces; 0, or -1 with errno. */
int oc__checkpoint_rename(int folder_fd, const char *from, const char *to);
/* Removes a folder of temporary name. */
void oc__checkpoint_remove(const char *folder, const char *name);

#endif
