/* The model of a run's receipt, as text and back. */
#include "receipt/run_receipt.h"

#include "onchip/version.h"
#include "receipt/claims.h"
#include "receipt/receipt_json.h"
#include "receipt/receipt_lists.h"
#include "receipt/receipt_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

oc__run_receipt *oc__run_receipt_new(void)
{
    oc__run_receipt *receipt = calloc(1, sizeof *receipt);
    oc__receipt_pool *pool = oc__pool_new();
    if (!receipt || !pool) {
        free(receipt);
        oc__pool_free(pool);
        return NULL;
    }
    receipt->pool = pool;
    receipt->numeric = oc__judgement_not_reached();
    receipt->placement = oc__judgement_not_reached();
    receipt->reference_seconds = (double)NAN;
    receipt->versions.onchip = ONCHIP_VERSION;
    return receipt;
}

void oc__run_receipt_free(oc__run_receipt *receipt)
{
    if (receipt) {
        oc__pool_free(receipt->pool);
        free(receipt->inputs);
        free(receipt->outputs);
        free(receipt->notes);
        free(receipt->opinions);
        free(receipt->evidence);
        free(receipt->controls);
        free(receipt->claims);
        free(receipt);
    }
}

const char *oc__run_receipt_keep(oc__run_receipt *receipt, const char *text)
{
    return oc__pool_keep(receipt->pool, text);
}

void oc__run_receipt_add_evidence(oc__run_receipt *receipt, const char *basis,
                                  const char *what, const char *value)
{
    oc__list_evidence(receipt->pool, &receipt->evidence, &receipt->evidence_count,
                      basis, what, value);
}

void oc__run_receipt_add_control(oc__run_receipt *receipt, const char *name,
                                 const char *verdict, bool refuted, const char *detail)
{
    oc__list_control(receipt->pool, &receipt->controls, &receipt->control_count, name,
                     verdict, refuted, detail);
}

void oc__run_receipt_add_claims(oc__run_receipt *receipt)
{
    oc__run_claims claims;
    oc__run_receipt_derive_claims(receipt, &claims);
    for (size_t i = 0; i < OC__RUN_CLAIMS; i++) {
        oc__list_claim(receipt->pool, &receipt->claims, &receipt->claim_count,
                       &claims.items[i]);
    }
}

void oc__run_receipt_derive_claims(const oc__run_receipt *receipt, oc__run_claims *out)
{
    snprintf(out->placed, sizeof out->placed, "the program ran on %.60s",
             receipt->expected);
    out->items[0] =
        (oc__claim){.statement = "every element of every output is consistent "
                                 "with the program's contract",
                    .status = oc__claim_status(receipt->numeric.verdict),
                    .evidence = "numeric"};
    out->items[1] = (oc__claim){
        .statement = out->placed,
        .status = receipt->platform ? oc__claim_status(receipt->placement.verdict)
                                    : "unverified",
        .evidence = "placement"};
}

bool oc__run_receipt_digest(const oc__run_receipt *receipt,
                            char out_hex[OC__SHA256_HEX])
{
    return oc__members_digest(oc__run_receipt_members, receipt, out_hex);
}

char *oc__run_receipt_text(const oc__run_receipt *receipt)
{
    oc__run_receipt full = *receipt;
    if (oc__pool_failed(receipt->pool) ||
        !oc__run_receipt_digest(receipt, full.sha256)) {
        return NULL;
    }
    return oc__members_text(oc__run_receipt_members, &full);
}

oc_status oc__run_receipt_from_json(json_t *document, const char *name,
                                    oc__run_receipt **out_receipt, oc_error *err)
{
    *out_receipt = NULL;
    oc__run_receipt *receipt = oc__run_receipt_new();
    if (!receipt) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc__pool_keep_document(receipt->pool, document);
    oc_status rc =
        oc__members_read(oc__run_receipt_members, document, name, receipt, err);
    if (rc == OC_OK) {
        *out_receipt = receipt;
        receipt = NULL;
    }
    oc__run_receipt_free(receipt);
    return rc;
}

oc_status oc__run_receipt_read(const char *text, size_t size, const char *name,
                               oc__run_receipt **out_receipt, oc_error *err)
{
    json_t *document = NULL;
    *out_receipt = NULL;
    oc_status rc = oc__json_parse(text, size, name, &document, err);
    if (rc == OC_OK) {
        rc = oc__run_receipt_from_json(document, name, out_receipt, err);
    }
    json_decref(document);
    return rc;
}
