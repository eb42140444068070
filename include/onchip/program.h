/* StableHLO programs without a device: `onchip eval` and `onchip inspect`.
 *
 *     oc_program_request request = {.program = "model.mlir", .inputs = files,
 *                                   .input_count = 2};
 *     oc_eval_result *result;
 *     if (oc_eval(&request, &result, &err) == OC_OK) {
 *         puts(result->text);
 *     }
 *     oc_eval_result_free(result);
 *
 * The answers are those of the program's text: every operation rounded in its type,
 * with a radius that bounds what a conforming device may give (docs/numerics.md). */
#ifndef ONCHIP_PROGRAM_H
#define ONCHIP_PROGRAM_H

#include "onchip/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oc_program_request {
    const char *program; /* StableHLO text; "-" is standard input */
    /* FILE.npy, FILE.npz:NAME, random:SEED or random:SEED:SET, in the order of the
     * arguments: all of process 0, all of process 1, ... A last random: serves all that
     * are left. SET is lattice, normal, positive or special; normal when left out.
     * Leading dimension variables (i64 scalars of shape-polymorphic exports) may be
     * left out: their value is that of every `?`. */
    const char *const *inputs;
    size_t input_count;
    size_t replicas, partitions; /* 0: 1 */
    const char *output_dir;      /* out0.npy, ...; made when it is not there; or NULL */
    int64_t timeout_ms;          /* of the evaluation; 0: none */
} oc_program_request;

typedef struct oc_eval_result {
    size_t output_count; /* of all processes, replica major */
    char *text;          /* a line an output: type, elements, largest radius */
    char *json;
} oc_eval_result;

/* Writes outK.npy (rounded to the element type) and outK.radius.npy (float64; where no
 * radius applies there is no file) into output_dir. OC_LIMIT and OC_DEADLINE at
 * boundary numeric: the program runs too long or needs too much. */
OC_API OC_MUST_USE oc_status oc_eval(const oc_program_request *request,
                                     oc_eval_result **out_result, oc_error *err);
OC_API void oc_eval_result_free(oc_eval_result *result);

/* Signature, operations and what the reference can judge, as text or JSON; malloc'd. */
OC_API OC_MUST_USE oc_status oc_inspect(const char *program, bool json, char **out_text,
                                        oc_error *err);

#ifdef __cplusplus
}
#endif
#endif
