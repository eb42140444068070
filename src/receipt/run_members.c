/* The table of a run's receipt: every member of the document, in order.
 * docs/run-receipt.md explains them and docs/run-receipt.schema.json pins them for
 * other readers; a test compares. */
#include "receipt/receipt_members.h"
#include "receipt/run_receipt.h"

#include "onchip/version.h"

#define FIELD(field)  AT(oc__run_receipt, field)
#define JUDGED(field) AT(oc__run_judged, field)
#define COUNT         &oc__codec_integer, .max = INT64_MAX
#define TEXTS(most)   &oc__codec_texts, .max = (most), .columns = (most)

static bool has_error(const void *receipt)
{
    return ((const oc__run_receipt *)receipt)->error_status != OC_OK;
}

#define ARRAY(type)                                                                    \
    {"file", OPTIONAL_TEXT, AT(type, array.file)},                                     \
        {"dtype", OPTIONAL_TEXT, AT(type, array.dtype)},                               \
        {"shape",                                                                      \
         &oc__codec_dims,                                                              \
         AT(type, array.dims),                                                         \
         .max = INT64_MAX,                                                             \
         .columns = OC__RUN_RANK,                                                      \
         .count_offset = offsetof(type, array.rank)},                                  \
    {                                                                                  \
        "sha256", &oc__codec_hash, AT(type, array.sha256), .nullable = true            \
    }

static const oc__member input[] = {
    ARRAY(oc__run_input),
    {"source", &oc__codec_text, AT(oc__run_input, source)},
    {"type_assumed", &oc__codec_bool, AT(oc__run_input, assumed)},
    END};

static const oc__member outcomes[] = {{"exact", COUNT, JUDGED(exact)},
                                      {"hard", COUNT, JUDGED(hard)},
                                      {"profile", COUNT, JUDGED(profile)},
                                      {"loose", COUNT, JUDGED(loose)},
                                      {"suspect", COUNT, JUDGED(suspect)},
                                      {"undecided", COUNT, JUDGED(undecided)},
                                      {"not_judged", COUNT, JUDGED(not_judged)},
                                      {"refuted", COUNT, JUDGED(refuted)},
                                      END};

static const oc__member worst[] = {{"element", COUNT, JUDGED(worst)},
                                   {"value", &oc__codec_real, JUDGED(worst_got)},
                                   {"reference", &oc__codec_real, JUDGED(worst_want)},
                                   {"radius", &oc__codec_real, JUDGED(worst_radius)},
                                   END};

static const oc__member judged[] = {
    {"outcomes", &oc__codec_object, .members = outcomes},
    {"model", OPTIONAL_TEXT, JUDGED(model)},
    {"deviations", TEXTS(OC__RUN_DEVIATIONS), JUDGED(deviations)},
    {"explained", COUNT, JUDGED(explained)},
    {"largest_error_over_bound", &oc__codec_magnitude, JUDGED(largest_ratio)},
    {"rms_z", &oc__codec_magnitude, JUDGED(rms_z)},
    {"largest_z", &oc__codec_magnitude, JUDGED(largest_z)},
    {"bias_z", &oc__codec_real, JUDGED(bias_z)},
    {"worst", &oc__codec_object, .members = worst},
    END};

static const oc__member output[] = {
    ARRAY(oc__run_output),
    {"platform", OPTIONAL_TEXT, AT(oc__run_output, platform)},
    {"device", OPTIONAL_TEXT, AT(oc__run_output, device)},
    {"judged", &oc__codec_object, AT(oc__run_output, judged), .members = judged},
    END};

static const oc__member note[] = {{"rule", &oc__codec_text, AT(oc__run_note, rule)},
                                  {"op", &oc__codec_text, AT(oc__run_note, op)},
                                  {"line", COUNT, AT(oc__run_note, line)},
                                  {"elements", COUNT, AT(oc__run_note, elements)},
                                  END};

static const oc__member opinion[] = {
    {"option", &oc__codec_text, AT(oc__run_opinion, option)},
    {"reached", &oc__codec_bool, AT(oc__run_opinion, reached)},
    {"detail", OPTIONAL_TEXT, AT(oc__run_opinion, detail)},
    {"changed", COUNT, AT(oc__run_opinion, changed)},
    {"refuted_before", COUNT, AT(oc__run_opinion, refuted_before)},
    {"refuted", COUNT, AT(oc__run_opinion, refuted)},
    END};

static const oc__member program[] = {{"source", &oc__codec_text, FIELD(program_source)},
                                     {"file", OPTIONAL_TEXT, FIELD(program_file)},
                                     {"sha256", &oc__codec_hash, FIELD(program_sha256)},
                                     {"replicas", COUNT, FIELD(replicas)},
                                     {"partitions", COUNT, FIELD(partitions)},
                                     END};

static bool is_sampled(const void *receipt)
{
    return ((const oc__run_receipt *)receipt)->sample.draws > 0;
}

static const oc__member sample[] = {
    {"seed", COUNT, FIELD(sample.seed)},
    {"draws", COUNT, FIELD(sample.draws)},
    {"judged", COUNT, FIELD(sample.judged)},
    {"elements", COUNT, FIELD(sample.elements)},
    {"misses_1_percent", &oc__codec_magnitude, FIELD(sample.misses_percent)},
    {"misses_0_1_percent", &oc__codec_magnitude, FIELD(sample.misses_permille)},
    {"rows", COUNT, FIELD(sample.rows)},
    {"rows_refuted", COUNT, FIELD(sample.rows_refuted)},
    {"rows_suspect", COUNT, FIELD(sample.rows_suspect)},
    END};

static const oc__member numeric[] = {
    {"verdict", &oc__codec_verdict, FIELD(numeric.verdict)},
    {"level", &oc__codec_pattern, FIELD(numeric.level), .nullable = true, A_WORD},
    {"reason", &oc__codec_pattern, FIELD(numeric.reason), A_WORD},
    {"detail", &oc__codec_text, FIELD(numeric.detail)},
    {"deviations", TEXTS(OC__RUN_DEVIATIONS), FIELD(deviations)},
    {"allowed", TEXTS(OC__RUN_DEVIATIONS), FIELD(allowed)},
    {"trivial", &oc__codec_bool, FIELD(trivial)},
    {"sample", &oc__codec_object, .members = sample, .present = is_sampled},
    {"notes", LIST(oc__run_receipt, note, oc__run_note), .members = note},
    {"reference_seconds", &oc__codec_magnitude, FIELD(reference_seconds)},
    {"second_opinions", LIST(oc__run_receipt, opinion, oc__run_opinion),
     .members = opinion},
    END};

static const oc__member placement[] = {PLACEMENT_MEMBERS(oc__run_receipt), END};

static const oc__member compile_options[] = {
    COMPILE_OPTIONS_MEMBERS(oc__run_receipt),
    {"xla", TEXTS(OC__RUN_OPTIONS), FIELD(xla_options)},
    END};

static const oc__member error[] = {ERROR_MEMBERS(oc__run_receipt), END};

static const oc__member timings[] = {{"load_us", COUNT, FIELD(timings.load_us)},
                                     {"init_us", COUNT, FIELD(timings.init_us)},
                                     {"compile_us", COUNT, FIELD(timings.compile_us)},
                                     {"transfer_us", COUNT, FIELD(timings.transfer_us)},
                                     {"execute_us", COUNT, FIELD(timings.execute_us)},
                                     {"total_us", COUNT, FIELD(timings.total_us)},
                                     END};

const oc__member oc__run_receipt_members[] = {
    {"schema", &oc__codec_constant, .text = ONCHIP_RECEIPT_SCHEMA},
    {"kind", &oc__codec_constant, .text = "run"},
    {"created", &oc__codec_pattern, FIELD(created), .matches = oc__is_time_text,
     .text = "a UTC time as 2026-11-30T10:00:00Z"},
    {"requested_as", &oc__codec_text, FIELD(requested_as)},
    {"expected", &oc__codec_text, FIELD(expected)},
    {"platform", OPTIONAL_TEXT, FIELD(platform)},
    {"program", &oc__codec_object, .members = program},
    {"inputs", LIST(oc__run_receipt, input, oc__run_input), .members = input},
    {"outputs", LIST(oc__run_receipt, output, oc__run_output), .members = output},
    {"numeric", &oc__codec_object, .members = numeric},
    {"placement", &oc__codec_object, .members = placement},
    {"controls", LIST(oc__run_receipt, control, oc__control),
     .members = oc__control_members},
    {"claims", LIST(oc__run_receipt, claim, oc__claim), .members = oc__claim_members},
    {"versions", &oc__codec_object, FIELD(versions), .members = oc__versions_members},
    {"compile_options", &oc__codec_object, .members = compile_options},
    {"boundary", &oc__codec_boundary, FIELD(boundary)},
    {"error", &oc__codec_object, .members = error, .present = has_error},
    {"timings", &oc__codec_object, .members = timings},
    {"sha256", &oc__codec_hash, FIELD(sha256)},
    END};
