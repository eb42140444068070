/* Attributes. */
#include "stablehlo/parser_inner.h"

#include "tensor/float_format.h"

#include <string.h>

const oc__hlo_type oc__i64_type = {
    .kind = OC__HLO_SCALAR, .dtype = OC_S64, .text = "i64"};
static const oc__hlo_type f64_type = {
    .kind = OC__HLO_SCALAR, .dtype = OC_F64, .text = "f64"};

/* --- making them --- */

oc__hlo_attr *oc__make_attr(oc__parser *p, oc__hlo_attr_kind kind)
{
    oc__hlo_attr *attr = oc__parse_take(p, 1, sizeof *attr);
    if (attr) {
        attr->kind = kind;
    }
    return attr;
}

const oc__hlo_attr *oc__make_int(oc__parser *p, int64_t value)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_INT);
    if (attr) {
        attr->integer = value;
        attr->type = &oc__i64_type;
    }
    return attr;
}

const oc__hlo_attr *oc__make_flag(oc__parser *p, bool value)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_BOOL);
    if (attr) {
        attr->integer = value;
    }
    return attr;
}

const oc__hlo_attr *oc__make_word(oc__parser *p, oc__hlo_attr_kind kind,
                                  const char *text, size_t size)
{
    oc__hlo_attr *attr = oc__make_attr(p, kind);
    if (attr) {
        attr->text = oc__parse_copy(p, text, size);
        attr->text_size = size;
    }
    return attr && attr->text ? attr : NULL;
}

const oc__hlo_attr *oc__make_ints(oc__parser *p, const int64_t *ints, size_t count)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_INTS);
    int64_t *copy = oc__parse_take(p, count, sizeof *copy);
    if (!attr || !copy) {
        return NULL;
    }
    if (count) {
        memcpy(copy, ints, count * sizeof *copy);
    }
    attr->type = &oc__i64_type;
    attr->count = count;
    attr->ints = copy;
    return attr;
}

bool oc__carried_attr(oc__parser *p, const char *at, const oc__hlo_attr **out_attr)
{
    *out_attr = oc__make_word(p, OC__ATTR_OTHER, at, (size_t)(p->consumed - at));
    return *out_attr;
}

/* --- numbers --- */

bool oc__parse_integer(oc__parser *p, int64_t *out_value)
{
    oc__literal literal;
    const char *at = p->token.at;
    bool negative = oc__accept(p, "-");
    if (p->token.kind != OC__TOKEN_INTEGER) {
        return oc__parse_expected(p, "a whole number");
    }
    oc__literal_scan(p->token.at, p->end, &literal);
    literal.negative = negative;
    if (!oc__literal_integer(&literal, OC_S64, out_value)) {
        return oc__parse_fail(p, OC_PARSE, at, "this number does not fit in 64 bits");
    }
    return oc__parse_next(p);
}

/* -1, 1 : i32, 1.5 : f32, 0x7FC0 : bf16 */
static bool number(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__literal literal;
    const char *at = p->token.at;
    bool negative = oc__accept(p, "-");
    bool is_float = p->token.kind == OC__TOKEN_FLOAT;
    if (!is_float && p->token.kind != OC__TOKEN_INTEGER) {
        return oc__parse_expected(p, "a number");
    }
    oc__literal_scan(p->token.at, p->end, &literal);
    literal.negative = negative;
    const oc__hlo_type *type = is_float ? &f64_type : &oc__i64_type;
    if (!oc__parse_next(p) || (oc__accept(p, ":") && !oc__parse_type(p, &type))) {
        return false;
    }
    bool wants_float = oc__float_format_of(type->dtype);
    oc__hlo_attr *attr = oc__make_attr(p, wants_float ? OC__ATTR_FLOAT : OC__ATTR_INT);
    if (!attr) {
        return false;
    }
    attr->type = type;
    uint64_t bits;
    bool fits;
    if (type->kind != OC__HLO_SCALAR || (wants_float && !is_float && !literal.is_hex) ||
        (!wants_float && is_float)) {
        return oc__parse_fail(p, OC_PARSE, at, "this number is none of type '%s'%s",
                              type->text, wants_float ? ": write it with a point" : "");
    }
    if (wants_float) {
        fits = oc__literal_float(&literal, type->dtype, &bits);
        attr->real = fits ? oc__float_decode(type->dtype, bits) : 0;
    } else {
        oc_dtype dtype = type->dtype == OC_DTYPE_INVALID ? OC_S64 : type->dtype;
        fits = oc__literal_integer(&literal, dtype, &attr->integer);
    }
    *out_attr = attr;
    return fits || oc__parse_fail(p, OC_PARSE, at, "this number does not fit in '%s'",
                                  type->text);
}

/* What follows #dialect<, or #dialect.name<: a kind and its value, a struct, a word. */
static bool dialect_body(oc__parser *p, const char *name, const oc__hlo_attr **out_attr,
                         bool *out_read)
{
    *out_read = true;
    if (strcmp(name, "stablehlo.bounds") == 0) {
        return oc__parse_bounds(p, out_attr);
    }
    if (strcmp(name, "stablehlo.conv") == 0) {
        return oc__parse_conv_dims(p, out_attr);
    }
    bool known = strncmp(name, "stablehlo", 9) == 0 || strncmp(name, "chlo", 4) == 0;
    if (oc__token_is(p, ">")) {
        return oc__parse_struct_body(p, ">", name, out_attr);
    }
    if (p->token.kind != OC__TOKEN_BARE || !known) {
        *out_read = false;
        return true;
    }
    oc__token before = p->token;
    if (!oc__parse_next(p)) {
        return false;
    }
    if (oc__token_is(p, "=")) {
        return oc__parse_jump(p, before.at) &&
               oc__parse_struct_body(p, ">", name, out_attr);
    }
    oc__token word = oc__token_is(p, ">") ? before : p->token;
    *out_attr = oc__make_word(p, OC__ATTR_ENUM, word.at, word.size);
    if (oc__token_is(p, ">")) {
        return *out_attr;
    }
    return p->token.kind == OC__TOKEN_BARE ? *out_attr && oc__parse_next(p)
                                           : oc__parse_expected(p, "a word or '='");
}

/* #alias, #dialect<kind VALUE>, #dialect.name<...> */
static bool hash_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__token token = p->token;
    if (!oc__parse_next(p)) {
        return false;
    }
    if (!oc__token_is(p, "<") && !memchr(token.at, '.', token.size)) {
        const oc__name *alias = oc__names_find(p->aliases, token.at, token.size);
        *out_attr = alias ? alias->pointer : NULL;
        return alias || oc__parse_fail(p, OC_PARSE, token.at,
                                       "no attribute alias '%.*s' was defined before",
                                       (int)token.size, token.at);
    }
    const char *name = oc__parse_copy(p, token.at + 1, token.size - 1);
    const char *bracket = p->token.at;
    bool read = false;
    if (!name) {
        return false;
    }
    if (!oc__token_is(p, "<")) {
        return oc__carried_attr(p, token.at, out_attr);
    }
    if (!oc__parse_next(p) || !dialect_body(p, name, out_attr, &read)) {
        return false;
    }
    if (read) {
        return oc__expect(p, ">");
    }
    return oc__parse_jump(p, bracket) && oc__parse_skip_brackets(p) &&
           oc__carried_attr(p, token.at, out_attr);
}

/* --- any attribute --- */

static bool string_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_STRING);
    *out_attr = attr;
    return attr && oc__parse_string(p, &attr->text, &attr->text_size) &&
           (!oc__accept(p, ":") || oc__parse_type(p, &attr->type));
}

static bool symbol_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_SYMBOL);
    *out_attr = attr;
    return attr && oc__parse_symbol(p, &attr->text, &attr->text_size);
}

static bool type_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_TYPE);
    *out_attr = attr;
    return attr && oc__parse_type(p, &attr->type);
}

/* A word and what stands in brackets behind it: loc(...), affine_map<...>. */
static bool bracketed_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    const char *at = p->token.at;
    if (!oc__parse_next(p)) {
        return false;
    }
    if (!oc__token_is(p, "<") && !oc__token_is(p, "(") && !oc__token_is(p, "[")) {
        return oc__parse_expected(p, "'<', '(' or '['");
    }
    return oc__parse_skip_brackets(p) && oc__carried_attr(p, at, out_attr);
}

static bool word_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    bool value = oc__token_is(p, "true");
    if (value || oc__token_is(p, "false")) {
        *out_attr = oc__make_flag(p, value);
        return *out_attr && oc__parse_next(p);
    }
    if (oc__token_is(p, "dense") || oc__token_is(p, "dense_resource")) {
        return oc__parse_dense(p, out_attr);
    }
    if (oc__accept(p, "array")) {
        return oc__parse_packed_array(p, out_attr);
    }
    if (oc__accept(p, "unit")) {
        *out_attr = oc__make_attr(p, OC__ATTR_UNIT);
        return *out_attr;
    }
    static const char *const others[] = {"loc",      "affine_map", "affine_set",
                                         "distinct", "strided",    "opaque"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (oc__token_is(p, others[i])) {
            return bracketed_attr(p, out_attr);
        }
    }
    return oc__type_is_next(p) ? type_attr(p, out_attr)
                               : oc__parse_expected(p, "an attribute");
}

static bool attr_of_any_kind(oc__parser *p, const oc__hlo_attr **out_attr)
{
    switch (p->token.kind) {
    case OC__TOKEN_INTEGER:
    case OC__TOKEN_FLOAT: return number(p, out_attr);
    case OC__TOKEN_STRING: return string_attr(p, out_attr);
    case OC__TOKEN_SYMBOL: return symbol_attr(p, out_attr);
    case OC__TOKEN_HASH: return hash_attr(p, out_attr);
    case OC__TOKEN_BANG: return type_attr(p, out_attr);
    case OC__TOKEN_BARE: return word_attr(p, out_attr);
    default: break;
    }
    if (oc__token_is(p, "[")) {
        return oc__parse_list(p, oc__parse_attr, out_attr);
    }
    if (oc__token_is(p, "{")) {
        oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_DICT);
        *out_attr = attr;
        return attr && oc__parse_dict(p, &attr->entries, &attr->count);
    }
    if (oc__token_is(p, "(")) {
        return type_attr(p, out_attr);
    }
    return oc__token_is(p, "-") ? number(p, out_attr)
                                : oc__parse_expected(p, "an attribute");
}

bool oc__parse_attr(oc__parser *p, const oc__hlo_attr **out_attr)
{
    if (!oc__parse_enter(p) || !attr_of_any_kind(p, out_attr)) {
        return false;
    }
    oc__parse_leave(p);
    return true;
}

bool oc__parse_location(oc__parser *p)
{
    const oc__hlo_attr *ignored;
    return !oc__token_is(p, "loc") || bracketed_attr(p, &ignored);
}
