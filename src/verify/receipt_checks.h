/* The checks of a receipt that stand in files of their own, and what they share. A
 * check yields false when it has recorded a FAIL. */
#ifndef ONCHIP_VERIFY_RECEIPT_CHECKS_H
#define ONCHIP_VERIFY_RECEIPT_CHECKS_H

#include "numeric/prediction.h"
#include "placement/placement.h"
#include "verify/verifier.h"

typedef bool oc__verify_check(oc__verifier *verifier, const oc__receipt *receipt);

/* Relies on the outputs' contract and on the inputs being the demanded ones. */
oc__verify_check oc__verify_numeric;
/* Members that the evidence of placement must bear out. */
oc__verify_check oc__verify_evidence;
oc__verify_check oc__verify_placement;
/* All three are there, refuted, and refuted once more here. */
oc__verify_check oc__verify_controls;
/* Owners are distinct, rows complete and sums those of the closed form. */
oc__verify_check oc__verify_collective;

/* FAIL unless the recorded verdict and reason are those that the evidence gives. */
bool oc__verify_recorded(oc__verifier *verifier, const char *name,
                         const oc__judgement *recorded, oc_verdict verdict,
                         const char *reason);

/* The placement verdict on the evidence of a case, and that it is the recorded one. */
bool oc__verify_placed(oc__verifier *verifier, const oc__placement_case *placed,
                       const oc__judgement *recorded);

/* FAIL unless the recorded level is that of the evidence; either may be NULL. */
bool oc__verify_level(oc__verifier *verifier, const char *recorded, const char *level);

/* The controls that must be recorded, and whether they are refuted here too. */
typedef struct oc__control_demand {
    const char *name;
    const char *verdict;
    bool refuted_now;
} oc__control_demand;
/* FAIL unless they are recorded and no others; UNKNOWN for one that is not refuted. */
bool oc__verify_demanded(oc__verifier *verifier, const oc__control_demand *demands,
                         size_t demand_count, const oc__control *recorded,
                         size_t recorded_count);

/* FAIL unless the recorded claims are those that the verdicts bear. */
bool oc__verify_claims(oc__verifier *verifier, const oc__claim *borne,
                       size_t borne_count, const oc__claim *recorded,
                       size_t recorded_count);

/* The numeric verdict and its controls, from the recorded inputs and outputs. */
void oc__verify_predictions(const oc__receipt *receipt, oc__prediction_result *out);

/* The value of the first piece of evidence of its kind, as the judge reads it; NULL
 * when there is none. */
const char *oc__verify_find(const oc__evidence *evidence, size_t count,
                            const char *basis, const char *what);

/* A member whose value the evidence must bear out. */
typedef struct oc__stated {
    const char *basis;
    const char *what;
    const char *member;
    const char *value;
} oc__stated;
bool oc__verify_stated(oc__verifier *verifier, const oc__stated *stated,
                       size_t stated_count, const oc__evidence *evidence, size_t count);

/* FAIL unless the user's word stands for the requested platform. */
bool oc__verify_requested_as(oc__verifier *verifier, const char *requested_as,
                             const char *expected);

/* Of receipts that have files beside them (kinds run and launch). */

/* The folder of the document, malloc'd; NULL when memory runs out. */
char *oc__verify_folder(const oc__verifier *verifier);
/* Without its files a receipt cannot be decided again: UNKNOWN. A file that could be
 * read then and cannot be read now is another one: FAIL. `rc` and `why` are the
 * reader's; `what` names the file. */
bool oc__verify_unread(oc__verifier *verifier, const char *member, const char *what,
                       oc_status rc, const oc_error *why);
/* Such a receipt answers no challenge: FAIL where a nonce is demanded. */
bool oc__verify_no_nonce(oc__verifier *verifier, const char *kind);
/* FAIL: this is what the run failed of. */
bool oc__verify_failed(oc__verifier *verifier, oc_boundary boundary,
                       const char *error_text);
/* FAIL unless the digest is that of the members; `computed` is NULL where memory ran
 * out. */
bool oc__verify_digest(oc__verifier *verifier, const char *recorded,
                       const char *computed);

/* Both there and equal. */
bool oc__verify_same(const char *a, const char *b);
/* "none" for NULL. */
const char *oc__verify_shown(const char *text);

#endif
