/* Types: tensor, tuple, token, bare element types; others are carried along as text. */
#include "stablehlo/parser_inner.h"

#include "tensor/dtype_names.h"

#include <string.h>

// Each type keeps its text, as do the types within it.
enum { MAX_TYPE_TEXT = 1 << 20 };

oc__hlo_type *oc__make_type(oc__parser *p, oc__hlo_type_kind kind)
{
    oc__hlo_type *type = oc__parse_take(p, 1, sizeof *type);
    if (type) {
        type->kind = kind;
    }
    return type;
}

static bool word_is(const oc__token *token, const char *word)
{
    return token->size == strlen(word) && memcmp(token->at, word, token->size) == 0;
}

/* i32, si64, ui8: digits behind a prefix. */
static bool is_integer_name(const oc__token *token)
{
    size_t i = token->size && (*token->at == 's' || *token->at == 'u');
    if (token->size < i + 2 || token->at[i] != 'i') {
        return false;
    }
    for (i++; i < token->size; i++) {
        if (token->at[i] < '0' || token->at[i] > '9') {
            return false;
        }
    }
    return true;
}

/* Words that begin a type of which onchip keeps the text. */
static bool is_carried_word(const oc__token *token)
{
    return word_is(token, "none") || word_is(token, "vector") ||
           word_is(token, "memref");
}

static bool is_scalar_name(const oc__token *token)
{
    return word_is(token, "index") || word_is(token, "tf32") ||
           is_integer_name(token) ||
           oc__dtype_from_hlo(token->at, token->size) != OC_DTYPE_INVALID;
}

bool oc__type_is_next(const oc__parser *p)
{
    const oc__token *token = &p->token;
    return token->kind == OC__TOKEN_BANG || oc__token_is(p, "(") ||
           (token->kind == OC__TOKEN_BARE &&
            (word_is(token, "tensor") || word_is(token, "tuple") ||
             word_is(token, "complex") || is_carried_word(token) ||
             is_scalar_name(token)));
}

/* --- tensors --- */

/* One dimension and the x behind it; false at the element type or on an error, which
 * p->err then has. */
static bool dimension(oc__parser *p, const char **at, int64_t *out_dim)
{
    const char *from = *at;
    if (from == p->end || (*from != '?' && (*from < '0' || *from > '9'))) {
        return false;
    }
    int64_t dim = 0;
    const char *next = from;
    if (*from == '?') {
        dim = OC__HLO_DYNAMIC;
        next++;
    }
    for (; *from != '?' && next < p->end && *next >= '0' && *next <= '9'; next++) {
        if (__builtin_mul_overflow(dim, 10, &dim) ||
            __builtin_add_overflow(dim, *next - '0', &dim)) {
            return oc__parse_fail(p, OC_LIMIT, from, "this dimension is beyond 2^63");
        }
    }
    next = oc__parse_blanks(next, p->end);
    if (next == p->end || *next != 'x') {
        return oc__parse_jump(p, next) &&
               oc__parse_expected(p, "'x' and an element type after the dimension");
    }
    *at = oc__parse_blanks(next + 1, p->end);
    *out_dim = dim;
    return true;
}

/* 2x?x3x : from the next token to the element type. */
static bool dimensions(oc__parser *p, oc__hlo_type *type)
{
    int64_t dims[OC_MAX_RANK], dim = 0;
    const char *at = p->token.at;
    if (oc__token_is(p, "*")) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "onchip takes ranked tensors only: write the dimensions, "
                              "? for those not known");
    }
    while (dimension(p, &at, &dim)) {
        if (type->rank == OC_MAX_RANK) {
            return oc__parse_fail(p, OC_LIMIT, at, "more than %d dimensions",
                                  OC_MAX_RANK);
        }
        dims[type->rank++] = dim;
    }
    if (p->err->status != OC_OK) {
        return false;
    }
    int64_t *copy = oc__parse_take(p, type->rank, sizeof *copy);
    if (!copy) {
        return false;
    }
    if (type->rank) {
        memcpy(copy, dims, type->rank * sizeof *copy);
    }
    type->dims = copy;
    return oc__parse_jump(p, at);
}

static bool check_encoding(oc__parser *p, const char *at, const oc__hlo_type *type)
{
    const oc__hlo_attr *bounds = oc__type_bounds(type);
    if (bounds && bounds->count != type->rank) {
        return oc__parse_fail(
            p, OC_PARSE, at,
            "expected one bound for each of the %zu dimensions, found "
            "%zu",
            type->rank, bounds->count);
    }
    return true;
}

/* tensor<2x?xf32, #encoding> */
static bool tensor_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__hlo_type *element;
    oc__hlo_type *type = oc__make_type(p, OC__HLO_TENSOR);
    if (!type || !oc__parse_next(p) || !oc__expect(p, "<") || !dimensions(p, type)) {
        return false;
    }
    const char *at = p->token.at;
    if (!oc__parse_type(p, &element)) {
        return false;
    }
    if (element->kind == OC__HLO_SCALAR && strcmp(element->text, "index") == 0) {
        type->kind = OC__HLO_OTHER; // the layouts of custom calls have it
    } else if (element->kind != OC__HLO_SCALAR || element->dtype == OC_DTYPE_INVALID) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected an element type (i1, i4 ... i64, ui4 ... ui64, "
                              "bf16, f16, f32, f64, f8..., complex<f32>, "
                              "!quant.uniform<...>), found '%s'",
                              element->text);
    }
    type->dtype = element->dtype;
    type->quant = element->quant;
    if (type->quant && type->quant->dimension >= (int64_t)type->rank) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "quantized along dimension %lld of %zu dimensions",
                              (long long)type->quant->dimension, type->rank);
    }
    if (oc__accept(p, ",")) {
        at = p->token.at;
        if (!oc__parse_attr(p, &type->encoding) || !check_encoding(p, at, type)) {
            return false;
        }
    }
    *out_type = type;
    return oc__expect(p, ">");
}

/* --- other types --- */

static bool tuple_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__hlo_type **elements = NULL;
    oc__hlo_type *type = oc__make_type(p, OC__HLO_TUPLE);
    if (!type || !oc__parse_next(p) || !oc__expect(p, "<")) {
        return false;
    }
    while (!oc__token_is(p, ">")) {
        elements = oc__list_grow(p, elements, type->element_count, sizeof *elements);
        if ((type->element_count && !oc__expect(p, ",")) || !elements ||
            !oc__parse_type(p, &elements[type->element_count])) {
            return false;
        }
        type->element_count++;
    }
    type->elements = elements;
    *out_type = type;
    return oc__parse_next(p);
}

/* complex<f32> */
static bool complex_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__hlo_type *part;
    oc__hlo_type *type = oc__make_type(p, OC__HLO_SCALAR);
    if (!type || !oc__parse_next(p) || !oc__expect(p, "<")) {
        return false;
    }
    const char *at = p->token.at;
    if (!oc__parse_type(p, &part)) {
        return false;
    }
    if (part->kind != OC__HLO_SCALAR || part->quant ||
        (part->dtype != OC_F32 && part->dtype != OC_F64)) {
        return oc__parse_fail(p, OC_PARSE, at, "expected f32 or f64, found '%s'",
                              part->text);
    }
    type->dtype = part->dtype == OC_F32 ? OC_C64 : OC_C128;
    *out_type = type;
    return oc__expect(p, ">");
}

static bool scalar_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__token *token = &p->token;
    oc__hlo_type *type = oc__make_type(p, OC__HLO_SCALAR);
    if (!type) {
        return false;
    }
    type->dtype = oc__dtype_from_hlo(token->at, token->size);
    if (is_integer_name(token) && type->dtype == OC_DTYPE_INVALID) {
        int size = (int)token->size;
        return *token->at == 's'
                   ? oc__parse_fail(
                         p, OC_PARSE, token->at,
                         "no type '%.*s': the dialect writes signed integers "
                         "as signless ones, '%.*s' (unsigned: 'u%.*s')",
                         size, token->at, size - 1, token->at + 1, size - 1,
                         token->at + 1)
                   : oc__parse_fail(p, OC_PARSE, token->at,
                                    "no integer type '%.*s': there are i1, i2, i4, i8, "
                                    "i16, i32, i64 and ui2 ... ui64",
                                    size, token->at);
    }
    *out_type = type;
    return oc__parse_next(p);
}

/* A name and what stands in brackets behind it. */
static bool carried_type(oc__parser *p, const oc__hlo_type **out_type)
{
    *out_type = oc__make_type(p, OC__HLO_OTHER);
    return *out_type && oc__parse_next(p) &&
           (!oc__token_is(p, "<") || oc__parse_skip_brackets(p));
}

/* !alias or !dialect.name<...> */
static bool bang_type(oc__parser *p, const oc__hlo_type **out_type)
{
    oc__token token = p->token;
    if (word_is(&token, "!quant.uniform")) {
        return oc__parse_next(p) && oc__quant_type(p, out_type);
    }
    if (word_is(&token, "!stablehlo.token")) {
        *out_type = oc__make_type(p, OC__HLO_TOKEN);
        return *out_type && oc__parse_next(p);
    }
    if (memchr(token.at, '.', token.size)) {
        return carried_type(p, out_type);
    }
    const oc__name *alias = oc__names_find(p->aliases, token.at, token.size);
    if (!alias) {
        return oc__parse_fail(p, OC_PARSE, token.at,
                              "no type alias '%.*s' was defined before",
                              (int)token.size, token.at);
    }
    *out_type = alias->pointer;
    return oc__parse_next(p);
}

/* (a, b) -> c */
static bool function_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__hlo_type *ignored;
    *out_type = oc__make_type(p, OC__HLO_OTHER);
    if (!*out_type || !oc__parse_skip_brackets(p) || !oc__expect(p, "->")) {
        return false;
    }
    return oc__token_is(p, "(") ? oc__parse_skip_brackets(p)
                                : oc__parse_type(p, &ignored);
}

static bool type_of_any_kind(oc__parser *p, const oc__hlo_type **out_type)
{
    const oc__token *token = &p->token;
    if (token->kind == OC__TOKEN_BANG) {
        return bang_type(p, out_type);
    }
    if (oc__token_is(p, "(")) {
        return function_type(p, out_type);
    }
    if (token->kind == OC__TOKEN_BARE) {
        if (word_is(token, "tensor")) {
            return tensor_type(p, out_type);
        }
        if (word_is(token, "tuple")) {
            return tuple_type(p, out_type);
        }
        if (word_is(token, "complex")) {
            return complex_type(p, out_type);
        }
        if (is_scalar_name(token)) {
            return scalar_type(p, out_type);
        }
        if (is_carried_word(token)) {
            return carried_type(p, out_type);
        }
    }
    return oc__parse_expected(p, "a type");
}

bool oc__parse_type(oc__parser *p, const oc__hlo_type **out_type)
{
    const char *at = p->token.at;
    *out_type = NULL;
    if (!oc__parse_enter(p) || !type_of_any_kind(p, out_type) || !*out_type) {
        return false;
    }
    oc__parse_leave(p);
    if ((*out_type)->text) { // of an alias
        return true;
    }
    size_t size = (size_t)(p->consumed - at);
    if (size > MAX_TYPE_TEXT) {
        return oc__parse_fail(p, OC_LIMIT, at, "a type of more than %d characters",
                              MAX_TYPE_TEXT);
    }
    oc__hlo_type *type = (oc__hlo_type *)(uintptr_t)*out_type;
    type->text = oc__parse_copy(p, at, size);
    return type->text;
}
