/* `onchip check`: the lesson "Move your experiment to a TPU" as one call.
 *
 * Three executions of two compiled programs on the requested device (the prediction, a
 * changed bias, the rows reversed), judged against an independent reference and by the
 * evidence of where the completed outputs lie, with negative controls, kept as a
 * receipt (docs/receipt.md).
 *
 *     oc_check_options options = {.platform = "cpu", .timeout_ms = 120000};
 *     oc_check_result *result;
 *     if (oc_check(&options, &result, &err) == OC_OK) {
 *         puts(result->receipt_json);
 *     }
 *     oc_check_result_free(result);
 *
 * OC_OK says that there is a receipt, also when the device was absent, the plugin died
 * or a verdict is FAIL: result->exit_status and result->failure tell. An error says
 * that there is none: a request that makes no sense (boundary usage), a run folder that
 * is there already or cannot be written. When only keeping the receipt failed (a full
 * disk), both are there: the error and *out_result. */
#ifndef ONCHIP_CHECK_H
#define ONCHIP_CHECK_H

#include "onchip/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OC_CHECK_ROWS = 8, OC_CHECK_MAX_DEVICES = 32 };

typedef struct oc_check_options {
    const char *platform; /* requested: cpu, tpu, cuda, rocm, gpu, ... */
    const char *plugin;   /* file, or NULL: the one that is found */
    int64_t devices;   /* 1..32: also shard and all-reduce over that many; 0: do not */
    const char *nonce; /* hexadecimal, 1 to 64 bytes, or NULL */
    const char *run_dir; /* new folder for receipt.json, plugin.log; or NULL */
    int64_t timeout_ms;
} oc_check_options;

typedef struct oc_check_result {
    int exit_status; /* oc_exit */
    oc_verdict numeric;
    oc_verdict placement;
    oc_verdict collective;      /* UNSET without `devices` */
    const char *numeric_detail; /* a sentence each */
    const char *placement_detail;
    const char *collective_detail;
    oc_error failure; /* status OC_OK when everything was reached */

    const char *expected; /* requested platform: cuda where `gpu` was asked for */
    const char *platform; /* observed, or NULL */
    const char *device;   /* of the prediction, or NULL */
    bool prediction_reached;
    float prediction[OC_CHECK_ROWS];
    float reference[OC_CHECK_ROWS];
    float changed_first; /* first value of the changed prediction */
    bool changed_reached;
    bool mismatch_rejected;  /* the wrong platform report was refuted */
    bool reversal_preserved; /* values and placement of the row reversal are right */

    char *receipt_json;
    char *report_json; /* the short report with the lesson's keys; NULL when not reached
                        */
    const char *log;   /* what the plugin wrote, or NULL */
    size_t log_size;

    struct oc_check_private *owner;
} oc_check_result;

OC_API OC_MUST_USE oc_status oc_check(const oc_check_options *options,
                                      oc_check_result **out_result, oc_error *err);
OC_API void oc_check_result_free(oc_check_result *result);

#ifdef __cplusplus
}
#endif
#endif
