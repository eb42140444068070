#include "reference/contraction.h"
#include "reference/in_order.h"

#include <stdlib.h>

/* --- types --- */

static bool is_integer(oc_dtype dtype)
{
    return oc__dtype_is_integer(dtype) || dtype == OC_PRED;
}

/* Integers beside floats (or in a contraction that gives floats) count as numbers. */
static oc_dtype number_type(oc_dtype own, oc_dtype other, oc_dtype result)
{
    return !is_integer(own) ? own : !is_integer(other) ? other : result;
}

static oc_status take_operands(oc__contraction *c, oc_dtype result, oc_error *err)
{
    oc__call *call = c->call;
    const oc__value *in[] = {call->in[0], call->in[1]};
    bool mixed = is_integer(in[0]->dtype) != is_integer(in[1]->dtype);
    c->integers = is_integer(result);
    if (c->integers && (mixed || !is_integer(in[0]->dtype))) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s and %s do not make %s",
                            oc_dtype_name(in[0]->dtype), oc_dtype_name(in[1]->dtype),
                            oc_dtype_name(result));
    }
    oc__value **to[] = {&c->lhs, &c->rhs};
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < 2; i++) {
        oc_dtype own = in[i]->dtype;
        oc_dtype wanted =
            c->integers ? own : number_type(own, in[1 - i]->dtype, result);
        rc = oc__promote(call, in[i], wanted, to[i], err);
        if (rc == OC_OK && !c->integers &&
            oc__dtype_is_complex(wanted) != oc__dtype_is_complex(result)) {
            rc = OC_CALL_FAIL(call, err, OC_PARSE, "%s does not make %s",
                              oc_dtype_name(wanted), oc_dtype_name(result));
        }
    }
    c->exact_products = !mixed && is_integer(in[0]->dtype) == c->integers;
    return rc;
}

/* f8 with allow_imprecise_accumulation: tensor cores keep about 14 bits (numerics 4.3).
 */
static void allow_imprecise(oc__sum_model *model)
{
    model->precision = 14;
    model->unit = 0x1p-14;
}

static oc_status make_model(oc__contraction *c, oc_dtype result, oc_error *err)
{
    oc_dtype lhs = c->lhs->dtype, rhs = c->rhs->dtype;
    oc_status rc = oc__scheme_make(c->call, lhs, rhs, result, &c->scheme, err);
    if (rc != OC_OK) {
        return rc;
    }
    // An accumulator that the program names and that is narrower than the result
    // decides what comes out.
    int kept = oc__float_format_of(c->scheme.accumulator)->precision;
    bool named = oc__hlo_attr_get(c->call->op, "algorithm") &&
                 kept < oc__float_format_of(result)->precision;
    oc__sum_model_make(c->call, c->scheme.accumulator,
                       named ? c->scheme.accumulator : result, &c->model);
    if (c->scheme.imprecise) {
        allow_imprecise(&c->model);
    }
    c->exact_products = c->exact_products && !c->scheme.imprecise &&
                        oc__scheme_exact_products(&c->scheme, lhs, rhs);
    return OC_OK;
}

/* Planes that every result is written into are not zeroed first. */
static oc_status make_result(oc__contraction *c, oc_dtype result, const int64_t *dims,
                             size_t rank, bool whole, oc_error *err)
{
    oc_status rc = oc__value_make(result, NULL, dims, rank, &c->out, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *out = c->out;
    size_t parts = oc__dtype_is_complex(result) ? 2 : 1;
    bool sigma = oc__call_arith(c->call)->sigma && oc__dtype_is_float(result);
    out->r = c->integers ? NULL : oc__plane_make(out->count * parts, sizeof(double));
    out->s = sigma ? oc__plane_make(out->count, sizeof(double)) : NULL;
    if (!oc__value_own_f(out) || (!c->integers && !out->r) || (sigma && !out->s)) {
        return oc__no_memory(err);
    }
    oc__plane *planes[] = {out->m, out->r, out->s};
    for (size_t i = 0; i < 3 && !whole; i++) {
        if (planes[i]) {
            memset(planes[i]->bytes, 0, planes[i]->size_bytes);
        }
    }
    return OC_OK;
}

oc_status oc__contraction_make(oc__call *call, const int64_t *dims, size_t rank,
                               bool whole, oc__contraction *out, oc_error *err)
{
    oc_dtype result = oc__call_result_type(call, 0)->dtype;
    *out = (oc__contraction){.call = call};
    oc_status rc = take_operands(out, result, err);
    if (rc == OC_OK && !out->integers) {
        rc = make_model(out, result, err);
    }
    if (rc == OC_OK) {
        rc = make_result(out, result, dims, rank, whole, err);
    }
    if (rc != OC_OK) {
        oc__contraction_free(out);
    }
    return rc;
}

void oc__contraction_free(oc__contraction *c)
{
    oc__value_release(c->lhs);
    oc__value_release(c->rhs);
    oc__value_release(c->out);
    *c = (oc__contraction){0};
}

void oc__contraction_give(oc__contraction *c)
{
    oc__value_tidy(c->out);
    oc__give(c->call, 0, c->out);
    c->out = NULL;
}

/* --- numbers --- */

/* One operand with what was made of it. */
typedef struct prepared {
    double *turned_m, *turned_r;
    oc__operand operand;
    oc__side side;
} prepared;

static void prepared_free(prepared *p)
{
    oc__side_free(&p->side);
    oc__operand_free(&p->operand);
    free(p->turned_m);
    free(p->turned_r);
}

/* What the parts of complex vectors are multiplied with for a result's real part,
 * (re, -im), and for its imaginary part, (im, re). */
static double *turn(const double *pairs, size_t count, bool imaginary, double sign)
{
    double *turned = malloc((2 * count + 1) * sizeof *turned);
    for (size_t i = 0; turned && i < count; i++) {
        turned[2 * i] = imaginary ? pairs[2 * i + 1] : pairs[2 * i];
        turned[2 * i + 1] = imaginary ? pairs[2 * i] : sign * pairs[2 * i + 1];
    }
    return turned;
}

typedef enum use { LEFT, RIGHT, FOR_REAL, FOR_IMAGINARY } use;

static oc_status prepare(const oc__contraction *c, const oc__value *value,
                         size_t length, use what, prepared *out, oc_error *err)
{
    const oc__reading *reading = what == LEFT ? &c->scheme.lhs : &c->scheme.rhs;
    *out = (prepared){0};
    bool pairs = oc__dtype_is_complex(value->dtype);
    size_t parts = pairs ? 2 : 1;
    const double *m = oc__m(value), *r = oc__r(value);
    double *turned_m = NULL, *turned_r = NULL;
    if (what >= FOR_REAL) {
        bool imaginary = what == FOR_IMAGINARY;
        turned_m = turn(m, value->count, imaginary, -1);
        turned_r = r ? turn(r, value->count, imaginary, 1) : NULL;
        if (!turned_m || (r && !turned_r)) {
            free(turned_m);
            free(turned_r);
            return oc__no_memory(err);
        }
        m = turned_m;
        r = turned_r;
    }
    oc_status rc = oc__operand_read(reading, m, r, pairs ? NULL : oc__s(value),
                                    value->count * parts, &out->operand, err);
    if (rc == OC_OK) {
        oc__layout layout = {.count = length > 0 ? value->count / length : 0,
                             .length = length * parts,
                             .panel = what == RIGHT ? c->panel : 0};
        rc = oc__side_make(&c->model, &out->operand, &layout, oc__f(value), parts,
                           &out->side, err);
    }
    out->turned_m = turned_m;
    out->turned_r = turned_r;
    if (rc != OC_OK) {
        prepared_free(out);
    }
    return rc;
}

/* --- step by step (in_order.h) --- */

/* The text's dot_general is a reduce of products, each rounded. */
static double steps_of(oc_dtype dtype, const double *a, const double *b, size_t length)
{
    double sum = 0;
    for (size_t k = 0; k < length; k++) {
        sum = oc__float_round(dtype, sum + oc__float_round(dtype, a[k] * b[k]));
    }
    return sum;
}

/* The same for complex numbers, whose products have two roundings; b is turned. */
static double paired_steps_of(oc_dtype dtype, const double *a, const double *b,
                              size_t length)
{
    double sum = 0;
    for (size_t k = 0; k < length; k += 2) {
        double first = oc__float_round(dtype, a[k] * b[k]);
        double second = oc__float_round(dtype, a[k + 1] * b[k + 1]);
        sum = oc__float_round(dtype, sum + oc__float_round(dtype, first + second));
    }
    return sum;
}

static void take_steps(oc__contraction *c, const oc__operand *a, const oc__operand *b,
                       size_t length, const oc__strip *strip, bool imaginary)
{
    bool pairs = oc__dtype_is_complex(c->out->dtype);
    oc_dtype dtype = c->model.widens ? c->model.env.dtype : c->model.env.from;
    double *m = oc__m(c->out), *r = oc__r(c->out), *s = oc__s(c->out);
    for (size_t i = 0; i < strip->rows; i++) {
        for (size_t j = 0; j < strip->columns; j++) {
            const double *x = a->m + (strip->a0 + i) * length;
            const double *y = b->m + (strip->b0 + j) * length;
            size_t to = strip->start + i * strip->row_stride + j * strip->column_stride;
            to = pairs ? 2 * to + imaginary : to;
            double sum = pairs ? paired_steps_of(dtype, x, y, length)
                               : steps_of(dtype, x, y, length);
            double text = oc__float_round(c->model.env.dtype, sum);
            oc__settle(text, &m[to], &r[to], s ? &s[to] : NULL);
        }
    }
}

/* --- products --- */

/* The longest path that a term takes, in terms of the vectors: all products of parts
 * are added up. */
static double longest_path(const oc__scheme *scheme)
{
    double parts = (double)scheme->lhs.parts;
    return scheme->all_pairs ? parts * parts : parts * (parts + 1) / 2;
}

static oc_status run_part(oc__contraction *c, const prepared *a, const prepared *b,
                          const oc__strip *strips, size_t count, bool imaginary,
                          oc_error *err)
{
    size_t columns = 0, pairs = oc__dtype_is_complex(c->out->dtype) ? 2 : 1;
    double work = 0;
    for (size_t i = 0; i < count; i++) {
        columns = strips[i].columns > columns ? strips[i].columns : columns;
        work += (double)strips[i].rows * (double)strips[i].columns;
    }
    bool few = a->operand.part_count == 1 && c->panel == 0 &&
               oc__in_order(a->side.at.length, (size_t)work);
    oc__product product;
    oc_status rc =
        oc__product_make(c->call, &c->model, &a->side, &b->side, c->exact_products,
                         c->scheme.all_pairs, longest_path(&c->scheme), columns,
                         work * (double)a->side.at.length, &product, err);
    if (rc != OC_OK) {
        return rc;
    }
    product.transforms = c->transforms;
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        const oc__strip *s = &strips[i];
        oc__product_out out = {.m = oc__m(c->out),
                               .r = oc__r(c->out),
                               .s = oc__s(c->out),
                               .f = oc__f(c->out),
                               .start = s->start * pairs + imaginary,
                               .row_stride = s->row_stride * pairs,
                               .column_stride = s->column_stride * pairs,
                               .pairs = pairs == 2};
        rc = oc__product_run(&product, s->a0, s->rows, s->b0, s->columns, &out, err);
        if (rc == OC_OK && few) {
            take_steps(c, &a->operand, &b->operand, a->side.at.length, s, imaginary);
        }
    }
    oc__product_free(&product);
    oc__call_flops(c->call,
                   2 * work * (double)a->side.at.length * longest_path(&c->scheme));
    return rc;
}

oc_status oc__contraction_run(oc__contraction *c, const oc__value *lhs,
                              const oc__value *rhs, size_t length,
                              const oc__strip *strips, size_t count, oc_error *err)
{
    if (count == 0 || c->out->count == 0) {
        return OC_OK;
    }
    if (length == 0) { // an empty sum
        return OC_OK;
    }
    if (c->integers) {
        return oc__contract_integers(c->call, lhs, rhs, length, strips, count, c->out,
                                     err);
    }
    bool pairs = oc__dtype_is_complex(c->out->dtype);
    prepared a;
    oc_status rc = prepare(c, lhs, length, LEFT, &a, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (int part = 0; rc == OC_OK && part < (pairs ? 2 : 1); part++) {
        prepared b;
        use what = !pairs ? RIGHT : part == 0 ? FOR_REAL : FOR_IMAGINARY;
        rc = prepare(c, rhs, length, what, &b, err);
        if (rc == OC_OK) {
            rc = run_part(c, &a, &b, strips, count, part == 1, err);
            prepared_free(&b);
        }
    }
    prepared_free(&a);
    return rc;
}
