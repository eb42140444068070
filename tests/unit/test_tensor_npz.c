/* Members of .npz archives; those that lie are made by changing bytes after APPNOTE.TXT
 * of .zip. */
#include "npy_fixture.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

/* Adds `bytes` to the archive; libzip writes what it is told. */
static void put_member(const char *path, const char *name, const void *bytes,
                       size_t size, zip_int32_t method)
{
    struct zip *archive = zip_open(path, ZIP_CREATE, NULL);
    assert_non_null(archive);
    zip_source_t *source = zip_source_buffer(archive, bytes, size, 0);
    zip_int64_t index = zip_file_add(archive, name, source, 0);
    assert_true(index >= 0);
    assert_int_equal(zip_set_file_compression(archive, (zip_uint64_t)index, method, 9),
                     0);
    assert_int_equal(zip_close(archive), 0);
}

static void members_of_archives(void **state)
{
    unsigned char bytes[4096];
    size_t size = make_npy(bytes, 1, FLOATS, true, npy_floats, sizeof npy_floats);
    static const unsigned char bf16[] = {0x80, 0x3f};
    unsigned char scalar[4096];
    size_t scalar_size =
        make_npy(scalar, 1, HEADER("'<V2'", "()"), true, bf16, sizeof bf16);
    (void)state;
    put_member("x.npz", "stored.npy", bytes, size, ZIP_CM_STORE);
    put_member("x.npz", "packed.npy", bytes, size, ZIP_CM_DEFLATE);
    put_member("x.npz", "bare", bytes, size, ZIP_CM_DEFLATE);
    put_member("x.npz", "folder/a:b.npy", bytes, size, ZIP_CM_DEFLATE);
    put_member("x.npz", "half.npy", scalar, scalar_size, ZIP_CM_DEFLATE);
    put_member("x.npz", "text.npy", "no array", 8, ZIP_CM_STORE);
    assert_reads_floats("x.npz:stored");
    assert_reads_floats("x.npz:stored.npy");
    assert_reads_floats("x.npz:packed");
    assert_reads_floats("x.npz:bare");
    assert_reads_floats("x.npz:folder/a:b");
    assert_reads("x.npz:half", OC_BF16, true, OC_BF16, 0, NULL, bf16, 2);
    assert_refused("x.npz:half", OC_F32, NPY_MANY, OC_PARSE, "<V2");
    assert_refused("x.npz:text", OC_F32, NPY_MANY, OC_PARSE, "cut short");
    assert_refused("x.npz", OC_F32, NPY_MANY, OC_NOT_FOUND,
                   "add a colon and one of stored.npy, packed.npy, bare");
    assert_refused("x.npz:", OC_F32, NPY_MANY, OC_NOT_FOUND, "add a colon and one of");
    assert_refused("x.npz:bar", OC_F32, NPY_MANY, OC_NOT_FOUND,
                   "archive, which holds stored.npy, packed.npy, bare");
    assert_refused("x.npz:packed", OC_F32, size - 1, OC_LIMIT,
                   "144 bytes when unpacked; at most 143 are read");
    put_member("strange.npz", "a\nb.npy", bytes, size, ZIP_CM_STORE);
    assert_refused("strange.npz", OC_F32, NPY_MANY, OC_NOT_FOUND, "one of a?b.npy");
    // Under another name, or other bytes under this one.
    put_file("y.npz", bytes, size);
    assert_refused("y.npz:stored", OC_F32, NPY_MANY, OC_PARSE, "is no .npz archive");
    put_file("empty.npz", "", 0);
    assert_refused("empty.npz:x", OC_F32, NPY_MANY, OC_PARSE, "is no .npz archive");
    assert_int_equal(rename("x.npz", "x.npy"), 0);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "a .zip archive");
}

/* The first place of these bytes in the file, moved by `offset`, gets `count` others.
 */
static void patch(const char *path, const char *magic, size_t offset, const void *bytes,
                  size_t count)
{
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_read(path, NPY_MANY, &data, &size, NULL), OC_OK);
    char *at = memmem(data, size, magic, strlen(magic));
    assert_non_null(at);
    memcpy(at + offset, bytes, count);
    put_file(path, data, size);
    free(data);
}

/* Offsets in a central directory entry, APPNOTE.TXT 4.3.12. */
enum { ZIP_FLAGS = 8, ZIP_METHOD = 10, ZIP_CRC = 16, ZIP_PACKED = 20, ZIP_SIZE = 24 };

static void archives_that_lie(void **state)
{
    enum { BIG = 60 << 20 };
    static const char entry[] = "PK\1\2";
    unsigned char bytes[4096];
    (void)state;
    size_t size = make_npy(bytes, 1, FLOATS, true, npy_floats, sizeof npy_floats);
    const struct {
        size_t offset;
        unsigned char bytes[4];
        oc_status status;
        size_t count;
        const char *words;
    } table[] = {
        {ZIP_CRC, {1, 2, 3, 4}, OC_PARSE, 4, "cannot unpack"},
        {ZIP_SIZE, {145, 0, 0, 0}, OC_PARSE, 4, "1 bytes follow its array"},
        {ZIP_SIZE, {143, 0, 0, 0}, OC_PARSE, 4, "15 of the 16 bytes"},
        {ZIP_SIZE, {20, 0, 0, 0}, OC_PARSE, 4, "its header alone"},
        {ZIP_SIZE, {0, 0, 0, 0x80}, OC_LIMIT, 4, "2147483648 bytes when unpacked"},
        {ZIP_SIZE, {0, 0, 0, 1}, OC_LIMIT, 4, "which cannot be"},
        {ZIP_PACKED, {0, 0, 1, 0}, OC_PARSE, 4, "NumPy does not write"},
        {ZIP_METHOD, {12, 0}, OC_PARSE, 2, "NumPy does not write"},
        {ZIP_FLAGS, {1, 0}, OC_PARSE, 2, "cannot unpack"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        unlink("x.npz");
        put_member("x.npz", "a.npy", bytes, size, ZIP_CM_DEFLATE);
        patch("x.npz", entry, table[i].offset, table[i].bytes, table[i].count);
        assert_refused("x.npz:a", OC_F32, NPY_MANY, table[i].status, table[i].words);
    }
    // Data that end early, under a directory that is whole.
    unlink("x.npz");
    put_member("x.npz", "a.npy", bytes, size, ZIP_CM_STORE);
    patch("x.npz", "\x93NUMPY", 140, "\xff", 1);
    assert_refused("x.npz:a", OC_F32, NPY_MANY, OC_PARSE, "cannot unpack");

    // Data that go on, under a directory that says only what the array needs.
    memset(bytes + size, 0, size);
    unlink("x.npz");
    put_member("x.npz", "a.npy", bytes, 2 * size, ZIP_CM_DEFLATE);
    patch("x.npz", entry, ZIP_SIZE, (const unsigned char[]){144, 0, 0, 0}, 4);
    assert_refused("x.npz:a", OC_F32, NPY_MANY, OC_PARSE, "longer than it was said");

    // A bomb: 60 MiB of zeros in 60 KiB are an array like any other below the limit,
    // and refused above it before anything is unpacked.
    unsigned char *zeros = calloc(1, BIG + 4096);
    assert_non_null(zeros);
    size = make_npy(zeros, 1, HEADER("'<f4'", "(15728640,)"), true, zeros, 0) + BIG;
    put_member("bomb.npz", "a.npy", zeros, size, ZIP_CM_DEFLATE);
    struct stat status;
    assert_int_equal(stat("bomb.npz", &status), 0);
    assert_true(status.st_size < 70000);
    assert_refused("bomb.npz:a", OC_F32, BIG, OC_LIMIT, "62914688 bytes when");
    assert_reads("bomb.npz:a", OC_F32, false, OC_F32, 1, (const int64_t[]){15728640},
                 zeros + size - BIG, BIG);
    // The same stream, said to be short: what comes out is counted.
    unsigned char short_size[4] = {144, 0, 0, 0};
    patch("bomb.npz", entry, ZIP_SIZE, short_size, 4);
    assert_refused("bomb.npz:a", OC_F32, NPY_MANY, OC_PARSE, "of its array");
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NPY_TEST(members_of_archives),
        NPY_TEST(archives_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
