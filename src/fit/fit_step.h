/* One record held against the state before it. */
#ifndef ONCHIP_FIT_FIT_STEP_H
#define ONCHIP_FIT_FIT_STEP_H

#include "fit/fit.h"
#include "numeric/ladder.h"
#include "stablehlo/module.h"

/* What main gives (OC__FIT_GIVES_LOSS), in order, and where a record has its bits. */
typedef enum oc__fit_part {
    OC__FIT_KEY = 0,
    OC__FIT_STEP,
    OC__FIT_PARAMETERS,
    OC__FIT_VELOCITY,
    OC__FIT_LOSS,
    OC__FIT_PARTS
} oc__fit_part;

typedef struct oc__fit_place {
    const char *name;
    oc_dtype dtype;
    size_t rank, word, count; /* of words */
} oc__fit_place;
extern const oc__fit_place oc__fit_places[OC__FIT_PARTS];

/* The reference of one batch size, which stays where it was opened. */
enum { OC__FIT_ARGUMENTS = 2 + OC__FIT_STATE_TENSORS };
typedef struct oc__fit_reference {
    oc__hlo_module *module;
    oc_tensor arguments[OC__FIT_ARGUMENTS]; /* x and y; the others look into `before` */
    oc__fit_record before;
    double zero_line; /* mean of y^2 */
    const char *platform;
} oc__fit_reference;

/* To be closed whatever comes of it. */
OC_MUST_USE oc_status oc__fit_reference_open(oc__fit_reference *reference,
                                             int64_t batch, const char *platform,
                                             oc_error *err);
void oc__fit_reference_close(oc__fit_reference *reference);

typedef struct oc__fit_held {
    uint64_t counts[OC__OUTCOMES];
    double max_ratio; /* error over bound */
    double velocity_radius, loss_radius;
    double parameter, parameter_radius; /* the first */
    bool flushed;                       /* only when subnormal numbers may be zeros */
    oc__fit_part part; /* of the first refuted element, and that in words */
    char words[160];
} oc__fit_held;

/* Under the text's contract; and where that refutes, under the one in which subnormal
 * numbers may be zeros: a velocity below 2^-126 moves nothing, and the fit leaves it to
 * the device. */
OC_MUST_USE oc_status oc__fit_hold(oc__fit_reference *reference,
                                   const oc__fit_record *before,
                                   const oc__fit_record *after, oc__fit_held *out,
                                   oc_error *err);

#endif
