/* The receipt: one JSON document with the request, the observations, both verdicts, the
 * claims and the hashes. docs/receipt.md describes every member;
 * docs/receipt.schema.json is its schema.
 *
 * oc__receipt is the model that the runner fills and the verifier reads. Text members
 * point into the receipt's own pool (oc__receipt_keep copies a string into it) and live
 * until oc__receipt_free; NULL stands for "not reached" and is written as null.
 *
 * Calling sequence
 *     oc__receipt *receipt = oc__receipt_new();                    NULL: out of memory
 *     receipt->expected = "cpu"; ...
 *     oc__receipt_add_evidence(receipt, "api", "prediction.platform", "cpu");
 *     char *text = oc__receipt_text(receipt);           free(); NULL: out of memory
 *     oc__receipt_free(receipt);
 *
 *     rc = oc__receipt_read(text, size, name, &receipt, err);      the strict reader
 *
 * The reader refuses (OC_PARSE, naming the member): anything that is not the schema's:
 * a missing member, a member it does not know, another type, a value outside its
 * vocabulary. What it reads and writes again is the same bytes. */
#ifndef ONCHIP_RECEIPT_RECEIPT_H
#define ONCHIP_RECEIPT_RECEIPT_H

#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lesson's shapes: 8 observations of 3 features. */
enum {
    OC__ROWS = 8,
    OC__FEATURES = 3,
    OC__MAX_OUTPUT = 64, /* elements of an output that are kept; a right one has 8 */
    OC__MAX_RANK = 4,
    OC__MAX_SHARDS = 32,
    OC__MAX_NONCE_BYTES = 64
};

/* The three executions of kind `check`, in the order in which they run. */
typedef enum oc__execution {
    OC__PREDICTION,   /* X @ w + 0.125 */
    OC__CHANGED_BIAS, /* X @ w - 0.25, a second compiled program */
    OC__ROW_REVERSAL, /* the first program on X with its rows reversed */
    OC__EXECUTIONS
} oc__execution;

/* The arrays that are given to the device, in the order of hashes.inputs. */
enum { OC__INPUT_X, OC__INPUT_W, OC__INPUT_X_REVERSED, OC__INPUTS };

/* "prediction", "changed_bias", "row_reversal" */
const char *oc__execution_name(oc__execution which);
extern const char *const oc__execution_names[OC__EXECUTIONS];

/* One piece of evidence. basis: "api" (the plugin says so), "os" (the kernel shows it),
 * "hash". what: the vocabulary of src/placement/placement.h. */
typedef struct oc__evidence {
    const char *basis;
    const char *what;
    const char *value;
} oc__evidence;

/* A deliberately wrong expectation; `refuted` must be true in a run that counts. */
typedef struct oc__control {
    const char *name;    /* "rows_swapped", "bias_dropped", "other_platform" */
    const char *verdict; /* which verdict it tests: "numeric" or "placement" */
    bool refuted;
    const char *detail; /* what refuted it, or why nothing did */
} oc__control;

/* status: "observed", "derived", "simulated", "unverified" or "refuted". */
typedef struct oc__claim {
    const char *statement;
    const char *status;
    const char *evidence; /* the members that it stands on, or what is missing */
} oc__claim;

/* A completed execution: what the plugin reported of its output buffer and the values
 * read back. */
typedef struct oc__output {
    bool reached;
    size_t rank;
    int64_t dims[OC__MAX_RANK];
    const char *dtype; /* NumPy's name */
    size_t count;      /* elements in `values`; fewer than the shape says when it is too
                          large */
    float values[OC__MAX_OUTPUT];
    char sha256[OC__SHA256_HEX]; /* of the raw little-endian bytes read back */
} oc__output;

typedef struct oc__judgement {
    oc_verdict verdict;
    const char *level;  /* numeric: "exact", or NULL; placement: always NULL */
    const char *reason; /* one word of a fixed vocabulary */
    const char *detail; /* a sentence */
} oc__judgement;

/* --devices N: rows of X sharded, and a real all-reduce. Device strings are the owners
 * that the buffers themselves report. */
typedef struct oc__shard {
    const char *device; /* owner of this shard of X */
    int64_t first_row;
    int64_t rows;
    bool read_back_equal;      /* the shard's bytes came back unchanged */
    const char *output_device; /* owner of this replica's all-reduce output */
    double sum_of_squares; /* of this replica's 8 elements of arange(N*8), computed on
                              the device */
    double all_reduced;    /* the sum over all replicas that this replica holds */
} oc__shard;

typedef struct oc__versions {
    const char *onchip;           /* of the writer */
    const char *pjrt_api;         /* "0.115" */
    const char *stablehlo;        /* "1.20.0", or NULL */
    const char *platform_version; /* or NULL */
    const char *plugin_name;      /* file name */
    const char *plugin_sha256;
    const char *plugin_build_id; /* the ELF note, or NULL: the plugin carries none */
} oc__versions;

typedef struct oc__receipt {
    const char *created;       /* UTC, "2026-11-30T10:00:00Z" */
    const char *nonce;         /* lower-case hexadecimal or NULL */
    const char *requested_as;  /* what the user wrote ("gpu"), the same as `expected`
                                  otherwise */
    const char *expected;      /* the requested platform */
    const char *platform;      /* the observed platform, or NULL */
    const char *output_device; /* of the prediction, or NULL */
    int64_t process_index;
    int64_t process_count;
    double
        max_absolute_error; /* prediction against reference; NaN when there is none */

    float x[OC__ROWS * OC__FEATURES];
    float w[OC__FEATURES];
    float bias[2]; /* of the predict and of the changed program */
    oc__output outputs[OC__EXECUTIONS];

    oc__judgement numeric;
    oc__judgement placement;
    oc__evidence *evidence; /* placement's */
    size_t evidence_count;
    oc__control *controls;
    size_t control_count;
    oc__claim *claims;
    size_t claim_count;

    size_t shard_count; /* 0: no --devices */
    oc__shard shards[OC__MAX_SHARDS];
    oc__judgement collective;    /* UNSET when shard_count is 0 */
    const char *collective_kind; /* NULL: oc__receipt_text takes the one below */

    oc__versions versions;           /* `onchip` is set by oc__receipt_new */
    const char *compile_options;     /* the protobuf in text form */
    const char *compile_options_hex; /* the bytes given to the plugin */
    const char *programs[2];         /* StableHLO text: predict, changed bias */

    /* Of the program texts and of the raw little-endian float32 bytes of x, w and x
     * with its rows reversed. "": oc__receipt_text computes it. */
    char program_sha256[2][OC__SHA256_HEX];
    char input_sha256[OC__INPUTS][OC__SHA256_HEX];

    oc_boundary boundary; /* the first that failed; NONE when all were passed */
    oc_status error_status;
    int error_plugin_code;
    const char *error_text; /* the original words, or NULL */

    struct { /* microseconds; 0: not reached */
        int64_t load_us, init_us, compile_us, transfer_us, execute_us, total_us;
    } timings;

    struct oc__receipt_pool *pool;
} oc__receipt;

/* Every member is "not reached"; both verdicts are UNKNOWN, reason "not_reached". */
oc__receipt *oc__receipt_new(void);
void oc__receipt_free(oc__receipt *receipt);

/* Copies text into the receipt's pool; NULL gives NULL. When memory runs out the
 * receipt is marked and oc__receipt_text later yields NULL. Bytes that are not UTF-8
 * become U+FFFD, since a plugin's words may be anything. */
const char *oc__receipt_keep(oc__receipt *receipt, const char *text);
OC_PRINTF(2, 3)
const char *oc__receipt_keepf(oc__receipt *receipt, const char *format, ...);

/* Each copies its text. Evidence whose value is NULL was not seen and is not added. */
void oc__receipt_add_evidence(oc__receipt *receipt, const char *basis, const char *what,
                              const char *value);
void oc__receipt_add_control(oc__receipt *receipt, const char *name,
                             const char *verdict, bool refuted, const char *detail);
void oc__receipt_add_claim(oc__receipt *receipt, const char *statement,
                           const char *status, const char *evidence);

/* "cpu collective" or "accelerator collective"; static text. */
const char *oc__receipt_collective_kind(const char *expected);

/* The time of now as documents write it: UTC, "2026-11-30T10:00:00Z". */
enum { OC__UTC_TEXT = 32 };
void oc__receipt_now(char out[OC__UTC_TEXT]);

/* The input of the row reversal. */
void oc__receipt_reverse_rows(const float x[OC__ROWS * OC__FEATURES],
                              float out[OC__ROWS * OC__FEATURES]);

/* The hashes that the receipt must carry for its programs and inputs. */
void oc__receipt_hash_programs(const oc__receipt *receipt, char out[2][OC__SHA256_HEX]);
void oc__receipt_hash_inputs(const oc__receipt *receipt,
                             char out[OC__INPUTS][OC__SHA256_HEX]);

/* The document, malloc'd and NUL-terminated; NULL when memory ran out. */
char *oc__receipt_text(const oc__receipt *receipt);

/* The short report with the lesson's keys that `check` prints without --json: expected,
 * output_devices, platform, onchip, plugin, shape, dtype, max_absolute_error,
 * process_index, process_count. malloc'd. */
char *oc__receipt_report_text(const oc__receipt *receipt);

OC_MUST_USE oc_status oc__receipt_read(const char *text, size_t size, const char *name,
                                       oc__receipt **out_receipt, oc_error *err);

#endif
