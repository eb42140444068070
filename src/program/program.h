/* A program and its arrays on disk: read, checked against each other, evaluated and
 * inspected without any device.
 *
 *     rc = oc__program_open(path, &program, err);
 *     rc = oc__program_inputs(program, &wanted, err);
 *     ... program.module, program.tensors ...
 *     oc__program_close(&program);
 */
#ifndef ONCHIP_PROGRAM_PROGRAM_H
#define ONCHIP_PROGRAM_PROGRAM_H

#include "base/hash.h"
#include "onchip/program.h"
#include "stablehlo/module.h"

enum { OC__PROGRAM_MAX_PROCESSES = 4096 };

/* An array that was given, or made, for one argument of one process. */
typedef struct oc__program_input {
    char *source;                /* "x.npy", "xs.npz:w", "random:7:normal"; malloc'd */
    bool assumed;                /* the file names no type; the signature's was taken */
    char sha256[OC__SHA256_HEX]; /* of the elements as they lie in the tensor */
} oc__program_input;

typedef struct oc__program {
    char *path;
    char *text; /* NUL-terminated */
    size_t text_size;
    char sha256[OC__SHA256_HEX]; /* of the text */
    oc__hlo_module *module;
    const oc__hlo_func *main;
    size_t replicas, partitions;
    size_t input_count; /* processes x arguments, process 0's first */
    oc__program_input *inputs;
    oc_tensor *tensors;
} oc__program;

/* Reads and parses; "-" is standard input. */
OC_MUST_USE oc_status oc__program_open(const char *path, oc__program *out_program,
                                       oc_error *err);
void oc__program_close(oc__program *program); /* takes what was never opened */

/* Reads the inputs and checks them against @main's signature. */
OC_MUST_USE oc_status oc__program_inputs(oc__program *program,
                                         const oc_program_request *request,
                                         oc_error *err);

/* An array for `type` from `seed` (input_sets.c); the sets of OC_PROGRAM_SETS. */
OC_MUST_USE oc_status oc__program_random(const oc__hlo_type *type, const char *set,
                                         uint64_t seed, oc_tensor *out_tensor,
                                         oc_error *err);

/* Writes tensors as PREFIX0.npy, PREFIX1.npy, ... with `suffix` before ".npy". */
OC_MUST_USE oc_status oc__program_write(const char *folder, const char *prefix,
                                        const char *suffix, const oc_tensor *tensors,
                                        size_t count, oc_error *err);

/* "float32[2,3]", as reports and receipts show a tensor; malloc'd, NULL when out of
 * memory. */
char *oc__program_tensor_text(const oc_tensor *tensor);

#endif
