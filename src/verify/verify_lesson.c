/* Decides what the lesson checks on its own report. */
#include "numeric/exact.h"
#include "receipt/nonce.h"
#include "reference/affine.h"
#include "verify/verifier.h"

#include <stdio.h>
#include <string.h>

static const double lesson_bound = 1e-6;

/* A printed number stands for the float32 that it was printed from. */
static void narrow(const double *values, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)values[i];
    }
}

static bool check_prediction(oc__verifier *verifier, const oc__lesson_report *report)
{
    float x[OC__ROWS * OC__FEATURES];
    float w[OC__FEATURES];
    float bias[2];
    float got[OC__MAX_OUTPUT];
    float want[OC__ROWS];
    bool exact = false;
    oc__numeric_result numeric;
    char description[256];

    if (report->prediction_line == 0) {
        return oc__verify_fail(verifier, "incomplete", "prediction",
                               "no 'Completed prediction' follows the report at line "
                               "%zu: the run did not complete, or its end was not kept",
                               report->line);
    }
    if (report->value_count != OC__ROWS) {
        return oc__verify_fail(verifier, "contract_changed", "prediction",
                               "prediction contract changed: line %zu lists %zu "
                               "numbers, must be %d",
                               report->prediction_line, report->value_count, OC__ROWS);
    }
    oc_status rc = oc__receipt_inputs(NULL, x, w, bias, NULL);
    OC_ASSERT(rc == OC_OK);
    narrow(report->values, report->value_count, got);
    oc__reference_affine(x, OC__ROWS, OC__FEATURES, w, bias[0], want, &exact);
    oc__numeric_exact(got, report->value_count, want, OC__ROWS, exact, &numeric);
    if (numeric.verdict != OC_PASS) {
        oc__numeric_describe(&numeric, description, sizeof description);
        return oc__verify_fail(verifier, numeric.reason, "prediction",
                               "the prediction at line %zu is wrong: %s",
                               report->prediction_line, description);
    }
    if (!(report->max_absolute_error < lesson_bound)) {
        return oc__verify_fail(verifier, "error_too_large", "max_absolute_error",
                               "max_absolute_error of the report at line %zu is not "
                               "below 1e-6",
                               report->line);
    }
    if (report->max_absolute_error != numeric.max_absolute_error) {
        return oc__verify_fail(verifier, "error_differs", "max_absolute_error",
                               "max_absolute_error of the report at line %zu is "
                               "%.17g, but its prediction differs from the reference "
                               "by %.17g",
                               report->line, report->max_absolute_error,
                               numeric.max_absolute_error);
    }
    return true;
}

static bool check_report(oc__verifier *verifier, const oc__lesson_report *report)
{
    snprintf(verifier->result->platform, sizeof verifier->result->platform, "%.63s",
             report->platform ? report->platform : "");
    if (!oc__verify_platform(verifier, report->expected, report->platform) ||
        !oc__verify_contract(verifier, "", &report->output) ||
        !check_prediction(verifier, report)) {
        return false;
    }
    if (!report->output_device) {
        return oc__verify_fail(verifier, "device_missing", "output_devices",
                               "the report at line %zu names no output device",
                               report->line);
    }
    if (report->process_index >= report->process_count) {
        return oc__verify_fail(verifier, "process_range", "process_index",
                               "process_index of the report at line %zu is not below "
                               "process_count",
                               report->line);
    }
    return true;
}

void oc__verify_lesson(oc__verifier *verifier, const oc__lesson_reports *reports)
{
    if (verifier->options->nonce) {
        oc__verify_fail(verifier, "nonce_differs", "nonce",
                        "a nonce is demanded and a lesson report carries none");
        return;
    }
    for (size_t i = 0; i < reports->count; i++) {
        if (!check_report(verifier, &reports->items[i])) {
            return;
        }
    }
    oc__verify_pass(verifier,
                    "%zu report%s of the lesson: platform %s on %.80s as required, "
                    "prediction equal to the reference; of placement there is only the "
                    "report's own word (basis api)",
                    reports->count, reports->count == 1 ? "" : "s",
                    verifier->result->platform, reports->items[0].output_device);
}
