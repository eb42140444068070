#include "numeric/prediction.h"

#include "reference/affine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = OC__PREDICTION_ROWS, FEATURES = OC__PREDICTION_FEATURES };

typedef struct expectation {
    float y[ROWS];
    bool exact;
} expectation;

static expectation expect(const oc__prediction_case *wanted, const float *x, float bias)
{
    expectation out;
    oc__reference_affine(x, ROWS, FEATURES, wanted->w, bias, out.y, &out.exact);
    return out;
}

/* Keeps the first judgement that is not PASS, with the output's name in its sentence.
 */
static void merge(oc__prediction_result *into, const char *name,
                  const oc__numeric_result *one)
{
    char sentence[OC__NUMERIC_DETAIL - 64];
    if (into->verdict != OC_PASS || one->verdict == OC_PASS) {
        return;
    }
    oc__numeric_describe(one, sentence, sizeof sentence);
    into->verdict = one->verdict;
    into->level = NULL;
    into->reason = one->reason;
    snprintf(into->detail, sizeof into->detail, "%.60s: %s", name, sentence);
}

static void judge_output(const oc__prediction_output *output, const expectation *want,
                         oc__prediction_result *result)
{
    oc__numeric_result one = {.verdict = OC_FAIL, .max_absolute_error = (double)NAN};
    if (output->reached && output->contract_holds) {
        oc__numeric_exact(output->values, output->count, want->y, ROWS, want->exact,
                          &one);
        merge(result, output->name, &one);
        return;
    }
    if (result->verdict == OC_PASS) {
        result->verdict = output->reached ? OC_FAIL : OC_UNKNOWN;
        result->level = NULL;
        result->reason = output->reached ? "contract_changed" : "not_reached";
        snprintf(result->detail, sizeof result->detail,
                 output->reached
                     ? "prediction contract changed: %.60s is not float32[8]"
                     : "%.60s has no completed output",
                 output->name);
    }
}

/* changed = prediction + (changed_bias - bias): exact here, since both are. */
static void judge_shift(const oc__prediction_case *wanted,
                        const oc__prediction_output outputs[3],
                        oc__prediction_result *result)
{
    expectation shifted = {.exact = true};
    double shift = (double)wanted->changed_bias - (double)wanted->bias;
    for (size_t i = 0; i < ROWS; i++) {
        double y = (double)outputs[0].values[i] + shift;
        shifted.y[i] = (float)y;
        shifted.exact = shifted.exact && (double)shifted.y[i] == y;
    }
    oc__numeric_result one;
    oc__numeric_exact(outputs[1].values, outputs[1].count, shifted.y, ROWS,
                      shifted.exact, &one);
    merge(result, "changed_bias against the shifted prediction", &one);
}

/* True: the judge refuted the wrong expectation. */
static bool refutes(const oc__prediction_output *prediction, const float *wrong,
                    char *out_detail)
{
    oc__numeric_result one;
    oc__numeric_exact(prediction->values, prediction->count, wrong, ROWS, true, &one);
    oc__numeric_describe(&one, out_detail, OC__NUMERIC_DETAIL);
    return one.verdict == OC_FAIL;
}

static void run_controls(const oc__prediction_case *wanted,
                         const oc__prediction_output *prediction,
                         const expectation *right, oc__prediction_result *result)
{
    float swapped[ROWS];
    memcpy(swapped, right->y, sizeof swapped);
    for (size_t i = 1; i < ROWS; i++) {
        if (swapped[i] != swapped[0]) { // equal rows would make the control true
            swapped[0] = right->y[i];
            swapped[i] = right->y[0];
            break;
        }
    }
    expectation no_bias = expect(wanted, wanted->x, 0.0F);
    result->swap_refuted = refutes(prediction, swapped, result->swap_detail);
    result->drop_refuted = refutes(prediction, no_bias.y, result->drop_detail);
    if (result->verdict == OC_PASS && !(result->swap_refuted && result->drop_refuted)) {
        result->verdict = OC_UNKNOWN;
        result->level = NULL;
        result->reason = "control_not_refuted";
        snprintf(result->detail, sizeof result->detail,
                 "a wrong expectation (%s) was not refuted, so nothing is shown",
                 result->swap_refuted ? "bias dropped" : "rows swapped");
    }
}

void oc__numeric_prediction(const oc__prediction_case *wanted,
                            const oc__prediction_output outputs[3],
                            oc__prediction_result *out_result)
{
    float reversed[ROWS * FEATURES];
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(reversed + i * FEATURES, wanted->x + (ROWS - 1 - i) * FEATURES,
               FEATURES * sizeof *reversed);
    }
    const expectation wants[3] = {expect(wanted, wanted->x, wanted->bias),
                                  expect(wanted, wanted->x, wanted->changed_bias),
                                  expect(wanted, reversed, wanted->bias)};
    oc__prediction_result result = {.verdict = OC_PASS,
                                    .level = "exact",
                                    .reason = "bit_equal",
                                    .max_absolute_error = (double)NAN};
    memcpy(result.reference, wants[0].y, sizeof result.reference);
    snprintf(result.detail, sizeof result.detail,
             "all three outputs equal the exact reference bit for bit");
    for (size_t i = 0; i < 3; i++) {
        judge_output(&outputs[i], &wants[i], &result);
    }
    bool comparable = outputs[0].reached && outputs[0].contract_holds;
    if (comparable) {
        oc__numeric_result first;
        oc__numeric_exact(outputs[0].values, outputs[0].count, wants[0].y, ROWS, true,
                          &first);
        result.max_absolute_error = first.max_absolute_error;
    }
    if (result.verdict == OC_PASS) {
        judge_shift(wanted, outputs, &result);
    }
    if (comparable && outputs[0].count == ROWS) {
        run_controls(wanted, &outputs[0], &wants[0], &result);
    }
    *out_result = result;
}
