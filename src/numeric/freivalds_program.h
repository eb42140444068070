/* The program that multiplies an output and its operands by vectors, as text. The
 * reference itself evaluates it, in f64, so that its radii hold its own error. */
#ifndef ONCHIP_NUMERIC_FREIVALDS_PROGRAM_H
#define ONCHIP_NUMERIC_FREIVALDS_PROGRAM_H

#include "base/strbuf.h"
#include "numeric/freivalds.h"

#include <stdio.h>

enum { OC__LHS, OC__RHS, OC__SIDES };

typedef struct oc__dims {
    size_t count;
    int64_t at[OC_MAX_RANK];
} oc__dims;

bool oc__dims_have(const oc__dims *list, int64_t dim);

/* The dot that makes the output. */
typedef struct oc__tail {
    const oc__hlo_op *op;
    const oc__hlo_type *types[OC__SIDES];
    oc__dims batch[OC__SIDES], contract[OC__SIDES], free[OC__SIDES];
    double length, width; /* elements contracted; and of the right free dimensions */
    int mantissa;         /* bits that operands are read with; 0: all */
} oc__tail;

/* main(lhs, rhs, got, signs, ones) gives got signs - lhs (rhs signs), |lhs| (|rhs|
 * ones) with the radii of both, the same without, and of their squares lhs^2 (rhs^2
 * ones) with the radii. signs and ones have the right free dimensions and one more of
 * OC__FREIVALDS_VECTORS and 1. With `balls` the radii of lhs and rhs are two arguments
 * more. */
void oc__freivalds_program(const oc__tail *tail, bool balls, const oc_tensor *got,
                           oc__strbuf *text);

#endif
