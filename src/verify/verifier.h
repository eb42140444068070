/* What the judges of the documents share: the demand, and the answer in the making.
 * The first FAIL stands; an UNKNOWN stands until a FAIL comes. */
#ifndef ONCHIP_VERIFY_VERIFIER_H
#define ONCHIP_VERIFY_VERIFIER_H

#include "onchip/verify.h"
#include "receipt/audit_evidence.h"
#include "receipt/launch_receipt.h"
#include "receipt/lesson_report.h"
#include "receipt/receipt.h"
#include "receipt/run_receipt.h"

#include <stdbool.h>

typedef struct oc__verifier {
    const oc_verify_options *options;
    const char *name; /* of the document */
    oc_verify_result *result;
} oc__verifier;

/* Records the verdict; false, so that a check ends with `return oc__verify_fail(...)`.
 */
OC_PRINTF(4, 5)
bool oc__verify_fail(oc__verifier *verifier, const char *reason, const char *member,
                     const char *format, ...);

/* Records an UNKNOWN if nothing was recorded before; true: a later check may still
 * FAIL.
 */
OC_PRINTF(4, 5)
bool oc__verify_unknown(oc__verifier *verifier, const char *reason, const char *member,
                        const char *format, ...);

/* Records PASS if nothing was recorded before. */
OC_PRINTF(2, 3)
void oc__verify_pass(oc__verifier *verifier, const char *format, ...);

/* FAIL unless requested and observed platform are the same and the required one. */
bool oc__verify_platform(oc__verifier *verifier, const char *requested,
                         const char *observed);

/* FAIL unless the output is [8] of float32. `prefix` is "" or the member that holds it,
 * with its dot. */
bool oc__verify_contract(oc__verifier *verifier, const char *prefix,
                         const oc__output *output);

/* Reads a file or "-", or the receipt.json of a run folder. Both are malloc'd; out_name
 * is what was read. */
OC_MUST_USE oc_status oc__verify_read_file(const char *path, char **out_text,
                                           size_t *out_size, char **out_name,
                                           oc_error *err);

void oc__verify_receipt(oc__verifier *verifier, const oc__receipt *receipt);
void oc__verify_run(oc__verifier *verifier, const oc__run_receipt *receipt);
void oc__verify_launch(oc__verifier *verifier, const oc__launch_receipt *receipt);
void oc__verify_audit(oc__verifier *verifier, const oc__audit_evidence *evidence);
void oc__verify_lesson(oc__verifier *verifier, const oc__lesson_reports *reports);

#endif
