#include "fit/fit_step.h"

#include "fit/fit_program.h"
#include "stablehlo/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const oc__fit_place oc__fit_places[OC__FIT_PARTS] = {
    [OC__FIT_KEY] = {"key", OC_U32, 1, 0, 2},
    [OC__FIT_STEP] = {"step", OC_U32, 0, 2, 1},
    [OC__FIT_PARAMETERS] = {"parameter", OC_F32, 1, 3, 2},
    [OC__FIT_VELOCITY] = {"velocity", OC_F32, 1, 5, 2},
    [OC__FIT_LOSS] = {"loss", OC_F32, 0, 7, 1},
};

/* Where the line fits, velocity and loss are made of what e = p0 x + p1 - y cancels
 * to: their radii are no longer small beside them, and the ladder calls them loose.
 * What they are for is another scale. A velocity acts by moving the parameters, by rate
 * v in its step and by rate momentum^k v in the k-th after it: rate / (1 - momentum) v
 * in all. The loss says how much of that of the zero line is left, the mean of y^2. An
 * element that is loose for its own size counts when, by that scale, its radius leaves
 * less open than half the digits of an f32. */
#define HALF_THE_DIGITS 0x1p-12

static oc_tensor part_of(oc__fit_record *record, size_t part)
{
    return (oc_tensor){.dtype = oc__fit_places[part].dtype,
                       .rank = oc__fit_places[part].rank,
                       .dims = {2},
                       .size_bytes = oc__fit_places[part].count * sizeof *record->words,
                       .data = &record->words[oc__fit_places[part].word]};
}

/* The radius of one of the reference's elements. */
static double radius_of(const oc__value *value, size_t element)
{
    return value->r ? oc__r(value)[element] : 0.0;
}

/* Whether a loose element is known well enough by the scale of what it is for. */
static bool known_by_scale(const oc__fit_reference *reference,
                           const oc__evaluation *evaluation, size_t part,
                           size_t element)
{
    double radius = radius_of(evaluation->outputs[part], element);
    const double *p = oc__m(evaluation->outputs[OC__FIT_PARAMETERS]);
    double reach = (double)OC__FIT_RATE / (1.0 - (double)OC__FIT_MOMENTUM);
    switch (part) {
    case OC__FIT_VELOCITY:
        return reach * radius <= HALF_THE_DIGITS * fmax(fabs(p[0]), fabs(p[1]));
    case OC__FIT_LOSS: return radius <= HALF_THE_DIGITS * reference->zero_line;
    default: return false;
    }
}

static void describe(oc__fit_held *h, size_t part, const oc__ladder *ladder)
{
    char element[8] = "", radius[32] = "";
    if (oc__fit_places[part].rank) {
        snprintf(element, sizeof element, " %zu", ladder->worst);
    }
    if (ladder->worst_radius > 0.0) {
        snprintf(radius, sizeof radius, " +- %.3g", ladder->worst_radius);
    }
    h->part = (oc__fit_part)part;
    snprintf(h->words, sizeof h->words, "%s%s is %.10g, must be %.10g%s",
             oc__fit_places[part].name, element, ladder->worst_got, ladder->worst_want,
             radius);
}

static oc_status hold_part(const oc__fit_reference *reference,
                           const oc__evaluation *evaluation, oc__fit_record *after,
                           size_t part, oc__fit_held *h, oc_error *err)
{
    const oc__value *want = evaluation->outputs[part];
    const oc_tensor got = part_of(after, part);
    oc__ladder ladder = {0};
    oc_status rc = oc__ladder_judge(&got, want, &ladder, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (size_t i = 0; i < ladder.count; i++) {
        if (ladder.outcomes[i] == OC__LOOSE &&
            known_by_scale(reference, evaluation, part, i)) {
            ladder.outcomes[i] = OC__CONSISTENT_HARD;
        }
        h->counts[ladder.outcomes[i]]++;
        double radius = radius_of(want, i);
        if (part == OC__FIT_VELOCITY) {
            h->velocity_radius = fmax(h->velocity_radius, radius);
        } else if (part == OC__FIT_LOSS) {
            h->loss_radius = radius;
        }
    }
    if (ladder.counts[OC__REFUTED] > 0 && h->words[0] == '\0') {
        describe(h, part, &ladder);
    }
    h->max_ratio = fmax(h->max_ratio, ladder.max_ratio);
    oc__ladder_free(&ladder);
    return OC_OK;
}

static oc_status hold_under(oc__fit_reference *reference, const oc__fit_record *before,
                            const oc__fit_record *after, bool flush, oc__fit_held *out,
                            oc_error *err)
{
    oc__evaluation evaluation = {0};
    oc__fit_record got = *after;
    const oc__eval_limits none = {0};
    *out = (oc__fit_held){.flushed = flush};
    // A number that was flushed is off by what no rounding does: no statistics then.
    const oc__arith arith = {
        .platform = reference->platform, .sigma = !flush, .flush = flush};
    reference->before = *before;
    oc_status rc = oc__evaluate(reference->module, 1, 1, reference->arguments,
                                OC__FIT_ARGUMENTS, &arith, &none, &evaluation, err);
    for (size_t part = 0; part < OC__FIT_PARTS && rc == OC_OK; part++) {
        rc = hold_part(reference, &evaluation, &got, part, out, err);
    }
    if (rc == OC_OK) {
        out->parameter = oc__m(evaluation.outputs[OC__FIT_PARAMETERS])[0];
        out->parameter_radius = radius_of(evaluation.outputs[OC__FIT_PARAMETERS], 0);
    }
    oc__evaluation_free(&evaluation);
    return rc;
}

oc_status oc__fit_hold(oc__fit_reference *reference, const oc__fit_record *before,
                       const oc__fit_record *after, oc__fit_held *out, oc_error *err)
{
    oc_status rc = hold_under(reference, before, after, false, out, err);
    if (rc == OC_OK && out->counts[OC__REFUTED] > 0) {
        oc__fit_held flushed;
        rc = hold_under(reference, before, after, true, &flushed, err);
        if (rc == OC_OK && flushed.counts[OC__REFUTED] == 0) {
            *out = flushed;
        }
    }
    return rc;
}

void oc__fit_reference_close(oc__fit_reference *reference)
{
    oc__hlo_module_free(reference->module);
    oc_tensor_free(&reference->arguments[0]);
    oc_tensor_free(&reference->arguments[1]);
    *reference = (oc__fit_reference){0};
}

oc_status oc__fit_reference_open(oc__fit_reference *reference, int64_t batch,
                                 const char *platform, oc_error *err)
{
    *reference = (oc__fit_reference){.platform = platform};
    char *text = oc__fit_text(batch, OC__FIT_GIVES_LOSS);
    oc_status rc =
        text ? oc__hlo_parse(text, strlen(text), "fit.mlir", &reference->module, err)
             : oc__no_memory(err);
    free(text);
    if (rc == OC_OK) {
        rc = oc__fit_data(&reference->arguments[0], &reference->arguments[1], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    for (size_t part = 0; part < OC__FIT_STATE_TENSORS; part++) {
        reference->arguments[2 + part] = part_of(&reference->before, part);
    }
    for (size_t i = 0; i < OC__FIT_POINTS; i++) {
        double y = (double)((const float *)reference->arguments[1].data)[i];
        reference->zero_line += y * y / OC__FIT_POINTS;
    }
    return OC_OK;
}
