/* The numeric verdict on the lesson's prediction, the same code for the run and for its
 * verification: three outputs against the independent reference and against each other,
 * and two negative controls through the same judge. */
#ifndef ONCHIP_NUMERIC_PREDICTION_H
#define ONCHIP_NUMERIC_PREDICTION_H

#include "numeric/exact.h"

enum { OC__PREDICTION_ROWS = 8, OC__PREDICTION_FEATURES = 3, OC__NUMERIC_DETAIL = 256 };

typedef struct oc__prediction_case {
    const float *x; /* rows x features */
    const float *w;
    float bias;         /* of the prediction and of the row reversal */
    float changed_bias; /* of the second program */
} oc__prediction_case;

/* An output as it came back. */
typedef struct oc__prediction_output {
    const char *name; /* for the sentence */
    bool reached;
    bool contract_holds; /* float32 of shape [8] */
    const float *values;
    size_t count;
} oc__prediction_output;

typedef struct oc__prediction_result {
    oc_verdict verdict;
    const char *level;  /* "exact" or NULL; static text */
    const char *reason; /* as oc__numeric_result, or "not_reached", "contract_changed",
                           "control_not_refuted"; static text */
    char detail[OC__NUMERIC_DETAIL];
    double max_absolute_error; /* of the prediction; NaN when there is none */
    float reference[OC__PREDICTION_ROWS];
    /* Wrong on purpose: the judge must refute both. */
    bool swap_refuted, drop_refuted;
    char swap_detail[OC__NUMERIC_DETAIL], drop_detail[OC__NUMERIC_DETAIL];
} oc__prediction_result;

/* outputs: the prediction, the changed bias, the row reversal. In the order in which
 * they are tried: each output was reached, has its contract and equals its own
 * reference bit for bit; the changed bias is the prediction plus (changed_bias - bias);
 *   the controls, on the prediction: an expectation with two different rows swapped
 * (its sum is unchanged) and one without the bias are refuted. A PASS whose control was
 * not is UNKNOWN. */
void oc__numeric_prediction(const oc__prediction_case *wanted,
                            const oc__prediction_output outputs[3],
                            oc__prediction_result *out_result);

#endif
