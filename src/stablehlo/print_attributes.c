/* Attributes as text. */
#include "stablehlo/print.h"
#include "stablehlo/printer.h"
#include "tensor/float_format.h"

#include <inttypes.h>
#include <string.h>

/* Where an attribute stands: enumerations are written by the dialect of their operation
 * and a kind that the attribute's name gives; inside a structure everything is bare. */
typedef struct place {
    const char *dialect, *name;
    bool in_struct;
} place;

static void print_attr(oc__strbuf *out, const oc__hlo_attr *attr, const place *where);

void oc__print_string(oc__strbuf *out, const char *bytes, size_t size)
{
    oc__print_text(out, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
            oc__strbuf_addf(out, "\\%02X", c);
        } else {
            oc__strbuf_add(out, bytes + i, 1);
        }
    }
    oc__print_text(out, "\"");
}

/* MLIR's bare identifier: [A-Za-z_][A-Za-z0-9_$.]* */
static bool is_bare(const char *bytes, size_t size)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    for (size_t i = 0; i < size; i++) {
        if (!bytes[i] || (!strchr(letters, bytes[i]) &&
                          (i == 0 || !strchr("0123456789$.", bytes[i])))) {
            return false;
        }
    }
    return size > 0;
}

static void print_identifier(oc__strbuf *out, const char *bytes, size_t size)
{
    if (is_bare(bytes, size)) {
        oc__strbuf_add(out, bytes, size);
    } else {
        oc__print_string(out, bytes, size);
    }
}

void oc__print_symbol(oc__strbuf *out, const char *bytes, size_t size)
{
    const char *nested;
    while ((nested = memmem(bytes, size, "::", 2))) {
        size_t first = (size_t)(nested - bytes);
        oc__print_text(out, "@");
        print_identifier(out, bytes, first);
        oc__print_text(out, "::");
        bytes += first + 2;
        size -= first + 2;
    }
    oc__print_text(out, "@");
    print_identifier(out, bytes, size);
}

static void print_integer(oc__strbuf *out, const oc__hlo_type *type, int64_t value)
{
    if (type && type->dtype == OC_U64) {
        oc__strbuf_addf(out, "%" PRIu64, (uint64_t)value);
    } else {
        oc__strbuf_addf(out, "%" PRId64, value);
    }
}

static void print_typed_number(oc__strbuf *out, const oc__hlo_attr *attr, bool bare)
{
    static const oc__hlo_type i64 = {.kind = OC__HLO_SCALAR, .dtype = OC_S64};
    static const oc__hlo_type f64 = {.kind = OC__HLO_SCALAR, .dtype = OC_F64};
    bool is_int = attr->kind == OC__ATTR_INT;
    const oc__hlo_type *type = attr->type ? attr->type : is_int ? &i64 : &f64;
    if (is_int) {
        print_integer(out, type, attr->integer);
    } else {
        oc__print_float(out, type->dtype, oc__float_encode(type->dtype, attr->real));
    }
    if (!bare) {
        oc__print_text(out, " : ");
        oc__hlo_print_type(type, out);
    }
}

static oc_dtype int_dtype(const oc__hlo_attr *ints)
{
    return ints->type ? ints->type->dtype : OC_S64;
}

static void print_int_items(oc__strbuf *out, const oc__hlo_attr *attr, bool bare)
{
    for (size_t i = 0; i < attr->count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        if (int_dtype(attr) == OC_PRED) {
            oc__print_text(out, attr->ints[i] ? "true" : "false");
        } else if (bare && attr->ints[i] == OC__HLO_DYNAMIC) {
            oc__print_text(out, "?");
        } else {
            print_integer(out, attr->type, attr->ints[i]);
        }
    }
}

/* array<i64: 1, 2>; [1, 2] in a structure. */
static void print_ints(oc__strbuf *out, const oc__hlo_attr *attr, bool bare)
{
    if (bare) {
        oc__print_text(out, "[");
    } else {
        oc__strbuf_addf(out, "array<%s%s", oc_dtype_hlo_name(int_dtype(attr)),
                        attr->count > 0 ? ": " : "");
    }
    print_int_items(out, attr, bare);
    oc__print_text(out, bare ? "]" : ">");
}

static void print_enum(oc__strbuf *out, const oc__hlo_attr *attr, const place *where)
{
    static const char *const kinds[][2] = {
        {"compare_type", "comparison_type"},
        {"precision_config", "precision"},
        {"transpose_a", "transpose"},
    };
    if (where->in_struct && strcmp(where->name, "mode") == 0) {
        oc__strbuf_addf(out, "#stablehlo.result_accuracy_mode<%s>", attr->text);
        return;
    }
    if (where->in_struct || !where->dialect) {
        oc__print_text(out, attr->text);
        return;
    }
    const char *kind = where->name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i][0], where->name) == 0) {
            kind = kinds[i][1];
        }
    }
    oc__strbuf_addf(out, "#%s<%s %s>", where->dialect, kind, attr->text);
}

/* [b, 0, 1, f]: which letter or number stands at each place. */
static void print_conv_side(oc__strbuf *out, const oc__hlo_attr *conv,
                            const char *const names[3], const char letters[2])
{
    const oc__hlo_attr *first = oc__hlo_entry(conv, names[0]);
    const oc__hlo_attr *second = oc__hlo_entry(conv, names[1]);
    const oc__hlo_attr *spatial = oc__hlo_entry(conv, names[2]);
    size_t count = spatial ? spatial->count : 0;
    oc__print_text(out, "[");
    for (int64_t at = 0; at < (int64_t)count + 2; at++) {
        oc__print_text(out, at > 0 ? ", " : "");
        size_t i = 0;
        while (i < count && spatial->ints[i] != at) {
            i++;
        }
        if (first && first->integer == at) {
            oc__strbuf_addf(out, "%c", letters[0]);
        } else if (second && second->integer == at) {
            oc__strbuf_addf(out, "%c", letters[1]);
        } else {
            oc__strbuf_addf(out, "%zu", i);
        }
    }
    oc__print_text(out, "]");
}

static void print_conv(oc__strbuf *out, const oc__hlo_attr *conv)
{
    static const char *const names[3][3] = {
        {"input_batch_dimension", "input_feature_dimension",
         "input_spatial_dimensions"},
        {"kernel_input_feature_dimension", "kernel_output_feature_dimension",
         "kernel_spatial_dimensions"},
        {"output_batch_dimension", "output_feature_dimension",
         "output_spatial_dimensions"},
    };
    oc__print_text(out, "#stablehlo.conv<");
    print_conv_side(out, conv, names[0], "bf");
    oc__print_text(out, "x");
    print_conv_side(out, conv, names[1], "io");
    oc__print_text(out, "->");
    print_conv_side(out, conv, names[2], "bf");
    oc__print_text(out, ">");
}

/* #stablehlo.gather<offset_dims = [0], index_vector_dim = 1> */
static void print_struct(oc__strbuf *out, const oc__hlo_attr *attr, const place *where)
{
    if (strcmp(attr->text, "stablehlo.conv") == 0) {
        print_conv(out, attr);
        return;
    }
    bool nameless = strcmp(attr->text, "stablehlo.bounds") == 0; // of its one entry
    oc__strbuf_addf(out, "#%s<", attr->text);
    for (size_t i = 0; i < attr->count; i++) {
        const char *name = attr->entries[i].name;
        const place inside = {where->dialect, name, true};
        if (nameless) {
            print_int_items(out, attr->entries[i].value, true);
        } else {
            oc__strbuf_addf(out, "%s%s = ", i > 0 ? ", " : "", name);
            print_attr(out, attr->entries[i].value, &inside);
        }
    }
    oc__print_text(out, ">");
}

static void print_array(oc__strbuf *out, const oc__hlo_attr *attr, const place *where)
{
    const place in_array = {where->dialect, where->name,
                            attr->type || where->in_struct};
    if (attr->type) { // array<f32: 1.0, 2.0>
        oc__strbuf_addf(out, "array<%s%s", oc_dtype_hlo_name(attr->type->dtype),
                        attr->count > 0 ? ": " : "");
    } else {
        oc__print_text(out, "[");
    }
    for (size_t i = 0; i < attr->count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        print_attr(out, attr->items[i], &in_array);
    }
    oc__print_text(out, attr->type ? ">" : "]");
}

static void print_attr(oc__strbuf *out, const oc__hlo_attr *attr, const place *where)
{
    switch (attr->kind) {
    case OC__ATTR_UNIT: oc__print_text(out, "unit"); break;
    case OC__ATTR_BOOL: oc__print_text(out, attr->integer ? "true" : "false"); break;
    case OC__ATTR_INT:
    case OC__ATTR_FLOAT: print_typed_number(out, attr, where->in_struct); break;
    case OC__ATTR_STRING: oc__print_string(out, attr->text, attr->text_size); break;
    case OC__ATTR_SYMBOL: oc__print_symbol(out, attr->text, attr->text_size); break;
    case OC__ATTR_TYPE: oc__hlo_print_type(attr->type, out); break;
    case OC__ATTR_ARRAY: print_array(out, attr, where); break;
    case OC__ATTR_INTS: print_ints(out, attr, where->in_struct); break;
    case OC__ATTR_DENSE: oc__print_dense(out, attr); break;
    case OC__ATTR_DICT:
        oc__print_text(out, "{");
        oc__print_dict(out, attr->entries, attr->count, where->dialect, "", "");
        oc__print_text(out, "}");
        break;
    case OC__ATTR_STRUCT: print_struct(out, attr, where); break;
    case OC__ATTR_ENUM: print_enum(out, attr, where); break;
    case OC__ATTR_OTHER: oc__strbuf_add(out, attr->text, attr->text_size); break;
    }
}

void oc__print_dict(oc__strbuf *out, const oc__hlo_named *entries, size_t count,
                    const char *dialect, const char *before, const char *after)
{
    for (size_t i = 0; i < count; i++) {
        oc__print_text(out, i > 0 ? ", " : before);
        print_identifier(out, entries[i].name, strlen(entries[i].name));
        if (entries[i].value->kind != OC__ATTR_UNIT) {
            const place where = {dialect, entries[i].name, false};
            oc__print_text(out, " = ");
            print_attr(out, entries[i].value, &where);
        }
    }
    oc__print_text(out, count > 0 ? after : "");
}

void oc__hlo_print_attr(const oc__hlo_attr *attr, oc__strbuf *out)
{
    const place nowhere = {0};
    print_attr(out, attr, &nowhere);
}
