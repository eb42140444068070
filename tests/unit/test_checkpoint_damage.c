/* Whatever is done to a checkpoint is seen, and named. */
#include "checkpoint_fixture.h"

#include "base/hash.h"

#include <inttypes.h>
#include <sys/resource.h>

#define MANIFEST "ck/step-00000007/manifest.json"
#define STATE    "ck/step-00000007/state.bin"
#define MORE     "ck/step-00000007/more.bin"

static const char *const file_paths[] = {MANIFEST, STATE, MORE};

static void no_bit_can_be_flipped(void **state)
{
    (void)state;
    char bytes[CK_TEXT_BYTES];
    size_t flipped = 0;
    ck_put(7);
    for (size_t f = 0; f < 3; f++) {
        size_t size = ck_load(file_paths[f], bytes);
        for (size_t i = 0; i < 8 * size; i++) {
            bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << i % 8));
            ck_save(file_paths[f], bytes, size);
            oc__checkpoint seen = ck_look(7, &ck_identity);
            if (seen.good || seen.other_run) {
                fail_msg("bit %zu of %s: %s", i, file_paths[f], seen.why);
            }
            bytes[i / 8] = (char)(bytes[i / 8] ^ (1 << i % 8));
            flipped++;
        }
        ck_save(file_paths[f], bytes, size);
        ck_assert_good(7);
    }
    assert_true(flipped > 8 * (size_t)(CK_STATE_BYTES + 4));
}

/* White space that JSON does not see. */
static void no_white_space_can_be_exchanged(void **state)
{
    (void)state;
    char bytes[CK_TEXT_BYTES];
    ck_put(7);
    size_t size = ck_load(MANIFEST, bytes);
    for (size_t i = 0; i < size; i++) {
        char was = bytes[i];
        if (was == ' ' || was == '\n') {
            bytes[i] = was == ' ' ? '\n' : ' ';
            ck_save(MANIFEST, bytes, size);
            ck_assert_damaged(7, was == ' ' && bytes[i - 1] == ':' ? "white space"
                                                                   : "manifest");
            bytes[i] = was;
        }
    }
    bytes[size] = '\n';
    ck_save(MANIFEST, bytes, size + 1);
    ck_assert_damaged(7, "white space");
}

static void no_file_can_be_cut_or_grow(void **state)
{
    (void)state;
    char bytes[CK_TEXT_BYTES];
    ck_put(7);
    for (size_t f = 0; f < 3; f++) {
        size_t size = ck_load(file_paths[f], bytes);
        for (size_t cut = 0; cut < size; cut++) {
            ck_save(file_paths[f], bytes, cut);
            ck_assert_damaged(7, f == 0 ? "'manifest.json'" : "as its manifest says");
        }
        bytes[size] = 'x';
        ck_save(file_paths[f], bytes, size + 1);
        ck_assert_damaged(7, f == 0 ? "'manifest.json'" : "as its manifest says");
        ck_save(file_paths[f], bytes, size);
        ck_assert_good(7);
        assert_int_equal(unlink(file_paths[f]), 0);
        ck_assert_damaged(7, "is missing");
        assert_int_equal(mkdir(file_paths[f], 0777), 0);
        ck_assert_damaged(7, "is no file");
        assert_int_equal(rmdir(file_paths[f]), 0);
        assert_int_equal(mkfifo(file_paths[f], 0666), 0);
        ck_assert_damaged(7, "is no file");
        assert_int_equal(unlink(file_paths[f]), 0);
        // The same bytes, behind a link.
        ck_save("aside", bytes, size);
        assert_int_equal(symlink("../../aside", file_paths[f]), 0);
        assert_int_equal(access(file_paths[f], R_OK), 0);
        ck_assert_damaged(7, "is a symbolic link");
        assert_int_equal(unlink(file_paths[f]), 0);
        ck_save(file_paths[f], bytes, size);
    }
    char *longer = calloc(1, 1 << 20);
    assert_non_null(longer);
    memset(longer, ' ', 1 << 20);
    ck_save(MANIFEST, longer, 1 << 20);
    ck_assert_damaged(7, "'manifest.json' is longer than the 16383 bytes");
    free(longer);
}

static void no_files_can_change_places(void **state)
{
    (void)state;
    ck_put(7);
    ck_put(8);
    // Within a checkpoint.
    assert_int_equal(rename(STATE, "aside"), 0);
    assert_int_equal(rename(MORE, STATE), 0);
    assert_int_equal(rename("aside", MORE), 0);
    ck_assert_damaged(7, "'state.bin' has 4 bytes, not 32");
    assert_int_equal(rename(MORE, "aside"), 0);
    assert_int_equal(rename(STATE, MORE), 0);
    // Of two checkpoints, of the same size.
    assert_int_equal(rename("ck/step-00000008/state.bin", STATE), 0);
    assert_int_equal(rename("aside", "ck/step-00000008/state.bin"), 0);
    ck_assert_damaged(7, "'state.bin' has SHA-256");
    ck_assert_damaged(8, "'state.bin' has SHA-256");
    assert_int_equal(rename(STATE, "aside"), 0);
    assert_int_equal(rename("ck/step-00000008/state.bin", STATE), 0);
    assert_int_equal(rename("aside", "ck/step-00000008/state.bin"), 0);
    ck_assert_good(7);
    // Whole folders.
    assert_int_equal(rename("ck/step-00000008", "aside"), 0);
    assert_int_equal(rename("ck/step-00000007", "ck/step-00000008"), 0);
    ck_assert_damaged(8, "the folder's name is 'step-00000008', but its "
                         "'manifest.json' is of step 7");
}

static void nothing_can_be_added(void **state)
{
    (void)state;
    static const char *const names[] = {"more.bin~", ".hidden", "state.bin.tmp", "a b"};
    ck_put(7);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        char words[64];
        snprintf(path, sizeof path, "ck/step-00000007/%s", names[i]);
        snprintf(words, sizeof words, "'%s' is not of this checkpoint", names[i]);
        ck_save(path, "x", 1);
        ck_assert_damaged(7, words);
        assert_int_equal(unlink(path), 0);
    }
    ck_assert_good(7);
    assert_int_equal(mkdir("ck/step-00000007/folder", 0777), 0);
    ck_assert_damaged(7, "'folder' is not of this checkpoint");
}

static void only_a_folder_of_its_name_is_one(void **state)
{
    (void)state;
    ck_put(7);
    assert_int_equal(rename("ck/step-00000007", "aside"), 0);
    assert_int_equal(symlink("../aside", "ck/step-00000007"), 0);
    ck_assert_damaged(7, "cannot open the folder");
    assert_int_equal(unlink("ck/step-00000007"), 0);
    ck_save("ck/step-00000007", "x", 1);
    ck_assert_damaged(7, "cannot open the folder");
    assert_int_equal(unlink("ck/step-00000007"), 0);
    static const char *const names[] = {"step-7", "step-000000007", "step-+0000007",
                                        "step- 7"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "ck/%s", names[i]);
        assert_int_equal(rename("aside", path), 0);
        ck_assert_damaged(7, "the folder's name is 'step-");
        assert_int_equal(rename(path, "aside"), 0);
    }
    assert_int_equal(rename("aside", "ck/step-0000000x"), 0);
    ck_assert_damaged(0, "the folder's name is 'step-0000000x'");
}

/* --- manifests that hash to what they say --- */

/* Exchanges `from` for `to` in the manifest, and has it hash to what it says: SHA-256
 * of the text without its last member, as docs/launch-protocol.md has it. */
static void rewrite(const char *from, const char *to)
{
    char text[CK_TEXT_BYTES];
    char body[CK_TEXT_BYTES + 1024];
    char hex[OC__SHA256_HEX];
    ck_load(MANIFEST, text);
    char *own = strstr(text, ",\n  \"sha256\"");
    char *at = strstr(text, from);
    assert_true(own && at && at < own);
    *own = '\0';
    snprintf(body, sizeof body, "%.*s%s%s\n}\n", (int)(at - text), text, to,
             at + strlen(from));
    oc__sha256_hex(body, strlen(body), hex);
    body[strlen(body) - strlen("\n}\n")] = '\0';
    char all[CK_TEXT_BYTES + 2048];
    snprintf(all, sizeof all, "%s,\n  \"sha256\": \"%s\"\n}\n", body, hex);
    ck_save(MANIFEST, all, strlen(all));
}

typedef struct edit {
    const char *from, *to, *words;
} edit;

static void a_manifest_that_is_none_is_refused(void **state)
{
    (void)state;
    static const edit edits[] = {
        {"checkpoint/1", "checkpoint/2", "format is 'onchip.checkpoint/2'"},
        {"\"step\": 7", "\"step\": 7.0", "member 'step' is no whole number"},
        {"\"step\": 7", "\"step\": \"7\"", "member 'step' is no whole number"},
        {"\"step\": 7", "\"step\": -7", "step -7 is not from 0 to 99999999"},
        {"\"step\": 7", "\"step\": 100000000", "step 100000000 is not from"},
        {"\"step\": 7", "\"step\": 6", "is of step 6 ('step-00000006')"},
        {"\"step\": 7", "\"step\": 7,\n  \"step\": 7", "duplicate"},
        {"\"step\": 7", "\"step\": 7,\n  \"note\": \"\"", "unknown member 'note'"},
        {"  \"step\": 7,\n", "", "has no member 'step'"},
        {"\"state_hash\": \"0011", "\"state_hash\": \"0G11", "is no SHA-256"},
        {"\"state_hash\": \"0011", "\"state_hash\": \"001", "is no SHA-256"},
        {"99aabb", "99AABB", "is no SHA-256"},
        {"\"identity\": {", "\"identity\": [{", "not valid JSON"},
        {"\"config\": \"c0ffee\"", "\"config\": 1", "member 'config' is no text"},
        {"\"config\": \"c0ffee\"", "\"\": \"c0ffee\"", "identity '' is no plain name"},
        {"\"config\"", "\"data\"", "duplicate"},
        {"c0ffee", "c\\u0030ffee", "sha256 is '"},
        {"c0ffee", "caf\\u00e9", "identity 'config' has no plain text"},
        {"c0ffee", "", "identity 'config' has no plain text"},
        {"\"size\": 32", "\"size\": 1099511627777", "is not from 0 to 2^40"},
        {"\"size\": 32", "\"size\": 1099511627776", "not 1099511627776 as its"},
        {"\"size\": 32", "\"size\": 18446744073709551616", "too big integer"},
        {"\"size\": 32", "\"size\": -1", "is not from 0 to 2^40"},
        {"\"size\": 32", "\"size\": 32,\n      \"mode\": 1", "unknown member 'mode'"},
        {"\"size\": 32,", "", "a file has no member 'size'"},
        {"\"size\": 32", "\"size\": 31", "has 32 bytes, not 31"},
        {"state.bin", "", "'' is no plain name"},
        {"state.bin", "..", "'..' is no plain name"},
        {"state.bin", "../step-00000007/state.bin", "is no plain name"},
        {"state.bin", "/etc/passwd", "'/etc/passwd' is no plain name"},
        {"state.bin", "manifest.json", "'manifest.json' is no plain name"},
        {"state.bin", "more.bin", "file 'more.bin' is there twice"},
        {"state.bin", "other.bin", "'state.bin' is not of this checkpoint"},
        {"\"parent_sha256\": null", "\"parent_sha256\": \"\"", "is no SHA-256"},
        {"\"parent_sha256\": null", "\"parent_sha256\": 0",
         "'parent_sha256' is no text"},
        {",\n  \"parent_sha256\": null", "", "has no member 'parent_sha256'"},
    };
    char text[CK_TEXT_BYTES];
    ck_put(7);
    size_t size = ck_load(MANIFEST, text);
    rewrite("\"step\": 7", "\"step\": 7");
    ck_assert_good(7);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        rewrite(edits[i].from, edits[i].to);
        ck_assert_damaged(7, edits[i].words);
        ck_save(MANIFEST, text, size);
    }
    // Its last line names another digest.
    char *own = strstr(text, "\n  \"sha256\": \"") + strlen("\n  \"sha256\": \"");
    own[0] = own[0] == 'a' ? 'b' : 'a';
    ck_save(MANIFEST, text, size);
    ck_assert_damaged(7, "but its members have");
    static const char *const none[] = {"", "{}", "[]", "null", "\"\"", "{", "\xff"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ck_save(MANIFEST, none[i], strlen(none[i]));
        ck_assert_damaged(7, "manifest");
    }
}

/* A list of nine files, and an identity of nine pairs. */
static void a_manifest_has_limits(void **state)
{
    (void)state;
    char many[4096] = "\"files\": [";
    char pairs[1024] = "\"identity\": {";
    char digest[OC__SHA256_HEX];
    memset(digest, '0', sizeof digest - 1);
    digest[sizeof digest - 1] = '\0';
    for (int i = 0; i < 9; i++) {
        size_t used = strlen(many);
        snprintf(many + used, sizeof many - used,
                 "{\"name\": \"%c\", \"size\": 1, \"sha256\": \"%s\"},", 'a' + i,
                 digest);
        used = strlen(pairs);
        snprintf(pairs + used, sizeof pairs - used, "\"%c\": \"x\",", 'a' + i);
    }
    ck_put(7);
    char text[CK_TEXT_BYTES];
    size_t size = ck_load(MANIFEST, text);
    rewrite("\"files\": [", many);
    ck_assert_damaged(7, "there are more than 8 files");
    ck_save(MANIFEST, text, size);
    rewrite("\"identity\": {", pairs);
    ck_assert_damaged(7, "the identity has more than 8 pairs");
}

static void another_run_is_told_by_its_key(void **state)
{
    (void)state;
    const oc__checkpoint_identity other = {
        .keys = {{"config", CK_CONFIG}, {"data", "d2"}}, .count = 2};
    const oc__checkpoint_identity more = {
        .keys = {{"config", CK_CONFIG}, {"program", "p"}}, .count = 2};
    const oc__checkpoint_identity fewer = {.keys = {{"config", CK_CONFIG}}, .count = 1};
    ck_put(7);
    oc__checkpoint seen = ck_look(7, &other);
    assert_true(!seen.good && seen.other_run);
    assert_string_equal(seen.key, "data");
    assert_non_null(strstr(seen.why, "'data' is 'd1', not 'd2'"));
    seen = ck_look(7, &more);
    assert_true(!seen.good && seen.other_run);
    assert_string_equal(seen.key, "program");
    assert_non_null(strstr(seen.why, "not 'p'"));
    assert_true(ck_look(7, &fewer).good);
    assert_true(ck_look(7, NULL).good);
    // What is damaged is damaged, whose it ever was.
    ck_save(MORE, "less", 4);
    seen = ck_look(7, &other);
    assert_true(!seen.good && !seen.other_run && seen.key[0] == '\0');
}

/* A shortage says nothing about a checkpoint. */
static void want_of_descriptors_is_no_damage(void **state)
{
    (void)state;
    int held[64] = {0};
    int count = 0;
    struct rlimit limit;
    oc_error err = {0};
    oc__checkpoint_list list;
    ck_put(7);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit tight = {64, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    while (count < 64 && (held[count] = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0) {
        count++;
    }
    for (int spare = 0; spare < 4; spare++) {
        err = (oc_error){0};
        oc_status rc = oc__checkpoint_scan("ck", NULL, &list, &err);
        if (rc == OC_OK) {
            assert_true(list.count == 1 && list.items[0].good);
            oc__checkpoint_list_free(&list);
        } else {
            ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_INPUT, "Too many open files");
        }
        assert_int_equal(rc, spare < 3 ? OC_IO : OC_OK);
        close(held[--count]);
    }
    while (count > 0) {
        close(held[--count]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ck_set_up, ck_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_bit_can_be_flipped),
        TEST(no_white_space_can_be_exchanged),
        TEST(no_file_can_be_cut_or_grow),
        TEST(no_files_can_change_places),
        TEST(nothing_can_be_added),
        TEST(only_a_folder_of_its_name_is_one),
        TEST(a_manifest_that_is_none_is_refused),
        TEST(a_manifest_has_limits),
        TEST(another_run_is_told_by_its_key),
        TEST(want_of_descriptors_is_no_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
