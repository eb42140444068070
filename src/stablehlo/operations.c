/* Operations: results, the generic form, the pretty forms of func and sdy. */
#include "stablehlo/parser_inner.h"

#include <string.h>

bool oc__parse_generic(oc__parser *p, oc__op_draft *op)
{
    size_t size;
    const char *at = p->token.at;
    if (!oc__parse_string(p, &op->name, &size)) {
        return false;
    }
    if (size == 0 || strlen(op->name) != size) {
        return oc__parse_fail(p, OC_PARSE, at, "an empty name, or a NUL in it");
    }
    if (!oc__expect(p, "(") || !oc__parse_operands(p, op) || !oc__expect(p, ")")) {
        return false;
    }
    if (oc__token_is(p, "[")) {
        return oc__parse_fail(p, OC_PARSE, p->token.at,
                              "successor blocks: regions of StableHLO have one block");
    }
    if (oc__accept(p, "<") &&
        (!oc__token_is(p, "{")
             ? !oc__expect(p, "{")
             : !oc__parse_optional_dict(p, op) || !oc__expect(p, ">"))) {
        return false;
    }
    if (oc__accept(p, "(")) {
        do {
            if (!oc__parse_region(p, op, NULL, NULL, 0)) {
                return false;
            }
        } while (oc__accept(p, ","));
        if (!oc__expect(p, ")")) {
            return false;
        }
    }
    if (!oc__parse_optional_dict(p, op) || !oc__expect(p, ":")) {
        return false;
    }
    return oc__token_is(p, "(") ? oc__parse_function_type(p, op)
                                : oc__parse_expected(p, "'(' and the operands' types");
}

/* return %a, %b : type, type */
static bool pretty_return(oc__parser *p, oc__op_draft *op)
{
    size_t count = 0;
    if (!oc__parse_optional_dict(p, op) || !oc__parse_operands(p, op) ||
        !oc__parse_optional_dict(p, op)) {
        return false;
    }
    if (op->operand_count == 0) {
        return true;
    }
    if (!oc__expect(p, ":")) {
        return false;
    }
    do {
        const oc__hlo_type *type;
        const char *at = p->token.at;
        if (!oc__parse_type(p, &type) || !oc__draft_state(p, op, count, type, at)) {
            return false;
        }
        count++;
    } while (oc__accept(p, ","));
    return count == op->operand_count || oc__parse_expected(p, "',' and a type");
}

/* call @f(%a) : (type) -> type */
static bool pretty_call(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_attr *callee;
    if (p->token.kind != OC__TOKEN_SYMBOL) {
        return oc__parse_expected(p, "the function to call (@name)");
    }
    if (!oc__parse_attr(p, &callee) || !oc__draft_attr(p, op, "callee", callee) ||
        !oc__expect(p, "(") || !oc__parse_operands(p, op) || !oc__expect(p, ")") ||
        !oc__parse_optional_dict(p, op) || !oc__expect(p, ":")) {
        return false;
    }
    return oc__token_is(p, "(") ? oc__parse_function_type(p, op)
                                : oc__parse_expected(p, "'(' and the operands' types");
}

static bool pretty(oc__parser *p, oc__op_draft *op)
{
    static const struct {
        const char *word, *name;
        oc__pretty_fn read;
    } core[] = {
        {"return", "func.return", pretty_return},
        {"func.return", "func.return", pretty_return},
        {"stablehlo.return", "stablehlo.return", pretty_return},
        {"call", "func.call", pretty_call},
        {"func.call", "func.call", pretty_call},
        {"sdy.return", "sdy.return", pretty_return},
    };
    for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
        if (oc__token_is(p, core[i].word)) {
            op->name = core[i].name;
            return oc__parse_next(p) && core[i].read(p, op);
        }
    }
    op->name = oc__parse_copy(p, p->token.at, p->token.size);
    oc__pretty_fn read = op->name ? oc__pretty_find(op->name) : NULL;
    if (op->name && !read) {
        return oc__parse_fail(p, OC_PARSE, p->token.at,
                              "no operation '%s' with a form of its own: write it in "
                              "the generic form, \"%s\"(...) : (...) -> ...",
                              op->name, op->name);
    }
    return op->name && oc__parse_next(p) && read(p, op);
}

/* %a, %b:2 = : the names with the numbers of their results. */
typedef struct results {
    oc__token *names;
    size_t *counts;
    size_t count;
} results;

static bool result_names(oc__parser *p, results *list, size_t *out_total)
{
    do {
        int64_t count = 1;
        if (p->token.kind != OC__TOKEN_VALUE) {
            return oc__parse_expected(p, "the name of a result (%name)");
        }
        list->names = oc__list_grow(p, list->names, list->count, sizeof *list->names);
        list->counts =
            oc__list_grow(p, list->counts, list->count, sizeof *list->counts);
        if (!list->names || !list->counts) {
            return false;
        }
        list->names[list->count] = p->token;
        if (!oc__parse_next(p)) {
            return false;
        }
        const char *at = p->token.at;
        if (oc__accept(p, ":")) {
            at = p->token.at;
            if (!oc__parse_integer(p, &count)) {
                return false;
            }
        }
        if (count < 1 || count > OC__HLO_MAX_OPERANDS ||
            *out_total + (size_t)count > OC__HLO_MAX_OPERANDS) {
            return oc__parse_fail(p, count < 1 ? OC_PARSE : OC_LIMIT, at,
                                  "expected 1 to %d results", OC__HLO_MAX_OPERANDS);
        }
        list->counts[list->count++] = (size_t)count;
        *out_total += (size_t)count;
    } while (oc__accept(p, ","));
    return oc__expect(p, "=");
}

static bool define_results(oc__parser *p, const oc__op_draft *draft,
                           const results *list, size_t *out_first)
{
    size_t done = 0, ignored;
    *out_first = p->scope->value_count;
    if (draft->result_count == 0) {
        return oc__scope_define(p, NULL, draft->result_types, draft->result_type_count,
                                &ignored);
    }
    if (draft->result_count != draft->result_type_count) {
        return oc__parse_fail(p, OC_PARSE, list->count ? list->names[0].at : draft->at,
                              "%s has %zu result%s, but names stand here for %zu",
                              draft->name, draft->result_type_count,
                              draft->result_type_count == 1 ? "" : "s",
                              draft->result_count);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (!oc__scope_define(p, &list->names[i], draft->result_types + done,
                              list->counts[i], &ignored)) {
            return false;
        }
        done += list->counts[i];
    }
    return true;
}

bool oc__parse_op(oc__parser *p, const oc__hlo_op **out_op)
{
    oc__op_draft draft = {.at = p->token.at};
    results list = {0};
    size_t first;
    oc__hlo_op *op;
    if (p->token.kind == OC__TOKEN_VALUE &&
        !result_names(p, &list, &draft.result_count)) {
        return false;
    }
    draft.at = p->token.at;
    bool is_generic = p->token.kind == OC__TOKEN_STRING;
    if (!is_generic && p->token.kind != OC__TOKEN_BARE) {
        return oc__parse_expected(p, "an operation");
    }
    if (!(is_generic ? oc__parse_generic(p, &draft) : pretty(p, &draft)) ||
        !oc__parse_location(p) || !define_results(p, &draft, &list, &first) ||
        !oc__draft_finish(p, &draft, first, &op) || !oc__pending_op(p, op, draft.at)) {
        return false;
    }
    *out_op = op;
    return true;
}
