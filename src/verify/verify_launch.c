/* Decides a receipt of kind `launch` again: configuration, program and trajectory are
 * the files beside it. The program must be the one that the batch stands for, byte for
 * byte, and every step is judged anew by the code of the launch. */
#include "fit/fit.h"
#include "placement/placement.h"
#include "verify/launch_files.h"
#include "verify/receipt_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef oc__launch_evidence evidence;

static bool fail_job(evidence *e, const char *member, const char *why)
{
    return oc__verify_fail(e->verifier, "job_differs", member, "%s: %s", member, why);
}

static bool check_nonce(evidence *e)
{
    return oc__verify_no_nonce(e->verifier, "launch");
}

static bool check_completed(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    if (receipt->error_status != OC_OK || receipt->boundary != OC_BOUNDARY_NONE) {
        return oc__verify_failed(e->verifier, receipt->boundary, receipt->error_text);
    }
    return strcmp(receipt->status, "completed") == 0 ||
           oc__verify_fail(e->verifier, "run_failed", "job.status",
                           "the job did not complete, it is %s: %.480s",
                           receipt->status,
                           receipt->message ? receipt->message : "no reason was given");
}

static bool check_platform(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    return oc__verify_platform(e->verifier, receipt->expected, receipt->platform) &&
           oc__verify_requested_as(e->verifier, receipt->requested_as,
                                   receipt->expected);
}

/* What the numbers of a job must be to each other. */
static bool check_job(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    if (receipt->batch < 1 || receipt->batch > OC__FIT_POINTS) {
        return fail_job(e, "job.batch", "must be 1 to 64");
    }
    if (receipt->seed > UINT32_MAX) {
        return fail_job(e, "job.seed", "must be below 2^32");
    }
    if (receipt->steps < 1 || receipt->steps > OC__FIT_MAX_STEPS) {
        return fail_job(e, "job.steps", "must be 1 to 10000");
    }
    if (receipt->last_step != receipt->steps) {
        return fail_job(e, "job.last_step",
                        "a job that completed has done all of its steps");
    }
    if (receipt->resumed_from > receipt->last_step ||
        receipt->attempt < (receipt->resumed_from > 0 ? 2 : 1)) {
        return fail_job(e, "job.resumed_from",
                        "there was no earlier attempt that could have come so far");
    }
    if (receipt->updates != receipt->last_step - receipt->resumed_from) {
        return fail_job(e, "job.updates", "must be the steps since it was resumed");
    }
    if (receipt->examples != receipt->updates * receipt->batch) {
        return fail_job(e, "job.examples", "must be the updates by the batch");
    }
    return receipt->checkpoint_step <= receipt->last_step ||
           fail_job(e, "job.checkpoint_step", "lies behind the last step");
}

static bool check_data(evidence *e)
{
    char hash[OC__SHA256_HEX];
    oc_error why = {0};
    if (oc__fit_data_hash(hash, &why) != OC_OK) {
        return oc__verify_unknown(e->verifier, "no_memory", "data_sha256", "%s",
                                  why.text);
    }
    return strcmp(hash, e->receipt->data_sha256) == 0 ||
           oc__verify_fail(e->verifier, "hash_differs", "data_sha256",
                           "data_sha256 is not that of the points of the line");
}

static bool check_numeric(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    oc__fit_judgement *judged = &e->judgement;
    oc_error err = {0};
    if (!e->complete) {
        return true;
    }
    if (oc__fit_judge(receipt->batch, (uint32_t)receipt->seed, e->records,
                      (size_t)receipt->last_step, receipt->expected, judged,
                      &err) != OC_OK) {
        e->complete = false;
        return oc__verify_unknown(e->verifier, "no_memory", "numeric", "%s", err.text);
    }
    if (judged->verdict == OC_FAIL) {
        return oc__verify_fail(e->verifier, judged->reason, "numeric", "%s",
                               judged->detail);
    }
    if (judged->verdict == OC_UNKNOWN) {
        oc__verify_unknown(e->verifier, judged->reason, "numeric", "%s",
                           judged->detail);
    }
    if (receipt->steps_judged != judged->steps ||
        receipt->first_wrong != judged->first_wrong) {
        return oc__verify_fail(e->verifier, "verdict_differs", "numeric.steps_judged",
                               "the steps that were judged, or the first that is "
                               "wrong, are not those of the trajectory");
    }
    return oc__verify_level(e->verifier, receipt->numeric.level, judged->level) &&
           oc__verify_recorded(e->verifier, "numeric", &receipt->numeric,
                               judged->verdict, judged->reason);
}

/* Members that the evidence must bear out. */
static bool check_evidence(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    const oc__stated stated[] = {
        {"api", "state.platform", "platform", receipt->platform},
        {"hash", "plugin_sha256", "versions.plugin.sha256",
         receipt->versions.plugin_sha256},
    };
    return oc__verify_stated(e->verifier, stated, sizeof stated / sizeof *stated,
                             receipt->evidence, receipt->evidence_count);
}

static bool check_placement(evidence *e)
{
    const oc__placement_case placed = oc__placement_of_launch(e->receipt);
    return oc__verify_placed(e->verifier, &placed, &e->receipt->placement);
}

static bool check_controls(evidence *e)
{
    const oc__launch_receipt *receipt = e->receipt;
    const oc__placement_case placed = oc__placement_of_launch(receipt);
    char detail[sizeof((oc__placement_result *)0)->detail];
    oc__control_demand demands[OC__FIT_CONTROLS + 1];
    if (!e->complete) {
        return true;
    }
    for (size_t i = 0; i < OC__FIT_CONTROLS; i++) {
        const oc__fit_control *control = &e->judgement.controls[i];
        demands[i] = (oc__control_demand){control->name, "numeric", control->refuted};
    }
    demands[OC__FIT_CONTROLS] = (oc__control_demand){
        "other_platform", "placement",
        oc__placement_refutes_other(&placed, detail, sizeof detail)};
    return oc__verify_demanded(e->verifier, demands, OC__FIT_CONTROLS + 1,
                               receipt->controls, receipt->control_count);
}

static bool check_claims(evidence *e)
{
    oc__launch_claims claims;
    oc__launch_receipt_derive_claims(e->receipt, &claims);
    return oc__verify_claims(e->verifier, claims.items, OC__LAUNCH_CLAIMS,
                             e->receipt->claims, e->receipt->claim_count);
}

/* Last, so that a changed member is named where a rule knows it. */
static bool check_digest(evidence *e)
{
    char computed[OC__SHA256_HEX];
    bool known = oc__launch_receipt_digest(e->receipt, computed);
    return oc__verify_digest(e->verifier, e->receipt->sha256, known ? computed : NULL);
}

void oc__verify_launch(oc__verifier *verifier, const oc__launch_receipt *receipt)
{
    static bool (*const checks[])(evidence *) = {
        check_nonce,
        check_completed,
        check_platform,
        check_job,
        check_data,
        oc__launch_check_program,
        oc__launch_check_config,
        oc__launch_check_trajectory,
        oc__launch_check_checkpoints,
        check_numeric,
        check_evidence,
        check_placement,
        check_controls,
        check_claims,
        check_digest,
    };
    evidence e = {.verifier = verifier,
                  .receipt = receipt,
                  .folder = oc__verify_folder(verifier),
                  .complete = true};
    bool holds =
        e.folder || oc__verify_unknown(verifier, "no_memory", "", "out of memory");
    snprintf(verifier->result->platform, sizeof verifier->result->platform, "%.63s",
             receipt->platform ? receipt->platform : "");
    for (size_t i = 0; e.folder && holds && i < sizeof checks / sizeof *checks; i++) {
        holds = checks[i](&e);
    }
    if (holds) {
        oc__verify_pass(verifier,
                        "requested, observed and required platform agree (%.60s); the "
                        "files beside the receipt are the recorded ones, and %.300s",
                        receipt->platform, e.judgement.detail);
    }
    free(e.records);
    free(e.folder);
}
