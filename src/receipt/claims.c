#include "receipt/claims.h"

#include <stdio.h>
#include <string.h>

const char *oc__claim_status(oc_verdict verdict)
{
    switch (verdict) {
    case OC_PASS: return "observed";
    case OC_FAIL: return "refuted";
    case OC_UNKNOWN:
    case OC_VERDICT_UNSET: break;
    }
    return "unverified";
}

static void claim(oc__claims *claims, const char *statement, const char *status,
                  const char *evidence)
{
    OC_ASSERT(claims->count < OC__MAX_CLAIMS);
    claims->items[claims->count++] =
        (oc__claim){.statement = statement, .status = status, .evidence = evidence};
}

void oc__receipt_derive_claims(const oc__receipt *receipt, oc__claims *out_claims)
{
    const char *expected = receipt->expected;
    bool on_cpu = strcmp(expected, "cpu") == 0;
    *out_claims = (oc__claims){0};
    snprintf(out_claims->placement, sizeof out_claims->placement,
             "the predictions ran on %.60s", expected);
    snprintf(out_claims->collective, sizeof out_claims->collective,
             "an all-reduce over %zu %.60s devices is right", receipt->shard_count,
             on_cpu ? "virtual cpu" : expected);

    claim(out_claims, "the predictions equal the independent reference bit for bit",
          oc__claim_status(receipt->numeric.verdict), "numeric");
    claim(out_claims, out_claims->placement,
          receipt->platform ? oc__claim_status(receipt->placement.verdict)
                            : "unverified",
          "placement");
    if (strcmp(expected, "tpu") != 0) {
        claim(out_claims, "the predictions ran on a TPU", "unverified",
              "no TPU was requested in this run");
    }
    if (receipt->shard_count > 0) {
        claim(out_claims, out_claims->collective,
              oc__claim_status(receipt->collective.verdict), "collective");
    }
    if (receipt->shard_count > 0 && on_cpu) {
        claim(out_claims, "a collective ran over an accelerator's interconnect",
              "unverified", "the devices are one CPU's threads");
    }
}

void oc__receipt_add_claims(oc__receipt *receipt)
{
    oc__claims claims;
    oc__receipt_derive_claims(receipt, &claims);
    for (size_t i = 0; i < claims.count; i++) {
        oc__receipt_add_claim(receipt, claims.items[i].statement,
                              claims.items[i].status, claims.items[i].evidence);
    }
}
