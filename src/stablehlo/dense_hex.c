/* The data of constants as strings of hex digits. */
#include "stablehlo/parser_inner.h"

#include "base/strbuf.h"

/* Values of hex digits and one more; 0 for what is none. */
static const unsigned char hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool decode_hex(oc__parser *p, const char *digits, size_t size,
                       unsigned char *out)
{
    bool bad = false;
    for (size_t i = 0; i < size; i++) {
        unsigned high = hex_digits[(unsigned char)digits[2 * i]];
        unsigned low = hex_digits[(unsigned char)digits[2 * i + 1]];
        bad |= high == 0 || low == 0;
        out[i] = (unsigned char)((high - 1) << 4 | (low - 1));
    }
    for (size_t i = 0; bad; i++) {
        if (hex_digits[(unsigned char)digits[i]] == 0) {
            return oc__parse_fail(p, OC_PARSE, digits + i, "expected a hex digit");
        }
    }
    return true;
}

/* Types of less than a byte: their bits in the low end of a byte, in the text zeros or
 * the sign above them. i1 is 00 or 01; FF is what older MLIR wrote for a splat of true.
 */
static bool narrow_bytes(oc__parser *p, const char *digits, const oc__hlo_type *type,
                         unsigned char *bytes, size_t size)
{
    int width = oc__dtype_bits(type->dtype);
    bool is_signed = type->dtype == OC_S2 || type->dtype == OC_S4;
    for (size_t i = 0; i < size; i++) {
        unsigned byte = bytes[i], low = byte & ((1u << width) - 1);
        int64_t extended = oc__sign_extend(low, width);
        bool sign_above = byte == ((unsigned)extended & 0xffu);
        if (byte != low && !(sign_above && (is_signed || type->dtype == OC_PRED))) {
            return oc__parse_fail(p, OC_PARSE, digits + 2 * i,
                                  "0x%02X is no value of an element of '%s'", byte,
                                  type->text);
        }
        bytes[i] = (unsigned char)(is_signed ? extended : low);
    }
    return true;
}

static bool hex_size_fails(oc__parser *p, const char *at, size_t bytes, size_t count,
                           size_t element_size, const oc__hlo_type *type)
{
    if (type->dtype == OC_PRED && bytes == count / 8 + (count % 8 != 0)) {
        return oc__parse_fail(
            p, OC_PARSE, at,
            "expected one byte an element, %zu for '%s', found %zu: bits packed as "
            "MLIR "
            "up to StableHLO 1.13 wrote them; write the module again with a newer one",
            count, type->text, bytes);
    }
    return oc__parse_fail(p, OC_PARSE, at,
                          "expected %zu bytes of hex for '%s' (or %zu, a splat), found "
                          "%zu",
                          count * element_size, type->text, element_size, bytes);
}

/* `digits` to `end`: the bytes of all elements, or of one that stands for all. */
static bool hex_data(oc__parser *p, const char *digits, const char *end,
                     const oc__hlo_type *type, oc__hlo_dense *dense)
{
    size_t count, all, bytes = (size_t)(end - digits) / 2;
    size_t element_size = oc_dtype_host_bits(type->dtype) / 8;
    if ((end - digits) % 2) {
        return oc__parse_fail(p, OC_PARSE, digits, "an odd number of hex digits");
    }
    if (!oc__type_count(type, &count) || !oc__size_mul(count, element_size, &all)) {
        return oc__parse_fail(p, OC_LIMIT, digits, "'%s' is too large", type->text);
    }
    if (bytes != all && bytes != element_size) {
        return hex_size_fails(p, digits, bytes, count, element_size, type);
    }
    unsigned char *data = oc__parse_take(p, bytes, 1);
    if (!data || !decode_hex(p, digits, bytes, data)) {
        return false;
    }
    // One byte for several i1 may be packed bits as well, unless it is 00 or FF.
    if (type->dtype == OC_PRED && bytes == 1 && count > 1 && count <= 8 &&
        data[0] > 1 && data[0] != 0xff) {
        return hex_size_fails(p, digits, bytes, count, element_size, type);
    }
    dense->splat = bytes != all;
    dense->size_bytes = bytes;
    dense->data = data;
    return oc__dtype_bits(type->dtype) >= 8 ||
           narrow_bytes(p, digits, type, data, bytes);
}

bool oc__dense_blob(oc__parser *p, const oc__token *blob, size_t skip,
                    const oc__hlo_type *type, oc__hlo_dense *dense)
{
    const char *digits = blob->at + 1, *end = blob->at + blob->size - 1;
    if (end - digits < 2 || digits[0] != '0' || digits[1] != 'x') {
        return oc__parse_fail(p, OC_PARSE, blob->at,
                              "expected a string of hex digits that begins with 0x");
    }
    digits += 2;
    if ((size_t)(end - digits) < 2 * skip) {
        return oc__parse_fail(p, OC_PARSE, blob->at,
                              "expected an alignment of %zu bytes before the data",
                              skip);
    }
    return hex_data(p, digits + 2 * skip, end, type, dense);
}
