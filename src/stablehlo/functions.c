/* Functions. */
#include "stablehlo/parser_inner.h"

#include <string.h>

/* A function while it is read: lists grow, so that it cannot be a constant yet. */
typedef struct draft {
    oc__hlo_func func;
    const oc__hlo_type **argument_types, **result_types;
    const oc__hlo_named **argument_attributes;
    size_t *attribute_counts;
    const char *at; /* of the name */
} draft;

static bool add_argument(oc__parser *p, draft *d, size_t index,
                         const oc__hlo_type *type)
{
    d->argument_types =
        oc__list_grow(p, d->argument_types, index, sizeof *d->argument_types);
    d->argument_attributes =
        oc__list_grow(p, d->argument_attributes, index, sizeof *d->argument_attributes);
    d->attribute_counts =
        oc__list_grow(p, d->attribute_counts, index, sizeof *d->attribute_counts);
    if (!d->argument_types || !d->argument_attributes || !d->attribute_counts) {
        return false;
    }
    d->argument_types[index] = type;
    d->argument_attributes[index] = NULL;
    d->attribute_counts[index] = 0;
    return true;
}

/* %a: type {attributes}, or only the type in a declaration. */
static bool argument(oc__parser *p, draft *d, size_t index, bool *out_named)
{
    const oc__hlo_type *type;
    size_t ignored;
    oc__token name = p->token;
    bool named = name.kind == OC__TOKEN_VALUE;
    if (index > 0 && named != *out_named) {
        return oc__parse_expected(p, named ? "a type" : "the name of an argument");
    }
    *out_named = named;
    if (named && (!oc__parse_next(p) || !oc__expect(p, ":"))) {
        return false;
    }
    if (!oc__parse_type(p, &type) || !add_argument(p, d, index, type)) {
        return false;
    }
    if (oc__token_is(p, "{") && !oc__parse_dict(p, &d->argument_attributes[index],
                                                &d->attribute_counts[index])) {
        return false;
    }
    return oc__parse_location(p) &&
           oc__scope_define(p, named ? &name : NULL, &type, 1, &ignored);
}

static bool arguments(oc__parser *p, draft *d, bool *out_named)
{
    if (!oc__expect(p, "(")) {
        return false;
    }
    size_t count = 0;
    for (; !oc__token_is(p, ")"); count++) {
        if ((count > 0 && !oc__expect(p, ",")) || !argument(p, d, count, out_named)) {
            return false;
        }
    }
    d->func.body.argument_count = count;
    return oc__parse_next(p);
}

static bool add_result(oc__parser *p, draft *d, const oc__hlo_type *type)
{
    size_t count = d->func.result_count;
    d->result_types = oc__list_grow(p, d->result_types, count, sizeof *d->result_types);
    if (!d->result_types) {
        return false;
    }
    d->result_types[count] = type;
    d->func.result_count++;
    return true;
}

/* -> type, -> (type {attributes}, ...); the attributes of results are read over. */
static bool function_results(oc__parser *p, draft *d)
{
    const oc__hlo_type *type;
    const oc__hlo_named *ignored;
    size_t ignored_count;
    if (!oc__accept(p, "->")) {
        return true;
    }
    if (!oc__token_is(p, "(")) {
        return oc__parse_type(p, &type) && add_result(p, d, type);
    }
    if (!oc__parse_next(p)) {
        return false;
    }
    while (!oc__token_is(p, ")")) {
        if ((d->func.result_count && !oc__expect(p, ",")) ||
            !oc__parse_type(p, &type) || !add_result(p, d, type) ||
            (oc__token_is(p, "{") && !oc__parse_dict(p, &ignored, &ignored_count))) {
            return false;
        }
    }
    return oc__parse_next(p);
}

/* The last operation returns what the function says. */
static bool check_return(oc__parser *p, const draft *d)
{
    const oc__hlo_func *func = &d->func;
    const oc__hlo_op *op =
        func->body.op_count ? func->body.ops[func->body.op_count - 1] : NULL;
    if (!op || strcmp(op->name, "func.return") != 0) {
        return oc__parse_expected(p, "a return at the end of the function");
    }
    if (op->operand_count != func->result_count) {
        return oc__parse_fail(p, OC_PARSE, d->at,
                              "@%s gives %zu result%s, but %zu "
                              "returned in line %zu",
                              func->name, func->result_count,
                              func->result_count == 1 ? "" : "s", op->operand_count,
                              op->line);
    }
    for (size_t i = 0; i < op->operand_count; i++) {
        const oc__hlo_type *is = p->scope->types[op->operands[i]];
        if (!oc__type_equal(is, d->result_types[i])) {
            return oc__parse_fail(p, OC_PARSE, d->at,
                                  "result %zu of @%s is %s, but %s is returned in line "
                                  "%zu",
                                  i, func->name, d->result_types[i]->text, is->text,
                                  op->line);
        }
    }
    return true;
}

/* The whole name, which nobody else has. */
static bool function_name(oc__parser *p, draft *d, const char *name, size_t size)
{
    oc__module_room *room = (oc__module_room *)p->module;
    const char *prefix = p->pending->prefix;
    size_t length = strlen(prefix);
    const char *whole = oc__parse_join(p, prefix, length, name, size);
    if (!whole) {
        return false;
    }
    d->func.name = whole;
    if (oc__names_find(&room->functions, whole, length + size)) {
        return oc__parse_fail(p, OC_PARSE, d->at, "a second function @%s", whole);
    }
    oc__name *added = oc__names_add(&room->functions, p->arena, whole, length + size);
    if (!added) {
        return oc__parse_fail(p, OC_NOMEM, d->at, "out of memory");
    }
    added->number = p->module->func_count;
    return true;
}

static bool finish(oc__parser *p, draft *d)
{
    oc__hlo_func *func = oc__parse_take(p, 1, sizeof *func);
    const oc__hlo_func **funcs =
        oc__list_grow(p, p->module->funcs, p->module->func_count, sizeof *funcs);
    if (!func || !funcs) {
        return false;
    }
    *func = d->func;
    func->argument_types = d->argument_types;
    func->argument_attributes = d->argument_attributes;
    func->argument_attribute_counts = d->attribute_counts;
    func->result_types = d->result_types;
    func->value_count = p->scope->value_count;
    func->value_types = p->scope->types;
    func->value_names = p->scope->value_names;
    oc__scope_leave(p, 0);
    funcs[p->module->func_count++] = func;
    p->module->funcs = funcs;
    return oc__liveness(p->arena, func) ||
           oc__parse_fail(p, OC_NOMEM, d->at, "out of memory");
}

/* func.func public @f(%a: type) -> type attributes {..} { ... } */
static bool pretty_func(oc__parser *p, draft *d)
{
    const char *name;
    size_t size;
    bool named = false;
    d->func.is_private = oc__token_is(p, "private");
    if ((oc__token_is(p, "public") || oc__token_is(p, "nested") ||
         oc__token_is(p, "private")) &&
        !oc__parse_next(p)) {
        return false;
    }
    d->at = p->token.at;
    if (!oc__parse_symbol(p, &name, &size) || !function_name(p, d, name, size) ||
        !arguments(p, d, &named) || !function_results(p, d)) {
        return false;
    }
    if (oc__accept(p, "attributes") &&
        !oc__parse_dict(p, &d->func.attributes, &d->func.attribute_count)) {
        return false;
    }
    oc__hlo_block *body = &d->func.body;
    if (!oc__token_is(p, "{") || (body->argument_count && !named)) {
        return true; // a declaration
    }
    return oc__parse_next(p) && oc__parse_ops(p, body) && check_return(p, d) &&
           oc__expect(p, "}");
}

bool oc__own_attributes(oc__parser *p, const oc__hlo_named *entries, size_t count,
                        const oc__hlo_named **out_entries, size_t *out_count)
{
    static const char *const inherent[] = {"sym_name", "sym_visibility",
                                           "function_type", "arg_attrs", "res_attrs"};
    oc__hlo_named *kept = NULL;
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool own = true;
        for (size_t k = 0; k < sizeof inherent / sizeof *inherent; k++) {
            own &= strcmp(entries[i].name, inherent[k]) != 0;
        }
        if (own) {
            kept = oc__list_grow(p, kept, *out_count, sizeof *kept);
            if (!kept) {
                return false;
            }
            kept[(*out_count)++] = entries[i];
        }
    }
    *out_entries = kept;
    return true;
}

/* arg_attrs = [{..}, {..}] */
static bool generic_arguments(oc__parser *p, draft *d, const oc__hlo_attr *attributes)
{
    size_t count = d->func.body.argument_count;
    bool some = attributes && attributes->kind == OC__ATTR_ARRAY;
    for (size_t i = 0; i < count; i++) {
        if (!add_argument(p, d, i, p->scope->types[i])) {
            return false;
        }
        const oc__hlo_attr *own =
            some && i < attributes->count ? attributes->items[i] : NULL;
        if (own && own->kind == OC__ATTR_DICT) {
            d->argument_attributes[i] = own->entries;
            d->attribute_counts[i] = own->count;
        }
    }
    return true;
}

/* "func.func"() <{sym_name = "f", function_type = ...}> ({ ^bb0(%a: type): ... }) */
static bool generic_func(oc__parser *p, draft *d)
{
    oc__op_draft op = {.at = p->token.at};
    d->at = p->token.at;
    if (!oc__parse_generic(p, &op)) {
        return false;
    }
    const oc__hlo_attr whole = {
        .kind = OC__ATTR_DICT, .count = op.attribute_count, .entries = op.attributes};
    const oc__hlo_attr *name = oc__hlo_entry(&whole, "sym_name");
    const oc__hlo_attr *visibility = oc__hlo_entry(&whole, "sym_visibility");
    if (!name || name->kind != OC__ATTR_STRING || op.region_count != 1) {
        return oc__parse_fail(p, OC_PARSE, d->at,
                              "expected a function with 'sym_name' and one region");
    }
    d->func.is_private = visibility && visibility->kind == OC__ATTR_STRING &&
                         strcmp(visibility->text, "private") == 0;
    d->func.body = op.regions[0]->block;
    if (!function_name(p, d, name->text, name->text_size) ||
        !oc__own_attributes(p, op.attributes, op.attribute_count, &d->func.attributes,
                            &d->func.attribute_count) ||
        !generic_arguments(p, d, oc__hlo_entry(&whole, "arg_attrs"))) {
        return false;
    }
    // The types of the results are those of what is returned.
    const oc__hlo_block *body = &d->func.body;
    const oc__hlo_op *last = body->op_count ? body->ops[body->op_count - 1] : NULL;
    for (size_t i = 0; last && i < last->operand_count; i++) {
        if (!add_result(p, d, p->scope->types[last->operands[i]])) {
            return false;
        }
    }
    return check_return(p, d);
}

bool oc__parse_func(oc__parser *p)
{
    draft d = {.at = p->token.at};
    oc__names names = p->scope->names;
    *p->scope = (oc__scope){.names = names};
    oc__parse_place(p, p->token.at, &d.func.line, &d.func.column);
    bool is_generic = p->token.kind == OC__TOKEN_STRING;
    return (is_generic ? generic_func(p, &d)
                       : oc__parse_next(p) && pretty_func(p, &d)) &&
           oc__parse_location(p) && finish(p, &d);
}
