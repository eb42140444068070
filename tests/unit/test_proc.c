/* Child processes: how they end is told, and nothing of them is left behind. The
 * children are sh and this program itself, whose first argument says what to do. */
#include "unit.h"

#include "base/strbuf.h"
#include "proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 60000, SHORT_MS = 700, BIG_INPUT = 1 << 20 };

typedef struct outcome {
    oc_status rc;
    oc_error err;
    oc__proc_end end;
    oc__strbuf out, errors;
} outcome;

static outcome run_with(const char *const *argv, const char *input, size_t input_size,
                        int64_t timeout_ms, size_t max_output)
{
    outcome o = {0};
    oc__strbuf_init(&o.out, max_output);
    oc__strbuf_init(&o.errors, max_output);
    o.rc = oc__proc_run(argv, input, input_size, timeout_ms, &o.out, &o.errors, &o.end,
                        &o.err);
    return o;
}

static outcome run_sh(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    return run_with(argv, "", 0, LONG_MS, 1 << 20);
}

static void done(outcome *o)
{
    oc__strbuf_free(&o->out);
    oc__strbuf_free(&o->errors);
}

static void the_end_of_a_child_is_told(void **state)
{
    static const struct {
        const char *script;
        bool signalled;
        int code;
        const char *text;
    } table[] = {
        {"exit 0", false, 0, "exit status 0"},
        {"exit 3", false, 3, "exit status 3"},
        {"exit 255", false, 255, "exit status 255"},
        {"kill -ABRT $$", true, SIGABRT, "signal 6 (Aborted)"},
        {"kill -SEGV $$", true, SIGSEGV, "signal 11 (Segmentation fault)"},
        {"kill -PIPE $$", true, SIGPIPE, "signal 13 (Broken pipe)"},
    };
    (void)state;
    signal(SIGPIPE, SIG_IGN); // as onchip itself does; its children do not inherit it
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[64];
        outcome o = run_sh(table[i].script);
        assert_int_equal(o.rc, OC_OK);
        assert_int_equal(o.end.signalled, table[i].signalled);
        assert_int_equal(o.end.code, table[i].code);
        oc__proc_end_text(&o.end, text, sizeof text);
        assert_string_equal(text, table[i].text);
        done(&o);
    }
}

static void both_outputs_are_collected(void **state)
{
    (void)state;
    outcome o = run_sh("echo answer; echo talk >&2; echo more");
    assert_string_equal(o.out.data, "answer\nmore\n");
    assert_string_equal(o.errors.data, "talk\n");
    done(&o);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    (void)state;
    const char *const argv[] = {"onchip-no-such-program", NULL};
    outcome o = run_with(argv, "", 0, LONG_MS, 100);
    assert_int_equal(o.rc, OC_NOT_FOUND);
    ASSERT_ERROR(&o.err, OC_NOT_FOUND, OC_BOUNDARY_NONE, "'onchip-no-such-program'");
    done(&o);
    const char *const folder[] = {"/tmp", NULL};
    o = run_with(folder, "", 0, LONG_MS, 100);
    assert_int_equal(o.rc, OC_IO);
    ASSERT_ERROR(&o.err, OC_IO, OC_BOUNDARY_NONE, "Permission denied");
    done(&o);
    oc__proc child;
    oc__proc_options options = {.argv = argv};
    assert_int_equal(oc__proc_start(&options, &child, NULL), OC_NOT_FOUND);
    assert_int_equal(child.pid, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no zombie
    assert_int_equal(errno, ECHILD);
}

static void input_is_given_whole(void **state)
{
    (void)state;
    char *input = malloc(BIG_INPUT);
    for (size_t i = 0; i < BIG_INPUT; i++) {
        input[i] = (char)(i % 251);
    }
    const char *const cat[] = {"cat", NULL};
    outcome o = run_with(cat, input, BIG_INPUT, LONG_MS, BIG_INPUT);
    assert_int_equal(o.rc, OC_OK);
    assert_int_equal(o.out.size, BIG_INPUT);
    assert_memory_equal(o.out.data, input, BIG_INPUT);
    done(&o);
    const char *const deaf[] = {"true", NULL}; // does not read it
    o = run_with(deaf, input, BIG_INPUT, LONG_MS, 100);
    assert_int_equal(o.rc, OC_OK);
    assert_int_equal(o.end.code, 0);
    done(&o);
    free(input);
    o = run_with(cat, "", 0, LONG_MS, 100); // ends at once
    assert_int_equal(o.rc, OC_OK);
    assert_int_equal(o.out.size, 0);
    done(&o);
}

static void output_past_the_maximum_is_dropped(void **state)
{
    (void)state;
    const char *const argv[] = {
        "sh", "-c",
        "i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done; "
        "exit 4",
        NULL};
    outcome o = run_with(argv, "", 0, LONG_MS, 25);
    assert_int_equal(o.rc, OC_OK);
    assert_int_equal(o.end.code, 4); // it was read on, so the child could end
    assert_int_equal(o.out.size, 25);
    assert_string_equal(o.out.data, "0123456789\n0123456789\n012");
    done(&o);
}

/* True when the process exists and is no zombie. */
static bool lives(long pid)
{
    char path[64];
    char stat[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    bool got = fgets(stat, sizeof stat, file) != NULL;
    fclose(file);
    const char *behind_name = strrchr(stat, ')');
    return got && behind_name && behind_name[2] != 'Z' && behind_name[2] != 'X';
}

/* The kernel takes a moment to let go of a killed process that is nobody's child. */
static void assert_gone(const char *number)
{
    long pid = strtol(number, NULL, 10);
    assert_true(pid > 1);
    for (int i = 0; i < 100 && lives(pid); i++) {
        usleep(20000);
    }
    assert_false(lives(pid));
}

/* The child ignores SIGTERM and so does its own child, which holds both outputs. */
static void the_deadline_ends_the_whole_group(void **state)
{
    (void)state;
    const char *const argv[] = {"sh", "-c",
                                "trap '' TERM; sh -c 'trap \"\" TERM; echo $$; "
                                "while :; do sleep 1; done' & "
                                "echo $$; while :; do sleep 1; done",
                                NULL};
    outcome o = run_with(argv, "", 0, SHORT_MS, 100);
    assert_int_equal(o.rc, OC_DEADLINE);
    ASSERT_ERROR(&o.err, OC_DEADLINE, OC_BOUNDARY_NONE,
                 "'sh' was stopped after 700 ms");
    char *second = strchr(o.out.data, '\n');
    assert_non_null(second);
    assert_gone(o.out.data);
    assert_gone(second + 1);
    done(&o);
}

/* A child that ends well but leaves a child of its own in the background. */
static void what_a_child_leaves_behind_is_ended(void **state)
{
    (void)state;
    outcome o = run_sh("sleep 1000 >/dev/null 2>&1 & echo $!");
    assert_int_equal(o.rc, OC_OK);
    assert_gone(o.out.data);
    done(&o);
}

/* The child and its own child are both asked, and both take their leave. */
static void stopping_asks_first(void **state)
{
    (void)state;
    int ends[2];
    char text[8] = "";
    oc__proc child;
    oc__proc_end end;
    oc_error err = {0};
    const char *const polite[] = {
        "sh", "-c",
        "sh -c 'trap \"echo b; exit\" TERM; echo; while :; do sleep 0.05; done' & "
        "trap 'wait; exit 7' TERM; echo; while :; do sleep 0.05; done",
        NULL};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    oc__proc_options options = {.argv = polite, .stdout_fd = ends[1]};
    assert_int_equal(oc__proc_start(&options, &child, NULL), OC_OK);
    assert_int_equal(read(ends[0], text, 1), 1); // both have set their traps
    assert_int_equal(read(ends[0], text, 1), 1);
    assert_int_equal(oc__proc_wait(&child, oc__deadline_in(1), &end, &err),
                     OC_DEADLINE);
    ASSERT_ERROR(&err, OC_DEADLINE, OC_BOUNDARY_NONE, "still runs");
    assert_true(oc__proc_stop(&child, LONG_MS, &end));
    assert_false(end.signalled);
    assert_int_equal(end.code, 7);
    assert_int_equal(child.pid, 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(ends[0], text, sizeof text - 1), 2);
    assert_string_equal(text, "b\n");
    assert_true(oc__proc_stop(&child, LONG_MS, &end)); // once more does nothing
    close(ends[0]);
    close(ends[1]);
}

static void stopping_without_grace_kills(void **state)
{
    (void)state;
    oc__proc child;
    oc__proc_end end;
    const char *const argv[] = {"sleep", "1000", NULL};
    oc__proc_options options = {.argv = argv};
    assert_int_equal(oc__proc_start(&options, &child, NULL), OC_OK);
    assert_true(oc__proc_stop(&child, 0, &end));
    assert_true(end.signalled);
    assert_int_equal(end.code, SIGKILL);
}

/* The value of the one variable called `name` in what env prints, "" when it is there
 * twice or not at all. */
static const char *value_in(const char *text, const char *name)
{
    static char value[64];
    size_t found = 0;
    char line_start[64];
    snprintf(line_start, sizeof line_start, "\n%s=", name);
    for (const char *at = strstr(text, line_start); at;
         at = strstr(at + 1, line_start)) {
        const char *start = at + strlen(line_start);
        snprintf(value, sizeof value, "%.*s", (int)strcspn(start, "\n"), start);
        found++;
    }
    return found == 1 ? value : "";
}

static void the_environment_is_laid_over_ours(void **state)
{
    (void)state;
    int ends[2];
    static char text[1 << 16] = "\n";
    oc__proc child;
    oc__proc_end end;
    setenv("ONCHIP_T_KEPT", "ours", 1);
    setenv("ONCHIP_T_SET", "ours", 1);
    setenv("ONCHIP_T_SETTER", "ours", 1); // begins with the other's name
    const char *const argv[] = {"env", NULL};
    const char *const overlay[] = {"ONCHIP_T_SET=theirs", "ONCHIP_T_NEW=a=b", NULL};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    oc__proc_options options = {
        .argv = argv, .environment = overlay, .stdout_fd = ends[1]};
    assert_int_equal(oc__proc_start(&options, &child, NULL), OC_OK);
    close(ends[1]);
    size_t used = 1;
    for (ssize_t got = 1; got > 0; used += (size_t)got) {
        got = read(ends[0], text + used, sizeof text - 1 - used);
        assert_true(got >= 0);
    }
    close(ends[0]);
    assert_int_equal(oc__proc_wait(&child, oc__deadline_in(LONG_MS), &end, NULL),
                     OC_OK);
    assert_string_equal(value_in(text, "ONCHIP_T_KEPT"), "ours");
    assert_string_equal(value_in(text, "ONCHIP_T_SET"), "theirs");
    assert_string_equal(value_in(text, "ONCHIP_T_SETTER"), "ours");
    assert_string_equal(value_in(text, "ONCHIP_T_NEW"), "a=b");
    assert_string_equal(getenv("ONCHIP_T_SET"), "ours");
}

/* ls lists its own descriptors: 0 to 2, the passed one, and its handle on the folder.
 */
static void nothing_else_is_inherited(void **state)
{
    (void)state;
    int ends[2];
    char text[4096] = "";
    oc__proc child;
    oc__proc_end end;
    int unmarked = open("/dev/zero", O_RDONLY); // NOLINT: not close-on-exec on purpose
    const char *const argv[] = {"ls", "-l", "/proc/self/fd", NULL};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    oc__proc_options options = {
        .argv = argv, .stdout_fd = ends[1], .stderr_fd = ends[1], .passed_fd = ends[0]};
    assert_int_equal(oc__proc_start(&options, &child, NULL), OC_OK);
    close(ends[1]);
    assert_int_equal(oc__proc_wait(&child, oc__deadline_in(LONG_MS), &end, NULL),
                     OC_OK);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    close(unmarked);
    size_t descriptors = 0;
    for (char *arrow = strstr(text, " -> "); arrow; arrow = strstr(arrow + 1, " -> ")) {
        const char *target = arrow + strlen(" -> ");
        if (strncmp(target, "/proc/", 6) == 0) {
            continue;
        }
        char fd = arrow[-1];
        descriptors++;
        assert_true(fd >= '0' && fd <= '3' && arrow[-2] == ' ');
        assert_int_equal(strncmp(target, fd == '0' ? "/dev/null" : "pipe:[", 6), 0);
    }
    assert_int_equal(descriptors, 4);
}

/* The first argument "parent": starts a sleeper, tells its pid and is killed. */
static int be_parent(void)
{
    oc__proc child;
    const char *const argv[] = {"sleep", "1000", NULL};
    oc__proc_options options = {.argv = argv};
    if (oc__proc_start(&options, &child, NULL) != OC_OK) {
        return 1;
    }
    printf("%d\n", (int)child.pid);
    fflush(stdout);
    raise(SIGKILL);
    return 1;
}

static void a_child_dies_with_its_parent(void **state)
{
    (void)state;
    const char *const argv[] = {"/proc/self/exe", "parent", NULL};
    outcome o = run_with(argv, "", 0, LONG_MS, 100);
    assert_int_equal(o.rc, OC_OK);
    assert_true(o.end.signalled);
    assert_int_equal(o.end.code, SIGKILL);
    assert_gone(o.out.data);
    done(&o);
}

static void deadlines_count_down(void **state)
{
    (void)state;
    assert_int_equal(oc__deadline_left_ms(oc__deadline_in(0)), 0);
    assert_int_equal(oc__deadline_left_ms(oc__deadline_in(-5)), 0);
    int left = oc__deadline_left_ms(oc__deadline_in(LONG_MS));
    assert_true(left > 0 && left <= LONG_MS);
    assert_true(oc__deadline_left_ms(oc__deadline_in((int64_t)1 << 40)) > LONG_MS);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "parent") == 0) {
        return be_parent();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_child_is_told),
        cmocka_unit_test(both_outputs_are_collected),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test(input_is_given_whole),
        cmocka_unit_test(output_past_the_maximum_is_dropped),
        cmocka_unit_test(the_deadline_ends_the_whole_group),
        cmocka_unit_test(what_a_child_leaves_behind_is_ended),
        cmocka_unit_test(stopping_asks_first),
        cmocka_unit_test(stopping_without_grace_kills),
        cmocka_unit_test(the_environment_is_laid_over_ours),
        cmocka_unit_test(nothing_else_is_inherited),
        cmocka_unit_test(a_child_dies_with_its_parent),
        cmocka_unit_test(deadlines_count_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
