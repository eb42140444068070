/* Modules, functions and operations as text. */
#include "stablehlo/print.h"
#include "stablehlo/printer.h"

#include <string.h>

static void print_indent(oc__strbuf *out, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        oc__print_text(out, "  ");
    }
}

/* %4, %7: values are named by their numbers. */
static void print_values(oc__strbuf *out, const size_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        oc__strbuf_addf(out, "%s%%%zu", i > 0 ? ", " : "", values[i]);
    }
}

static void print_types(oc__strbuf *out, const oc__hlo_type *const *types, size_t count)
{
    oc__print_text(out, "(");
    for (size_t i = 0; i < count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        oc__hlo_print_type(types[i], out);
    }
    oc__print_text(out, ")");
}

static void print_op(oc__strbuf *out, const oc__hlo_func *func, const oc__hlo_op *op,
                     size_t depth);

static void print_ops(oc__strbuf *out, const oc__hlo_func *func,
                      const oc__hlo_block *block, size_t depth)
{
    for (size_t i = 0; i < block->op_count; i++) {
        print_op(out, func, block->ops[i], depth);
    }
}

/* ({ ^bb0(%1: type): ... }, { ... }) */
static void print_regions(oc__strbuf *out, const oc__hlo_func *func,
                          const oc__hlo_op *op, size_t depth)
{
    for (size_t i = 0; i < op->region_count; i++) {
        const oc__hlo_block *block = &op->regions[i]->block;
        oc__print_text(out, i > 0 ? ", {\n" : " ({\n");
        if (block->argument_count > 0) {
            print_indent(out, depth);
            oc__print_text(out, "^bb0(");
            for (size_t a = 0; a < block->argument_count; a++) {
                size_t value = block->first_argument + a;
                oc__strbuf_addf(out, "%s%%%zu: ", a > 0 ? ", " : "", value);
                oc__hlo_print_type(func->value_types[value], out);
            }
            oc__print_text(out, "):\n");
        }
        print_ops(out, func, block, depth + 1);
        print_indent(out, depth);
        oc__print_text(out, "}");
    }
    oc__print_text(out, op->region_count > 0 ? ")" : "");
}

static void print_op(oc__strbuf *out, const oc__hlo_func *func, const oc__hlo_op *op,
                     size_t depth)
{
    print_indent(out, depth);
    for (size_t i = 0; i < op->result_count; i++) {
        size_t value = op->first_result + i;
        print_values(out, &value, 1);
        oc__print_text(out, i + 1 < op->result_count ? ", " : " = ");
    }
    oc__print_string(out, op->name, strlen(op->name));
    oc__print_text(out, "(");
    print_values(out, op->operands, op->operand_count);
    oc__print_text(out, ")");
    print_regions(out, func, op, depth);
    /* Not as properties, <{...}>: MLIR drops names from those that are not the
     * operation's own, and JAX puts such on custom calls. Here it takes either. */
    const char *dialect = strncmp(op->name, "chlo.", 5) == 0 ? "chlo" : "stablehlo";
    oc__print_dict(out, op->attributes, op->attribute_count, dialect, " {", "}");
    oc__print_text(out, " : (");
    for (size_t i = 0; i < op->operand_count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        oc__hlo_print_type(func->value_types[op->operands[i]], out);
    }
    oc__print_text(out, ") -> ");
    if (op->result_count == 1) {
        oc__hlo_print_type(op->result_types[0], out);
    } else {
        print_types(out, op->result_types, op->result_count);
    }
    oc__print_text(out, "\n");
}

/* `name` is the last part of the function's. */
static void print_func(oc__strbuf *out, const oc__hlo_func *func, const char *name,
                       size_t depth)
{
    print_indent(out, depth);
    oc__print_text(out, func->is_private ? "func.func private " : "func.func ");
    oc__print_symbol(out, name, strlen(name));
    oc__print_text(out, "(");
    for (size_t i = 0; i < func->body.argument_count; i++) {
        oc__print_text(out, i > 0 ? ", " : "");
        if (func->body.op_count > 0) { // a declaration's arguments have no names
            oc__strbuf_addf(out, "%%%zu: ", func->body.first_argument + i);
        }
        oc__hlo_print_type(func->argument_types[i], out);
        oc__print_dict(out, func->argument_attributes[i],
                       func->argument_attribute_counts[i], NULL, " {", "}");
    }
    oc__print_text(out, ") -> ");
    print_types(out, func->result_types, func->result_count);
    oc__print_dict(out, func->attributes, func->attribute_count, NULL, " attributes {",
                   "}");
    if (func->body.op_count > 0) {
        oc__print_text(out, " {\n");
        print_ops(out, func, &func->body, depth + 1);
        print_indent(out, depth);
        oc__print_text(out, "}");
    }
    oc__print_text(out, "\n");
}

/* The size of the next part of "outer::inner::f" with its "::"; 0 for the last one. */
static size_t part_size(const char *name)
{
    const char *end = strstr(name, "::");
    return end ? (size_t)(end - name) + 2 : 0;
}

static void close_modules(oc__strbuf *out, size_t *depth, size_t to)
{
    while (*depth > to) {
        print_indent(out, --*depth);
        oc__print_text(out, "}\n");
    }
}

/* Functions stand in the order of the text, so that a nested module's follow each
 * other: what the last function's name and this one's have in common stays open. */
static void print_funcs(oc__strbuf *out, const oc__hlo_module *module)
{
    const char *last = "";
    size_t depth = 1;
    for (size_t i = 0; i < module->func_count; i++) {
        const char *name = module->funcs[i]->name;
        size_t common = 1, size;
        while ((size = part_size(name)) > 0 && strncmp(name, last, size) == 0) {
            name += size;
            last += size;
            common++;
        }
        close_modules(out, &depth, common);
        while ((size = part_size(name)) > 0) {
            print_indent(out, depth++);
            oc__print_text(out, "module ");
            oc__print_symbol(out, name, size - 2);
            oc__print_text(out, " {\n");
            name += size;
        }
        print_func(out, module->funcs[i], name, depth);
        last = module->funcs[i]->name;
    }
    close_modules(out, &depth, 1);
}

void oc__hlo_print(const oc__hlo_module *module, oc__strbuf *out)
{
    oc__print_text(out, "module ");
    if (module->name[0]) {
        oc__print_symbol(out, module->name, strlen(module->name));
        oc__print_text(out, " ");
    }
    oc__print_dict(out, module->attributes, module->attribute_count, NULL,
                   "attributes {", "} ");
    oc__print_text(out, "{\n");
    print_funcs(out, module);
    oc__print_text(out, "}\n");
}
