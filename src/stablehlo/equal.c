/* Whether two modules say the same. Values are numbered in the order of their
 * definitions whatever the spelling, so equal modules have equal numbers. */
#include "stablehlo/parser_inner.h"
#include "stablehlo/print.h"

#include <string.h>

static bool attr_equal(const oc__hlo_attr *a, const oc__hlo_attr *b);

static bool text_equal(const oc__hlo_attr *a, const oc__hlo_attr *b)
{
    return a->text_size == b->text_size && memcmp(a->text, b->text, a->text_size) == 0;
}

/* A number without a type is an i64 or f64, as in a structure. */
static bool number_type_equal(const oc__hlo_attr *a, const oc__hlo_attr *b,
                              oc_dtype otherwise)
{
    oc_dtype a_dtype = a->type ? a->type->dtype : otherwise;
    oc_dtype b_dtype = b->type ? b->type->dtype : otherwise;
    return a->type && b->type ? oc__type_equal(a->type, b->type) : a_dtype == b_dtype;
}

static bool dense_equal(const oc__hlo_attr *a, const oc__hlo_attr *b)
{
    const oc__hlo_dense *x = a->dense, *y = b->dense;
    size_t size = oc_dtype_host_bits(a->type->dtype) / 8;
    if (!oc__type_equal(a->type, b->type) || size == 0) {
        return false;
    }
    if (x->splat == y->splat) {
        return x->size_bytes == y->size_bytes &&
               memcmp(x->data, y->data, x->size_bytes) == 0;
    }
    const char *one = x->splat ? x->data : y->data;
    const oc__hlo_dense *all = x->splat ? y : x;
    for (size_t at = 0; at < all->size_bytes; at += size) {
        if (memcmp((const char *)all->data + at, one, size) != 0) {
            return false;
        }
    }
    return all->size_bytes > 0;
}

static const oc__hlo_attr *find(const oc__hlo_named *entries, size_t count,
                                const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].value;
        }
    }
    return NULL;
}

/* Every entry of `a` is in `b`. Order means nothing. */
static bool entries_in(const oc__hlo_named *a, size_t a_count, const oc__hlo_named *b,
                       size_t b_count, bool empty_is_missing)
{
    for (size_t i = 0; i < a_count; i++) {
        const oc__hlo_attr *value = a[i].value, *other = find(b, b_count, a[i].name);
        bool is_empty = empty_is_missing && value->count == 0 &&
                        (value->kind == OC__ATTR_INTS || value->kind == OC__ATTR_ARRAY);
        if (other ? !attr_equal(value, other) : !is_empty) {
            return false;
        }
    }
    return true;
}

static bool named_equal(const oc__hlo_named *a, size_t a_count, const oc__hlo_named *b,
                        size_t b_count)
{
    return a_count == b_count && entries_in(a, a_count, b, b_count, false);
}

static bool items_equal(const oc__hlo_attr *a, const oc__hlo_attr *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        if (!attr_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return a->count == b->count && number_type_equal(a, b, OC_DTYPE_INVALID);
}

/* Zeros by their sign and NaNs by their bits. */
static bool real_equal(double a, double b)
{
    uint64_t a_bits, b_bits;
    memcpy(&a_bits, &a, sizeof a_bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    return a_bits == b_bits;
}

static bool attr_equal(const oc__hlo_attr *a, const oc__hlo_attr *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case OC__ATTR_UNIT: return true;
    case OC__ATTR_BOOL: return a->integer == b->integer;
    case OC__ATTR_INT:
        return a->integer == b->integer && number_type_equal(a, b, OC_S64);
    case OC__ATTR_FLOAT:
        return real_equal(a->real, b->real) && number_type_equal(a, b, OC_F64);
    case OC__ATTR_STRING:
    case OC__ATTR_SYMBOL:
    case OC__ATTR_ENUM:
    case OC__ATTR_OTHER: return text_equal(a, b);
    case OC__ATTR_TYPE: return oc__type_equal(a->type, b->type);
    case OC__ATTR_ARRAY: return items_equal(a, b);
    case OC__ATTR_INTS:
        return a->count == b->count && number_type_equal(a, b, OC_S64) &&
               (a->count == 0 ||
                memcmp(a->ints, b->ints, a->count * sizeof *a->ints) == 0);
    case OC__ATTR_DENSE: return dense_equal(a, b);
    case OC__ATTR_DICT: return named_equal(a->entries, a->count, b->entries, b->count);
    case OC__ATTR_STRUCT: /* lists that are empty may be left out */
        return text_equal(a, b) &&
               entries_in(a->entries, a->count, b->entries, b->count, true) &&
               entries_in(b->entries, b->count, a->entries, a->count, true);
    }
    return false;
}

static bool types_equal(const oc__hlo_type *const *a, const oc__hlo_type *const *b,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!oc__type_equal(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

static bool op_equal(const oc__hlo_op *a, const oc__hlo_op *b);

static bool block_equal(const oc__hlo_block *a, const oc__hlo_block *b)
{
    if (a->argument_count != b->argument_count || a->op_count != b->op_count ||
        (a->argument_count > 0 && a->first_argument != b->first_argument)) {
        return false;
    }
    for (size_t i = 0; i < a->op_count; i++) {
        if (!op_equal(a->ops[i], b->ops[i])) {
            return false;
        }
    }
    return true;
}

static bool op_equal(const oc__hlo_op *a, const oc__hlo_op *b)
{
    if (strcmp(a->name, b->name) != 0 || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || a->region_count != b->region_count ||
        (a->result_count > 0 && a->first_result != b->first_result) ||
        !types_equal(a->result_types, b->result_types, a->result_count) ||
        !named_equal(a->attributes, a->attribute_count, b->attributes,
                     b->attribute_count)) {
        return false;
    }
    for (size_t i = 0; i < a->operand_count; i++) {
        if (a->operands[i] != b->operands[i]) {
            return false;
        }
    }
    for (size_t i = 0; i < a->region_count; i++) {
        if (!block_equal(&a->regions[i]->block, &b->regions[i]->block)) {
            return false;
        }
    }
    return true;
}

static bool func_equal(const oc__hlo_func *a, const oc__hlo_func *b)
{
    if (strcmp(a->name, b->name) != 0 || a->is_private != b->is_private ||
        a->body.argument_count != b->body.argument_count ||
        a->result_count != b->result_count || a->value_count != b->value_count ||
        !types_equal(a->result_types, b->result_types, a->result_count) ||
        !types_equal(a->value_types, b->value_types, a->value_count) ||
        !named_equal(a->attributes, a->attribute_count, b->attributes,
                     b->attribute_count)) {
        return false;
    }
    for (size_t i = 0; i < a->body.argument_count; i++) {
        if (!named_equal(a->argument_attributes[i], a->argument_attribute_counts[i],
                         b->argument_attributes[i], b->argument_attribute_counts[i])) {
            return false;
        }
    }
    return block_equal(&a->body, &b->body);
}

bool oc__hlo_equal(const oc__hlo_module *a, const oc__hlo_module *b)
{
    if (strcmp(a->name, b->name) != 0 || a->func_count != b->func_count ||
        !named_equal(a->attributes, a->attribute_count, b->attributes,
                     b->attribute_count)) {
        return false;
    }
    for (size_t i = 0; i < a->func_count; i++) {
        if (!func_equal(a->funcs[i], b->funcs[i])) {
            return false;
        }
    }
    return true;
}
