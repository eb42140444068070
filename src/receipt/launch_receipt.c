/* The model of a launch's receipt, as text and back. */
#include "receipt/launch_receipt.h"

#include "onchip/version.h"
#include "receipt/claims.h"
#include "receipt/receipt_json.h"
#include "receipt/receipt_lists.h"
#include "receipt/receipt_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

oc__launch_receipt *oc__launch_receipt_new(void)
{
    oc__launch_receipt *receipt = calloc(1, sizeof *receipt);
    oc__receipt_pool *pool = oc__pool_new();
    if (!receipt || !pool) {
        free(receipt);
        oc__pool_free(pool);
        return NULL;
    }
    receipt->pool = pool;
    receipt->numeric = oc__judgement_not_reached();
    receipt->placement = oc__judgement_not_reached();
    receipt->first_wrong = -1;
    receipt->largest_error_over_bound = (double)NAN;
    receipt->reference_seconds = (double)NAN;
    receipt->versions.onchip = ONCHIP_VERSION;
    return receipt;
}

void oc__launch_receipt_free(oc__launch_receipt *receipt)
{
    if (receipt) {
        oc__pool_free(receipt->pool);
        free(receipt->checkpoints);
        free(receipt->evidence);
        free(receipt->controls);
        free(receipt->claims);
        free(receipt);
    }
}

const char *oc__launch_receipt_keep(oc__launch_receipt *receipt, const char *text)
{
    return oc__pool_keep(receipt->pool, text);
}

void oc__launch_receipt_add_evidence(oc__launch_receipt *receipt, const char *basis,
                                     const char *what, const char *value)
{
    oc__list_evidence(receipt->pool, &receipt->evidence, &receipt->evidence_count,
                      basis, what, value);
}

void oc__launch_receipt_add_control(oc__launch_receipt *receipt, const char *name,
                                    const char *verdict, bool refuted,
                                    const char *detail)
{
    oc__list_control(receipt->pool, &receipt->controls, &receipt->control_count, name,
                     verdict, refuted, detail);
}

void oc__launch_receipt_add_claims(oc__launch_receipt *receipt)
{
    oc__launch_claims claims;
    oc__launch_receipt_derive_claims(receipt, &claims);
    for (size_t i = 0; i < OC__LAUNCH_CLAIMS; i++) {
        oc__list_claim(receipt->pool, &receipt->claims, &receipt->claim_count,
                       &claims.items[i]);
    }
}

void oc__launch_receipt_derive_claims(const oc__launch_receipt *receipt,
                                      oc__launch_claims *out)
{
    snprintf(out->placed, sizeof out->placed, "the state lies on %.60s",
             receipt->expected);
    int used = snprintf(out->steps, sizeof out->steps, "all %lld steps were done",
                        (long long)receipt->steps);
    if (receipt->resumed_from > 0) {
        snprintf(out->steps + used, sizeof out->steps - (size_t)used,
                 ", in this attempt from the checkpoint of step %lld on",
                 (long long)receipt->resumed_from);
    }
    out->items[0] =
        (oc__claim){.statement = "every update follows from the state before it",
                    .status = oc__claim_status(receipt->numeric.verdict),
                    .evidence = "numeric"};
    out->items[1] = (oc__claim){
        .statement = out->placed,
        .status = receipt->platform ? oc__claim_status(receipt->placement.verdict)
                                    : "unverified",
        .evidence = "placement"};
    out->items[2] = (oc__claim){
        .statement = out->steps,
        .status = receipt->last_step == receipt->steps ? "observed" : "refuted",
        .evidence = "trajectory"};
}

bool oc__launch_receipt_digest(const oc__launch_receipt *receipt,
                               char out_hex[OC__SHA256_HEX])
{
    return oc__members_digest(oc__launch_receipt_members, receipt, out_hex);
}

char *oc__launch_receipt_text(const oc__launch_receipt *receipt)
{
    oc__launch_receipt full = *receipt;
    if (oc__pool_failed(receipt->pool) ||
        !oc__launch_receipt_digest(receipt, full.sha256)) {
        return NULL;
    }
    return oc__members_text(oc__launch_receipt_members, &full);
}

oc_status oc__launch_receipt_from_json(json_t *document, const char *name,
                                       oc__launch_receipt **out_receipt, oc_error *err)
{
    *out_receipt = NULL;
    oc__launch_receipt *receipt = oc__launch_receipt_new();
    if (!receipt) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc__pool_keep_document(receipt->pool, document);
    oc_status rc =
        oc__members_read(oc__launch_receipt_members, document, name, receipt, err);
    if (rc == OC_OK) {
        *out_receipt = receipt;
        receipt = NULL;
    }
    oc__launch_receipt_free(receipt);
    return rc;
}

oc_status oc__launch_receipt_read(const char *text, size_t size, const char *name,
                                  oc__launch_receipt **out_receipt, oc_error *err)
{
    json_t *document = NULL;
    *out_receipt = NULL;
    oc_status rc = oc__json_parse(text, size, name, &document, err);
    if (rc == OC_OK) {
        rc = oc__launch_receipt_from_json(document, name, out_receipt, err);
    }
    json_decref(document);
    return rc;
}

json_t *oc__launch_observed_write(const oc__launch_receipt *receipt)
{
    return oc__pool_failed(receipt->pool)
               ? NULL
               : oc__members_write(oc__launch_observed_members, receipt);
}

/* The members go into a receipt of their own first, so that an event that is refused
 * leaves nothing behind. */
oc_status oc__launch_observed_read(const json_t *event, oc__launch_receipt *receipt,
                                   oc_error *err)
{
    oc__launch_receipt seen = {0};
    json_t *members = json_copy((json_t *)event); // shares what the members hold
    if (!members) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    (void)json_object_del(members, "t_s"); // the launcher's
    oc_status rc =
        oc__members_read(oc__launch_observed_members, members, "observed", &seen, err);
    if (rc == OC_OK) {
        oc__pool_keep_document(receipt->pool, members);
        free(receipt->evidence);
        receipt->evidence = seen.evidence;
        receipt->evidence_count = seen.evidence_count;
        receipt->platform = seen.platform;
        receipt->versions = seen.versions;
        receipt->compile_options = seen.compile_options;
        receipt->compile_options_hex = seen.compile_options_hex;
        receipt->timings.load_us = seen.timings.load_us;
        receipt->timings.init_us = seen.timings.init_us;
        receipt->timings.compile_us = seen.timings.compile_us;
    } else {
        free(seen.evidence);
    }
    json_decref(members);
    return rc;
}
