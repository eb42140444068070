/* What can be checked only when all of the text was read: calls, symbols, resources. */
#include "stablehlo/parser_inner.h"

#include <string.h>

static const oc__names *functions(const oc__parser *p)
{
    return &((const oc__module_room *)p->module)->functions;
}

bool oc__pending_op(oc__parser *p, oc__hlo_op *op, const char *at)
{
    oc__pending *pending = p->pending;
    if (pending->prefix[0] == '\0' && strcmp(op->name, "func.call") != 0) {
        return true;
    }
    pending->ops =
        oc__list_grow(p, pending->ops, pending->op_count, sizeof *pending->ops);
    if (!pending->ops) {
        return false;
    }
    pending->ops[pending->op_count++] = (struct oc__pending_op){
        .op = op, .at = at, .prefix = pending->prefix, .func = p->module->func_count};
    return true;
}

/* --- symbols --- */

/* The function that a symbol means in the module of this prefix: the module's own, else
 * one of the modules around it. NULL: none; p->err is set when memory ran out. */
static const oc__hlo_func *resolve(oc__parser *p, const char *prefix,
                                   const oc__hlo_attr *symbol)
{
    for (size_t length = strlen(prefix);;) {
        size_t size = length + symbol->text_size;
        const char *whole =
            oc__parse_join(p, prefix, length, symbol->text, symbol->text_size);
        const oc__name *name = whole ? oc__names_find(functions(p), whole, size) : NULL;
        if (name) {
            return p->module->funcs[name->number];
        }
        if (!whole || length == 0) {
            return NULL;
        }
        length -= 2; // the module around: "a::b::" becomes "a::"
        while (length > 0 && prefix[length - 1] != ':') {
            length--;
        }
    }
}

static bool check_call(oc__parser *p, const struct oc__pending_op *call,
                       const oc__hlo_func *callee)
{
    const oc__hlo_op *op = call->op;
    const oc__hlo_type *const *values = p->module->funcs[call->func]->value_types;
    size_t takes = callee->body.argument_count;
    if (op->operand_count != takes) {
        return oc__parse_fail(p, OC_PARSE, call->at,
                              "@%s takes %zu argument%s, not %zu", callee->name, takes,
                              takes == 1 ? "" : "s", op->operand_count);
    }
    for (size_t i = 0; i < takes; i++) {
        const oc__hlo_type *is = values[op->operands[i]];
        if (!oc__type_equal(is, callee->argument_types[i])) {
            return oc__parse_fail(p, OC_PARSE, call->at,
                                  "argument %zu of @%s is %s, not %s", i, callee->name,
                                  callee->argument_types[i]->text, is->text);
        }
    }
    if (op->result_count != callee->result_count) {
        return oc__parse_fail(p, OC_PARSE, call->at, "@%s gives %zu result%s, not %zu",
                              callee->name, callee->result_count,
                              callee->result_count == 1 ? "" : "s", op->result_count);
    }
    for (size_t i = 0; i < op->result_count; i++) {
        if (!oc__type_equal(op->result_types[i], callee->result_types[i])) {
            return oc__parse_fail(
                p, OC_PARSE, call->at, "result %zu of @%s is %s, not %s", i,
                callee->name, callee->result_types[i]->text, op->result_types[i]->text);
        }
    }
    return true;
}

static bool check_op(oc__parser *p, const struct oc__pending_op *pending)
{
    const oc__hlo_op *op = pending->op;
    bool is_call = strcmp(op->name, "func.call") == 0;
    bool called = false;
    for (size_t i = 0; i < op->attribute_count; i++) {
        oc__hlo_named *named = (oc__hlo_named *)(uintptr_t)&op->attributes[i];
        bool is_callee = is_call && strcmp(named->name, "callee") == 0;
        if (named->value->kind != OC__ATTR_SYMBOL) {
            continue;
        }
        const oc__hlo_func *func = resolve(p, pending->prefix, named->value);
        if (is_callee && !func) {
            return oc__parse_fail(p, OC_PARSE, pending->at,
                                  "no function @%s is there to call",
                                  named->value->text);
        }
        if (is_callee && !check_call(p, pending, func)) {
            return false;
        }
        if (func && strcmp(func->name, named->value->text) != 0) {
            named->value =
                oc__make_word(p, OC__ATTR_SYMBOL, func->name, strlen(func->name));
            if (!named->value) {
                return false;
            }
        }
        called |= is_callee;
    }
    return !is_call || called ||
           oc__parse_fail(p, OC_PARSE, pending->at,
                          "func.call needs the attribute 'callee', a symbol");
}

/* --- resources --- */

bool oc__pending_resource(oc__parser *p, const oc__token *name,
                          const oc__hlo_type *type, oc__hlo_dense *dense)
{
    oc__pending *pending = p->pending;
    pending->resources = oc__list_grow(p, pending->resources, pending->resource_count,
                                       sizeof *pending->resources);
    if (!pending->resources) {
        return false;
    }
    pending->resources[pending->resource_count++] =
        (struct oc__pending_resource){.name = *name, .type = type, .dense = dense};
    return true;
}

static bool check_resource(oc__parser *p, const struct oc__pending_resource *resource)
{
    enum { ALIGNMENT_BYTES = 4 }; // MLIR: a blob begins with its alignment
    const oc__token *name = &resource->name;
    const oc__name *blob = oc__names_find(&p->pending->blobs, name->at, name->size);
    if (!blob) {
        return oc__parse_fail(p, OC_PARSE, name->at,
                              "no resource '%.*s' in the trailer of the text ({-# "
                              "dialect_resources: ... #-})",
                              (int)name->size, name->at);
    }
    return oc__dense_blob(p, blob->pointer, ALIGNMENT_BYTES, resource->type,
                          resource->dense);
}

static bool add_blob(oc__parser *p, const oc__token *key)
{
    oc__names *blobs = &p->pending->blobs;
    oc__token *blob = oc__parse_take(p, 1, sizeof *blob);
    if (!blob) {
        return false;
    }
    *blob = p->token;
    if (oc__names_find(blobs, key->at, key->size)) {
        return oc__parse_fail(p, OC_PARSE, key->at, "'%.*s' stands there twice",
                              (int)key->size, key->at);
    }
    oc__name *added = oc__names_add(blobs, p->arena, key->at, key->size);
    if (!added) {
        return oc__parse_fail(p, OC_NOMEM, key->at, "out of memory");
    }
    added->pointer = blob;
    return true;
}

/* key: value, ... up to `close`. Of builtin's resources the strings are kept, the rest
 * is read over. */
static bool trailer_entries(oc__parser *p, const char *close, bool of_resources,
                            bool of_builtin)
{
    if (!oc__parse_enter(p)) {
        return false;
    }
    for (size_t i = 0; !oc__token_is(p, close); i++) {
        if (i > 0 && !oc__expect(p, ",")) {
            return false;
        }
        oc__token key = p->token;
        bool is_resources = p->depth == 1 && oc__token_is(p, "dialect_resources");
        bool is_builtin = of_resources && oc__token_is(p, "builtin");
        if (key.kind != OC__TOKEN_BARE && key.kind != OC__TOKEN_STRING) {
            return oc__parse_expected(p, "a name");
        }
        if (!oc__parse_next(p) || !oc__expect(p, ":")) {
            return false;
        }
        if (oc__accept(p, "{")) {
            if (!trailer_entries(p, "}", is_resources, is_builtin)) {
                return false;
            }
            continue;
        }
        bool is_string = p->token.kind == OC__TOKEN_STRING;
        if (!is_string && p->token.kind != OC__TOKEN_BARE &&
            p->token.kind != OC__TOKEN_INTEGER) {
            return oc__parse_expected(p, "a string or '{'");
        }
        if ((of_builtin && is_string && !add_blob(p, &key)) || !oc__parse_next(p)) {
            return false;
        }
    }
    oc__parse_leave(p);
    return oc__parse_next(p);
}

bool oc__parse_trailer(oc__parser *p)
{
    return oc__parse_next(p) && trailer_entries(p, "#-}", false, false);
}

bool oc__pending_check(oc__parser *p)
{
    const oc__pending *pending = p->pending;
    for (size_t i = 0; i < pending->op_count; i++) {
        if (!check_op(p, &pending->ops[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < pending->resource_count; i++) {
        if (!check_resource(p, &pending->resources[i])) {
            return false;
        }
    }
    return true;
}
