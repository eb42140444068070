/* .npy files whose bytes are made here after numpy.lib.format, and what a test expects
 * of reading them. */
#ifndef ONCHIP_TESTS_NPY_FIXTURE_H
#define ONCHIP_TESTS_NPY_FIXTURE_H

#include "unit.h"

#include "onchip/tensor.h"

#include <stdbool.h>

/* `max_bytes` of tests that are about something else. */
enum { NPY_MANY = 1 << 26 };

/* Each test runs in a folder of its own. */
int npy_set_up(void **state);
int npy_tear_down(void **state);
#define NPY_TEST(name) cmocka_unit_test_setup_teardown(name, npy_set_up, npy_tear_down)

#define HEADER(descr, shape)                                                           \
    "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"

/* 1, 2, 3, 4 in float32, and their dictionary. */
#define FLOATS HEADER("'<f4'", "(4,)")
extern const unsigned char npy_floats[16];

/* A .npy of this version, dictionary and data; `padded`: to a multiple of 64, as NumPy
 * does. Yields the size. */
size_t make_npy(unsigned char *out, int version, const char *dictionary, bool padded,
                const void *data, size_t size);
void put_file(const char *path, const void *bytes, size_t size);
/* Version 1.0, padded; of less than 4 KiB. */
void put_npy(const char *path, const char *dictionary, const void *data, size_t size);

void assert_reads(const char *path, oc_dtype wanted, bool want_assumed, oc_dtype dtype,
                  size_t rank, const int64_t *dims, const void *data, size_t size);
void assert_reads_floats(const char *path);

/* Nothing is given out with an error, and the error names the file. */
void assert_refused(const char *path, oc_dtype wanted, size_t max_bytes,
                    oc_status status, const char *words);

#endif
