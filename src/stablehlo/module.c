/* What is asked of a module. */
#include "stablehlo/parser_inner.h"

#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void oc__hlo_module_free(oc__hlo_module *module)
{
    if (module) {
        oc__arena_free(module->arena); // which the module itself lies in
    }
}

const oc__hlo_func *oc__hlo_func_find(const oc__hlo_module *module, const char *name)
{
    const oc__module_room *room = (const oc__module_room *)module;
    const oc__name *found = oc__names_find(&room->functions, name, strlen(name));
    return found ? module->funcs[found->number] : NULL;
}

oc__hlo_module *oc__hlo_derive(oc__arena *arena, const oc__hlo_module *from,
                               const oc__hlo_func *main)
{
    oc__module_room *room = oc__arena_take(arena, 1, sizeof *room);
    const oc__hlo_func **funcs = oc__arena_take(arena, from->func_count, sizeof *funcs);
    if (!room || !funcs) {
        return NULL;
    }
    *room = *(const oc__module_room *)from; // names are only looked up from here on
    for (size_t i = 0; i < from->func_count; i++) {
        funcs[i] = strcmp(from->funcs[i]->name, "main") == 0 ? main : from->funcs[i];
    }
    room->module.funcs = funcs;
    room->module.arena = arena;
    return &room->module;
}

oc_status oc__hlo_main(const oc__hlo_module *module, const oc__hlo_func **out_main,
                       oc_error *err)
{
    enum { NAMED = 8 };
    *out_main = oc__hlo_func_find(module, "main");
    if (*out_main && (*out_main)->body.op_count) {
        return OC_OK;
    }
    if (*out_main) {
        *out_main = NULL;
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: the function @main is only declared, it has no body",
                       module->file);
    }
    oc__strbuf names;
    oc__strbuf_init(&names, 1024);
    for (size_t i = 0; i < module->func_count && i < NAMED; i++) {
        oc__strbuf_addf(&names, "%s@%.80s", i ? ", " : "", module->funcs[i]->name);
    }
    oc_status status =
        OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                "%s: no function @main, with which a program starts; there %s %s%s",
                module->file, module->func_count == 1 ? "is" : "are",
                names.size ? names.data : "none",
                module->func_count > NAMED ? " and more" : "");
    oc__strbuf_free(&names);
    return status;
}

/* --- attributes --- */

static const oc__hlo_attr *named(const oc__hlo_named *entries, size_t count,
                                 const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].value;
        }
    }
    return NULL;
}

const oc__hlo_attr *oc__hlo_attr_get(const oc__hlo_op *op, const char *name)
{
    return named(op->attributes, op->attribute_count, name);
}

const oc__hlo_attr *oc__hlo_entry(const oc__hlo_attr *dict_or_struct, const char *name)
{
    bool has_entries = dict_or_struct && (dict_or_struct->kind == OC__ATTR_DICT ||
                                          dict_or_struct->kind == OC__ATTR_STRUCT);
    return has_entries ? named(dict_or_struct->entries, dict_or_struct->count, name)
                       : NULL;
}

int64_t oc__hlo_attr_int(const oc__hlo_op *op, const char *name, int64_t otherwise)
{
    const oc__hlo_attr *attr = oc__hlo_attr_get(op, name);
    return attr && attr->kind == OC__ATTR_INT ? attr->integer : otherwise;
}

bool oc__hlo_attr_flag(const oc__hlo_op *op, const char *name)
{
    const oc__hlo_attr *attr = oc__hlo_attr_get(op, name);
    return attr && (attr->kind == OC__ATTR_UNIT ||
                    (attr->kind == OC__ATTR_BOOL && attr->integer));
}

const char *oc__hlo_attr_text(const oc__hlo_op *op, const char *name,
                              const char *otherwise)
{
    const oc__hlo_attr *attr = oc__hlo_attr_get(op, name);
    bool has_text =
        attr && (attr->kind == OC__ATTR_STRING || attr->kind == OC__ATTR_ENUM ||
                 attr->kind == OC__ATTR_SYMBOL);
    return has_text ? attr->text : otherwise;
}

/* --- whole numbers --- */

enum { MAX_INTS = 1 << 24 }; // more than any list of dimensions or devices

static bool dtype_is_whole(oc_dtype dtype)
{
    return (dtype >= OC_PRED && dtype <= OC_U64) || dtype == OC_S4 || dtype == OC_U4 ||
           dtype == OC_S2 || dtype == OC_U2;
}

/* Element i of integer data, extended to 64 bits. */
static int64_t dense_integer(const oc__hlo_dense *dense, oc_dtype dtype, size_t i)
{
    size_t size = oc_dtype_host_bits(dtype) / 8;
    bool is_signed =
        (dtype >= OC_S8 && dtype <= OC_S64) || dtype == OC_S4 || dtype == OC_S2;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)dense->data + (dense->splat ? 0 : i * size), size);
    return is_signed ? oc__sign_extend(bits, (int)(8 * size)) : (int64_t)bits;
}

static size_t ints_count(const oc__hlo_attr *attr)
{
    size_t count = 0;
    switch (attr->kind) {
    case OC__ATTR_ARRAY: return attr->count;
    case OC__ATTR_DENSE: return oc__type_count(attr->type, &count) ? count : SIZE_MAX;
    default: return 0;
    }
}

oc_status oc__hlo_ints(const oc__hlo_module *module, const oc__hlo_attr *attr,
                       const int64_t **out_ints, size_t *out_count, oc_error *err)
{
    static const int64_t none[1];
    *out_ints = none;
    *out_count = 0;
    if (!attr) {
        return OC_OK;
    }
    if (attr->kind == OC__ATTR_INTS) {
        *out_ints = attr->count ? attr->ints : none;
        *out_count = attr->count;
        return OC_OK;
    }
    size_t count = ints_count(attr);
    bool whole = attr->kind == OC__ATTR_ARRAY ||
                 (attr->kind == OC__ATTR_DENSE && dtype_is_whole(attr->type->dtype));
    for (size_t i = 0; whole && attr->kind == OC__ATTR_ARRAY && i < count; i++) {
        oc__hlo_attr_kind kind = attr->items[i]->kind;
        whole = kind == OC__ATTR_INT || kind == OC__ATTR_BOOL;
    }
    if (!whole) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "expected whole numbers (array<i64: ...>, [...] or dense<...>)");
    }
    if (count > MAX_INTS) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "more than %d whole numbers in an attribute", MAX_INTS);
    }
    int64_t *ints = oc__arena_take(module->arena, count, sizeof *ints);
    if (!ints) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        ints[i] = attr->kind == OC__ATTR_ARRAY
                      ? attr->items[i]->integer
                      : dense_integer(attr->dense, attr->type->dtype, i);
    }
    *out_ints = ints;
    *out_count = count;
    return OC_OK;
}

oc_status oc__hlo_fail(const oc__hlo_module *module, const oc__hlo_op *op,
                       oc_error *err, oc_status status, oc_boundary boundary,
                       const char *format, ...)
{
    char text[OC_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return op ? OC_FAIL(err, status, boundary, "%s:%zu:%zu: %s", module->file, op->line,
                        op->column, text)
              : OC_FAIL(err, status, boundary, "%s: %s", module->file, text);
}
