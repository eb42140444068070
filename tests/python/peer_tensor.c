/* The room `tensor` as a program, for test_tensor_peers.py to hold beside NumPy and
 * ml_dtypes.
 *
 *     peer_tensor decode TYPE   codes on stdin, doubles on stdout
 *     peer_tensor encode TYPE   doubles on stdin, codes on stdout
 *     peer_tensor copy FROM TYPE TO   reads a .npy and writes it again; says the type,
 * and whether it was assumed
 *
 * TYPE is StableHLO's name; any other word is no type. */
#include "base/file.h"
#include "tensor/dtype_names.h"
#include "tensor/float_format.h"
#include "tensor/npy.h"

#include <stdio.h>
#include <stdlib.h>

static oc_status copy(const char *from, oc_dtype wanted, const char *to, oc_error *err)
{
    oc_tensor tensor;
    bool assumed = false;
    oc_status rc = oc__npy_read(from, wanted, (size_t)1 << 32, &tensor, &assumed, err);
    if (rc == OC_OK) {
        printf("%s%s\n", oc_dtype_hlo_name(tensor.dtype), assumed ? " assumed" : "");
        rc = oc__npy_write(to, &tensor, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

static oc_status convert(bool encode, oc_dtype dtype, oc_error *err)
{
    char *given = NULL;
    size_t size = 0;
    size_t code_bytes = oc_dtype_host_bits(dtype) / 8;
    if (!oc__float_format_of(dtype) || code_bytes == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "no float type");
    }
    oc_status rc = oc__file_read("-", (size_t)1 << 28, &given, &size, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t count = size / (encode ? sizeof(double) : code_bytes);
    size_t out_bytes = count * (encode ? code_bytes : sizeof(double));
    void *out = malloc(out_bytes + 1);
    if (!out) {
        abort();
    }
    if (encode) {
        oc__float_encode_array(dtype, (const double *)(const void *)given, count, out);
    } else {
        oc__float_decode_array(dtype, given, count, out);
    }
    fwrite(out, 1, out_bytes, stdout);
    free(out);
    free(given);
    return rc;
}

int main(int argc, char **argv)
{
    oc_error err = {0};
    oc_status rc = OC_INVALID_ARGUMENT;
    if (argc == 5 && strcmp(argv[1], "copy") == 0) {
        rc = copy(argv[2], oc__dtype_from_hlo(argv[3], strlen(argv[3])), argv[4], &err);
    } else if (argc == 3) {
        rc = convert(strcmp(argv[1], "encode") == 0,
                     oc__dtype_from_hlo(argv[2], strlen(argv[2])), &err);
    }
    if (rc != OC_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    return rc == OC_OK ? 0 : 2;
}
