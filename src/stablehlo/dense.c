/* dense<...> and dense_resource<...>. The type stands behind the literal, so the
 * literal is skipped first and read by its own scanner, not by tokens, once its type is
 * known. */
#include "stablehlo/parser_inner.h"

#include "tensor/float_format.h"

#include <string.h>

/* A literal while it is read. */
typedef struct reader {
    oc__parser *p;
    const char *at, *end; /* what is inside of the < > */
    const oc__hlo_type *type;
    unsigned char *data; /* what was read, element after element */
    size_t size;
    size_t part_size; /* bytes of an element, of a complex one's component */
    bool is_float, is_complex;
} reader;

static const char *skip_blanks(const reader *r, const char *at)
{
    bool some = at < r->end && (*at <= ' ' || *at == '/');
    return some ? oc__parse_blanks(at, r->end) : at;
}

/* "expected WHAT, found 'x'" */
static bool expected(reader *r, const char *what)
{
    return oc__parse_jump(r->p, r->at) && oc__parse_expected(r->p, what);
}

/* --- elements --- */

static bool part_expected(reader *r)
{
    if (r->at < r->end && *r->at == '[') {
        return oc__parse_fail(r->p, OC_PARSE, r->at,
                              "a list nested deeper than the %zu dimension%s of '%s'",
                              r->type->rank, r->type->rank == 1 ? "" : "s",
                              r->type->text);
    }
    return expected(r, r->is_float ? "a number with a point, or the bits in hex"
                       : r->type->dtype == OC_PRED ? "true or false"
                                                   : "a whole number");
}

/* One number, or true or false of i1. */
static bool part(reader *r)
{
    static const struct {
        const char *word;
        size_t size;
    } words[] = {{"false", 5}, {"true", 4}};
    oc_dtype dtype = r->type->dtype;
    size_t left = (size_t)(r->end - r->at);
    for (size_t i = 0; dtype == OC_PRED && i < 2; i++) {
        if (left >= words[i].size && memcmp(r->at, words[i].word, words[i].size) == 0) {
            r->at += words[i].size;
            r->data[r->size++] = (unsigned char)i;
            return true;
        }
    }
    oc__literal literal;
    const char *stop = oc__literal_scan(r->at, r->end, &literal);
    uint64_t bits = 0;
    int64_t integer = 0;
    if (!stop || (r->is_float && !literal.is_float && !literal.is_hex) ||
        (!r->is_float && literal.is_float)) {
        return part_expected(r);
    }
    if (r->is_float ? !oc__literal_float(&literal, dtype, &bits)
                    : !oc__literal_integer(&literal, dtype, &integer)) {
        return oc__parse_fail(
            r->p, OC_PARSE, r->at, "%.*s does not fit in an element of '%s'",
            (int)(stop - r->at < 40 ? stop - r->at : 40), r->at, r->type->text);
    }
    bits = r->is_float ? bits : (uint64_t)integer;
    memcpy(r->data + r->size, &bits, r->part_size);
    r->size += r->part_size;
    r->at = stop;
    return true;
}

static bool character(reader *r, char c)
{
    char what[] = {'\'', c, '\'', '\0'};
    r->at = skip_blanks(r, r->at);
    if (r->at == r->end || *r->at != c) {
        return expected(r, what);
    }
    r->at = skip_blanks(r, r->at + 1);
    return true;
}

static bool element(reader *r)
{
    if (!r->is_complex) {
        return part(r);
    }
    return character(r, '(') && part(r) && character(r, ',') && part(r) &&
           character(r, ')');
}

/* [...] along this dimension and those behind it. */
static bool nested(reader *r, size_t dimension)
{
    int64_t count = r->type->dims[dimension];
    bool last = dimension + 1 == r->type->rank;
    if (r->at == r->end || *r->at != '[') {
        return oc__parse_fail(
            r->p, OC_PARSE, r->at,
            "expected '[': '%s' has %zu dimensions, here it is %zu deep", r->type->text,
            r->type->rank, dimension);
    }
    r->at = skip_blanks(r, r->at + 1);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && r->at < r->end && *r->at == ',') {
            r->at = skip_blanks(r, r->at + 1);
        } else if (r->at < r->end && *r->at == ']') {
            return oc__parse_fail(r->p, OC_PARSE, r->at,
                                  "expected %lld elements in dimension %zu of '%s', "
                                  "found %lld",
                                  (long long)count, dimension, r->type->text,
                                  (long long)i);
        } else if (i > 0) {
            return expected(r, "',' or ']'");
        }
        if (last ? !element(r) : !nested(r, dimension + 1)) {
            return false;
        }
        r->at = skip_blanks(r, r->at);
    }
    if (r->at < r->end && *r->at != ']') {
        return oc__parse_fail(
            r->p, OC_PARSE, r->at,
            "expected ']' after the %lld elements of dimension %zu of "
            "'%s'",
            (long long)count, dimension, r->type->text);
    }
    return character(r, ']');
}

static bool literal_body(reader *r, oc__hlo_dense *dense)
{
    size_t count;
    r->at = skip_blanks(r, r->at);
    if (r->at < r->end && *r->at == '"') {
        const char *close = memchr(r->at + 1, '"', (size_t)(r->end - r->at - 1));
        oc__token blob = {.at = r->at, .size = (size_t)(close + 1 - r->at)};
        r->at = skip_blanks(r, close + 1);
        if (r->at != r->end) {
            return expected(r, "'>'");
        }
        return oc__dense_blob(r->p, &blob, 0, r->type, dense);
    }
    if (!oc__type_count(r->type, &count)) {
        return oc__parse_fail(r->p, OC_LIMIT, r->at, "'%s' is too large",
                              r->type->text);
    }
    bool is_list = r->at < r->end && *r->at == '[';
    bool empty = r->at == r->end && count == 0;
    dense->splat = !is_list && !empty && count != 1;
    // Each element takes a character at least: no more than that are ever stored.
    size_t room = (size_t)(r->end - r->at);
    room = room < count ? room : count;
    room = dense->splat || room == 0 ? 1 : room;
    r->data = oc__parse_take(r->p, room, 2 * r->part_size);
    if (!r->data) {
        return false;
    }
    if (!empty && !(is_list && r->type->rank ? nested(r, 0) : element(r))) {
        return false;
    }
    r->at = skip_blanks(r, r->at);
    dense->size_bytes = r->size;
    dense->data = r->data;
    return r->at == r->end || expected(r, "'>'");
}

/* --- the whole --- */

static bool is_literal(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (c >= '(' && c <= '.' && c != '*') || c == '[' || c == ']' || c == ' ' ||
           c == '\n' || c == '\t' || c == '\r';
}

/* Behind the literal whose opening < is at `at`. */
static const char *literal_end(const char *at, const char *end)
{
    for (at++; at < end;) {
        const char *next = at;
        if (is_literal(*at)) {
            next = at + 1;
        } else if (*at == '/') {
            next = oc__parse_blanks(at, end);
        } else if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            next = close ? close + 1 : at;
        }
        if (next == at) {
            break;
        }
        at = next;
    }
    return at;
}

/* Elements that onchip has, and known dimensions. */
static bool check_type(oc__parser *p, const char *at, const oc__hlo_type *type)
{
    if (type->kind != OC__HLO_TENSOR) {
        return oc__parse_fail(p, OC_PARSE, at, "expected a tensor type, found '%s'",
                              type->text);
    }
    for (size_t i = 0; i < type->rank; i++) {
        if (type->dims[i] == OC__HLO_DYNAMIC) {
            return oc__parse_fail(
                p, OC_PARSE, at,
                "a constant needs dimensions that are known, '%s' has "
                "a '?'",
                type->text);
        }
    }
    return true;
}

static oc__hlo_attr *make_dense(oc__parser *p, oc__hlo_dense **out_dense)
{
    oc__hlo_attr *attr = oc__parse_take(p, 1, sizeof *attr);
    *out_dense = oc__parse_take(p, 1, sizeof **out_dense);
    if (!attr || !*out_dense) {
        return NULL;
    }
    attr->kind = OC__ATTR_DENSE;
    attr->dense = *out_dense;
    return attr;
}

/* dense_resource<name> : type. The data stand in the trailer. */
static bool resource(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__hlo_dense *dense;
    oc__hlo_attr *attr = make_dense(p, &dense);
    if (!attr || !oc__parse_next(p) || !oc__expect(p, "<")) {
        return false;
    }
    oc__token name = p->token;
    if (name.kind != OC__TOKEN_BARE && name.kind != OC__TOKEN_STRING) {
        return oc__parse_expected(p, "the name of a resource");
    }
    *out_attr = attr;
    if (!oc__parse_next(p) || !oc__expect(p, ">") || !oc__expect(p, ":")) {
        return false;
    }
    const char *at = p->token.at;
    return oc__parse_type(p, &attr->type) && check_type(p, at, attr->type) &&
           oc__pending_resource(p, &name, attr->type, dense);
}

bool oc__parse_dense(oc__parser *p, const oc__hlo_attr **out_attr)
{
    if (oc__token_is(p, "dense_resource")) {
        return resource(p, out_attr);
    }
    oc__hlo_dense *dense;
    oc__hlo_attr *attr = make_dense(p, &dense);
    const char *start = p->token.at;
    // The '<' itself is looked at as a character: what follows may be no token.
    const char *open = oc__parse_blanks(start + p->token.size, p->end);
    if (!attr) {
        return false;
    }
    if (open == p->end || *open != '<') {
        return oc__parse_next(p) && oc__expect(p, "<");
    }
    const char *end = literal_end(open, p->end);
    if (!oc__parse_jump(p, end) || !oc__expect(p, ">") || !oc__expect(p, ":")) {
        return false;
    }
    const char *type_at = p->token.at;
    if (!oc__parse_type(p, &attr->type)) {
        return false;
    }
    if (attr->type->kind == OC__HLO_OTHER) {
        return oc__carried_attr(p, start, out_attr);
    }
    if (!check_type(p, type_at, attr->type)) {
        return false;
    }
    oc__token next = p->token;
    oc_dtype dtype = attr->type->dtype;
    const char *consumed = p->consumed;
    reader r = {.p = p, .at = open + 1, .end = end, .type = attr->type};
    r.is_complex = dtype == OC_C64 || dtype == OC_C128;
    r.is_float = oc__float_format_of(dtype);
    r.part_size = oc_dtype_host_bits(dtype) / 8 / (r.is_complex ? 2 : 1);
    if (!literal_body(&r, dense)) {
        return false;
    }
    p->token = next;
    p->consumed = consumed;
    *out_attr = attr;
    return true;
}
