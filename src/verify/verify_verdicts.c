/* The two verdicts, decided again by the code that decided them in the run. */
#include "numeric/prediction.h"
#include "placement/placement.h"
#include "verify/receipt_checks.h"

#include <stdio.h>
#include <string.h>

bool oc__verify_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

const char *oc__verify_shown(const char *text)
{
    return text ? text : "none";
}

bool oc__verify_recorded(oc__verifier *verifier, const char *name,
                         const oc__judgement *recorded, oc_verdict verdict,
                         const char *reason)
{
    char member[64];
    if (recorded->verdict == verdict && oc__verify_same(recorded->reason, reason)) {
        return true;
    }
    snprintf(member, sizeof member, "%s.verdict", name);
    return oc__verify_fail(verifier, "verdict_differs", member,
                           "%s is recorded as %s (%.40s), but the evidence says %s "
                           "(%s)",
                           name, oc_verdict_name(recorded->verdict), recorded->reason,
                           oc_verdict_name(verdict), reason);
}

bool oc__verify_level(oc__verifier *verifier, const char *recorded, const char *level)
{
    const char *shown = oc__verify_shown(recorded);
    return strcmp(shown, oc__verify_shown(level)) == 0 ||
           oc__verify_fail(verifier, "verdict_differs", "numeric.level",
                           "numeric.level is recorded as %.40s and is %s", shown,
                           oc__verify_shown(level));
}

bool oc__verify_requested_as(oc__verifier *verifier, const char *requested_as,
                             const char *expected)
{
    bool gpu_alias =
        oc__verify_same(requested_as, "gpu") &&
        (oc__verify_same(expected, "cuda") || oc__verify_same(expected, "rocm"));
    return oc__verify_same(requested_as, expected) || gpu_alias ||
           oc__verify_fail(verifier, "platform_differs", "requested_as",
                           "requested_as is %.60s, which does not stand for %.60s",
                           requested_as, expected);
}

void oc__verify_predictions(const oc__receipt *receipt, oc__prediction_result *out)
{
    const oc__prediction_case wanted = {.x = receipt->x,
                                        .w = receipt->w,
                                        .bias = receipt->bias[0],
                                        .changed_bias = receipt->bias[1]};
    oc__prediction_output outputs[OC__EXECUTIONS];
    for (size_t i = 0; i < OC__EXECUTIONS; i++) {
        outputs[i] =
            (oc__prediction_output){.name = oc__execution_name((oc__execution)i),
                                    .reached = true,
                                    .contract_holds = true, // these were checked before
                                    .values = receipt->outputs[i].values,
                                    .count = receipt->outputs[i].count};
    }
    oc__numeric_prediction(&wanted, outputs, out);
}

bool oc__verify_numeric(oc__verifier *verifier, const oc__receipt *receipt)
{
    oc__prediction_result numeric;
    oc__verify_predictions(receipt, &numeric);
    if (numeric.verdict == OC_FAIL) {
        return oc__verify_fail(verifier, numeric.reason, "numeric",
                               "the recorded values are not the reference's: %s",
                               numeric.detail);
    }
    if (numeric.verdict == OC_UNKNOWN) {
        oc__verify_unknown(verifier, numeric.reason, "numeric", "%s", numeric.detail);
    }
    if (receipt->max_absolute_error != numeric.max_absolute_error) {
        return oc__verify_fail(verifier, "error_differs", "max_absolute_error",
                               "max_absolute_error is recorded as %.17g and is %.17g",
                               receipt->max_absolute_error, numeric.max_absolute_error);
    }
    return oc__verify_level(verifier, receipt->numeric.level, numeric.level) &&
           oc__verify_recorded(verifier, "numeric", &receipt->numeric, numeric.verdict,
                               numeric.reason);
}

const char *oc__verify_find(const oc__evidence *evidence, size_t count,
                            const char *basis, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        const oc__evidence *item = &evidence[i];
        if (strcmp(item->basis, basis) == 0 && strcmp(item->what, what) == 0) {
            return item->value;
        }
    }
    return NULL;
}

bool oc__verify_stated(oc__verifier *verifier, const oc__stated *stated,
                       size_t stated_count, const oc__evidence *evidence, size_t count)
{
    for (size_t i = 0; i < stated_count; i++) {
        const char *value =
            oc__verify_find(evidence, count, stated[i].basis, stated[i].what);
        if (!oc__verify_same(value, stated[i].value)) {
            return oc__verify_fail(verifier, "evidence_differs", stated[i].member,
                                   "%s is %.80s, but the evidence '%s' says %.80s",
                                   stated[i].member, oc__verify_shown(stated[i].value),
                                   stated[i].what, oc__verify_shown(value));
        }
    }
    return true;
}

bool oc__verify_evidence(oc__verifier *verifier, const oc__receipt *receipt)
{
    const oc__stated stated[] = {
        {"api", "prediction.platform", "platform", receipt->platform},
        {"api", "prediction.device", "output_devices", receipt->output_device},
        {"hash", "plugin_sha256", "versions.plugin.sha256",
         receipt->versions.plugin_sha256},
    };
    return oc__verify_stated(verifier, stated, sizeof stated / sizeof *stated,
                             receipt->evidence, receipt->evidence_count);
}

bool oc__verify_placed(oc__verifier *verifier, const oc__placement_case *placed,
                       const oc__judgement *recorded)
{
    oc__placement_result placement;
    oc__placement_judge(placed, &placement);
    if (placement.verdict == OC_FAIL) {
        return oc__verify_fail(verifier, placement.reason, "placement.evidence", "%s",
                               placement.detail);
    }
    if (placement.verdict == OC_UNKNOWN) {
        oc__verify_unknown(verifier, placement.reason, "placement.evidence", "%s",
                           placement.detail);
    }
    return oc__verify_recorded(verifier, "placement", recorded, placement.verdict,
                               placement.reason);
}

bool oc__verify_placement(oc__verifier *verifier, const oc__receipt *receipt)
{
    const oc__placement_case placed = oc__placement_of_check(receipt);
    return oc__verify_placed(verifier, &placed, &receipt->placement);
}

bool oc__verify_claims(oc__verifier *verifier, const oc__claim *borne,
                       size_t borne_count, const oc__claim *recorded,
                       size_t recorded_count)
{
    bool equal = borne_count == recorded_count;
    for (size_t i = 0; equal && i < borne_count; i++) {
        equal = oc__verify_same(borne[i].statement, recorded[i].statement) &&
                oc__verify_same(borne[i].status, recorded[i].status) &&
                oc__verify_same(borne[i].evidence, recorded[i].evidence);
    }
    return equal || oc__verify_fail(verifier, "claims_differ", "claims",
                                    "the claims are not those that the verdicts bear");
}
