/* Chains of elementwise operations on real floats, run tile by tile, so that what lies
 * between them never is a whole tensor. The results are those of the single operations.
 */
#ifndef ONCHIP_REFERENCE_FUSE_H
#define ONCHIP_REFERENCE_FUSE_H

#include "reference/frame.h"

/* How many operations of the block, from `at` on, oc__fuse_run can run as one: those
 * that have tile functions, on tensors of the same static dimensions, with splat
 * constants and broadcasts of single elements between them. 0 where nothing is gained.
 * It depends on the program alone. */
size_t oc__fuse_length(const oc__hlo_func *func, const oc__hlo_block *block, size_t at);

/* Runs operations at .. at + length, as oc__fuse_length gave it, for the active
 * processes of a frame that is not a batch: counts steps, sets the results that are
 * used later, releases the values that die. */
OC_MUST_USE oc_status oc__fuse_run(oc__eval *eval, oc__frame *frame,
                                   const oc__hlo_block *block, size_t at, size_t length,
                                   oc_error *err);

/* --- shared by fuse.c and fuse_run.c --- */

enum { OC__FUSE_MAX_OPS = 64, OC__FUSE_MAX_ARITY = 3 };

/* What an operation is to a chain. */
typedef enum oc__fuse_role {
    OC__FUSE_NOT = 0,
    OC__FUSE_CONSTANT,  /* of one value */
    OC__FUSE_BROADCAST, /* of a single element */
    OC__FUSE_TILE
} oc__fuse_role;
oc__fuse_role oc__fuse_role_of(const oc__hlo_func *func, const oc__hlo_op *op);

/* The data of a constant of one value, NULL for others. */
const oc__hlo_dense *oc__fuse_splat(const oc__hlo_op *op);

/* The number of elements; 0 when a dimension is not known or none is there. */
size_t oc__fuse_count(const oc__hlo_type *type);

#endif
