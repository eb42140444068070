/* The text of a random program. */
#include "random_program.h"

#include "tensor/float_format.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t used;
} writer;

static void put(writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, RANDOM_MAX_TEXT - w->used, format, args);
    va_end(args);
    w->used += n > 0 ? (size_t)n : 0;
    w->used = w->used < RANDOM_MAX_TEXT ? w->used : RANDOM_MAX_TEXT - 1;
}

static void put_type(writer *w, const node *of)
{
    put(w, "tensor<");
    for (size_t i = 0; i < of->rank; i++) {
        put(w, "%lldx", (long long)of->dims[i]);
    }
    put(w, "%s>", oc_dtype_hlo_name(of->dtype));
}

static void put_constant(writer *w, const char *name, size_t number, const node *of,
                         double value)
{
    put(w, "  %%%s%zu = stablehlo.constant dense<", name, number);
    if (of->dtype == OC_PRED) {
        put(w, "%s", value != 0 ? "true" : "false");
    } else if (of->dtype == OC_S32) {
        put(w, "%d", (int)value);
    } else {
        int digits = (int)oc_dtype_host_bits(of->dtype) / 4;
        uint64_t bits = oc__float_encode(of->dtype, value);
        put(w, "0x%0*llX", digits, (unsigned long long)bits);
    }
    put(w, "> : ");
    put_type(w, of);
    put(w, "\n");
}

/* %a, %b : */
static void put_operands(writer *w, const node *of)
{
    for (size_t k = 0; k < of->operand_count; k++) {
        put(w, "%s%%v%zu", k ? ", " : "", of->operands[k]);
    }
}

/* (types) -> type */
static void put_signature(writer *w, const random_program *p, const node *of)
{
    put(w, " : (");
    for (size_t k = 0; k < of->operand_count; k++) {
        put(w, "%s", k ? ", " : "");
        put_type(w, &p->nodes[of->operands[k]]);
    }
    put(w, ") -> ");
    put_type(w, of);
    put(w, "\n");
}

/* What changes nothing under the body. */
static double identity(const node *of)
{
    bool whole = of->dtype == OC_S32;
    switch (of->which) {
    case MULTIPLY:
    case AND: return 1;
    case MAXIMUM: return whole ? -2147483648.0 : -(double)INFINITY;
    case MINIMUM: return whole ? 2147483647.0 : (double)INFINITY;
    default: return 0;
    }
}

static void put_reduce(writer *w, const random_program *p, size_t number)
{
    const node *of = &p->nodes[number];
    const node scalar = {.dtype = of->dtype};
    put_constant(w, "i", number, &scalar, identity(of));
    put(w, "  %%v%zu = stablehlo.reduce(%%v%zu init: %%i%zu) applies stablehlo.%s",
        number, of->operands[0], number, random_binaries[of->which]);
    put(w, " across dimensions = [%zu] : (", of->axis);
    put_type(w, &p->nodes[of->operands[0]]);
    put(w, ", ");
    put_type(w, &scalar);
    put(w, ") -> ");
    put_type(w, of);
    put(w, "\n");
}

/* Sums of the first elements of every row. */
static void put_cumulate(writer *w, const random_program *p, size_t number)
{
    const node *of = &p->nodes[number];
    const node scalar = {.dtype = of->dtype};
    long long n = (long long)of->dims[of->rank - 1];
    const char *row = of->rank == 2 ? "1, " : "",
               *none = of->rank == 2 ? "[0, 0], " : "";
    put_constant(w, "i", number, &scalar, 0);
    put(w,
        "  %%v%zu = \"stablehlo.reduce_window\"(%%v%zu, %%i%zu) <{window_dimensions = ",
        number, of->operands[0], number);
    put(w,
        "array<i64: %s%lld>, padding = dense<[%s[%lld, 0]]> : tensor<%zux2xi64>}> ({\n",
        row, n, none, n - 1, of->rank);
    put(w, "  ^bb0(%%a: ");
    put_type(w, &scalar);
    put(w, ", %%b: ");
    put_type(w, &scalar);
    put(w, "):\n    %%s = stablehlo.add %%a, %%b : ");
    put_type(w, &scalar);
    put(w, "\n    stablehlo.return %%s : ");
    put_type(w, &scalar);
    put(w, "\n  }) : (");
    put_type(w, &p->nodes[of->operands[0]]);
    put(w, ", ");
    put_type(w, &scalar);
    put(w, ") -> ");
    put_type(w, of);
    put(w, "\n");
}

/* name, operands, what comes after them */
static void put_plain(writer *w, const random_program *p, size_t number)
{
    const node *of = &p->nodes[number];
    const char *precision = of->which ? "HIGHEST" : "DEFAULT";
    put(w, "  %%v%zu = ", number);
    switch (of->op) {
    case UNARY: put(w, "%s ", random_unaries[of->which].name); break;
    case BINARY: put(w, "stablehlo.%s ", random_binaries[of->which]); break;
    case COMPARE: put(w, "stablehlo.compare %s, ", random_directions[of->which]); break;
    case CONVERT: put(w, "stablehlo.convert "); break;
    case CLAMP: put(w, "stablehlo.clamp "); break;
    case SELECT: put(w, "stablehlo.select "); break;
    case BROADCAST: put(w, "stablehlo.broadcast_in_dim "); break;
    case TRANSPOSE: put(w, "stablehlo.transpose "); break;
    case REVERSE: put(w, "stablehlo.reverse "); break;
    default: put(w, "stablehlo.dot_general "); break;
    }
    put_operands(w, of);
    switch (of->op) {
    case BROADCAST: put(w, ", dims = [%s]", of->rank == 2 ? "1" : ""); break;
    case TRANSPOSE: put(w, ", dims = [1, 0]"); break;
    case REVERSE: put(w, ", dims = [%zu]", of->rank - 1); break;
    case DOT:
        put(w, ", contracting_dims = [1] x [%zu], precision = [%s, %s]", of->axis,
            precision, precision);
        break;
    default: break;
    }
    if (of->op == SELECT) {
        put(w, " : ");
        put_type(w, &p->nodes[of->operands[0]]);
        put(w, ", ");
        put_type(w, of);
        put(w, "\n");
    } else if (of->op == UNARY || of->op == BINARY || of->op == CLAMP ||
               of->op == REVERSE) {
        put(w, " : ");
        put_type(w, of);
        put(w, "\n");
    } else {
        put_signature(w, p, of);
    }
}

static void put_outputs(writer *w, const random_program *p)
{
    for (size_t i = 0; i < p->output_count; i++) {
        put(w, "%s", i ? ", " : "");
        put_type(w, &p->nodes[p->outputs[i]]);
    }
}

void random_program_print(const random_program *program, char *text)
{
    writer w = {.text = text};
    text[0] = '\0';
    put(&w, "func.func @main(");
    for (size_t i = 0; i < program->argument_count; i++) {
        put(&w, "%s%%v%zu: ", i ? ", " : "", i);
        put_type(&w, &program->nodes[i]);
    }
    put(&w, ") -> (");
    put_outputs(&w, program);
    put(&w, ") {\n");
    for (size_t i = program->argument_count; i < program->count; i++) {
        const node *of = &program->nodes[i];
        switch (of->op) {
        case CONSTANT: put_constant(&w, "v", i, of, of->number); break;
        case REDUCE: put_reduce(&w, program, i); break;
        case CUMULATE: put_cumulate(&w, program, i); break;
        default: put_plain(&w, program, i); break;
        }
    }
    put(&w, "  return ");
    for (size_t i = 0; i < program->output_count; i++) {
        put(&w, "%s%%v%zu", i ? ", " : "", program->outputs[i]);
    }
    put(&w, " : ");
    put_outputs(&w, program);
    put(&w, "\n}\n");
}
