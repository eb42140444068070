/* Compiling several programs at once, a thread each: compilers take most of a short
 * run's time, and PJRT clients compile from any thread (JAX does). */
#ifndef ONCHIP_DEVICE_COMPILE_JOBS_H
#define ONCHIP_DEVICE_COMPILE_JOBS_H

#include "base/json.h"
#include "pjrt/pjrt_program.h"

typedef struct oc__compile_job {
    const oc__pjrt *pjrt; /* set by the run */
    const char *code;
    size_t code_size;
    const void *options;
    size_t options_size;
    oc__pjrt_program program; /* out */
    oc_status status;         /* out */
    oc_error err;             /* out */
} oc__compile_job;

/* Cuts a request's blob: the options that all share, then each program's code. False
 * when its sizes do not fit. */
bool oc__compile_jobs_cut(const json_t *request, const char *blob, size_t blob_size,
                          oc__compile_job *jobs, size_t count);

/* Runs every job to its end. */
void oc__compile_jobs_run(const oc__pjrt *pjrt, oc__compile_job *jobs, size_t count);

#endif
