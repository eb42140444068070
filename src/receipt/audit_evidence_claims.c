/* What an audit may claim: a function of what it holds and of nothing else. */
#include "receipt/audit_evidence.h"

#include <stdio.h>
#include <string.h>

size_t oc__audit_count(const char *const *texts, size_t max)
{
    size_t count = 0;
    while (count < max && texts[count]) {
        count++;
    }
    return count;
}

int64_t oc__audit_sum(const int64_t participants[OC__AUDIT_PARTICIPANTS],
                      int64_t without)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < OC__AUDIT_PARTICIPANTS; i++) {
        sum += i == without ? 0 : participants[i];
    }
    return sum;
}

void oc__audit_derive_supports(const oc__audit_receipt *receipt,
                               const char *out_supports[OC__AUDIT_SUPPORTS])
{
    size_t count = 0;
    memset(out_supports, 0, sizeof *out_supports * OC__AUDIT_SUPPORTS);
    if (strcmp(receipt->platform, "tpu") == 0 && receipt->device_kind) {
        out_supports[count++] = OC__AUDIT_TPU_TOPOLOGY;
    }
    // A receipt names more than one device only when its collective ran over them.
    if (strcmp(receipt->platform, "cpu") != 0 &&
        oc__audit_count(receipt->devices, OC__MAX_SHARDS) > 1) {
        out_supports[count++] = OC__AUDIT_ACCELERATOR_COLLECTIVES;
    }
}

/* The first added receipt that supports this; OC__AUDIT_RECEIPTS when none does. */
static size_t find_support(const oc__audit_evidence *evidence, const char *supported)
{
    for (size_t i = 0; i < evidence->added_receipt_count; i++) {
        const char *const *supports = evidence->added_receipts[i].supports;
        for (size_t k = 0; k < oc__audit_count(supports, OC__AUDIT_SUPPORTS); k++) {
            if (strcmp(supports[k], supported) == 0) {
                return i;
            }
        }
    }
    return OC__AUDIT_RECEIPTS;
}

/* A claim that takes a receipt. Its evidence names members and quotes nothing, so that
 * it is short and plain text whatever a receipt says. */
static oc__claim claim_with(const oc__audit_evidence *evidence, const char *supported,
                            const char *statement, const char *members,
                            const char *missing, char out_evidence[OC__AUDIT_EVIDENCE])
{
    size_t index = find_support(evidence, supported);
    bool found = index < OC__AUDIT_RECEIPTS;
    if (found) {
        snprintf(out_evidence, OC__AUDIT_EVIDENCE, "added_receipts[%zu]: %s", index,
                 members);
    }
    return (oc__claim){statement, found ? "observed" : "unverified",
                       found ? out_evidence : missing};
}

void oc__audit_derive_claims(const oc__audit_evidence *evidence,
                             oc__audit_claims *out_claims)
{
    const int64_t *simulated = evidence->simulated_participants;
    bool sums_hold = evidence->simulated_sum == oc__audit_sum(simulated, -1) &&
                     evidence->simulated_sum_without ==
                         oc__audit_sum(simulated, evidence->simulated_without_index);
    bool reduced = evidence->collective_sum ==
                   oc__audit_sum(evidence->collective_participants, -1);
    oc__claim *items = out_claims->items;
    items[0] = (oc__claim){
        "CPU discovery: the runtime reports the backend cpu and names its devices",
        evidence->device_count > 0 ? "observed" : "unverified",
        "backend, device_count, devices"};
    items[1] = (oc__claim){"local arithmetic: a product of weights stored as bfloat16 "
                           "is right to the last "
                           "bit on the CPU",
                           evidence->matmul_exact ? "observed" : "refuted",
                           "storage_dtype, operand_dtype, result_dtype, matmul"};
    items[2] = (oc__claim){
        "simulated participants: 1, 2 and 3 sum to 6, and to 4 without participant 1",
        sums_hold ? "simulated" : "refuted",
        "simulated: arithmetic in one process, without a device"};
    items[3] =
        (oc__claim){"CPU collective: an all-reduce over three CPU devices sums to 6",
                    reduced ? "observed" : "refuted",
                    "collective: the devices are one CPU's threads"};
    items[4] = claim_with(
        evidence, OC__AUDIT_TPU_TOPOLOGY,
        "TPU topology: a TPU's devices and their kind", "devices, device_kind",
        "no receipt of a check on a TPU was added", out_claims->topology);
    items[5] = (oc__claim){
        "native BF16 execution: a device multiplies in bfloat16", "unverified",
        "the product here is a dtype path, stored as bfloat16 and multiplied as "
        "float32; no kind of receipt yet shows more"};
    items[6] = claim_with(evidence, OC__AUDIT_ACCELERATOR_COLLECTIVES,
                          "accelerator collectives: a sum was reduced over the devices "
                          "of an accelerator",
                          "devices, over which an all-reduce was right",
                          "no receipt of an accelerator's collective was added",
                          out_claims->collectives);
}
