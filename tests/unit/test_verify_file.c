/* Files, run folders, the size limit and the JSON answer. */
#include "receipt_fixture.h"

#include "base/file.h"
#include "onchip/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const oc_verify_options require_cpu = {.require = "cpu"};

typedef struct folder {
    char path[64];
    char receipt[96];
} folder;

static int make_folder(void **state)
{
    static folder made;
    oc__receipt *receipt = fixture_receipt(NULL);
    char *text = oc__receipt_text(receipt);
    snprintf(made.path, sizeof made.path, "/tmp/onchip-verify-XXXXXX");
    assert_non_null(mkdtemp(made.path));
    snprintf(made.receipt, sizeof made.receipt, "%s/receipt.json", made.path);
    assert_int_equal(oc__file_write_new(made.receipt, text, strlen(text), NULL), OC_OK);
    free(text);
    oc__receipt_free(receipt);
    *state = &made;
    return 0;
}

static int remove_folder(void **state)
{
    const folder *made = *state;
    unlink(made->receipt);
    return rmdir(made->path);
}

static void a_file_and_its_folder(void **state)
{
    const folder *made = *state;
    oc_verify_result result;
    assert_int_equal(oc_verify_file(made->receipt, &require_cpu, &result, NULL), OC_OK);
    assert_int_equal(result.verdict, OC_PASS);
    assert_string_equal(result.document, "receipt");
    assert_string_equal(result.platform, "cpu");
    assert_int_equal(oc_verify_file(made->path, &require_cpu, &result, NULL), OC_OK);
    assert_int_equal(result.verdict, OC_PASS);
}

static void a_file_that_is_not_there(void **state)
{
    const folder *made = *state;
    char path[96];
    oc_verify_result result;
    oc_error err = {0};
    snprintf(path, sizeof path, "%s/none", made->path);
    assert_int_equal(oc_verify_file(path, &require_cpu, &result, &err), OC_NOT_FOUND);
    assert_int_equal(oc_status_exit(err.status, err.boundary), OC_EXIT_USAGE);
    assert_non_null(strstr(err.text, path));
}

static void a_file_over_the_limit_is_not_read(void **state)
{
    const folder *made = *state;
    oc_verify_result result;
    oc_error err = {0};
    assert_int_equal(truncate(made->receipt, 100 << 20), 0);
    assert_int_equal(oc_verify_file(made->receipt, &require_cpu, &result, &err),
                     OC_LIMIT);
    assert_int_equal(oc_status_exit(err.status, err.boundary), OC_EXIT_USAGE);
    // A stream does not say its size beforehand.
    err = (oc_error){0};
    assert_int_equal(oc_verify_file("/dev/zero", &require_cpu, &result, &err),
                     OC_LIMIT);
}

static void the_json_answer(void **state)
{
    const folder *made = *state;
    oc_verify_result result;
    oc_error err = {0};
    assert_int_equal(oc_verify_file(made->receipt, &require_cpu, &result, &err), OC_OK);
    char *text = oc_verify_json("a b.json", &result, &err);
    json_t *answer = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(answer, "file")), "a b.json");
    assert_string_equal(json_string_value(json_object_get(answer, "verdict")), "PASS");
    assert_true(json_is_null(json_object_get(answer, "error")));
    json_decref(answer);
    free(text);

    assert_int_equal(oc_verify_file("/nowhere", &require_cpu, &result, &err),
                     OC_NOT_FOUND);
    text = oc_verify_json("/nowhere\xff", &result, &err);
    answer = json_loads(text, 0, NULL);
    assert_true(json_is_null(json_object_get(answer, "verdict")));
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(answer, "error"), "boundary")),
                        "input");
    json_decref(answer);
    free(text);
}

/* Receipts that were kept: a later onchip must read and judge them the same. */
static void kept_receipts(void **state)
{
    static const struct {
        const char *name;
        const char *nonce;
        oc_status status;
        oc_verdict verdict;
        const char *reason;
    } kept[] = {
        {"good-cpu", NULL, OC_OK, OC_PASS, "holds"},
        {"good-cpu-nonce-5eed0123", "5eed0123", OC_OK, OC_PASS, "holds"},
        {"failed-tpu-init", NULL, OC_OK, OC_FAIL, "run_failed"},
        {"bad-observed-platform", NULL, OC_OK, OC_FAIL, "platform_differs"},
        {"bad-one-value", NULL, OC_OK, OC_FAIL, "value_differs"},
        {"bad-claim", NULL, OC_OK, OC_FAIL, "claims_differ"},
        {"unreadable-duplicate-key", NULL, OC_PARSE, OC_VERDICT_UNSET, ""},
        {"unreadable-cut", NULL, OC_PARSE, OC_VERDICT_UNSET, ""},
        {"unreadable-trailing", NULL, OC_PARSE, OC_VERDICT_UNSET, ""},
    };
    const char *source = getenv("ONCHIP_TEST_SOURCE");
    (void)state;
    assert_non_null(source);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const oc_verify_options options = {.require = "cpu", .nonce = kept[i].nonce};
        char path[4096];
        oc_verify_result result;
        oc_error err = {0};
        snprintf(path, sizeof path, "%s/tests/data/receipts/%s.json", source,
                 kept[i].name);
        assert_int_equal(oc_verify_file(path, &options, &result, &err), kept[i].status);
        assert_int_equal(result.verdict, kept[i].verdict);
        assert_string_equal(result.reason, kept[i].reason);
    }
}

static void many_files_keep_their_places(void **state)
{
    enum { FILES = 200 };
    const folder *made = *state;
    const char *paths[FILES];
    static oc_verify_result results[FILES];
    static oc_error errors[FILES];
    for (size_t i = 0; i < FILES; i++) {
        paths[i] = i % 3 == 0 ? made->receipt : i % 3 == 1 ? "/nowhere" : made->path;
    }
    oc_verify_files(paths, FILES, &require_cpu, results, errors);
    for (size_t i = 0; i < FILES; i++) {
        assert_int_equal(errors[i].status, i % 3 == 1 ? OC_NOT_FOUND : OC_OK);
        assert_int_equal(results[i].verdict, i % 3 == 1 ? OC_VERDICT_UNSET : OC_PASS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_and_its_folder, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_there, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_file_over_the_limit_is_not_read, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(the_json_answer, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(many_files_keep_their_places, make_folder,
                                        remove_folder),
        cmocka_unit_test(kept_receipts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
