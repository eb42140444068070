/* Checks a course project: compiles a learner's C file against the public headers, runs
 * it in a process of its own and says, stage by stage, what held and what did not.
 *
 * The learner's code is not trusted to end, to stay in its memory or to leave files
 * alone: it has a deadline, a memory limit, no files outside a temporary folder, and
 * sanitizers where the compiler has them. Whatever it does is a verdict of the stage in
 * which it did it, never an error. It is trusted not to forge: it shares a process with
 * the harness that judges it.
 *
 * Needed to run: a C compiler ($CC, cc, gcc or clang) and pkg-config.
 *
 * Calling sequence
 *     oc_audit_options options = {.project = "tpu-runtime-audit", .implementation =
 *                                 "starter", .timeout_ms = 30000};
 *     oc_audit_result *result;
 *     oc_error err = {0};
 *     if (oc_audit(&options, &result, &err) == OC_OK)
 *         ... result->stages[i] ...
 *     oc_audit_result_free(result);
 */
#ifndef ONCHIP_AUDIT_H
#define ONCHIP_AUDIT_H

#include "onchip/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OC_AUDIT_STAGES = 4 };

typedef struct oc_audit_options {
    const char *project;         /* a name in `projects` of the installation */
    const char *implementation;  /* "starter", "solution" or a C file */
    int stage;                   /* the last one to check; 0: the project's last */
    const char *evidence_dir;    /* NULL: a new folder among the temporary ones */
    const char *const *receipts; /* of other runs, that support claims */
    size_t receipt_count;
    const char *plugin; /* file, or NULL: the one that is found (onchip/plugin.h) */
    int64_t timeout_ms; /* for the learner's program; compiling has its own */
} oc_audit_options;

typedef struct oc_audit_stage {
    oc_verdict verdict; /* PASS or FAIL */
    const char *title;  /* what the stage shows, a few words; static text */
    char *function;     /* of the learner, to blame; NULL on PASS, as the next three */
    char *expected;
    char *got;
    char *hint;  /* names the mistake; NULL: none */
    char **says; /* what was seen on the way, a line each */
    size_t say_count;
} oc_audit_stage;

typedef struct oc_audit_result {
    char *project;
    char *implementation; /* as it was asked for */
    oc_audit_stage stages[OC_AUDIT_STAGES];
    size_t stage_count; /* those that were reached; only the last can be a FAIL */
    char *printed;      /* the last of what compiler or program printed; "" on PASS */
    char *evidence;     /* path of the evidence file; NULL: none was written */
} oc_audit_result;

/* OC_OK comes with a verdict for each stage reached. Errors: OC_INVALID_ARGUMENT or
 * OC_NOT_FOUND (boundary usage or input) when the request makes no sense or a file is
 * not there; OC_UNAVAILABLE when the plugin or its device is not; OC_IO, OC_PLUGIN or
 * OC_NOMEM when it could not be done: no compiler, no pkg-config, evidence that cannot
 * be written. */
OC_API OC_MUST_USE oc_status oc_audit(const oc_audit_options *options,
                                      oc_audit_result **out_result, oc_error *err);
OC_API void oc_audit_result_free(oc_audit_result *result);

/* The same as a JSON document, malloc'd; NULL when out of memory. */
OC_API char *oc_audit_json(const oc_audit_result *result);

#ifdef __cplusplus
}
#endif
#endif
