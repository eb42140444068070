#include "tensor/npy.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "tensor/npy_fortran.h"
#include "tensor/npy_header.h"
#include "tensor/npy_source.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are little endian");

/* The kinds and sizes of descr that name a type. */
static const struct type {
    oc_dtype dtype;
    char kind;
    unsigned char bytes;
} types[] = {
    {OC_PRED, 'b', 1}, {OC_S8, 'i', 1},    {OC_S16, 'i', 2}, {OC_S32, 'i', 4},
    {OC_S64, 'i', 8},  {OC_U8, 'u', 1},    {OC_U16, 'u', 2}, {OC_U32, 'u', 4},
    {OC_U64, 'u', 8},  {OC_F16, 'f', 2},   {OC_F32, 'f', 4}, {OC_F64, 'f', 8},
    {OC_C64, 'c', 8},  {OC_C128, 'c', 16},
};

/* The numbers that a byte of these types holds, or the bits of f6 and f4. */
static const struct range {
    oc_dtype dtype;
    int lowest, highest;
} ranges[] = {
    {OC_PRED, 0, 1}, {OC_S4, -8, 7},       {OC_U4, 0, 15},       {OC_S2, -2, 1},
    {OC_U2, 0, 3},   {OC_F6E2M3FN, 0, 63}, {OC_F6E3M2FN, 0, 63}, {OC_F4E2M1FN, 0, 15},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct range *range_of(oc_dtype dtype)
{
    for (size_t i = 0; i < COUNT(ranges); i++) {
        if (ranges[i].dtype == dtype) {
            return &ranges[i];
        }
    }
    return NULL;
}

static const struct type *type_of(oc_dtype dtype)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].dtype == dtype) {
            return &types[i];
        }
    }
    return NULL;
}

/* Whether an array of this header may be one of `wanted`, a type that NumPy lacks. */
static bool may_stand_for(const oc__npy_header *header, oc_dtype wanted)
{
    if (type_of(wanted) || oc_dtype_host_bits(wanted) != header->item_bytes * 8 ||
        header->item_bytes == 0 || (header->big_endian && header->item_bytes > 1)) {
        return false;
    }
    switch (header->kind) {
    case 'V': return true;
    case 'f': return wanted == OC_F8E5M2;
    case 'i':
    case 'u': return range_of(wanted) != NULL;
    default: return false;
    }
}

static oc_status choose_type(const oc__npy_header *header, oc_dtype wanted,
                             oc_dtype *out_dtype, bool *out_assumed, oc_error *err)
{
    if (may_stand_for(header, wanted)) {
        *out_dtype = wanted;
        *out_assumed = true;
        return OC_OK;
    }
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].kind == header->kind && types[i].bytes == header->item_bytes) {
            *out_dtype = types[i].dtype;
            return OC_OK;
        }
    }
    if (header->kind == 'O') {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "an array of Python objects, which would have to be unpickled "
                       "and may run code; save it as an array of numbers");
    }
    if (header->kind != 'V' && header->kind != 'f') {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "its descr '%s' is no element type of StableHLO; convert the "
                       "array before saving it",
                       header->descr);
    }
    return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                   "its descr '%s' does not name its element type (NumPy knows no "
                   "bfloat16 or float8), and %s%s",
                   header->descr,
                   wanted == OC_DTYPE_INVALID ? "nothing else says it"
                                              : "it cannot be what is wanted here, ",
                   wanted == OC_DTYPE_INVALID ? "" : oc_dtype_hlo_name(wanted));
}

static void swap_bytes(unsigned char *data, size_t size, size_t item)
{
    for (size_t at = 0; at < size; at += item) {
        for (size_t i = 0; i < item / 2; i++) {
            unsigned char kept = data[at + i];
            data[at + i] = data[at + item - 1 - i];
            data[at + item - 1 - i] = kept;
        }
    }
}

/* Holds the bytes of small types to their range. ml_dtypes leaves the upper bits of its
 * own arrays open: they are made what an oc_tensor has. */
static oc_status settle_small(const oc__npy_header *header, const struct range *range,
                              oc_tensor *tensor, oc_error *err)
{
    unsigned char *data = tensor->data;
    int span = range->highest - range->lowest + 1;
    for (size_t i = 0; i < tensor->size_bytes; i++) {
        int value = header->kind == 'i' ? (signed char)data[i] : data[i];
        if (header->kind == 'V') {
            value &= span - 1;
            value -= value > range->highest ? span : 0;
        }
        if (value < range->lowest || value > range->highest) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "element %zu is %d; %s goes from %d to %d", i, value,
                           oc_dtype_hlo_name(range->dtype), range->lowest,
                           range->highest);
        }
        data[i] = (unsigned char)value;
    }
    return OC_OK;
}

static oc_status read_array(oc__npy_source *source, const oc__npy_header *header,
                            oc_tensor *tensor, oc_error *err)
{
    oc_status rc =
        header->fortran_order && tensor->size_bytes > 0 && header->rank > 1
            ? oc__npy_read_fortran(source, header, tensor->data, err)
            : oc__npy_source_read(source, tensor->data, tensor->size_bytes, err);
    if (rc == OC_OK) {
        rc = oc__npy_source_end(source, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (header->big_endian) {
        swap_bytes(tensor->data, tensor->size_bytes,
                   header->kind == 'c' ? header->item_bytes / 2 : header->item_bytes);
    }
    const struct range *range = range_of(tensor->dtype);
    return range ? settle_small(header, range, tensor, err) : OC_OK;
}

static oc_status read_header(oc__npy_source *source, oc__npy_header *out_header,
                             size_t *out_end, oc_error *err)
{
    unsigned char prefix[OC__NPY_PREFIX];
    char *text = NULL;
    size_t begin = 0;
    size_t end = 0;
    oc_status rc = oc__npy_source_read(source, prefix, sizeof prefix, err);
    if (rc == OC_OK) {
        rc = oc__npy_prefix_parse(prefix, &begin, &end, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (end > source->size) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "it is cut short: its header alone has %zu bytes", end);
    }
    text = malloc(end);
    if (!text) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    memcpy(text, prefix, sizeof prefix);
    rc = oc__npy_source_read(source, text + sizeof prefix, end - sizeof prefix, err);
    if (rc == OC_OK) {
        rc = oc__npy_header_parse(text + begin, end - begin, out_header, err);
    }
    free(text);
    *out_end = end;
    return rc;
}

static oc_status check_size(size_t there, size_t array, oc_error *err)
{
    if (there < array) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "it is cut short: %zu of the %zu bytes of its array are there",
                       there, array);
    }
    if (there > array) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%zu bytes follow its array of %zu; were several arrays saved "
                       "into one file?",
                       there - array, array);
    }
    return OC_OK;
}

oc_status oc__npy_read(const char *path, oc_dtype wanted, size_t max_bytes,
                       oc_tensor *out_tensor, bool *out_assumed, oc_error *err)
{
    oc__npy_source source;
    oc__npy_header header = {0};
    oc_tensor tensor = {0};
    oc_dtype dtype = OC_DTYPE_INVALID;
    *out_tensor = tensor;
    *out_assumed = false;
    oc_status rc = oc__npy_source_open(path, max_bytes, &source, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool assumed = false;
    size_t header_bytes = 0;
    rc = read_header(&source, &header, &header_bytes, err);
    if (rc == OC_OK) {
        rc = choose_type(&header, wanted, &dtype, &assumed, err);
    }
    if (rc == OC_OK) {
        rc = check_size(source.size - header_bytes, header.data_bytes, err);
    }
    if (rc == OC_OK) {
        rc = oc_tensor_make(dtype, header.dims, header.rank, &tensor, err);
    }
    if (rc == OC_OK) {
        rc = read_array(&source, &header, &tensor, err);
    }
    if (rc == OC_OK) {
        *out_tensor = tensor;
        *out_assumed = assumed;
    } else {
        oc__error_prefix(err, "'%s'", path);
        oc_tensor_free(&tensor);
    }
    oc__npy_source_close(&source);
    return rc;
}

/* What NumPy lacks is written as what it can read: small integers as int8 or uint8, the
 * others as void of their size, which .view() turns back. (ml_dtypes gives float8_e5m2
 * the descr <f1, at which numpy.load fails.) */
static void descr_of(oc_dtype dtype, char *out_kind, size_t *out_bytes)
{
    const struct type *type = type_of(dtype);
    *out_bytes = oc_dtype_host_bits(dtype) / 8;
    if (type) {
        *out_kind = type->kind;
    } else if (dtype == OC_S4 || dtype == OC_S2) {
        *out_kind = 'i';
    } else if (dtype == OC_U4 || dtype == OC_U2) {
        *out_kind = 'u';
    } else {
        *out_kind = 'V';
    }
}

oc_status oc__npy_write(const char *path, const oc_tensor *tensor, oc_error *err)
{
    char kind = '\0';
    size_t bytes = 0;
    descr_of(tensor->dtype, &kind, &bytes);
    OC_ASSERT(bytes > 0);
    oc__strbuf header;
    oc__strbuf_init(&header, 4096);
    oc__npy_header_add(&header, kind, bytes, tensor->dims, tensor->rank);
    oc_status rc = header.failed
                       ? OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory")
                       : oc__file_write_new_pieces(
                             path,
                             (const oc__bytes[]){{header.data, header.size},
                                                 {tensor->data, tensor->size_bytes}},
                             2, err);
    oc__strbuf_free(&header);
    return rc;
}
