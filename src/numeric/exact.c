#include "numeric/exact.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool same_bits(float a, float b)
{
    uint32_t a_bits;
    uint32_t b_bits;
    memcpy(&a_bits, &a, sizeof a_bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    return a_bits == b_bits;
}

static oc__numeric_result fail(const char *reason)
{
    return (oc__numeric_result){
        .verdict = OC_FAIL, .reason = reason, .max_absolute_error = (double)NAN};
}

void oc__numeric_exact(const float *got, size_t got_count, const float *want,
                       size_t want_count, bool reference_exact,
                       oc__numeric_result *out_result)
{
    if (got_count != want_count) {
        *out_result = fail("shape_differs");
        out_result->got = (double)got_count;
        out_result->want = (double)want_count;
        return;
    }
    oc__numeric_result result = {
        .verdict = OC_PASS, .level = "exact", .reason = "bit_equal"};
    for (size_t i = 0; i < want_count; i++) {
        if (!same_bits(got[i], want[i]) && result.verdict == OC_PASS) {
            result.verdict = OC_FAIL;
            result.level = NULL;
            result.reason = isfinite(got[i]) ? "value_differs" : "not_finite";
            result.first_index = i;
            result.got = (double)got[i];
            result.want = (double)want[i];
        }
        double error = fabs((double)got[i] - (double)want[i]);
        // Not fmax, which would drop a NaN: one that got in stays in.
        if (!(error <= result.max_absolute_error) &&
            !isnan(result.max_absolute_error)) {
            result.max_absolute_error = isfinite(error) ? error : (double)NAN;
        }
    }
    if (!reference_exact) {
        result.verdict = OC_UNKNOWN;
        result.level = NULL;
        result.reason = "reference_inexact";
    }
    *out_result = result;
}

void oc__numeric_describe(const oc__numeric_result *result, char *out, size_t size)
{
    if (result->verdict == OC_PASS) {
        snprintf(out, size, "every element equals the exact reference bit for bit");
    } else if (strcmp(result->reason, "shape_differs") == 0) {
        snprintf(out, size, "%.0f elements came back, must be %.0f", result->got,
                 result->want);
    } else if (strcmp(result->reason, "reference_inexact") == 0) {
        snprintf(out, size, "the reference is not exact for these inputs");
    } else {
        snprintf(out, size, "element %zu is %.9g, must be %.9g", result->first_index,
                 result->got, result->want);
    }
}
