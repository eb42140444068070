#include "base/clock.h"
#include "fit/fit_step.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fit_judge {
    oc__fit_reference reference;
    oc__fit_judgement *result;
} fit_judge;

/* --- controls --- */

static float as_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static float speed(const oc__fit_record *record)
{
    return fmaxf(
        fabsf(as_float(record->words[oc__fit_places[OC__FIT_VELOCITY].word])),
        fabsf(as_float(record->words[oc__fit_places[OC__FIT_VELOCITY].word + 1])));
}

enum { VELOCITY_DROPPED = 0, PARAMETER_MOVED, KEY_REUSED };
static const char *const control_names[OC__FIT_CONTROLS] = {
    [VELOCITY_DROPPED] = "velocity_dropped",
    [PARAMETER_MOVED] = "parameter_moved",
    [KEY_REUSED] = "key_reused"};

static oc_status control(fit_judge *j, size_t index, const oc__fit_record *before,
                         const oc__fit_record *wrong, oc_error *failure)
{
    oc__fit_control *c = &j->result->controls[index];
    oc__fit_held h;
    oc_status rc = oc__fit_hold(&j->reference, before, wrong, &h, failure);
    if (rc == OC_OK) {
        c->refuted = h.counts[OC__REFUTED] > 0;
        snprintf(c->detail, sizeof c->detail, "step %" PRIu32 ": %.120s",
                 before->words[oc__fit_places[OC__FIT_STEP].word] + 1,
                 c->refuted ? h.words : "the wrong copy is not refuted");
    }
    return rc;
}

/* records[0] is the start. */
static oc_status judge_controls(fit_judge *j, const oc__fit_record *records,
                                size_t count, oc_error *failure)
{
    size_t fastest = 1;
    for (size_t i = 2; i <= count; i++) {
        fastest = speed(&records[i]) > speed(&records[fastest]) ? i : fastest;
    }
    const oc__fit_record *before = &records[count - 1];
    oc__fit_record dropped = records[fastest], moved = records[count];
    oc__fit_record reused = records[count];
    memset(&dropped.words[oc__fit_places[OC__FIT_VELOCITY].word], 0,
           2 * sizeof *dropped.words);
    memcpy(reused.words, before->words, 2 * sizeof *reused.words);
    oc_status rc =
        control(j, VELOCITY_DROPPED, &records[fastest - 1], &dropped, failure);
    oc__fit_held h;
    if (rc == OC_OK) {
        rc = oc__fit_hold(&j->reference, before, &records[count], &h, failure);
    }
    if (rc == OC_OK) {
        // Four radii and four units in the last place from the midpoint.
        double unit = ldexp(fmax(fabs(h.parameter), 0x1p-126), -23);
        float value = (float)(h.parameter + 4.0 * (h.parameter_radius + unit));
        memcpy(&moved.words[oc__fit_places[OC__FIT_PARAMETERS].word], &value,
               sizeof value);
        rc = control(j, PARAMETER_MOVED, before, &moved, failure);
    }
    return rc == OC_OK ? control(j, KEY_REUSED, before, &reused, failure) : rc;
}

/* --- the verdict --- */

static void answer(fit_judge *j, oc_verdict verdict, const char *reason)
{
    j->result->verdict = verdict;
    j->result->reason = reason;
}

/* Sums over the steps. */
typedef struct totals {
    uint64_t counts[OC__OUTCOMES];
    uint64_t flushed;
    double velocity_radius, loss_radius;
    char words[160]; /* of the refuted step */
    bool start;      /* the first record is of another key or step */
} totals;

static void add(totals *sum, const oc__fit_held *h, size_t index)
{
    for (size_t k = 0; k < OC__OUTCOMES; k++) {
        sum->counts[k] += h->counts[k];
    }
    sum->flushed += h->flushed;
    sum->velocity_radius = fmax(sum->velocity_radius, h->velocity_radius);
    sum->loss_radius = fmax(sum->loss_radius, h->loss_radius);
    if (h->counts[OC__REFUTED] > 0) {
        memcpy(sum->words, h->words, sizeof sum->words);
        sum->start = index == 0 && (h->part == OC__FIT_KEY || h->part == OC__FIT_STEP);
    }
}

static bool controls_refuted(const oc__fit_judgement *result)
{
    bool all = true;
    for (size_t i = 0; i < OC__FIT_CONTROLS; i++) {
        all = all && result->controls[i].refuted;
    }
    return all;
}

static void describe_pass(oc__fit_judgement *result, const totals *sum)
{
    int used = snprintf(result->detail, sizeof result->detail,
                        "all %" PRId64 " steps follow from the states before them; "
                        "largest error %.3g of its bound; velocities are known within "
                        "%.2g, losses within %.2g",
                        result->steps, result->largest_ratio, sum->velocity_radius,
                        sum->loss_radius);
    if (sum->flushed > 0 && used > 0 && (size_t)used < sizeof result->detail) {
        snprintf(result->detail + used, sizeof result->detail - (size_t)used,
                 "; %" PRIu64 " steps read or write subnormal numbers as zeros",
                 sum->flushed);
    }
}

static void decide(fit_judge *j, const totals *sum)
{
    static const struct {
        oc__outcome outcome;
        const char *reason;
    } order[] = {{OC__NOT_JUDGED, "not_judged"},
                 {OC__UNDECIDED, "undecided"},
                 {OC__SUSPECT, "suspect"},
                 {OC__LOOSE, "loose"}};
    oc__fit_judgement *result = j->result;
    if (result->steps == 0) {
        answer(j, OC_UNKNOWN, "not_judged");
        snprintf(result->detail, sizeof result->detail, "there is no step");
        return;
    }
    if (sum->counts[OC__REFUTED] > 0) {
        answer(j, OC_FAIL, sum->start ? "other_start" : "refuted");
        snprintf(result->detail, sizeof result->detail,
                 "step %" PRId64 " does not follow from the state before it: %s",
                 result->first_wrong, sum->words);
        return;
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t count = sum->counts[order[i].outcome];
        if (count > 0) {
            answer(j, OC_UNKNOWN, order[i].reason);
            snprintf(result->detail, sizeof result->detail,
                     "%" PRIu64 " numbers of %" PRId64 " steps are %s", count,
                     result->steps, oc__outcome_name(order[i].outcome));
            return;
        }
    }
    if (!controls_refuted(result)) {
        answer(j, OC_UNKNOWN, "control_not_refuted");
        snprintf(result->detail, sizeof result->detail,
                 "a wrong copy of a record was not refuted, so nothing is shown");
        return;
    }
    answer(j, OC_PASS, "consistent");
    result->level = sum->flushed > 0                       ? "profile"
                    : sum->counts[OC__CONSISTENT_HARD] > 0 ? "hard"
                                                           : "exact";
    describe_pass(result, sum);
}

/* Up to the first step that is refuted. */
static oc_status judge_steps(fit_judge *j, const oc__fit_record *records, size_t count,
                             totals *sum, oc_error *failure)
{
    oc__fit_judgement *result = j->result;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK && result->first_wrong < 0; i++) {
        oc__fit_held h;
        rc = oc__fit_hold(&j->reference, &records[i], &records[i + 1], &h, failure);
        if (rc == OC_OK) {
            result->steps++;
            result->largest_ratio = fmax(result->largest_ratio, h.max_ratio);
            result->first_wrong =
                h.counts[OC__REFUTED] > 0 ? (int64_t)i + 1 : result->first_wrong;
            add(sum, &h, i);
        }
    }
    return rc;
}

static oc_status judge_all(fit_judge *j, uint32_t seed, const oc__fit_record *records,
                           size_t count, oc_error *failure)
{
    totals sum = {0};
    oc__fit_record *all = calloc(count + 1, sizeof *all);
    if (!all) {
        return OC_NOMEM;
    }
    all[0] = oc__fit_start(seed);
    if (count > 0) {
        memcpy(all + 1, records, count * sizeof *all);
    }
    oc_status rc = judge_steps(j, all, count, &sum, failure);
    if (rc == OC_OK && count > 0) {
        rc = judge_controls(j, all, (size_t)j->result->steps, failure);
    }
    if (rc == OC_OK) {
        decide(j, &sum);
    }
    free(all);
    return rc;
}

oc_status oc__fit_judge(int64_t batch, uint32_t seed, const oc__fit_record *records,
                        size_t count, const char *platform,
                        oc__fit_judgement *out_judgement, oc_error *err)
{
    double begun = oc__now_s();
    oc_error failure = {0};
    fit_judge j = {.result = out_judgement};
    *out_judgement = (oc__fit_judgement){.first_wrong = -1};
    for (size_t i = 0; i < OC__FIT_CONTROLS; i++) {
        out_judgement->controls[i].name = control_names[i];
    }
    oc_status rc = oc__fit_reference_open(&j.reference, batch, platform, &failure);
    if (rc == OC_OK) {
        rc = judge_all(&j, seed, records, count, &failure);
    }
    oc__fit_reference_close(&j.reference);
    if (rc == OC_NOMEM) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    if (rc != OC_OK) {
        answer(&j, OC_UNKNOWN, "unevaluated");
        snprintf(out_judgement->detail, sizeof out_judgement->detail,
                 "the reference cannot evaluate the update: %.200s", failure.text);
    }
    out_judgement->seconds = oc__now_s() - begun;
    return OC_OK;
}
