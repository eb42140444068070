/* The reader of .npy files and .npz archives. The first byte chooses the type that is
 * wanted, and with its highest bit an archive whose member `a` is read; the rest is the
 * file. What is read keeps the promises of tensor/npy.h. */
#include "tensor/npy.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20, ARCHIVE = 0x80 };

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/onchip-fuzz-npy-XXXXXX";
static char plain_file[sizeof folder + 16], archive_file[sizeof folder + 16];
static char member[sizeof folder + 16];

static void hold(bool promise)
{
    if (!promise) {
        abort();
    }
}

static void clean_up(void)
{
    unlink(plain_file);
    unlink(archive_file);
    rmdir(folder);
}

static void set_up(void)
{
    hold(mkdtemp(folder));
    snprintf(plain_file, sizeof plain_file, "%s/a.npy", folder);
    snprintf(archive_file, sizeof archive_file, "%s/a.npz", folder);
    snprintf(member, sizeof member, "%s/a.npz:a", folder);
    atexit(clean_up);
}

static void put_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    hold(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static void hold_tensor(const oc_tensor *tensor, oc_dtype wanted, bool assumed)
{
    size_t bytes = oc_dtype_host_bits(tensor->dtype) / 8;
    hold(bytes > 0 && tensor->data && tensor->rank <= OC_MAX_RANK);
    for (size_t i = 0; i < tensor->rank; i++) {
        hold(tensor->dims[i] >= 0);
        hold(!__builtin_mul_overflow(bytes, (size_t)tensor->dims[i], &bytes));
    }
    hold(bytes == tensor->size_bytes && bytes <= MAX_BYTES);
    hold(!assumed || tensor->dtype == wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (*plain_file == '\0') {
        set_up();
    }
    bool is_archive = data[0] & ARCHIVE;
    oc_dtype wanted = (oc_dtype)(data[0] & ~ARCHIVE);
    oc_tensor tensor = {.data = folder};
    bool assumed = false;
    oc_error err = {0};
    put_file(is_archive ? archive_file : plain_file, data + 1, size - 1);
    oc_status rc = oc__npy_read(is_archive ? member : plain_file, wanted, MAX_BYTES,
                                &tensor, &assumed, &err);
    if (rc == OC_OK) {
        hold_tensor(&tensor, wanted, assumed);
    } else {
        hold(!tensor.data && !assumed && err.status == rc && *err.text);
        hold(err.boundary == OC_BOUNDARY_INPUT);
    }
    oc_tensor_free(&tensor);
    return 0;
}
