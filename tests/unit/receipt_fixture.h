/* A receipt of a good CPU run, made without a device, and ways to spoil its JSON. */
#ifndef ONCHIP_TESTS_RECEIPT_FIXTURE_H
#define ONCHIP_TESTS_RECEIPT_FIXTURE_H

#include "base/json.h"
#include "receipt/receipt.h"

#include <jansson.h>

/* nonce: NULL for the lesson's inputs. oc__receipt_free. */
oc__receipt *fixture_receipt(const char *nonce);

/* Adds an all-reduce over `count` virtual devices. */
void fixture_add_collective(oc__receipt *receipt, size_t count);

/* Writes the claims anew, after the verdicts were changed. */
void fixture_reclaim(oc__receipt *receipt);

/* The receipt's document; the caller's (json_decref). */
json_t *fixture_json(const oc__receipt *receipt);

/* Sets the member at a path such as "controls[0].refuted" to the JSON text `value`; a
 * NULL value removes it. */
void fixture_set(json_t *document, const char *path, const char *value);

#endif
