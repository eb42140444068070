/* The text as a whole: modules, aliases, trailer. */
#include "stablehlo/parse.h"

#include "base/utf8.h"
#include "stablehlo/parser_inner.h"

#include <string.h>

static bool check_characters(oc__parser *p)
{
    const char *at = memchr(p->text, '\0', (size_t)(p->end - p->text));
    if (at) {
        return oc__parse_fail(p, OC_PARSE, at, "a NUL byte: this is no text");
    }
    for (at = p->text; at < p->end;) {
        uint64_t eight;
        if (p->end - at >= 8 &&
            (memcpy(&eight, at, 8), eight & 0x8080808080808080u) == 0) {
            at += 8;
            continue;
        }
        size_t length = oc__utf8_sequence(at, (size_t)(p->end - at));
        if (length == 0) {
            return oc__parse_fail(p, OC_PARSE, at, "this byte (0x%02X) is no UTF-8",
                                  (unsigned)(unsigned char)*at);
        }
        at += length;
    }
    return true;
}

/* --- modules --- */

static bool word_is_string(const oc__parser *p, const char *quoted)
{
    return p->token.kind == OC__TOKEN_STRING && p->token.size == strlen(quoted) &&
           memcmp(p->token.at, quoted, p->token.size) == 0;
}

static bool is_func(const oc__parser *p)
{
    return oc__token_is(p, "func.func") || word_is_string(p, "\"func.func\"");
}

static bool is_module(const oc__parser *p)
{
    return oc__token_is(p, "module") || oc__token_is(p, "builtin.module") ||
           word_is_string(p, "\"builtin.module\"");
}

/* Operations beside functions (sdy.mesh): read and dropped, with the calls in them. */
static bool other_op(oc__parser *p)
{
    oc__op_draft op = {.at = p->token.at};
    if (p->token.kind == OC__TOKEN_STRING) {
        size_t pending = p->pending->op_count;
        *p->scope = (oc__scope){.names = p->scope->names};
        if (!oc__parse_generic(p, &op)) {
            return false;
        }
        p->pending->op_count = pending;
        return oc__parse_location(p);
    }
    const char *name;
    size_t size;
    if (!oc__accept(p, "sdy.mesh")) {
        return oc__parse_expected(p, "a function (func.func) or a module");
    }
    return oc__parse_symbol(p, &name, &size) && oc__expect(p, "=") &&
           (oc__token_is(p, "<") || oc__expect(p, "<")) && oc__parse_skip_brackets(p) &&
           oc__parse_optional_dict(p, &op) && oc__parse_location(p);
}

static bool nested_module(oc__parser *p);

static bool module_items(oc__parser *p)
{
    while (!oc__token_is(p, "}")) {
        bool read = is_func(p)     ? oc__parse_func(p)
                    : is_module(p) ? nested_module(p)
                                   : other_op(p);
        if (!read) {
            return false;
        }
    }
    return true;
}

typedef struct head {
    const char *name; /* "" when there is none */
    const oc__hlo_named *attributes;
    size_t attribute_count;
    bool is_generic;
} head;

/* module @name attributes {..} {  or  "builtin.module"() <{..}> ({ */
static bool module_head(oc__parser *p, head *out)
{
    size_t size;
    *out = (head){.name = "", .is_generic = p->token.kind == OC__TOKEN_STRING};
    if (!oc__parse_next(p)) {
        return false;
    }
    if (!out->is_generic) {
        return (p->token.kind != OC__TOKEN_SYMBOL ||
                oc__parse_symbol(p, &out->name, &size)) &&
               (!oc__accept(p, "attributes") ||
                oc__parse_dict(p, &out->attributes, &out->attribute_count)) &&
               oc__expect(p, "{");
    }
    if (!oc__expect(p, "(") || !oc__expect(p, ")")) {
        return false;
    }
    if (oc__accept(p, "<") &&
        (!oc__parse_dict(p, &out->attributes, &out->attribute_count) ||
         !oc__expect(p, ">"))) {
        return false;
    }
    const oc__hlo_attr whole = {.kind = OC__ATTR_DICT,
                                .count = out->attribute_count,
                                .entries = out->attributes};
    const oc__hlo_attr *name = oc__hlo_entry(&whole, "sym_name");
    if (name && name->kind == OC__ATTR_STRING) {
        out->name = name->text;
    }
    return oc__expect(p, "(") && oc__expect(p, "{");
}

static bool module_tail(oc__parser *p, head *of)
{
    if (!oc__expect(p, "}")) {
        return false;
    }
    if (of->is_generic) {
        oc__op_draft draft = {.name = "builtin.module", .at = p->token.at};
        if (!oc__expect(p, ")") || !oc__parse_optional_dict(p, &draft) ||
            !oc__expect(p, ":") || !oc__parse_function_type(p, &draft)) {
            return false;
        }
        for (size_t i = 0; i < of->attribute_count; i++) {
            if (!oc__draft_attr(p, &draft, of->attributes[i].name,
                                of->attributes[i].value)) {
                return false;
            }
        }
        if (!oc__own_attributes(p, draft.attributes, draft.attribute_count,
                                &of->attributes, &of->attribute_count)) {
            return false;
        }
    }
    return oc__parse_location(p);
}

static bool nested_module(oc__parser *p)
{
    head of;
    const char *at = p->token.at, *outside = p->pending->prefix;
    if (!oc__parse_enter(p) || !module_head(p, &of)) {
        return false;
    }
    if (of.name[0] == '\0') {
        return oc__parse_fail(p, OC_PARSE, at, "a module within a module needs a name");
    }
    size_t length = strlen(outside) + strlen(of.name);
    const char *whole =
        oc__parse_join(p, outside, strlen(outside), of.name, strlen(of.name));
    const char *prefix = whole ? oc__parse_join(p, whole, length, "::", 2) : NULL;
    if (!prefix) {
        return false;
    }
    p->pending->prefix = prefix;
    if (!module_items(p) || !module_tail(p, &of)) {
        return false;
    }
    p->pending->prefix = outside;
    oc__parse_leave(p);
    return true;
}

static bool top_module(oc__parser *p)
{
    head of;
    if (!module_head(p, &of) || !module_items(p) || !module_tail(p, &of)) {
        return false;
    }
    p->module->name = of.name;
    p->module->attributes = of.attributes;
    p->module->attribute_count = of.attribute_count;
    return true;
}

/* #name = attribute, !name = type */
static bool alias(oc__parser *p)
{
    oc__token name = p->token;
    const oc__hlo_attr *attr = NULL;
    const oc__hlo_type *type = NULL;
    if (memchr(name.at, '.', name.size)) {
        return oc__parse_expected(p, "the name of an alias, without a point,");
    }
    if (oc__names_find(p->aliases, name.at, name.size)) {
        return oc__parse_fail(p, OC_PARSE, name.at, "'%.*s' is defined already",
                              (int)name.size, name.at);
    }
    if (!oc__parse_next(p) || !oc__expect(p, "=") ||
        !(name.kind == OC__TOKEN_HASH ? oc__parse_attr(p, &attr)
                                      : oc__parse_type(p, &type))) {
        return false;
    }
    oc__name *added = oc__names_add(p->aliases, p->arena, name.at, name.size);
    if (!added) {
        return oc__parse_fail(p, OC_NOMEM, name.at, "out of memory");
    }
    added->pointer = attr ? (const void *)attr : type;
    return true;
}

/* One module, or functions without one; aliases and the trailer around them. */
static bool whole_text(oc__parser *p)
{
    bool module_seen = false, others_seen = false;
    while (p->token.kind != OC__TOKEN_END) {
        oc__token_kind kind = p->token.kind;
        bool read;
        if (kind == OC__TOKEN_HASH || kind == OC__TOKEN_BANG) {
            read = alias(p);
        } else if (oc__token_is(p, "{-#")) {
            read = oc__parse_trailer(p);
        } else if (module_seen || (others_seen && is_module(p))) {
            read = oc__parse_expected(p, "the end of the text after the module");
        } else if (is_module(p)) {
            module_seen = true;
            read = top_module(p);
        } else {
            others_seen = true;
            read = is_func(p) ? oc__parse_func(p) : other_op(p);
        }
        if (!read) {
            return false;
        }
    }
    return module_seen || others_seen ||
           oc__parse_expected(p, "a module or a function (func.func)");
}

oc_status oc__hlo_parse(const char *text, size_t size, const char *file,
                        oc__hlo_module **out_module, oc_error *err)
{
    oc_error own = {0};
    oc__scope scope = {0};
    oc__names aliases = {0};
    oc__pending pending = {.prefix = ""};
    *out_module = NULL;
    if (size > OC__HLO_MAX_TEXT) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "%s: more than %d bytes of text (1 GiB)", file,
                       OC__HLO_MAX_TEXT);
    }
    oc__arena *arena = oc__arena_make();
    oc__module_room *room = arena ? oc__arena_take(arena, 1, sizeof *room) : NULL;
    const char *kept_file = room ? oc__arena_text(arena, file, strlen(file)) : NULL;
    if (!kept_file) {
        oc__arena_free(arena);
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "%s: out of memory", file);
    }
    room->module = (oc__hlo_module){.name = "", .file = kept_file, .arena = arena};
    oc__parser p = {.text = text,
                    .end = text + size,
                    .file = kept_file,
                    .token = {.at = text},
                    .module = &room->module,
                    .arena = arena,
                    .scope = &scope,
                    .aliases = &aliases,
                    .pending = &pending,
                    .err = &own};
    bool read = check_characters(&p) && oc__parse_next(&p) && whole_text(&p) &&
                own.status == OC_OK && oc__pending_check(&p);
    if (!read) {
        oc__arena_free(arena);
        if (err && err->status == OC_OK) {
            *err = own;
        }
        return own.status;
    }
    *out_module = &room->module;
    return OC_OK;
}
