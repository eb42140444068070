#include "verify/audit_receipts.h"

#include "onchip/verify.h"
#include "receipt/receipt_pool.h"
#include "verify/verifier.h"

#include <stdlib.h>
#include <string.h>

static const char *device_kind(const oc__receipt *receipt)
{
    for (size_t i = 0; i < receipt->evidence_count; i++) {
        if (strcmp(receipt->evidence[i].what, "device_kind") == 0) {
            return receipt->evidence[i].value;
        }
    }
    return NULL;
}

static oc_status describe(oc__audit_evidence *evidence, const oc__receipt *receipt,
                          oc__audit_receipt *out, oc_error *err)
{
    out->kind = "check";
    out->platform = oc__audit_evidence_keep(evidence, receipt->expected);
    out->verdict = OC_PASS;
    out->device_kind = oc__audit_evidence_keep(evidence, device_kind(receipt));
    out->devices[0] = oc__audit_evidence_keep(evidence, receipt->output_device);
    for (size_t i = 0; i < receipt->shard_count; i++) {
        out->devices[i] = oc__audit_evidence_keep(evidence, receipt->shards[i].device);
    }
    if (oc__pool_failed(evidence->pool)) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc__audit_derive_supports(out, out->supports);
    return OC_OK;
}

static oc_status check_room(const oc__audit_evidence *evidence, const char *sha256,
                            const char *name, oc_error *err)
{
    for (size_t i = 0; i < evidence->added_receipt_count; i++) {
        if (strcmp(evidence->added_receipts[i].sha256, sha256) == 0) {
            return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                           "'%s' was added already", name);
        }
    }
    if (evidence->added_receipt_count == OC__AUDIT_RECEIPTS) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "'%s' is one receipt too many: an audit takes %d", name,
                       OC__AUDIT_RECEIPTS);
    }
    return OC_OK;
}

static oc_status demand_pass(const char *text, size_t size, const char *name,
                             const char *platform, oc_error *err)
{
    const oc_verify_options options = {.require = platform};
    oc_verify_result result;
    oc_status rc = oc_verify(text, size, name, &options, &result, err);
    if (rc == OC_OK && result.verdict != OC_PASS) {
        rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                     "'%s' supports nothing, since it does not verify for its platform "
                     "%.60s: %s (%s): %s",
                     name, platform, oc_verdict_name(result.verdict), result.reason,
                     result.detail);
    } else if (rc != OC_OK) {
        oc__error_prefix(err, "'%s'", name);
    }
    return rc;
}

oc_status oc__audit_add_receipt(oc__audit_evidence *evidence, const char *path,
                                oc_error *err)
{
    char *text = NULL;
    char *name = NULL;
    size_t size = 0;
    oc__receipt *receipt = NULL;
    oc__audit_receipt added = {0};

    oc_status rc = oc__verify_read_file(path, &text, &size, &name, err);
    if (rc == OC_OK) {
        rc = oc__receipt_read(text, size, name, &receipt, err);
    }
    if (rc == OC_OK) {
        rc = demand_pass(text, size, name, receipt->expected, err);
    }
    if (rc == OC_OK) {
        oc__sha256_hex(text, size, added.sha256);
        rc = check_room(evidence, added.sha256, name, err);
    }
    if (rc == OC_OK) {
        rc = describe(evidence, receipt, &added, err);
    }
    if (rc == OC_OK) {
        evidence->added_receipts[evidence->added_receipt_count++] = added;
    }
    oc__receipt_free(receipt);
    free(text);
    free(name);
    return rc;
}
