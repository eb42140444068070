#include "numeric/judge_explain.h"

#include "tensor/float_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const deviation_names[OC__DEVIATIONS] = {
    "flush-to-zero", "reciprocal-division", "fused-multiply-add", "excess-precision",
    "extra-rounding"};

const char *oc__deviation_name(size_t index)
{
    OC_ASSERT(index < OC__DEVIATIONS);
    return deviation_names[index];
}

unsigned oc__deviation_bit(const char *name)
{
    for (size_t i = 0; i < OC__DEVIATIONS; i++) {
        if (strcmp(name, deviation_names[i]) == 0) {
            return 1U << i;
        }
    }
    return 0;
}

static oc__arith deviating(oc__arith arith, unsigned set)
{
    arith.flush = set & OC__DEVIATES_FLUSH;
    arith.reciprocal = set & OC__DEVIATES_RECIPROCAL;
    arith.contraction = set & OC__DEVIATES_CONTRACTION;
    arith.excess = set & OC__DEVIATES_EXCESS;
    arith.rounding = set & OC__DEVIATES_ROUNDING;
    return arith;
}

/* One set of deviations, tried on the outputs of one model; explained[output] counts.
 */
typedef struct trial {
    const oc__judge_model *with;
    unsigned set;
    uint64_t *explained;
    bool settle; /* take what it explains into the outcomes */
} trial;

static bool refuted_under(const oc__judged *judged, size_t output, const void *context)
{
    const trial *t = context;
    const oc__judged_output *o = &judged->result->outputs[output];
    return o->ladder.counts[OC__REFUTED] > o->explained &&
           oc__judge_model_named(o->model) == t->with &&
           (!t->settle || o->deviations == t->set);
}

/* Whether an element inside the deviation's ball is explained by it. A ball without an
 * end holds anything and explains nothing; no deviation moves the sign of a zero. */
static bool explains(const oc_tensor *got, const oc__value *text, const oc__value *want,
                     size_t element)
{
    if (!oc__value_has_balls(want)) {
        return true;
    }
    size_t width = oc__dtype_is_complex(want->dtype) ? 2 : 1;
    size_t size = oc_dtype_host_bits(got->dtype) / 8;
    bool fixed = !(text->f && (oc__f(text)[element] & OC__F_ZERO_SIGN));
    double value[2];
    oc__float_decode_array(got->dtype, (const char *)got->data + element * size, width,
                           value);
    for (size_t k = 0; k < width; k++) {
        size_t at = element * width + k;
        double m = oc__m(text)[at];
        bool is_point = !text->r || oc__r(text)[at] == 0.0;
        bool endless = want->r && !(oc__r(want)[at] < (double)INFINITY);
        bool other_zero =
            m == 0.0 && value[k] == 0.0 && signbit(m) != signbit(value[k]);
        if (endless || (fixed && is_point && other_zero)) {
            return false;
        }
    }
    return true;
}

static void use_trial(oc__judged *judged, size_t output, const oc__ladder *other,
                      const oc__evaluation *evaluation, const void *context)
{
    const trial *t = context;
    const oc__value *want = evaluation->outputs[output];
    oc__judged_output *o = &judged->result->outputs[output];
    const oc__value *text = judged->result->evaluation.outputs[output];
    bool allowed = (t->set & ~judged->options->allowed) == 0;
    uint64_t explained = 0;
    for (size_t i = 0; i < o->ladder.count; i++) {
        if (o->ladder.outcomes[i] != OC__REFUTED || other->outcomes[i] == OC__REFUTED ||
            !explains(&judged->outputs[output], text, want, i)) {
            continue;
        }
        explained++;
        if (t->settle && allowed) {
            o->ladder.outcomes[i] = other->outcomes[i] <= OC__CONSISTENT_PROFILE
                                        ? OC__CONSISTENT_PROFILE
                                        : other->outcomes[i];
        }
    }
    t->explained[output] = explained;
    if (t->settle) {
        o->explained = allowed ? 0 : explained;
        oc__ladder_count(&o->ladder);
    }
}

static oc_status try_set(oc__judged *judged, const oc__judge_model *with, unsigned set,
                         uint64_t *explained, bool settle, oc_error *err)
{
    trial t = {.with = with, .set = set, .explained = explained, .settle = settle};
    memset(explained, 0, judged->result->output_count * sizeof *explained);
    if (!oc__judge_any(judged, refuted_under, &t)) {
        return OC_OK;
    }
    oc__arith arith = deviating(oc__judge_arith(judged, with), set);
    return oc__judge_under(judged, &arith, refuted_under, use_trial, &t, err);
}

/* Keeps, for every output, the smallest set that explains the most: single ones first,
 * then all together less those that are not needed. */
static oc_status choose_sets(oc__judged *judged, const oc__judge_model *with,
                             uint64_t *explained, uint64_t *best, oc_error *err)
{
    const unsigned all = (1U << OC__DEVIATIONS) - 1;
    oc__judged_output *outputs = judged->result->outputs;
    size_t n = judged->result->output_count;
    oc_status rc = OC_OK;
    memset(best, 0, n * sizeof *best);
    for (size_t i = 0; i <= OC__DEVIATIONS && rc == OC_OK; i++) {
        unsigned set = i < OC__DEVIATIONS ? 1U << i : all;
        rc = try_set(judged, with, set, explained, false, err);
        for (size_t k = 0; rc == OC_OK && k < n; k++) {
            if (explained[k] > best[k]) {
                best[k] = explained[k];
                outputs[k].deviations = set;
            }
        }
    }
    for (size_t i = 0; i < OC__DEVIATIONS && rc == OC_OK; i++) {
        unsigned without = 0;
        for (size_t k = 0; k < n; k++) {
            unsigned set = outputs[k].deviations;
            bool many = (set & (set - 1)) != 0;
            without =
                best[k] > 0 && many && (set >> i & 1) ? set & ~(1U << i) : without;
        }
        if (without == 0) {
            continue;
        }
        rc = try_set(judged, with, without, explained, false, err);
        for (size_t k = 0; rc == OC_OK && k < n; k++) {
            if (best[k] > 0 && (outputs[k].deviations & ~(1U << i)) == without &&
                explained[k] == best[k]) {
                outputs[k].deviations = without;
            }
        }
    }
    return rc;
}

oc_status oc__judge_deviations(oc__judged *judged, oc_error *err)
{
    size_t n = judged->result->output_count;
    uint64_t *explained = calloc(2 * n + 1, sizeof *explained);
    oc_status rc = OC_OK;
    if (!explained) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    for (size_t i = 0; i <= OC__JUDGE_MODELS && rc == OC_OK; i++) {
        const oc__judge_model *with = i == 0 ? NULL : &oc__judge_models_known[i - 1];
        trial t = {.with = with};
        if (!oc__judge_any(judged, refuted_under, &t)) {
            continue;
        }
        rc = choose_sets(judged, with, explained, explained + n, err);
        for (unsigned set = 1; set < 1U << OC__DEVIATIONS && rc == OC_OK; set++) {
            rc = try_set(judged, with, set, explained, true, err);
        }
    }
    free(explained);
    return rc;
}
