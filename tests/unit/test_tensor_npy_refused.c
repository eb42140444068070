/* .npy files that are refused, and with which words. */
#include "npy_fixture.h"

#include "tensor/npy.h"

#include <stdio.h>
#include <sys/stat.h>

static void dictionaries_that_are_refused(void **state)
{
    static const struct {
        const char *dictionary;
        oc_status status;
        const char *words;
    } table[] = {
        {HEADER("'|O'", "(4,)"), OC_PARSE, "unpickled"},
        {HEADER("'O'", "(4,)"), OC_PARSE, "unpickled"},
        {HEADER("[('x', '<f4')]", "(4,)"), OC_PARSE, "structured"},
        {HEADER("('<f4', (2,))", "(4,)"), OC_PARSE, "structured"},
        {HEADER("'<U4'", "(1,)"), OC_PARSE, "'<U4' is no element type"},
        {HEADER("'|S16'", "(1,)"), OC_PARSE, "'|S16' is no element type"},
        {HEADER("'<M8[ns]'", "(2,)"), OC_PARSE, "'<M8[ns]' is no element type"},
        {HEADER("'<f16'", "(1,)"), OC_PARSE, "<f16"},
        {HEADER("'<f3'", "(4,)"), OC_PARSE, "<f3"},
        {HEADER("'<f'", "(4,)"), OC_PARSE, "<f"},
        {HEADER("''", "(4,)"), OC_PARSE, "''"},
        {HEADER("'<<f4'", "(4,)"), OC_PARSE, "<<f4"},
        {HEADER("'<f4,<f4'", "(4,)"), OC_PARSE, "<f4,<f4"},
        {HEADER("'<f44444444444444444444444444444444444444444444'", "(4,)"), OC_PARSE,
         "no element type"},
        {HEADER("'<f\\x34'", "(4,)"), OC_PARSE, "plain text was expected"},
        {HEADER("'<f\x1b[2J'", "(4,)"), OC_PARSE, "plain text was expected"},
        {HEADER("4", "(4,)"), OC_PARSE, "a string was expected"},
        {HEADER("'<f4'", "(4)"), OC_PARSE, "a tuple, (n,) of one dimension,"},
        {HEADER("'<f4'", "4"), OC_PARSE, "a tuple of dimensions was expected"},
        {HEADER("'<f4'", "[4]"), OC_PARSE, "a tuple of dimensions was expected"},
        {HEADER("'<f4'", "(-4,)"), OC_PARSE, "a dimension was expected"},
        {HEADER("'<f4'", "(04,)"), OC_PARSE, "a dimension was expected"},
        {HEADER("'<f4'", "(,)"), OC_PARSE, "a dimension was expected"},
        {HEADER("'<f4'", "(2,,2)"), OC_PARSE, "a dimension was expected"},
        {HEADER("'<f4'", "(2 2)"), OC_PARSE, "',' or ')' was expected"},
        {HEADER("'<f4'", "(4.0,)"), OC_PARSE, "',' or ')' was expected"},
        {HEADER("'<f4'", "(4LL,)"), OC_PARSE, "',' or ')' was expected"},
        {HEADER("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,4)"), OC_LIMIT,
         "more than 16 dimensions"},
        {HEADER("'<f4'", "(99999999999999999999,)"), OC_LIMIT, "dimension too large"},
        {HEADER("'<f4'", "(9223372036854775807,)"), OC_LIMIT, "too large"},
        {HEADER("'<f4'", "(4294967296, 4294967296, 4)"), OC_LIMIT, "too large"},
        {"{'descr': '<f4', 'fortran_order': false, 'shape': (4,)}", OC_PARSE,
         "True or False was expected"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}", OC_PARSE,
         "True or False was expected"},
        {"{'descr': '<f4', 'shape': (4,)}", OC_PARSE, "lacks one of"},
        {"{}", OC_PARSE, "too short"},
        {"{            }", OC_PARSE, "lacks one of"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
         OC_PARSE, "key 'descr'"},
        {"{'more': 1, 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", OC_PARSE,
         "key 'more'"},
        {"{'descr' '<f4', 'fortran_order': False, 'shape': (4,)}", OC_PARSE,
         "':' was expected"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (4,)}", OC_PARSE,
         "',' or '}' was expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)", OC_PARSE,
         "',' or '}' was expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,", OC_PARSE,
         "a dimension was expected"},
        {"{'descr': '<f4", OC_PARSE, "plain text was expected"},
        {"{,            }", OC_PARSE, "a string was expected"},
        {FLOATS " + __import__('os')", OC_PARSE, "nothing more was expected"},
        {"__import__('os')", OC_PARSE, "'{' was expected"},
        {"                ", OC_PARSE, "'{' was expected"},
    };
    unsigned char bytes[4096];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        put_file("x.npy", bytes,
                 make_npy(bytes, 1, table[i].dictionary, false, npy_floats,
                          sizeof npy_floats));
        assert_refused("x.npy", OC_F32, NPY_MANY, table[i].status, table[i].words);
    }
    // A NUL ends nothing.
    size_t size = make_npy(bytes, 1, FLOATS, true, npy_floats, sizeof npy_floats);
    bytes[size - sizeof npy_floats - 3] = '\0';
    put_file("x.npy", bytes, size);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "nothing more was expected");
}

static void prefixes_that_are_refused(void **state)
{
    unsigned char bytes[4096];
    (void)state;
    put_file("x.npy", "", 0);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "cut short");
    put_file("x.npy", "1.0 2.0 3.0 4.0\n", 16);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE,
                   "does not begin with \\x93NUMPY");
    put_file("x.npy", "PK\3\4 and so on, and on", 22);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "a .zip archive");
    static const unsigned char versions[][2] = {{0, 1}, {1, 1}, {4, 0}, {255, 0}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char words[64];
        size_t size = make_npy(bytes, 1, FLOATS, true, npy_floats, sizeof npy_floats);
        memcpy(bytes + 6, versions[i], 2);
        put_file("x.npy", bytes, size);
        snprintf(words, sizeof words, ".npy version %d.%d;", versions[i][0],
                 versions[i][1]);
        assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, words);
    }
    size_t size = make_npy(bytes, 2, FLOATS, true, npy_floats, sizeof npy_floats);
    memset(bytes + 8, 0xff, 4);
    put_file("x.npy", bytes, size);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_LIMIT, "4294967295 bytes long");
    size = make_npy(bytes, 2, FLOATS, true, npy_floats, sizeof npy_floats);
    bytes[9] = 0xff;
    put_file("x.npy", bytes, size);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "cut short: its header alone");
}

static void sizes_that_are_refused(void **state)
{
    unsigned char bytes[4096];
    (void)state;
    size_t size = make_npy(bytes, 1, FLOATS, true, npy_floats, sizeof npy_floats);
    for (size_t left = 0; left < size; left++) {
        put_file("x.npy", bytes, left);
        assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "cut short");
    }
    put_file("x.npy", bytes, size - 1);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE,
                   "15 of the 16 bytes of its array");
    // A second array behind the first.
    memcpy(bytes + size, bytes, size);
    put_file("x.npy", bytes, 2 * size);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE,
                   "144 bytes follow its array of 16");
    put_file("x.npy", bytes, size + 1);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "1 bytes follow");
    // A shape that claims what is not there takes no memory first.
    put_npy("x.npy", HEADER("'<f4'", "(4000000000000,)"), npy_floats,
            sizeof npy_floats);
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE,
                   "16 of the 16000000000000 bytes");
    put_file("x.npy", bytes, size);
    assert_refused("x.npy", OC_F32, size - 1, OC_LIMIT, "at most 143 are read");
    oc_tensor tensor;
    bool assumed;
    assert_int_equal(oc__npy_read("x.npy", OC_F32, size, &tensor, &assumed, NULL),
                     OC_OK);
    oc_tensor_free(&tensor);
}

static void what_is_no_file(void **state)
{
    (void)state;
    assert_refused("gone.npy", OC_F32, NPY_MANY, OC_NOT_FOUND, "cannot open");
    assert_refused("gone.npz:x", OC_F32, NPY_MANY, OC_NOT_FOUND, "cannot open");
    assert_int_equal(mkdir("folder.npy", 0700), 0);
    assert_refused("folder.npy", OC_F32, NPY_MANY, OC_IO, "is not a file");
    assert_int_equal(mkfifo("pipe.npy", 0600), 0);
    assert_refused("pipe.npy", OC_F32, NPY_MANY, OC_IO, "is not a file");
    assert_refused("/dev/zero", OC_F32, NPY_MANY, OC_IO, "is not a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NPY_TEST(dictionaries_that_are_refused),
        NPY_TEST(prefixes_that_are_refused),
        NPY_TEST(sizes_that_are_refused),
        NPY_TEST(what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
