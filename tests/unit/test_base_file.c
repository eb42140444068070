/* Files appear whole or not at all, and are never overwritten. */
#include "folder.h"
#include "unit.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 256, NOBODY = 65534 };

static char root[] = "/tmp/onchip-file-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    return mkdtemp(root) && chdir(root) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(root);
}

static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(listing);
    return count;
}

static void assert_content(const char *path, const char *want)
{
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_read(path, 1000, &data, &size, NULL), OC_OK);
    assert_int_equal(size, strlen(want));
    assert_string_equal(data, want);
    free(data);
}

/* Runs `check` in a child that may not override permissions; it yields 0 when all was
 * as it should be. */
static void as_nobody(int (*check)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        bool dropped = geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
        _exit(dropped ? check() : 99);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_new_file_is_whole_and_stays(void **state)
{
    (void)state;
    oc_error err = {0};
    struct stat status;
    assert_int_equal(oc__file_write_new("a", "first", 5, &err), OC_OK);
    assert_content("a", "first");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
    assert_int_equal(oc__file_write_new("a", "second", 6, &err), OC_EXISTS);
    ASSERT_ERROR(&err, OC_EXISTS, OC_BOUNDARY_EVIDENCE, "'a'");
    assert_content("a", "first");
    assert_int_equal(entries_of("."), 1);
    assert_int_equal(oc__file_replace("a", "second", 6, NULL), OC_OK);
    assert_content("a", "second");
    assert_int_equal(oc__file_write_new("empty", NULL, 0, NULL), OC_OK);
    assert_content("empty", "");
    assert_int_equal(entries_of("."), 2);
}

static void a_link_is_not_written_through(void **state)
{
    (void)state;
    assert_int_equal(symlink("elsewhere", "link"), 0);
    assert_int_equal(oc__file_write_new("link", "x", 1, NULL), OC_EXISTS);
    assert_int_equal(access("elsewhere", F_OK), -1);
    assert_int_equal(entries_of("."), 1);
}

static void a_write_without_its_folder_fails(void **state)
{
    (void)state;
    oc_error err = {0};
    assert_int_equal(oc__file_write_new("gone/a", "x", 1, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "No such file or directory");
}

/* A disk that is full after 4096 bytes. */
static int write_past_the_limit(void)
{
    static const char content[10000];
    struct rlimit limit = {4096, 4096};
    oc_error err = {0};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 1;
    }
    if (oc__file_write_new("big", content, sizeof content, &err) != OC_IO ||
        !strstr(err.text, "'big'") || !strstr(err.text, "File too large")) {
        return 2;
    }
    return oc__file_write_new("small", content, 4096, NULL) == OC_OK ? 0 : 3;
}

static void a_write_that_breaks_off_leaves_nothing(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(write_past_the_limit());
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    assert_int_equal(access("small", F_OK), 0);
    assert_int_equal(entries_of("."), 1);
}

static int write_where_nobody_may(void)
{
    oc_error err = {0};
    if (oc__file_write_new("closed/a", "x", 1, &err) != OC_IO ||
        !strstr(err.text, "Permission denied")) {
        return 1;
    }
    err = (oc_error){0};
    if (oc__run_dir_create("closed/run", &err) != OC_IO ||
        err.boundary != OC_BOUNDARY_EVIDENCE ||
        !strstr(err.text, "Permission denied")) {
        return 2;
    }
    if (oc__file_write_new("open/a", "x", 1, NULL) != OC_OK ||
        oc__run_dir_create("open/run", NULL) != OC_OK) {
        return 3;
    }
    // A folder that is made but in which nothing can be written is gone again.
    umask(0777);
    if (oc__run_dir_create("open/useless", NULL) != OC_IO) {
        return 4;
    }
    return access("open/useless", F_OK) == 0 ? 5 : 0;
}

static void permissions_are_respected(void **state)
{
    (void)state;
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_int_equal(mkdir("open", 0777), 0);
    assert_int_equal(chmod("open", 0777), 0);
    as_nobody(write_where_nobody_may);
    assert_int_equal(entries_of("closed"), 0);
    assert_int_equal(entries_of("open"), 2);
    assert_int_equal(entries_of("open/run"), 0);
}

static void a_run_folder_is_new(void **state)
{
    (void)state;
    oc_error err = {0};
    assert_int_equal(oc__run_dir_create("run", &err), OC_OK);
    assert_int_equal(entries_of("run"), 0);
    assert_int_equal(oc__run_dir_create("run", &err), OC_EXISTS);
    ASSERT_ERROR(&err, OC_EXISTS, OC_BOUNDARY_USAGE, "never overwritten");
    assert_int_equal(oc__run_dir_create("far/away/run", NULL), OC_OK);
    assert_int_equal(oc__run_dir_create("far/away/run2/", NULL), OC_OK);
    assert_int_equal(entries_of("far/away"), 2);
    assert_int_equal(oc__run_dir_create("far/away/run2/", NULL), OC_EXISTS);
    assert_int_equal(entries_of("far/away"), 2);
}

static void a_run_folder_takes_no_existing_name(void **state)
{
    (void)state;
    oc_error err = {0};
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(oc__run_dir_create("dangling", NULL), OC_EXISTS);
    assert_int_equal(oc__run_dir_create("dangling/", NULL), OC_EXISTS);
    assert_int_equal(access("nowhere", F_OK), -1);
    assert_int_equal(oc__file_write_new("file", "x", 1, NULL), OC_OK);
    assert_int_equal(oc__run_dir_create("file", NULL), OC_EXISTS);
    assert_int_equal(oc__run_dir_create("file/run", &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "Not a directory");
    assert_content("file", "x");
}

static void reading_stops_at_its_limit(void **state)
{
    (void)state;
    oc_error err = {0};
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_write_new("ten", "0123456789", 10, NULL), OC_OK);
    assert_int_equal(oc__file_read("ten", 10, &data, &size, &err), OC_OK);
    assert_int_equal(size, 10);
    assert_string_equal(data, "0123456789");
    free(data);
    assert_int_equal(oc__file_read("ten", 9, &data, &size, &err), OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_INPUT, "'ten' has 10 bytes");
    assert_null(data);
    err = (oc_error){0};
    assert_int_equal(oc__file_read("/dev/zero", 100000, &data, &size, &err), OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_INPUT, "longer than the 100000 bytes");
    assert_null(data);
    err = (oc_error){0};
    assert_int_equal(oc__file_read("gone", 9, &data, &size, &err), OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "cannot open 'gone'");
    err = (oc_error){0};
    assert_int_equal(oc__file_read(".", 9, &data, &size, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_INPUT, "Is a directory");
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    char *data = NULL;
    size_t size = 0;
    int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(write(ends[1], "from\0stdin", 10), 10);
    close(ends[1]);
    close(ends[0]);
    assert_int_equal(oc__file_read("-", 100, &data, &size, NULL), OC_OK);
    assert_int_equal(size, 10);
    assert_memory_equal(data, "from\0stdin", 11);
    free(data);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); // it was not ours to close
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void folders_and_paths(void **state)
{
    (void)state;
    oc_error err = {0};
    char *path = oc__path_join("a", "b");
    assert_string_equal(path, "a/b");
    free(path);
    assert_int_equal(oc__make_dirs("one/two//three/", NULL), OC_OK);
    assert_int_equal(oc__make_dirs("one/two/three", NULL), OC_OK);
    assert_int_equal(access("one/two/three", F_OK), 0);
    assert_false(oc__is_file("one"));
    assert_false(oc__is_file("gone"));
    assert_int_equal(oc__file_write_new("one/file", "", 0, NULL), OC_OK);
    assert_true(oc__is_file("one/file"));
    assert_int_equal(oc__make_dirs("one/file/under", &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "one/file'");
    // This program's own folder is the one that the kernel names.
    char link[4096];
    ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
    assert_true(length > 0);
    link[length] = '\0';
    *strrchr(link, '/') = '\0';
    char *own = oc__own_folder();
    assert_string_equal(own, link);
    free(own);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_is_whole_and_stays),
        TEST(a_link_is_not_written_through),
        TEST(a_write_without_its_folder_fails),
        TEST(a_write_that_breaks_off_leaves_nothing),
        TEST(permissions_are_respected),
        TEST(a_run_folder_is_new),
        TEST(a_run_folder_takes_no_existing_name),
        TEST(reading_stops_at_its_limit),
        TEST(a_dash_is_standard_input),
        TEST(folders_and_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
