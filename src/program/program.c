#include "program/program.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "stablehlo/parse.h"
#include "stablehlo/signature.h"
#include "tensor/npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t max_input_bytes = (size_t)1 << 36;
enum { MAX_TENSOR_TEXT = 1024 };

oc_status oc__program_open(const char *path, oc__program *out_program, oc_error *err)
{
    *out_program = (oc__program){.replicas = 1, .partitions = 1};
    oc_status rc = oc__file_read(path, OC__HLO_MAX_TEXT, &out_program->text,
                                 &out_program->text_size, err);
    if (rc == OC_OK) {
        const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
        out_program->path = strdup(name);
        oc__sha256_hex(out_program->text, out_program->text_size, out_program->sha256);
        rc = oc__hlo_parse(out_program->text, out_program->text_size, name,
                           &out_program->module, err);
    }
    if (rc == OC_OK) {
        rc = oc__hlo_main(out_program->module, &out_program->main, err);
    }
    if (rc == OC_OK && !out_program->path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    if (rc != OC_OK) {
        oc__program_close(out_program);
    }
    return rc;
}

void oc__program_close(oc__program *program)
{
    for (size_t i = 0; i < program->input_count; i++) {
        free(program->inputs[i].source);
        oc_tensor_free(&program->tensors[i]);
    }
    free(program->inputs);
    free(program->tensors);
    oc__hlo_module_free(program->module);
    free(program->text);
    free(program->path);
    *program = (oc__program){0};
}

/* "random:SEED[:SET]"; false when it is none, *err is set when it is one that is wrong.
 */
static bool is_random(const char *source)
{
    return strncmp(source, "random:", 7) == 0;
}

static oc_status make_random(const char *source, size_t index, const oc__hlo_type *type,
                             oc_tensor *out_tensor, oc_error *err)
{
    char *end = NULL;
    errno = 0;
    unsigned long long seed = strtoull(source + 7, &end, 10);
    if (errno != 0 || end == source + 7 || (*end != '\0' && *end != ':')) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "input '%s' is not random:SEED or random:SEED:SET", source);
    }
    // Every argument has a stream of its own.
    uint64_t stream = (uint64_t)seed * 0x9E3779B97F4A7C15U + index;
    return oc__program_random(type, *end ? end + 1 : "normal", stream, out_tensor, err);
}

static oc_status take_input(oc__program *program, size_t index, const char *source,
                            oc_error *err)
{
    const oc__hlo_func *main = program->main;
    const oc__hlo_type *type = main->argument_types[index % main->body.argument_count];
    oc__program_input *input = &program->inputs[index];
    oc_tensor *tensor = &program->tensors[index];
    oc_status rc = is_random(source)
                       ? make_random(source, index, type, tensor, err)
                       : oc__npy_read(source, type->dtype, max_input_bytes, tensor,
                                      &input->assumed, err);
    if (rc == OC_OK) {
        oc__sha256_hex(tensor->data, tensor->size_bytes, input->sha256);
        input->source = strdup(source);
        rc = input->source ? OC_OK
                           : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    return rc;
}

/* Exports of shape-polymorphic functions begin with their dimension variables: scalars
 * of i64 whose values follow from the shapes of the arguments behind them. How many of
 * them the given inputs leave out; 0 when they leave out something else. */
static size_t left_out_variables(const oc__program *program, size_t given)
{
    const oc__hlo_func *main = program->main;
    size_t missing = main->body.argument_count - given;
    for (size_t i = 0; i < missing; i++) {
        const oc__hlo_type *type = main->argument_types[i];
        if (type->kind != OC__HLO_TENSOR || type->dtype != OC_S64 || type->rank != 0) {
            return 0;
        }
    }
    return missing;
}

/* The one value that every `?` has in the inputs from `first` on; false when there is
 * no such value. */
static bool common_dimension(const oc__program *program, size_t first,
                             int64_t *out_value)
{
    bool found = false;
    for (size_t i = first; i < program->input_count; i++) {
        const oc__hlo_type *type = program->main->argument_types[i];
        for (size_t k = 0; k < type->rank && type->rank == program->tensors[i].rank;
             k++) {
            if (type->dims[k] != OC__HLO_DYNAMIC) {
                continue;
            }
            if (found && program->tensors[i].dims[k] != *out_value) {
                return false;
            }
            *out_value = program->tensors[i].dims[k];
            found = true;
        }
    }
    return found;
}

static oc_status fill_variables(oc__program *program, size_t count, oc_error *err)
{
    int64_t value = 0;
    oc_status rc = OC_OK;
    if (count > 0 && !common_dimension(program, count, &value)) {
        return OC_FAIL(
            err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
            "the first %zu arguments of @main are dimension variables (i64); "
            "the shapes of the inputs do not give them one value, so give "
            "them as inputs too",
            count);
    }
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        oc_tensor *tensor = &program->tensors[i];
        rc = oc_tensor_make(OC_S64, NULL, 0, tensor, err);
        if (rc == OC_OK) {
            memcpy(tensor->data, &value, sizeof value);
            oc__sha256_hex(tensor->data, tensor->size_bytes, program->inputs[i].sha256);
            program->inputs[i].source = strdup("from the shapes of the other inputs");
            rc = program->inputs[i].source
                     ? OC_OK
                     : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
        }
    }
    return rc;
}

static oc_status set_grid(oc__program *program, const oc_program_request *request,
                          oc_error *err)
{
    program->replicas = request->replicas ? request->replicas : 1;
    program->partitions = request->partitions ? request->partitions : 1;
    if (program->replicas > OC__PROGRAM_MAX_PROCESSES ||
        program->partitions > OC__PROGRAM_MAX_PROCESSES / program->replicas) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%zu replicas of %zu partitions; at most %d processes in all",
                       program->replicas, program->partitions,
                       OC__PROGRAM_MAX_PROCESSES);
    }
    return OC_OK;
}

oc_status oc__program_inputs(oc__program *program, const oc_program_request *request,
                             oc_error *err)
{
    oc_status rc = set_grid(program, request, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t processes = program->replicas * program->partitions;
    size_t wanted = program->main->body.argument_count * processes;
    size_t given = request->input_count;
    const char *last = given ? request->inputs[given - 1] : NULL;
    if (given > 0 && wanted == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT,
                       "%zu inputs were given, but @main of '%s' takes none", given,
                       program->path);
    }
    size_t variables = given > 0 && given < wanted && processes == 1
                           ? left_out_variables(program, given)
                           : 0;
    size_t count =
        given < wanted && last && is_random(last) ? wanted : given + variables;
    variables = count == given + variables ? variables : 0;
    program->inputs = calloc(count + 1, sizeof *program->inputs);
    program->tensors = calloc(count + 1, sizeof *program->tensors);
    if (!program->inputs || !program->tensors) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    program->input_count = count;
    for (size_t i = variables; i < count && rc == OC_OK; i++) {
        size_t k = i - variables;
        rc = take_input(program, i, k < given ? request->inputs[k] : last, err);
    }
    if (rc == OC_OK) {
        rc = fill_variables(program, variables, err);
    }
    if (rc == OC_OK) {
        rc = oc__signature_check(program->module, program->main, program->tensors,
                                 program->input_count, processes, err);
    }
    return rc;
}

oc_status oc__program_write(const char *folder, const char *prefix, const char *suffix,
                            const oc_tensor *tensors, size_t count, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        char name[64];
        if (!tensors[i].data) {
            continue;
        }
        snprintf(name, sizeof name, "%s%zu%s.npy", prefix, i, suffix);
        char *path = oc__path_join(folder, name);
        rc = path ? oc__npy_write(path, &tensors[i], err)
                  : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
        free(path);
    }
    return rc;
}

char *oc__program_tensor_text(const oc_tensor *tensor)
{
    oc__strbuf text;
    oc__strbuf_init(&text, MAX_TENSOR_TEXT);
    oc__strbuf_addf(&text, "%s[", oc_dtype_name(tensor->dtype));
    for (size_t i = 0; i < tensor->rank; i++) {
        oc__strbuf_addf(&text, "%s%lld", i ? "," : "", (long long)tensor->dims[i]);
    }
    oc__strbuf_addf(&text, "]");
    return text.data;
}
