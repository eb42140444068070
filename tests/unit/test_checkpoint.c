/* Checkpoints are written, found and read. */
#include "checkpoint_fixture.h"

#include <sys/wait.h>

enum { NOBODY = 65534 };

/* Written out from docs/launch-protocol.md; the hashes are sha256sum's of 32 bytes of
 * 7, of "more" and, for the last one, of this text without that member. */
static const char manifest_text[] =
    "{\n"
    "  \"format\": \"onchip.checkpoint/1\",\n"
    "  \"step\": 7,\n"
    "  \"state_hash\": \"" CK_STATE_HASH "\",\n"
    "  \"identity\": {\n"
    "    \"config\": \"c0ffee\",\n"
    "    \"data\": \"d1\"\n"
    "  },\n"
    "  \"files\": [\n"
    "    {\n"
    "      \"name\": \"state.bin\",\n"
    "      \"size\": 32,\n"
    "      \"sha256\": "
    "\"4bb06f8e4e3a7715d201d573d0aa423762e55dabd61a2c02278fa56cc6d294e0\"\n"
    "    },\n"
    "    {\n"
    "      \"name\": \"more.bin\",\n"
    "      \"size\": 4,\n"
    "      \"sha256\": "
    "\"187897ce0afcf20b50ba2b37dca84a951b7046f29ed5ab94f010619f69d6e189\"\n"
    "    }\n"
    "  ],\n"
    "  \"parent_sha256\": null,\n"
    "  \"sha256\": "
    "\"3296a9e73303c53dc10d117258c0e7b85bf2d0c0aa6ce66981f7a6604837ed44\"\n"
    "}\n";

static void a_manifest_is_the_text_of_the_format(void **state)
{
    (void)state;
    char text[CK_TEXT_BYTES];
    ck_put(7);
    ck_assert_entries("step-00000007 ");
    assert_int_equal(folder_count("ck/step-00000007"), 3);
    ck_load("ck/step-00000007/manifest.json", text);
    assert_string_equal(text, manifest_text);
    assert_int_equal(ck_load("ck/step-00000007/more.bin", text), 4);
    assert_string_equal(text, "more");
    ck_assert_good(7);
}

/* Its own digest stands in the last line but one. */
static void digest_of(const char *path, char out_hex[OC__SHA256_HEX])
{
    char text[CK_TEXT_BYTES];
    ck_load(path, text);
    const char *at = strstr(text, "\n  \"sha256\": \"");
    assert_non_null(at);
    memcpy(out_hex, at + strlen("\n  \"sha256\": \""), OC__SHA256_HEX - 1);
    out_hex[OC__SHA256_HEX - 1] = '\0';
}

static void the_parent_is_the_newest_earlier_one_of_this_run(void **state)
{
    (void)state;
    char text[CK_TEXT_BYTES];
    char digest[OC__SHA256_HEX];
    ck_put(1);
    ck_put(2);
    ck_put(9);
    digest_of("ck/step-00000002/manifest.json", digest);
    ck_load("ck/step-00000009/manifest.json", text);
    assert_non_null(strstr(text, digest));

    // Neither a later one nor one that is damaged.
    digest_of("ck/step-00000001/manifest.json", digest);
    ck_save("ck/step-00000002/manifest.json", "{}", 2);
    ck_put(3);
    ck_load("ck/step-00000003/manifest.json", text);
    assert_non_null(strstr(text, digest));

    const oc__checkpoint_identity other = {.keys = {{"config", "tea"}}, .count = 1};
    const oc__checkpoint_file file = {"state.bin", {"x", 1}};
    const oc__checkpoint_state fourth = {4, CK_STATE_HASH, &file, 1};
    assert_int_equal(oc__checkpoint_write("ck", &other, &fourth, NULL), OC_OK);
    ck_load("ck/step-00000004/manifest.json", text);
    assert_non_null(strstr(text, "\"parent_sha256\": null"));
}

static void a_step_that_is_there_stays(void **state)
{
    (void)state;
    oc_error err = {0};
    char text[CK_TEXT_BYTES];
    ck_put(7);
    assert_int_equal(ck_write(7, 9, &err), OC_EXISTS);
    ASSERT_ERROR(&err, OC_EXISTS, OC_BOUNDARY_EVIDENCE, "ck/step-00000007");
    ck_load("ck/step-00000007/manifest.json", text);
    assert_string_equal(text, manifest_text);
    ck_assert_entries("step-00000007 ");

    // Whatever it is.
    assert_int_equal(symlink("elsewhere", "ck/step-00000008"), 0);
    assert_int_equal(ck_write(8, 9, NULL), OC_EXISTS);
    ck_assert_entries("step-00000007 step-00000008 ");
}

static void large_files_are_whole(void **state)
{
    (void)state;
    enum { SIZE = (17 << 20) + 5 };
    oc_error err = {0};
    unsigned char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (unsigned char)((i * 2654435761u) >> 24);
    }
    const oc__checkpoint_file files[] = {
        {"a", {bytes, SIZE}}, {"b", {bytes + 1, SIZE - 1}}, {"empty", {NULL, 0}}};
    const oc__checkpoint_state large = {3, CK_STATE_HASH, files, 3};
    assert_int_equal(oc__checkpoint_write("ck", &ck_identity, &large, &err), OC_OK);
    oc__checkpoint_list list;
    assert_int_equal(oc__checkpoint_scan("ck", &ck_identity, &list, &err), OC_OK);
    const oc__checkpoint *newest = oc__checkpoint_newest(&list);
    assert_non_null(newest);
    for (size_t i = 0; i < 3; i++) {
        void *data = NULL;
        size_t size = 1;
        assert_int_equal(oc__checkpoint_read(newest, files[i].name, &data, &size, &err),
                         OC_OK);
        assert_int_equal(size, files[i].bytes.size);
        assert_true(size == 0 || memcmp(data, files[i].bytes.data, size) == 0);
        free(data);
    }
    oc__checkpoint_list_free(&list);
    free(bytes);
}

static void what_no_manifest_can_say_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", ".", "..", "a/b", "../a", ".hidden", "a b", "\xc3\xa4", "manifest.json"};
    char long_name[102];
    memset(long_name, 'x', 101);
    long_name[101] = '\0';
    oc_error err = {0};
    oc__checkpoint_file files[9] = {{"a", {"x", 1}}, {"a", {"x", 1}}};
    oc__checkpoint_state request = {1, CK_STATE_HASH, files, 1};
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        files[0].name = i < sizeof names / sizeof *names ? names[i] : long_name;
        err = (oc_error){0};
        assert_int_equal(oc__checkpoint_write("ck", NULL, &request, &err),
                         OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_EVIDENCE, "no plain name");
    }
    files[0].name = "a";
    request.file_count = 2;
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL),
                     OC_INVALID_ARGUMENT);
    request.file_count = 0;
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL),
                     OC_INVALID_ARGUMENT);
    static const char *const nine[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (size_t i = 0; i < 9; i++) {
        files[i] = (oc__checkpoint_file){nine[i], {"x", 1}};
    }
    request.file_count = 9;
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL),
                     OC_INVALID_ARGUMENT);
    request.file_count = 1;
    for (int64_t step = -1; step <= 100000000; step += 100000001) {
        request.step = step;
        assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL),
                         OC_INVALID_ARGUMENT);
    }
    request.step = 1;
    request.state_hash = "00";
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL),
                     OC_INVALID_ARGUMENT);
    request.state_hash = CK_STATE_HASH;
    static const oc__checkpoint_identity wrong[] = {
        {.keys = {{"config", "with \"quotes\""}}, .count = 1},
        {.keys = {{"config", ""}}, .count = 1},
        {.keys = {{"a b", "x"}}, .count = 1},
        {.keys = {{"config", "x"}, {"config", "x"}}, .count = 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(oc__checkpoint_write("ck", &wrong[i], &request, NULL),
                         OC_INVALID_ARGUMENT);
    }
    ck_assert_entries("");
    // The limits themselves.
    long_name[100] = '\0';
    files[0].name = long_name;
    request.step = OC__CHECKPOINT_MAX_STEP;
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL), OC_OK);
    request.step = 0;
    assert_int_equal(oc__checkpoint_write("ck", NULL, &request, NULL), OC_OK);
    ck_assert_entries("step-00000000 step-99999999 ");
}

static void a_folder_that_is_absent_has_none(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__checkpoint_list list;
    assert_int_equal(oc__checkpoint_scan("gone", NULL, &list, &err), OC_OK);
    assert_int_equal(list.count, 0);
    assert_null(oc__checkpoint_newest(&list));
    oc__checkpoint_list_free(&list);
    oc__checkpoint_sweep("gone");
    const oc__checkpoint_file file = {"a", {"x", 1}};
    const oc__checkpoint_state request = {1, CK_STATE_HASH, &file, 1};
    assert_int_equal(oc__checkpoint_write("gone", NULL, &request, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "No such file or directory");
    ck_save("file", "", 0);
    err = (oc_error){0};
    assert_int_equal(oc__checkpoint_scan("file", NULL, &list, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_INPUT, "Not a directory");
}

static void a_scan_has_the_newest_first(void **state)
{
    (void)state;
    oc__checkpoint_list list;
    ck_put(2);
    ck_put(10);
    ck_put(9);
    assert_int_equal(oc__checkpoint_scan("ck", NULL, &list, NULL), OC_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.items[0].step, 10);
    assert_int_equal(list.items[1].step, 9);
    assert_int_equal(list.items[2].step, 2);
    assert_string_equal(list.items[0].path, "ck/step-00000010");
    assert_ptr_equal(oc__checkpoint_newest(&list), &list.items[0]);
    oc__checkpoint_list_free(&list);
    ck_save("ck/step-00000010/more.bin", "less", 4);
    assert_int_equal(oc__checkpoint_scan("ck", NULL, &list, NULL), OC_OK);
    assert_ptr_equal(oc__checkpoint_newest(&list), &list.items[1]);
    oc__checkpoint_list_free(&list);
}

static void reading_holds_a_file_once_more(void **state)
{
    (void)state;
    oc_error err = {0};
    char path[] = "ck/step-00000007";
    const oc__checkpoint seventh = {.step = 7, .path = path};
    void *data = NULL;
    size_t size = 0;
    ck_put(7);
    assert_int_equal(oc__checkpoint_read(&seventh, "more.bin", &data, &size, &err),
                     OC_OK);
    assert_int_equal(size, 4);
    assert_memory_equal(data, "more", 4);
    free(data);
    assert_int_equal(oc__checkpoint_read(&seventh, "manifest.json", &data, &size, &err),
                     OC_NOT_FOUND);
    assert_null(data);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "ck/step-00000007");
    err = (oc_error){0};
    ck_save("ck/step-00000007/more.bin", "less", 4);
    assert_int_equal(oc__checkpoint_read(&seventh, "more.bin", &data, &size, &err),
                     OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "'more.bin' has SHA-256");
    assert_null(data);
    // The other file is what it was.
    assert_int_equal(oc__checkpoint_read(&seventh, "state.bin", &data, &size, NULL),
                     OC_OK);
    free(data);
    assert_int_equal(rename(path, "ck/step-00000008"), 0);
    err = (oc_error){0};
    assert_int_equal(oc__checkpoint_read(&seventh, "state.bin", &data, &size, &err),
                     OC_NOT_FOUND);
}

static void a_folder_that_may_not_be_written_says_so(void **state)
{
    (void)state;
    int status = 0;
    ck_put(1);
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(chmod("ck", 0555), 0);
    pid_t pid = fork();
    if (pid == 0) {
        oc_error err = {0};
        bool dropped = geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
        bool refused = ck_write(2, 2, &err) == OC_IO &&
                       strstr(err.text, "cannot create 'tmp-") &&
                       strstr(err.text, "Permission denied");
        _exit(!dropped ? 98 : refused ? 0 : 1);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(chmod("ck", 0777), 0);
    ck_assert_entries("step-00000001 ");
    ck_assert_good(1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ck_set_up, ck_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_manifest_is_the_text_of_the_format),
        TEST(the_parent_is_the_newest_earlier_one_of_this_run),
        TEST(a_step_that_is_there_stays),
        TEST(large_files_are_whole),
        TEST(what_no_manifest_can_say_is_refused),
        TEST(a_folder_that_is_absent_has_none),
        TEST(a_scan_has_the_newest_first),
        TEST(reading_holds_a_file_once_more),
        TEST(a_folder_that_may_not_be_written_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
