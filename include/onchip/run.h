/* `onchip run`: a StableHLO program on a device, judged against the reference.
 *
 *     oc_run_options options = {.program = {.program = "model.mlir", .inputs = files,
 *                                           .input_count = 2, .output_dir = "run1"},
 *                               .platform = "cpu", .timeout_ms = 120000};
 *     oc_run_result *result;
 *     if (oc_run(&options, &result, &err) == OC_OK) {
 *         puts(result->receipt_json);
 *     }
 *     oc_run_result_free(result);
 *
 * OC_OK says that there is a receipt, also when the device was absent, the plugin died
 * or a verdict is FAIL: result->exit_status and result->failure tell. An error says
 * that there is none: a request, a program or an input that makes no sense. When only
 * keeping the files failed, both are there: the error and *out_result. */
#ifndef ONCHIP_RUN_H
#define ONCHIP_RUN_H

#include "onchip/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum oc_run_reference {
    OC_RUN_AUTO = 0, /* every element where that fits into the budget, else a sample */
    OC_RUN_FULL,     /* every element */
    OC_RUN_SAMPLE,   /* elements drawn at random; the receipt says what that can miss */
    OC_RUN_NONE      /* do not judge: the numeric verdict is UNKNOWN */
} oc_run_reference;

typedef struct oc_run_options {
    /* output_dir keeps program.mlir, in0.npy, out0.npy, ..., receipt.json and
     * plugin.log; timeout_ms of it is not looked at. */
    oc_program_request program;
    const char *platform; /* requested: cpu, tpu, cuda, rocm, gpu, ... */
    const char *plugin;   /* file, or NULL: the one that is found */
    /* Arrays that the outputs must agree with as well, in the order of the outputs. */
    const char *const *expect;
    size_t expect_count;
    const char *const *xla_options; /* "NAME=VALUE" each */
    size_t xla_option_count;
    const char *const *allow; /* names of deviations (docs/numerics.md) */
    size_t allow_count;
    oc_run_reference reference;
    bool second_opinion; /* run again with known rewrites of the compiler turned off */
    int64_t budget_ms;   /* of the reference; 0: 10 s, none for OC_RUN_FULL */
    int64_t timeout_ms;  /* of everything that the plugin does, in all */
    const char *receipt; /* file for the receipt, besides the one in output_dir */
} oc_run_options;

typedef struct oc_run_result {
    int exit_status; /* oc_exit */
    oc_verdict numeric, placement;
    const char *numeric_detail, *placement_detail; /* a sentence each */
    const char *deviations; /* "flush-to-zero, ..."; empty when there are none */
    oc_error failure;       /* status OC_OK when everything was reached */
    const char *expected, *platform;
    size_t output_count;
    char *outputs_text; /* a line an output: type, device, outcomes */
    char *receipt_json;
    const char *log; /* what the plugin wrote, or NULL */
    size_t log_size;

    struct oc_run_private *owner;
} oc_run_result;

OC_API OC_MUST_USE oc_status oc_run(const oc_run_options *options,
                                    oc_run_result **out_result, oc_error *err);
OC_API void oc_run_result_free(oc_run_result *result);

#ifdef __cplusplus
}
#endif
#endif
