/* The receipt of `onchip launch` with the built-in job: one JSON document of schema
 * onchip.receipt/1 and kind "launch". docs/launch-receipt.md describes every member;
 * docs/launch-receipt.schema.json is its schema.
 *
 * Configuration, program and trajectory are files beside the receipt; it holds their
 * hashes. Text members point into the receipt's own pool and live until
 * oc__launch_receipt_free; NULL stands for "not reached". Lists are malloc'd and belong
 * to the receipt. */
#ifndef ONCHIP_RECEIPT_LAUNCH_RECEIPT_H
#define ONCHIP_RECEIPT_LAUNCH_RECEIPT_H

#include "base/json.h"
#include "receipt/receipt.h"

typedef struct oc__launch_file {
    const char *file; /* "program.mlir"; NULL: not kept */
    char sha256[OC__SHA256_HEX];
} oc__launch_file;

typedef struct oc__launch_checkpoint {
    int64_t step;
    char state_hash[OC__SHA256_HEX];
} oc__launch_checkpoint;

typedef struct oc__launch_receipt {
    const char *created;
    const char *requested_as, *expected;
    const char *platform; /* observed, or NULL */
    oc__launch_file config, program, trajectory;
    char data_sha256[OC__SHA256_HEX];

    /* The job. */
    const char *status;  /* "completed", "failed", "timed_out", "preempted" */
    const char *message; /* or NULL */
    int64_t steps, attempt, resumed_from; /* asked for; this attempt; its first step */
    int64_t batch, seed;
    int64_t updates, examples; /* of this attempt */
    int64_t last_step, checkpoint_step;
    char state_hash[OC__SHA256_HEX];    /* after last_step; "" when there is none */
    oc__launch_checkpoint *checkpoints; /* that lie in the folder, newest first */
    size_t checkpoint_count;
    double update_s, job_s;

    oc__judgement numeric;
    int64_t steps_judged;
    int64_t first_wrong; /* step; -1: none */
    double largest_error_over_bound;
    double reference_seconds;

    oc__judgement placement;
    oc__evidence *evidence;
    size_t evidence_count;
    oc__control *controls;
    size_t control_count;
    oc__claim *claims;
    size_t claim_count;
    oc__versions versions;
    const char *compile_options, *compile_options_hex;
    oc_boundary boundary;
    oc_status error_status;
    int error_plugin_code;
    const char *error_text;
    struct {
        int64_t load_us, init_us, compile_us, total_us;
    } timings;
    char sha256[OC__SHA256_HEX]; /* of all that stands before it */

    struct oc__receipt_pool *pool;
} oc__launch_receipt;

oc__launch_receipt *oc__launch_receipt_new(void);
void oc__launch_receipt_free(oc__launch_receipt *receipt);
const char *oc__launch_receipt_keep(oc__launch_receipt *receipt, const char *text);
/* Each copies its text. */
void oc__launch_receipt_add_evidence(oc__launch_receipt *receipt, const char *basis,
                                     const char *what, const char *value);
void oc__launch_receipt_add_control(oc__launch_receipt *receipt, const char *name,
                                    const char *verdict, bool refuted,
                                    const char *detail);
/* Derives the claims and adds them. */
void oc__launch_receipt_add_claims(oc__launch_receipt *receipt);

/* The claims that the verdicts bear: every update follows from the state before it; the
 * state lies on the requested device; all steps were done (and, where it was resumed,
 * from which checkpoint). */
enum { OC__LAUNCH_CLAIMS = 3 };
typedef struct oc__launch_claims {
    oc__claim items[OC__LAUNCH_CLAIMS];
    char placed[128], steps[160];
} oc__launch_claims;
void oc__launch_receipt_derive_claims(const oc__launch_receipt *receipt,
                                      oc__launch_claims *out);

char *oc__launch_receipt_text(const oc__launch_receipt *receipt);
OC_MUST_USE bool oc__launch_receipt_digest(const oc__launch_receipt *receipt,
                                           char out_hex[OC__SHA256_HEX]);
OC_MUST_USE oc_status oc__launch_receipt_read(const char *text, size_t size,
                                              const char *name,
                                              oc__launch_receipt **out_receipt,
                                              oc_error *err);

/* The `observed` event of the job (docs/launch-protocol.md): evidence, platform,
 * versions, compile options, timings, as the job writes and the launcher reads it. The
 * same table of members serves both. */
json_t *oc__launch_observed_write(const oc__launch_receipt *receipt);
OC_MUST_USE oc_status oc__launch_observed_read(const json_t *event,
                                               oc__launch_receipt *receipt,
                                               oc_error *err);

#endif
