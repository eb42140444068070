/* A system call that fails while a checkpoint is written: each in turn, with each error
 * that it may have. The program's own functions of these names stand before libc's. */
#include "checkpoint_fixture.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What is called is noted by a letter; the call of number `fail_at` fails. */
static char calls[64];
static size_t call_count;
static size_t fail_at;
static int fail_with;
static bool no_flags;     /* a file system that does not know RENAME_NOREPLACE */
static size_t most_bytes; /* of one write; 0: any */

static bool fails(char letter)
{
    if (call_count + 1 < sizeof calls) {
        calls[call_count] = letter;
        calls[call_count + 1] = '\0';
    }
    errno = fail_with;
    return ++call_count == fail_at;
}

int fsync(int fd)
{
    return fails('s') ? -1 : (int)syscall(SYS_fsync, fd);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    if (fails('w')) {
        return -1;
    }
    size_t bytes = most_bytes > 0 && n > most_bytes ? most_bytes : n;
    return syscall(SYS_write, fd, buf, bytes);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
    return fails('m') ? -1 : (int)syscall(SYS_mkdirat, fd, path, mode);
}

int renameat2(int oldfd, const char *old, int newfd, const char *new,
              unsigned int flags)
{
    if (fails('r')) {
        return -1;
    }
    errno = EINVAL;
    return no_flags ? -1 : (int)syscall(SYS_renameat2, oldfd, old, newfd, new, flags);
}

static void quiet(void)
{
    call_count = fail_at = most_bytes = 0;
    fail_with = 0;
    calls[0] = '\0';
    no_flags = false;
}

/* Folder; the two files; a flush of each; the manifest and its flush; the folder's
 * flush; the name; its flush. */
static const char order[] = "mwwsswssrs";

static void the_order_is_that_of_the_format(void **state)
{
    (void)state;
    quiet();
    assert_int_equal(ck_write(7, 7, NULL), OC_OK);
    assert_string_equal(calls, order);
    ck_assert_good(7);
    quiet();
    ck_put(8);
    ck_put(9);
    quiet();
    assert_int_equal(oc__checkpoint_prune("ck", 2, NULL), OC_OK);
    assert_string_equal(calls, "rs");
}

static void what_fails_leaves_nothing(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EROFS};
    quiet();
    ck_put(1);
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
        for (size_t at = 1; at <= strlen(order); at++) {
            oc_error err = {0};
            quiet();
            fail_at = at;
            fail_with = errors[e];
            oc_status rc = ck_write(7, 7, &err);
            fail_at = 0;
            assert_int_equal(rc, OC_IO);
            ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, strerror(errors[e]));
            bool full = errors[e] == ENOSPC || errors[e] == EDQUOT;
            const char *words = full ? "the disk is full: no room in 'ck' for the 36 "
                                       "bytes of checkpoint 'step-00000007'"
                                     : "step-00000007";
            ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, words);
            ck_assert_entries("step-00000001 ");
            // Once only: a flush that failed is not tried again. The last one takes the
            // name back, which is a rename.
            assert_int_equal(call_count, at == strlen(order) ? at + 1 : at);
        }
    }
    ck_assert_good(1);
    quiet();
    assert_int_equal(ck_write(7, 7, NULL), OC_OK);
    ck_assert_good(7);
}

static void short_and_interrupted_writes_go_on(void **state)
{
    (void)state;
    for (size_t at = 2; at < 12; at++) {
        quiet();
        most_bytes = 5;
        fail_at = at;
        fail_with = EINTR;
        oc_status rc = ck_write((int64_t)at, 7, NULL);
        assert_int_equal(rc, calls[at - 1] == 'w' ? OC_OK : OC_IO);
    }
    quiet();
    ck_assert_good(2);
    ck_assert_good(5);
}

/* NFS and 9p answer EINVAL to RENAME_NOREPLACE. */
static void a_file_system_without_flags_does_not_replace_either(void **state)
{
    (void)state;
    oc_error err = {0};
    quiet();
    no_flags = true;
    ck_put(7);
    ck_assert_good(7);
    char path[] = "ck/step-00000008";
    ck_put(8);
    ck_save("ck/step-00000008/more.bin", "less", 4);
    const oc__checkpoint damaged = {.step = 8, .path = path};
    assert_int_equal(oc__checkpoint_set_aside("ck", &damaged, &err), OC_OK);
    ck_put(8);
    ck_save("ck/step-00000008/more.bin", "lost", 4);
    assert_int_equal(oc__checkpoint_set_aside("ck", &damaged, &err), OC_OK);
    ck_assert_entries("bad-00000008-1 bad-00000008-2 step-00000007 ");
}

static void prune_takes_nothing_away_that_is_not_flushed(void **state)
{
    (void)state;
    oc_error err = {0};
    quiet();
    ck_put(1);
    ck_put(2);
    quiet();
    fail_at = 2;
    fail_with = EIO;
    assert_int_equal(oc__checkpoint_prune("ck", 1, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot flush 'ck");
    // Out of its place, but whole.
    char path[64];
    snprintf(path, sizeof path, "ck/tmp-%d-1/manifest.json", (int)getpid());
    assert_int_equal(access(path, F_OK), 0);
    quiet();
    oc__checkpoint_sweep("ck");
    ck_put(3);
    quiet();
    fail_at = 1;
    fail_with = EROFS;
    err = (oc_error){0};
    assert_int_equal(oc__checkpoint_prune("ck", 1, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "cannot remove 'ck/step-00000002'");
    quiet();
    ck_assert_entries("step-00000002 step-00000003 ");
}

/* In a namespace of its own, on a file system of 64 KiB; 0 when all is as it should
 * be. */
static int fill_a_disk(void)
{
    enum { LARGE = 256 << 10 };
    static char bytes[LARGE];
    static char words[64];
    if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "ck", "tmpfs", 0, "size=64k") != 0) {
        return 77;
    }
    const oc__checkpoint_file small = {"state.bin", {bytes, 4096}};
    const oc__checkpoint_file files[] = {small, {"ballast.bin", {bytes, LARGE}}};
    oc__checkpoint_state wanted = {1, CK_STATE_HASH, &small, 1};
    oc_error err = {0};
    if (oc__checkpoint_write("ck", &ck_identity, &wanted, &err) != OC_OK) {
        return 1;
    }
    wanted = (oc__checkpoint_state){2, CK_STATE_HASH, files, 2};
    snprintf(words, sizeof words, "for the %d bytes", LARGE + 4096);
    if (oc__checkpoint_write("ck", &ck_identity, &wanted, &err) != OC_IO ||
        !strstr(err.text, "the disk is full: no room in 'ck'") ||
        !strstr(err.text, words) || !strstr(err.text, "'ballast.bin'")) {
        return 2;
    }
    if (folder_count("ck") != 1 || !ck_look(1, &ck_identity).good) {
        return 3;
    }
    // There is room for what is small enough.
    wanted = (oc__checkpoint_state){2, CK_STATE_HASH, &small, 1};
    if (oc__checkpoint_write("ck", &ck_identity, &wanted, NULL) != OC_OK) {
        return 4;
    }
    // Read-only: nothing can be written, all can be read.
    if (mount("none", "ck", NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        return 77;
    }
    err = (oc_error){0};
    wanted.step = 3;
    return oc__checkpoint_write("ck", &ck_identity, &wanted, &err) == OC_IO &&
                   strstr(err.text, "Read-only") && ck_look(2, &ck_identity).good
               ? 0
               : 5;
}

static void a_full_disk_keeps_what_is_there(void **state)
{
    (void)state;
    int status = 0;
    quiet();
    pid_t pid = fork();
    if (pid == 0) {
        _exit(fill_a_disk());
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skip: namespace: no small disk can be made here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ck_set_up, ck_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_order_is_that_of_the_format),
        TEST(what_fails_leaves_nothing),
        TEST(short_and_interrupted_writes_go_on),
        TEST(a_file_system_without_flags_does_not_replace_either),
        TEST(prune_takes_nothing_away_that_is_not_flushed),
        TEST(a_full_disk_keeps_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
