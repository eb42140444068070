/* The numeric verdict where the reference is exact: the outcome must be equal bit for
 * bit. */
#ifndef ONCHIP_NUMERIC_EXACT_H
#define ONCHIP_NUMERIC_EXACT_H

#include "onchip/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc__numeric_result {
    oc_verdict verdict;
    const char *level;  /* "exact" on PASS, else NULL; static text */
    const char *reason; /* "bit_equal", "value_differs", "shape_differs", "not_finite",
                           "reference_inexact"; static text */
    double
        max_absolute_error; /* NaN when an element is not finite or the counts differ */
    size_t first_index;     /* of the first element that differs */
    double got, want;       /* that element */
} oc__numeric_result;

/* UNKNOWN (reference_inexact) when the reference is not exact: this judge has no bound
 * to offer. +0 and -0 differ. */
void oc__numeric_exact(const float *got, size_t got_count, const float *want,
                       size_t want_count, bool reference_exact,
                       oc__numeric_result *out_result);

/* "element 3 is 1.7500001192092896, must be 1.75" or a sentence of the same kind. */
void oc__numeric_describe(const oc__numeric_result *result, char *out, size_t size);

#endif
