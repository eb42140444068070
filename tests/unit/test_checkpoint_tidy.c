/* Checkpoints are pruned, set aside and swept. */
#include "checkpoint_fixture.h"

#include <inttypes.h>
#include <sys/wait.h>

static void prune_keeps_the_newest_two_that_verify(void **state)
{
    (void)state;
    for (int64_t step = 1; step <= 6; step++) {
        ck_put(step);
    }
    ck_save("ck/step-00000006/state.bin", "x", 1);
    ck_save("ck/step-00000004/more.bin", "less", 4);
    ck_save("ck/step-00000001/manifest.json", "{", 1);
    assert_int_equal(oc__checkpoint_prune("ck", OC__CHECKPOINT_KEPT, NULL), OC_OK);
    ck_assert_entries("step-00000001 step-00000003 step-00000004 step-00000005 "
                      "step-00000006 ");
    ck_assert_good(5);
    ck_assert_good(3);
    ck_assert_damaged(6, "'state.bin' has 1 bytes, not 32");
    assert_int_equal(oc__checkpoint_prune("ck", OC__CHECKPOINT_KEPT, NULL), OC_OK);
    assert_int_equal(folder_count("ck"), 5);
    oc_error err = {0};
    assert_int_equal(oc__checkpoint_prune("gone", 2, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "No such file");
}

/* The checkpoint of a step is damaged and set aside. */
static void spoil(int64_t step)
{
    char path[64];
    snprintf(path, sizeof path, "ck/step-%08" PRId64 "/more.bin", step);
    ck_save(path, "less", 4);
    snprintf(path, sizeof path, "ck/step-%08" PRId64, step);
    const oc__checkpoint damaged = {.step = step, .path = path};
    assert_int_equal(oc__checkpoint_set_aside("ck", &damaged, NULL), OC_OK);
}

static void what_is_set_aside_is_numbered_and_kept(void **state)
{
    (void)state;
    char text[CK_TEXT_BYTES];
    oc_error err = {0};
    for (int i = 0; i < 3; i++) {
        ck_put(4);
        spoil(4);
    }
    ck_put(5);
    spoil(5);
    ck_assert_entries("bad-00000004-1 bad-00000004-2 bad-00000004-3 bad-00000005-1 ");
    assert_int_equal(ck_load("ck/bad-00000004-1/more.bin", text), 4);
    assert_string_equal(text, "less");
    // Nothing finds it again, nothing takes it away.
    assert_int_equal(oc__checkpoint_prune("ck", 0, NULL), OC_OK);
    oc__checkpoint_sweep("ck");
    assert_int_equal(folder_count("ck"), 4);

    char path[] = "ck/step-00000006";
    ck_put(6);
    const oc__checkpoint good = {.step = 6, .path = path, .good = true};
    assert_int_equal(oc__checkpoint_set_aside("ck", &good, &err), OC_INVALID_ARGUMENT);
    ck_assert_good(6);
}

static void sweep_takes_what_nobody_writes_any_more(void **state)
{
    (void)state;
    static const char *const others[] = {"tmp-x-1", "tmp-1",    "tmp-01-4",
                                         "tmp-5-",  "tmp-5-4x", "temporary"};
    char path[64];
    char wanted[256];
    pid_t gone = fork();
    if (gone == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    pid_t zombie = fork();
    if (zombie == 0) {
        _exit(0);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT), 0);
    const pid_t writers[] = {gone, zombie, getpid(), getppid()};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "ck/tmp-%d-4", (int)writers[i]);
        assert_int_equal(mkdir(path, 0777), 0);
        snprintf(path, sizeof path, "ck/tmp-%d-4/state.bin", (int)writers[i]);
        ck_save(path, "x", 1);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(path, sizeof path, "ck/%s", others[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    ck_put(3);
    oc__checkpoint_sweep("ck");
    assert_int_equal(waitpid(zombie, NULL, 0), zombie);
    snprintf(wanted, sizeof wanted, "ck/tmp-%d-4/state.bin", (int)getppid());
    assert_int_equal(access(wanted, F_OK), 0);
    ck_assert_good(3);
    assert_int_equal(folder_count("ck"), 8);
}

/* Left by an earlier process of our number: in a container numbers come again. */
static void a_temporary_folder_of_our_number_is_no_hindrance(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "ck/tmp-%d-7", (int)getpid());
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "ck/tmp-%d-7/state.bin", (int)getpid());
    ck_save(path, "x", 1);
    ck_put(7);
    ck_assert_good(7);
    ck_assert_entries("step-00000007 ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ck_set_up, ck_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(prune_keeps_the_newest_two_that_verify),
        TEST(what_is_set_aside_is_numbered_and_kept),
        TEST(sweep_takes_what_nobody_writes_any_more),
        TEST(a_temporary_folder_of_our_number_is_no_hindrance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
