/* The receipt of `onchip run`: one JSON document of schema onchip.receipt/1 and kind
 * "run". docs/run-receipt.md describes every member; docs/run-receipt.schema.json is
 * its schema.
 *
 * The program, the inputs and the outputs are files beside the receipt; it holds their
 * hashes. Text members point into the receipt's own pool and live until
 * oc__run_receipt_free; NULL stands for "not reached". Lists are malloc'd and belong to
 * the receipt.
 *
 *     oc__run_receipt *receipt = oc__run_receipt_new();         NULL: out of memory
 *     char *text = oc__run_receipt_text(receipt);      free(); NULL: out of memory
 *     oc__run_receipt_free(receipt);
 *     rc = oc__run_receipt_read(text, size, name, &receipt, err);    the strict reader
 */
#ifndef ONCHIP_RECEIPT_RUN_RECEIPT_H
#define ONCHIP_RECEIPT_RUN_RECEIPT_H

#include "receipt/receipt.h"

enum { OC__RUN_RANK = 16, OC__RUN_DEVIATIONS = 8, OC__RUN_OPTIONS = 256 };

/* An array, as it lies in a .npy file beside the receipt. */
typedef struct oc__run_array {
    const char *file; /* "in0.npy", "out0.npy"; NULL: not kept */
    const char *dtype;
    size_t rank;
    int64_t dims[OC__RUN_RANK];
    char sha256[OC__SHA256_HEX]; /* of the elements, little endian, row major */
} oc__run_array;

typedef struct oc__run_input {
    oc__run_array array;
    const char *source; /* what the user named */
    bool assumed;       /* the file names no element type; the signature's was taken */
} oc__run_input;

/* What the reference says of one output (numeric/ladder.h explains every figure). */
typedef struct oc__run_judged {
    int64_t exact, hard, profile, loose, suspect, undecided, not_judged, refuted;
    const char *model;                          /* NULL: the text's own contract */
    const char *deviations[OC__RUN_DEVIATIONS]; /* NULL after the last */
    int64_t explained;    /* refuted elements that the deviations explain */
    double largest_ratio; /* error over bound; NaN: no finite bound above 0 */
    double rms_z, bias_z, largest_z; /* NaN: no statistical plane */
    int64_t worst;                   /* element; its value, and the ball */
    double worst_got, worst_want, worst_radius;
} oc__run_judged;

typedef struct oc__run_output {
    oc__run_array array;
    const char *device; /* owner of the completed buffer */
    const char *platform;
    oc__run_judged judged;
} oc__run_output;

typedef struct oc__run_note {
    const char *rule;
    const char *op;
    int64_t line, elements;
} oc__run_note;

/* What stands for outputs that were too large to judge whole (numeric/sample.h). */
typedef struct oc__run_sample {
    int64_t seed;
    int64_t draws; /* 0: every element was judged */
    int64_t judged, elements;
    double misses_percent,
        misses_permille; /* bounds of the probability that a fault in 1 % or 0.1 % of
                            the elements was missed */
    int64_t rows, rows_refuted, rows_suspect; /* held against random vectors */
} oc__run_sample;

/* The program once more with an option that turns off a rewrite of the compiler. */
typedef struct oc__run_opinion {
    const char *option;
    bool reached;
    const char *detail; /* why it was not reached; else NULL */
    int64_t changed;    /* elements whose bits differ from the first run's */
    int64_t refuted_before, refuted; /* under the text's own contract */
} oc__run_opinion;

typedef struct oc__run_receipt {
    const char *created;
    const char *requested_as, *expected;
    const char *platform; /* observed, or NULL */
    const char *program_source, *program_file;
    char program_sha256[OC__SHA256_HEX];
    int64_t replicas, partitions;
    oc__run_input *inputs;
    size_t input_count;
    oc__run_output *outputs; /* of all processes, replica major */
    size_t output_count;
    const char *xla_options[OC__RUN_OPTIONS + 1]; /* NULL after the last */

    oc__judgement numeric;
    const char
        *deviations[OC__RUN_DEVIATIONS]; /* of all outputs; NULL after the last */
    const char *allowed[OC__RUN_DEVIATIONS];
    oc__run_sample sample;
    oc__run_note *notes;
    size_t note_count;
    double reference_seconds;
    oc__run_opinion *opinions;
    size_t opinion_count;
    bool trivial; /* no input: a compiler may have computed the answer on the host */

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
        int64_t load_us, init_us, compile_us, transfer_us, execute_us, total_us;
    } timings;
    char sha256[OC__SHA256_HEX]; /* of all that stands before it */

    struct oc__receipt_pool *pool;
} oc__run_receipt;

oc__run_receipt *oc__run_receipt_new(void);
void oc__run_receipt_free(oc__run_receipt *receipt);
const char *oc__run_receipt_keep(oc__run_receipt *receipt, const char *text);
/* Each copies its text. */
void oc__run_receipt_add_evidence(oc__run_receipt *receipt, const char *basis,
                                  const char *what, const char *value);
void oc__run_receipt_add_control(oc__run_receipt *receipt, const char *name,
                                 const char *verdict, bool refuted, const char *detail);
/* Derives the claims and adds them. */
void oc__run_receipt_add_claims(oc__run_receipt *receipt);

/* The claims that the verdicts bear: as many as OC__RUN_CLAIMS, whose texts lie in
 * `out` or are static. */
enum { OC__RUN_CLAIMS = 2 };
typedef struct oc__run_claims {
    oc__claim items[OC__RUN_CLAIMS];
    char placed[128];
} oc__run_claims;
void oc__run_receipt_derive_claims(const oc__run_receipt *receipt, oc__run_claims *out);

/* The text has the digest of what stands before it; the receipt's own `sha256` is what
 * was read. */
char *oc__run_receipt_text(const oc__run_receipt *receipt);
OC_MUST_USE bool oc__run_receipt_digest(const oc__run_receipt *receipt,
                                        char out_hex[OC__SHA256_HEX]);
OC_MUST_USE oc_status oc__run_receipt_read(const char *text, size_t size,
                                           const char *name,
                                           oc__run_receipt **out_receipt,
                                           oc_error *err);

#endif
