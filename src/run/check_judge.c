#include "run/check_run.h"

#include "numeric/prediction.h"
#include "placement/placement.h"
#include "receipt/claims.h"
#include "reference/affine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keeps_contract(const oc__output *output)
{
    return output->reached && output->rank == 1 && output->dims[0] == OC__ROWS &&
           strcmp(output->dtype, "float32") == 0;
}

static void judge_numeric(oc__check_run *run)
{
    oc__receipt *receipt = run->receipt;
    oc__prediction_case wanted = {.x = receipt->x,
                                  .w = receipt->w,
                                  .bias = receipt->bias[0],
                                  .changed_bias = receipt->bias[1]};
    oc__prediction_output outputs[OC__EXECUTIONS];
    for (oc__execution i = 0; i < OC__EXECUTIONS; i++) {
        const oc__output *output = &receipt->outputs[i];
        outputs[i] = (oc__prediction_output){.name = oc__execution_name(i),
                                             .reached = output->reached,
                                             .contract_holds = keeps_contract(output),
                                             .values = output->values,
                                             .count = output->count};
    }
    oc__prediction_result result;
    oc__numeric_prediction(&wanted, outputs, &result);
    memcpy(run->reference, result.reference, sizeof run->reference);
    receipt->max_absolute_error = result.max_absolute_error;
    receipt->numeric =
        (oc__judgement){.verdict = result.verdict,
                        .level = result.level,
                        .reason = result.reason,
                        .detail = oc__receipt_keep(receipt, result.detail)};
    if (*result.swap_detail) {
        oc__receipt_add_control(receipt, "rows_swapped", "numeric", result.swap_refuted,
                                result.swap_detail);
        oc__receipt_add_control(receipt, "bias_dropped", "numeric", result.drop_refuted,
                                result.drop_detail);
    }
}

static void judge_placement(oc__check_run *run)
{
    oc__receipt *receipt = run->receipt;
    oc__placement_result result;
    const oc__placement_case placed = oc__placement_of_check(receipt);
    oc__placement_judge(&placed, &result);
    receipt->placement =
        (oc__judgement){.verdict = result.verdict,
                        .reason = result.reason,
                        .detail = oc__receipt_keep(receipt, result.detail)};
    if (!receipt->platform) {
        return;
    }
    char detail[sizeof result.detail];
    bool refuted = oc__placement_refutes_other(&placed, detail, sizeof detail);
    oc__receipt_add_control(receipt, "other_platform", "placement", refuted, detail);
    if (!refuted && receipt->placement.verdict == OC_PASS) {
        receipt->placement = (oc__judgement){
            .verdict = OC_UNKNOWN,
            .reason = "control_not_refuted",
            .detail = "a wrong platform report was not refuted, so nothing is shown"};
    }
}

/* The right sums on the right owners. */
static void judge_collective(oc__check_run *run)
{
    oc__receipt *receipt = run->receipt;
    size_t blamed = 0;
    const char *misplaced =
        oc__placement_shards(receipt->shards, receipt->shard_count, &blamed);
    oc__judgement *out = &receipt->collective;
    if (misplaced) {
        *out = (oc__judgement){
            .verdict = OC_FAIL,
            .reason = "misplaced",
            .detail = oc__receipt_keepf(receipt, "shard %zu %s", blamed, misplaced)};
        return;
    }
    for (size_t i = 0; i < receipt->shard_count; i++) {
        double own;
        double all;
        oc__reference_replica_sums(i, receipt->shard_count, OC__ROWS, &own, &all);
        const oc__shard *shard = &receipt->shards[i];
        if (shard->sum_of_squares != own || shard->all_reduced != all) {
            *out = (oc__judgement){
                .verdict = OC_FAIL,
                .reason = "sum_differs",
                .detail = oc__receipt_keepf(
                    receipt,
                    "replica %zu has %.9g and %.9g in all, must be %.9g and %.9g", i,
                    shard->sum_of_squares, shard->all_reduced, own, all)};
            return;
        }
    }
    *out = (oc__judgement){
        .verdict = OC_PASS,
        .reason = "closed_form",
        .detail = oc__receipt_keepf(
            receipt,
            "%zu shards and %zu all-reduced sums, each on a device of its own, equal "
            "n(n-1)(2n-1)/6",
            receipt->shard_count, receipt->shard_count)};
}

void oc__check_judge(oc__check_run *run)
{
    judge_numeric(run);
    judge_placement(run);
    if (run->receipt->shard_count > 0) {
        judge_collective(run);
    }
    oc__receipt_add_claims(run->receipt);
}
