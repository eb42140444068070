/* The stages of oc__judge_program after the text's own contract: models, wide figures,
 * deviations. Each holds the outputs that need it against another evaluation. */
#ifndef ONCHIP_NUMERIC_JUDGE_EXPLAIN_H
#define ONCHIP_NUMERIC_JUDGE_EXPLAIN_H

#include "numeric/judge.h"

/* What is judged, and how it can be evaluated again. */
typedef struct oc__judged {
    const oc__hlo_module *module;
    size_t replicas, partitions;
    const oc_tensor *inputs;
    size_t input_count;
    const oc_tensor *outputs;
    const oc__judge_options *options;
    oc__judgement_of_program *result;
} oc__judged;

OC_MUST_USE oc_status oc__judge_evaluate(const oc__judged *judged,
                                         const oc__arith *arith,
                                         oc__evaluation *out_evaluation, oc_error *err);

/* A model of a kind of operation that the contract leaves to the device. */
typedef struct oc__judge_model {
    const char *name;
    bool narrow;
    oc__operand_model operands;
} oc__judge_model;

enum { OC__JUDGE_MODELS = 9 };
extern const oc__judge_model oc__judge_models_known[OC__JUDGE_MODELS];
const oc__judge_model *oc__judge_model_named(const char *name); /* NULL gives NULL */
oc__arith oc__judge_arith(const oc__judged *judged, const oc__judge_model *with);

/* What a stage does with one output, given the output's judgement under another
 * evaluation's contract; and which outputs want it. */
typedef void (*oc__judge_use)(oc__judged *judged, size_t output,
                              const oc__ladder *other, const oc__evaluation *evaluation,
                              const void *context);
typedef bool (*oc__judge_wants)(const oc__judged *judged, size_t output,
                                const void *context);

/* Evaluates under `arith` and shows each output that wants it to `use`. */
OC_MUST_USE oc_status oc__judge_under(oc__judged *judged, const oc__arith *arith,
                                      oc__judge_wants wants, oc__judge_use use,
                                      const void *context, oc_error *err);
bool oc__judge_any(const oc__judged *judged, oc__judge_wants wants,
                   const void *context);

/* An evaluation that a stage needs may fail where the text's did not (its time is up);
 * then the stage is left out. Only OC_NOMEM is an error. */
OC_MUST_USE oc_status oc__judge_models(oc__judged *judged, oc_error *err);
OC_MUST_USE oc_status oc__judge_tables(oc__judged *judged, oc_error *err);
OC_MUST_USE oc_status oc__judge_deviations(oc__judged *judged, oc_error *err);

/* Wrong copies of elements, held against the text's evaluation. */
void oc__judge_controls(oc__judged *judged);

#endif
