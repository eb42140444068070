/* The tables of a launch: every member of its receipt, in order, and those of the event
 * `observed`, from which the launcher takes what the job saw. docs/launch-receipt.md
 * explains the receipt's and docs/launch-receipt.schema.json pins them for other
 * readers; a test compares. */
#include "receipt/launch_receipt.h"
#include "receipt/receipt_members.h"

#include "onchip/version.h"

#define FIELD(field) AT(oc__launch_receipt, field)
#define COUNT        &oc__codec_integer, .max = INT64_MAX

static bool has_error(const void *receipt)
{
    return ((const oc__launch_receipt *)receipt)->error_status != OC_OK;
}

static const oc__member file[] = {
    {"file", OPTIONAL_TEXT, AT(oc__launch_file, file)},
    {"sha256", &oc__codec_hash, AT(oc__launch_file, sha256), .nullable = true},
    END};

static const oc__member checkpoint[] = {
    {"step", COUNT, AT(oc__launch_checkpoint, step)},
    {"state_hash", &oc__codec_hash, AT(oc__launch_checkpoint, state_hash)},
    END};

static const char *const statuses[] = {"completed", "failed", "timed_out", "preempted",
                                       NULL};
static const oc__member job[] = {
    {"status", &oc__codec_word, FIELD(status), .words = statuses},
    {"message", OPTIONAL_TEXT, FIELD(message)},
    {"steps", COUNT, FIELD(steps)},
    {"attempt", COUNT, FIELD(attempt)},
    {"resumed_from", COUNT, FIELD(resumed_from)},
    {"batch", COUNT, FIELD(batch)},
    {"seed", COUNT, FIELD(seed)},
    {"updates", COUNT, FIELD(updates)},
    {"examples", COUNT, FIELD(examples)},
    {"last_step", COUNT, FIELD(last_step)},
    {"checkpoint_step", COUNT, FIELD(checkpoint_step)},
    {"state_hash", &oc__codec_hash, FIELD(state_hash), .nullable = true},
    {"checkpoints", LIST(oc__launch_receipt, checkpoint, oc__launch_checkpoint),
     .members = checkpoint},
    {"update_s", &oc__codec_magnitude, FIELD(update_s)},
    {"job_s", &oc__codec_magnitude, FIELD(job_s)},
    END};

static const oc__member numeric[] = {
    {"verdict", &oc__codec_verdict, FIELD(numeric.verdict)},
    {"level", &oc__codec_pattern, FIELD(numeric.level), .nullable = true, A_WORD},
    {"reason", &oc__codec_pattern, FIELD(numeric.reason), A_WORD},
    {"detail", &oc__codec_text, FIELD(numeric.detail)},
    {"steps_judged", COUNT, FIELD(steps_judged)},
    {"first_wrong", COUNT, FIELD(first_wrong), .nullable = true},
    {"largest_error_over_bound", &oc__codec_magnitude, FIELD(largest_error_over_bound)},
    {"reference_seconds", &oc__codec_magnitude, FIELD(reference_seconds)},
    END};

static const oc__member placement[] = {PLACEMENT_MEMBERS(oc__launch_receipt), END};
static const oc__member compile_options[] = {
    COMPILE_OPTIONS_MEMBERS(oc__launch_receipt), END};
static const oc__member error[] = {ERROR_MEMBERS(oc__launch_receipt), END};

#define TIMINGS_OF_THE_JOB                                                             \
    {"load_us", COUNT, FIELD(timings.load_us)},                                        \
        {"init_us", COUNT, FIELD(timings.init_us)},                                    \
    {                                                                                  \
        "compile_us", COUNT, FIELD(timings.compile_us)                                 \
    }
static const oc__member timings[] = {
    TIMINGS_OF_THE_JOB, {"total_us", COUNT, FIELD(timings.total_us)}, END};
static const oc__member job_timings[] = {TIMINGS_OF_THE_JOB, END};

const oc__member oc__launch_receipt_members[] = {
    {"schema", &oc__codec_constant, .text = ONCHIP_RECEIPT_SCHEMA},
    {"kind", &oc__codec_constant, .text = "launch"},
    {"created", &oc__codec_pattern, FIELD(created), .matches = oc__is_time_text,
     .text = "a UTC time as 2026-11-30T10:00:00Z"},
    {"requested_as", &oc__codec_text, FIELD(requested_as)},
    {"expected", &oc__codec_text, FIELD(expected)},
    {"platform", OPTIONAL_TEXT, FIELD(platform)},
    {"config", &oc__codec_object, FIELD(config), .members = file},
    {"program", &oc__codec_object, FIELD(program), .members = file},
    {"trajectory", &oc__codec_object, FIELD(trajectory), .members = file},
    {"data_sha256", &oc__codec_hash, FIELD(data_sha256)},
    {"job", &oc__codec_object, .members = job},
    {"numeric", &oc__codec_object, .members = numeric},
    {"placement", &oc__codec_object, .members = placement},
    {"controls", LIST(oc__launch_receipt, control, oc__control),
     .members = oc__control_members},
    {"claims", LIST(oc__launch_receipt, claim, oc__claim),
     .members = oc__claim_members},
    {"versions", &oc__codec_object, FIELD(versions), .members = oc__versions_members},
    {"compile_options", &oc__codec_object, .members = compile_options},
    {"boundary", &oc__codec_boundary, FIELD(boundary)},
    {"error", &oc__codec_object, .members = error, .present = has_error},
    {"timings", &oc__codec_object, .members = timings},
    {"sha256", &oc__codec_hash, FIELD(sha256)},
    END};

const oc__member oc__launch_observed_members[] = {
    {"event", &oc__codec_constant, .text = "observed"},
    {"platform", OPTIONAL_TEXT, FIELD(platform)},
    EVIDENCE_MEMBER(oc__launch_receipt),
    {"versions", &oc__codec_object, FIELD(versions), .members = oc__versions_members},
    {"compile_options", &oc__codec_object, .members = compile_options},
    {"timings", &oc__codec_object, .members = job_timings},
    END};
