#include "numeric/judge_explain.h"

#include <math.h>
#include <string.h>

const oc__judge_model oc__judge_models_known[OC__JUDGE_MODELS] = {
    {"narrow accumulator", true, OC__OPERANDS_FULL},
    {"tf32 operands", false, OC__OPERANDS_TF32_RNE},
    {"tf32 operands, truncated", false, OC__OPERANDS_TF32_RZ},
    {"bf16 operands", false, OC__OPERANDS_BF16_RNE},
    {"bf16 operands, truncated", false, OC__OPERANDS_BF16_RZ},
    {"three bf16 products", false, OC__OPERANDS_BF16_X3},
    {"three bf16 products, truncated", false, OC__OPERANDS_BF16_X3_RZ},
    {"six bf16 products", false, OC__OPERANDS_BF16_X6},
    {"six bf16 products, truncated", false, OC__OPERANDS_BF16_X6_RZ},
};

const oc__judge_model *oc__judge_model_named(const char *name)
{
    for (size_t i = 0; name && i < OC__JUDGE_MODELS; i++) {
        if (oc__judge_models_known[i].name == name) {
            return &oc__judge_models_known[i];
        }
    }
    return NULL;
}

oc__arith oc__judge_arith(const oc__judged *judged, const oc__judge_model *with)
{
    oc__arith arith = {.platform = judged->options->platform, .sigma = true};
    if (with) {
        arith.narrow_accumulator = with->narrow;
        arith.operands = with->operands;
    }
    return arith;
}

oc_status oc__judge_under(oc__judged *judged, const oc__arith *arith,
                          oc__judge_wants wants, oc__judge_use use, const void *context,
                          oc_error *err)
{
    oc__evaluation evaluation = {0};
    oc_error failure = {0};
    oc_status rc = oc__judge_evaluate(judged, arith, &evaluation, &failure);
    if (rc != OC_OK) {
        return rc == OC_NOMEM ? OC_FAIL(err, rc, OC_BOUNDARY_NUMERIC, "out of memory")
                              : OC_OK;
    }
    for (size_t i = 0; rc == OC_OK && i < judged->result->output_count; i++) {
        oc__ladder ladder = {0};
        if (judged->outputs[i].data && wants(judged, i, context)) {
            rc = oc__ladder_judge(&judged->outputs[i], evaluation.outputs[i], &ladder,
                                  err);
            if (rc == OC_OK) {
                use(judged, i, &ladder, &evaluation, context);
            }
        }
        oc__ladder_free(&ladder);
    }
    oc__evaluation_free(&evaluation);
    return rc;
}

bool oc__judge_any(const oc__judged *judged, oc__judge_wants wants, const void *context)
{
    for (size_t i = 0; i < judged->result->output_count; i++) {
        if (judged->outputs[i].data && wants(judged, i, context)) {
            return true;
        }
    }
    return false;
}

/* --- models --- */

static bool unexplained(const oc__judged *judged, size_t output, const void *context)
{
    const oc__judged_output *o = &judged->result->outputs[output];
    (void)context;
    return !o->model &&
           o->ladder.counts[OC__REFUTED] + o->ladder.counts[OC__SUSPECT] > 0;
}

static uint64_t strange(const oc__ladder *ladder)
{
    return ladder->counts[OC__REFUTED] + ladder->counts[OC__SUSPECT];
}

static void take_model(oc__judged_output *o, const oc__ladder *other,
                       const oc__judge_model *named)
{
    uint8_t *outcomes = o->ladder.outcomes;
    memcpy(outcomes, other->outcomes, other->count);
    o->ladder = *other;
    o->ladder.outcomes = outcomes;
    o->model = named->name;
}

/* A model must explain the whole tensor. */
static void use_model(oc__judged *judged, size_t output, const oc__ladder *other,
                      const oc__evaluation *evaluation, const void *context)
{
    (void)evaluation;
    if (strange(other) == 0) {
        take_model(&judged->result->outputs[output], other, context);
    }
}

/* The largest rms z of a right device. A sum's s is u/sqrt(3) times the Euclidean norm
 * of its n partial sums (numerics 2.4), and roundings that all err the same way, as
 * those of an accumulator that truncates do, give u times the sum of their magnitudes:
 * by Cauchy and Schwarz z is sqrt(3 n) at most, and the same holds of the n roundings
 * of a whole program. n: its operations, two a rounding, shared out among the elements.
 */
static double largest_z(const oc__evaluation *evaluation, size_t output)
{
    double elements =
        (double)evaluation->outputs[output]->count * (double)evaluation->process_count;
    double n = evaluation->flops / 2 / fmax(elements, 1);
    return sqrt(3 * fmax(n, 1));
}

static bool still_refuted(const oc__judged *judged, size_t output, const void *context)
{
    const oc__judged_output *o = &judged->result->outputs[output];
    (void)context;
    return o->ladder.counts[OC__REFUTED] > 0 ||
           (o->model && o->ladder.counts[OC__SUSPECT] > 0);
}

/* A model that leaves elements suspect, where no model is free of suspicion: what is
 * refuted by the text then is not so, as long as a right device may err so much. The
 * one that fits best is named. */
static void use_suspect_model(oc__judged *judged, size_t output,
                              const oc__ladder *other, const oc__evaluation *evaluation,
                              const void *context)
{
    oc__judged_output *o = &judged->result->outputs[output];
    bool better = o->ladder.counts[OC__REFUTED] > 0 || other->rms_z < o->ladder.rms_z;
    if (better && other->counts[OC__REFUTED] == 0 &&
        other->rms_z <= largest_z(evaluation, output)) {
        take_model(o, other, context);
    }
}

static bool is_narrow(const oc__hlo_type *type)
{
    return type->kind == OC__HLO_TENSOR && oc__dtype_is_float(type->dtype) &&
           oc_dtype_host_bits(type->dtype) < 32;
}

static bool is_dot(const oc__hlo_op *op)
{
    return strcmp(op->name, "stablehlo.dot_general") == 0 ||
           strcmp(op->name, "stablehlo.dot") == 0 ||
           strcmp(op->name, "stablehlo.convolution") == 0;
}

/* Whether any operation of a block, nested ones included, makes the model matter. */
static bool matters(const oc__judge_model *m, const oc__hlo_block *block)
{
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        for (size_t k = 0; m->narrow && k < op->result_count; k++) {
            if (is_narrow(op->result_types[k])) {
                return true;
            }
        }
        if (m->operands != OC__OPERANDS_FULL && is_dot(op)) {
            return true;
        }
        for (size_t k = 0; k < op->region_count; k++) {
            if (matters(m, &op->regions[k]->block)) {
                return true;
            }
        }
    }
    return false;
}

static oc_status try_models(oc__judged *judged, oc__judge_wants wants,
                            oc__judge_use use, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < OC__JUDGE_MODELS && rc == OC_OK; i++) {
        const oc__judge_model *model = &oc__judge_models_known[i];
        bool used = false;
        for (size_t k = 0; k < judged->module->func_count && !used; k++) {
            used = matters(model, &judged->module->funcs[k]->body);
        }
        if (used && oc__judge_any(judged, wants, NULL)) {
            oc__arith arith = oc__judge_arith(judged, model);
            rc = oc__judge_under(judged, &arith, wants, use, model, err);
        }
    }
    return rc;
}

oc_status oc__judge_models(oc__judged *judged, oc_error *err)
{
    oc_status rc = try_models(judged, unexplained, use_model, err);
    return rc == OC_OK ? try_models(judged, still_refuted, use_suspect_model, err) : rc;
}

/* --- documented figures --- */

/* The outputs that stand under one model (or none). */
static bool refuted_from_table(const oc__judged *judged, size_t output,
                               const void *context)
{
    const oc__judged_output *o = &judged->result->outputs[output];
    return o->ladder.counts[OC__REFUTED] > 0 && o->ladder.from_table &&
           oc__judge_model_named(o->model) == context;
}

static void use_wide_figure(oc__judged *judged, size_t output, const oc__ladder *other,
                            const oc__evaluation *evaluation, const void *context)
{
    oc__ladder *ladder = &judged->result->outputs[output].ladder;
    const uint8_t *flags = oc__f(evaluation->outputs[output]);
    (void)context;
    for (size_t i = 0; flags && i < ladder->count; i++) {
        if (ladder->outcomes[i] == OC__REFUTED && other->outcomes[i] != OC__REFUTED &&
            (flags[i] & OC__F_TABLE)) {
            ladder->outcomes[i] = OC__SUSPECT;
        }
    }
    oc__ladder_count(ladder);
}

/* Each model in use, the plain contract included, with the outputs that stand under it.
 */
oc_status oc__judge_tables(oc__judged *judged, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i <= OC__JUDGE_MODELS && rc == OC_OK; i++) {
        const oc__judge_model *with = i == 0 ? NULL : &oc__judge_models_known[i - 1];
        if (oc__judge_any(judged, refuted_from_table, with)) {
            oc__arith arith = oc__judge_arith(judged, with);
            arith.wide_tables = true;
            rc = oc__judge_under(judged, &arith, refuted_from_table, use_wide_figure,
                                 with, err);
        }
    }
    return rc;
}
