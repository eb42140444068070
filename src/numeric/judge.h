/* Verdict 1 of a whole program: its outputs on a device against the reference.
 *
 * The text's contract is evaluated first. Where elements fall outside or look suspect,
 * the models that the contract leaves to the device are tried, one for a whole tensor:
 * the accumulator of narrow sums and the operands of DEFAULT-precision dots. Refuted
 * elements that rest on a documented figure of a transcendental are held against the
 * wide figure: inside it they are only suspect. What is still refuted is held against
 * the named deviations, alone and then together; a deviation that explains it is named,
 * and counts as consistent (level profile) only where `allowed` has its name.
 *
 * Verdict: FAIL (reason `refuted`, or `deviates` when every refuted element is
 * explained by a named deviation; `contract_changed` when an output has another type or
 * shape than the program computes); PASS (`consistent`, or `profile` when an allowance
 * was needed) when every element of every output is consistent and the negative
 * controls were refuted; else UNKNOWN (`not_judged`, `undecided`, `suspect`, `loose`,
 * `unevaluated`, `control_not_refuted`: the first of these that applies). */
#ifndef ONCHIP_NUMERIC_JUDGE_H
#define ONCHIP_NUMERIC_JUDGE_H

#include "numeric/freivalds.h"
#include "numeric/ladder.h"
#include "numeric/sample.h"

/* Bits of a set of deviations, in the order of oc__deviation_name. */
enum {
    OC__DEVIATES_FLUSH = 1,       /* "flush-to-zero" */
    OC__DEVIATES_RECIPROCAL = 2,  /* "reciprocal-division" */
    OC__DEVIATES_CONTRACTION = 4, /* "fused-multiply-add" */
    OC__DEVIATES_EXCESS = 8,      /* "excess-precision" */
    OC__DEVIATES_ROUNDING = 16,   /* "extra-rounding" */
    OC__DEVIATIONS = 5            /* how many there are */
};
const char *oc__deviation_name(size_t index); /* 0 .. OC__DEVIATIONS - 1 */
/* The bit of a name; 0 when there is none. */
unsigned oc__deviation_bit(const char *name);

typedef struct oc__judge_options {
    const char *platform; /* whose documented figures hold; NULL: cpu */
    unsigned allowed;     /* deviations that --allow or a profile states */
    oc__eval_limits limits;
    /* [output]: where the outputs are parts of others, and those; NULL: they are whole.
     */
    const oc__cut_root *parts;
    const oc_tensor *wholes;
} oc__judge_options;

/* A deliberately wrong copy of an output. */
typedef struct oc__judge_control {
    const char *name; /* "element_moved", "elements_swapped" */
    size_t output;
    bool refuted;
    char detail[160];
} oc__judge_control;

typedef struct oc__judged_output {
    oc__ladder ladder;
    const char *model;   /* static: "tf32 operands", ...; NULL: the text's own */
    unsigned deviations; /* that were needed to explain refuted elements */
    uint64_t explained;  /* elements, still refuted, that they explain */
} oc__judged_output;

enum { OC__JUDGE_CONTROLS = 2, OC__JUDGE_DETAIL = 512 };

typedef struct oc__judgement_of_program {
    oc_verdict verdict;
    const char *reason; /* one word of the above, static */
    const char
        *level; /* "exact", "hard", "profile": the weakest of a PASS; else NULL */
    char detail[OC__JUDGE_DETAIL];
    unsigned deviations; /* of all outputs */
    size_t output_count; /* of all processes */
    oc__judged_output *outputs;
    size_t control_count;
    oc__judge_control controls[OC__JUDGE_CONTROLS];
    oc__evaluation evaluation; /* under the text's contract; its outputs are the
                                  reference's answer */
    bool evaluated;
    oc_status failure; /* of the evaluation under the text's contract */
    double seconds;
    /* Of oc__judge_sampled. */
    bool sampled;
    uint64_t seed;
    oc__sample sample;
    oc__freivalds rows; /* of all outputs that are made by a dot, added up */
} oc__judgement_of_program;

/* inputs and outputs: of all processes, replica major; outputs of the types and shapes
 * that the program declares, or outputs[i].data NULL where one was not reached. OC_OK
 * also when the reference cannot evaluate the program (UNKNOWN, `unevaluated`, with the
 * words of the failure); an error only when memory runs out. */
OC_MUST_USE oc_status oc__judge_program(const oc__hlo_module *module, size_t replicas,
                                        size_t partitions, const oc_tensor *inputs,
                                        size_t input_count, const oc_tensor *outputs,
                                        size_t output_count,
                                        const oc__judge_options *options,
                                        oc__judgement_of_program *out_judgement,
                                        oc_error *err);
void oc__judgement_free(oc__judgement_of_program *judgement);

/* Full, or a sample of the outputs (numeric/sample.h) where the whole is too much. */
typedef enum oc__judge_mode {
    OC__JUDGE_FULL = 0,
    OC__JUDGE_AUTO, /* full where that is estimated to fit into `seconds`, and does */
    OC__JUDGE_SAMPLE
} oc__judge_mode;

typedef struct oc__judge_sampling {
    oc__judge_mode mode;
    double seconds; /* that the reference should take */
    uint64_t seed;
    int64_t draws; /* 0: as many as fit */
    bool rows;     /* dots row by row too, as far as `seconds` (0: any) allow */
} oc__judge_sampling;

/* As oc__judge_program, by a sample where `how` says so: `outputs` of the judgement,
 * its evaluation and the controls are then of the sampled elements (worst excepted,
 * which counts in the whole), and outputs that are made by a dot are also held row by
 * row against random vectors (numeric/freivalds.h). Reason of a PASS: `sampled`. A
 * program of several processes, or one that cannot be cut, is judged whole, within the
 * limits of `options`. */
OC_MUST_USE oc_status oc__judge_sampled(const oc__hlo_module *module, size_t replicas,
                                        size_t partitions, const oc_tensor *inputs,
                                        size_t input_count, const oc_tensor *outputs,
                                        size_t output_count,
                                        const oc__judge_options *options,
                                        const oc__judge_sampling *how,
                                        oc__judgement_of_program *out_judgement,
                                        oc_error *err);

/* The elements of an array like output `index` that were judged: `whole` itself, or
 * *part, which the caller frees. NULL with an error when memory runs out. */
const oc_tensor *oc__judgement_part(const oc__judgement_of_program *judgement,
                                    size_t index, const oc_tensor *whole,
                                    oc_tensor *part, oc_error *err);

#endif
