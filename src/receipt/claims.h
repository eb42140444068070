/* What a run of kind `check` may claim. Derived from the verdicts alone, so that the
 * runner writes and the verifier demands the same claims. */
#ifndef ONCHIP_RECEIPT_CLAIMS_H
#define ONCHIP_RECEIPT_CLAIMS_H

#include "receipt/receipt.h"

enum { OC__MAX_CLAIMS = 5 };

typedef struct oc__claims {
    oc__claim items[OC__MAX_CLAIMS]; /* their text is static or one of those below */
    size_t count;
    char placement[128];
    char collective[128];
} oc__claims;

/* What a verdict makes of a claim: "observed", "refuted" or "unverified". */
const char *oc__claim_status(oc_verdict verdict);

/* Uses the verdicts, both platforms and the number of shards. *out_claims must stay
 * where it is. */
void oc__receipt_derive_claims(const oc__receipt *receipt, oc__claims *out_claims);

/* Derives them and adds them to the receipt. */
void oc__receipt_add_claims(oc__receipt *receipt);

#endif
