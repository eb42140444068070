#include "numeric/freivalds.h"

#include "base/random.h"
#include "numeric/freivalds_program.h"
#include "reference/cut.h"
#include "reference/sum.h"
#include "stablehlo/parse.h"
#include "tensor/dtype_names.h"

#include <stdio.h>
#include <stdlib.h>

/* 2^-64 of all tests together; natural logarithm of 2^65. */
static const double log_of_odds = 45.0546;
/* Beyond so many standard deviations a row is suspect (numeric/ladder.h). */
static const double suspect_z = 10.0;

bool oc__dims_have(const oc__dims *list, int64_t dim)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        found = found || list->at[i] == dim;
    }
    return found;
}

static double product_of(const oc__dims *list, const oc__hlo_type *type)
{
    double product = 1;
    for (size_t i = 0; i < list->count; i++) {
        product *= (double)type->dims[list->at[i]];
    }
    return product;
}

/* --- the dot --- */

static const oc__hlo_op *producer_of(const oc__hlo_func *main, size_t index)
{
    const oc__hlo_block *body = &main->body;
    size_t value = body->ops[body->op_count - 1]->operands[index];
    for (size_t i = 0; i < body->op_count; i++) {
        const oc__hlo_op *op = body->ops[i];
        if (value >= op->first_result && value < op->first_result + op->result_count) {
            return op;
        }
    }
    return NULL;
}

static oc_status read_dims(const oc__freivalds_case *wanted, const oc__hlo_op *op,
                           const char *name, oc__dims *out, oc_error *err)
{
    const int64_t *ints;
    const oc__hlo_attr *numbers = oc__hlo_attr_get(op, "dot_dimension_numbers");
    oc_status rc =
        oc__hlo_ints(wanted->module, numbers ? oc__hlo_entry(numbers, name) : NULL,
                     &ints, &out->count, err);
    if (rc == OC_OK) {
        memcpy(out->at, ints, out->count * sizeof *ints);
    }
    return rc;
}

/* What a contract reads operands with: the models of one part, rounded to nearest. */
static bool read_bits(const oc__arith *arith, int *out_bits)
{
    switch (arith->operands) {
    case OC__OPERANDS_FULL: *out_bits = 0; return true;
    case OC__OPERANDS_TF32_RNE: *out_bits = 10; return true;
    case OC__OPERANDS_BF16_RNE: *out_bits = 7; return true;
    default: return false;
    }
}

static const char *unfit(const oc__freivalds_case *wanted, oc__tail *t)
{
    if (!t->op || !t->types[OC__RHS] ||
        (strcmp(t->op->name, "stablehlo.dot_general") != 0 &&
         strcmp(t->op->name, "stablehlo.dot") != 0)) {
        return "the output is not made by a dot";
    }
    if (oc__hlo_attr_get(t->op, "algorithm") || wanted->arith.narrow_accumulator ||
        !read_bits(&wanted->arith, &t->mantissa)) {
        return "its operands are not read whole, or its accumulator is narrow";
    }
    const oc_dtype kinds[] = {t->types[OC__LHS]->dtype, t->types[OC__RHS]->dtype,
                              wanted->got->dtype};
    for (size_t i = 0; i < 3; i++) {
        if (!oc__dtype_is_float(kinds[i]) || oc__dtype_width(kinds[i]) < 16 ||
            t->op->result_types[0]->quant) {
            return "its elements are no floats of 16 bits or more";
        }
    }
    return NULL;
}

static oc_status find_dims(const oc__freivalds_case *wanted, oc__tail *t, oc_error *err)
{
    static const char *const names[OC__SIDES][2] = {
        {"lhs_batching_dimensions", "lhs_contracting_dimensions"},
        {"rhs_batching_dimensions", "rhs_contracting_dimensions"}};
    oc_status rc = OC_OK;
    for (size_t side = 0; rc == OC_OK && side < OC__SIDES; side++) {
        if (strcmp(t->op->name, "stablehlo.dot") == 0) {
            int64_t last = (int64_t)t->types[side]->rank - 1;
            t->contract[side] =
                (oc__dims){.count = 1, .at = {side == OC__LHS ? last : 0}};
        } else {
            rc = read_dims(wanted, t->op, names[side][0], &t->batch[side], err);
            if (rc == OC_OK) {
                rc = read_dims(wanted, t->op, names[side][1], &t->contract[side], err);
            }
        }
        for (int64_t d = 0; rc == OC_OK && d < (int64_t)t->types[side]->rank; d++) {
            if (!oc__dims_have(&t->batch[side], d) &&
                !oc__dims_have(&t->contract[side], d)) {
                t->free[side].at[t->free[side].count++] = d;
            }
        }
    }
    t->length = product_of(&t->contract[OC__LHS], t->types[OC__LHS]);
    t->width = product_of(&t->free[OC__RHS], t->types[OC__RHS]);
    return rc;
}

/* --- operands --- */

/* A and B, as the reference computes them: whole, under the contract. */
static oc_status evaluate_operands(const oc__freivalds_case *wanted, const oc__tail *t,
                                   oc__evaluation *out, oc__freivalds *result,
                                   oc_error *err)
{
    oc__cut cut = {0};
    oc__cut_root roots[OC__SIDES];
    for (size_t side = 0; side < OC__SIDES; side++) {
        const oc__hlo_type *type = t->types[side];
        roots[side] = (oc__cut_root){.value = t->op->operands[side],
                                     .grid = {.rank = type->rank}};
        memcpy(roots[side].grid.counts, type->dims, type->rank * sizeof *type->dims);
    }
    oc_status rc = oc__cut_make(wanted->module, wanted->inputs, wanted->input_count,
                                roots, OC__SIDES, &cut, err);
    if (rc == OC_OK && wanted->seconds > 0 && cut.seconds > wanted->seconds) {
        snprintf(result->detail, sizeof result->detail,
                 "its operands would take %.3g s", cut.seconds);
        rc = OC_LIMIT;
    } else if (rc == OC_OK) {
        rc = oc__evaluate(cut.module, 1, 1, cut.inputs, cut.input_count, &wanted->arith,
                          &wanted->limits, out, err);
        snprintf(result->detail, sizeof result->detail, "%.*s",
                 (int)sizeof result->detail - 1, rc == OC_OK ? "" : err->text);
    }
    // The evaluation's notes point into the cut's module; nobody reads them here.
    oc__cut_free(&cut);
    return rc;
}

static oc_status doubles(const oc__value *like, const oc__plane *plane,
                         oc_tensor *out_tensor, oc_error *err)
{
    oc_status rc = oc_tensor_make(OC_F64, like->dims, like->rank, out_tensor, err);
    if (rc == OC_OK && plane) {
        memcpy(out_tensor->data, plane->bytes, out_tensor->size_bytes);
    }
    return rc;
}

static oc_status vectors(const oc__tail *t, int64_t count, uint64_t *random,
                         oc_tensor *out_tensor, oc_error *err)
{
    int64_t sizes[OC_MAX_RANK];
    size_t rank = 0;
    for (size_t i = 0; i < t->free[OC__RHS].count && rank < OC_MAX_RANK - 1; i++) {
        sizes[rank++] = t->types[OC__RHS]->dims[t->free[OC__RHS].at[i]];
    }
    sizes[rank++] = count;
    oc_status rc = oc_tensor_make(OC_F64, sizes, rank, out_tensor, err);
    double *at = rc == OC_OK ? out_tensor->data : NULL;
    for (size_t i = 0; rc == OC_OK && i < oc_tensor_count(out_tensor); i++) {
        at[i] = random && oc__random_next(random) >> 63 ? -1.0 : 1.0;
    }
    return rc;
}

/* --- rows --- */

/* What one device may do with a row (numeric/freivalds.h). */
typedef struct allowance {
    double gamma, grain, t, length, width, overflow_from;
    double steps, last; /* of the variance: per square of a term, of a result */
    bool statistics;
} allowance;

static allowance allowance_of(const oc__tail *t, oc_dtype operand, oc_dtype result,
                              const oc__arith *arith, bool statistics, double tests)
{
    oc_dtype accumulator = oc__sum_accumulator(arith, operand, result);
    const oc__float_format *sums = oc__float_format_of(accumulator);
    const oc__float_format *last = oc__float_format_of(result);
    double unit = ldexp(1, -sums->precision);
    bool narrows = last->precision < sums->precision;
    double end = narrows ? ldexp(1, -last->precision) : 0;
    double gamma = oc__gamma(t->length, unit);
    double grain = (t->length + 1) * ldexp(1, sums->min_exponent - sums->precision) +
                   ldexp(1, last->min_exponent - last->precision);
    return (allowance){.gamma = gamma + end * (1 + gamma),
                       .grain = fmax(grain, 0x1p-1074) * t->width,
                       .t = sqrt(2 * (log_of_odds + log(fmax(tests, 1)))),
                       .length = t->length,
                       .width = t->width,
                       .overflow_from = fmin(sums->overflow_from, last->overflow_from),
                       .steps = unit * unit / 3 * (t->length / 6 + 1),
                       .last = unit * unit / 3 * (t->length / 3 + 1) + end * end / 3,
                       .statistics = statistics};
}

/* Upper bound of an element of a value of positive numbers. */
static double most(const oc__value *value, size_t i)
{
    return oc__m(value)[i] + (value->r ? oc__r(value)[i] : 0);
}

static void judge_row(const allowance *may, oc__value *const *out, size_t row,
                      double squares_got, oc__freivalds *result)
{
    const oc__value *difference = out[0];
    double total = most(out[1], row), squares = most(out[3], row);
    double spread = total - (2 * oc__m(out[2])[row] - most(out[2], row));
    double surely = may->gamma * total;
    double likely = may->t * may->gamma * sqrt(may->length * squares);
    double bound = (surely < likely ? surely : likely) + spread + may->grain;
    double sigma = sqrt(may->steps * squares + may->last * squares_got);
    bool refuted = false, suspect = false;
    if (!(total < may->overflow_from) || !isfinite(squares_got)) {
        return; // infinities and NaN: the sampled elements tell
    }
    for (size_t v = 0; v < OC__FREIVALDS_VECTORS; v++) {
        size_t i = row * OC__FREIVALDS_VECTORS + v;
        double own = difference->r ? oc__r(difference)[i] : 0;
        double error = fabs(oc__m(difference)[i]) - own;
        if (!isfinite(error)) {
            return;
        }
        result->largest_ratio = fmax(result->largest_ratio, error / bound);
        refuted = refuted || error > bound;
        if (may->statistics && sigma > 0) {
            result->largest_z = fmax(result->largest_z, error / sigma);
            suspect = suspect || error > suspect_z * sigma;
        }
    }
    result->rows++;
    result->refuted += refuted;
    result->suspect += suspect && !refuted;
}

static void judge_rows(const allowance *may, const oc__evaluation *products,
                       const oc_tensor *got, oc__freivalds *result)
{
    size_t width = (size_t)may->width, rows = products->outputs[1]->count;
    const double *at = got->data;
    result->largest_z = may->statistics ? 0 : (double)NAN;
    for (size_t row = 0; row < rows; row++) {
        double squares = 0;
        for (size_t j = 0; j < width; j++) {
            squares += at[row * width + j] * at[row * width + j];
        }
        judge_row(may, products->outputs, row, squares, result);
    }
    result->applies = true;
}

/* Evaluates the program of vectors. inputs: lhs, rhs, got, signs, ones, radii. */
static oc_status multiply(const oc__freivalds_case *wanted, const oc__tail *t,
                          bool balls, const oc_tensor *inputs, oc__evaluation *out,
                          oc_error *err)
{
    static const oc__arith plain = {.sigma = false};
    oc__hlo_module *module = NULL;
    oc__strbuf text;
    oc__strbuf_init(&text, OC__HLO_MAX_TEXT);
    oc__freivalds_program(t, balls, &inputs[2], &text);
    oc_status rc = text.failed
                       ? oc__no_memory(err)
                       : oc__hlo_parse(text.data, text.size, "freivalds", &module, err);
    if (rc == OC_OK) {
        rc = oc__evaluate(module, 1, 1, inputs, balls ? 7 : 5, &plain, &wanted->limits,
                          out, err);
    }
    oc__hlo_module_free(module);
    oc__strbuf_free(&text);
    return rc;
}

static oc_status hold(const oc__freivalds_case *wanted, const oc__tail *t,
                      oc__value *const *sides, oc__freivalds *result, oc_error *err)
{
    enum { INPUTS = 7 };
    oc_tensor inputs[INPUTS] = {0};
    oc__value *got = NULL;
    oc__evaluation products = {0};
    uint64_t random = wanted->seed;
    const oc__value *a = sides[OC__LHS], *b = sides[OC__RHS];
    bool balls = a->r || b->r, statistics = !balls && !a->s && !b->s;
    oc_status rc = doubles(a, a->m, &inputs[0], err);
    if (rc == OC_OK) {
        rc = doubles(b, b->m, &inputs[1], err);
    }
    if (rc == OC_OK) {
        rc = oc__value_from_tensor(wanted->got, NULL, &got, err);
    }
    if (rc == OC_OK) {
        rc = doubles(got, got->m, &inputs[2], err);
    }
    if (rc == OC_OK) {
        rc = vectors(t, OC__FREIVALDS_VECTORS, &random, &inputs[3], err);
    }
    if (rc == OC_OK) {
        rc = vectors(t, 1, NULL, &inputs[4], err);
    }
    for (size_t side = 0; rc == OC_OK && balls && side < OC__SIDES; side++) {
        rc = doubles(sides[side], sides[side]->r, &inputs[5 + side], err);
    }
    if (rc == OC_OK) {
        rc = multiply(wanted, t, balls, inputs, &products, err);
    }
    if (rc == OC_OK) {
        double tests = (double)products.outputs[0]->count;
        allowance may = allowance_of(t, t->types[OC__LHS]->dtype, wanted->got->dtype,
                                     &wanted->arith, statistics, tests);
        judge_rows(&may, &products, &inputs[2], result);
    }
    oc__evaluation_free(&products);
    oc__value_release(got);
    for (size_t i = 0; i < INPUTS; i++) {
        oc_tensor_free(&inputs[i]);
    }
    return rc;
}

oc_status oc__freivalds_check(const oc__freivalds_case *wanted, oc__freivalds *out,
                              oc_error *err)
{
    const oc__hlo_func *main;
    oc__tail t = {0};
    oc__evaluation operands = {0};
    *out = (oc__freivalds){.largest_z = (double)NAN};
    oc_status rc = oc__hlo_main(wanted->module, &main, err);
    if (rc != OC_OK) {
        return rc;
    }
    t.op = producer_of(main, wanted->index);
    for (size_t side = 0; t.op && t.op->operand_count == 2 && side < OC__SIDES;
         side++) {
        t.types[side] = main->value_types[t.op->operands[side]];
    }
    const char *why = unfit(wanted, &t);
    if (why) {
        snprintf(out->detail, sizeof out->detail, "%s", why);
        return OC_OK;
    }
    rc = find_dims(wanted, &t, err);
    if (rc == OC_OK) {
        rc = evaluate_operands(wanted, &t, &operands, out, err);
    }
    if (rc == OC_OK) {
        rc = hold(wanted, &t, operands.outputs, out, err);
    }
    oc__evaluation_free(&operands);
    return rc == OC_NOMEM ? rc : OC_OK;
}
