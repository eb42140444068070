#include "reference/linear.h"

#include <stdlib.h>

/* op(A) X = B or X op(A) = B, A triangular. A solver may invert diagonal blocks, so the
 * residual of what a device gives is bounded by gamma_(2n+4) |A||A^-1||A||x| (numerics
 * 8.3; Higham, Accuracy and Stability, 2nd ed., chapter 8, for substitution alone), and
 * its error by |A^-1| times that. Every system is turned into a lower triangular one.
 */
typedef struct solve {
    oc__call *call;
    bool left, lower, transposed, conjugate, unit;
    size_t n, vectors;
    oc__number *matrix, *x, *work;     /* [n][n], [n], [n] */
    double *sizes, *inverse, *radii;   /* [n][n]: |A|, |A^-1|, radii of A */
    double *v, *w, *bound, *rhs_radii; /* [n] */
    double gamma;
} solve;

static oc_status read_solve(solve *s, oc_error *err)
{
    oc__call *call = s->call;
    const oc__value *a = call->in[0], *b = call->in[1];
    const char *op = oc__hlo_attr_text(call->op, "transpose_a", "NO_TRANSPOSE");
    s->left = oc__hlo_attr_flag(call->op, "left_side");
    s->lower = oc__hlo_attr_flag(call->op, "lower");
    s->unit = oc__hlo_attr_flag(call->op, "unit_diagonal");
    s->transposed = strcmp(op, "NO_TRANSPOSE") != 0;
    s->conjugate = strcmp(op, "ADJOINT") == 0;
    bool fits = a->rank >= 2 && a->rank == b->rank && a->dtype == b->dtype &&
                (oc__dtype_is_float(a->dtype) || oc__dtype_is_complex(a->dtype)) &&
                a->dims[a->rank - 1] == a->dims[a->rank - 2];
    for (size_t d = 0; fits && d + 2 < a->rank; d++) {
        fits = a->dims[d] == b->dims[d];
    }
    if (fits) {
        s->n = (size_t)a->dims[a->rank - 1];
        size_t rows = (size_t)b->dims[b->rank - 2],
               columns = (size_t)b->dims[b->rank - 1];
        fits = (s->left ? rows : columns) == s->n;
        s->vectors = s->left ? columns : rows;
    }
    if (!fits) {
        return OC_CALL_FAIL(
            call, err, OC_PARSE, "matrices of %s %s and right-hand sides of %s %s",
            oc__shown_dims(a->dims, a->rank).text, oc_dtype_name(a->dtype),
            oc__shown_dims(b->dims, b->rank).text, oc_dtype_name(b->dtype));
    }
    double unit = oc__solve_unit(call, a->dtype);
    // A complex operation has up to four roundings of its parts, normwise.
    double each = oc__dtype_is_complex(a->dtype) ? 4 : 1;
    s->gamma = oc__gamma(each * (2 * (double)s->n + 4), unit);
    size_t n = s->n, all = n * n + 1;
    s->matrix = calloc(all, sizeof *s->matrix);
    s->x = calloc(n + 1, sizeof *s->x);
    s->work = calloc(n + 1, sizeof *s->work);
    double **const arrays[] = {&s->sizes, &s->inverse, &s->radii,    &s->v,
                               &s->w,     &s->bound,   &s->rhs_radii};
    bool good = s->matrix && s->x && s->work;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc(i < 3 ? all : n + 1, sizeof(double));
        good = good && *arrays[i];
    }
    return good ? OC_OK : oc__no_memory(err);
}

static void solve_free(solve *s)
{
    free(s->matrix);
    free(s->x);
    free(s->work);
    free(s->sizes);
    free(s->inverse);
    free(s->radii);
    free(s->v);
    free(s->w);
    free(s->bound);
    free(s->rhs_radii);
}

/* Place i of the lower triangular system in the order of the one that was asked for. */
static size_t place(const solve *s, size_t i)
{
    bool lower = s->lower ^ s->transposed ^ !s->left;
    return lower ? i : s->n - 1 - i;
}

/* The matrix of batch b as a lower triangular one; false when it is singular or not
 * finite. */
static bool load_matrix(solve *s, size_t batch, uint8_t *out_flags)
{
    const oc__value *a = s->call->in[0];
    const uint8_t *f = oc__f(a);
    size_t n = s->n;
    bool good = true;
    bool turned = s->transposed ^ !s->left;
    *out_flags = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            size_t row = place(s, i), column = place(s, k);
            size_t at = batch * n * n + (turned ? column * n + row : row * n + column);
            oc__number x = oc__number_at(a, at, &s->radii[i * n + k]);
            *out_flags |= f ? f[at] & OC__F_STICKY : 0;
            x.im = s->conjugate ? -x.im : x.im;
            if (i == k && s->unit) {
                x = (oc__number){1, 0};
                s->radii[i * n + k] = 0;
            }
            s->matrix[i * n + k] = x;
            s->sizes[i * n + k] = oc__number_size(x);
            good = good && isfinite(s->radii[i * n + k]) &&
                   (i != k || s->sizes[i * n + k] > s->radii[i * n + k]);
        }
    }
    if (good) {
        oc__triangle_inverse_sizes(s->matrix, n, s->work, s->inverse);
    }
    return good;
}

/* to = lower triangle a times from. */
static void times(const double *a, size_t n, const double *from, double *to)
{
    for (size_t i = n; i-- > 0;) { // backward, so that to may be from
        double sum = 0;
        for (size_t k = 0; k <= i; k++) {
            sum += a[i * n + k] * from[k];
        }
        to[i] = sum;
    }
}

/* v becomes |A^-1| gamma |A||A^-1||A| v. */
static void spread_error(const solve *s, double *v)
{
    times(s->sizes, s->n, v, v);
    times(s->inverse, s->n, v, v);
    times(s->sizes, s->n, v, v);
    times(s->inverse, s->n, v, v);
    for (size_t i = 0; i < s->n; i++) {
        v[i] *= s->gamma;
    }
}

static double most(const double *v, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, v[i]);
    }
    return largest;
}

/* The bound of a solution's error into s->bound: of the device's solve, which its own
 * error enters again, and of the balls of A and b. */
static void bound_error(solve *s)
{
    size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        s->v[i] = oc__number_size(s->x[i]);
    }
    times(s->radii, n, s->v, s->w);
    for (size_t i = 0; i < n; i++) {
        s->w[i] += s->rhs_radii[i];
    }
    times(s->inverse, n, s->w, s->w); // |A^-1| (ra |x| + rb)
    spread_error(s, s->v);
    for (size_t i = 0; i < n; i++) {
        s->bound[i] = s->v[i] + s->w[i];
        s->v[i] = s->bound[i];
    }
    double first = most(s->bound, n);
    times(s->radii, n, s->v, s->w);
    times(s->inverse, n, s->w, s->w);
    spread_error(s, s->v);
    double second = most(s->v, n) + most(s->w, n);
    // A geometric series: the error of the error.
    double ratio = first > 0 ? second / first : 0;
    for (size_t i = 0; i < n; i++) {
        s->bound[i] = ratio < 0.5 ? s->bound[i] + 2 * second : (double)INFINITY;
        s->bound[i] *= 1 + 0x1p-9; // this evaluator's own error has 11 bits more
    }
}

static void solve_vector(solve *s, size_t batch, size_t vector, bool good,
                         uint8_t flags, oc__value *out)
{
    const oc__value *b = s->call->in[1];
    const uint8_t *f = oc__f(b);
    size_t n = s->n, base = batch * n * s->vectors;
    for (size_t i = 0; i < n; i++) {
        size_t row = place(s, i);
        size_t at = base + (s->left ? row * s->vectors + vector : vector * n + row);
        oc__number sum = oc__number_at(b, at, &s->rhs_radii[i]);
        flags |= f ? f[at] & OC__F_STICKY : 0;
        for (size_t k = 0; k < i; k++) {
            sum =
                oc__number_minus(sum, oc__number_times(s->matrix[i * n + k], s->x[k]));
        }
        s->x[i] = oc__number_over(sum, s->matrix[i * n + i]);
    }
    if (good) {
        bound_error(s);
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = place(s, i);
        size_t at = base + (s->left ? row * s->vectors + vector : vector * n + row);
        oc__number_put(out, at, s->x[i], good ? s->bound[i] : (double)INFINITY, flags);
    }
}

oc_status oc__run_triangular_solve(oc__call *call, oc_error *err)
{
    solve s = {.call = call};
    oc__value *out = NULL;
    oc_status rc = oc__check_arity(call, 2, 1, err);
    if (rc == OC_OK) {
        rc = read_solve(&s, err);
    }
    if (rc == OC_OK) {
        const oc__value *b = call->in[1];
        rc = oc__numbers_make(b->dtype, b->dims, b->rank, &out, err);
    }
    size_t each = s.n * s.vectors;
    size_t batches = rc == OC_OK && each > 0 ? out->count / each : 0;
    for (size_t i = 0; rc == OC_OK && i < batches; i++) {
        uint8_t flags;
        bool good = load_matrix(&s, i, &flags);
        for (size_t v = 0; v < s.vectors; v++) {
            solve_vector(&s, i, v, good, flags, out);
        }
        oc__call_flops(call, (double)s.n * (double)each);
        rc = oc__call_tick(call, err);
    }
    solve_free(&s);
    if (rc != OC_OK) {
        oc__value_release(out);
        return rc;
    }
    oc__value_tidy(out);
    oc__give(call, 0, out);
    return OC_OK;
}
