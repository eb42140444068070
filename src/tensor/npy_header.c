#include "tensor/npy_header.h"

#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

oc_status oc__npy_prefix_parse(const unsigned char bytes[OC__NPY_PREFIX],
                               size_t *out_begin, size_t *out_end, oc_error *err)
{
    *out_begin = 0;
    *out_end = 0;
    if (memcmp(bytes, "PK", 2) == 0) {
        return OC_FAIL(
            err, OC_PARSE, OC_BOUNDARY_INPUT,
            "a .zip archive, not a .npy file; name it *.npz and one array of "
            "it after a colon, as in 'data.npz:x'");
    }
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "not a .npy file: it does not begin with \\x93NUMPY");
    }
    unsigned int major = bytes[6];
    unsigned int minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       ".npy version %u.%u; versions 1.0, 2.0 and 3.0 are read", major,
                       minor);
    }
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length < OC__NPY_PREFIX) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "its header of %zu bytes is too short to say anything", length);
    }
    if (length > OC__NPY_MAX_HEADER) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "its header is %zu bytes long; at most %d are read", length,
                       OC__NPY_MAX_HEADER);
    }
    *out_begin = major > 1 ? 12 : 10;
    *out_end = *out_begin + length;
    return OC_OK;
}

typedef struct reader {
    const char *start, *at, *end;
    oc_error *err;
} reader;

static oc_status expected(const reader *r, const char *what)
{
    return OC_FAIL(r->err, OC_PARSE, OC_BOUNDARY_INPUT,
                   "byte %td of its header: %s was expected", r->at - r->start, what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && *r->at != '\0' && strchr(" \t\r\n", *r->at)) {
        r->at++;
    }
}

/* Takes `text` when it is next, spaces before it or not. */
static bool take(reader *r, const char *text)
{
    size_t size = strlen(text);
    skip_space(r);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, text, size) != 0) {
        return false;
    }
    r->at += size;
    return true;
}

/* A Python string of printable ASCII without escapes, which is all that NumPy writes
 * for arrays without named fields. Cut to what `out` holds. */
static oc_status read_string(reader *r, char *out, size_t capacity)
{
    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) {
        return expected(r, "a string");
    }
    size_t size = 0;
    char quote = *r->at;
    for (r->at++; r->at < r->end && *r->at != quote; r->at++) {
        if (*r->at < ' ' || *r->at > '~' || *r->at == '\\') {
            return expected(r, "plain text");
        }
        if (size + 1 < capacity) {
            out[size++] = *r->at;
        }
    }
    out[size] = '\0';
    return take(r, quote == '"' ? "\"" : "'") ? OC_OK : expected(r, "the string's end");
}

/* A whole number without a sign; Python 2 writes an L after a long one. */
static oc_status read_number(reader *r, int64_t *out_number)
{
    int64_t number = 0;
    skip_space(r);
    const char *first = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *r->at - '0', &number)) {
            return OC_FAIL(r->err, OC_LIMIT, OC_BOUNDARY_INPUT,
                           "dimension too large at byte %td of its header",
                           first - r->start);
        }
    }
    if (r->at == first || (*first == '0' && r->at - first > 1)) {
        return expected(r, "a dimension");
    }
    if (r->at < r->end && *r->at == 'L') {
        r->at++;
    }
    *out_number = number;
    return OC_OK;
}

/* "<f4": byte order, kind, bytes. NumPy's descr of object arrays is "|O". */
static oc_status read_descr(reader *r, oc__npy_header *header)
{
    skip_space(r);
    if (r->at < r->end && (*r->at == '[' || *r->at == '(')) {
        return OC_FAIL(r->err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "a structured array (records of fields); save each field as an "
                       "array of its own");
    }
    oc_status rc = read_string(r, header->descr, sizeof header->descr);
    if (rc != OC_OK) {
        return rc;
    }
    const char *at = header->descr;
    header->big_endian = *at == '>';
    at += *at != '\0' && strchr("<>|=", *at) ? 1 : 0;
    char kind = *at;
    header->kind = '\0';
    at += kind != '\0';
    header->item_bytes = 0;
    for (; *at >= '0' && *at <= '9' && header->item_bytes < 1000; at++) {
        header->item_bytes = header->item_bytes * 10 + (size_t)(*at - '0');
    }
    if (*at == '\0') {
        header->kind = kind;
    }
    return OC_OK;
}

static oc_status read_order(reader *r, oc__npy_header *header)
{
    header->fortran_order = take(r, "True");
    return header->fortran_order || take(r, "False") ? OC_OK
                                                     : expected(r, "True or False");
}

/* "()", "(3,)", "(2, 3)"; "(3)" would be a number to Python, and NumPy refuses it. */
static oc_status read_shape(reader *r, oc__npy_header *header)
{
    header->rank = 0;
    if (!take(r, "(")) {
        return expected(r, "a tuple of dimensions");
    }
    bool comma = true;
    while (!take(r, ")")) {
        if (!comma) {
            return expected(r, "',' or ')'");
        }
        if (header->rank == OC_MAX_RANK) {
            return OC_FAIL(r->err, OC_LIMIT, OC_BOUNDARY_INPUT,
                           "more than %d dimensions", OC_MAX_RANK);
        }
        oc_status rc = read_number(r, &header->dims[header->rank]);
        if (rc != OC_OK) {
            return rc;
        }
        header->rank++;
        comma = take(r, ",");
    }
    return header->rank == 1 && !comma ? expected(r, "a tuple, (n,) of one dimension,")
                                       : OC_OK;
}

static const struct {
    const char *name;
    oc_status (*read)(reader *r, oc__npy_header *header);
} keys[] = {
    {"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static oc_status read_dictionary(reader *r, oc__npy_header *header)
{
    bool seen[KEY_COUNT] = {false};
    size_t count = 0;
    if (!take(r, "{")) {
        return expected(r, "'{'");
    }
    bool comma = true;
    while (!take(r, "}")) {
        char name[24];
        if (!comma) {
            return expected(r, "',' or '}'");
        }
        oc_status rc = read_string(r, name, sizeof name);
        size_t key = 0;
        while (key < KEY_COUNT && strcmp(keys[key].name, name) != 0) {
            key++;
        }
        if (rc == OC_OK && (key == KEY_COUNT || seen[key])) {
            rc = OC_FAIL(r->err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "key '%s' of its header is unknown or there twice", name);
        } else if (rc == OC_OK) {
            rc = take(r, ":") ? keys[key].read(r, header) : expected(r, "':'");
        }
        if (rc != OC_OK) {
            return rc;
        }
        seen[key] = true;
        count++;
        comma = take(r, ",");
    }
    skip_space(r);
    if (r->at != r->end) {
        return expected(r, "nothing more");
    }
    return count == KEY_COUNT
               ? OC_OK
               : OC_FAIL(r->err, OC_PARSE, OC_BOUNDARY_INPUT,
                         "its header lacks one of descr, fortran_order and shape");
}

oc_status oc__npy_header_parse(const char *text, size_t size,
                               oc__npy_header *out_header, oc_error *err)
{
    reader r = {text, text, text + size, err};
    oc__npy_header header = {0};
    *out_header = header;
    oc_status rc = read_dictionary(&r, &header);
    if (rc != OC_OK) {
        return rc;
    }
    header.data_bytes = header.item_bytes;
    for (size_t i = 0; i < header.rank; i++) {
        if (!oc__size_mul(header.data_bytes, (size_t)header.dims[i],
                          &header.data_bytes)) {
            return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT, "its array is too large");
        }
    }
    *out_header = header;
    return OC_OK;
}

void oc__npy_header_add(oc__strbuf *out, char kind, size_t item_bytes,
                        const int64_t *dims, size_t rank)
{
    enum { PREFIX = 10, ALIGNMENT = 64 };
    oc__strbuf text;
    oc__strbuf_init(&text, 1024);
    oc__strbuf_addf(&text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
                    item_bytes == 1 ? '|' : '<', kind, item_bytes);
    for (size_t i = 0; i < rank; i++) {
        oc__strbuf_addf(&text, i == 0 ? "%lld" : ", %lld", (long long)dims[i]);
    }
    oc__strbuf_addf(&text, rank == 1 ? ",), }" : "), }");
    size_t whole = (PREFIX + text.size + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    oc__strbuf_addf(&text, "%*s", (int)(whole - PREFIX - text.size), "\n");
    const unsigned char version_and_length[4] = {
        1, 0, (unsigned char)(text.size & 0xff), (unsigned char)(text.size >> 8)};
    oc__strbuf_add(out, magic, sizeof magic);
    oc__strbuf_add(out, version_and_length, sizeof version_and_length);
    oc__strbuf_add(out, text.data, text.size);
    out->failed |= text.failed;
    oc__strbuf_free(&text);
}
