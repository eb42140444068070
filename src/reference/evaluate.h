/* The reference: a module evaluated in ball arithmetic, without any device.
 *
 * All processes of a program (replicas x partitions) are simulated in lockstep. Shapes
 * are those of the inputs: a `?` needs no refinement. The contract that the balls stand
 * for is chosen by oc__arith; judging a device means evaluating under the text's
 * contract first and under named other ones where an element falls outside
 * (numeric/ladder.h).
 */
#ifndef ONCHIP_REFERENCE_EVALUATE_H
#define ONCHIP_REFERENCE_EVALUATE_H

#include "reference/value.h"

/* How a DEFAULT-precision dot reads its float operands (numerics 2.6). */
typedef enum oc__operand_model {
    OC__OPERANDS_FULL = 0, /* as they are */
    OC__OPERANDS_TF32_RNE,
    OC__OPERANDS_TF32_RZ,
    OC__OPERANDS_BF16_RNE,
    OC__OPERANDS_BF16_RZ,
    OC__OPERANDS_BF16_X3,
    OC__OPERANDS_BF16_X3_RZ,
    OC__OPERANDS_BF16_X6,
    OC__OPERANDS_BF16_X6_RZ
} oc__operand_model;

/* Zero is the text's own contract. */
typedef struct oc__arith {
    const char *platform; /* whose documented figures hold for transcendentals: "cpu",
                             "cuda", "tpu"; NULL: "cpu" */
    /* Named deviations, each a wider contract. */
    bool flush;       /* subnormal operands and results may read as zero */
    bool reciprocal;  /* x / c may be x * (1 / c) */
    bool contraction; /* a product that overflows may live on inside a fused add */
    bool excess;   /* results of bf16, f16 and f8 may stay in f32; f32 -> narrow -> f32
                      may be left out */
    bool rounding; /* an IEEE operation on points may be off by one rounding more */
    /* Models of a kind of operation; one is right for all elements of a tensor. */
    bool narrow_accumulator; /* sums of bf16, f16, f8 are rounded at every step */
    oc__operand_model operands;
    bool wide_tables; /* transcendentals: max(64 k ulp, 2^(2-p/2) |m|), the figure that
                         may refute, in place of the documented k ulp */
    bool sigma;       /* carry the statistical plane s */
} oc__arith;

typedef struct oc__eval_limits {
    uint64_t max_steps; /* operations executed; 0: 100 million */
    size_t max_bytes;   /* planes alive; 0: 3 GiB */
    double deadline_s;  /* seconds of CLOCK_MONOTONIC from the start; 0: none */
} oc__eval_limits;

/* Why elements are open or undecided: one row per rule, operation kind and place. */
typedef struct oc__eval_note {
    const char *rule; /* "division_by_zero", "custom_call @name", ... */
    const char *op;   /* in the module's arena */
    size_t line;
    uint64_t elements;
} oc__eval_note;

typedef struct oc__evaluation {
    size_t process_count, output_count; /* outputs of one process */
    oc__value **outputs;                /* [process * output_count + output] */
    size_t note_count;
    oc__eval_note *notes;
    struct oc__arena *texts; /* of rules that are no static text */
    uint64_t steps;
    double flops; /* multiply-adds counted as two, estimates for the rest */
    double seconds;
} oc__evaluation;

/* inputs: main's arguments of process 0, of process 1, ... (replica major); input_count
 * = processes * arguments. Their types and shapes were checked (signature.h). OC_LIMIT:
 * a limit was reached (which one, and where); OC_DEADLINE; OC_PARSE: the program is
 * wrong at file:line:column (boundary input); OC_INVALID_ARGUMENT at boundary numeric:
 * an operation that the reference does not know. */
OC_MUST_USE oc_status oc__evaluate(const oc__hlo_module *module, size_t replicas,
                                   size_t partitions, const oc_tensor *inputs,
                                   size_t input_count, const oc__arith *arith,
                                   const oc__eval_limits *limits,
                                   oc__evaluation *out_evaluation, oc_error *err);
void oc__evaluation_free(oc__evaluation *evaluation);

#endif
