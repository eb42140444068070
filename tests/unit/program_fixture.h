/* Programs written as text in a test, evaluated by the reference. */
#ifndef ONCHIP_TESTS_PROGRAM_FIXTURE_H
#define ONCHIP_TESTS_PROGRAM_FIXTURE_H

#include "unit.h"

#include "reference/evaluate.h"

/* A program that runs: its module and what came out, freed by program_free. Inputs are
 * one tensor an argument of every process, replica major. */
typedef struct program {
    oc__hlo_module *module;
    oc__evaluation evaluation;
} program;

/* The status of the evaluation; parsing must succeed. The file's name is "t.mlir". */
oc_status program_try(const char *text, size_t replicas, size_t partitions,
                      const oc_tensor *inputs, size_t input_count,
                      const oc__eval_limits *limits, program *out, oc_error *err);
/* One process without inputs, which must succeed. */
program program_run(const char *text);
/* One i32 (s32) vector of `width` elements an input of each process. */
program program_run_grid(const char *text, size_t replicas, size_t partitions,
                         const int32_t *inputs, size_t width);
void program_free(program *p);

/* Output `index` of all processes together. */
const oc__value *program_output(const program *p, size_t index);

/* The output's elements are these, all of them decided. */
void assert_ints(const program *p, size_t index, const int64_t *wanted, size_t count);
#define ASSERT_INTS(p, index, ...)                                                     \
    assert_ints((p), (index), (const int64_t[]){__VA_ARGS__},                          \
                sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* @main without arguments; constants of one element. */
#define MAIN(results, body) "func.func @main() -> (" results ") {\n" body "}\n"
#define SCALAR(name, value)                                                            \
    "  %" name " = stablehlo.constant dense<" value "> : tensor<i32>\n"
#define CONSTANT(name, value)                                                          \
    "  %" name " = stablehlo.constant dense<" value "> : tensor<f32>\n"

/* The first note; NULL when there is none. */
const char *program_note(const program *p);

#endif
