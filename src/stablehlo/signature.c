#include "stablehlo/signature.h"

#include "stablehlo/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Texts of error messages: an oc_error holds no more. */
enum { LONGEST_TEXT = 4096 };

static void add_arguments(const oc__hlo_func *func, size_t first, size_t count,
                          oc__strbuf *out)
{
    for (size_t i = first; i < first + count; i++) {
        oc__strbuf_addf(out, "%s%s: ", i > first ? ", " : "", func->value_names[i]);
        oc__hlo_print_type(func->argument_types[i], out);
    }
}

void oc__signature_text(const oc__hlo_func *func, oc__strbuf *out)
{
    oc__strbuf_addf(out, "(");
    add_arguments(func, 0, func->body.argument_count, out);
    oc__strbuf_addf(out, ") -> (");
    for (size_t i = 0; i < func->result_count; i++) {
        oc__strbuf_addf(out, "%s", i > 0 ? ", " : "");
        oc__hlo_print_type(func->result_types[i], out);
    }
    oc__strbuf_addf(out, ")");
}

static const char *text_of(const oc__strbuf *text)
{
    return text->data ? text->data : "";
}

static oc_status count_fails(const oc__hlo_func *func, size_t input_count,
                             size_t processes, size_t wanted, oc_error *err)
{
    size_t arguments = func->body.argument_count;
    const char *verb = input_count == 1 ? "input is" : "inputs are";
    char of_processes[48] = "";
    if (processes > 1) {
        snprintf(of_processes, sizeof of_processes, " (%zu processes)", processes);
    }
    if (wanted == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "%zu %s given, but @%s takes none", input_count, verb,
                       func->name);
    }
    oc__strbuf list;
    oc__strbuf_init(&list, LONGEST_TEXT);
    oc_status rc;
    if (input_count > wanted) {
        add_arguments(func, 0, arguments, &list);
        rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                     "%zu %s given, but @%s takes %zu%s: %s", input_count, verb,
                     func->name, wanted, of_processes, text_of(&list));
    } else {
        size_t next = input_count % arguments;
        char from[48] = "";
        if (processes > 1) {
            snprintf(from, sizeof from, ", from process %zu on",
                     input_count / arguments);
        }
        add_arguments(func, next, arguments - next, &list);
        rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                     "%zu of %zu inputs of @%s are given%s; missing%s: %s", input_count,
                     wanted, func->name, of_processes, from, text_of(&list));
    }
    oc__strbuf_free(&list);
    return rc;
}

/* "tensor<2x3xf32>" of an array. */
static void add_tensor_type(const oc_tensor *tensor, oc__strbuf *out)
{
    const oc__hlo_type type = {.kind = OC__HLO_TENSOR,
                               .dtype = tensor->dtype,
                               .rank = tensor->rank,
                               .dims = tensor->dims,
                               .text = "an array of no type"};
    oc__hlo_print_type(&type, out);
}

/* NULL when the array fits, else what is wrong with it. */
static const char *misfit(const oc__hlo_type *type, const oc_tensor *input)
{
    if (type->kind != OC__HLO_TENSOR) {
        return "no array can be given for it";
    }
    if (input->dtype != type->dtype) {
        return "the element types differ";
    }
    if (input->rank != type->rank) {
        return "the numbers of dimensions differ";
    }
    const oc__hlo_attr *bounds =
        type->encoding ? oc__hlo_entry(type->encoding, "bounds") : NULL;
    for (size_t d = 0; d < type->rank; d++) {
        if (type->dims[d] != OC__HLO_DYNAMIC && input->dims[d] != type->dims[d]) {
            return "the dimensions differ";
        }
        if (bounds && bounds->kind == OC__ATTR_INTS && d < bounds->count &&
            bounds->ints[d] != OC__HLO_DYNAMIC && input->dims[d] > bounds->ints[d]) {
            return "a dimension exceeds its bound";
        }
    }
    return NULL;
}

static oc_status check_one(const oc__hlo_func *func, size_t argument, size_t process,
                           size_t processes, const oc_tensor *input, oc_error *err)
{
    const oc__hlo_type *type = func->argument_types[argument];
    const char *why = misfit(type, input);
    if (!why) {
        return OC_OK;
    }
    oc__strbuf wanted, given;
    oc__strbuf_init(&wanted, LONGEST_TEXT);
    oc__strbuf_init(&given, LONGEST_TEXT);
    oc__hlo_print_type(type, &wanted);
    add_tensor_type(input, &given);
    char of_process[48] = "";
    if (processes > 1) {
        snprintf(of_process, sizeof of_process, " of process %zu", process);
    }
    oc_status rc = OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                           "argument %zu (%s)%s of @%s is %s, but the input is %s: %s",
                           argument, func->value_names[argument], of_process,
                           func->name, text_of(&wanted), text_of(&given), why);
    oc__strbuf_free(&given);
    oc__strbuf_free(&wanted);
    return rc;
}

oc_status oc__signature_check(const oc__hlo_module *module, const oc__hlo_func *func,
                              const oc_tensor *inputs, size_t input_count,
                              size_t processes, oc_error *err)
{
    size_t arguments = func->body.argument_count, wanted;
    if (!oc__size_mul(arguments, processes, &wanted)) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "%s: %zu processes are too many", module->file, processes);
    }
    if (input_count != wanted) {
        oc_status rc = count_fails(func, input_count, processes, wanted, err);
        oc__error_prefix(err, "%s", module->file);
        return rc;
    }
    for (size_t i = 0; i < input_count; i++) {
        oc_status rc =
            check_one(func, i % arguments, i / arguments, processes, &inputs[i], err);
        if (rc != OC_OK) {
            oc__error_prefix(err, "%s", module->file);
            return rc;
        }
    }
    return OC_OK;
}
