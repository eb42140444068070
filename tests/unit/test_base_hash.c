/* SHA-256 by the examples of FIPS 180-4, and the memory of digests that must never give
 * an old one. */
#include "folder.h"
#include "unit.h"

#include "base/file.h"
#include "base/hash.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 600, BIG = (1 << 20) + 7, PATIENCE = 600 };

static char root[] = "/tmp/onchip-hash-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    return mkdtemp(root) && chdir(root) == 0 && setenv("XDG_CACHE_HOME", root, 1) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(root);
}

static void the_examples_of_the_standard(void **state)
{
    static const struct {
        const char *message, *digest;
    } vectors[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    (void)state;
    char hex[OC__SHA256_HEX];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        oc__sha256_hex(vectors[i].message, strlen(vectors[i].message), hex);
        assert_string_equal(hex, vectors[i].digest);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    oc__sha256_hex(million, 1000000, hex);
    assert_string_equal(
        hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    // A file in one piece and in several has the digest of its bytes.
    assert_int_equal(oc__file_write_new("million", million, 1000000, NULL), OC_OK);
    assert_int_equal(oc__sha256_file("million", hex, NULL), OC_OK);
    assert_string_equal(
        hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void hexadecimal_is_strict(void **state)
{
    static const char *const wrong[] = {"a",    "0",      "0g",   " 00",        "00 ",
                                        "0 0",  "00  ",   "0 0 ", " 0 0",       "0x00",
                                        "00\n", "00\t\n", "+000", "00000000000"};
    (void)state;
    unsigned char bytes[4] = {0};
    assert_int_equal(oc__hex_decode("", bytes, sizeof bytes), 0);
    assert_int_equal(oc__hex_decode("00fF7a", bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "\x00\xff\x7a", 3);
    assert_int_equal(oc__hex_decode("01020304", bytes, sizeof bytes), 4);
    assert_int_equal(oc__hex_decode("0102030405", bytes, sizeof bytes), -1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(oc__hex_decode(wrong[i], bytes, sizeof bytes), -1);
    }
    char hex[7];
    oc__hex_encode("\x00\xff\x7a", 3, hex);
    assert_string_equal(hex, "00ff7a");
}

static void write_big(const char *path, char fill)
{
    char *content = malloc(BIG);
    memset(content, fill, BIG);
    assert_int_equal(oc__file_replace(path, content, BIG, NULL), OC_OK);
    free(content);
}

/* The digest of BIG times `fill`, from memory. */
static void digest_of(char fill, char out_hex[OC__SHA256_HEX])
{
    char *content = malloc(BIG);
    memset(content, fill, BIG);
    oc__sha256_hex(content, BIG, out_hex);
    free(content);
}

static bool find_entry(char *out_path)
{
    bool found = false;
    DIR *listing = opendir("onchip/sha256");
    for (struct dirent *e = listing ? readdir(listing) : NULL; e;
         e = readdir(listing)) {
        if (e->d_name[0] != '.') {
            snprintf(out_path, PATH_BYTES, "onchip/sha256/%s", e->d_name);
            found = true;
        }
    }
    if (listing) {
        closedir(listing);
    }
    return found;
}

/* Hashes until the digest is remembered, which a file that was just written is not;
 * yields the entry's path. */
static void hash_until_remembered(const char *path, char *out_entry)
{
    char hex[OC__SHA256_HEX];
    for (int i = 0; i < PATIENCE; i++) {
        assert_int_equal(oc__sha256_file(path, hex, NULL), OC_OK);
        if (find_entry(out_entry)) {
            return;
        }
        usleep(50000);
    }
    fail_msg("the digest was never remembered");
}

static void change_in_place(const char *path, char byte)
{
    struct stat before;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &before) == 0);
    assert_int_equal(pwrite(fd, &byte, 1, BIG / 2), 1);
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static void a_remembered_digest_is_of_this_very_file(void **state)
{
    (void)state;
    char entry[PATH_BYTES];
    char hex[OC__SHA256_HEX];
    char want[OC__SHA256_HEX];
    write_big("big", 'a');
    digest_of('a', want);
    assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
    assert_string_equal(hex, want);
    assert_false(find_entry(entry)); // it was changed a moment ago
    hash_until_remembered("big", entry);

    // The memory is really used: a false one is believed, since it is the user's own.
    char planted[OC__SHA256_HEX];
    memset(planted, '5', sizeof planted);
    planted[OC__SHA256_HEX - 1] = '\0';
    assert_int_equal(oc__file_replace(entry, planted, strlen(planted), NULL), OC_OK);
    assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
    assert_string_equal(hex, planted);

    // What is no digest is not believed.
    static const char *const corrupt[] = {
        "", "ca978112",
        "zz978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bbb"};
    for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
        assert_int_equal(oc__file_replace(entry, corrupt[i], strlen(corrupt[i]), NULL),
                         OC_OK);
        assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
        assert_string_equal(hex, want);
    }

    // Same size, same modification time, another content.
    assert_int_equal(oc__file_replace(entry, planted, strlen(planted), NULL), OC_OK);
    change_in_place("big", 'b');
    assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
    assert_string_not_equal(hex, planted);
    assert_string_not_equal(hex, want);
    change_in_place("big", 'a');
    assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
    assert_string_equal(hex, want);
}

static void an_unusable_cache_only_costs_time(void **state)
{
    static const char *const caches[] = {"/dev/null", "/proc/nowhere", "relative", ""};
    (void)state;
    char hex[OC__SHA256_HEX];
    char want[OC__SHA256_HEX];
    // An old file of more than a mebibyte, whose digest would be remembered: libc.
    char *content = NULL;
    size_t size = 0;
    char want_old[OC__SHA256_HEX];
    Dl_info libc;
    assert_int_not_equal(dladdr((const void *)(size_t)&fopen, &libc), 0);
    assert_int_equal(oc__file_read(libc.dli_fname, SIZE_MAX / 2, &content, &size, NULL),
                     OC_OK);
    oc__sha256_hex(content, size, want_old);
    free(content);
    write_big("big", 'c');
    digest_of('c', want);
    unsetenv("HOME");
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        setenv("XDG_CACHE_HOME", caches[i], 1);
        assert_int_equal(oc__sha256_file("big", hex, NULL), OC_OK);
        assert_string_equal(hex, want);
        assert_int_equal(oc__sha256_file(libc.dli_fname, hex, NULL), OC_OK);
        assert_string_equal(hex, want_old);
    }
    assert_int_equal(access("relative", F_OK), -1);
}

static void what_cannot_be_read_has_no_digest(void **state)
{
    (void)state;
    oc_error err = {0};
    char hex[OC__SHA256_HEX] = "x";
    assert_int_equal(oc__sha256_file("gone", hex, &err), OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "cannot open 'gone'");
    assert_string_equal(hex, "");
    err = (oc_error){0};
    assert_int_equal(oc__sha256_file(".", hex, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_INPUT, "Is a directory");
    assert_string_equal(hex, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_examples_of_the_standard),
        TEST(hexadecimal_is_strict),
        TEST(a_remembered_digest_is_of_this_very_file),
        TEST(an_unusable_cache_only_costs_time),
        TEST(what_cannot_be_read_has_no_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
