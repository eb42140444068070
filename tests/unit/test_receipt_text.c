/* The strict reader and the writer: what is written is read and written again to the
 * same bytes; what is not the schema's is refused with the member's path. */
#include "receipt_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_round_trip(const oc__receipt *receipt)
{
    oc__receipt *again = NULL;
    oc_error err = {0};
    char *text = oc__receipt_text(receipt);
    assert_non_null(text);
    oc_status rc = oc__receipt_read(text, strlen(text), "receipt", &again, &err);
    if (rc != OC_OK) {
        fail_msg("%s", err.text);
    }
    char *text_again = oc__receipt_text(again);
    assert_string_equal(text, text_again);
    oc__receipt_free(again);
    free(text_again);
    free(text);
}

static void assert_refused(const char *text, size_t size, const char *says)
{
    oc__receipt *receipt = (oc__receipt *)1;
    oc_error err = {0};
    oc_status rc = oc__receipt_read(text, size, "f.json", &receipt, &err);
    assert_true(rc == OC_PARSE || rc == OC_LIMIT);
    assert_null(receipt);
    assert_int_equal(err.boundary, OC_BOUNDARY_INPUT);
    if (!strstr(err.text, "'f.json'") || !strstr(err.text, says)) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
}

static void assert_json_refused(const json_t *document, const char *says)
{
    char *text = oc__json_text(document);
    assert_refused(text, strlen(text), says);
    free(text);
}

static void good_receipts_round_trip(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    assert_round_trip(receipt);
    fixture_add_collective(receipt, 3);
    assert_round_trip(receipt);
    oc__receipt_free(receipt);
    receipt = fixture_receipt("5eed0123");
    assert_round_trip(receipt);
    oc__receipt_free(receipt);
}

static void a_run_that_failed_early_round_trips(void **state)
{
    (void)state;
    oc__receipt *receipt = oc__receipt_new();
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->requested_as = receipt->expected = "tpu";
    receipt->boundary = OC_BOUNDARY_INIT;
    receipt->error_status = OC_UNAVAILABLE;
    receipt->error_plugin_code = 14;
    receipt->error_text =
        oc__receipt_keep(receipt, "No jellyfish device found.\n\x01\xff\xc3\xa9");
    assert_round_trip(receipt);
    json_t *document = fixture_json(receipt);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(document, "error"), "text")),
        "No jellyfish device found.\n\x01\xef\xbf\xbd\xc3\xa9");
    json_decref(document);
    oc__receipt_free(receipt);
}

static void values_that_are_not_finite_round_trip(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    receipt->outputs[0].values[0] = (float)NAN;
    receipt->outputs[0].values[1] = -(float)INFINITY;
    receipt->outputs[0].values[2] = -0.0F;
    receipt->outputs[0].values[3] = 0.1F;
    receipt->max_absolute_error = (double)NAN;
    assert_round_trip(receipt);
    json_t *document = fixture_json(receipt);
    assert_true(json_is_null(json_object_get(document, "max_absolute_error")));
    json_decref(document);
    oc__receipt_free(receipt);
}

static void exact_values_are_written_as_in_the_lesson(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    char *text = oc__receipt_text(receipt);
    assert_non_null(strstr(text, "\n    0.34375,\n"));
    assert_non_null(strstr(text, "\n    3.625\n"));
    free(text);
    oc__receipt_free(receipt);
}

typedef void visit_function(json_t *document, json_t *parent, const char *key,
                            const char *path);

/* Calls `visit` for every member of every object below `value`. */
static void walk(json_t *document, json_t *value, const char *path,
                 visit_function *visit)
{
    char below[256];
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(below, sizeof below, "%s[%zu]", path, i);
            walk(document, json_array_get(value, i), below, visit);
        }
        return;
    }
    void *iterator = json_object_iter(value);
    char *keys[64]; // copies: a visit may free the object's own
    size_t count = 0;
    for (; iterator; iterator = json_object_iter_next(value, iterator)) {
        assert_true(count < 64);
        keys[count++] = strdup(json_object_iter_key(iterator));
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", keys[i]);
        walk(document, json_object_get(value, keys[i]), below, visit);
        visit(document, value, keys[i], below);
        free(keys[i]);
    }
}

/* Without the member, with it in another type, and with one beside it that is unknown.
 */
static void spoil(json_t *document, json_t *parent, const char *key, const char *path)
{
    char says[300];
    json_t *kept = json_incref(json_object_get(parent, key));
    json_t *backup = json_copy(parent); // keeps the order of members
    snprintf(says, sizeof says, "member '%s' is missing", path);
    json_object_del(parent, key);
    assert_json_refused(document, says);

    snprintf(says, sizeof says, "member '%s", path);
    json_object_set_new(parent, key, json_pack("{s:i}", "surprise", 1));
    assert_json_refused(document, says);
    json_object_set_new(parent, key, json_false());
    if (!json_is_boolean(kept)) {
        assert_json_refused(document, says);
    }
    json_object_set(parent, key, kept);
    json_object_set_new(parent, "zz_unknown", json_true());
    assert_json_refused(document, "zz_unknown' is not a member of this document");
    json_object_clear(parent);
    json_object_update(parent, backup);
    json_decref(backup);
    json_decref(kept);
}

static void every_member_is_demanded_and_typed(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    fixture_add_collective(receipt, 2);
    receipt->error_status = OC_PLUGIN;
    receipt->error_text = "words";
    json_t *document = fixture_json(receipt);
    walk(document, document, "", spoil);
    char *before = oc__receipt_text(receipt);
    char *after = oc__json_text(document);
    assert_string_equal(before, after); // the walk restored all of it
    free(before);
    free(after);
    json_decref(document);
    oc__receipt_free(receipt);
}

static void values_outside_their_range_are_refused(void **state)
{
    static const char *const edits[][3] = {
        // path, value, part of the sentence
        {"schema", "\"onchip.receipt/2\"", "must be 'onchip.receipt/1'"},
        {"kind", "\"eval\"", "must be 'check'"},
        {"created", "\"2026-11-30 10:00:00\"", "created"},
        {"created", "\"2026-11-30T10:00:00Zx\"", "created"},
        {"nonce", "\"\"", "nonce"},
        {"nonce", "\"ABCD\"", "nonce"},
        {"nonce", "\"abc\"", "nonce"},
        {"output_devices", "[\"a\", \"b\"]", "output_devices"},
        {"output_devices", "[1]", "output_devices"},
        {"shape[0]", "-1", "shape[0]"},
        {"shape[0]", "8.0", "shape[0]"},
        {"shape", "[1, 1, 1, 1, 1]", "shape"},
        {"process_index", "-1", "process_index"},
        {"process_count", "2147483648", "process_count"},
        {"max_absolute_error", "-1e-9", "max_absolute_error"},
        {"max_absolute_error", "-0.0", "max_absolute_error"},
        {"max_absolute_error", "\"NaN\"", "max_absolute_error"},
        {"prediction[0]", "0.1", "prediction[0]"},
        {"prediction[0]", "1e39", "prediction[0]"},
        {"prediction[0]", "\"nan\"", "prediction[0]"},
        {"inputs.x[7][2]", "\"NaN\"", "inputs.x[7][2]"},
        {"inputs.x[7]", "[1, 2]", "inputs.x[7]"},
        {"inputs.w", "[1, 2, 3, 4]", "inputs.w"},
        {"inputs.dtype", "\"bfloat16\"", "inputs.dtype"},
        {"numeric.verdict", "\"pass\"", "numeric.verdict"},
        {"numeric.reason", "\"Bit equal\"", "numeric.reason"},
        {"placement.evidence[0].basis", "\"faith\"", "placement.evidence[0].basis"},
        {"placement.evidence[0].what", "\"a.b.c\"", "placement.evidence[0].what"},
        {"controls[1].verdict", "\"both\"", "controls[1].verdict"},
        {"claims[0].status", "\"proved\"", "claims[0].status"},
        {"collective.kind", "\"miracle\"", "collective.kind"},
        {"collective.shards", "[]", "collective"},
        {"collective.shards[0].rows", "9", "collective.shards[0].rows"},
        {"versions.plugin.sha256", "\"00\"", "versions.plugin.sha256"},
        {"versions.plugin.build_id", "\"xyz\"", "versions.plugin.build_id"},
        {"compile_options.hex", "\"0\"", "compile_options.hex"},
        {"programs.predict", "null", "hashes.program"},
        {"hashes.program", "null", "hashes.program"},
        {"hashes.inputs[0].name", "\"w\"", "hashes.inputs[0].name"},
        {"hashes.inputs[0].sha256", "null", "hashes.inputs[0].sha256"},
        {"hashes.inputs[2]", NULL, "hashes.inputs"},
        {"hashes.outputs[2].sha256", "null", "hashes.outputs[2].sha256"},
        {"dtype", "null", "prediction has no dtype"},
        {"boundary", "\"nowhere\"", "boundary"},
        {"error", "{\"status\": \"ok\", \"plugin_code\": 0, \"text\": \"\"}",
         "error.status"},
        {"error",
         "{\"status\": \"unknown status\", \"plugin_code\": 0, \"text\": \"\"}",
         "error.status"},
        {"error",
         "{\"status\": \"plugin error\", \"plugin_code\": 4294967296, \"text\": \"\"}",
         "error.plugin_code"},
        {"timings.load_us", "-1", "timings.load_us"},
    };
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    fixture_add_collective(receipt, 2);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        json_t *document = fixture_json(receipt);
        fixture_set(document, edits[i][0], edits[i][1]);
        assert_json_refused(document, edits[i][2]);
        json_decref(document);
    }
    oc__receipt_free(receipt);
}

static void broken_text_is_refused(void **state)
{
    (void)state;
    oc__receipt *receipt = fixture_receipt(NULL);
    char *text = oc__receipt_text(receipt);
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size - 1; cut += 7) {
        char *exact = malloc(cut > 0 ? cut : 1); // a read beyond it is seen by ASan
        memcpy(exact, text, cut);
        assert_refused(exact, cut, "");
        free(exact);
    }
    assert_refused(text, size - 2, "");
    char *longer = NULL;
    assert_true(asprintf(&longer, "%s{}", text) > 0);
    assert_refused(longer, strlen(longer), "");
    free(longer);
    assert_true(asprintf(&longer, "{\"schema\": \"onchip.receipt/1\", %s", text + 1) >
                0);
    assert_refused(longer, strlen(longer), "duplicate");
    free(longer);
    char *number = strstr(text, "0.34375");
    for (size_t i = 0; i < strlen("0.34375"); i++) {
        number[i] = "NaN    "[i];
    }
    assert_refused(text, size, "");
    free(text);
    oc__receipt_free(receipt);

    char deep[400];
    memset(deep, '[', sizeof deep);
    assert_refused(deep, sizeof deep, "nests deeper");
    assert_refused("[]", 2, "must be an object");
    assert_refused("null", 4, "");
    assert_refused("", 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_receipts_round_trip),
        cmocka_unit_test(a_run_that_failed_early_round_trips),
        cmocka_unit_test(values_that_are_not_finite_round_trip),
        cmocka_unit_test(exact_values_are_written_as_in_the_lesson),
        cmocka_unit_test(every_member_is_demanded_and_typed),
        cmocka_unit_test(values_outside_their_range_are_refused),
        cmocka_unit_test(broken_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
