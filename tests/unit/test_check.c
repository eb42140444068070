/* oc_check against every fake: each lie is told in the verdict that it belongs to, and
 * the good twins pass. */
#include "device_fixture.h"

#include "base/file.h"
#include "onchip/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static oc_check_result *check(const char *fake, const char *platform, int64_t devices,
                              int64_t timeout_ms)
{
    oc_error err = {0};
    oc_check_result *result = NULL;
    oc_check_options options = {.platform = platform,
                                .plugin = fixture_fake(fake),
                                .devices = devices,
                                .timeout_ms = timeout_ms};
    if (oc_check(&options, &result, &err) != OC_OK) {
        fail_msg("%s: %s", fake, err.text);
    }
    return result;
}

static void good_twins_pass(void **state)
{
    static const char *const names[] = {"honest", "long_table",  "changes_signals",
                                        "noisy",  "forks_child", "old_minor"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int64_t devices = 0; devices <= 3; devices += 3) {
            oc_check_result *result = check(names[i], "cpu", devices, FIXTURE_LONG_MS);
            if (result->exit_status != OC_EXIT_PASS) {
                fail_msg("%s: %s", names[i], result->failure.text);
            }
            assert_int_equal(result->numeric, OC_PASS);
            assert_int_equal(result->placement, OC_PASS);
            assert_int_equal(result->collective, devices ? OC_PASS : OC_VERDICT_UNSET);
            assert_true(result->mismatch_rejected && result->reversal_preserved);
            assert_true(result->changed_first == -0.03125F);
            assert_true(result->prediction[0] == 0.34375F &&
                        result->prediction[7] == 3.625F);
            assert_memory_equal(result->prediction, result->reference,
                                sizeof result->reference);
            assert_non_null(strstr(result->receipt_json, "onchip.receipt/1"));
            assert_non_null(result->report_json);
            oc_check_result_free(result);
            fixture_assert_no_process();
        }
    }
}

static void each_lie_is_told_in_its_own_verdict(void **state)
{
    static const struct {
        const char *name;
        const char *platform;
        int64_t devices;
        oc_verdict numeric, placement, collective;
        const char *words; /* in the sentence of a verdict */
    } table[] = {
        {"one_ulp", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction: element 4 is"},
        {"nan", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction: element 4 is nan"},
        {"rows_swapped", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction: element 3 is"},
        {"bias_dropped", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction: element 0 is"},
        {"ignores_reversal", "cpu", 0, OC_FAIL, OC_PASS, 0,
         "row_reversal: element 0 is"},
        {"wrong_shape", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction contract changed"},
        {"wrong_dtype", "cpu", 0, OC_FAIL, OC_PASS, 0, "prediction contract changed"},
        {"other_device", "cpu", 0, OC_PASS, OC_FAIL, 0, "prediction lies on"},
        {"foreign_device", "cpu", 0, OC_PASS, OC_FAIL, 0, "is no device of the cpu"},
        {"host_memory", "cpu", 0, OC_PASS, OC_FAIL, 0, "'unpinned_host'"},
        {"reports_other_platform", "cpu", 0, OC_PASS, OC_FAIL, 0,
         "requested cpu, observed interpreter"},
        {"calls_itself_tpu", "tpu", 0, OC_PASS, OC_FAIL, 0, "calls itself tpu"},
        {"calls_itself_cuda", "cuda", 0, OC_PASS, OC_FAIL, 0, "calls itself cuda"},
        {"calls_itself_rocm", "rocm", 0, OC_PASS, OC_FAIL, 0, "calls itself rocm"},
        {"calls_itself_tpu", "cpu", 0, OC_PASS, OC_FAIL, 0,
         "requested cpu, observed tpu"},
        {"honest", "tpu", 0, OC_PASS, OC_FAIL, 0, "requested tpu, observed cpu"},
        {"collective_wrong", "cpu", 3, OC_PASS, OC_PASS, OC_FAIL, "replica 1 has"},
        {"collective_misplaced", "cpu", 3, OC_PASS, OC_PASS, OC_FAIL,
         "shares its device with an earlier one"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_check_result *result =
            check(table[i].name, table[i].platform, table[i].devices, FIXTURE_LONG_MS);
        const char *told = table[i].numeric == OC_FAIL     ? result->numeric_detail
                           : table[i].placement == OC_FAIL ? result->placement_detail
                                                           : result->collective_detail;
        if (result->exit_status != OC_EXIT_FAIL ||
            result->numeric != table[i].numeric ||
            result->placement != table[i].placement ||
            result->collective != table[i].collective || !told ||
            !strstr(told, table[i].words)) {
            fail_msg("%s: exit %d, verdicts %d %d %d: %s %s", table[i].name,
                     result->exit_status, (int)result->numeric, (int)result->placement,
                     (int)result->collective, told ? told : "", result->failure.text);
        }
        assert_int_equal(result->failure.status, OC_OK);
        assert_false(result->reversal_preserved && !table[i].devices);
        assert_non_null(result->receipt_json);
        oc_check_result_free(result);
    }
    fixture_assert_no_process();
}

static void each_failure_is_told_and_kept(void **state)
{
    static const struct {
        const char *name;
        int64_t devices;
        int exit_status;
        oc_boundary boundary;
        const char *words;
        bool hangs;
    } table[] = {
        {"init_fails", 0, 3, OC_BOUNDARY_INIT, "No visible FAKE devices.", false},
        {"init_fails_other", 0, 5, OC_BOUNDARY_INIT, "FAKE lockfile", false},
        {"no_devices", 0, 3, OC_BOUNDARY_DISCOVERY, "", false},
        {"few_devices", 3, 3, OC_BOUNDARY_DISCOVERY, "3 are needed", false},
        {"compile_error", 0, 5, OC_BOUNDARY_COMPILE, "first line of the fake's", false},
        {"error_without_message", 0, 5, OC_BOUNDARY_EXECUTE, "13", false},
        {"error_null_code", 0, 5, OC_BOUNDARY_EXECUTE, "says code OK", false},
        {"segfault_in_compile", 0, 5, OC_BOUNDARY_COMPILE, "signal 11", false},
        {"aborts_in_execute", 0, 5, OC_BOUNDARY_EXECUTE, "signal 6", false},
        {"exits_in_execute", 0, 5, OC_BOUNDARY_EXECUTE, "exit status 0", false},
        {"never_completes", 0, 5, OC_BOUNDARY_EXECUTE, "no answer in execute", true},
        {"hangs_in_create", 0, 5, OC_BOUNDARY_INIT, "no answer in init", true},
        {"no_symbol", 0, 5, OC_BOUNDARY_PLUGIN, "GetPjrtApi", false},
        {"not_elf.so", 0, 5, OC_BOUNDARY_PLUGIN, "no ELF file", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_check_result *result =
            check(table[i].name, "cpu", table[i].devices,
                  table[i].hangs ? FIXTURE_SHORT_MS : FIXTURE_LONG_MS);
        if (result->exit_status != table[i].exit_status ||
            result->failure.boundary != table[i].boundary ||
            !strstr(result->failure.text, table[i].words)) {
            fail_msg("%s: exit %d at %s: %s", table[i].name, result->exit_status,
                     oc_boundary_name(result->failure.boundary), result->failure.text);
        }
        assert_true(result->numeric != OC_PASS && result->placement != OC_PASS);
        assert_non_null(strstr(result->receipt_json, "\"boundary\""));
        assert_false(result->prediction_reached || result->reversal_preserved);
        oc_check_result_free(result);
    }
    fixture_assert_no_process();
}

static void a_request_that_makes_no_sense_leaves_no_receipt(void **state)
{
    (void)state;
    static const struct {
        int64_t devices;
        const char *nonce, *words;
    } table[] = {
        {-1, NULL, "-1 devices"}, {33, NULL, "33 devices"}, {0, "", "nonce"},
        {0, "abc", "nonce"},      {0, "xy", "nonce"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        oc_check_result *result = NULL;
        oc_check_options options = {.platform = "cpu",
                                    .plugin = fixture_fake("honest"),
                                    .devices = table[i].devices,
                                    .nonce = table[i].nonce,
                                    .timeout_ms = FIXTURE_LONG_MS};
        assert_int_equal(oc_check(&options, &result, &err), OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, table[i].words);
        assert_null(result);
    }
}

static void a_run_folder_holds_what_was_returned(void **state)
{
    (void)state;
    char root[] = "/tmp/onchip-check-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    oc_error err = {0};
    oc_check_result *result = NULL;
    oc_check_options options = {.platform = "cpu",
                                .plugin = fixture_fake("noisy"),
                                .nonce = "5EED",
                                .run_dir = "run",
                                .timeout_ms = FIXTURE_LONG_MS};
    assert_int_equal(oc_check(&options, &result, &err), OC_OK);
    assert_int_equal(result->exit_status, OC_EXIT_PASS);
    assert_non_null(strstr(result->receipt_json, "\"5eed\""));
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_read("run/receipt.json", 1 << 20, &text, &size, NULL),
                     OC_OK);
    assert_string_equal(text, result->receipt_json);
    free(text);
    assert_int_equal(oc__file_read("run/plugin.log", 1 << 20, &text, &size, NULL),
                     OC_OK);
    assert_int_equal(size, result->log_size);
    assert_memory_equal(text, result->log, size);
    free(text);
    oc_check_result_free(result);
    // The folder is taken now, and what it holds stays.
    assert_int_equal(oc_check(&options, &result, &err), OC_EXISTS);
    ASSERT_ERROR(&err, OC_EXISTS, OC_BOUNDARY_USAGE, "'run' exists already");
    assert_null(result);
    assert_int_equal(unlink("run/receipt.json"), 0);
    assert_int_equal(unlink("run/plugin.log"), 0);
    assert_int_equal(rmdir("run"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(root), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_twins_pass),
        cmocka_unit_test(each_lie_is_told_in_its_own_verdict),
        cmocka_unit_test(each_failure_is_told_and_kept),
        cmocka_unit_test(a_request_that_makes_no_sense_leaves_no_receipt),
        cmocka_unit_test(a_run_folder_holds_what_was_returned),
    };
    return cmocka_run_group_tests(tests, fixture_mark_children, NULL);
}
