/* The evidence of an audit: it claims what it holds, it takes receipts that verify, and
 * every change of a member is found. */
#include "receipt_fixture.h"
#include "unit.h"

#include "base/file.h"
#include "folder.h"
#include "onchip/verify.h"
#include "receipt/audit_evidence.h"
#include "verify/audit_receipts.h"

#include <stdlib.h>

enum { TOPOLOGY = 4, NATIVE = 5, COLLECTIVES = 6 }; /* of the claims */

static char folder[] = "/tmp/onchip-audit-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

static oc__audit_evidence *new_evidence(void)
{
    oc__audit_evidence *evidence = oc__audit_evidence_new();
    assert_non_null(evidence);
    evidence->created = "2026-11-30T10:00:00Z";
    evidence->backend = "cpu";
    evidence->device_count = 2;
    evidence->devices[0] = "TFRT_CPU_0";
    evidence->devices[1] = "TFRT_CPU_1";
    evidence->storage_dtype = "bfloat16";
    evidence->operand_dtype = evidence->result_dtype = "float32";
    evidence->scope = "one CPU; nothing here is of a TPU";
    evidence->matmul_exact = true;
    evidence->simulated_sum = evidence->collective_sum = 6;
    evidence->simulated_sum_without = 4;
    evidence->collective_devices[0] = "TFRT_CPU_0";
    evidence->collective_devices[1] = "TFRT_CPU_1";
    evidence->collective_devices[2] = "TFRT_CPU_2";
    evidence->versions.plugin_name = "plugin.so";
    return evidence;
}

/* A receipt of a run on `platform`, with a collective when `devices` is over 1. */
static oc__receipt *receipt_of(const char *platform, size_t devices)
{
    oc__receipt *receipt = fixture_receipt(NULL);
    receipt->requested_as = receipt->expected = receipt->platform = platform;
    for (size_t i = 0; i < receipt->evidence_count; i++) {
        if (strstr(receipt->evidence[i].what, ".platform")) {
            receipt->evidence[i].value = platform;
        }
    }
    if (strcmp(platform, "tpu") == 0) {
        oc__receipt_add_evidence(receipt, "os", "device_node", "/dev/accel0");
        oc__receipt_add_evidence(receipt, "os", "pci_device", "1ae0:0063 0000:00:05.0");
    }
    oc__receipt_add_evidence(receipt, "api", "device_kind",
                             strcmp(platform, "tpu") == 0 ? "TPU v5 lite" : platform);
    if (devices > 1) {
        fixture_add_collective(receipt, devices);
    }
    fixture_reclaim(receipt);
    return receipt;
}

/* Writes the receipt to a new file and frees it; the path is good until the next call.
 */
static const char *keep_receipt(oc__receipt *receipt)
{
    static char path[64];
    static int number;
    char *text = oc__receipt_text(receipt);
    snprintf(path, sizeof path, "%s/%d.json", folder, number++);
    assert_int_equal(oc__file_write_new(path, text, strlen(text), NULL), OC_OK);
    free(text);
    oc__receipt_free(receipt);
    return path;
}

static void add_receipt(oc__audit_evidence *evidence, oc__receipt *receipt)
{
    oc_error err = {0};
    if (oc__audit_add_receipt(evidence, keep_receipt(receipt), &err) != OC_OK) {
        fail_msg("not added: %s", err.text);
    }
}

static oc__audit_evidence *evidence_with_receipts(void)
{
    oc__audit_evidence *evidence = new_evidence();
    add_receipt(evidence, receipt_of("cpu", 1));
    add_receipt(evidence, receipt_of("tpu", 2));
    return evidence;
}

static json_t *parse(const char *text)
{
    json_t *document = NULL;
    assert_int_equal(oc__json_parse(text, strlen(text), "evidence", &document, NULL),
                     OC_OK);
    return document;
}

static json_t *document_of(const oc__audit_evidence *evidence)
{
    char *text = oc__audit_evidence_text(evidence);
    assert_non_null(text);
    json_t *document = parse(text);
    free(text);
    return document;
}

/* What a forger who knows the digest does. */
static void seal(json_t *document)
{
    char digest[OC__SHA256_HEX];
    json_object_del(document, "sha256");
    char *text = oc__json_text(document);
    oc__sha256_hex(text, strlen(text), digest);
    free(text);
    json_object_set_new(document, "sha256", json_string(digest));
}

/* Does it pass? If not, out_member names the member to blame ("": none). */
static bool passes(const json_t *document, char out_member[160])
{
    const oc_verify_options options = {.require = "cpu"};
    oc_verify_result result;
    oc_error err = {0};
    char *text = oc__json_text(document);
    oc_status rc = oc_verify(text, strlen(text), "f.json", &options, &result, &err);
    free(text);
    if (rc == OC_OK) {
        snprintf(out_member, 160, "%s", result.member);
        return result.verdict == OC_PASS;
    }
    const char *quoted = strstr(err.text, "member '");
    assert_int_equal(rc, OC_PARSE);
    quoted = quoted ? quoted + strlen("member '") : "";
    snprintf(out_member, 160, "%.*s", (int)strcspn(quoted, "'"), quoted);
    return false;
}

/* Judges with the options and demands this answer. */
static void expect(const oc__audit_evidence *evidence, const oc_verify_options *options,
                   oc_verdict verdict, const char *reason, const char *says)
{
    oc_verify_result result;
    char *text = oc__audit_evidence_text(evidence);
    assert_int_equal(oc_verify(text, strlen(text), "f", options, &result, NULL), OC_OK);
    assert_string_equal(result.document, "audit evidence");
    assert_int_equal(result.verdict, verdict);
    assert_string_equal(result.reason, reason);
    assert_non_null(strstr(result.detail, says));
    free(text);
}

static void good_evidence_passes(void **state)
{
    (void)state;
    const oc_verify_options cpu = {.require = "cpu"};
    const oc_verify_options tpu = {.require = "tpu"};
    const oc_verify_options nonce = {.require = "cpu", .nonce = "5eed"};
    oc__audit_evidence *evidence = new_evidence();
    expect(evidence, &cpu, OC_PASS, "holds",
           "observed: CPU discovery, local arithmetic, CPU collective; simulated: "
           "simulated participants; unverified: TPU topology, native BF16 execution, "
           "accelerator collectives");
    expect(evidence, &tpu, OC_FAIL, "platform_differs", "required tpu");
    expect(evidence, &nonce, OC_FAIL, "nonce_differs", "5eed");
    oc__audit_evidence_free(evidence);
    evidence = evidence_with_receipts();
    expect(evidence, &cpu, OC_PASS, "holds", "; unverified: native BF16 execution");
    expect(evidence, &tpu, OC_FAIL, "platform_differs", "required tpu");
    oc__audit_evidence_free(evidence);
}

static void reading_gives_the_same_text_in_any_layout(void **state)
{
    (void)state;
    oc__audit_evidence *evidence = evidence_with_receipts();
    oc__audit_evidence *again = NULL;
    char member[160];
    char *text = oc__audit_evidence_text(evidence);
    assert_int_equal(
        oc__audit_evidence_read(text, strlen(text), "evidence", &again, NULL), OC_OK);
    char *text_again = oc__audit_evidence_text(again);
    assert_string_equal(text, text_again);

    json_t *document = parse(text);
    char *compact = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
    json_t *sorted = parse(compact);
    assert_true(passes(sorted, member));
    json_decref(sorted);
    free(compact);
    json_decref(document);
    free(text_again);
    free(text);
    oc__audit_evidence_free(again);
    oc__audit_evidence_free(evidence);
}

static const char *claim_status(const json_t *document, size_t index)
{
    const json_t *claims = json_object_get(document, "claims");
    assert_int_equal(json_array_size(claims), OC__AUDIT_CLAIMS);
    return json_string_value(json_object_get(json_array_get(claims, index), "status"));
}

static void a_receipt_moves_the_claims_that_it_supports(void **state)
{
    static const struct {
        const char *platform;
        size_t devices;
        const char *topology;
        const char *collectives;
    } cases[] = {
        {NULL, 0, "unverified", "unverified"},  {"cpu", 1, "unverified", "unverified"},
        {"cpu", 3, "unverified", "unverified"}, {"tpu", 1, "observed", "unverified"},
        {"tpu", 2, "observed", "observed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        oc__audit_evidence *evidence = new_evidence();
        if (cases[i].platform) {
            add_receipt(evidence, receipt_of(cases[i].platform, cases[i].devices));
        }
        json_t *document = document_of(evidence);
        assert_string_equal(claim_status(document, 0), "observed");
        assert_string_equal(claim_status(document, 1), "observed");
        assert_string_equal(claim_status(document, 2), "simulated");
        assert_string_equal(claim_status(document, 3), "observed");
        assert_string_equal(claim_status(document, TOPOLOGY), cases[i].topology);
        assert_string_equal(claim_status(document, NATIVE), "unverified");
        assert_string_equal(claim_status(document, COLLECTIVES), cases[i].collectives);
        json_decref(document);
        oc__audit_evidence_free(evidence);
    }
}

static void a_receipt_that_does_not_verify_is_named(void **state)
{
    (void)state;
    oc__audit_evidence *evidence = new_evidence();
    oc__receipt *wrong = receipt_of("tpu", 1);
    oc_error err = {0};
    wrong->outputs[OC__PREDICTION].values[0] += 1;
    const char *path = keep_receipt(wrong);
    assert_int_equal(oc__audit_add_receipt(evidence, path, &err), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, path);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "value_differs");

    // A claimed TPU without a machine behind it.
    wrong = receipt_of("cpu", 1);
    wrong->requested_as = wrong->expected = "tpu";
    err = (oc_error){0};
    assert_int_equal(oc__audit_add_receipt(evidence, keep_receipt(wrong), &err),
                     OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "platform_differs");
    wrong = receipt_of("cpu", 1);
    wrong->controls[0].refuted = false;
    err = (oc_error){0};
    assert_int_equal(oc__audit_add_receipt(evidence, keep_receipt(wrong), &err),
                     OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "UNKNOWN");

    path = keep_receipt(receipt_of("tpu", 1));
    assert_int_equal(oc__audit_add_receipt(evidence, path, NULL), OC_OK);
    err = (oc_error){0};
    assert_int_equal(oc__audit_add_receipt(evidence, path, &err), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "added already");

    err = (oc_error){0};
    assert_int_equal(oc__audit_add_receipt(evidence, "/nowhere/r.json", &err),
                     OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "/nowhere/r.json");
    assert_int_equal(evidence->added_receipt_count, 1);
    oc__audit_evidence_free(evidence);
}

static void evidence_is_no_receipt_to_add(void **state)
{
    (void)state;
    char path[64];
    oc_error err = {0};
    oc__audit_evidence *evidence = new_evidence();
    char *text = oc__audit_evidence_text(evidence);
    snprintf(path, sizeof path, "%s/evidence.json", folder);
    assert_int_equal(oc__file_write_new(path, text, strlen(text), NULL), OC_OK);
    assert_int_equal(oc__audit_add_receipt(evidence, path, &err), OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "member 'kind'");
    free(text);
    oc__audit_evidence_free(evidence);
}

static void the_writer_claims_only_what_is_there(void **state)
{
    (void)state;
    char member[160];
    oc__audit_evidence *evidence = new_evidence();
    evidence->claim_count = 1;
    evidence->claims[0] = (oc__claim){"a TPU was seen", "observed", ""};
    evidence->matmul_exact = false;
    evidence->simulated_sum = 7;
    evidence->collective_sum = 5;
    json_t *document = document_of(evidence);
    assert_string_equal(claim_status(document, 1), "refuted");
    assert_string_equal(claim_status(document, 2), "refuted");
    assert_string_equal(claim_status(document, 3), "refuted");
    assert_string_equal(claim_status(document, TOPOLOGY), "unverified");
    assert_false(passes(document, member));
    assert_string_equal(member, "matmul.exact");
    json_decref(document);
    oc__audit_evidence_free(evidence);
}

/* --- one member changed at a time ------------------------------------------------- */

/* Only the digest stands for these. */
static const char *const guarded_by_digest[] = {
    "created",
    "devices[",
    "scope",
    "collective.devices[",
    "versions.",
    "added_receipts[0].sha256",
    "added_receipts[1].sha256",
    "added_receipts[0].devices[",
    "added_receipts[1].devices[",
    "added_receipts[0].device_kind",
    "added_receipts[1].device_kind",
};

/* Here the rule that finds the change names another member. */
static const char *const named_otherwise[][2] = {
    {"added_receipts[0].platform", "added_receipts[0].supports"},
    {"added_receipts[1].platform", "added_receipts[1].supports"},
};

typedef struct change {
    json_t *document;
    size_t count;
    size_t free_count;
} change;

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool only_digest_guards(const char *path)
{
    for (size_t i = 0; i < sizeof guarded_by_digest / sizeof *guarded_by_digest; i++) {
        if (begins(path, guarded_by_digest[i])) {
            return true;
        }
    }
    return false;
}

/* The value that stands there instead, of the same form where there is one. */
static char *changed(const json_t *value, const char *path)
{
    char text[1024];
    const char *was = json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value) + 1);
    } else if (json_is_boolean(value)) {
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "false" : "true");
    } else if (json_is_null(value)) {
        snprintf(text, sizeof text, "\"%0*d\"", strstr(path, "sha256") ? 64 : 2, 0);
    } else if (strcmp(path, "created") == 0) {
        snprintf(text, sizeof text, "\"2026-11-30T10:00:01Z\"");
    } else if (strstr(path, "sha256")) {
        snprintf(text, sizeof text, "\"%c%s\"", *was == '0' ? '1' : '0', was + 1);
    } else if (strcmp(path, "added_receipts[0].platform") == 0) {
        snprintf(text, sizeof text, "\"tpu\"");
    } else if (strstr(path, "verdict")) {
        snprintf(text, sizeof text, "\"FAIL\"");
    } else if (strcmp(path, "collective.kind") == 0) {
        snprintf(text, sizeof text, "\"accelerator collective\"");
    } else if (strstr(path, "status")) {
        snprintf(text, sizeof text, "\"%s\"",
                 strcmp(was, "observed") == 0 ? "unverified" : "observed");
    } else {
        snprintf(text, sizeof text, "\"%sx\"", was);
    }
    return strdup(text);
}

static void check_named(const char *path, const char *member)
{
    const char *wanted = path;
    for (size_t i = 0; i < sizeof named_otherwise / sizeof *named_otherwise; i++) {
        if (strcmp(path, named_otherwise[i][0]) == 0) {
            wanted = named_otherwise[i][1];
        }
    }
    if (member[0] == '\0' || !begins(wanted, member)) {
        fail_msg("%s was changed and '%s' is blamed", path, member);
    }
}

/* Puts `value` (NULL: nothing) at the path of a copy, first as it is and then with the
 * digest made anew. */
static void try_change(change *tried, const char *path, const char *value)
{
    char member[160];
    json_t *copy = json_deep_copy(tried->document);
    tried->count++;
    fixture_set(copy, path, value);
    if (passes(copy, member)) {
        fail_msg("%s = %s was not found", path, value ? value : "nothing");
    }
    if (!only_digest_guards(path)) {
        check_named(path, member);
    } else if (strcmp(member, "sha256") != 0 && value) {
        fail_msg("%s has a rule, of %s", path, member);
    }
    if (strcmp(path, "sha256") != 0) {
        seal(copy);
        bool found = !passes(copy, member);
        if (found == (only_digest_guards(path) && value)) {
            fail_msg("%s = %s, digest made anew: %s", path, value ? value : "nothing",
                     found ? member : "was not found");
        }
        tried->free_count += !found;
    }
    json_decref(copy);
}

static void try_all(change *tried, const json_t *value, const char *path)
{
    char below[160];
    const char *key = NULL;
    const json_t *item = NULL;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, item)
        {
            snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
            try_all(tried, item, below);
            json_t *copy = json_deep_copy(tried->document);
            char member[160];
            fixture_set(copy, below, NULL);
            assert_false(passes(copy, member));
            json_decref(copy);
        }
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(below, sizeof below, "%s[%zu]", path, i);
            try_all(tried, json_array_get(value, i), below);
        }
    } else {
        char *other = changed(value, path);
        try_change(tried, path, other);
        free(other);
    }
}

static void every_change_is_found(void **state)
{
    (void)state;
    oc__audit_evidence *evidence = evidence_with_receipts();
    change tried = {.document = document_of(evidence)};
    try_all(&tried, tried.document, "");
    // All members were reached, and those without a rule are those of the list.
    assert_int_equal(tried.count, 70);
    assert_int_equal(tried.free_count, 21);
    json_decref(tried.document);
    oc__audit_evidence_free(evidence);
}

static const struct {
    const char *path;
    const char *value; /* NULL: taken away */
    const char *member;
} rules[] = {
    {"backend", "\"tpu\"", "backend"},
    {"device_count", "0", "device_count"},
    {"device_count", "-1", "device_count"},
    {"device_count", "2.0", "device_count"},
    {"devices[1]", NULL, "device_count"},
    {"devices[1]", "\"TFRT_CPU_0\"", "devices[1]"},
    {"devices[0]", "\"\"", "devices[0]"},
    {"devices[0]", "7", "devices[0]"},
    {"storage_dtype", "\"float32\"", "storage_dtype"},
    {"operand_dtype", "\"bfloat16\"", "operand_dtype"},
    {"simulated.participants", "[2, 2, 2]", "simulated.participants[0]"},
    {"simulated.participants[3]", "4", "simulated.participants"},
    {"simulated.without_index", "3", "simulated.without_index"},
    {"collective.devices[2]", NULL, "collective.devices"},
    {"collective.devices[2]", "\"TFRT_CPU_1\"", "collective.devices[2]"},
    {"claims[6]", NULL, "claims"},
    {"claims[4].status", "\"unverified\"", "claims[4]"},
    {"claims[5].status", "\"certain\"", "claims[5].status"},
    {"added_receipts[1]", NULL, "claims[4]"},
    {"added_receipts[0].supports[0]", "\"tpu_topology\"", "added_receipts[0].supports"},
    {"added_receipts[0].supports[0]", "\"everything\"",
     "added_receipts[0].supports[0]"},
    {"added_receipts[1].supports[1]", NULL, "added_receipts[1].supports"},
    {"added_receipts[1].device_kind", "null", "added_receipts[1].supports"},
    {"added_receipts[1].verdict", "\"UNKNOWN\"", "added_receipts[1].verdict"},
    {"added_receipts[0].devices[0]", NULL, "added_receipts[0].devices"},
    {"added_receipts[1].devices[1]", "\"TFRT_CPU_0\"", "added_receipts[1].devices[1]"},
    {"added_receipts[0].kind", "\"audit\"", "added_receipts[0].kind"},
    {"extra", "1", "extra"},
};

static void rules_hold_without_the_digest(void **state)
{
    (void)state;
    oc__audit_evidence *evidence = evidence_with_receipts();
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char member[160];
        json_t *document = document_of(evidence);
        fixture_set(document, rules[i].path, rules[i].value);
        seal(document);
        if (passes(document, member) || strcmp(member, rules[i].member) != 0) {
            fail_msg("%s = %s: '%s' is blamed, must be %s", rules[i].path,
                     rules[i].value ? rules[i].value : "nothing", member,
                     rules[i].member);
        }
        json_decref(document);
    }
    // The same receipt twice.
    char member[160];
    json_t *document = document_of(evidence);
    json_t *added = json_object_get(document, "added_receipts");
    json_array_append_new(added, json_deep_copy(json_array_get(added, 0)));
    seal(document);
    assert_false(passes(document, member));
    assert_string_equal(member, "added_receipts[2].sha256");
    json_decref(document);
    oc__audit_evidence_free(evidence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_evidence_passes),
        cmocka_unit_test(reading_gives_the_same_text_in_any_layout),
        cmocka_unit_test(a_receipt_moves_the_claims_that_it_supports),
        cmocka_unit_test(a_receipt_that_does_not_verify_is_named),
        cmocka_unit_test(evidence_is_no_receipt_to_add),
        cmocka_unit_test(the_writer_claims_only_what_is_there),
        cmocka_unit_test(every_change_is_found),
        cmocka_unit_test(rules_hold_without_the_digest),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
