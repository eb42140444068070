/* Types as text. */
#include "stablehlo/parser_inner.h"
#include "stablehlo/print.h"
#include "stablehlo/printer.h"

#include <inttypes.h>
#include <string.h>

void oc__print_text(oc__strbuf *out, const char *text)
{
    oc__strbuf_add(out, text, strlen(text));
}

static void print_double(oc__strbuf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    oc__print_float(out, OC_F64, bits);
}

/* The quant dialect writes unsigned storage as u8, not ui8, and the range only where it
 * is not the type's own. */
static void print_storage(oc__strbuf *out, const oc__hlo_quant *quant)
{
    const char *name = oc_dtype_hlo_name(quant->storage);
    bool is_unsigned = strncmp(name, "ui", 2) == 0;
    int bits = oc__dtype_bits(quant->storage);
    int64_t least = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
    int64_t most = ((int64_t)1 << (is_unsigned ? bits : bits - 1)) - 1;
    oc__strbuf_addf(out, "%s%d", is_unsigned ? "u" : "i", bits);
    if (quant->storage_min != least || quant->storage_max != most) {
        oc__strbuf_addf(out, "<%" PRId64 ":%" PRId64 ">", quant->storage_min,
                        quant->storage_max);
    }
}

static void print_quant(oc__strbuf *out, const oc__hlo_quant *quant)
{
    oc__print_text(out, "!quant.uniform<");
    print_storage(out, quant);
    oc__strbuf_addf(out, ":%s", oc_dtype_hlo_name(quant->expressed));
    bool per_axis = quant->dimension >= 0;
    if (per_axis) {
        oc__strbuf_addf(out, ":%" PRId64, quant->dimension);
    }
    oc__print_text(out, per_axis ? ", {" : ", ");
    for (size_t i = 0; i < quant->count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        print_double(out, quant->scales[i]);
        oc__strbuf_addf(out, ":%" PRId64, quant->zero_points[i]);
    }
    oc__print_text(out, per_axis ? "}>" : ">");
}

static void print_tensor(oc__strbuf *out, const oc__hlo_type *type)
{
    oc__print_text(out, "tensor<");
    for (size_t i = 0; i < type->rank; i++) {
        if (type->dims[i] == OC__HLO_DYNAMIC) {
            oc__print_text(out, "?x");
        } else {
            oc__strbuf_addf(out, "%" PRId64 "x", type->dims[i]);
        }
    }
    if (type->quant) {
        print_quant(out, type->quant);
    } else {
        oc__print_text(out, oc_dtype_hlo_name(type->dtype));
    }
    if (type->encoding) {
        oc__print_text(out, ", ");
        oc__hlo_print_attr(type->encoding, out);
    }
    oc__print_text(out, ">");
}

void oc__hlo_print_type(const oc__hlo_type *type, oc__strbuf *out)
{
    bool nameless = type->dtype == OC_DTYPE_INVALID;
    if (type->kind == OC__HLO_TUPLE) {
        oc__print_text(out, "tuple<");
        for (size_t i = 0; i < type->element_count; i++) {
            oc__print_text(out, i > 0 ? ", " : "");
            oc__hlo_print_type(type->elements[i], out);
        }
        oc__print_text(out, ">");
    } else if (type->kind == OC__HLO_TOKEN) {
        oc__print_text(out, oc_dtype_hlo_name(OC_TOKEN));
    } else if (type->kind == OC__HLO_TENSOR && !nameless) {
        print_tensor(out, type);
    } else if (type->kind == OC__HLO_SCALAR && type->quant) {
        print_quant(out, type->quant);
    } else if (type->kind == OC__HLO_SCALAR && !nameless) {
        oc__print_text(out, oc_dtype_hlo_name(type->dtype));
    } else { // element types without a number: tf32, index
        oc__print_text(out, type->text);
    }
}
