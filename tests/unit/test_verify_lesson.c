/* The lesson's own report, plain and in terminal captures. */
#include "onchip/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REPORT_OF(expected, platform, shape, dtype, error)                             \
    "{\n  \"expected\": \"" expected "\",\n  \"output_devices\": [\"TFRT_CPU_0\"],\n"  \
    "  \"platform\": \"" platform "\",\n  \"jax\": \"0.9.0\",\n"                       \
    "  \"python\": \"3.12.1\",\n  \"shape\": " shape ",\n  \"dtype\": \"" dtype        \
    "\",\n  \"max_absolute_error\": " error ",\n  \"process_index\": 0,\n"             \
    "  \"process_count\": 1\n}\n"
#define REPORT REPORT_OF("cpu", "cpu", "[8]", "float32", "0.0")
#define PREDICTION                                                                     \
    "Completed prediction: [0.34375, 0.8125, 1.28125, 1.75, 2.21875, 2.6875, "         \
    "3.15625, "                                                                        \
    "3.625]\n"
#define TAIL                                                                           \
    "Mismatched platform report rejected.\nChanged bias, first prediction: -0.03125\n" \
    "PASS: welcome-03\n"

static oc_status judge_bytes(const char *text, size_t size, const char *require,
                             const char *nonce, oc_verify_result *result, oc_error *err)
{
    const oc_verify_options options = {.require = require, .nonce = nonce};
    char *exact = malloc(size > 0 ? size : 1); // no NUL behind it
    assert_non_null(exact);
    memcpy(exact, text, size);
    *err = (oc_error){0};
    oc_status rc = oc_verify(exact, size, "log.txt", &options, result, err);
    free(exact);
    return rc;
}

static void assert_judged(const char *text, const char *require, oc_verdict verdict,
                          const char *reason, const char *says)
{
    oc_verify_result result;
    oc_error err;
    if (judge_bytes(text, strlen(text), require, NULL, &result, &err) != OC_OK) {
        fail_msg("not judged: %s", err.text);
    }
    if (result.verdict != verdict || strcmp(result.reason, reason) != 0 ||
        !strstr(result.detail, says)) {
        fail_msg("%s (%s): %s; must be %s: %s", oc_verdict_name(result.verdict),
                 result.reason, result.detail, reason, says);
    }
    assert_string_equal(result.document, "lesson report");
}

static void assert_unreadable(const char *text, const char *says)
{
    oc_verify_result result;
    oc_error err;
    oc_status rc = judge_bytes(text, strlen(text), "cpu", NULL, &result, &err);
    assert_int_equal(rc, OC_PARSE);
    assert_int_equal(err.boundary, OC_BOUNDARY_INPUT);
    if (!strstr(err.text, says)) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
}

static void reports_that_hold(void **state)
{
    static const char *const texts[] = {
        REPORT PREDICTION,
        REPORT PREDICTION TAIL,
        // A prompt, colours, a title, CRLF.
        "\x1b]0;shell\a\x1b[32m$\x1b[0m python lesson.py {x}\r\n" REPORT
        "\x1b[1m\r\n" PREDICTION "\r\n$ exit\r\n",
        // NumPy's print of an array.
        REPORT
        "Completed prediction: [0.34375 0.8125  1.28125 1.75    2.21875\n 2.6875 "
        "3.15625 3.625  ]\n",
        REPORT PREDICTION "noise {\"a\": 1} { \n" REPORT PREDICTION TAIL,
        // The short report of onchip check.
        "{\"expected\": \"cpu\", \"output_devices\": [\"TFRT_CPU_0\"], \"platform\": "
        "\"cpu\", \"onchip\": \"0.1.0\", \"plugin\": \"p.so\", \"shape\": [8], "
        "\"dtype\": \"float32\", \"max_absolute_error\": 0.0, \"process_index\": 0, "
        "\"process_count\": 1}\n" PREDICTION,
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_judged(texts[i], "cpu", OC_PASS, "holds", "basis api");
    }
    assert_judged(REPORT_OF("gpu", "gpu", "[8]", "float32", "0.0") PREDICTION, "gpu",
                  OC_PASS, "holds", "platform gpu");
}

static void reports_that_do_not_hold(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
        const char *says;
    } cases[] = {
        {REPORT_OF("tpu", "cpu", "[8]", "float32", "0.0") PREDICTION,
         "platform_differs", "requested and observed platform disagree"},
        {REPORT_OF("tpu", "tpu", "[8]", "float32", "0.0") PREDICTION,
         "platform_differs", "requested and observed platform disagree"},
        {REPORT_OF("cpu", "cpu", "[8, 1]", "float32", "0.0") PREDICTION,
         "contract_changed", "prediction contract changed"},
        {REPORT_OF("cpu", "cpu", "[8]", "bfloat16", "0.0") PREDICTION,
         "contract_changed", "prediction contract changed"},
        {REPORT_OF("cpu", "cpu", "[8]", "float32", "0.000001") PREDICTION,
         "error_too_large", "1e-6"},
        {REPORT_OF("cpu", "cpu", "[8]", "float32", "null") PREDICTION,
         "error_too_large", "1e-6"},
        {REPORT_OF("cpu", "cpu", "[8]", "float32", "1e-7") PREDICTION, "error_differs",
         "max_absolute_error"},
        {REPORT "Completed prediction: [0.34375, 0.8125]\n", "contract_changed",
         "lists 2 numbers"},
        {REPORT "Completed prediction: []\n", "contract_changed", "lists 0 numbers"},
        {REPORT
         "Completed prediction: [0.34375, 0.8125, 1.28125, 1.75, 2.21875, 2.6875, "
         "3.625, 3.15625]\n",
         "value_differs", "element 6"},
        {REPORT "Completed prediction: [nan, 0.8125, 1.28125, 1.75, 2.21875, 2.6875, "
                "3.15625, 3.625]\n",
         "not_finite", "element 0"},
        {REPORT, "incomplete", "no 'Completed prediction'"},
        {REPORT TAIL, "incomplete", "no 'Completed prediction'"},
        // Every report of a capture must hold.
        {REPORT PREDICTION REPORT_OF("tpu", "cpu", "[8]", "float32", "0.0") PREDICTION,
         "platform_differs", "disagree"},
        {REPORT REPORT PREDICTION, "incomplete", "line 1"},
        {REPORT PREDICTION REPORT, "incomplete", "line 14"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_judged(cases[i].text, "cpu", OC_FAIL, cases[i].reason, cases[i].says);
    }
}

static void texts_that_cannot_be_read(void **state)
{
    static const char *const texts[][2] = {
        {"", "neither a receipt nor a report"},
        {"hello\n", "neither a receipt nor a report"},
        {"{\"a\": 1}\n", "neither a receipt nor a report"},
        {"[1, 2]\n", "neither a receipt nor a report"},
        {REPORT "Completed prediction: [0.34375, 0.81", "is cut"},
        {REPORT "Completed prediction: [0.34375, ", "is cut"},
        {REPORT "Completed prediction: [", "is cut"},
        {REPORT "Completed prediction:", "is cut"},
        {REPORT "Completed prediction: [0.34375, 0.8125\nPASS: welcome-03\n]",
         "after 2 numbers"},
        {REPORT "Completed prediction: [0.34375 x]\n", "after 1 numbers"},
        {PREDICTION REPORT, "line 1 follows no report"},
        {REPORT PREDICTION PREDICTION, "line 14 follows no report"},
        {"$ run\n" REPORT_OF("cpu", "cpu", "[8]", "float32", "NaN") PREDICTION,
         "report at line 2"},
        {REPORT PREDICTION "{\n  \"expected\": \"cpu\",\n  \"output_devices\": [",
         "the report at line 14 is cut"},
        {REPORT_OF("cpu", "cpu", "[-8]", "float32", "0.0") PREDICTION, "shape[0]"},
        {REPORT_OF("cpu", "cpu", "[8]", "float32", "0.0, \"more\": 1") PREDICTION,
         "more' is not a member"},
        {REPORT_OF("cpu", "cpu", "[8]", "float32", "0.0, \"dtype\": \"x\"") PREDICTION,
         "duplicate"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_unreadable(texts[i][0], texts[i][1]);
    }
}

static void every_cut_of_a_capture_is_noticed(void **state)
{
    static const char text[] = "$ python lesson.py\n" REPORT PREDICTION;
    (void)state;
    for (size_t size = 0; size < sizeof text - 3; size++) { // up to the closing ']'
        oc_verify_result result;
        oc_error err;
        oc_status rc = judge_bytes(text, size, "cpu", NULL, &result, &err);
        assert_true(rc != OC_OK || result.verdict == OC_FAIL);
    }
}

static void a_nonce_cannot_be_answered(void **state)
{
    static const char text[] = REPORT PREDICTION;
    oc_verify_result result;
    oc_error err;
    (void)state;
    assert_int_equal(judge_bytes(text, strlen(text), "cpu", "5eed", &result, &err),
                     OC_OK);
    assert_int_equal(result.verdict, OC_FAIL);
    assert_string_equal(result.reason, "nonce_differs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_that_hold),
        cmocka_unit_test(reports_that_do_not_hold),
        cmocka_unit_test(texts_that_cannot_be_read),
        cmocka_unit_test(every_cut_of_a_capture_is_noticed),
        cmocka_unit_test(a_nonce_cannot_be_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
