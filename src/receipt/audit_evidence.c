/* The model of an audit's evidence, as text and back. */
#include "receipt/audit_evidence.h"

#include "onchip/version.h"
#include "receipt/receipt_json.h"
#include "receipt/receipt_members.h"
#include "receipt/receipt_pool.h"

#include <stdlib.h>
#include <string.h>

oc__audit_evidence *oc__audit_evidence_new(void)
{
    oc__audit_evidence *evidence = calloc(1, sizeof *evidence);
    oc__receipt_pool *pool = oc__pool_new();
    if (!evidence || !pool) {
        free(evidence);
        oc__pool_free(pool);
        return NULL;
    }
    evidence->pool = pool;
    for (int i = 0; i < OC__AUDIT_PARTICIPANTS; i++) {
        evidence->simulated_participants[i] = i + 1;
        evidence->collective_participants[i] = i + 1;
    }
    evidence->simulated_without_index = OC__AUDIT_WITHOUT_INDEX;
    evidence->collective_kind = oc__receipt_collective_kind("cpu");
    evidence->versions.onchip = ONCHIP_VERSION;
    return evidence;
}

void oc__audit_evidence_free(oc__audit_evidence *evidence)
{
    if (evidence) {
        oc__pool_free(evidence->pool);
        free(evidence);
    }
}

const char *oc__audit_evidence_keep(oc__audit_evidence *evidence, const char *text)
{
    return oc__pool_keep(evidence->pool, text);
}

bool oc__audit_evidence_digest(const oc__audit_evidence *evidence,
                               char out_hex[OC__SHA256_HEX])
{
    return oc__members_digest(oc__audit_members, evidence, out_hex);
}

char *oc__audit_evidence_text(const oc__audit_evidence *evidence)
{
    oc__audit_evidence full = *evidence;
    oc__audit_claims claims;
    oc__audit_derive_claims(evidence, &claims);
    memcpy(full.claims, claims.items, sizeof full.claims);
    full.claim_count = OC__AUDIT_CLAIMS;
    if (oc__pool_failed(evidence->pool) ||
        !oc__audit_evidence_digest(&full, full.sha256)) {
        return NULL;
    }
    return oc__members_text(oc__audit_members, &full);
}

oc_status oc__audit_evidence_from_json(json_t *document, const char *name,
                                       oc__audit_evidence **out_evidence, oc_error *err)
{
    *out_evidence = NULL;
    oc__audit_evidence *evidence = oc__audit_evidence_new();
    if (!evidence) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc__pool_keep_document(evidence->pool, document);
    oc_status rc = oc__members_read(oc__audit_members, document, name, evidence, err);
    if (rc == OC_OK) {
        *out_evidence = evidence;
        evidence = NULL;
    }
    oc__audit_evidence_free(evidence);
    return rc;
}

oc_status oc__audit_evidence_read(const char *text, size_t size, const char *name,
                                  oc__audit_evidence **out_evidence, oc_error *err)
{
    json_t *document = NULL;
    *out_evidence = NULL;
    oc_status rc = oc__json_parse(text, size, name, &document, err);
    if (rc == OC_OK) {
        rc = oc__audit_evidence_from_json(document, name, out_evidence, err);
    }
    json_decref(document);
    return rc;
}
