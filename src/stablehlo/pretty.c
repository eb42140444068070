/* The reader of the table's forms. */
#include "stablehlo/pretty.h"

#include <string.h>

/* --- numbers
 * --------------------------------------------------------------------------- */

const oc__hlo_attr *oc__pretty_retyped(oc__parser *p, const oc__hlo_attr *attr,
                                       oc_dtype dtype)
{
    oc__hlo_type *type = oc__parse_take(p, 1, sizeof *type);
    oc__hlo_attr *typed = oc__parse_take(p, 1, sizeof *typed);
    if (!attr || !type || !typed) {
        return NULL;
    }
    *type = (oc__hlo_type){
        .kind = OC__HLO_SCALAR, .dtype = dtype, .text = oc_dtype_hlo_name(dtype)};
    *typed = *attr;
    typed->type = type;
    return typed;
}

const oc__hlo_attr *oc__pretty_int32(oc__parser *p, int64_t value)
{
    return oc__pretty_retyped(p, oc__make_int(p, value), OC_S32);
}

/* --- attributes
 * ------------------------------------------------------------------------ */

static bool read_int(oc__parser *p, const oc__hlo_attr **out_attr)
{
    int64_t value;
    return oc__parse_integer(p, &value) && (*out_attr = oc__make_int(p, value));
}

static bool read_int32(oc__parser *p, const oc__hlo_attr **out_attr)
{
    int64_t value;
    const char *at = p->token.at;
    if (!oc__parse_integer(p, &value)) {
        return false;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        return oc__parse_fail(p, OC_PARSE, at, "expected a number of 32 bits");
    }
    return (*out_attr = oc__pretty_int32(p, value));
}

static bool read_flag(oc__parser *p, const oc__hlo_attr **out_attr)
{
    bool value = oc__token_is(p, "true");
    if (!value && !oc__token_is(p, "false")) {
        return oc__parse_expected(p, "true or false");
    }
    return oc__parse_next(p) && (*out_attr = oc__make_flag(p, value));
}

static bool read_word(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__token word = p->token;
    if (word.kind != OC__TOKEN_BARE) {
        return oc__parse_expected(p, "a word");
    }
    *out_attr = oc__make_word(p, OC__ATTR_ENUM, word.at, word.size);
    return *out_attr && oc__parse_next(p);
}

static bool read_text(oc__parser *p, const oc__hlo_attr **out_attr)
{
    const char *text;
    size_t size;
    if (p->token.kind != OC__TOKEN_STRING && p->token.kind != OC__TOKEN_SYMBOL) {
        return oc__parse_expected(p, "a string or a symbol");
    }
    if (!(p->token.kind == OC__TOKEN_STRING ? oc__parse_string(p, &text, &size)
                                            : oc__parse_symbol(p, &text, &size))) {
        return false;
    }
    *out_attr = oc__make_word(p, OC__ATTR_STRING, text, size);
    return *out_attr;
}

static bool read_attribute(oc__parser *p, oc__op_draft *op, const char *kind,
                           size_t kind_size, const char *name, size_t name_size)
{
    static const struct {
        const char *kind;
        bool (*read)(oc__parser *p, const oc__hlo_attr **out_attr);
    } readers[] = {
        {"int", read_int},   {"int32", read_int32}, {"ints", oc__parse_int_list},
        {"flag", read_flag}, {"word", read_word},   {"text", read_text},
    };
    const oc__hlo_attr *attr = NULL;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (strlen(readers[i].kind) == kind_size &&
            memcmp(readers[i].kind, kind, kind_size) == 0) {
            if (!readers[i].read(p, &attr)) {
                return false;
            }
            break;
        }
    }
    OC_ASSERT(attr);
    const char *kept = oc__parse_copy(p, name, name_size);
    return kept && oc__draft_attr(p, op, kept, attr);
}

static bool read_constant(oc__parser *p, oc__op_draft *op)
{
    if (oc__accept(p, "(")) { // what MLIR prints when value and result differ in type
        if (!oc__expect(p, ")")) {
            return false;
        }
        if (oc__accept(p, "<") &&
            (!oc__parse_optional_dict(p, op) || !oc__expect(p, ">"))) {
            return false;
        }
        return oc__parse_optional_dict(p, op) && oc__expect(p, ":") &&
               oc__parse_function_type(p, op);
    }
    const oc__hlo_attr *value;
    if (!oc__parse_optional_dict(p, op)) {
        return false;
    }
    const char *at = p->token.at;
    if (!oc__parse_attr(p, &value)) {
        return false;
    }
    if (value->kind != OC__ATTR_DENSE) {
        return oc__parse_fail(p, OC_PARSE, at, "expected dense<...> : type");
    }
    return oc__draft_attr(p, op, "value", value) &&
           oc__draft_result(p, op, value->type);
}

static bool read_regions(oc__parser *p, oc__op_draft *op)
{
    do {
        if (!oc__parse_region(p, op, NULL, NULL, 0)) {
            return false;
        }
    } while (oc__accept(p, ","));
    return true;
}

/* --- types
 * ----------------------------------------------------------------------------- */

/* Types separated by commas; each states an operand's, gives a result's, or both. */
static bool read_types(oc__parser *p, oc__op_draft *op, bool states, bool gives)
{
    size_t count = 0;
    do {
        const oc__hlo_type *type;
        const char *at = p->token.at;
        if (!oc__parse_type(p, &type) ||
            (states && !oc__draft_state(p, op, count, type, at)) ||
            (gives && !oc__draft_result(p, op, type))) {
            return false;
        }
        count++;
    } while (oc__accept(p, ","));
    if (states && count != op->operand_count) {
        return oc__parse_fail(p, OC_PARSE, op->at, "%s has %zu operands, but %zu types",
                              op->name, op->operand_count, count);
    }
    return true;
}

static bool read_results(oc__parser *p, oc__op_draft *op)
{
    return read_types(p, op, false, true);
}

static bool read_stated(oc__parser *p, oc__op_draft *op)
{
    return read_types(p, op, true, false);
}

static bool read_barrier(oc__parser *p, oc__op_draft *op)
{
    if (oc__accept(p, "(")) {
        return oc__expect(p, ")");
    }
    return oc__parse_operands(p, op) && oc__expect(p, ":") &&
           read_types(p, op, true, true);
}

/* T, T -> T or T -> (T, T) */
static bool read_arrow(oc__parser *p, oc__op_draft *op)
{
    if (!read_stated(p, op) || !oc__expect(p, "->")) {
        return false;
    }
    return oc__accept(p, "(") ? read_results(p, op) && oc__expect(p, ")")
                              : read_results(p, op);
}

/* A function type, or the result's type, from which the operands' follow. */
static bool result_type(oc__parser *p, oc__op_draft *op, bool *out_done,
                        const oc__hlo_type **out_type)
{
    *out_done = oc__token_is(p, "(");
    if (*out_done) {
        return oc__parse_function_type(p, op);
    }
    return oc__parse_type(p, out_type) && oc__draft_result(p, op, *out_type);
}

static bool read_complex(oc__parser *p, oc__op_draft *op)
{
    bool done;
    const oc__hlo_type *result;
    const char *at = p->token.at;
    if (!result_type(p, op, &done, &result) || done) {
        return done;
    }
    oc_dtype part = result->dtype == OC_C64    ? OC_F32
                    : result->dtype == OC_C128 ? OC_F64
                                               : OC_DTYPE_INVALID;
    if (result->kind != OC__HLO_TENSOR || part == OC_DTYPE_INVALID) {
        return oc__parse_fail(p, OC_PARSE, at, "expected a tensor of complex elements");
    }
    oc__hlo_type real = *result;
    real.dtype = part;
    real.text = part == OC_F32 ? "a tensor of f32 of this shape"
                               : "a tensor of f64 of this shape";
    return oc__draft_state(p, op, 0, &real, at) && oc__draft_state(p, op, 1, &real, at);
}

static bool read_select(oc__parser *p, oc__op_draft *op)
{
    if (oc__token_is(p, "(")) {
        return oc__parse_function_type(p, op);
    }
    const oc__hlo_type *predicate, *result;
    const char *at = p->token.at;
    return oc__parse_type(p, &predicate) && oc__expect(p, ",") &&
           oc__parse_type(p, &result) && oc__draft_state(p, op, 0, predicate, at) &&
           oc__draft_state(p, op, 1, result, at) &&
           oc__draft_state(p, op, 2, result, at) && oc__draft_result(p, op, result);
}

static bool read_tuple(oc__parser *p, oc__op_draft *op)
{
    bool done;
    const oc__hlo_type *result;
    const char *at = p->token.at;
    if (!result_type(p, op, &done, &result) || done) {
        return done;
    }
    if (result->kind != OC__HLO_TUPLE || result->element_count != op->operand_count) {
        return oc__parse_fail(p, OC_PARSE, at, "expected a tuple of %zu elements",
                              op->operand_count);
    }
    for (size_t i = 0; i < result->element_count; i++) {
        if (!oc__draft_state(p, op, i, result->elements[i], at)) {
            return false;
        }
    }
    return true;
}

/* --- the reader of a row
 * --------------------------------------------------------------- */

static bool read_named(oc__parser *p, oc__op_draft *op, const char *name, size_t size)
{
    static const struct {
        const char *name;
        oc__pretty_fn read;
    } readers[] = {
        {"arrow", read_arrow},
        {"barrier", read_barrier},
        {"complex", read_complex},
        {"constant", read_constant},
        {"conv_dims", oc__pretty_conv_dims},
        {"dot_dims", oc__pretty_dot_dims},
        {"float_format", oc__pretty_float_format},
        {"manual", oc__pretty_manual},
        {"precision", oc__pretty_precision},
        {"ranges", oc__pretty_ranges},
        {"reduce", oc__pretty_reduce},
        {"regions", read_regions},
        {"results", read_results},
        {"same", oc__parse_function_type},
        {"scan", oc__pretty_scan},
        {"select", read_select},
        {"sharding", oc__pretty_sharding},
        {"tuple", read_tuple},
        {"while", oc__pretty_while},
        {"window", oc__pretty_window},
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (strlen(readers[i].name) == size &&
            memcmp(readers[i].name, name, size) == 0) {
            return readers[i].read(p, op);
        }
    }
    OC_ASSERT(false);
    return false;
}

static bool read_operands_with_commas(oc__parser *p, oc__op_draft *op)
{
    while (p->token.kind == OC__TOKEN_VALUE) {
        if (!oc__parse_operand(p, op) || !oc__expect(p, ",")) {
            return false;
        }
    }
    return true;
}

static bool read_format_word(oc__parser *p, oc__op_draft *op, const char *word,
                             size_t size)
{
    if (word[0] == '@') {
        const char *colon = memchr(word, ':', size);
        if (!colon) {
            return read_named(p, op, word + 1, size - 1);
        }
        size_t kind_size = (size_t)(colon - word) - 1;
        return read_attribute(p, op, word + 1, kind_size, colon + 1,
                              size - kind_size - 2);
    }
    if (word[0] == '%') {
        return size == 1        ? oc__parse_operand(p, op)
               : word[1] == '*' ? oc__parse_operands(p, op)
                                : read_operands_with_commas(p, op);
    }
    if (word[0] == '{') {
        return oc__parse_optional_dict(p, op);
    }
    char literal[32];
    OC_ASSERT(size < sizeof literal);
    memcpy(literal, word, size);
    literal[size] = '\0';
    return oc__expect(p, literal);
}

/* ?X: consumes X when it is next, else *format goes past the group's closing ?. */
static void enter_group(oc__parser *p, const char *opening, size_t size,
                        const char **format)
{
    char literal[32];
    OC_ASSERT(size - 1 < sizeof literal);
    memcpy(literal, opening + 1, size - 1);
    literal[size - 1] = '\0';
    if (!oc__accept(p, literal)) {
        const char *closing = strstr(*format, "? ");
        *format = closing ? closing + 2 : "";
    }
}

bool oc__pretty_format(oc__parser *p, oc__op_draft *op, const char *format)
{
    while (*format) {
        const char *word = format;
        size_t size = strcspn(word, " ");
        format += size;
        format += strspn(format, " ");
        if (word[0] == '?') {
            if (size > 1) {
                enter_group(p, word, size, &format);
            }
        } else if (!read_format_word(p, op, word, size)) {
            return false;
        }
    }
    return true;
}
