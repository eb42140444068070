/* The table of an audit's evidence: every member of the document, in order.
 * docs/audit-evidence.md explains them and docs/audit-evidence.schema.json pins them
 * for other readers; a test compares. */
#include "receipt/audit_evidence.h"
#include "receipt/receipt_members.h"

#include "onchip/version.h"

#define TEXTS(most)  &oc__codec_texts, .max = (most), .columns = (most)
#define FIELD(field) AT(oc__audit_evidence, field)
#define COUNT        &oc__codec_integer, .max = INT32_MAX
#define COUNTS       &oc__codec_integers, .max = INT32_MAX, .columns = OC__AUDIT_PARTICIPANTS

static const char *const kinds[] = {"check", NULL};
static const char *const supported[] = {OC__AUDIT_TPU_TOPOLOGY,
                                        OC__AUDIT_ACCELERATOR_COLLECTIVES, NULL};

static const oc__member matmul[] = {{"exact", &oc__codec_bool, FIELD(matmul_exact)},
                                    END};

static const oc__member simulated[] = {
    {"participants", COUNTS, FIELD(simulated_participants)},
    {"sum", COUNT, FIELD(simulated_sum)},
    {"without_index", COUNT, FIELD(simulated_without_index)},
    {"sum_without", COUNT, FIELD(simulated_sum_without)},
    END};

static const oc__member collective[] = {
    {"kind", &oc__codec_word, FIELD(collective_kind), .words = oc__collective_kinds},
    {"participants", COUNTS, FIELD(collective_participants)},
    {"sum", COUNT, FIELD(collective_sum)},
    {"devices", TEXTS(OC__AUDIT_PARTICIPANTS), FIELD(collective_devices)},
    END};

static const oc__member added_receipt[] = {
    {"sha256", &oc__codec_hash, AT(oc__audit_receipt, sha256)},
    {"kind", &oc__codec_word, AT(oc__audit_receipt, kind), .words = kinds},
    {"platform", &oc__codec_text, AT(oc__audit_receipt, platform)},
    {"verdict", &oc__codec_verdict, AT(oc__audit_receipt, verdict)},
    {"devices", TEXTS(OC__MAX_SHARDS), AT(oc__audit_receipt, devices)},
    {"device_kind", &oc__codec_text, AT(oc__audit_receipt, device_kind),
     .nullable = true},
    {"supports", TEXTS(OC__AUDIT_SUPPORTS), AT(oc__audit_receipt, supports),
     .words = supported},
    END};

const oc__member oc__audit_members[] = {
    {"schema", &oc__codec_constant, .text = ONCHIP_RECEIPT_SCHEMA},
    {"kind", &oc__codec_constant, .text = "audit"},
    {"created", &oc__codec_pattern, FIELD(created), .matches = oc__is_time_text,
     .text = "a UTC time as 2026-11-30T10:00:00Z"},
    {"backend", &oc__codec_text, FIELD(backend)},
    {"device_count", COUNT, FIELD(device_count)},
    {"devices", TEXTS(OC__AUDIT_DEVICES), FIELD(devices)},
    {"storage_dtype", &oc__codec_text, FIELD(storage_dtype)},
    {"operand_dtype", &oc__codec_text, FIELD(operand_dtype)},
    {"result_dtype", &oc__codec_text, FIELD(result_dtype)},
    {"scope", &oc__codec_text, FIELD(scope)},
    {"matmul", &oc__codec_object, .members = matmul},
    {"simulated", &oc__codec_object, .members = simulated},
    {"collective", &oc__codec_object, .members = collective},
    {"claims", &oc__codec_items, FIELD(claims), .max = OC__AUDIT_CLAIMS,
     .count_offset = offsetof(oc__audit_evidence, claim_count),
     .item_size = sizeof(oc__claim), .members = oc__claim_members},
    {"added_receipts", &oc__codec_items, FIELD(added_receipts),
     .max = OC__AUDIT_RECEIPTS,
     .count_offset = offsetof(oc__audit_evidence, added_receipt_count),
     .item_size = sizeof(oc__audit_receipt), .members = added_receipt},
    {"versions", &oc__codec_object, FIELD(versions), .members = oc__versions_members},
    {"sha256", &oc__codec_hash, FIELD(sha256)},
    END};
