/* The values of the function being read and the names that reach them. */
#include "stablehlo/parser_inner.h"

#include <stdio.h>
#include <string.h>

/* "%a" of a group of one, "%a#1" of a longer one, "" without a name. */
static const char *value_name(oc__parser *p, const oc__token *name, size_t index,
                              size_t count)
{
    char number[24] = "";
    if (!name) {
        return "";
    }
    if (count > 1) {
        snprintf(number, sizeof number, "#%zu", index);
    }
    return oc__parse_join(p, name->at, name->size, number, strlen(number));
}

static bool add_value(oc__parser *p, const oc__hlo_type *type, const char *name)
{
    oc__scope *scope = p->scope;
    size_t count = scope->value_count;
    scope->types = oc__list_grow(p, scope->types, count, sizeof *scope->types);
    scope->value_names =
        oc__list_grow(p, scope->value_names, count, sizeof *scope->value_names);
    if (!scope->types || !scope->value_names || !name) {
        return false;
    }
    scope->types[count] = type;
    scope->value_names[count] = name;
    scope->value_count++;
    return true;
}

static bool add_name(oc__parser *p, const oc__token *name, size_t first, size_t count)
{
    oc__scope *scope = p->scope;
    if (memchr(name->at, '#', name->size)) {
        return oc__parse_fail(p, OC_PARSE, name->at,
                              "a result's number is for uses: '%%name:2' makes two");
    }
    if (oc__names_find(&scope->names, name->at, name->size)) {
        return oc__parse_fail(p, OC_PARSE, name->at, "'%.*s' is defined already",
                              (int)name->size, name->at);
    }
    oc__name *added = oc__names_add(&scope->names, p->arena, name->at, name->size);
    scope->groups =
        oc__list_grow(p, scope->groups, scope->group_count, sizeof *scope->groups);
    if (!added || !scope->groups) {
        return oc__parse_fail(p, OC_NOMEM, name->at, "out of memory");
    }
    added->number = scope->group_count;
    scope->groups[scope->group_count++] = (struct oc__value_group){first, count};
    return true;
}

bool oc__scope_define(oc__parser *p, const oc__token *name,
                      const oc__hlo_type *const *types, size_t count, size_t *out_first)
{
    size_t first = p->scope->value_count;
    if (name && !add_name(p, name, first, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_value(p, types[i], value_name(p, name, i, count))) {
            return false;
        }
    }
    *out_first = first;
    return true;
}

bool oc__scope_find(oc__parser *p, const oc__token *token, size_t *out_value)
{
    const oc__scope *scope = p->scope;
    const char *hash = memchr(token->at, '#', token->size);
    size_t size = hash ? (size_t)(hash - token->at) : token->size, index = 0;
    const oc__name *name = oc__names_find(&scope->names, token->at, size);
    if (!name) {
        return oc__parse_fail(p, OC_PARSE, token->at,
                              "'%.*s' is not defined before this place", (int)size,
                              token->at);
    }
    const struct oc__value_group *group = &scope->groups[name->number];
    for (const char *digit = hash ? hash + 1 : NULL;
         digit && digit < token->at + token->size; digit++) {
        index = index < group->count ? index * 10 + (size_t)(*digit - '0') : index;
    }
    if (index >= group->count) {
        return oc__parse_fail(p, OC_PARSE, token->at,
                              "'%.*s' has %zu result%s, counted from 0", (int)size,
                              token->at, group->count, group->count == 1 ? "" : "s");
    }
    *out_value = group->first + index;
    return true;
}

void oc__scope_leave(oc__parser *p, size_t name_count)
{
    oc__names_drop(&p->scope->names, name_count);
}
