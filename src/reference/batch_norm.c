/* batch_norm_inference, _training and _grad by the formulas of the specification.
 * Devices take other ways to the same numbers (rsqrt, one multiply and add for each
 * element, the variance as E[x^2] - mu^2), so every operation counts with two roundings
 * and those ways' own errors are added. */
#include "reference/linear.h"

#include <stdlib.h>

/* A number known to within r. */
typedef struct ball {
    double m, r;
} ball;

typedef struct norm {
    oc__call *call;
    size_t feature; /* dimension */
    size_t features;
    size_t outer, inner; /* elements are [outer][features][inner] */
    double epsilon, unit;
    oc__sum_model model;
    uint8_t flags; /* of all operands */
} norm;

/* --- operations with two roundings each
 * ------------------------------------------------ */

static ball rounded(const norm *n, double m, double spread)
{
    return (ball){m, spread + 2 * n->unit * (fabs(m) + spread)};
}

static ball add(const norm *n, ball a, ball b)
{
    return rounded(n, a.m + b.m, a.r + b.r);
}

static ball subtract(const norm *n, ball a, ball b)
{
    return rounded(n, a.m - b.m, a.r + b.r);
}

static ball multiply(const norm *n, ball a, ball b)
{
    return rounded(n, a.m * b.m, fabs(a.m) * b.r + a.r * (fabs(b.m) + b.r));
}

static ball divide(const norm *n, ball a, ball b)
{
    double least = fabs(b.m) - b.r, quotient = a.m / b.m;
    double spread = least > 0 ? (a.r + fabs(quotient) * b.r) / least : (double)INFINITY;
    return rounded(n, quotient, spread);
}

static ball square_root(const norm *n, ball a)
{
    double root = sqrt(a.m), least = a.m - a.r;
    double spread = a.r == 0    ? 0
                    : least > 0 ? a.r / (2 * sqrt(least))
                                : (double)INFINITY;
    return rounded(n, root, spread);
}

/* --- operands --- */

static ball at(const oc__value *value, size_t i)
{
    const double *r = oc__r(value);
    return (ball){oc__m(value)[i], r ? r[i] : 0};
}

static size_t element(const norm *n, size_t outer, size_t feature, size_t inner)
{
    return (outer * n->features + feature) * n->inner + inner;
}

/* operands[0] is the tensor; `vectors` of the others hold a number for each feature,
 * the rest are tensors like it. */
static oc_status read_norm(norm *n, size_t operands, size_t vectors, size_t results,
                           oc_error *err)
{
    oc__call *call = n->call;
    oc_status rc = oc__check_arity(call, operands, results, err);
    if (rc == OC_OK) {
        rc = oc__read_dimension(call, "feature_index", call->in[0]->rank, &n->feature,
                                err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *x = call->in[0];
    const oc__hlo_attr *epsilon = oc__hlo_attr_get(call->op, "epsilon");
    n->features = (size_t)x->dims[n->feature];
    n->outer = n->inner = 1;
    for (size_t d = 0; d < x->rank; d++) {
        size_t *part = d < n->feature ? &n->outer : &n->inner;
        *part *= d == n->feature ? 1 : (size_t)x->dims[d];
    }
    bool fits =
        epsilon && epsilon->kind == OC__ATTR_FLOAT && oc__dtype_is_float(x->dtype);
    for (size_t i = 0; i < operands; i++) {
        const oc__value *other = call->in[i];
        bool is_vector = i >= 1 && i <= vectors;
        fits = fits && other->dtype == x->dtype &&
               other->count == (is_vector ? n->features : x->count);
        n->flags |= oc__value_sticky(other);
    }
    if (!fits) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "needs an epsilon, floats of one type, and vectors of %zu "
                            "features",
                            n->features);
    }
    n->epsilon = oc__float_round(x->dtype, epsilon->real);
    n->unit = oc__power_of_two(-oc__float_format_of(x->dtype)->precision);
    oc__sum_model_make(call,
                       oc__sum_accumulator(oc__call_arith(call), x->dtype, x->dtype),
                       x->dtype, &n->model);
    return OC_OK;
}

static oc_status make_result(norm *n, size_t index, bool is_vector, oc_error *err)
{
    const oc__value *x = n->call->in[0];
    int64_t features = (int64_t)n->features;
    return is_vector
               ? oc__numbers_make(x->dtype, &features, 1, &n->call->out[index], err)
               : oc__numbers_make(x->dtype, x->dims, x->rank, &n->call->out[index],
                                  err);
}

static void put(const norm *n, size_t index, size_t i, ball value)
{
    double radius =
        isfinite(value.m) && value.r < (double)INFINITY ? value.r : (double)INFINITY;
    double tiny =
        oc__call_arith(n->call)->flush ? 4 * n->model.tiny : 4 * n->model.grain;
    oc__number_put(n->call->out[index], i, (oc__number){value.m, 0}, radius + tiny,
                   n->flags);
}

/* The sum of a quantity over the elements of a feature. */
typedef ball (*term_fn)(const norm *n, const void *context, size_t feature, size_t i);

static ball sum_over(const norm *n, term_fn term, const void *context, size_t feature)
{
    oc__sum sum;
    oc__sum_start(&sum);
    for (size_t o = 0; o < n->outer; o++) {
        for (size_t i = 0; i < n->inner; i++) {
            ball one = term(n, context, feature, element(n, o, feature, i));
            oc__sum_add(&sum, one.m, one.r, 0, 0);
        }
    }
    oc__ball total = oc__sum_finish(&n->model, &sum);
    return (ball){total.m, total.r};
}

static ball count_of(const norm *n)
{
    return (ball){(double)n->outer * (double)n->inner, 0};
}

/* --- inference --- */

static ball normalize(const norm *n, ball x, ball scale, ball offset, ball mean,
                      ball variance)
{
    ball deviation = square_root(n, add(n, variance, (ball){n->epsilon, 0}));
    ball centered = subtract(n, x, mean);
    ball out = add(n, multiply(n, scale, divide(n, centered, deviation)), offset);
    // Or x * (scale / deviation) + (offset - mean * (scale / deviation)).
    double factor = fabs(scale.m / deviation.m);
    out.r += 6 * n->unit * ((fabs(x.m) + fabs(mean.m)) * factor + fabs(offset.m));
    return out;
}

static void normalize_feature(const norm *n, size_t feature, ball mean, ball variance)
{
    const oc__value *x = n->call->in[0];
    ball scale = at(n->call->in[1], feature), offset = at(n->call->in[2], feature);
    for (size_t o = 0; o < n->outer; o++) {
        for (size_t i = 0; i < n->inner; i++) {
            size_t e = element(n, o, feature, i);
            put(n, 0, e, normalize(n, at(x, e), scale, offset, mean, variance));
        }
    }
}

static void tidy(const norm *n)
{
    for (size_t i = 0; i < n->call->op->result_count; i++) {
        oc__value_tidy(n->call->out[i]);
    }
}

oc_status oc__run_batch_norm_inference(oc__call *call, oc_error *err)
{
    norm n = {.call = call};
    oc_status rc = read_norm(&n, 5, 4, 1, err);
    if (rc == OC_OK) {
        rc = make_result(&n, 0, false, err);
    }
    for (size_t k = 0; rc == OC_OK && k < n.features; k++) {
        normalize_feature(&n, k, at(call->in[3], k), at(call->in[4], k));
        rc = oc__call_tick(call, err);
    }
    if (rc == OC_OK) {
        tidy(&n);
    }
    return rc;
}

/* --- training --- */

static ball term_x(const norm *n, const void *context, size_t feature, size_t i)
{
    (void)context;
    (void)feature;
    return at(n->call->in[0], i);
}

static ball term_square(const norm *n, const void *context, size_t feature, size_t i)
{
    (void)feature;
    const ball *mean = context;
    ball centered = subtract(n, at(n->call->in[0], i), *mean);
    return multiply(n, centered, centered);
}

static ball term_raw_square(const norm *n, const void *context, size_t feature,
                            size_t i)
{
    (void)context;
    (void)feature;
    ball x = at(n->call->in[0], i);
    return multiply(n, x, x);
}

static ball variance_of(const norm *n, size_t feature, ball mean)
{
    ball count = count_of(n);
    ball variance = divide(n, sum_over(n, term_square, &mean, feature), count);
    // E[x^2] - mu^2 loses what E[x^2] was rounded by.
    ball squares = sum_over(n, term_raw_square, NULL, feature);
    double lost = oc__gamma(count.m + 4, n->model.unit) + 4 * n->unit;
    variance.r += lost * (fabs(squares.m) / count.m + mean.m * mean.m);
    return variance;
}

oc_status oc__run_batch_norm_training(oc__call *call, oc_error *err)
{
    norm n = {.call = call};
    oc_status rc = read_norm(&n, 3, 2, 3, err);
    for (size_t i = 0; rc == OC_OK && i < 3; i++) {
        rc = make_result(&n, i, i > 0, err);
    }
    for (size_t k = 0; rc == OC_OK && k < n.features; k++) {
        ball mean = divide(&n, sum_over(&n, term_x, NULL, k), count_of(&n));
        ball variance = variance_of(&n, k, mean);
        put(&n, 1, k, mean);
        put(&n, 2, k, variance);
        normalize_feature(&n, k, mean, variance);
        rc = oc__call_tick(call, err);
    }
    if (rc == OC_OK) {
        tidy(&n);
    }
    return rc;
}

/* --- gradient --- */

enum { X, SCALE, MEAN, VARIANCE, GRAD };

static ball term_grad(const norm *n, const void *context, size_t feature, size_t i)
{
    (void)context;
    (void)feature;
    return at(n->call->in[GRAD], i);
}

static ball centered_at(const norm *n, size_t feature, size_t i)
{
    return subtract(n, at(n->call->in[X], i), at(n->call->in[MEAN], feature));
}

static ball term_grad_centered(const norm *n, const void *context, size_t feature,
                               size_t i)
{
    (void)context;
    return multiply(n, at(n->call->in[GRAD], i), centered_at(n, feature, i));
}

static void gradient_of_feature(const norm *n, size_t feature)
{
    oc__call *call = n->call;
    ball count = count_of(n);
    ball shifted = add(n, at(call->in[VARIANCE], feature), (ball){n->epsilon, 0});
    ball deviation = square_root(n, shifted);
    ball grads = sum_over(n, term_grad, NULL, feature);
    ball products = sum_over(n, term_grad_centered, NULL, feature);
    ball factor = divide(n, divide(n, at(call->in[SCALE], feature), deviation), count);
    for (size_t o = 0; o < n->outer; o++) {
        for (size_t i = 0; i < n->inner; i++) {
            size_t e = element(n, o, feature, i);
            ball i1 = multiply(n, at(call->in[GRAD], e), count);
            ball i4 = multiply(n, products, centered_at(n, feature, e));
            ball i6 = subtract(n, subtract(n, i1, grads), divide(n, i4, shifted));
            ball out = multiply(n, factor, i6);
            // The three parts may be scaled before they are subtracted.
            double size = fabs(i1.m) + fabs(grads.m) + fabs(i4.m / shifted.m);
            out.r += 8 * n->unit * fabs(factor.m) * size;
            put(n, 0, e, out);
        }
    }
    // sum(grad * centered / deviation), or the sum divided afterwards.
    put(n, 1, feature, divide(n, products, deviation));
    put(n, 2, feature, grads);
}

oc_status oc__run_batch_norm_grad(oc__call *call, oc_error *err)
{
    norm n = {.call = call};
    oc_status rc = read_norm(&n, 5, 3, 3, err);
    for (size_t i = 0; rc == OC_OK && i < 3; i++) {
        rc = make_result(&n, i, i > 0, err);
    }
    for (size_t k = 0; rc == OC_OK && k < n.features; k++) {
        gradient_of_feature(&n, k);
        rc = oc__call_tick(call, err);
    }
    if (rc == OC_OK) {
        tidy(&n);
    }
    return rc;
}
