/* Errors, verdicts and the growing string. */
#include "unit.h"

#include "base/error.h"
#include "base/strbuf.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_first_error_wins(void **state)
{
    (void)state;
    oc_error err = {0};
    assert_int_equal(OC_FAIL(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "disk %d", 3), OC_IO);
    assert_int_equal(OC_FAIL(&err, OC_NOMEM, OC_BOUNDARY_INIT, "later"), OC_NOMEM);
    assert_int_equal(err.status, OC_IO);
    assert_int_equal(err.boundary, OC_BOUNDARY_EVIDENCE);
    assert_string_equal(err.text, "disk 3");
    assert_non_null(strstr(err.file, "test_base_error.c"));
    assert_true(err.line > 0);
    assert_int_equal(OC_FAIL(NULL, OC_PARSE, OC_BOUNDARY_INPUT, "nobody listens"),
                     OC_PARSE);
}

static void a_long_error_is_cut_and_still_ends(void **state)
{
    (void)state;
    oc_error err = {0};
    char words[2 * OC_ERROR_TEXT];
    memset(words, 'w', sizeof words);
    words[sizeof words - 1] = '\0';
    oc__ignore(OC_FAIL(&err, OC_PLUGIN, OC_BOUNDARY_COMPILE, "%s", words));
    assert_int_equal(strlen(err.text), OC_ERROR_TEXT - 1);
    oc__error_prefix(&err, "%s", words); // there is no room for it
    assert_int_equal(err.text[0], 'w');
    assert_int_equal(strlen(err.text), OC_ERROR_TEXT - 1);
    oc__error_prefix(&err, "here");
    assert_memory_equal(err.text, "here: www", 9);
    assert_int_equal(strlen(err.text), OC_ERROR_TEXT - 1);
}

static void context_stands_in_front(void **state)
{
    (void)state;
    oc_error err = {.status = OC_IO, .text = "no space"};
    oc__error_prefix(&err, "writing '%s'", "x");
    assert_string_equal(err.text, "writing 'x': no space");
    oc__error_prefix(NULL, "nobody");
}

static void a_boundary_is_set_once(void **state)
{
    (void)state;
    oc_error err = {.status = OC_IO};
    oc__error_at_boundary(&err, OC_BOUNDARY_PLUGIN);
    oc__error_at_boundary(&err, OC_BOUNDARY_EXECUTE);
    assert_int_equal(err.boundary, OC_BOUNDARY_PLUGIN);
    oc__error_at_boundary(NULL, OC_BOUNDARY_PLUGIN);
}

static void fail_beats_unknown_beats_pass(void **state)
{
    static const struct {
        oc_verdict a, b, worst;
    } table[] = {
        {OC_PASS, OC_PASS, OC_PASS},    {OC_PASS, OC_UNKNOWN, OC_UNKNOWN},
        {OC_PASS, OC_FAIL, OC_FAIL},    {OC_UNKNOWN, OC_UNKNOWN, OC_UNKNOWN},
        {OC_UNKNOWN, OC_FAIL, OC_FAIL}, {OC_FAIL, OC_FAIL, OC_FAIL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(oc_verdict_worst(table[i].a, table[i].b), table[i].worst);
        assert_int_equal(oc_verdict_worst(table[i].b, table[i].a), table[i].worst);
    }
    assert_int_equal(oc_verdict_exit(OC_PASS), 0);
    assert_int_equal(oc_verdict_exit(OC_FAIL), 1);
    assert_int_equal(oc_verdict_exit(OC_UNKNOWN), 4);
    assert_string_equal(oc_verdict_name(OC_PASS), "PASS");
    assert_string_equal(oc_verdict_name(OC_FAIL), "FAIL");
    assert_string_equal(oc_verdict_name(OC_UNKNOWN), "UNKNOWN");
}

static void name_unset(void)
{
    printf("%s", oc_verdict_name(OC_VERDICT_UNSET));
}

static void worst_unset(void)
{
    printf("%d", (int)oc_verdict_worst(OC_FAIL, OC_VERDICT_UNSET));
}

static void exit_unset(void)
{
    printf("%d", (int)oc_verdict_exit(OC_VERDICT_UNSET));
}

static void worst_of_two_answers(void)
{
    printf("%d", (int)oc_verdict_worst(OC_FAIL, OC_PASS));
}

/* How a child ends that calls `use`: its signal, or 0. */
static int signal_of(void (*use)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL); // cmocka handles it in its tests
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
            _exit(1);
        }
        use();
        _exit(0);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void an_unset_verdict_is_a_bug(void **state)
{
    (void)state;
    assert_int_equal(signal_of(name_unset), SIGABRT);
    assert_int_equal(signal_of(worst_unset), SIGABRT);
    assert_int_equal(signal_of(exit_unset), SIGABRT);
    assert_int_equal(signal_of(worst_of_two_answers), 0);
}

static void errors_have_exit_statuses(void **state)
{
    static const struct {
        oc_status status;
        oc_boundary boundary;
        int exit_status;
    } table[] = {
        {OC_OK, OC_BOUNDARY_NONE, 0},
        {OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, 2},
        {OC_NOT_FOUND, OC_BOUNDARY_INPUT, 2},
        {OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, 3},
        {OC_UNAVAILABLE, OC_BOUNDARY_INIT, 3},
        {OC_PLUGIN, OC_BOUNDARY_PLUGIN, 5},
        {OC_DEADLINE, OC_BOUNDARY_EXECUTE, 5},
        {OC_CHILD, OC_BOUNDARY_COMPILE, 5},
        {OC_IO, OC_BOUNDARY_EVIDENCE, 5},
        {OC_NOMEM, OC_BOUNDARY_NONE, 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(oc_status_exit(table[i].status, table[i].boundary),
                         table[i].exit_status);
    }
}

static void a_string_keeps_to_its_maximum(void **state)
{
    (void)state;
    oc__strbuf text;
    oc__strbuf_init(&text, 8);
    oc__strbuf_add(&text, "abcdefgh", 8); // exactly as much as it may hold
    assert_false(text.failed);
    assert_string_equal(text.data, "abcdefgh");
    oc__strbuf_add(&text, "i", 1);
    assert_true(text.failed);
    assert_int_equal(text.size, 8);
    assert_string_equal(text.data, "abcdefgh");
    oc__strbuf_free(&text);

    oc__strbuf_init(&text, 8);
    oc__strbuf_addf(&text, "%s", "123456789");
    assert_true(text.failed);
    assert_int_equal(text.size, 0);
    oc__strbuf_add(&text, "x", 1); // would fit, but a piece is missing already
    assert_true(text.failed);
    assert_int_equal(text.size, 0);
    oc__strbuf_free(&text);
}

static void a_string_grows_and_takes_any_byte(void **state)
{
    (void)state;
    static const size_t pieces = 10000;
    oc__strbuf text;
    oc__strbuf_init(&text, 1 << 20);
    oc__strbuf_add(&text, NULL, 0);
    assert_string_equal(text.data, "");
    for (size_t i = 0; i < pieces; i++) {
        oc__strbuf_addf(&text, "%zu\n", i % 10);
    }
    oc__strbuf_add(&text, "\0z", 2);
    assert_false(text.failed);
    assert_int_equal(text.size, 2 * pieces + 2);
    assert_memory_equal(text.data + 2 * pieces - 2, "9\n\0z", 5);
    oc__strbuf_free(&text);
    assert_null(text.data);
    oc__strbuf_free(&text);
}

static void sizes_that_do_not_fit_are_told(void **state)
{
    (void)state;
    size_t product = 0;
    assert_true(oc__size_mul((size_t)1 << 31, (size_t)1 << 32, &product));
    assert_true(product == (size_t)1 << 63);
    assert_false(oc__size_mul((size_t)1 << 32, (size_t)1 << 32, &product));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(a_long_error_is_cut_and_still_ends),
        cmocka_unit_test(context_stands_in_front),
        cmocka_unit_test(a_boundary_is_set_once),
        cmocka_unit_test(fail_beats_unknown_beats_pass),
        cmocka_unit_test(an_unset_verdict_is_a_bug),
        cmocka_unit_test(errors_have_exit_statuses),
        cmocka_unit_test(a_string_keeps_to_its_maximum),
        cmocka_unit_test(a_string_grows_and_takes_any_byte),
        cmocka_unit_test(sizes_that_do_not_fit_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
