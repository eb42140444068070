/* The part of a program that chosen elements of its values depend on ("cone"), as a
 * program of its own: main alone, calls inlined, every other dimension cut down to the
 * indices that are needed.
 *
 * A grid names indices of a value, a sorted list for each dimension; its elements are
 * all their combinations. From the roots the grids go backwards through main. An
 * operation whose result at a grid needs only a grid of its operands (elementwise,
 * broadcasts, transpose, reshape where dimensions stay whole or are merged or split,
 * slice, reverse, concatenate, pad outside the padded dimensions, iota, dot_general and
 * dot (free and batch dimensions), convolution (batch; output feature without groups),
 * reduce and sort outside their own dimensions, constants, barriers) is emitted with
 * the smaller types. Every other operation is emitted whole, needs its operands whole,
 * and what its users want is taken from it. A value that several users want at several
 * grids is made once, at their union in each dimension. An argument is cut on the host:
 * the new program's inputs are copies of the needed elements. Functions that regions of
 * whole operations call stay in the module as they are.
 *
 * Nothing changes in how an element is computed: its terms and roundings are those of
 * the whole program. Its ball is the same, bit by bit, but where the evaluator goes by
 * what stands around an element, and there either one is sound:
 *     - sums: the blocking of OpenBLAS and of reduce (last bits of what is accumulated
 *       wide), midpoints by the text's own steps only where results are few
 *       (in_order.h), radii by norms or by magnitudes (product.c): all go by the shape;
 *     - a product that the whole program hands to a call, or back from one, counts as
 *       one that may be fused into an addition (plan_add.c); inlined, its users decide,
 *       and so they do where an adding user is not in the cone: the smaller ball;
 *     - a divisor cut down to one element, or from an iota, counts as uniform (tile.c):
 *       the larger ball under `reciprocal`;
 *     - s (no bound of anything) of elements that share a tile with NaN or infinity.
 */
#ifndef ONCHIP_REFERENCE_CUT_H
#define ONCHIP_REFERENCE_CUT_H

#include "reference/evaluate.h"

/* [dimension]: sorted indices without doubles; NULL: every index (counts[] is then the
 * dimension). */
typedef struct oc__grid {
    size_t rank;
    int64_t *indices[OC_MAX_RANK];
    int64_t counts[OC_MAX_RANK];
} oc__grid;

typedef struct oc__cut_root {
    size_t value; /* of main, as the module numbers it */
    oc__grid grid;
} oc__cut_root;

typedef struct oc__cut {
    oc__hlo_module *module; /* main returns the roots in their order */
    size_t input_count;     /* arguments that nothing needs are left out */
    oc_tensor *inputs;
    oc__grid *made; /* [root]: what of its value is computed: at least its own grid */
    double seconds; /* what one evaluation of it takes, estimated (oc__cut_cost) */
} oc__cut;

/* Inputs: main's arguments of the one process; NULL: none are copied (for the estimate
 * alone). The module must outlive the cut, which points into it. OC_LIMIT with the
 * reason and the place where a program cannot be cut: a dynamic shape, tuples, tokens
 * or collectives in anything that main reaches, calls that recurse. OC_PARSE with the
 * place: operands that do not fit their operation. OC_NOMEM. */
OC_MUST_USE oc_status oc__cut_make(const oc__hlo_module *module,
                                   const oc_tensor *inputs, size_t input_count,
                                   const oc__cut_root *roots, size_t root_count,
                                   oc__cut *out_cut, oc_error *err);
void oc__cut_free(oc__cut *cut);

/* Seconds that evaluating main once takes, from its shapes alone and measured rates
 * (dot: 2*M*N*K flops; others: elements): for choosing how much to evaluate, not for a
 * verdict. A while counts its body once. NAN where a shape is dynamic, or calls
 * and regions nest too deep or make too many operations. */
double oc__cut_cost(const oc__hlo_module *module);

/* Where element `at` of the grid stands in the whole value, of these dimensions. */
size_t oc__grid_place(const oc__grid *grid, const int64_t *dims, size_t at);

/* The elements of a grid, as a tensor of their own. */
OC_MUST_USE oc_status oc__grid_take(const oc__grid *grid, const oc_tensor *whole,
                                    oc_tensor *out_part, oc_error *err);

#endif
