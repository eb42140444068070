/* Which numbers a dot multiplies and what it adds them in. */
#ifndef ONCHIP_REFERENCE_OPERAND_MODEL_H
#define ONCHIP_REFERENCE_OPERAND_MODEL_H

#include "reference/contract.h"
#include "reference/product.h"

typedef struct oc__scheme {
    oc__reading lhs, rhs;
    bool all_pairs; /* of parts, where there are more than one */
    oc_dtype accumulator;
    bool imprecise; /* f8: an accumulator of few bits is allowed */
} oc__scheme;

/* From the operation's `algorithm`, else its precision_config and arith.operands.
 * OC_PARSE for an algorithm that is none. */
OC_MUST_USE oc_status oc__scheme_make(oc__call *call, oc_dtype lhs, oc_dtype rhs,
                                      oc_dtype result, oc__scheme *out_scheme,
                                      oc_error *err);

/* Whether products of two numbers as they are read are exact in the accumulator, but
 * for underflow. */
bool oc__scheme_exact_products(const oc__scheme *scheme, oc_dtype lhs, oc_dtype rhs);

#endif
