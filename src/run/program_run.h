/* One `onchip run` between its parts: program_device.c fills the outputs from the
 * device, program_judge.c both verdicts, program_run.c is the frame and keeps the
 * files. */
#ifndef ONCHIP_RUN_PROGRAM_RUN_H
#define ONCHIP_RUN_PROGRAM_RUN_H

#include "device/device.h"
#include "numeric/judge.h"
#include "onchip/run.h"
#include "proc/proc.h"
#include "program/program.h"
#include "receipt/run_receipt.h"

typedef struct oc__program_run {
    const oc_run_options *options;
    oc__program program;
    oc__run_receipt *receipt;
    oc_device *device;
    size_t processes;
    size_t output_count; /* of all processes */
    oc_tensor *outputs;  /* [output_count]; data NULL: not reached */
    oc_tensor *expected; /* [options->expect_count] */
    unsigned allowed;
    oc__strbuf names; /* for `deviations` of the result */
    oc__judgement_of_program judgement;
} oc__program_run;

/* Opens, compiles, transfers, executes, reads back; what was reached before a failure
 * stays. Evidence and timings go into the receipt. */
OC_MUST_USE oc_status oc__program_execute(oc__program_run *run, oc_error *err);

/* --expect: reads the arrays; holds the outputs against them once they are judged. */
OC_MUST_USE oc_status oc__program_expect_read(oc__program_run *run, oc_error *err);
OC_MUST_USE oc_status oc__program_expect_judge(oc__program_run *run, oc_error *err);

/* --second-opinion, once the run is judged: fills the receipt's opinions. */
OC_MUST_USE oc_status oc__program_second(oc__program_run *run, oc_error *err);

/* Both verdicts, the controls and the claims. */
OC_MUST_USE oc_status oc__program_judge(oc__program_run *run, oc_error *err);

#endif
