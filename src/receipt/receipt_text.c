/* A receipt as text, and back. */
#include "receipt/lesson_report.h"
#include "receipt/receipt_json.h"
#include "receipt/receipt_members.h"
#include "receipt/receipt_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "hashes are of little-endian bytes"
#endif

void oc__receipt_hash_programs(const oc__receipt *receipt, char out[2][OC__SHA256_HEX])
{
    for (size_t i = 0; i < 2; i++) {
        const char *text = receipt->programs[i];
        out[i][0] = '\0';
        if (text) {
            oc__sha256_hex(text, strlen(text), out[i]);
        }
    }
}

void oc__receipt_hash_inputs(const oc__receipt *receipt,
                             char out[OC__INPUTS][OC__SHA256_HEX])
{
    float reversed[OC__ROWS * OC__FEATURES];
    oc__receipt_reverse_rows(receipt->x, reversed);
    oc__sha256_hex(receipt->x, sizeof receipt->x, out[OC__INPUT_X]);
    oc__sha256_hex(receipt->w, sizeof receipt->w, out[OC__INPUT_W]);
    oc__sha256_hex(reversed, sizeof reversed, out[OC__INPUT_X_REVERSED]);
}

const char *oc__receipt_collective_kind(const char *expected)
{
    return strcmp(expected, "cpu") == 0 ? "cpu collective" : "accelerator collective";
}

void oc__receipt_now(char out[OC__UTC_TEXT])
{
    struct tm utc;
    time_t now = time(NULL);
    strftime(out, OC__UTC_TEXT, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

void oc__receipt_reverse_rows(const float x[OC__ROWS * OC__FEATURES],
                              float out[OC__ROWS * OC__FEATURES])
{
    for (size_t row = 0; row < OC__ROWS; row++) {
        memcpy(out + row * OC__FEATURES, x + (OC__ROWS - 1 - row) * OC__FEATURES,
               sizeof(float) * OC__FEATURES);
    }
}

static void fill_empty(char (*hashes)[OC__SHA256_HEX], char (*computed)[OC__SHA256_HEX],
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hashes[i][0] == '\0') {
            memcpy(hashes[i], computed[i], OC__SHA256_HEX);
        }
    }
}

char *oc__receipt_text(const oc__receipt *receipt)
{
    if (oc__pool_failed(receipt->pool)) {
        return NULL;
    }
    char of_programs[2][OC__SHA256_HEX];
    char of_inputs[OC__INPUTS][OC__SHA256_HEX];
    oc__receipt full = *receipt;
    oc__receipt_hash_programs(receipt, of_programs);
    oc__receipt_hash_inputs(receipt, of_inputs);
    fill_empty(full.program_sha256, of_programs, 2);
    fill_empty(full.input_sha256, of_inputs, OC__INPUTS);
    if (receipt->shard_count > 0 && !receipt->collective_kind) {
        full.collective_kind = oc__receipt_collective_kind(receipt->expected);
    }

    return oc__members_text(oc__receipt_members, &full);
}

char *oc__receipt_report_text(const oc__receipt *receipt)
{
    const oc__lesson_report report = {
        .expected = receipt->expected,
        .platform = receipt->platform,
        .output_device = receipt->output_device,
        .program = receipt->versions.onchip,
        .host = receipt->versions.plugin_name,
        .max_absolute_error = receipt->max_absolute_error,
        .process_index = receipt->process_index,
        .process_count = receipt->process_count,
        .output = receipt->outputs[OC__PREDICTION],
    };
    return oc__pool_failed(receipt->pool) ? NULL : oc__lesson_report_text(&report);
}

/* What the table cannot say: members that are there together or not at all. */
static oc_status check_outputs(const oc__receipt *receipt, const char *name,
                               oc_error *err)
{
    for (size_t i = 0; i < OC__EXECUTIONS; i++) {
        const oc__output *output = &receipt->outputs[i];
        const char *which = oc__execution_name((oc__execution)i);
        bool hashed = output->sha256[0] != '\0';
        if (!output->reached && (output->rank > 0 || output->count > 0 || hashed)) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "'%s': %s has no dtype and must have no shape, values or "
                           "hash",
                           name, which);
        }
        if (output->reached && !hashed) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "'%s': member 'hashes.outputs[%zu].sha256' is missing for "
                           "an output that was read",
                           name, i);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        if (!receipt->programs[i] != (receipt->program_sha256[i][0] == '\0')) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "'%s': member 'hashes.%s' must be there with its program "
                           "and only then",
                           name, i == 0 ? "program" : "changed_bias_program");
        }
    }
    return OC_OK;
}

oc_status oc__receipt_from_json(json_t *document, const char *name,
                                oc__receipt **out_receipt, oc_error *err)
{
    *out_receipt = NULL;
    oc__receipt *receipt = oc__receipt_new();
    if (!receipt) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc__pool_keep_document(receipt->pool, document);
    oc_status rc = oc__members_read(oc__receipt_members, document, name, receipt, err);
    if (rc == OC_OK) {
        rc = check_outputs(receipt, name, err);
    }
    if (rc == OC_OK) {
        *out_receipt = receipt;
        receipt = NULL;
    }
    oc__receipt_free(receipt);
    return rc;
}

oc_status oc__receipt_read(const char *text, size_t size, const char *name,
                           oc__receipt **out_receipt, oc_error *err)
{
    json_t *document = NULL;
    *out_receipt = NULL;
    oc_status rc = oc__json_parse(text, size, name, &document, err);
    if (rc == OC_OK) {
        rc = oc__receipt_from_json(document, name, out_receipt, err);
    }
    json_decref(document);
    return rc;
}
