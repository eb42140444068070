/* Products of vectors of two values, of any element type: integers wrap, floats are
 * balls, complex numbers are products of their parts. What dot_general, ragged_dot and
 * convolution do once their operands lie as vectors. */
#ifndef ONCHIP_REFERENCE_CONTRACTION_H
#define ONCHIP_REFERENCE_CONTRACTION_H

#include "reference/operand_model.h"

/* Vectors a0 .. a0 + rows of the left operand with b0 .. b0 + columns of the right one;
 * result (i, j) is element start + row_stride * i + column_stride * j. */
typedef struct oc__strip {
    size_t a0, rows, b0, columns;
    size_t start, row_stride, column_stride;
} oc__strip;

/* A contraction of one operation. */
typedef struct oc__contraction {
    oc__call *call;
    oc__value *lhs, *rhs; /* owned; both of integers or of numbers */
    oc__scheme scheme;
    oc__sum_model model;
    bool exact_products;
    bool transforms; /* no grid makes the sums exact: set by the operation */
    size_t panel;    /* right vectors lie across, so many beside each other (product.h);
                        set by    the operation, for real numbers only and where in_order.h
                        has no say */
    bool integers;
    oc__value *out; /* owned */
} oc__contraction;

/* Takes the call's operands 0 and 1 in types that the result's can be made of, and
 * makes the result, of these dims. whole: strips will give all of it; else it begins
 * with zeros. */
OC_MUST_USE oc_status oc__contraction_make(oc__call *call, const int64_t *dims,
                                           size_t rank, bool whole,
                                           oc__contraction *out, oc_error *err);
void oc__contraction_free(oc__contraction *c);

/* lhs and rhs: values of the types of c->lhs and c->rhs whose elements are vectors of
 * `length`, one after the other. */
OC_MUST_USE oc_status oc__contraction_run(oc__contraction *c, const oc__value *lhs,
                                          const oc__value *rhs, size_t length,
                                          const oc__strip *strips, size_t count,
                                          oc_error *err);

/* The finished result as result 0 of the call. */
void oc__contraction_give(oc__contraction *c);

/* Integers (contraction_integer.c): wrapped in 64 bits. */
OC_MUST_USE oc_status oc__contract_integers(oc__call *call, const oc__value *lhs,
                                            const oc__value *rhs, size_t length,
                                            const oc__strip *strips, size_t count,
                                            oc__value *out, oc_error *err);

#endif
