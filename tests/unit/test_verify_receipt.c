/* Every lie that a receipt can tell, one at a time; and the good twin that passes. */
#include "receipt_fixture.h"

#include "onchip/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static oc_verify_result judge(const json_t *document, const char *require,
                              const char *nonce)
{
    const oc_verify_options options = {.require = require, .nonce = nonce};
    oc_verify_result result;
    oc_error err = {0};
    char *text = oc__json_text(document);
    oc_status rc = oc_verify(text, strlen(text), "f.json", &options, &result, &err);
    if (rc != OC_OK) {
        fail_msg("not judged: %s", err.text);
    }
    free(text);
    return result;
}

static void assert_judged(const oc_verify_result *result, oc_verdict verdict,
                          const char *reason, const char *says)
{
    if (result->verdict != verdict || strcmp(result->reason, reason) != 0 ||
        !strstr(result->detail, says)) {
        fail_msg("%s (%s): %s; must be %s (%s): %s", oc_verdict_name(result->verdict),
                 result->reason, result->detail, oc_verdict_name(verdict), reason,
                 says);
    }
}

static void judge_receipt(oc__receipt *receipt, const char *require, oc_verdict verdict,
                          const char *reason, const char *says)
{
    json_t *document = fixture_json(receipt);
    oc_verify_result result = judge(document, require, NULL);
    assert_judged(&result, verdict, reason, says);
    json_decref(document);
}

static void good_receipts_pass(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    judge_receipt(receipt, "cpu", OC_PASS, "holds", "TFRT_CPU_0");
    for (size_t devices = 1; devices <= OC__MAX_SHARDS; devices++) {
        memset(receipt->shards, 0, sizeof receipt->shards);
        fixture_add_collective(receipt, devices);
        judge_receipt(receipt, "cpu", OC_PASS, "holds", "");
    }
    oc__receipt_free(receipt);
}

static void another_layout_of_the_same_document_passes(void **state)
{
    (void)state;
    const oc_verify_options options = {.require = "cpu"};
    oc_verify_result result;
    oc__receipt *receipt = fixture_receipt(NULL);
    json_t *document = fixture_json(receipt);
    char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
    assert_int_equal(oc_verify(text, strlen(text), "f", &options, &result, NULL),
                     OC_OK);
    assert_int_equal(result.verdict, OC_PASS);
    free(text);
    json_decref(document);
    oc__receipt_free(receipt);
}

static const struct {
    const char *path;
    const char *value;
    const char *reason;
    const char *says;
} edits[] = {
    {"platform", "\"tpu\"", "platform_differs",
     "requested and observed platform disagree"},
    {"expected", "\"tpu\"", "platform_differs",
     "requested and observed platform disagree"},
    {"platform", "null", "platform_differs",
     "requested and observed platform disagree"},
    {"requested_as", "\"gpu\"", "platform_differs", "requested_as"},
    {"shape", "[4, 2]", "contract_changed", "prediction contract changed"},
    {"shape", "[7]", "contract_changed", "prediction contract changed"},
    {"dtype", "\"bfloat16\"", "contract_changed", "prediction contract changed"},
    {"changed_bias.dtype", "\"float64\"", "contract_changed", "changed_bias.dtype"},
    {"row_reversal.shape", "[8, 1]", "contract_changed", "row_reversal.shape"},
    {"prediction[3]", "1.7500001192092896", "value_differs", "element 3"},
    {"prediction[3]", "\"NaN\"", "not_finite", "element 3"},
    {"prediction[7]", NULL, "shape_differs", "prediction"},
    {"changed_bias.prediction[0]", "-0.0312499981373548508", "value_differs",
     "changed_bias"},
    {"row_reversal.prediction[7]", "0.25", "value_differs", "row_reversal"},
    {"max_absolute_error", "1e-9", "error_differs", "max_absolute_error"},
    {"max_absolute_error", "null", "error_differs", "max_absolute_error"},
    {"inputs.x[0][0]", "0.125", "inputs_differ", "inputs.x"},
    {"inputs.w[1]", "0.25", "inputs_differ", "inputs.w"},
    {"inputs.bias", "0.25", "inputs_differ", "inputs.bias"},
    {"changed_bias.bias", "0.125", "inputs_differ", "changed_bias.bias"},
    {"nonce", "\"5eed\"", "inputs_differ", "inputs.x"},
    {"programs.predict", "\"module {}\"", "program_differs", "programs.predict"},
    {"programs.changed_bias", "\"module {}\"", "program_differs",
     "programs.changed_bias"},
    {"hashes.program", NULL, "hash_differs", "hashes.program"},
    {"hashes.changed_bias_program", NULL, "hash_differs", "hashes.changed_bias_"},
    {"hashes.inputs[0].sha256", NULL, "hash_differs", "hashes.inputs[0]"},
    {"hashes.inputs[2].sha256", NULL, "hash_differs", "hashes.inputs[2]"},
    {"hashes.outputs[0].sha256", NULL, "hash_differs", "hashes.outputs[0]"},
    {"hashes.outputs[2].sha256", NULL, "hash_differs", "hashes.outputs[2]"},
    {"output_devices", "[\"TPU_0\"]", "evidence_differs", "output_devices"},
    {"output_devices", "[]", "evidence_differs", "output_devices"},
    {"placement.evidence[0].value", "\"tpu\"", "evidence_differs", "platform"},
    {"placement.evidence[4].value", "\"tpu\"", "platform_differs", "changed_bias"},
    {"placement.evidence[9].value", "\"TFRT_CPU_1\"", "device_differs", "row_reversal"},
    {"placement.evidence[2].value", "\"no\"", "device_foreign", ""},
    {"placement.evidence[3].value", "\"device\"", "memory_differs", ""},
    {"versions.plugin.sha256", "null", "evidence_differs", "plugin.sha256"},
    {"numeric.verdict", "\"FAIL\"", "verdict_differs", "numeric"},
    {"numeric.level", "null", "verdict_differs", "numeric.level"},
    {"numeric.reason", "\"value_differs\"", "verdict_differs", "numeric"},
    {"placement.verdict", "\"UNKNOWN\"", "verdict_differs", "placement"},
    {"controls[2]", NULL, "control_missing", "2 negative controls"},
    {"controls[1].name", "\"rows_swapped\"", "control_missing", "bias_dropped"},
    {"controls[0].verdict", "\"placement\"", "control_missing", "rows_swapped"},
    {"claims[2].status", "\"observed\"", "claims_differ", "claims"},
    {"claims[0]", NULL, "claims_differ", "claims"},
    {"process_count", "0", "process_range", "process_index"},
    {"boundary", "\"numeric\"", "run_failed", "boundary numeric"},
    {"error", "{\"status\": \"plugin error\", \"plugin_code\": 3, \"text\": \"no\"}",
     "run_failed", "no"},
    {"collective.verdict", "\"FAIL\"", "verdict_differs", "collective"},
    {"collective.kind", "\"accelerator collective\"", "collective_wrong", "kind"},
    {"collective.shards[1].device", "\"TFRT_CPU_0\"", "collective_wrong",
     "shares its device"},
    {"collective.shards[2].output_device", "\"TFRT_CPU_0\"", "collective_wrong",
     "shares its device"},
    {"collective.shards[0].all_reduced", "4323.0", "collective_wrong", "closed form"},
    {"collective.shards[1].sum_of_squares", "\"NaN\"", "collective_wrong",
     "closed form"},
    {"collective.shards[1].first_row", "4", "collective_wrong", "its own rows"},
    {"collective.shards[1].read_back_equal", "false", "collective_wrong",
     "come back unchanged"},
    {"collective.shards[2].rows", "1", "collective_wrong", "last row"},
};

static void single_edits_are_found(void **state)
{
    static const char another_hash[] =
        "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"";
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    fixture_add_collective(receipt, 3);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        json_t *document = fixture_json(receipt);
        bool hash = strcmp(edits[i].reason, "hash_differs") == 0;
        fixture_set(document, edits[i].path, hash ? another_hash : edits[i].value);
        oc_verify_result result = judge(document, "cpu", NULL);
        if (result.verdict != OC_FAIL) {
            fail_msg("%s = %s was not found", edits[i].path, edits[i].value);
        }
        assert_judged(&result, OC_FAIL, edits[i].reason, edits[i].says);
        json_decref(document);
    }
    oc__receipt_free(receipt);
}

static void required_platforms(void **state)
{
    static const struct {
        const char *require;
        const char *platform;
        oc_verdict verdict;
    } cases[] = {
        {"tpu", "cpu", OC_FAIL},     {"gpu", "cpu", OC_FAIL},
        {"gpu", "cuda", OC_UNKNOWN}, {"gpu", "rocm", OC_UNKNOWN},
        {"cuda", "rocm", OC_FAIL},   {"cuda", "cuda", OC_UNKNOWN},
        {"gpu", "tpu", OC_FAIL},     {"cp", "cpu", OC_FAIL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        // An accelerator of which only the device node is there: placement is UNKNOWN.
        oc__receipt *receipt = fixture_receipt(NULL);
        const char *platform = cases[i].platform;
        receipt->requested_as = receipt->expected = receipt->platform = platform;
        for (size_t k = 0; k < receipt->evidence_count; k++) {
            if (strstr(receipt->evidence[k].what, ".platform")) {
                receipt->evidence[k].value = platform;
            }
        }
        oc__receipt_add_evidence(receipt, "os", "device_node",
                                 strcmp(platform, "cuda") == 0 ? "/dev/nvidia0"
                                                               : "/dev/kfd");
        receipt->placement = (oc__judgement){OC_UNKNOWN, NULL, "os_silent", ""};
        fixture_reclaim(receipt);
        judge_receipt(receipt, cases[i].require, cases[i].verdict,
                      cases[i].verdict == OC_FAIL ? "platform_differs" : "os_silent",
                      cases[i].verdict == OC_FAIL ? "disagree" : platform);
        oc__receipt_free(receipt);
    }
}

static void a_claimed_accelerator_without_a_machine_is_contradicted(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    receipt->requested_as = receipt->expected = receipt->platform = "tpu";
    for (size_t k = 0; k < receipt->evidence_count; k++) {
        if (strstr(receipt->evidence[k].what, ".platform")) {
            receipt->evidence[k].value = "tpu";
        }
    }
    fixture_reclaim(receipt);
    judge_receipt(receipt, "tpu", OC_FAIL, "contradicted", "tpu");
    oc__receipt_add_evidence(receipt, "os", "device_node", "/dev/accel0");
    oc__receipt_add_evidence(receipt, "os", "pci_device", "1ae0:0063 0000:00:05.0");
    judge_receipt(receipt, "tpu", OC_PASS, "holds", "tpu");
    oc__receipt_free(receipt);
}

static void a_control_that_is_not_refuted_is_unknown(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    for (size_t i = 0; i < 3; i++) {
        receipt->controls[i].refuted = false;
        judge_receipt(receipt, "cpu", OC_UNKNOWN, "control_not_refuted",
                      receipt->controls[i].name);
        receipt->controls[i].refuted = true;
    }
    // An UNKNOWN does not hide a FAIL that comes later.
    receipt->controls[0].refuted = false;
    receipt->boundary = OC_BOUNDARY_EVIDENCE;
    judge_receipt(receipt, "cpu", OC_FAIL, "run_failed", "evidence");
    oc__receipt_free(receipt);
}

static void a_nonce_demands_its_own_receipt(void **state)
{
    (void)state;
    oc__receipt *fresh = fixture_receipt("5eed0123");
    oc__receipt *old = fixture_receipt("5eed0124");
    oc__receipt *without = fixture_receipt(NULL);
    json_t *documents[] = {fixture_json(fresh), fixture_json(old),
                           fixture_json(without)};
    oc_verify_result result = judge(documents[0], "cpu", "5eed0123");
    assert_judged(&result, OC_PASS, "holds", "nonce");
    result = judge(documents[0], "cpu", "5EED0123");
    assert_judged(&result, OC_PASS, "holds", "nonce");
    result = judge(documents[0], "cpu", NULL);
    assert_judged(&result, OC_PASS, "holds", "");
    result = judge(documents[1], "cpu", "5eed0123");
    assert_judged(&result, OC_FAIL, "nonce_differs", "5eed0124");
    result = judge(documents[2], "cpu", "5eed0123");
    assert_judged(&result, OC_FAIL, "nonce_differs", "none");
    // An old receipt that is relabelled lacks the inputs of the new nonce.
    fixture_set(documents[1], "nonce", "\"5eed0123\"");
    result = judge(documents[1], "cpu", "5eed0123");
    assert_judged(&result, OC_FAIL, "inputs_differ", "nonce");
    for (size_t i = 0; i < 3; i++) {
        json_decref(documents[i]);
    }
    oc__receipt_free(fresh);
    oc__receipt_free(old);
    oc__receipt_free(without);
}

static void a_failed_run_keeps_its_boundary_and_words(void **state)
{
    (void)state;
    oc__receipt *receipt = oc__receipt_new();
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->requested_as = receipt->expected = "tpu";
    receipt->boundary = OC_BOUNDARY_INIT;
    receipt->error_status = OC_UNAVAILABLE;
    receipt->error_text = "No jellyfish device found.";
    judge_receipt(receipt, "tpu", OC_FAIL, "run_failed",
                  "requested platform tpu, boundary init: No jellyfish device found.");
    oc__receipt_free(receipt);
}

static void options_that_make_no_sense(void **state)
{
    static const oc_verify_options wrong[] = {
        {0},
        {.require = ""},
        {.require = "cpu", .nonce = ""},
        {.require = "cpu", .nonce = "abc"},
        {.require = "cpu", .nonce = "xy"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        oc_verify_result result;
        oc_error err = {0};
        assert_int_equal(oc_verify("{}", 2, "f", &wrong[i], &result, &err),
                         OC_INVALID_ARGUMENT);
        assert_int_equal(err.boundary, OC_BOUNDARY_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_receipts_pass),
        cmocka_unit_test(another_layout_of_the_same_document_passes),
        cmocka_unit_test(single_edits_are_found),
        cmocka_unit_test(required_platforms),
        cmocka_unit_test(a_claimed_accelerator_without_a_machine_is_contradicted),
        cmocka_unit_test(a_control_that_is_not_refuted_is_unknown),
        cmocka_unit_test(a_nonce_demands_its_own_receipt),
        cmocka_unit_test(a_failed_run_keeps_its_boundary_and_words),
        cmocka_unit_test(options_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
