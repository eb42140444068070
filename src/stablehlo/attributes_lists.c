/* Lists, arrays, dictionaries and structs of attributes. */
#include "stablehlo/parser_inner.h"

#include "tensor/float_format.h"

#include <string.h>

enum { MAX_ENTRIES = 4096 }; // of one dictionary; names are compared one by one

/* One whole number of a list: -1, true, or ? where dimensions may be unknown. */
static bool list_integer(oc__parser *p, int64_t *out_value)
{
    static const struct {
        const char *word;
        int64_t value;
    } words[] = {{"true", 1}, {"false", 0}, {"?", OC__HLO_DYNAMIC}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (oc__token_is(p, words[i].word)) {
            *out_value = words[i].value;
            return oc__parse_next(p);
        }
    }
    return oc__parse_integer(p, out_value);
}

/* Numbers up to (not including) `close`. */
static bool integers(oc__parser *p, const char *close, const oc__hlo_attr **out_attr)
{
    int64_t *ints = NULL;
    size_t count = 0;
    while (!oc__token_is(p, close)) {
        ints = oc__list_grow(p, ints, count, sizeof *ints);
        if (!ints || (count && !oc__expect(p, ",")) || !list_integer(p, &ints[count])) {
            return false;
        }
        count++;
    }
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_INTS);
    if (!attr) {
        return false;
    }
    attr->type = &oc__i64_type;
    attr->count = count;
    attr->ints = ints;
    *out_attr = attr;
    return true;
}

bool oc__parse_int_list(oc__parser *p, const oc__hlo_attr **out_attr)
{
    return oc__expect(p, "[") && integers(p, "]", out_attr) && oc__expect(p, "]");
}

bool oc__parse_list(oc__parser *p, oc__attr_reader item, const oc__hlo_attr **out_attr)
{
    const oc__hlo_attr **items = NULL;
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_ARRAY);
    if (!attr || !oc__expect(p, "[")) {
        return false;
    }
    while (!oc__token_is(p, "]")) {
        items = oc__list_grow(p, items, attr->count, sizeof *items);
        if (!items || (attr->count && !oc__expect(p, ",")) ||
            !item(p, &items[attr->count])) {
            return false;
        }
        attr->count++;
    }
    attr->items = items;
    *out_attr = attr;
    return oc__parse_next(p);
}

static bool float_item(oc__parser *p, const oc__hlo_type *type,
                       const oc__hlo_attr **out_attr)
{
    oc__literal literal;
    uint64_t bits;
    const char *at = p->token.at;
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_FLOAT);
    bool negative = oc__accept(p, "-");
    if (!attr) {
        return false;
    }
    if (p->token.kind != OC__TOKEN_FLOAT && p->token.kind != OC__TOKEN_INTEGER) {
        return oc__parse_expected(p, "a number with a point");
    }
    oc__literal_scan(p->token.at, p->end, &literal);
    literal.negative = negative;
    if ((!literal.is_float && !literal.is_hex) ||
        !oc__literal_float(&literal, type->dtype, &bits)) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected a number of '%s', with a point or in hex",
                              type->text);
    }
    attr->type = type;
    attr->real = oc__float_decode(type->dtype, bits);
    *out_attr = attr;
    return oc__parse_next(p);
}

bool oc__parse_packed_array(oc__parser *p, const oc__hlo_attr **out_attr)
{
    const oc__hlo_type *type;
    if (!oc__expect(p, "<")) {
        return false;
    }
    const char *at = p->token.at;
    if (!oc__parse_type(p, &type)) {
        return false;
    }
    bool is_float = type->kind == OC__HLO_SCALAR &&
                    (type->dtype == OC_F32 || type->dtype == OC_F64);
    bool is_int =
        type->kind == OC__HLO_SCALAR && !type->quant &&
        (type->dtype == OC_PRED || (type->dtype >= OC_S8 && type->dtype <= OC_S64));
    if (!is_float && !is_int) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected i1, i8, i16, i32, i64, f32 or f64, found '%s'",
                              type->text);
    }
    if (!oc__token_is(p, ">") && !oc__expect(p, ":")) {
        return false;
    }
    if (is_int) {
        if (!integers(p, ">", out_attr)) {
            return false;
        }
        ((oc__hlo_attr *)(uintptr_t)*out_attr)->type = type;
        return oc__parse_next(p);
    }
    const oc__hlo_attr **items = NULL;
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_ARRAY);
    if (!attr) {
        return false;
    }
    while (!oc__token_is(p, ">")) {
        items = oc__list_grow(p, items, attr->count, sizeof *items);
        if (!items || (attr->count && !oc__expect(p, ",")) ||
            !float_item(p, type, &items[attr->count])) {
            return false;
        }
        attr->count++;
    }
    attr->items = items;
    attr->type = type;
    *out_attr = attr;
    return oc__parse_next(p);
}

/* --- dictionaries and structs --- */

static bool entry_name(oc__parser *p, const char **out_name)
{
    size_t size;
    if (p->token.kind == OC__TOKEN_BARE) {
        *out_name = oc__parse_copy(p, p->token.at, p->token.size);
        return *out_name && oc__parse_next(p);
    }
    const char *at = p->token.at;
    if (p->token.kind != OC__TOKEN_STRING) {
        return oc__parse_expected(p, "the name of an attribute");
    }
    if (!oc__parse_string(p, out_name, &size)) {
        return false;
    }
    return (size > 0 && strlen(*out_name) == size) ||
           oc__parse_fail(p, OC_PARSE, at, "an empty name, or a NUL in it");
}

/* Reads `name = value` (or only the name, where `unit` says so) behind those that are
 * there. */
static bool entry(oc__parser *p, oc__hlo_named **entries, size_t count, bool unit,
                  oc__attr_reader value)
{
    *entries = oc__list_grow(p, *entries, count, sizeof **entries);
    if (!*entries) {
        return false;
    }
    const char *at = p->token.at;
    oc__hlo_named *made = &(*entries)[count];
    if (count == MAX_ENTRIES) {
        return oc__parse_fail(p, OC_LIMIT, at, "more than %d attributes in one place",
                              MAX_ENTRIES);
    }
    if (!entry_name(p, &made->name)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp((*entries)[i].name, made->name) == 0) {
            return oc__parse_fail(p, OC_PARSE, at, "'%s' stands there twice",
                                  made->name);
        }
    }
    if (unit && !oc__token_is(p, "=")) {
        made->value = oc__make_attr(p, OC__ATTR_UNIT);
        return made->value;
    }
    return oc__expect(p, "=") && value(p, &made->value);
}

bool oc__parse_dict(oc__parser *p, const oc__hlo_named **out_entries, size_t *out_count)
{
    oc__hlo_named *entries = NULL;
    size_t count = 0;
    if (!oc__expect(p, "{")) {
        return false;
    }
    while (!oc__token_is(p, "}")) {
        if ((count && !oc__expect(p, ",")) ||
            !entry(p, &entries, count, true, oc__parse_attr)) {
            return false;
        }
        count++;
    }
    *out_entries = entries;
    *out_count = count;
    return oc__parse_next(p);
}

/* A value within #dialect.name<...>: lists of whole numbers are INTS, words ENUM. */
static bool struct_value(oc__parser *p, const oc__hlo_attr **out_attr)
{
    if (oc__token_is(p, "[")) {
        if (!oc__parse_enter(p) || !oc__parse_list(p, struct_value, out_attr)) {
            return false;
        }
        oc__parse_leave(p);
        const oc__hlo_attr *items = *out_attr;
        int64_t *ints = oc__parse_take(p, items->count, sizeof *ints);
        if (!ints) {
            return false;
        }
        for (size_t i = 0; items->items && i < items->count; i++) {
            const oc__hlo_attr *item = items->items[i];
            if (item->kind != OC__ATTR_INT && item->kind != OC__ATTR_BOOL) {
                return true;
            }
            ints[i] = item->integer;
        }
        *out_attr = oc__make_ints(p, ints, items->count);
        return *out_attr;
    }
    if (oc__accept(p, "?")) {
        *out_attr = oc__make_int(p, OC__HLO_DYNAMIC);
        return *out_attr;
    }
    bool flag = oc__token_is(p, "true") || oc__token_is(p, "false");
    if (p->token.kind == OC__TOKEN_BARE && !flag && !oc__type_is_next(p)) {
        *out_attr = oc__make_word(p, OC__ATTR_ENUM, p->token.at, p->token.size);
        return *out_attr && oc__parse_next(p);
    }
    return oc__parse_attr(p, out_attr);
}

bool oc__parse_struct_body(oc__parser *p, const char *close, const char *name,
                           const oc__hlo_attr **out_attr)
{
    oc__hlo_named *entries = NULL;
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_STRUCT);
    if (!attr) {
        return false;
    }
    while (!oc__token_is(p, close)) {
        if ((attr->count && !oc__expect(p, ",")) ||
            !entry(p, &entries, attr->count, false, struct_value)) {
            return false;
        }
        attr->count++;
    }
    attr->text = name;
    attr->text_size = strlen(name);
    attr->entries = entries;
    *out_attr = attr;
    return true;
}

bool oc__parse_bounds(oc__parser *p, const oc__hlo_attr **out_attr)
{
    oc__hlo_named *made = oc__parse_take(p, 1, sizeof *made);
    oc__hlo_attr *attr = oc__make_attr(p, OC__ATTR_STRUCT);
    if (!made || !attr) {
        return false;
    }
    made->name = "bounds";
    attr->text = "stablehlo.bounds";
    attr->text_size = strlen(attr->text);
    attr->count = 1;
    attr->entries = made;
    *out_attr = attr;
    return integers(p, ">", &made->value);
}
