/* Which dimensions of two operands are batched, contracted and kept. */
#ifndef ONCHIP_REFERENCE_DOT_DIMS_H
#define ONCHIP_REFERENCE_DOT_DIMS_H

#include "reference/contract.h"

typedef struct oc__dim_list {
    size_t count, dims[OC_MAX_RANK];
} oc__dim_list;

typedef struct oc__dot_dims {
    oc__dim_list lhs_batch, rhs_batch, lhs_contract, rhs_contract;
    uint32_t lhs_taken, rhs_taken; /* bits of the dimensions above */
} oc__dot_dims;

/* From a struct attribute with lhs_batching_dimensions and so on, checked against the
 * shapes of the call's operands 0 and 1. */
OC_MUST_USE oc_status oc__dot_dims_read(oc__call *call, const char *attribute,
                                        oc__dot_dims *out, oc_error *err);

/* The dimensions that have no bit in `taken`. */
void oc__dims_left(size_t rank, uint32_t taken, oc__dim_list *out);
size_t oc__dims_product(const oc__value *value, const oc__dim_list *list);
void oc__dims_append(int64_t *dims, size_t *rank, const oc__value *value,
                     const oc__dim_list *list);

/* Whether the lists, one after the other, name dimension 0, 1, 2, ... */
bool oc__is_arranged(const oc__dim_list *const *lists, size_t list_count);

/* The value with its dimensions in the order of the lists, which name each once. */
OC_MUST_USE oc_status oc__arranged(const oc__value *value,
                                   const oc__dim_list *const *lists, size_t list_count,
                                   oc__value **out_value, oc_error *err);

/* The dot of the call's operands 0 and 1 as its result 0. */
OC_MUST_USE oc_status oc__dot_of(oc__call *call, const oc__dot_dims *dims,
                                 oc_error *err);

#endif
