/* Literals and constants as text. */
#include "stablehlo/parser_inner.h"
#include "stablehlo/print.h"
#include "stablehlo/printer.h"
#include "tensor/float_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer constants are printed as one hex string. */
enum { LONGEST_LIST = 32 };

/* %g leaves out the point where MLIR wants one: 1 and 1e+20 are no floats there. */
static void print_with_point(oc__strbuf *out, const char *decimal)
{
    if (strchr(decimal, '.')) {
        oc__print_text(out, decimal);
        return;
    }
    size_t digits = strcspn(decimal, "e");
    oc__strbuf_add(out, decimal, digits);
    oc__print_text(out, ".0");
    oc__print_text(out, decimal + digits);
}

void oc__print_float(oc__strbuf *out, oc_dtype dtype, uint64_t bits)
{
    double value = oc__float_decode(dtype, bits);
    if (!isfinite(value)) {
        oc__strbuf_addf(out, "0x%" PRIX64, bits); // no zeros lead: the exponent is ones
        return;
    }
    const oc__float_format *format = oc__float_format_of(dtype);
    char decimal[40];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(decimal, sizeof decimal, "%.*g", precision, value);
        double read = strtod(decimal, NULL);
        /* What lies beyond a type without NaN is not left to how a reader rounds it. */
        bool beyond = !format->has_nan && fabs(read) > format->max_finite;
        if (!beyond && oc__float_encode(dtype, read) == bits) {
            break;
        }
    }
    print_with_point(out, decimal);
}

static uint64_t load(const unsigned char *at, size_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes); // little endian, as the machine
    return bits;
}

static void print_element(oc__strbuf *out, oc_dtype dtype, const unsigned char *at,
                          size_t bytes)
{
    oc_dtype part = dtype == OC_C64    ? OC_F32
                    : dtype == OC_C128 ? OC_F64
                                       : OC_DTYPE_INVALID;
    if (part != OC_DTYPE_INVALID) {
        oc__print_text(out, "(");
        oc__print_float(out, part, load(at, bytes / 2));
        oc__print_text(out, ", ");
        oc__print_float(out, part, load(at + bytes / 2, bytes / 2));
        oc__print_text(out, ")");
    } else if (oc__float_format_of(dtype)) {
        oc__print_float(out, dtype, load(at, bytes));
    } else if (dtype == OC_PRED) {
        oc__print_text(out, *at ? "true" : "false");
    } else if (oc_dtype_hlo_name(dtype)[0] == 'u') {
        oc__strbuf_addf(out, "%" PRIu64, load(at, bytes));
    } else {
        oc__strbuf_addf(out, "%" PRId64,
                        oc__sign_extend(load(at, bytes), 8 * (int)bytes));
    }
}

/* [[1, 2], [3, 4]] */
static void print_list(oc__strbuf *out, const oc__hlo_type *type,
                       const unsigned char *data, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        size_t inner = 1;
        for (size_t d = type->rank; d > 0; d--) {
            inner *= (size_t)type->dims[d - 1];
            oc__print_text(out, i % inner == 0 ? "[" : "");
        }
        print_element(out, type->dtype, data + i * bytes, bytes);
        inner = 1;
        for (size_t d = type->rank; d > 0; d--) {
            inner *= (size_t)type->dims[d - 1];
            oc__print_text(out, (i + 1) % inner == 0 ? "]" : "");
        }
    }
}

static void print_hex(oc__strbuf *out, const unsigned char *data, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    char piece[512];
    oc__print_text(out, "\"0x");
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        piece[used++] = digits[data[i] >> 4];
        piece[used++] = digits[data[i] & 15];
        if (used == sizeof piece || i + 1 == size) {
            oc__strbuf_add(out, piece, used);
            used = 0;
        }
    }
    oc__print_text(out, "\"");
}

void oc__print_dense(oc__strbuf *out, const oc__hlo_attr *attr)
{
    const oc__hlo_type *type = attr->type;
    const oc__hlo_dense *dense = attr->dense;
    size_t bytes = oc_dtype_host_bits(type->dtype) / 8;
    size_t count = bytes > 0 ? dense->size_bytes / bytes : 0;
    /* MLIR's versions differ in how elements below a byte lie in a hex string. */
    bool in_bytes = oc__dtype_bits(type->dtype) >= 8;
    oc__print_text(out, "dense<");
    if (dense->splat) {
        print_element(out, type->dtype, dense->data, bytes);
    } else if (count > LONGEST_LIST && in_bytes) {
        print_hex(out, dense->data, dense->size_bytes);
    } else {
        print_list(out, type, dense->data, count, bytes);
    }
    oc__print_text(out, "> : ");
    oc__hlo_print_type(type, out);
}
