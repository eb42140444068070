/* What a program holds, and what the reference makes of it. */
#include "program/program.h"

#include "base/json.h"
#include "base/strbuf.h"
#include "reference/kernel.h"
#include "stablehlo/signature.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 16 << 20 };

typedef struct counted {
    const char *op;
    uint64_t count;
} counted;

typedef struct survey {
    counted *ops;
    size_t op_count, capacity;
    uint64_t total;
    bool dynamic, control, quantized, collective, custom_call, no_memory;
} survey;

static void count_op(survey *s, const char *op)
{
    size_t i = 0;
    s->total++;
    while (i < s->op_count && strcmp(s->ops[i].op, op) != 0) {
        i++;
    }
    if (i == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        counted *grown = realloc(s->ops, capacity * sizeof *grown);
        if (!grown) {
            s->no_memory = true;
            return;
        }
        s->ops = grown;
        s->capacity = capacity;
    }
    if (i == s->op_count) {
        s->ops[s->op_count++] = (counted){.op = op};
    }
    s->ops[i].count++;
}

static bool one_of(const char *op, const char *const *names)
{
    while (*names && strcmp(op, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

static void look_at_type(survey *s, const oc__hlo_type *type)
{
    s->quantized = s->quantized || type->quant;
    for (size_t i = 0; i < type->rank; i++) {
        s->dynamic = s->dynamic || type->dims[i] == OC__HLO_DYNAMIC;
    }
}

static void look_at_block(survey *s, const oc__hlo_block *block)
{
    static const char *const control[] = {"stablehlo.while", "stablehlo.if",
                                          "stablehlo.case", NULL};
    static const char *const collective[] = {
        "stablehlo.all_gather",         "stablehlo.all_reduce",
        "stablehlo.all_to_all",         "stablehlo.collective_broadcast",
        "stablehlo.collective_permute", "stablehlo.collective_reduce",
        "stablehlo.reduce_scatter",     NULL};
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        count_op(s, op->name);
        s->control = s->control || one_of(op->name, control);
        s->collective = s->collective || one_of(op->name, collective);
        s->custom_call =
            s->custom_call || strcmp(op->name, "stablehlo.custom_call") == 0;
        for (size_t k = 0; k < op->result_count; k++) {
            look_at_type(s, op->result_types[k]);
        }
        for (size_t k = 0; k < op->region_count; k++) {
            look_at_block(s, &op->regions[k]->block);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const counted *)a)->op, ((const counted *)b)->op);
}

/* "return" of functions and regions is syntax. */
static bool is_return(const char *op)
{
    const char *dot = strrchr(op, '.');
    return strcmp(dot ? dot + 1 : op, "return") == 0;
}

static const char *contract_of(const char *op)
{
    const oc__kernel *kernel = oc__kernel_find(op);
    return kernel ? kernel->contract : is_return(op) ? "" : NULL;
}

static bool all_known(const survey *s)
{
    for (size_t i = 0; i < s->op_count; i++) {
        if (!contract_of(s->ops[i].op)) {
            return false;
        }
    }
    return true;
}

static const struct {
    const char *name;
    size_t offset;
} features[] = {
    {"dynamic shapes", offsetof(survey, dynamic)},
    {"control flow", offsetof(survey, control)},
    {"quantized types", offsetof(survey, quantized)},
    {"collectives", offsetof(survey, collective)},
    {"custom calls", offsetof(survey, custom_call)},
};
enum { FEATURES = sizeof features / sizeof *features };

static bool has_feature(const survey *s, size_t index)
{
    return *(const bool *)((const char *)s + features[index].offset);
}

static void write_text(const oc__program *program, const survey *s, oc__strbuf *out)
{
    oc__strbuf_addf(out, "program    %s\nsha256     %s\n@main      ", program->path,
                    program->sha256);
    oc__signature_text(program->main, out);
    oc__strbuf_addf(out, "\nfunctions  %zu\n", program->module->func_count);
    const char *joint = "features   ";
    for (size_t i = 0; i < FEATURES; i++) {
        if (has_feature(s, i)) {
            oc__strbuf_addf(out, "%s%s", joint, features[i].name);
            joint = ", ";
        }
    }
    oc__strbuf_addf(out, "%soperations %llu of %zu kinds\n",
                    strcmp(joint, ", ") == 0 ? "\n" : "", (unsigned long long)s->total,
                    s->op_count);
    for (size_t i = 0; i < s->op_count; i++) {
        const char *contract = contract_of(s->ops[i].op);
        oc__strbuf_addf(out, "  %6llu  %-36s %s\n", (unsigned long long)s->ops[i].count,
                        s->ops[i].op, contract ? contract : "not known");
    }
    oc__strbuf_addf(out, "reference  %s\n",
                    all_known(s) ? "can evaluate every operation"
                                 : "cannot evaluate what is not known");
}

static json_t *write_json(const oc__program *program, const survey *s,
                          const char *signature)
{
    json_t *list = json_array(), *ops = json_array();
    for (size_t i = 0; i < FEATURES; i++) {
        if (has_feature(s, i)) {
            json_array_append_new(list, json_string(features[i].name));
        }
    }
    for (size_t i = 0; i < s->op_count; i++) {
        json_array_append_new(ops, json_pack("{s:s s:I s:s?}", "op", s->ops[i].op,
                                             "count", (json_int_t)s->ops[i].count,
                                             "contract", contract_of(s->ops[i].op)));
    }
    return json_pack("{s:s s:s s:s s:I s:o s:o s:b}", "program", program->path,
                     "sha256", program->sha256, "main", signature, "functions",
                     (json_int_t)program->module->func_count, "features", list,
                     "operations", ops, "evaluable", (int)all_known(s));
}

oc_status oc_inspect(const char *path, bool json, char **out_text, oc_error *err)
{
    oc__program program = {0};
    survey s = {0};
    oc__strbuf text, signature;
    *out_text = NULL;
    oc__strbuf_init(&text, MAX_TEXT);
    oc__strbuf_init(&signature, MAX_TEXT);
    oc_status rc = oc__program_open(path, &program, err);
    if (rc != OC_OK) {
        goto done;
    }
    for (size_t i = 0; i < program.module->func_count; i++) {
        const oc__hlo_func *func = program.module->funcs[i];
        for (size_t k = 0; k < func->body.argument_count; k++) {
            look_at_type(&s, func->argument_types[k]);
        }
        look_at_block(&s, &func->body);
    }
    if (s.op_count) {
        qsort(s.ops, s.op_count, sizeof *s.ops, by_name);
    }
    if (json) {
        oc__signature_text(program.main, &signature);
        json_t *document =
            signature.data ? write_json(&program, &s, signature.data) : NULL;
        *out_text = document ? oc__json_text(document) : NULL;
        json_decref(document);
    } else {
        write_text(&program, &s, &text);
        *out_text = text.failed ? NULL : text.data;
        text.data = *out_text ? NULL : text.data;
    }
    if (!*out_text || s.no_memory) {
        free(*out_text);
        *out_text = NULL;
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
done:
    free(s.ops);
    oc__strbuf_free(&text);
    oc__strbuf_free(&signature);
    oc__program_close(&program);
    return rc;
}
