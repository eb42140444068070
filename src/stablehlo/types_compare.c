/* What is asked of types. */
#include "stablehlo/parser_inner.h"

#include "base/strbuf.h"
#include "stablehlo/print.h"

#include <string.h>

const oc__hlo_attr *oc__type_bounds(const oc__hlo_type *type)
{
    const oc__hlo_attr *encoding = type->encoding;
    const oc__hlo_attr *bounds = encoding ? oc__hlo_entry(encoding, "bounds") : NULL;
    return bounds && bounds->kind == OC__ATTR_INTS ? bounds : NULL;
}

static bool quant_equal(const oc__hlo_quant *a, const oc__hlo_quant *b)
{
    if (!a || !b) {
        return a == b;
    }
    return a->storage == b->storage && a->expressed == b->expressed &&
           a->storage_min == b->storage_min && a->storage_max == b->storage_max &&
           a->dimension == b->dimension && a->count == b->count &&
           memcmp(a->scales, b->scales, a->count * sizeof *a->scales) == 0 &&
           memcmp(a->zero_points, b->zero_points, a->count * sizeof *a->zero_points) ==
               0;
}

static bool encoding_equal(const oc__hlo_type *of_a, const oc__hlo_type *of_b)
{
    const oc__hlo_attr *a = of_a->encoding, *b = of_b->encoding;
    const oc__hlo_attr *a_bounds = oc__type_bounds(of_a);
    const oc__hlo_attr *b_bounds = oc__type_bounds(of_b);
    if (a_bounds && b_bounds) {
        return a_bounds->count == b_bounds->count &&
               memcmp(a_bounds->ints, b_bounds->ints,
                      a_bounds->count * sizeof *a_bounds->ints) == 0;
    }
    return a == b || (a && b && a->kind == b->kind && a->text && b->text &&
                      strcmp(a->text, b->text) == 0);
}

bool oc__type_equal(const oc__hlo_type *a, const oc__hlo_type *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank ||
        a->element_count != b->element_count || !quant_equal(a->quant, b->quant) ||
        !encoding_equal(a, b)) {
        return false;
    }
    for (size_t i = 0; i < a->rank; i++) {
        if (a->dims[i] != b->dims[i]) {
            return false;
        }
    }
    for (size_t i = 0; i < a->element_count; i++) {
        if (!oc__type_equal(a->elements[i], b->elements[i])) {
            return false;
        }
    }
    bool named = a->kind == OC__HLO_OTHER ||
                 (a->kind == OC__HLO_SCALAR && a->dtype == OC_DTYPE_INVALID);
    return !named || strcmp(a->text, b->text) == 0;
}

bool oc__type_count(const oc__hlo_type *type, size_t *out_count)
{
    size_t count = 1;
    bool empty = false;
    for (size_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0) {
            return false;
        }
        empty |= type->dims[i] == 0;
    }
    for (size_t i = 0; i < type->rank && !empty; i++) {
        if (!oc__size_mul(count, (size_t)type->dims[i], &count)) {
            return false;
        }
    }
    *out_count = empty ? 0 : count;
    return true;
}

const oc__hlo_type *oc__scalar_tensor(oc__parser *p, const oc__hlo_type *tensor)
{
    oc__strbuf text;
    oc__hlo_type *type = oc__make_type(p, OC__HLO_TENSOR);
    if (!type) {
        return NULL;
    }
    type->dtype = tensor->dtype;
    type->quant = tensor->quant;
    type->dims = oc__parse_take(p, 0, sizeof *type->dims);
    oc__strbuf_init(&text, SIZE_MAX / 2);
    oc__hlo_print_type(type, &text);
    type->text = text.failed ? NULL : oc__parse_copy(p, text.data, text.size);
    oc__strbuf_free(&text);
    return type->text ? type : NULL;
}
