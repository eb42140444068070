#include "npy_fixture.h"

#include "folder.h"

#include "tensor/npy.h"

#include <stdio.h>
#include <unistd.h>

static char root[] = "/tmp/onchip-npy-XXXXXX";

int npy_set_up(void **state)
{
    (void)state;
    memcpy(strrchr(root, '-'), "-XXXXXX", 8);
    return mkdtemp(root) && chdir(root) == 0 ? 0 : -1;
}

int npy_tear_down(void **state)
{
    (void)state;
    return folder_remove(root);
}

const unsigned char npy_floats[16] = {0, 0, 0x80, 0x3f, 0, 0, 0,    0x40,
                                      0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40};

size_t make_npy(unsigned char *out, int version, const char *dictionary, bool padded,
                const void *data, size_t size)
{
    size_t prefix = version == 1 ? 10 : 12;
    size_t length = strlen(dictionary) + 1;
    if (padded) {
        length = (prefix + length + 63) / 64 * 64 - prefix;
    }
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    for (size_t i = 8; i < prefix; i++) {
        out[i] = (unsigned char)(length >> 8 * (i - 8));
    }
    memset(out + prefix, ' ', length);
    memcpy(out + prefix, dictionary, strlen(dictionary));
    out[prefix + length - 1] = '\n';
    if (size > 0) {
        memcpy(out + prefix + length, data, size);
    }
    return prefix + length + size;
}

void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void put_npy(const char *path, const char *dictionary, const void *data, size_t size)
{
    unsigned char bytes[4096];
    put_file(path, bytes, make_npy(bytes, 1, dictionary, true, data, size));
}

void assert_reads(const char *path, oc_dtype wanted, bool want_assumed, oc_dtype dtype,
                  size_t rank, const int64_t *dims, const void *data, size_t size)
{
    oc_tensor tensor;
    oc_error err = {0};
    bool assumed = !want_assumed;
    oc_status rc = oc__npy_read(path, wanted, NPY_MANY, &tensor, &assumed, &err);
    if (rc != OC_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(tensor.dtype, dtype);
    assert_int_equal(tensor.rank, rank);
    assert_memory_equal(tensor.dims, dims, rank * sizeof *dims);
    assert_int_equal(tensor.size_bytes, size);
    assert_memory_equal(tensor.data, data, size);
    assert_int_equal(assumed, want_assumed);
    oc_tensor_free(&tensor);
}

void assert_reads_floats(const char *path)
{
    assert_reads(path, OC_DTYPE_INVALID, false, OC_F32, 1, (const int64_t[]){4},
                 npy_floats, sizeof npy_floats);
}

void assert_refused(const char *path, oc_dtype wanted, size_t max_bytes,
                    oc_status status, const char *words)
{
    oc_tensor tensor = {.data = root, .size_bytes = 9};
    oc_error err = {0};
    bool assumed = true;
    assert_int_equal(oc__npy_read(path, wanted, max_bytes, &tensor, &assumed, &err),
                     status);
    ASSERT_ERROR(&err, status, OC_BOUNDARY_INPUT, words);
    char *file = strdup(path);
    assert_non_null(file);
    char *archive = strstr(file, ".npz:");
    if (archive) {
        archive[4] = '\0'; // the member may be named or not
    }
    ASSERT_ERROR(&err, status, OC_BOUNDARY_INPUT, file);
    free(file);
    assert_null(tensor.data);
    assert_int_equal(tensor.size_bytes, 0);
    assert_false(assumed);
}
