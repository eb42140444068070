/* What the kernels of contractions and reductions share. */
#ifndef ONCHIP_REFERENCE_CONTRACT_H
#define ONCHIP_REFERENCE_CONTRACT_H

#include "base/strbuf.h"
#include "reference/hull.h"
#include "reference/movement.h"
#include "reference/sum.h"

/* --- windows (window.c)
 * --------------------------------------------------------------- */

/* One dimension of a window that slides over a padded base. The base's elements lie
 * base_dilation apart, the window's window_dilation; padding may be negative. */
typedef struct oc__window_dim {
    int64_t base; /* elements of the operand */
    int64_t size, stride, base_dilation, window_dilation, low, high;
    int64_t padded; /* the dilated and padded base; set by oc__window_measure */
    int64_t output; /* positions of the window; set by oc__window_measure */
} oc__window_dim;

/* Checks the numbers and sets padded and output; OC_PARSE or OC_LIMIT. */
OC_MUST_USE oc_status oc__window_measure(oc__call *call, oc__window_dim *dim,
                                         oc_error *err);

/* The element of the base under tap `tap` of the window at position `at`; -1 for
 * padding and for holes of the dilation. */
int64_t oc__window_element(const oc__window_dim *dim, int64_t at, int64_t tap);

/* Attribute `name` of the call as one number a dimension into the member at `offset` of
 * every dim; `otherwise` when it is absent. */
OC_MUST_USE oc_status oc__window_read(oc__call *call, const char *name,
                                      int64_t otherwise, size_t offset,
                                      oc__window_dim *dims, size_t count,
                                      oc_error *err);
/* [[low, high], ...]: from 2 * count numbers; none: no padding. */
OC_MUST_USE oc_status oc__window_padding(oc__call *call, const int64_t *padding,
                                         size_t numbers, oc__window_dim *dims,
                                         size_t count, oc_error *err);

/* --- types (promote.c)
 * ----------------------------------------------------------------- */

/* The value in a type that holds all of its numbers (a wider float or integer, a float
 * for integers): a new reference, also when nothing is to be done. OC_PARSE otherwise.
 */
OC_MUST_USE oc_status oc__promote(oc__call *call, const oc__value *value,
                                  oc_dtype dtype, oc__value **out_value, oc_error *err);

/* --- bodies of any kind (reduce_region.c) --- */

/* Folds `steps` slices in order with the call's region: of every input a value of dims
 * [steps * width], slice after slice; of every init one of [width]. out_results, as
 * many as inputs, are of dims [width]. */
OC_MUST_USE oc_status oc__region_fold(oc__call *call, oc__value *const *inputs,
                                      oc__value *const *inits, size_t count,
                                      size_t steps, size_t width,
                                      oc__value **out_results, oc_error *err);

/* values[i] becomes body(values..., right...)[i], over n elements each. */
OC_MUST_USE oc_status oc__region_apply(oc__call *call, oc__value **values,
                                       oc__value *const *right, size_t count, size_t n,
                                       oc_error *err);

/* The text allows any tree of the body where one was computed. Widens float results by
 * the roundings of `steps` bodies and flags them OC__F_TABLE, since that is an
 * estimate; results of bodies that only choose stay as they are. */
OC_MUST_USE oc_status oc__widen_tree(oc__call *call, oc__value **result, size_t steps,
                                     oc_error *err);

/* --- the operations --- */

/* Inputs, as many initial values of one element, as many results, one region; the
 * inputs of one shape. out_values, 2 * *out_inputs of them (malloc'd, and references),
 * are the operands in the types of the results. */
OC_MUST_USE oc_status oc__reduce_operands(oc__call *call, size_t *out_inputs,
                                          oc__value ***out_values, oc_error *err);
void oc__values_free(oc__value **values, size_t count); /* takes NULL */

oc_status oc__run_reduce(oc__call *call, oc_error *err);
oc_status oc__run_reduce_window(oc__call *call, oc_error *err);
oc_status oc__run_dot(oc__call *call, oc_error *err);
oc_status oc__run_dot_general(oc__call *call, oc_error *err);
oc_status oc__run_ragged_dot(oc__call *call, oc_error *err);
oc_status oc__run_convolution(oc__call *call, oc_error *err);

#endif
