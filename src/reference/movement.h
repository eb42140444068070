/* What the movement operations share: strided copies of whole values, and checked
 * reading of dimensions, shapes and indices from attributes and operands. */
#ifndef ONCHIP_REFERENCE_MOVEMENT_H
#define ONCHIP_REFERENCE_MOVEMENT_H

#include "reference/kernel.h"

/* --- strided copies (movement_copy.c) ------------------------------------- */

/* One element for every index of dims: from[from_start + index . from_strides] goes to
 * to[to_start + index . to_strides]. Strides are in elements; a `from` stride of 0
 * repeats (broadcast), a negative one runs backwards (reverse). Both sides must stay
 * inside. */
typedef struct oc__view {
    size_t rank;
    int64_t dims[OC_MAX_RANK];
    int64_t from_strides[OC_MAX_RANK], to_strides[OC_MAX_RANK];
    int64_t from_start, to_start;
} oc__view;

void oc__copy_elements(const oc__view *view, void *to, const void *from,
                       size_t element_size);

/* A new value of the view's dims, row major, that holds what the view's `from` side
 * reads in `source`, every plane alike. The view's `to` side is set here. */
OC_MUST_USE oc_status oc__view_read(const oc__value *source, oc__view *view,
                                    oc__value **out_value, oc_error *err);

/* Writes `source` through the view into `target`, every plane alike. Planes that target
 * shares are copied first; target itself must be the caller's alone. */
OC_MUST_USE oc_status oc__view_write(oc__value *target, const oc__value *source,
                                     const oc__view *view, oc_error *err);

/* Row-major strides; all 0 for a tensor without elements, however long its sides. */
void oc__element_strides(const int64_t *dims, size_t rank, int64_t *out_strides);

/* A view of a whole tensor of these dims: both sides row major from 0. */
oc__view oc__view_of(const int64_t *dims, size_t rank);

/* --- results -------------------------------------------------------------- */

/* Result `index` of the call is this value (the reference is taken over), with the
 * quantization that the result's type declares. */
void oc__give(oc__call *call, size_t index, oc__value *value);

/* Result `index` is a tensor like `like` of these dims of which nothing is known. */
OC_MUST_USE oc_status oc__give_undecided(oc__call *call, size_t index,
                                         const oc__value *like, const int64_t *dims,
                                         size_t rank, const char *rule, oc_error *err);

/* Makes element i of a value that nobody else holds an unknown one: planes r and f must
 * be the value's own already (f for integers, r for floats). */
void oc__forget_element(oc__value *value, size_t i);
/* Gives the value the plane that oc__forget_element writes. */
OC_MUST_USE oc_status oc__forget_prepare(oc__value *value, oc_error *err);

/* Operand `index` as a value to write into. Where nobody else holds it, its planes move
 * over and the operand is not to be read again; else they are shared. */
OC_MUST_USE oc_status oc__take_operand(oc__call *call, size_t index,
                                       oc__value **out_value, oc_error *err);

/* --- order (movement_order.c) --------------------------------------------- */

typedef struct oc__keyed {
    int64_t key, item;
} oc__keyed;

/* Sorts by key, equal keys in the order in which they came. `spare` has room for n. */
void oc__sort_keyed(oc__keyed *list, oc__keyed *spare, size_t n);

/* --- updates of single elements (movement_combine.c) ---------------------- */

/* targets[k][index[i]] = region(targets[k][index[i]], updates[k][i]) for every i with
 * index[i] >= 0, in any order, for `count` targets at once; targets are the caller's
 * own (the pointers may change). `unique`: the program promises that no element is met
 * twice. */
OC_MUST_USE oc_status oc__combine_updates(oc__call *call, const oc__hlo_region *region,
                                          oc__value **targets,
                                          oc__value *const *updates, size_t count,
                                          const int64_t *index, bool unique,
                                          oc_error *err);

/* --- checked reading (movement_check.c) ----------------------------------- */

typedef struct oc__shown {
    char text[120];
} oc__shown;
/* "2x3", "scalar": for messages. */
oc__shown oc__shown_dims(const int64_t *dims, size_t rank);

/* The call has so many operands and results, and all operands are tensors. */
OC_MUST_USE oc_status oc__check_arity(oc__call *call, size_t operands, size_t results,
                                      oc_error *err);
/* At least so many operands, and so many results; all operands are tensors. */
OC_MUST_USE oc_status oc__check_tensors(oc__call *call, size_t at_least, size_t results,
                                        oc_error *err);

OC_MUST_USE oc_status oc__check_same_dtype(oc__call *call, const char *what,
                                           const oc__value *value,
                                           const char *like_what, const oc__value *like,
                                           oc_error *err);

/* The whole numbers of an attribute; it must be there. */
OC_MUST_USE oc_status oc__read_ints(oc__call *call, const char *name,
                                    const int64_t **out_ints, size_t *out_count,
                                    oc_error *err);
/* As read_ints, exactly `count` of them; `otherwise` stands for each when the attribute
 * is absent and `optional`. out has room for `count`. */
OC_MUST_USE oc_status oc__read_counted(oc__call *call, const char *name, size_t count,
                                       bool optional, int64_t otherwise, int64_t *out,
                                       oc_error *err);
/* A dimension: 0 <= it < rank. */
OC_MUST_USE oc_status oc__read_dimension(oc__call *call, const char *name, size_t rank,
                                         size_t *out_dimension, oc_error *err);

/* Dimensions that are all in 0 .. rank - 1 and each there once; *out_mask has their
 * bits. `sorted`: they must ascend. */
OC_MUST_USE oc_status oc__check_dims(oc__call *call, const char *what,
                                     const int64_t *dims, size_t count, size_t rank,
                                     bool sorted, uint32_t *out_mask, oc_error *err);

/* The declared shape of result `index`, which must be static. */
OC_MUST_USE oc_status oc__static_shape(oc__call *call, size_t index, int64_t *dims,
                                       size_t *out_rank, oc_error *err);

/* The whole numbers of operand `index`, a vector of at most OC_MAX_RANK integers (a
 * shape, offsets); `what` names it. Fails when one of them is undecided. */
OC_MUST_USE oc_status oc__vector_operand(oc__call *call, size_t index, const char *what,
                                         int64_t *out, size_t *out_count,
                                         oc_error *err);

/* A vector operand with a number for every dimension of operand 0. */
OC_MUST_USE oc_status oc__per_dimension(oc__call *call, size_t index, const char *what,
                                        int64_t *out, oc_error *err);

/* The value's elements as int64, undecided ones included (malloc'd; room for one at
 * least): it must be of an integer type. Unsigned values past INT64_MAX saturate. */
OC_MUST_USE oc_status oc__index_elements(oc__call *call, const char *what,
                                         const oc__value *value, int64_t **out_ints,
                                         oc_error *err);

/* --- the operations ------------------------------------------------------- */

/* movement_shape.c */
oc_status oc__run_reshape(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_reshape(oc__call *call, oc_error *err);
oc_status oc__run_broadcast_in_dim(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_broadcast_in_dim(oc__call *call, oc_error *err);
oc_status oc__run_broadcast(oc__call *call, oc_error *err);
oc_status oc__run_transpose(oc__call *call, oc_error *err);
oc_status oc__run_reverse(oc__call *call, oc_error *err);
oc_status oc__run_get_dimension_size(oc__call *call, oc_error *err);
oc_status oc__run_set_dimension_size(oc__call *call, oc_error *err);
/* movement_iota.c */
oc_status oc__run_iota(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_iota(oc__call *call, oc_error *err);
/* movement_slice.c */
oc_status oc__run_slice(oc__call *call, oc_error *err);
oc_status oc__run_real_dynamic_slice(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_slice(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_update_slice(oc__call *call, oc_error *err);
oc_status oc__run_concatenate(oc__call *call, oc_error *err);
/* movement_pad.c */
oc_status oc__run_pad(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_pad(oc__call *call, oc_error *err);
/* movement_gather.c, movement_scatter.c, movement_select.c, movement_sort.c,
 * movement_region.c */
oc_status oc__run_gather(oc__call *call, oc_error *err);
oc_status oc__run_dynamic_gather(oc__call *call, oc_error *err);
oc_status oc__run_scatter(oc__call *call, oc_error *err);
oc_status oc__run_select_and_scatter(oc__call *call, oc_error *err);
oc_status oc__run_sort(oc__call *call, oc_error *err);
oc_status oc__run_top_k(oc__call *call, oc_error *err);
oc_status oc__run_map(oc__call *call, oc_error *err);
oc_status oc__run_scan(oc__call *call, oc_error *err);

#endif
