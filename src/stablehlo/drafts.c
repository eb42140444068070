/* Operations while they are read: operands, attributes, results, types. */
#include "stablehlo/parser_inner.h"

#include <string.h>

enum { MAX_ATTRIBUTES = 4096 }; // of one operation; names are compared one by one

/* --- drafts --- */

const oc__hlo_type *oc__operand_type(const oc__parser *p, const oc__op_draft *op,
                                     size_t index)
{
    return p->scope->types[op->operands[index]];
}

bool oc__draft_operand(oc__parser *p, oc__op_draft *op, size_t value, const char *at)
{
    size_t count = op->operand_count;
    if (count == OC__HLO_MAX_OPERANDS) {
        return oc__parse_fail(p, OC_LIMIT, at, "more than %d operands",
                              OC__HLO_MAX_OPERANDS);
    }
    op->operands = oc__list_grow(p, op->operands, count, sizeof *op->operands);
    op->operand_places =
        oc__list_grow(p, op->operand_places, count, sizeof *op->operand_places);
    if (!op->operands || !op->operand_places) {
        return false;
    }
    op->operands[count] = value;
    op->operand_places[count] = at;
    op->operand_count++;
    return true;
}

bool oc__parse_operand(oc__parser *p, oc__op_draft *op)
{
    size_t value;
    if (p->token.kind != OC__TOKEN_VALUE) {
        return oc__parse_expected(p, "a value (%name)");
    }
    return oc__scope_find(p, &p->token, &value) &&
           oc__draft_operand(p, op, value, p->token.at) && oc__parse_next(p);
}

bool oc__parse_operands(oc__parser *p, oc__op_draft *op)
{
    if (p->token.kind != OC__TOKEN_VALUE) {
        return true;
    }
    do {
        if (!oc__parse_operand(p, op)) {
            return false;
        }
    } while (oc__accept(p, ","));
    return true;
}

bool oc__draft_attr(oc__parser *p, oc__op_draft *op, const char *name,
                    const oc__hlo_attr *value)
{
    size_t count = op->attribute_count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(op->attributes[i].name, name) == 0) {
            return oc__parse_fail(p, OC_PARSE, op->at,
                                  "%s has the attribute '%s' twice", op->name, name);
        }
    }
    if (count == MAX_ATTRIBUTES) {
        return oc__parse_fail(p, OC_LIMIT, op->at, "more than %d attributes",
                              MAX_ATTRIBUTES);
    }
    op->attributes = oc__list_grow(p, op->attributes, count, sizeof *op->attributes);
    if (!op->attributes) {
        return false;
    }
    op->attributes[count] = (oc__hlo_named){.name = name, .value = value};
    op->attribute_count++;
    return true;
}

bool oc__draft_result(oc__parser *p, oc__op_draft *op, const oc__hlo_type *type)
{
    size_t count = op->result_type_count;
    if (count == OC__HLO_MAX_OPERANDS) {
        return oc__parse_fail(p, OC_LIMIT, op->at, "more than %d results",
                              OC__HLO_MAX_OPERANDS);
    }
    op->result_types =
        oc__list_grow(p, op->result_types, count, sizeof *op->result_types);
    if (!op->result_types) {
        return false;
    }
    op->result_types[count] = type;
    op->result_type_count++;
    return true;
}

bool oc__parse_optional_dict(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_named *entries;
    size_t count;
    if (!oc__token_is(p, "{")) {
        return true;
    }
    if (!oc__parse_dict(p, &entries, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!oc__draft_attr(p, op, entries[i].name, entries[i].value)) {
            return false;
        }
    }
    return true;
}

/* --- types of operands and results --- */

bool oc__draft_state(oc__parser *p, oc__op_draft *op, size_t index,
                     const oc__hlo_type *type, const char *at)
{
    if (index >= op->operand_count) {
        return oc__parse_fail(p, OC_PARSE, at, "%s has %zu operand%s, but more types",
                              op->name, op->operand_count,
                              op->operand_count == 1 ? "" : "s");
    }
    const oc__hlo_type *is = oc__operand_type(p, op, index);
    if (!oc__type_equal(is, type)) {
        return oc__parse_fail(p, OC_PARSE, op->operand_places[index],
                              "'%s' has type %s, but %s is stated for it",
                              p->scope->value_names[op->operands[index]], is->text,
                              type->text);
    }
    return true;
}

/* (types): each is stated for an operand, or is a result's. */
static bool type_list(oc__parser *p, oc__op_draft *op, bool of_results)
{
    size_t count = 0;
    const char *at = p->token.at;
    if (!oc__expect(p, "(")) {
        return false;
    }
    while (!oc__token_is(p, ")")) {
        const oc__hlo_type *type;
        if (count && !oc__expect(p, ",")) {
            return false;
        }
        const char *type_at = p->token.at;
        if (!oc__parse_type(p, &type) ||
            !(of_results ? oc__draft_result(p, op, type)
                         : oc__draft_state(p, op, count, type, type_at))) {
            return false;
        }
        count++;
    }
    if (!of_results && count != op->operand_count) {
        return oc__parse_fail(p, OC_PARSE, at, "%s has %zu operand%s, but %zu type%s",
                              op->name, op->operand_count,
                              op->operand_count == 1 ? "" : "s", count,
                              count == 1 ? "" : "s");
    }
    return oc__parse_next(p);
}

bool oc__parse_function_type(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_type *type;
    const char *at = p->token.at;
    bool one = !oc__token_is(p, "(");
    if (!one) {
        if (!type_list(p, op, false) || !oc__expect(p, "->")) {
            return false;
        }
        if (oc__token_is(p, "(")) {
            return type_list(p, op, true);
        }
    }
    if (!oc__parse_type(p, &type) || !oc__draft_result(p, op, type)) {
        return false;
    }
    for (size_t i = 0; one && i < op->operand_count; i++) {
        if (!oc__draft_state(p, op, i, type, at)) {
            return false;
        }
    }
    return true;
}

bool oc__draft_finish(oc__parser *p, const oc__op_draft *draft, size_t first_result,
                      oc__hlo_op **out_op)
{
    oc__hlo_op *op = oc__parse_take(p, 1, sizeof *op);
    if (!op) {
        return false;
    }
    *op = (oc__hlo_op){
        .name = draft->name,
        .operand_count = draft->operand_count,
        .operands = draft->operands,
        .result_count = draft->result_type_count,
        .first_result = first_result,
        .result_types = draft->result_types,
        .attribute_count = draft->attribute_count,
        .attributes = draft->attributes,
        .region_count = draft->region_count,
        .regions = draft->regions,
    };
    oc__parse_place(p, draft->at, &op->line, &op->column);
    *out_op = op;
    return true;
}
