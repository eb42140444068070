/* Every row of a large dot at once, by Freivalds' products with random vectors.
 *
 * An output D that is the dot of A and B is held against them without the dot: with v
 * of random signs, y = D v and z = A (B v) cost as much as reading the three. The
 * errors e_j = D_ij - (A B)_ij of a row that a right device makes were fixed before v
 * was drawn, so that |y - z| = |sum v_j e_j| is at most
 *
 *     t sqrt(sum e_j^2)   but for a probability of 2 exp(-t^2 / 2)
 *
 * (Hoeffding 1963), however the errors depend on each other, and at most sum |e_j|
 * surely. |e_j| <= g T_j with T_j = sum_k |a_k b_kj| and g = gamma_n + the rounding of
 * the result (reference/sum.h), sum T_j = |A| (|B| 1) and sum T_j^2 <= K A^2 (B^2 1)
 * (Cauchy-Schwarz), which are two more such chains. t is chosen so that all tests of
 * a run together refute a right device with a probability below 2^-64. A row whose
 * error is beyond the bound is refuted; one beyond 10 standard deviations of a device
 * whose roundings are independent is suspect. A row that is wrong by more than the
 * bound in any direction is missed by all `vectors` with a probability of at most
 * 2^-vectors. */
#ifndef ONCHIP_NUMERIC_FREIVALDS_H
#define ONCHIP_NUMERIC_FREIVALDS_H

#include "reference/evaluate.h"

enum { OC__FREIVALDS_VECTORS = 8 };

typedef struct oc__freivalds {
    bool applies;  /* false: `detail` says why not */
    uint64_t rows; /* each held against every vector */
    uint64_t refuted, suspect;
    double largest_ratio; /* error over bound */
    double largest_z;     /* NaN: the operands have no statistics */
    char detail[160];
} oc__freivalds;

/* What is asked: output `index` of main, `got` by the device. */
typedef struct oc__freivalds_case {
    const oc__hlo_module *module;
    const oc_tensor *inputs;
    size_t input_count;
    size_t index;
    const oc_tensor *got;
    oc__arith arith; /* the contract under which the output stands */
    uint64_t seed;
    double seconds; /* most that A and B may take, by estimate; 0: any */
    oc__eval_limits limits;
} oc__freivalds_case;

/* OC_OK also when it does not apply: the output is no dot of floats, its operands would
 * cost more than `seconds`, the contract reads operands in parts or truncated. */
OC_MUST_USE oc_status oc__freivalds_check(const oc__freivalds_case *wanted,
                                          oc__freivalds *out, oc_error *err);

#endif
