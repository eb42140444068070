/* .npy files: what is read from them, and what is written. */
#include "folder.h"
#include "npy_fixture.h"

#include "base/file.h"
#include "tensor/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void every_version_with_and_without_padding(void **state)
{
    unsigned char bytes[4096];
    (void)state;
    for (int version = 1; version <= 3; version++) {
        for (int padded = 0; padded <= 1; padded++) {
            put_file("x.npy", bytes,
                     make_npy(bytes, version, FLOATS, padded, npy_floats,
                              sizeof npy_floats));
            assert_reads_floats("x.npy");
        }
    }
    static const char *const same[] = {
        "{\"shape\":(4L,),'fortran_order':False,\"descr\":'<f4'}",
        " { 'fortran_order' : False ,\n'shape':\t( 4 , ) , 'descr' : \"<f4\" } \r\n",
        "{'descr': '=f4', 'fortran_order': True, 'shape': (4,), }",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (4,)}",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        put_npy("x.npy", same[i], npy_floats, sizeof npy_floats);
        assert_reads_floats("x.npy");
    }
}

static void shapes(void **state)
{
    (void)state;
    put_npy("x.npy", HEADER("'<f4'", "()"), npy_floats, 4);
    assert_reads("x.npy", OC_F32, false, OC_F32, 0, NULL, npy_floats, 4);
    put_npy("x.npy", HEADER("'<f4'", "(0,)"), npy_floats, 0);
    assert_reads("x.npy", OC_F32, false, OC_F32, 1, (const int64_t[]){0}, "", 0);
    put_npy("x.npy", HEADER("'<f4'", "(3, 0, 4000000000)"), npy_floats, 0);
    assert_reads("x.npy", OC_F32, false, OC_F32, 3, (const int64_t[]){3, 0, 4000000000},
                 "", 0);
    put_npy("x.npy", HEADER("'<f4'", "(2, 2)"), npy_floats, 16);
    assert_reads("x.npy", OC_F32, false, OC_F32, 2, (const int64_t[]){2, 2}, npy_floats,
                 16);
    const int64_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    put_npy("x.npy", HEADER("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), npy_floats,
            4);
    assert_reads("x.npy", OC_F32, false, OC_F32, 16, ones, npy_floats, 4);
}

/* The first index runs fastest in the file: element (i, j, k) of 2 x 3 x 4 is at i + 2
 * j + 6 k there and at 12 i + 4 j + k here. */
static void fortran_order(void **state)
{
    uint16_t given[24], wanted[24];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++) {
            for (size_t k = 0; k < 4; k++) {
                uint16_t number = (uint16_t)(1000 + 100 * i + 10 * j + k);
                given[i + 2 * j + 6 * k] = number;
                wanted[12 * i + 4 * j + k] = number;
            }
        }
    }
    put_npy("x.npy", "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3, 4)}",
            given, sizeof given);
    assert_reads("x.npy", OC_U16, false, OC_U16, 3, (const int64_t[]){2, 3, 4}, wanted,
                 sizeof wanted);
    for (size_t i = 0; i < 24; i++) {
        given[i] = (uint16_t)(given[i] << 8 | given[i] >> 8);
    }
    put_npy("x.npy", "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3, 4)}",
            given, sizeof given);
    assert_reads("x.npy", OC_U16, false, OC_U16, 3, (const int64_t[]){2, 3, 4}, wanted,
                 sizeof wanted);
}

/* More than one piece: many runs of the first index in each, and a part of one. */
static void fortran_order_of_large_arrays(void **state)
{
    enum { PREFIX = 128, MOST = 150001 * 2 };
    static const int64_t shapes[][2] = {{1031, 257}, {150001, 2}, {2, 150001}};
    static double wanted[MOST];
    static unsigned char bytes[PREFIX + sizeof wanted];
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t rows = (size_t)shapes[s][0];
        size_t columns = (size_t)shapes[s][1];
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': True, 'shape': (%zu, %zu)}", rows,
                 columns);
        size_t begin = make_npy(bytes, 1, dictionary, true, "", 0);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < columns; j++) {
                double number = (double)(i * 1000000 + j);
                wanted[i * columns + j] = number;
                memcpy(bytes + begin + (j * rows + i) * sizeof number, &number,
                       sizeof number);
            }
        }
        size_t size = rows * columns * sizeof *wanted;
        put_file("x.npy", bytes, begin + size);
        assert_reads("x.npy", OC_F64, false, OC_F64, 2, shapes[s], wanted, size);
    }
}

static void element_types(void **state)
{
    static const struct {
        const char *descr;
        oc_dtype dtype;
        size_t size, swapped; /* bytes that a big-endian file has in reverse */
    } table[] = {
        {"|b1", OC_PRED, 1, 1}, {"|i1", OC_S8, 1, 1},     {"|u1", OC_U8, 1, 1},
        {"<i2", OC_S16, 2, 2},  {"<u2", OC_U16, 2, 2},    {"<f2", OC_F16, 2, 2},
        {"<i4", OC_S32, 4, 4},  {"<u4", OC_U32, 4, 4},    {"<f4", OC_F32, 4, 4},
        {"<i8", OC_S64, 8, 8},  {"<u8", OC_U64, 8, 8},    {"<f8", OC_F64, 8, 8},
        {"<c8", OC_C64, 8, 4},  {"<c16", OC_C128, 16, 8},
    };
    static const unsigned char data[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                           9, 10, 11, 12, 13, 14, 15, 16};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char dictionary[256];
        unsigned char reversed[16];
        snprintf(dictionary, sizeof dictionary, HEADER("'%s'", "()"), table[i].descr);
        put_npy("x.npy", dictionary, data, table[i].size);
        assert_reads("x.npy", OC_DTYPE_INVALID, false, table[i].dtype, 0, NULL, data,
                     table[i].size);
        // Its own type stands, whatever is wanted: the caller compares.
        assert_reads("x.npy", OC_F64, false, table[i].dtype, 0, NULL, data,
                     table[i].size);
        for (size_t k = 0; k < table[i].size; k++) {
            size_t part = k / table[i].swapped * table[i].swapped;
            reversed[k] = data[part + table[i].swapped - 1 - k % table[i].swapped];
        }
        *strpbrk(dictionary, "<|") = '>';
        put_npy("x.npy", dictionary, reversed, table[i].size);
        assert_reads("x.npy", OC_DTYPE_INVALID, false, table[i].dtype, 0, NULL, data,
                     table[i].size);
    }
}

/* 1, 2, 3, 4 as bfloat16 and float8_e5m2, as ml_dtypes saves them. */
static void types_that_numpy_lacks_are_taken_only_as_wanted(void **state)
{
    static const unsigned char bf16[] = {0x80, 0x3f, 0, 0x40, 0x40, 0x40, 0x80, 0x40};
    static const unsigned char f8[] = {0x3c, 0x40, 0x42, 0x44};
    static const int64_t four[] = {4};
    static const char *const refusal = "does not name its element type";
    (void)state;
    static const char *const voids[] = {HEADER("'|V2'", "(4,)"),
                                        HEADER("'<V2'", "(4,)")};
    for (size_t i = 0; i < 2; i++) {
        put_npy("x.npy", voids[i], bf16, sizeof bf16);
        assert_reads("x.npy", OC_BF16, true, OC_BF16, 1, four, bf16, sizeof bf16);
        assert_refused("x.npy", OC_F16, NPY_MANY, OC_PARSE, refusal);
        assert_refused("x.npy", OC_F16, NPY_MANY, OC_PARSE, "wanted here, f16");
        assert_refused("x.npy", OC_U16, NPY_MANY, OC_PARSE, refusal);
        assert_refused("x.npy", OC_F8E5M2, NPY_MANY, OC_PARSE, refusal);
        assert_refused("x.npy", OC_DTYPE_INVALID, NPY_MANY, OC_PARSE,
                       "nothing else says it");
        assert_refused("x.npy", OC_TOKEN, NPY_MANY, OC_PARSE, "V2");
    }
    put_npy("x.npy", HEADER("'>V2'", "(4,)"), bf16, sizeof bf16);
    assert_refused("x.npy", OC_BF16, NPY_MANY, OC_PARSE, refusal);

    put_npy("x.npy", HEADER("'<f1'", "(4,)"), f8, sizeof f8);
    assert_reads("x.npy", OC_F8E5M2, true, OC_F8E5M2, 1, four, f8, sizeof f8);
    assert_refused("x.npy", OC_F8E4M3FN, NPY_MANY, OC_PARSE, "<f1");
    assert_refused("x.npy", OC_F32, NPY_MANY, OC_PARSE, "<f1");
    assert_refused("x.npy", OC_DTYPE_INVALID, NPY_MANY, OC_PARSE, "<f1");

    put_npy("x.npy", HEADER("'<V1'", "(4,)"), f8, sizeof f8);
    static const oc_dtype f8_types[] = {OC_F8E5M2,     OC_F8E4M3FN,   OC_F8E4M3B11FNUZ,
                                        OC_F8E5M2FNUZ, OC_F8E4M3FNUZ, OC_F8E4M3,
                                        OC_F8E3M4,     OC_F8E8M0FNU};
    for (size_t i = 0; i < sizeof f8_types / sizeof *f8_types; i++) {
        assert_reads("x.npy", f8_types[i], true, f8_types[i], 1, four, f8, sizeof f8);
    }
    assert_refused("x.npy", OC_S8, NPY_MANY, OC_PARSE, refusal);
    assert_refused("x.npy", OC_PRED, NPY_MANY, OC_PARSE, refusal);
    assert_refused("x.npy", OC_BF16, NPY_MANY, OC_PARSE, refusal);

    // Plain bytes are numbers: never an f8.
    put_npy("x.npy", HEADER("'|u1'", "(4,)"), f8, sizeof f8);
    assert_reads("x.npy", OC_F8E5M2, false, OC_U8, 1, four, f8, sizeof f8);
}

static void small_types(void **state)
{
    static const struct {
        oc_dtype dtype;
        const char *descr;
        signed char good[4], bad;
    } table[] = {
        {OC_S4, "|i1", {-8, -1, 0, 7}, 8},
        {OC_S4, "|i1", {-8, -1, 0, 7}, -9},
        {OC_S4, "|u1", {0, 1, 6, 7}, 8},
        {OC_U4, "|u1", {0, 1, 14, 15}, 16},
        {OC_U4, "|i1", {0, 1, 14, 15}, -1},
        {OC_S2, "|i1", {-2, -1, 0, 1}, 2},
        {OC_S2, "|i1", {-2, -1, 0, 1}, -3},
        {OC_U2, "|u1", {0, 1, 2, 3}, 4},
        {OC_F4E2M1FN, "|u1", {0, 1, 8, 15}, 16},
        {OC_F6E2M3FN, "|u1", {0, 1, 32, 63}, 64},
        {OC_F6E3M2FN, "|i1", {0, 1, 32, 63}, -1},
        {OC_PRED, "|b1", {0, 1, 1, 0}, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char dictionary[256];
        char words[64];
        signed char data[4];
        snprintf(dictionary, sizeof dictionary, HEADER("'%s'", "(4,)"), table[i].descr);
        put_npy("x.npy", dictionary, table[i].good, 4);
        assert_reads("x.npy", table[i].dtype, table[i].dtype != OC_PRED, table[i].dtype,
                     1, (const int64_t[]){4}, table[i].good, 4);
        memcpy(data, table[i].good, sizeof data);
        data[2] = table[i].bad;
        put_npy("x.npy", dictionary, data, 4);
        snprintf(words, sizeof words, "element 2 is %d; %s", table[i].bad,
                 oc_dtype_hlo_name(table[i].dtype));
        assert_refused("x.npy", table[i].dtype, NPY_MANY, OC_PARSE, words);
    }
    // ml_dtypes' own int4 has -1 as 0x0f or 0xff, its uint4 and f4 may have bits above.
    static const unsigned char loose[4] = {0x0f, 0xff, 0x17, 0x08};
    put_npy("x.npy", HEADER("'<V1'", "(4,)"), loose, 4);
    assert_reads("x.npy", OC_S4, true, OC_S4, 1, (const int64_t[]){4},
                 (const signed char[]){-1, -1, 7, -8}, 4);
    assert_reads("x.npy", OC_U4, true, OC_U4, 1, (const int64_t[]){4},
                 (const unsigned char[]){15, 15, 7, 8}, 4);
    assert_reads("x.npy", OC_F4E2M1FN, true, OC_F4E2M1FN, 1, (const int64_t[]){4},
                 (const unsigned char[]){15, 15, 7, 8}, 4);
    assert_reads("x.npy", OC_S2, true, OC_S2, 1, (const int64_t[]){4},
                 (const signed char[]){-1, -1, -1, 0}, 4);
}

static void assert_writes(oc_dtype dtype, const int64_t *dims, size_t rank,
                          const void *data, size_t size, const char *dictionary)
{
    unsigned char wanted[4096];
    char *seen = NULL;
    size_t seen_size = 0;
    oc_tensor tensor;
    unlink("out.npy");
    assert_int_equal(oc_tensor_make(dtype, dims, rank, &tensor, NULL), OC_OK);
    assert_int_equal(tensor.size_bytes, size);
    memcpy(tensor.data, data, size);
    assert_int_equal(oc__npy_write("out.npy", &tensor, NULL), OC_OK);
    oc_tensor_free(&tensor);
    size_t wanted_size = make_npy(wanted, 1, dictionary, true, data, size);
    assert_int_equal(oc__file_read("out.npy", NPY_MANY, &seen, &seen_size, NULL),
                     OC_OK);
    assert_int_equal(seen_size, wanted_size);
    assert_memory_equal(seen, wanted, wanted_size);
    free(seen);
}

static void written_files_are_numpy_s(void **state)
{
    static const unsigned char data[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                           9, 10, 11, 12, 13, 14, 15, 16};
    static const struct {
        oc_dtype dtype;
        const char *descr;
        size_t size;
    } table[] = {
        {OC_PRED, "|b1", 1},   {OC_S8, "|i1", 1},       {OC_U8, "|u1", 1},
        {OC_S16, "<i2", 2},    {OC_U16, "<u2", 2},      {OC_F16, "<f2", 2},
        {OC_S32, "<i4", 4},    {OC_U32, "<u4", 4},      {OC_F32, "<f4", 4},
        {OC_S64, "<i8", 8},    {OC_U64, "<u8", 8},      {OC_F64, "<f8", 8},
        {OC_C64, "<c8", 8},    {OC_C128, "<c16", 16},   {OC_BF16, "<V2", 2},
        {OC_F8E5M2, "|V1", 1}, {OC_F8E4M3FN, "|V1", 1}, {OC_F8E8M0FNU, "|V1", 1},
        {OC_S4, "|i1", 1},     {OC_U4, "|u1", 1},       {OC_S2, "|i1", 1},
        {OC_U2, "|u1", 1},     {OC_F4E2M1FN, "|V1", 1}, {OC_F6E2M3FN, "|V1", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char dictionary[256];
        snprintf(dictionary, sizeof dictionary, HEADER("'%s'", "()"), table[i].descr);
        assert_writes(table[i].dtype, NULL, 0, data, table[i].size, dictionary);
    }
    assert_writes(OC_F32, (const int64_t[]){4}, 1, npy_floats, sizeof npy_floats,
                  FLOATS);
    assert_writes(OC_F32, (const int64_t[]){2, 2}, 2, npy_floats, sizeof npy_floats,
                  HEADER("'<f4'", "(2, 2)"));
    assert_writes(OC_F32, (const int64_t[]){3, 0, 4000000000}, 3, npy_floats, 0,
                  HEADER("'<f4'", "(3, 0, 4000000000)"));
    const int64_t long_dims[16] = {0, INT64_MAX, 1, 1, 1, 1, 1, 1,
                                   1, 1,         1, 1, 1, 1, 1, 1};
    assert_writes(OC_F32, long_dims, 16, npy_floats, 0,
                  HEADER("'<f4'", "(0, 9223372036854775807, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                                  "1, 1, 1, 1, 1)"));
}

static void nothing_is_overwritten_nor_left_in_part(void **state)
{
    oc_error err = {0};
    oc_tensor tensor;
    (void)state;
    assert_int_equal(oc_tensor_make(OC_F32, (const int64_t[]){4}, 1, &tensor, NULL),
                     OC_OK);
    put_file("out.npy", "evidence", 8);
    assert_int_equal(oc__npy_write("out.npy", &tensor, &err), OC_EXISTS);
    ASSERT_ERROR(&err, OC_EXISTS, OC_BOUNDARY_EVIDENCE, "out.npy");
    err = (oc_error){0};
    assert_int_equal(oc__npy_write("gone/out.npy", &tensor, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_EVIDENCE, "gone/out.npy");
    assert_int_equal(folder_count("."), 1);
    oc_tensor_free(&tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NPY_TEST(every_version_with_and_without_padding),
        NPY_TEST(shapes),
        NPY_TEST(fortran_order),
        NPY_TEST(fortran_order_of_large_arrays),
        NPY_TEST(element_types),
        NPY_TEST(types_that_numpy_lacks_are_taken_only_as_wanted),
        NPY_TEST(small_types),
        NPY_TEST(written_files_are_numpy_s),
        NPY_TEST(nothing_is_overwritten_nor_left_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
