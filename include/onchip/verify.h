/* Decides again, from the evidence in a document and nothing else, whether a run was
 * right and ran where it should. No plugin is loaded and no device is touched.
 *
 * Five documents are understood: a receipt of `onchip check`, one of `onchip run` and
 * one of `onchip launch` (docs/receipt.md, docs/run-receipt.md, docs/launch-receipt.md;
 * the latter two with the files of their run folder beside them), the evidence of an
 * audit (docs/audit-evidence.md), and the report that the lesson's own Python program
 * prints, plain or in a terminal capture. A receipt's verdicts, hashes and controls are
 * not believed but worked out anew, and so are an audit's sums, claims and digest. An
 * audit is of the CPU; its sentence says what is unverified. A lesson report carries no
 * evidence of placement beyond its own word; its sentence says so.
 *
 * Calling sequence
 *     oc_verify_options options = {.require = "tpu"};
 *     oc_verify_result result;
 *     oc_error err = {0};
 *     if (oc_verify_file("run/receipt.json", &options, &result, &err) == OC_OK)
 *         printf("%s %s\n", oc_verdict_name(result.verdict), result.detail);
 */
#ifndef ONCHIP_VERIFY_H
#define ONCHIP_VERIFY_H

#include "onchip/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oc_verify_options {
    /* The platform that the work must have run on: "cpu", "tpu", "cuda", "rocm", ...;
     * "gpu" is content with cuda and rocm, and with the "gpu" of a lesson report. */
    const char *require;
    /* Hexadecimal of 1 to 64 bytes that the receipt must answer (an audit answers
     * none); NULL: none is demanded. */
    const char *nonce;
} oc_verify_options;

typedef struct oc_verify_result {
    oc_verdict verdict;
    const char *document; /* "receipt", "run receipt", "launch receipt", "audit
                             evidence" or "lesson report"; static text */
    const char *reason; /* a stable word, listed in the document's page; static text */
    char member[96];    /* the member of the document to blame; "" on PASS */
    char platform[64];  /* the observed platform; "" when none was reached */
    char detail[768];   /* one sentence */
} oc_verify_result;

/* OC_INVALID_ARGUMENT (boundary usage) when the options make no sense; the functions
 * below say the same. */
OC_API OC_MUST_USE oc_status oc_verify_check_options(const oc_verify_options *options,
                                                     oc_error *err);

/* Judges a document of `size` bytes; `name` is what messages call it. OC_OK comes with
 * a verdict. OC_PARSE or OC_LIMIT (boundary input): it cannot be read. */
OC_API OC_MUST_USE oc_status oc_verify(const void *bytes, size_t size, const char *name,
                                       const oc_verify_options *options,
                                       oc_verify_result *out_result, oc_error *err);

/* The same for a file, a run folder (its receipt.json) or "-" (standard input). Files
 * over 16 MiB are refused before more is read. */
OC_API OC_MUST_USE oc_status oc_verify_file(const char *path,
                                            const oc_verify_options *options,
                                            oc_verify_result *out_result,
                                            oc_error *err);

/* oc_verify_file on each of `count` files, several at a time. out_errors[i].status is
 * OC_OK where out_results[i] holds a verdict. The text of a receipt takes long to parse
 * beside the judging, so the work is spread over the processors. */
OC_API void oc_verify_files(const char *const *paths, size_t count,
                            const oc_verify_options *options,
                            oc_verify_result *out_results, oc_error *out_errors);

/* The answer on one file as a JSON object, malloc'd; NULL when memory ran out. With an
 * `err` whose status is not OC_OK the verdict is null and the error stands in it. */
OC_API char *oc_verify_json(const char *path, const oc_verify_result *result,
                            const oc_error *err);

#ifdef __cplusplus
}
#endif
#endif
