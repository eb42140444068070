/* Receipts of other runs that support claims of an audit. */
#ifndef ONCHIP_VERIFY_AUDIT_RECEIPTS_H
#define ONCHIP_VERIFY_AUDIT_RECEIPTS_H

#include "receipt/audit_evidence.h"

/* Reads the receipt of `onchip check` at `path` (a file, or a run folder with its
 * receipt.json), has oc_verify decide it for the platform that it reports, and adds it.
 * A receipt of a TPU that names its kind supports the claim on TPU topology; one with
 * an accelerator collective that claim; one of a CPU supports none and is listed only.
 *
 * OC_INVALID_ARGUMENT (boundary input), naming the file: the receipt does not verify as
 * PASS, was added already or is one too many. Errors of reading it name it too
 * (OC_PARSE also for a document of another kind). The evidence's members are then as
 * before. */
OC_MUST_USE oc_status oc__audit_add_receipt(oc__audit_evidence *evidence,
                                            const char *path, oc_error *err);

#endif
