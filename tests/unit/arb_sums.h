/* Rows of numbers to be added, and what their real sum is. */
#ifndef ONCHIP_TESTS_ARB_SUMS_H
#define ONCHIP_TESTS_ARB_SUMS_H

#include "any_order.h"
#include "arb_fixture.h"

/* n numbers of a type: normal, positive, on a grid, of all sizes, cancelling, near
 * overflow, subnormal, equal, halves of an ulp; `finite`: without NaN and infinities.
 */
void random_row(dice *from, const type *of, bool finite, double *row, size_t n);

/* The real sum of terms[i], or of x[i] y[i]; false when one is no finite number. */
bool exact_sum(arf_t out, const double *x, const double *y, size_t n);

#endif
