/* The new function: its types, operations (regions are copied with their values
 * renumbered) and the module around it. */
#include "reference/cut_inner.h"
#include "stablehlo/derive.h"
#include "stablehlo/print.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TYPE_TEXT = 1 << 24 };

/* --- types and attributes --- */

static const oc__hlo_quant *cut_quant(oc__cutter *c, const oc__hlo_quant *whole,
                                      const oc__grid *grid)
{
    if (!whole || whole->dimension < 0 || !grid->indices[whole->dimension]) {
        return whole;
    }
    size_t d = (size_t)whole->dimension, count = (size_t)grid->counts[d];
    oc__hlo_quant *quant = oc__cut_take_memory(c, c->arena, 1, sizeof *quant);
    double *scales = oc__cut_take_memory(c, c->arena, count, sizeof *scales);
    int64_t *zeros = oc__cut_take_memory(c, c->arena, count, sizeof *zeros);
    if (!quant || !scales || !zeros) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        scales[i] = whole->scales[grid->indices[d][i]];
        zeros[i] = whole->zero_points[grid->indices[d][i]];
    }
    *quant = *whole;
    quant->count = count;
    quant->scales = scales;
    quant->zero_points = zeros;
    return quant;
}

static bool write_text(oc__cutter *c, oc__hlo_type *type)
{
    oc__strbuf text;
    oc__strbuf_init(&text, MAX_TYPE_TEXT);
    oc__hlo_print_type(type, &text);
    type->text = text.failed ? NULL : oc__arena_text(c->arena, text.data, text.size);
    oc__strbuf_free(&text);
    return type->text || oc__cut_take_memory(c, c->arena, SIZE_MAX, SIZE_MAX);
}

const oc__hlo_type *oc__cut_type(oc__cutter *c, const oc__hlo_type *whole,
                                 const oc__grid *grid)
{
    if (oc__grid_is_whole(grid)) {
        return whole;
    }
    oc__hlo_type *type = oc__cut_take_memory(c, c->arena, 1, sizeof *type);
    int64_t *dims = oc__cut_take_memory(c, c->arena, grid->rank, sizeof *dims);
    const oc__hlo_quant *quant = cut_quant(c, whole->quant, grid);
    if (!type || !dims || (whole->quant && !quant)) {
        return NULL;
    }
    memcpy(dims, grid->counts, grid->rank * sizeof *dims);
    *type = *whole;
    type->dims = dims;
    type->quant = quant;
    type->encoding = NULL; // bounds of dimensions that are dynamic
    return write_text(c, type) ? type : NULL;
}

const oc__hlo_type *oc__cut_vector(oc__cutter *c, oc_dtype dtype, const int64_t *count)
{
    oc__hlo_type *type = oc__cut_take_memory(c, c->arena, 1, sizeof *type);
    int64_t *dims = oc__cut_take_memory(c, c->arena, 1, sizeof *dims);
    if (!type || !dims) {
        return NULL;
    }
    dims[0] = count ? *count : 0;
    *type = (oc__hlo_type){
        .kind = OC__HLO_TENSOR, .dtype = dtype, .rank = count ? 1 : 0, .dims = dims};
    return write_text(c, type) ? type : NULL;
}

const oc__hlo_type oc__cut_i64 = {
    .kind = OC__HLO_SCALAR, .dtype = OC_S64, .text = "i64"};

const oc__hlo_attr *oc__cut_ints(oc__cutter *c, const int64_t *ints, size_t count)
{
    oc__hlo_attr *attr = oc__cut_take_memory(c, c->arena, 1, sizeof *attr);
    int64_t *copy = oc__cut_take_memory(c, c->arena, count, sizeof *copy);
    if (!attr || !copy) {
        return NULL;
    }
    if (count > 0) {
        memcpy(copy, ints, count * sizeof *copy);
    }
    *attr = (oc__hlo_attr){.kind = OC__ATTR_INTS, .type = &oc__cut_i64};
    attr->count = count;
    attr->ints = copy;
    return attr;
}

bool oc__cut_constant(oc__cutter *c, const oc__hlo_op *place, oc_dtype dtype,
                      const int64_t *ints, const int64_t *count, size_t *out_number)
{
    size_t size = oc_dtype_host_bits(dtype) / 8, n = count ? (size_t)*count : 1;
    const oc__hlo_type *type = oc__cut_vector(c, dtype, count);
    oc__hlo_dense *dense = oc__cut_take_memory(c, c->arena, 1, sizeof *dense);
    oc__hlo_attr *attr = oc__cut_take_memory(c, c->arena, 1, sizeof *attr);
    unsigned char *data = oc__cut_take_memory(c, c->arena, n, size);
    oc__hlo_named *value = oc__cut_take_memory(c, c->arena, 1, sizeof *value);
    if (!type || !dense || !attr || !data || !value) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(data + i * size, &ints[i], size); // little endian
    }
    *dense = (oc__hlo_dense){.size_bytes = n * size, .data = data};
    *attr = (oc__hlo_attr){.kind = OC__ATTR_DENSE, .type = type};
    attr->dense = dense;
    *value = (oc__hlo_named){.name = "value", .value = attr};
    oc__cut_draft draft = {.name = "stablehlo.constant",
                           .result_types = &type,
                           .result_count = 1,
                           .attributes = value,
                           .attribute_count = 1};
    return oc__cut_add(c, place, &draft, out_number);
}

/* --- operations --- */

bool oc__cut_number(oc__cutter *c, const oc__hlo_type *type, size_t *out_number)
{
    const oc__hlo_type **types =
        oc__cut_room(c, c->types, c->type_count, &c->type_capacity, sizeof *types);
    if (!types) {
        return false;
    }
    c->types = types;
    *out_number = c->type_count;
    c->types[c->type_count++] = type;
    return true;
}

static bool copy_region(oc__cutter *c, oc__cut_frame *frame,
                        const oc__hlo_region *region, const oc__hlo_region **out);

/* An operation of the new function, its regions before its own results. */
static oc__hlo_op *make_op(oc__cutter *c, const oc__hlo_op *place,
                           const oc__cut_draft *draft)
{
    size_t regions = draft->frame ? place->region_count : 0;
    oc__hlo_op *op = oc__cut_take_memory(c, c->arena, 1, sizeof *op);
    size_t *operands =
        oc__cut_take_memory(c, c->arena, draft->operand_count, sizeof *operands);
    const oc__hlo_type **types =
        oc__cut_take_memory(c, c->arena, draft->result_count, sizeof *types);
    const oc__hlo_region **copies =
        oc__cut_take_memory(c, c->arena, regions, sizeof *copies);
    bool ok = op && operands && types && copies;
    for (size_t k = 0; ok && k < draft->operand_count; k++) {
        operands[k] = draft->operands[k];
        OC_ASSERT(operands[k] != OC__CUT_NONE);
    }
    for (size_t r = 0; ok && r < regions; r++) {
        ok = copy_region(c, draft->frame, place->regions[r], &copies[r]);
    }
    if (!ok) {
        return NULL;
    }
    *op = (oc__hlo_op){.name = draft->name,
                       .operand_count = draft->operand_count,
                       .operands = operands,
                       .result_count = draft->result_count,
                       .first_result = c->type_count,
                       .result_types = types,
                       .attribute_count = draft->attribute_count,
                       .attributes = draft->attributes,
                       .region_count = regions,
                       .regions = copies,
                       .line = place->line,
                       .column = place->column};
    for (size_t k = 0; ok && k < draft->result_count; k++) {
        size_t number;
        types[k] = draft->result_types[k];
        ok = oc__cut_number(c, types[k], &number);
    }
    return ok ? op : NULL;
}

static const oc__hlo_op *copy_op(oc__cutter *c, oc__cut_frame *frame,
                                 const oc__hlo_op *old)
{
    size_t *operands =
        oc__cut_take_memory(c, c->scratch, old->operand_count, sizeof *operands);
    for (size_t k = 0; operands && k < old->operand_count; k++) {
        size_t value = old->operands[k], flat = frame->flat[value];
        operands[k] =
            flat == OC__CUT_NONE ? frame->inner[value] : c->values[flat].number;
    }
    oc__cut_draft draft = {.name = old->name,
                           .operands = operands,
                           .operand_count = old->operand_count,
                           .result_types = old->result_types,
                           .result_count = old->result_count,
                           .attributes = old->attributes,
                           .attribute_count = old->attribute_count,
                           .frame = frame};
    oc__hlo_op *op = operands ? make_op(c, old, &draft) : NULL;
    for (size_t k = 0; op && k < old->result_count; k++) {
        frame->inner[old->first_result + k] = op->first_result + k;
    }
    return op;
}

static bool copy_region(oc__cutter *c, oc__cut_frame *frame,
                        const oc__hlo_region *region, const oc__hlo_region **out)
{
    const oc__hlo_block *old = &region->block;
    oc__hlo_region *copy = oc__cut_take_memory(c, c->arena, 1, sizeof *copy);
    const oc__hlo_op **ops =
        oc__cut_take_memory(c, c->arena, old->op_count, sizeof *ops);
    bool ok = copy && ops;
    if (ok) {
        copy->block = (oc__hlo_block){.argument_count = old->argument_count,
                                      .first_argument = c->type_count,
                                      .op_count = old->op_count,
                                      .ops = ops};
    }
    for (size_t i = 0; ok && i < old->argument_count; i++) {
        size_t value = old->first_argument + i;
        ok = oc__cut_number(c, frame->func->value_types[value], &frame->inner[value]);
    }
    for (size_t i = 0; ok && i < old->op_count; i++) {
        ops[i] = copy_op(c, frame, old->ops[i]);
        ok = ops[i] != NULL;
    }
    *out = copy;
    return ok;
}

bool oc__cut_add(oc__cutter *c, const oc__hlo_op *place, const oc__cut_draft *draft,
                 size_t *out_first)
{
    const oc__hlo_op **ops =
        oc__cut_room(c, c->ops, c->op_count, &c->op_capacity, sizeof *ops);
    oc__hlo_op *op = ops ? make_op(c, place, draft) : NULL;
    if (!op) {
        return false;
    }
    c->ops = ops;
    c->ops[c->op_count++] = op;
    *out_first = op->first_result;
    return true;
}

/* --- the module --- */

static const char *const *name_values(oc__cutter *c)
{
    enum { LONGEST = 24 };
    const char **names = oc__cut_take_memory(c, c->arena, c->type_count, sizeof *names);
    char *texts = oc__cut_take_memory(c, c->arena, c->type_count, LONGEST);
    for (size_t i = 0; names && texts && i < c->type_count; i++) {
        snprintf(texts + i * LONGEST, LONGEST, "%%%zu", i);
        names[i] = texts + i * LONGEST;
    }
    return texts ? names : NULL;
}

static void *keep(oc__cutter *c, const void *list, size_t count, size_t size)
{
    void *kept = oc__cut_take_memory(c, c->arena, count, size);
    if (kept && count > 0) {
        memcpy(kept, list, count * size);
    }
    return kept;
}

bool oc__cut_finish(oc__cutter *c, const oc__hlo_func *old, const size_t *arguments,
                    size_t argument_count, const size_t *results, size_t result_count,
                    oc__hlo_module **out_module)
{
    size_t nothing;
    oc__cut_draft end = {
        .name = "func.return", .operands = results, .operand_count = result_count};
    oc__hlo_func *func = oc__cut_take_memory(c, c->arena, 1, sizeof *func);
    const oc__hlo_named **attributes =
        oc__cut_take_memory(c, c->arena, argument_count, sizeof *attributes);
    size_t *counts = oc__cut_take_memory(c, c->arena, argument_count, sizeof *counts);
    const oc__hlo_type **types =
        oc__cut_take_memory(c, c->arena, result_count, sizeof *types);
    if (!func || !attributes || !counts || !types ||
        !oc__cut_add(c, old->body.ops[old->body.op_count - 1], &end, &nothing)) {
        return false;
    }
    for (size_t i = 0; i < argument_count; i++) {
        attributes[i] = old->argument_attributes[arguments[i]];
        counts[i] = old->argument_attribute_counts[arguments[i]];
    }
    for (size_t i = 0; i < result_count; i++) {
        types[i] = c->types[results[i]];
    }
    *func = *old;
    func->value_count = c->type_count;
    func->value_types = keep(c, c->types, c->type_count, sizeof *c->types);
    func->value_names = name_values(c);
    func->argument_types = func->value_types; // the arguments are the first values
    func->argument_attributes = attributes;
    func->argument_attribute_counts = counts;
    func->result_count = result_count;
    func->result_types = types;
    func->body = (oc__hlo_block){.argument_count = argument_count,
                                 .op_count = c->op_count,
                                 .ops = keep(c, c->ops, c->op_count, sizeof *c->ops)};
    bool ok = func->value_types && func->value_names && func->body.ops;
    if (ok && !oc__liveness(c->arena, func)) {
        ok = oc__cut_take_memory(c, c->arena, SIZE_MAX, SIZE_MAX);
    }
    oc__hlo_module *module = ok ? oc__hlo_derive(c->arena, c->module, func) : NULL;
    if (ok && !module) {
        ok = oc__cut_take_memory(c, c->arena, SIZE_MAX, SIZE_MAX);
    }
    *out_module = module;
    return ok;
}
