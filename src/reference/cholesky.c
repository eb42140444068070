#include "reference/linear.h"

#include <stdlib.h>

/* L with L L^* = A, or U with U^* U = A. What a device gives is the factor of A + E,
 * |E| <= gamma_(3n+1) |L||L^*| (Higham, Accuracy and Stability, 2nd ed., theorem 10.3);
 * to first order L moves by L phi(L^-1 E L^-*), phi taking the lower triangle and half
 * of the diagonal (Stewart 1977). */
typedef struct factor {
    oc__call *call;
    bool lower;
    size_t n;
    oc__number *l, *work;            /* [n][n], [n] */
    double *radii, *sizes, *inverse; /* [n][n] */
    double *e, *w;                   /* [n][n] */
    double gamma;
} factor;

static oc_status read_factor(factor *c, oc_error *err)
{
    const oc__value *a = c->call->in[0];
    c->lower = oc__hlo_attr_flag(c->call->op, "lower");
    if (a->rank < 2 || a->dims[a->rank - 1] != a->dims[a->rank - 2] ||
        (!oc__dtype_is_float(a->dtype) && !oc__dtype_is_complex(a->dtype))) {
        return OC_CALL_FAIL(c->call, err, OC_PARSE, "no square matrices: %s %s",
                            oc__shown_dims(a->dims, a->rank).text,
                            oc_dtype_name(a->dtype));
    }
    c->n = (size_t)a->dims[a->rank - 1];
    double each = oc__dtype_is_complex(a->dtype) ? 4 : 1;
    c->gamma =
        oc__gamma(each * (3 * (double)c->n + 1), oc__solve_unit(c->call, a->dtype));
    size_t all = c->n * c->n + 1;
    c->l = calloc(all, sizeof *c->l);
    c->work = calloc(c->n + 1, sizeof *c->work);
    double **const arrays[] = {&c->radii, &c->sizes, &c->inverse, &c->e, &c->w};
    bool good = c->l && c->work;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc(all, sizeof(double));
        good = good && *arrays[i];
    }
    return good ? OC_OK : oc__no_memory(err);
}

static void factor_free(factor *c)
{
    free(c->l);
    free(c->work);
    free(c->radii);
    free(c->sizes);
    free(c->inverse);
    free(c->e);
    free(c->w);
}

/* The triangle that is read, as a lower one. */
static size_t element(const factor *c, size_t batch, size_t row, size_t column)
{
    return batch * c->n * c->n + (c->lower ? row * c->n + column : column * c->n + row);
}

/* Reads the triangle into c->l and factors it in place; false when it is not positive
 * definite, as far as long double can tell, or not finite. */
static bool decompose(factor *c, size_t batch, uint8_t *out_flags)
{
    const oc__value *a = c->call->in[0];
    const uint8_t *f = oc__f(a);
    size_t n = c->n;
    bool good = true;
    *out_flags = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            size_t at = element(c, batch, i, k);
            oc__number sum = oc__number_at(a, at, &c->radii[i * n + k]);
            *out_flags |= f ? f[at] & OC__F_STICKY : 0;
            good = good && isfinite(c->radii[i * n + k]);
            sum.im = c->lower ? sum.im : -sum.im;
            for (size_t j = 0; j < k; j++) {
                oc__number other = c->l[k * n + j];
                other.im = -other.im;
                sum = oc__number_minus(sum, oc__number_times(c->l[i * n + j], other));
            }
            if (i == k) {
                good = good && sum.re > 0;
                c->l[i * n + i] = (oc__number){sqrtl(sum.re), 0};
            } else {
                c->l[i * n + k] = oc__number_over(sum, c->l[k * n + k]);
            }
        }
    }
    return good;
}

/* to = a b^T for lower triangles a; b a full matrix when `full`. */
static void times_transposed(const double *a, const double *b, size_t n, double *to)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k <= i; k++) {
                sum += a[i * n + k] * b[j * n + k];
            }
            to[i * n + j] = sum;
        }
    }
}

/* Bounds of the error of every element into c->e; false when they mean nothing. */
static bool bound_error(factor *c)
{
    size_t n = c->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            c->sizes[i * n + k] = k <= i ? oc__number_size(c->l[i * n + k]) : 0;
        }
    }
    oc__triangle_inverse_sizes(c->l, n, c->work, c->inverse);
    times_transposed(c->sizes, c->sizes, n, c->e);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            size_t read = i >= k ? i * n + k : k * n + i;
            c->e[i * n + k] = c->gamma * c->e[i * n + k] + c->radii[read];
        }
    }
    // W = |L^-1| E |L^-T|; E is symmetric.
    times_transposed(c->inverse, c->e, n, c->w);
    times_transposed(c->inverse, c->w, n, c->e);
    double norm = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t k = 0; k < n; k++) {
            row += c->e[i * n + k];
        }
        norm = fmax(norm, row);
    }
    if (!(norm < 0.125)) {
        return false;
    }
    // |L| phi(W), with room for the orders that were left out.
    double room = (1 + 0x1p-9) / (1 - 4 * norm);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = c->sizes[i * n + k] * c->e[k * n + k] / 2;
            for (size_t j = k + 1; j <= i; j++) {
                sum += c->sizes[i * n + j] * c->e[j * n + k];
            }
            c->w[i * n + k] = sum * room;
        }
    }
    return true;
}

static void store(const factor *c, size_t batch, bool definite, bool bounded,
                  uint8_t flags, oc__value *out)
{
    size_t n = c->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            size_t at = element(c, batch, i, k);
            if (k > i) { // the text leaves the other triangle open; XLA's is 0
                oc__number_put(out, at, (oc__number){0, 0}, 0, flags | OC__F_OPEN);
                continue;
            }
            oc__number x = c->l[i * n + k];
            x.im = c->lower ? x.im : -x.im;
            if (!definite) { // undefined; XLA gives NaN
                x = (oc__number){(long double)NAN, (long double)NAN};
                oc__number_put(out, at, x, 0, flags | OC__F_OPEN);
            } else {
                oc__number_put(out, at, x, bounded ? c->w[i * n + k] : (double)INFINITY,
                               flags);
            }
        }
    }
}

oc_status oc__run_cholesky(oc__call *call, oc_error *err)
{
    factor c = {.call = call};
    oc__value *out = NULL;
    uint64_t indefinite = 0;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = read_factor(&c, err);
    }
    if (rc == OC_OK) {
        const oc__value *a = call->in[0];
        rc = oc__numbers_make(a->dtype, a->dims, a->rank, &out, err);
    }
    size_t each = c.n * c.n;
    size_t batches = rc == OC_OK && each > 0 ? out->count / each : 0;
    for (size_t i = 0; rc == OC_OK && i < batches; i++) {
        uint8_t flags;
        bool definite = decompose(&c, i, &flags);
        bool bounded = definite && bound_error(&c);
        store(&c, i, definite, bounded, flags, out);
        indefinite += definite ? 0 : each;
        oc__call_flops(call, (double)c.n * (double)each / 3);
        rc = oc__call_tick(call, err);
    }
    factor_free(&c);
    if (rc != OC_OK) {
        oc__value_release(out);
        return rc;
    }
    if (indefinite > 0) {
        oc__call_note(call, "not_positive_definite", indefinite);
    }
    if (c.n > 1 && batches > 0) {
        oc__call_note(call, "cholesky_other_triangle", batches * c.n * (c.n - 1) / 2);
    }
    oc__value_tidy(out);
    oc__give(call, 0, out);
    return OC_OK;
}
