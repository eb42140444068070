/* The receipt's table: every member of the document, in order. docs/receipt.md explains
 * them and docs/receipt.schema.json pins them for other readers; a test compares. */
#include "receipt/receipt_members.h"

#include "onchip/version.h"
#include "receipt/receipt.h"

#include <stdint.h>
#include <string.h>

#define OUTPUT(which) AT(oc__receipt, outputs[which])

static bool is_nonce(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length <= 2 * (size_t)OC__MAX_NONCE_BYTES &&
           oc__is_hex_bytes_text(text);
}

static bool has_collective(const void *receipt)
{
    return ((const oc__receipt *)receipt)->shard_count > 0;
}

static bool has_error(const void *receipt)
{
    return ((const oc__receipt *)receipt)->error_status != OC_OK;
}

static const char *const input_names[] = {"x", "w", "x_reversed", NULL};
static const char *const output_names[] = {"prediction", "changed_bias", "row_reversal",
                                           NULL};

static const oc__member inputs[] = {
    {"dtype", &oc__codec_constant, .text = "float32"},
    {"x", &oc__codec_floats, AT(oc__receipt, x), .rows = OC__ROWS,
     .columns = OC__FEATURES},
    {"w", &oc__codec_floats, AT(oc__receipt, w), .columns = OC__FEATURES},
    {"bias", &oc__codec_float, AT(oc__receipt, bias[0])},
    END};

static const oc__member changed_bias[] = {
    {"bias", &oc__codec_float, AT(oc__receipt, bias[1])},
    {"shape", &oc__codec_shape, OUTPUT(OC__CHANGED_BIAS)},
    {"dtype", &oc__codec_dtype, OUTPUT(OC__CHANGED_BIAS)},
    {"prediction", &oc__codec_values, OUTPUT(OC__CHANGED_BIAS)},
    END};

static const oc__member row_reversal[] = {
    {"shape", &oc__codec_shape, OUTPUT(OC__ROW_REVERSAL)},
    {"dtype", &oc__codec_dtype, OUTPUT(OC__ROW_REVERSAL)},
    {"prediction", &oc__codec_values, OUTPUT(OC__ROW_REVERSAL)},
    END};

static const oc__member numeric[] = {
    {"verdict", &oc__codec_verdict, AT(oc__receipt, numeric.verdict)},
    {"level", &oc__codec_pattern, AT(oc__receipt, numeric.level), .nullable = true,
     A_WORD},
    {"reason", &oc__codec_pattern, AT(oc__receipt, numeric.reason), A_WORD},
    {"detail", &oc__codec_text, AT(oc__receipt, numeric.detail)},
    END};

static const oc__member placement[] = {
    {"verdict", &oc__codec_verdict, AT(oc__receipt, placement.verdict)},
    {"reason", &oc__codec_pattern, AT(oc__receipt, placement.reason), A_WORD},
    {"detail", &oc__codec_text, AT(oc__receipt, placement.detail)},
    {"evidence", &oc__codec_list, AT(oc__receipt, evidence),
     .count_offset = offsetof(oc__receipt, evidence_count),
     .item_size = sizeof(oc__evidence), .members = oc__evidence_members},
    END};

static const oc__member shard[] = {
    {"device", &oc__codec_text, AT(oc__shard, device)},
    {"first_row", &oc__codec_integer, AT(oc__shard, first_row), .max = OC__ROWS},
    {"rows", &oc__codec_integer, AT(oc__shard, rows), .max = OC__ROWS},
    {"read_back_equal", &oc__codec_bool, AT(oc__shard, read_back_equal)},
    {"output_device", &oc__codec_text, AT(oc__shard, output_device)},
    {"sum_of_squares", &oc__codec_real, AT(oc__shard, sum_of_squares)},
    {"all_reduced", &oc__codec_real, AT(oc__shard, all_reduced)},
    END};

static const oc__member collective[] = {
    {"verdict", &oc__codec_verdict, AT(oc__receipt, collective.verdict)},
    {"reason", &oc__codec_pattern, AT(oc__receipt, collective.reason), A_WORD},
    {"detail", &oc__codec_text, AT(oc__receipt, collective.detail)},
    {"kind", &oc__codec_word, AT(oc__receipt, collective_kind),
     .words = oc__collective_kinds},
    {"shards", &oc__codec_items, AT(oc__receipt, shards), .max = OC__MAX_SHARDS,
     .count_offset = offsetof(oc__receipt, shard_count), .item_size = sizeof(oc__shard),
     .members = shard},
    END};

static const oc__member compile_options[] = {
    {"text", &oc__codec_text, AT(oc__receipt, compile_options), .nullable = true},
    {"hex", &oc__codec_pattern, AT(oc__receipt, compile_options_hex), .nullable = true,
     .matches = oc__is_hex_bytes_text, .text = "hexadecimal"},
    END};

static const oc__member programs[] = {
    {"predict", &oc__codec_text, AT(oc__receipt, programs[0]), .nullable = true},
    {"changed_bias", &oc__codec_text, AT(oc__receipt, programs[1]), .nullable = true},
    END};

static const oc__member hashes[] = {
    {"program", &oc__codec_hash, AT(oc__receipt, program_sha256[0]), .nullable = true},
    {"changed_bias_program", &oc__codec_hash, AT(oc__receipt, program_sha256[1]),
     .nullable = true},
    {"inputs", &oc__codec_hashes, AT(oc__receipt, input_sha256), .words = input_names,
     .item_size = OC__SHA256_HEX},
    {"outputs", &oc__codec_hashes, AT(oc__receipt, outputs[0].sha256),
     .words = output_names, .item_size = sizeof(oc__output), .nullable = true},
    END};

static const oc__member error[] = {
    {"status", &oc__codec_status, AT(oc__receipt, error_status)},
    {"plugin_code", &oc__codec_code, AT(oc__receipt, error_plugin_code)},
    {"text", &oc__codec_text, AT(oc__receipt, error_text)},
    END};

#define MICROSECONDS(name)                                                             \
    {                                                                                  \
#name, &oc__codec_integer, AT(oc__receipt, timings.name), .max = INT64_MAX     \
    }
static const oc__member timings[] = {MICROSECONDS(load_us),
                                     MICROSECONDS(init_us),
                                     MICROSECONDS(compile_us),
                                     MICROSECONDS(transfer_us),
                                     MICROSECONDS(execute_us),
                                     MICROSECONDS(total_us),
                                     END};

const oc__member oc__receipt_members[] = {
    {"schema", &oc__codec_constant, .text = ONCHIP_RECEIPT_SCHEMA},
    {"kind", &oc__codec_constant, .text = "check"},
    {"created", &oc__codec_pattern, AT(oc__receipt, created),
     .matches = oc__is_time_text, .text = "a UTC time as 2026-11-30T10:00:00Z"},
    {"nonce", &oc__codec_pattern, AT(oc__receipt, nonce), .nullable = true,
     .matches = is_nonce, .text = "lower-case hexadecimal of 1 to 64 bytes"},
    {"requested_as", &oc__codec_text, AT(oc__receipt, requested_as)},
    {"expected", &oc__codec_text, AT(oc__receipt, expected)},
    {"output_devices", &oc__codec_texts, AT(oc__receipt, output_device), .max = 1,
     .columns = 1},
    {"platform", &oc__codec_text, AT(oc__receipt, platform), .nullable = true},
    {"shape", &oc__codec_shape, OUTPUT(OC__PREDICTION)},
    {"dtype", &oc__codec_dtype, OUTPUT(OC__PREDICTION)},
    {"max_absolute_error", &oc__codec_magnitude, AT(oc__receipt, max_absolute_error)},
    {"process_index", &oc__codec_integer, AT(oc__receipt, process_index),
     .max = INT32_MAX},
    {"process_count", &oc__codec_integer, AT(oc__receipt, process_count),
     .max = INT32_MAX},
    {"prediction", &oc__codec_values, OUTPUT(OC__PREDICTION)},
    {"inputs", &oc__codec_object, .members = inputs},
    {"changed_bias", &oc__codec_object, .members = changed_bias},
    {"row_reversal", &oc__codec_object, .members = row_reversal},
    {"numeric", &oc__codec_object, .members = numeric},
    {"placement", &oc__codec_object, .members = placement},
    {"controls", &oc__codec_list, AT(oc__receipt, controls),
     .count_offset = offsetof(oc__receipt, control_count),
     .item_size = sizeof(oc__control), .members = oc__control_members},
    {"claims", &oc__codec_list, AT(oc__receipt, claims),
     .count_offset = offsetof(oc__receipt, claim_count), .item_size = sizeof(oc__claim),
     .members = oc__claim_members},
    {"collective", &oc__codec_object, .members = collective, .present = has_collective},
    {"versions", &oc__codec_object, AT(oc__receipt, versions),
     .members = oc__versions_members},
    {"compile_options", &oc__codec_object, .members = compile_options},
    {"programs", &oc__codec_object, .members = programs},
    {"hashes", &oc__codec_object, .members = hashes},
    {"boundary", &oc__codec_boundary, AT(oc__receipt, boundary)},
    {"error", &oc__codec_object, .members = error, .present = has_error},
    {"timings", &oc__codec_object, .members = timings},
    END};
