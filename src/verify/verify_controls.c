/* The negative controls, replayed, and the collective. */
#include "placement/placement.h"
#include "reference/affine.h"
#include "verify/receipt_checks.h"

#include <stdio.h>

static bool check_control(oc__verifier *verifier, const oc__control_demand *demand,
                          const oc__control *recorded, size_t count)
{
    const oc__control *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (oc__verify_same(recorded[i].name, demand->name)) {
            found = &recorded[i];
        }
    }
    if (!found || !oc__verify_same(found->verdict, demand->verdict)) {
        return oc__verify_fail(verifier, "control_missing", "controls",
                               "the negative control '%s' of the %s verdict is missing",
                               demand->name, demand->verdict);
    }
    if (!found->refuted || !demand->refuted_now) {
        return oc__verify_unknown(verifier, "control_not_refuted", "controls",
                                  "the negative control '%s' was not refuted, so the "
                                  "run shows nothing",
                                  demand->name);
    }
    return true;
}

bool oc__verify_demanded(oc__verifier *verifier, const oc__control_demand *demands,
                         size_t demand_count, const oc__control *recorded,
                         size_t recorded_count)
{
    if (recorded_count != demand_count) {
        return oc__verify_fail(verifier, "control_missing", "controls",
                               "%zu negative controls are recorded, must be %zu",
                               recorded_count, demand_count);
    }
    for (size_t i = 0; i < demand_count; i++) {
        if (!check_control(verifier, &demands[i], recorded, recorded_count)) {
            return false;
        }
    }
    return true;
}

bool oc__verify_controls(oc__verifier *verifier, const oc__receipt *receipt)
{
    oc__prediction_result numeric;
    oc__verify_predictions(receipt, &numeric);
    const oc__placement_case placed = oc__placement_of_check(receipt);
    char detail[sizeof((oc__placement_result *)0)->detail];
    bool other_refuted = oc__placement_refutes_other(&placed, detail, sizeof detail);
    const oc__control_demand demands[] = {
        {"rows_swapped", "numeric", numeric.swap_refuted},
        {"bias_dropped", "numeric", numeric.drop_refuted},
        {"other_platform", "placement", other_refuted},
    };
    return oc__verify_demanded(verifier, demands, sizeof demands / sizeof *demands,
                               receipt->controls, receipt->control_count);
}

static bool fail_shard(oc__verifier *verifier, size_t shard, const char *why)
{
    char member[64];
    snprintf(member, sizeof member, "collective.shards[%zu]", shard);
    return oc__verify_fail(verifier, "collective_wrong", member, "%s %s", member, why);
}

bool oc__verify_collective(oc__verifier *verifier, const oc__receipt *receipt)
{
    size_t blamed = 0;
    if (receipt->shard_count == 0) {
        return true;
    }
    const char *misplaced =
        oc__placement_shards(receipt->shards, receipt->shard_count, &blamed);
    if (misplaced) {
        return fail_shard(verifier, blamed, misplaced);
    }
    for (size_t i = 0; i < receipt->shard_count; i++) {
        const oc__shard *shard = &receipt->shards[i];
        double own;
        double all;
        oc__reference_replica_sums(i, receipt->shard_count, OC__ROWS, &own, &all);
        if (shard->sum_of_squares != own || shard->all_reduced != all) {
            return fail_shard(verifier, i, "differs from the closed form");
        }
    }
    if (!oc__verify_same(receipt->collective_kind,
                         oc__receipt_collective_kind(receipt->expected))) {
        return oc__verify_fail(verifier, "collective_wrong", "collective.kind",
                               "collective.kind is '%.40s', must be '%s'",
                               receipt->collective_kind,
                               oc__receipt_collective_kind(receipt->expected));
    }
    return receipt->collective.verdict == OC_PASS ||
           oc__verify_fail(verifier, "verdict_differs", "collective.verdict",
                           "collective is recorded as %s, but the evidence says PASS",
                           oc_verdict_name(receipt->collective.verdict));
}
