/* The strict readers on a document that is parsed already. */
#ifndef ONCHIP_RECEIPT_JSON_H
#define ONCHIP_RECEIPT_JSON_H

#include "base/json.h"
#include "receipt/audit_evidence.h"
#include "receipt/launch_receipt.h"
#include "receipt/receipt.h"
#include "receipt/run_receipt.h"

/* As oc__receipt_read. The receipt takes a reference of its own to `document`. */
OC_MUST_USE oc_status oc__receipt_from_json(json_t *document, const char *name,
                                            oc__receipt **out_receipt, oc_error *err);

/* As oc__audit_evidence_read; the evidence takes a reference of its own too. */
OC_MUST_USE oc_status oc__audit_evidence_from_json(json_t *document, const char *name,
                                                   oc__audit_evidence **out_evidence,
                                                   oc_error *err);

/* As oc__run_receipt_read; with a reference of its own too. */
OC_MUST_USE oc_status oc__run_receipt_from_json(json_t *document, const char *name,
                                                oc__run_receipt **out_receipt,
                                                oc_error *err);

/* As oc__launch_receipt_read; with a reference of its own too. */
OC_MUST_USE oc_status oc__launch_receipt_from_json(json_t *document, const char *name,
                                                   oc__launch_receipt **out_receipt,
                                                   oc_error *err);

#endif
