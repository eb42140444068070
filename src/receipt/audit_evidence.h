/* The evidence file of the course project "Separate CPU runtime evidence from TPU
 * claims": one JSON document of schema onchip.receipt/1 and kind "audit".
 * docs/audit-evidence.md describes every member; docs/audit-evidence.schema.json is its
 * schema.
 *
 * oc__audit_evidence is the model that the audit fills and the verifier reads. Text
 * members point into the evidence's own pool (oc__audit_evidence_keep copies a string
 * into it) and live until oc__audit_evidence_free.
 *
 * Calling sequence
 *     oc__audit_evidence *evidence = oc__audit_evidence_new();  NULL: out of memory
 *     evidence->created = "2026-11-30T10:00:00Z"; evidence->device_count = 1;
 *     evidence->devices[0] = oc__audit_evidence_keep(evidence, name); ...
 *     rc = oc__audit_add_receipt(evidence, path, err);          verify/audit_receipts.h
 *     char *text = oc__audit_evidence_text(evidence);           free(); NULL: out of
 * memory oc__audit_evidence_free(evidence);
 *
 *     rc = oc__audit_evidence_read(text, size, name, &evidence, err);  strict reader */
#ifndef ONCHIP_RECEIPT_AUDIT_EVIDENCE_H
#define ONCHIP_RECEIPT_AUDIT_EVIDENCE_H

#include "receipt/receipt.h"

enum {
    OC__AUDIT_DEVICES = 16,      /* of the backend, at most */
    OC__AUDIT_PARTICIPANTS = 3,  /* they hold 1, 2 and 3 */
    OC__AUDIT_WITHOUT_INDEX = 1, /* the participant that is left out, from 0 */
    OC__AUDIT_CLAIMS = 7,
    OC__AUDIT_EVIDENCE = 80, /* a buffer for the evidence of a claim */
    OC__AUDIT_RECEIPTS = 16  /* added ones, at most */
};

/* The claims that an added receipt can support, as the words of `supports`. */
#define OC__AUDIT_TPU_TOPOLOGY            "tpu_topology"
#define OC__AUDIT_ACCELERATOR_COLLECTIVES "accelerator_collectives"
enum { OC__AUDIT_SUPPORTS = 2 };

/* A receipt of another run that was verified when it was added. */
typedef struct oc__audit_receipt {
    char sha256[OC__SHA256_HEX]; /* of the receipt's bytes */
    const char *kind;            /* "check" */
    const char *platform;        /* the one that it was verified for */
    oc_verdict verdict;
    const char *devices[OC__MAX_SHARDS];      /* that it names; NULL after the last */
    const char *device_kind;                  /* as the plugin calls it, or NULL */
    const char *supports[OC__AUDIT_SUPPORTS]; /* NULL after the last */
} oc__audit_receipt;

typedef struct oc__audit_evidence {
    const char *created; /* UTC, "2026-11-30T10:00:00Z" */
    const char *backend; /* the platform that the runtime reports: "cpu" */
    int64_t device_count;
    const char *devices[OC__AUDIT_DEVICES]; /* NULL after the last */
    const char *storage_dtype;              /* NumPy's names */
    const char *operand_dtype;
    const char *result_dtype;
    const char *scope; /* what was observed and what was not, in a sentence */
    bool matmul_exact; /* the product is right to the last bit */

    /* Plain arithmetic. oc__audit_evidence_new fills the first two. */
    int64_t simulated_participants[OC__AUDIT_PARTICIPANTS];
    int64_t simulated_without_index;
    int64_t simulated_sum;
    int64_t simulated_sum_without;

    /* A real all-reduce. oc__audit_evidence_new fills the first two. */
    const char *collective_kind; /* "cpu collective" */
    int64_t collective_participants[OC__AUDIT_PARTICIPANTS];
    int64_t collective_sum;
    const char *collective_devices[OC__AUDIT_PARTICIPANTS]; /* NULL after the last */

    /* Both are the writer's affair (oc__audit_evidence_text): they are set in evidence
     * that was read, as its document has them. */
    oc__claim claims[OC__AUDIT_CLAIMS];
    size_t claim_count;
    char sha256[OC__SHA256_HEX];

    oc__audit_receipt added_receipts[OC__AUDIT_RECEIPTS];
    size_t added_receipt_count;

    oc__versions versions; /* `onchip` is set by oc__audit_evidence_new */

    struct oc__receipt_pool *pool;
} oc__audit_evidence;

oc__audit_evidence *oc__audit_evidence_new(void);
void oc__audit_evidence_free(oc__audit_evidence *evidence);

/* As oc__receipt_keep. */
const char *oc__audit_evidence_keep(oc__audit_evidence *evidence, const char *text);

/* The document, malloc'd and NUL-terminated; NULL when memory ran out. The claims are
 * derived from the other members and `sha256` is computed: the evidence cannot be made
 * to claim more than it holds. */
char *oc__audit_evidence_text(const oc__audit_evidence *evidence);

/* OC_PARSE, naming the member, for anything that is not the schema's. That the members
 * agree with each other is for oc_verify to decide. */
OC_MUST_USE oc_status oc__audit_evidence_read(const char *text, size_t size,
                                              const char *name,
                                              oc__audit_evidence **out_evidence,
                                              oc_error *err);

/* The claims that the other members bear. Some of their text lies in *out_claims, which
 * must stay where it is. */
typedef struct oc__audit_claims {
    oc__claim items[OC__AUDIT_CLAIMS];
    char topology[OC__AUDIT_EVIDENCE];
    char collectives[OC__AUDIT_EVIDENCE];
} oc__audit_claims;
void oc__audit_derive_claims(const oc__audit_evidence *evidence,
                             oc__audit_claims *out_claims);

/* Fills out_supports with what a receipt of this platform, these devices and this
 * device kind supports: static text, NULL after the last. */
void oc__audit_derive_supports(const oc__audit_receipt *receipt,
                               const char *out_supports[OC__AUDIT_SUPPORTS]);

/* Texts before the first NULL, at most `max`. */
size_t oc__audit_count(const char *const *texts, size_t max);

/* The sum of all participants but the one at index `without`; -1: of all. */
int64_t oc__audit_sum(const int64_t participants[OC__AUDIT_PARTICIPANTS],
                      int64_t without);

/* SHA-256 of the document without its last member, `sha256`, as this writer lays it
 * out, with the claims as they stand. False: out of memory. */
OC_MUST_USE bool oc__audit_evidence_digest(const oc__audit_evidence *evidence,
                                           char out_hex[OC__SHA256_HEX]);

#endif
