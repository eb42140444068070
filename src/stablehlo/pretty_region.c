/* Pretty forms with regions: reduce, while, chlo.scan. */
#include "stablehlo/pretty.h"

#include <string.h>

/* Arguments of a region that the operation itself names: %name, with their types. */
typedef struct arguments {
    oc__token *names;
    const oc__hlo_type **types;
    size_t count;
} arguments;

static bool argument_name(oc__parser *p, arguments *list)
{
    if (p->token.kind != OC__TOKEN_VALUE) {
        return oc__parse_expected(p, "the name of an argument");
    }
    list->names = oc__list_grow(p, list->names, list->count, sizeof *list->names);
    list->types = oc__list_grow(p, list->types, list->count, sizeof *list->types);
    if (!list->names || !list->types) {
        return false;
    }
    list->names[list->count++] = p->token;
    return oc__parse_next(p);
}

/* a0 b0 a1 b1 ... becomes a0 a1 ... b0 b1 ... */
static bool split_pairs(oc__parser *p, void *items, size_t count, size_t size)
{
    if (count == 0) { // items may be NULL
        return true;
    }
    char *copy = oc__parse_take(p, count, size);
    if (!copy) {
        return false;
    }
    memcpy(copy, items, count * size);
    for (size_t i = 0; i < count; i++) {
        size_t to = i % 2 ? count / 2 + i / 2 : i / 2;
        memcpy((char *)items + to * size, copy + i * size, size);
    }
    return true;
}

/* (%a: type, %b: type) (%c: type, %d: type) { ... } */
static bool reducer(oc__parser *p, oc__op_draft *op)
{
    arguments list = {0};
    const char *at = p->token.at;
    while (oc__accept(p, "(")) {
        for (size_t i = 0; i < 2; i++) {
            if ((i == 1 && !oc__expect(p, ",")) || !argument_name(p, &list) ||
                !oc__expect(p, ":") ||
                !oc__parse_type(p, &list.types[list.count - 1]) ||
                !oc__parse_location(p)) {
                return false;
            }
        }
        if (!oc__expect(p, ")")) {
            return false;
        }
    }
    if (list.count != op->operand_count) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected %zu pairs of arguments, not %zu",
                              op->operand_count / 2, list.count / 2);
    }
    return split_pairs(p, list.names, list.count, sizeof *list.names) &&
           split_pairs(p, list.types, list.count, sizeof *list.types) &&
           oc__parse_region(p, op, list.names, list.types, list.count);
}

/* (%a init: %b), ... [applies op] across dimensions = [..] {..} : type [reducer...] */
bool oc__pretty_reduce(oc__parser *p, oc__op_draft *op)
{
    do {
        if (!oc__pretty_format(p, op, "( % init : % )")) {
            return false;
        }
    } while (oc__accept(p, ","));
    if (!split_pairs(p, op->operands, op->operand_count, sizeof *op->operands) ||
        !split_pairs(p, op->operand_places, op->operand_count,
                     sizeof *op->operand_places)) {
        return false;
    }
    static const char rest[] = "across dimensions = @ints:dimensions {} : @same";
    if (!oc__accept(p, "applies")) {
        return oc__pretty_format(p, op, rest) && oc__expect(p, "reducer") &&
               reducer(p, op);
    }
    oc__token word = p->token;
    if (word.kind != OC__TOKEN_BARE) {
        return oc__parse_expected(p, "the name of an operation");
    }
    const char *applied = oc__parse_copy(p, word.at, word.size);
    if (!applied) {
        return false;
    }
    if (op->operand_count != 2) {
        return oc__parse_fail(p, OC_PARSE, word.at,
                              "'applies' is for one input, not for %zu",
                              op->operand_count / 2);
    }
    if (!oc__parse_next(p) || !oc__pretty_format(p, op, rest)) {
        return false;
    }
    const oc__hlo_type *element = oc__scalar_tensor(p, oc__operand_type(p, op, 0));
    return element && oc__draft_applied_region(p, op, applied, &element, 1);
}

bool oc__pretty_body(oc__parser *p, oc__op_draft *op)
{
    arguments list = {0};
    if (!oc__expect(p, "(")) {
        return false;
    }
    while (!oc__token_is(p, ")")) {
        if ((list.count > 0 && !oc__expect(p, ",")) || !argument_name(p, &list) ||
            !oc__expect(p, ":") || !oc__parse_type(p, &list.types[list.count - 1]) ||
            !oc__parse_location(p)) {
            return false;
        }
    }
    return oc__parse_next(p) &&
           oc__parse_region(p, op, list.names, list.types, list.count);
}

/* (%a = %b, ...) : types [attributes {..}] cond { ... } do { ... } */
bool oc__pretty_while(oc__parser *p, oc__op_draft *op)
{
    arguments list = {0};
    if (!oc__expect(p, "(")) {
        return false;
    }
    if (!oc__token_is(p, ")")) {
        do {
            if (!argument_name(p, &list) || !oc__expect(p, "=") ||
                !oc__parse_operand(p, op)) {
                return false;
            }
        } while (oc__accept(p, ","));
    }
    if (!oc__expect(p, ")") || (list.count > 0 && !oc__expect(p, ":"))) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (i > 0 && !oc__expect(p, ",")) {
            return false;
        }
        const char *at = p->token.at;
        if (!oc__parse_type(p, &list.types[i]) ||
            !oc__draft_state(p, op, i, list.types[i], at) ||
            !oc__draft_result(p, op, list.types[i])) {
            return false;
        }
    }
    if (oc__accept(p, "attributes") && !oc__parse_optional_dict(p, op)) {
        return false;
    }
    return oc__expect(p, "cond") &&
           oc__parse_region(p, op, list.names, list.types, list.count) &&
           oc__expect(p, "do") &&
           oc__parse_region(p, op, list.names, list.types, list.count);
}

static bool segments(oc__parser *p, oc__op_draft *op, const char *name, size_t first,
                     size_t second)
{
    const int64_t sizes[] = {(int64_t)first, (int64_t)second};
    const oc__hlo_attr *attr =
        oc__pretty_retyped(p, oc__make_ints(p, sizes, 2), OC_S32);
    return attr && oc__draft_attr(p, op, name, attr);
}

/* (%a, ...) inits(%b, ...) dimension=0 [attributes {..}] { ... } : type */
bool oc__pretty_scan(oc__parser *p, oc__op_draft *op)
{
    if (!oc__pretty_format(p, op, "( %* )")) {
        return false;
    }
    size_t inputs = op->operand_count;
    if (!oc__pretty_format(p, op, "inits ( %* ) dimension = @int:dimension")) {
        return false;
    }
    size_t carries = op->operand_count - inputs;
    const char *at = op->at;
    if (!oc__pretty_format(p, op, "?attributes {} ? @regions : @same")) {
        return false;
    }
    if (op->result_type_count < carries) {
        return oc__parse_fail(p, OC_PARSE, at, "%s has %zu inits, but %zu results",
                              op->name, carries, op->result_type_count);
    }
    return segments(p, op, "operandSegmentSizes", inputs, carries) &&
           segments(p, op, "resultSegmentSizes", op->result_type_count - carries,
                    carries);
}
