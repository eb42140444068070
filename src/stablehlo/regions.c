/* Blocks and regions. */
#include "stablehlo/parser_inner.h"

#include <string.h>

static bool add_region(oc__parser *p, oc__op_draft *op, const oc__hlo_region *region)
{
    if (op->region_count == OC__HLO_MAX_OPERANDS) {
        return oc__parse_fail(p, OC_LIMIT, op->at, "more than %d regions",
                              OC__HLO_MAX_OPERANDS);
    }
    op->regions = oc__list_grow(p, op->regions, op->region_count, sizeof *op->regions);
    if (!op->regions) {
        return false;
    }
    op->regions[op->region_count++] = region;
    return true;
}

bool oc__parse_label(oc__parser *p, oc__hlo_block *block)
{
    block->first_argument = p->scope->value_count;
    if (!oc__expect(p, "(")) {
        return false;
    }
    while (!oc__token_is(p, ")")) {
        size_t ignored;
        const oc__hlo_type *type;
        if (block->argument_count && !oc__expect(p, ",")) {
            return false;
        }
        oc__token name = p->token;
        if (name.kind != OC__TOKEN_VALUE) {
            return oc__parse_expected(p, "the name of an argument (%name)");
        }
        if (!oc__parse_next(p) || !oc__expect(p, ":") || !oc__parse_type(p, &type) ||
            !oc__parse_location(p) || !oc__scope_define(p, &name, &type, 1, &ignored)) {
            return false;
        }
        block->argument_count++;
    }
    return oc__parse_next(p);
}

bool oc__parse_ops(oc__parser *p, oc__hlo_block *block)
{
    const oc__hlo_op **ops = NULL, *last = NULL;
    while (!oc__token_is(p, "}")) {
        if (p->token.kind == OC__TOKEN_BLOCK) {
            return oc__parse_fail(p, OC_PARSE, p->token.at,
                                  "a second block: regions of StableHLO have one");
        }
        if (last && strcmp(last->name, "func.return") == 0) {
            return oc__parse_expected(p, "'}' after the return");
        }
        ops = oc__list_grow(p, ops, block->op_count, sizeof *ops);
        if (!ops || !oc__parse_op(p, &last)) {
            return false;
        }
        ops[block->op_count++] = last;
    }
    block->ops = ops;
    return true;
}

bool oc__parse_region(oc__parser *p, oc__op_draft *op, const oc__token *names,
                      const oc__hlo_type *const *types, size_t argument_count)
{
    size_t outside = p->scope->names.count, ignored;
    oc__hlo_region *region = oc__parse_take(p, 1, sizeof *region);
    if (!region || !oc__parse_enter(p) || !oc__expect(p, "{")) {
        return false;
    }
    oc__hlo_block *block = &region->block;
    block->first_argument = p->scope->value_count;
    for (size_t i = 0; i < argument_count; i++) {
        if (!oc__scope_define(p, &names[i], &types[i], 1, &ignored)) {
            return false;
        }
    }
    block->argument_count = argument_count;
    if (argument_count == 0 && p->token.kind == OC__TOKEN_BLOCK) {
        if (!oc__parse_next(p) ||
            (oc__token_is(p, "(") && !oc__parse_label(p, block)) ||
            !oc__expect(p, ":")) {
            return false;
        }
    }
    if (!oc__parse_ops(p, block) || !oc__expect(p, "}")) {
        return false;
    }
    oc__scope_leave(p, outside);
    oc__parse_leave(p);
    return add_region(p, op, region);
}

static bool applied_op(oc__parser *p, const oc__op_draft *holder, const char *name,
                       const size_t *operands, size_t operand_count,
                       const oc__hlo_type *result, const oc__hlo_op **out_op)
{
    oc__op_draft draft = {.name = name, .at = holder->at};
    size_t first = 0;
    oc__hlo_op *op;
    for (size_t i = 0; i < operand_count; i++) {
        if (!oc__draft_operand(p, &draft, operands[i], holder->at)) {
            return false;
        }
    }
    if (result && (!oc__draft_result(p, &draft, result) ||
                   !oc__scope_define(p, NULL, &result, 1, &first))) {
        return false;
    }
    if (!oc__draft_finish(p, &draft, first, &op)) {
        return false;
    }
    *out_op = op;
    return true;
}

bool oc__draft_applied_region(oc__parser *p, oc__op_draft *op, const char *applied,
                              const oc__hlo_type *const *element_types, size_t count)
{
    static const char *const names[] = {"%lhs", "%rhs"};
    oc__hlo_region *region = oc__parse_take(p, 1, sizeof *region);
    const oc__hlo_op **ops = oc__parse_take(p, 2, sizeof *ops);
    size_t arguments[2];
    if (count != 1) {
        return oc__parse_fail(p, OC_PARSE, op->at,
                              "'applies' is for one input, not for %zu", count);
    }
    if (!region || !ops) {
        return false;
    }
    const oc__hlo_type *type = element_types[0];
    for (size_t i = 0; i < 2; i++) {
        if (!oc__scope_define(p, NULL, &type, 1, &arguments[i])) {
            return false;
        }
        p->scope->value_names[arguments[i]] = names[i];
    }
    if (!applied_op(p, op, applied, arguments, 2, type, &ops[0]) ||
        !applied_op(p, op, "stablehlo.return", &ops[0]->first_result, 1, NULL,
                    &ops[1])) {
        return false;
    }
    region->block = (oc__hlo_block){
        .argument_count = 2, .first_argument = arguments[0], .op_count = 2, .ops = ops};
    return add_region(p, op, region);
}
