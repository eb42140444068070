/* The channel to a worker that is no worker: ONCHIP_WORKER names scripts that do what a
 * process overwritten by its plugin might do. */
#include "device_fixture.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 64 };

static char root[] = "/tmp/onchip-channel-XXXXXX";
static char worker[PATH_BYTES];

static int set_up(void **state)
{
    memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    if (!mkdtemp(root)) {
        return -1;
    }
    snprintf(worker, sizeof worker, "%s/worker", root);
    return fixture_mark_children(state);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(worker);
    return rmdir(root);
}

/* Opens the honest fake with `script` as the worker. */
static fixture_run open_with(const char *script, int64_t timeout_ms)
{
    char text[2048];
    int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    assert_int_equal(oc__file_replace(worker, text, (size_t)length, NULL), OC_OK);
    assert_int_equal(chmod(worker, 0755), 0);
    setenv("ONCHIP_WORKER", worker, 1);
    return fixture_predict(fixture_fake("honest"), timeout_ms);
}

/* Reads the beginning of the request and answers with `json`, whose size is the octal
 * number `size`; in sh. */
#define REPLY(size, json)                                                              \
    "head -c 16 <&3 >/dev/null; "                                                      \
    "printf 'OCW1\\" size "\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0%s' '" json "' >&3"

static void what_a_bad_worker_says_is_no_answer(void **state)
{
    static const struct {
        const char *script, *words;
        oc_status status;
    } table[] = {
        {"exit 3", "ended its process in plugin with exit status 3", OC_CHILD},
        {"kill -9 $$", "signal 9 (Killed)", OC_CHILD},
        {"echo sorry >&2; exit 1", "its last words: sorry", OC_CHILD},
        {"printf 'a\\nlast\\033[31m words\\n\\n'; exit 1", "a last [31m words",
         OC_CHILD},
        {"exec 3>&-; sleep 1000", "broke its process's channel in plugin", OC_CHILD},
        {"printf '{\"ok\": true, \"api\": \"0.81\"}' >&3; sleep 1000", "channel",
         OC_CHILD},
        {"printf 'OCW1\\377\\377\\377\\377\\0\\0\\0\\0\\0\\0\\0\\0{}' >&3; sleep 1000",
         "channel", OC_CHILD},
        {REPLY("3", "[1]"), "no reason given", OC_CHILD},
        {REPLY("2", "{}"), "no reason given", OC_CHILD},
        {REPLY("11", "{\"ok\": 1}"), "no reason given", OC_CHILD},
        {REPLY("14", "{\"ok\": true}"), "makes no sense", OC_CHILD},
        {REPLY("11", "{\"ok\": x}"), "ended its process in plugin", OC_CHILD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture_run run = open_with(table[i].script, FIXTURE_LONG_MS);
        if (run.rc != table[i].status || run.err.boundary != OC_BOUNDARY_PLUGIN ||
            !strstr(run.err.text, table[i].words)) {
            fail_msg("%s: status %d at %s: %s", table[i].script, (int)run.rc,
                     oc_boundary_name(run.err.boundary), run.err.text);
        }
        fixture_end(&run);
    }
}

static void a_silent_worker_meets_the_deadline(void **state)
{
    static const char *const scripts[] = {
        "sleep 1000", "trap '' TERM; while :; do sleep 1; done",
        "printf OCW1 >&3; sleep 1000", // half a header
        "exec 1>&- 2>&-; sleep 1000"};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        fixture_run run = open_with(scripts[i], FIXTURE_SHORT_MS);
        ASSERT_ERROR(&run.err, OC_DEADLINE, OC_BOUNDARY_PLUGIN, "within 0.7 s");
        fixture_end(&run);
    }
}

/* The process that answers is gone; its child holds the channel and the log open. */
static void a_child_that_holds_the_channel_is_not_waited_for(void **state)
{
    (void)state;
    // Waiting for the deadline would be longer than ctest lets a test run.
    fixture_run run = open_with("sleep 1000 & exit 4", (int64_t)10 * FIXTURE_LONG_MS);
    ASSERT_ERROR(&run.err, OC_CHILD, OC_BOUNDARY_PLUGIN, "exit status 4");
    fixture_assert_no_process();
    fixture_end(&run);
}

/* True when the lines of text from the first whole one on are numbers that count up;
 * the last of them is given. */
static bool counts_up(const char *text, const char *end, long *out_last)
{
    const char *line = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    long before = strtol(line, NULL, 10) - 1;
    for (; line < end; line = strchr(line, '\n') + 1) {
        *out_last = strtol(line, NULL, 10);
        if (*out_last != before + 1) {
            return false;
        }
        before = *out_last;
    }
    return true;
}

/* 2.7 MB of numbered lines: the first half of the log and the last, each unbroken. */
static void a_long_log_keeps_its_beginning_and_its_end(void **state)
{
    enum { HALF = 1 << 19, LINES = 400000 };
    (void)state;
    fixture_run run = open_with("echo the very beginning; seq 1 400000\n"
                                "echo the very end >&2; exit 1",
                                FIXTURE_LONG_MS);
    ASSERT_ERROR(&run.err, OC_CHILD, OC_BOUNDARY_PLUGIN, "the very end");
    const oc__strbuf *log = oc__device_log(run.device);
    static const char beginning[] = "the very beginning\n1\n2\n3\n";
    static const char end[] = "the very end\n";
    long last = 0;
    assert_true(log->size > HALF && log->size <= 2 * (size_t)HALF);
    assert_memory_equal(log->data, beginning, sizeof beginning - 1);
    const char *end_at = log->data + log->size - (sizeof end - 1);
    assert_string_equal(end_at, end);
    const char *last_of_half = log->data + HALF - 10;
    while (*last_of_half != '\n') {
        last_of_half--;
    }
    assert_true(counts_up(log->data, last_of_half + 1, &last));
    assert_true(last > 1);
    assert_true(counts_up(log->data + HALF, end_at, &last));
    assert_int_equal(last, LINES);
    fixture_end(&run);
}

static void a_worker_that_is_not_there_is_named(void **state)
{
    (void)state;
    setenv("ONCHIP_WORKER", "/nowhere/onchip-worker", 1);
    fixture_run run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    ASSERT_ERROR(&run.err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN, "/nowhere/onchip-worker");
    fixture_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_bad_worker_says_is_no_answer),
        cmocka_unit_test(a_silent_worker_meets_the_deadline),
        cmocka_unit_test(a_child_that_holds_the_channel_is_not_waited_for),
        cmocka_unit_test(a_long_log_keeps_its_beginning_and_its_end),
        cmocka_unit_test(a_worker_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
