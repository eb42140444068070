/* The receipt of a launch and the event `observed`: what is written is read and written
 * again to the same bytes; what is not the schema's is refused with the member's path.
 */
#include "receipt/launch_receipt.h"

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char hash_a[] =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char hash_b[] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void set_hash(char out[OC__SHA256_HEX], const char *hash)
{
    memcpy(out, hash, OC__SHA256_HEX);
}

static oc__launch_receipt *empty(void)
{
    oc__launch_receipt *receipt = oc__launch_receipt_new();
    assert_non_null(receipt);
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->requested_as = receipt->expected = "cpu";
    receipt->status = "failed";
    set_hash(receipt->data_sha256, hash_a);
    return receipt;
}

static void add_observed(oc__launch_receipt *receipt)
{
    receipt->platform = "cpu";
    receipt->versions.pjrt_api = "0.90";
    receipt->versions.plugin_sha256 = hash_b;
    receipt->compile_options = "num_replicas: 1";
    receipt->compile_options_hex = "0a02";
    receipt->timings.load_us = 11;
    receipt->timings.init_us = 22;
    receipt->timings.compile_us = 33;
    oc__launch_receipt_add_evidence(receipt, "api", "state.platform", "cpu");
    oc__launch_receipt_add_evidence(receipt, "os", "plugin_mapped", "/a plugin.so");
}

/* Of a second attempt: 4 steps, then on to 8. */
static oc__launch_receipt *full(void)
{
    oc__launch_receipt *receipt = empty();
    add_observed(receipt);
    receipt->config.file = "config.json";
    receipt->program.file = "program.mlir";
    receipt->trajectory.file = "trajectory.bin";
    set_hash(receipt->config.sha256, hash_a);
    set_hash(receipt->program.sha256, hash_b);
    set_hash(receipt->trajectory.sha256, hash_a);
    receipt->status = "completed";
    receipt->steps = receipt->last_step = receipt->checkpoint_step = 8;
    receipt->attempt = 2;
    receipt->resumed_from = 4;
    receipt->batch = 8;
    receipt->seed = 4294967295;
    receipt->updates = 4;
    receipt->examples = 32;
    receipt->update_s = 0.25;
    receipt->job_s = 0.5;
    set_hash(receipt->state_hash, hash_b);
    receipt->checkpoints = calloc(2, sizeof *receipt->checkpoints);
    assert_non_null(receipt->checkpoints);
    receipt->checkpoint_count = 2;
    receipt->checkpoints[0].step = 8;
    receipt->checkpoints[1].step = 6;
    set_hash(receipt->checkpoints[0].state_hash, hash_b);
    set_hash(receipt->checkpoints[1].state_hash, hash_a);
    receipt->numeric = (oc__judgement){
        .verdict = OC_PASS, .level = "hard", .reason = "consistent", .detail = "d"};
    receipt->steps_judged = 8;
    receipt->largest_error_over_bound = 0.125;
    receipt->reference_seconds = 0.0625;
    receipt->placement =
        (oc__judgement){.verdict = OC_PASS, .reason = "observed", .detail = "d"};
    oc__launch_receipt_add_control(receipt, "key_reused", "numeric", true, "at step 8");
    oc__launch_receipt_add_claims(receipt);
    receipt->timings.total_us = 99;
    return receipt;
}

static json_t *document_of(const oc__launch_receipt *receipt)
{
    json_t *document = NULL;
    char *text = oc__launch_receipt_text(receipt);
    assert_non_null(text);
    assert_int_equal(oc__json_parse(text, strlen(text), "receipt", &document, NULL),
                     OC_OK);
    free(text);
    return document;
}

static void assert_round_trip(const oc__launch_receipt *receipt)
{
    oc__launch_receipt *again = NULL;
    oc_error err = {0};
    char *text = oc__launch_receipt_text(receipt);
    assert_non_null(text);
    if (oc__launch_receipt_read(text, strlen(text), "f.json", &again, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    char *text_again = oc__launch_receipt_text(again);
    assert_string_equal(text, text_again);
    oc__launch_receipt_free(again);
    free(text_again);
    free(text);
}

static void receipts_round_trip(void **state)
{
    (void)state;
    oc__launch_receipt *receipt = full();
    assert_round_trip(receipt);
    receipt->first_wrong = 0;
    assert_round_trip(receipt);
    oc__launch_receipt_free(receipt);

    receipt = empty(); // the plugin was not found
    receipt->boundary = OC_BOUNDARY_PLUGIN;
    receipt->error_status = OC_UNAVAILABLE;
    receipt->error_text = oc__launch_receipt_keep(receipt, "no plugin\xff");
    receipt->message = "it failed";
    assert_round_trip(receipt);
    oc__launch_receipt_free(receipt);
}

static void what_a_reader_takes_from_it(void **state)
{
    (void)state;
    oc__launch_receipt *receipt = full();
    oc__launch_receipt *again = NULL;
    char *text = oc__launch_receipt_text(receipt);
    assert_int_equal(oc__launch_receipt_read(text, strlen(text), "f", &again, NULL),
                     OC_OK);
    assert_int_equal(again->seed, 4294967295);
    assert_int_equal(again->first_wrong, -1);
    assert_int_equal(again->checkpoint_count, 2);
    assert_int_equal(again->checkpoints[1].step, 6);
    assert_string_equal(again->checkpoints[1].state_hash, hash_a);
    assert_string_equal(again->program.sha256, hash_b);
    assert_true(again->job_s == 0.5);
    oc__launch_receipt_free(again);
    free(text);

    json_t *document = document_of(receipt);
    json_t *numeric = json_object_get(document, "numeric");
    assert_true(json_is_null(json_object_get(numeric, "first_wrong")));
    json_decref(document);
    oc__launch_receipt_free(receipt);
}

/* Sets `path` ("job.steps") of a good receipt to `value` and demands a refusal of it.
 */
static void assert_refused(const char *path, json_t *value)
{
    oc__launch_receipt *receipt = full();
    oc__launch_receipt *read = (oc__launch_receipt *)1;
    json_t *document = document_of(receipt);
    json_t *at = document;
    oc_error err = {0};
    char key[64];
    const char *rest = path;
    for (const char *dot; (dot = strchr(rest, '.')); rest = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - rest), rest);
        at = json_object_get(at, key);
        assert_non_null(at);
    }
    if (value) {
        json_object_set_new(at, rest, value);
    } else {
        json_object_del(at, rest);
    }
    char *text = oc__json_text(document);
    assert_int_equal(oc__launch_receipt_read(text, strlen(text), "f.json", &read, &err),
                     OC_PARSE);
    assert_null(read);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, path);
    free(text);
    json_decref(document);
    oc__launch_receipt_free(receipt);
}

static void other_documents_are_refused(void **state)
{
    (void)state;
    assert_refused("kind", json_string("run"));
    assert_refused("data_sha256", json_null());
    assert_refused("program.sha256", json_string("A"));
    assert_refused("job.status", json_string("running"));
    assert_refused("job.steps", json_integer(-1));
    assert_refused("job.seed", json_real(3));
    assert_refused("job.update_s", json_real(-1));
    assert_refused("job.checkpoints", json_null());
    assert_refused("numeric.first_wrong", json_integer(-1));
    assert_refused("numeric.steps_judged", json_null());
    assert_refused("timings.total_us", NULL);
    assert_refused("job.loss", json_integer(1));
    assert_refused("sha256", json_null());
}

static void the_digest_is_of_all_that_stands_before_it(void **state)
{
    (void)state;
    oc__launch_receipt *receipt = full();
    json_t *document = document_of(receipt);
    char computed[OC__SHA256_HEX];
    json_t *sha256 = json_incref(json_object_get(document, "sha256"));
    json_object_del(document, "sha256");
    char *text = oc__json_text(document);
    oc__sha256_hex(text, strlen(text), computed);
    assert_string_equal(json_string_value(sha256), computed);
    free(text);
    json_decref(sha256);
    json_decref(document);
    oc__launch_receipt_free(receipt);
}

static void assert_claim(const oc__launch_receipt *receipt, size_t index,
                         const char *statement, const char *status)
{
    oc__launch_claims claims;
    oc__launch_receipt_derive_claims(receipt, &claims);
    assert_string_equal(claims.items[index].statement, statement);
    assert_string_equal(claims.items[index].status, status);
}

static void claims_say_what_the_verdicts_bear(void **state)
{
    (void)state;
    static const char follows[] = "every update follows from the state before it";
    static const char lies[] = "the state lies on cpu";
    oc__launch_receipt *receipt = full();
    assert_claim(receipt, 0, follows, "observed");
    assert_claim(receipt, 1, lies, "observed");
    assert_claim(
        receipt, 2,
        "all 8 steps were done, in this attempt from the checkpoint of step 4 on",
        "observed");
    receipt->numeric.verdict = OC_FAIL;
    receipt->placement.verdict = OC_UNKNOWN;
    receipt->last_step = 7;
    receipt->resumed_from = 0;
    assert_claim(receipt, 0, follows, "refuted");
    assert_claim(receipt, 1, lies, "unverified");
    assert_claim(receipt, 2, "all 8 steps were done", "refuted");
    receipt->placement.verdict = OC_PASS;
    receipt->platform = NULL;
    assert_claim(receipt, 1, lies, "unverified");
    oc__launch_receipt_free(receipt);
}

static void what_the_job_saw_arrives(void **state)
{
    (void)state;
    oc__launch_receipt *job = empty();
    oc__launch_receipt *launcher = empty();
    oc_error err = {0};
    add_observed(job);
    for (int i = 0; i < 2; i++) { // a second event takes the place of the first
        json_t *event = oc__launch_observed_write(job);
        assert_non_null(event);
        assert_string_equal(json_string_value(json_object_get(event, "event")),
                            "observed");
        json_object_set_new(event, "t_s", json_real(1.5)); // the launcher's
        assert_int_equal(oc__launch_observed_read(event, launcher, &err), OC_OK);
        assert_non_null(json_object_get(event, "t_s"));
        json_decref(event); // what was read lives on
    }
    assert_string_equal(launcher->platform, "cpu");
    assert_int_equal(launcher->evidence_count, 2);
    assert_string_equal(launcher->evidence[1].value, "/a plugin.so");
    assert_string_equal(launcher->versions.plugin_sha256, hash_b);
    assert_string_equal(launcher->compile_options_hex, "0a02");
    assert_int_equal(launcher->timings.compile_us, 33);
    job->message = launcher->message = NULL;
    char *of_the_job = oc__launch_receipt_text(job);
    char *of_the_launcher = oc__launch_receipt_text(launcher);
    assert_string_equal(of_the_job, of_the_launcher);
    free(of_the_job);
    free(of_the_launcher);
    oc__launch_receipt_free(job);
    oc__launch_receipt_free(launcher);
}

static void an_event_that_is_refused_leaves_nothing(void **state)
{
    (void)state;
    oc__launch_receipt *job = full();
    oc__launch_receipt *launcher = empty();
    char *before = oc__launch_receipt_text(launcher);
    static const char *const removed[] = {"event",    "platform",        "evidence",
                                          "versions", "compile_options", "timings"};
    for (size_t i = 0; i <= sizeof removed / sizeof *removed; i++) {
        oc_error err = {0};
        json_t *event = oc__launch_observed_write(job);
        const char *blamed = "more";
        if (i < sizeof removed / sizeof *removed) {
            blamed = removed[i];
            json_object_del(event, blamed);
        } else {
            json_object_set_new(event, blamed, json_true());
        }
        assert_int_equal(oc__launch_observed_read(event, launcher, &err), OC_PARSE);
        ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, blamed);
        json_decref(event);
    }
    char *after = oc__launch_receipt_text(launcher);
    assert_string_equal(before, after);
    free(before);
    free(after);
    oc__launch_receipt_free(job);
    oc__launch_receipt_free(launcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receipts_round_trip),
        cmocka_unit_test(what_a_reader_takes_from_it),
        cmocka_unit_test(other_documents_are_refused),
        cmocka_unit_test(the_digest_is_of_all_that_stands_before_it),
        cmocka_unit_test(claims_say_what_the_verdicts_bear),
        cmocka_unit_test(what_the_job_saw_arrives),
        cmocka_unit_test(an_event_that_is_refused_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
