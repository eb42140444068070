#include "reference/contract.h"
#include "reference/product_rows.h"

#include <stdlib.h>

enum { BLOCK = 1 << 18 }; /* results at work at once, about */

/* Work that is small enough to multiply the magnitudes out without a second thought. */
static const double small_work = 1 << 23;
/* Where the bounds by norms are this much too wide, about. */
static const double too_wide = 2.5;
/* --- whether norms will do --- */

/* How much wider than their product the product of Euclid's norms of two such vectors
 * is on average: sqrt(n) |x|_2 / |x|_1 of either, multiplied. */
static double width_of(const oc__side *side)
{
    double sum = 0, count = 0;
    for (size_t v = 0; v < side->at.count; v++) {
        oc__norms of = oc__norms_at(side, v, 0);
        if (of.sum > 0) {
            sum += sqrt((double)side->at.length) * of.euclid / of.sum;
            count++;
        }
    }
    return count > 0 ? sum / count : 1;
}

static double most_terms(const oc__side *side)
{
    double most = 0;
    for (size_t v = 0; v < side->at.count; v++) {
        most = fmax(most, side->terms[v]);
    }
    return most;
}

/* The largest element, or Euclid's norm, in steps of the vector's grid. */
static double most_steps(const oc__side *side, bool euclid)
{
    double most = 0;
    for (size_t v = 0; v < side->at.count; v++) {
        oc__norms of = oc__norms_at(side, v, 0);
        bool none = side->grid[v] == OC__NO_GRID;
        most = none ? (double)INFINITY
                    : fmax(most, (euclid ? of.euclid : of.largest) *
                                     oc__power_of_two(-side->grid[v]));
    }
    return most;
}

static bool wants_magnitudes(const oc__product *p, double terms, double work)
{
    if (terms <= 1) {
        return false;
    }
    if (work <= small_work || width_of(p->a) * width_of(p->b) > too_wide) {
        return true;
    }
    // Integers whose sums may or may not be exact.
    double limit = oc__power_of_two(p->model->precision);
    return most_steps(p->a, false) * most_steps(p->b, false) < limit &&
           !(most_steps(p->a, true) * most_steps(p->b, true) < limit);
}

/* --- making --- */

oc_status oc__product_make(oc__call *call, const oc__sum_model *model,
                           const oc__side *a, const oc__side *b, bool exact_products,
                           bool all_pairs, double longest, size_t columns, double work,
                           oc__product *out_product, oc_error *err)
{
    oc__product *p = out_product;
    double terms = fmin(most_terms(a), most_terms(b));
    *p = (oc__product){.call = call,
                       .dgemm = oc__blas_dgemm(),
                       .model = model,
                       .a = a,
                       .b = b,
                       .all_pairs = all_pairs,
                       .exact_products = exact_products,
                       .longest = longest,
                       .columns = columns};
    if (!p->dgemm) {
        return OC_CALL_FAIL(call, err, OC_NOT_FOUND,
                            "libopenblas.so.0 cannot be loaded; install OpenBLAS");
    }
    if (a->at.length > INT32_MAX || columns > INT32_MAX) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "vectors of %zu elements",
                            a->at.length);
    }
    p->multiply_out = wants_magnitudes(p, terms, work);
    size_t rows = columns > 0 && columns < BLOCK ? BLOCK / columns : 1;
    p->rows_at_once = a->at.count < rows ? a->at.count + 1 : rows;
    bool sigma = model->env.arith->sigma, balls = a->r || b->r;
    size_t results = p->rows_at_once * columns, length = a->at.length;
    size_t left = p->multiply_out || sigma ? p->rows_at_once * length : 0;
    size_t right = p->multiply_out || sigma ? columns * length : 0;
    struct {
        double **to;
        size_t count;
    } buffers[] = {
        {&p->value, results},
        {&p->total, p->multiply_out ? results : 0},
        {&p->inner, p->multiply_out && balls ? results : 0},
        {&p->variance, sigma ? results : 0},
        {&p->left, left},
        {&p->right, right},
        {&p->row, 3 * columns},
    };
    bool all = true;
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        size_t count = buffers[k].count;
        *buffers[k].to = count > 0 ? malloc(count * sizeof(double)) : NULL;
        all = all && (count == 0 || *buffers[k].to);
    }
    if (!all) {
        oc__product_free(p);
        return oc__no_memory(err);
    }
    return OC_OK;
}

void oc__product_free(oc__product *product)
{
    free(product->value);
    free(product->total);
    free(product->inner);
    free(product->variance);
    free(product->left);
    free(product->row);
    free(product->right);
    *product = (oc__product){0};
}

/* --- matrix products --- */

/* to = a b^T, or to += with `add`; b is there already transposed where it lies across.
 */
static void multiply(const oc__product *p, const double *a, const double *b,
                     const oc__block *at, bool add, double *to)
{
    size_t length = p->a->at.length, panel = p->b->at.panel;
    if (length == 0) {
        memset(to, 0, at->rows * at->columns * sizeof *to);
        return;
    }
    p->dgemm(CblasRowMajor, CblasNoTrans, panel > 0 ? CblasNoTrans : CblasTrans,
             (int)at->rows, (int)at->columns, (int)length, 1, a, (int)length, b,
             (int)(panel > 0 ? panel : length), add ? 1 : 0, to, (int)at->columns);
}

static void multiply_values(const oc__product *p, const oc__block *at)
{
    size_t parts = p->a->operand->part_count, length = p->a->at.length;
    bool add = false;
    for (size_t i = 0; i < parts; i++) {
        for (size_t j = 0; j < parts; j++) {
            if (i + j < parts || p->all_pairs) {
                multiply(p, p->a->parts[i] + at->a0 * length,
                         p->b->parts[j] + at->b0 * length, at, add, p->value);
                add = true;
            }
        }
    }
}

/* to = |x| + y; y may be NULL. */
static void reach(double *to, const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = fabs(x[i]) + (y ? y[i] : 0);
    }
}

/* (|a| + ra)(|b| + rb), and |a||b|, whose difference is what the balls give. */
static void multiply_magnitudes(const oc__product *p, const oc__block *at)
{
    size_t length = p->a->at.length, n = at->rows * length, k = at->columns * length;
    const double *a = p->a->m + at->a0 * length, *b = p->b->m + at->b0 * length;
    const double *ra = p->a->r ? p->a->r + at->a0 * length : NULL;
    const double *rb = p->b->r ? p->b->r + at->b0 * length : NULL;
    reach(p->left, a, ra, n);
    reach(p->right, b, rb, k);
    multiply(p, p->left, p->right, at, false, p->total);
    if (p->inner) {
        reach(p->left, a, NULL, n);
        reach(p->right, b, NULL, k);
        multiply(p, p->left, p->right, at, false, p->inner);
    }
}

/* Sums of squares of terms with their factor in oc__sum's s, and of the operands' own
 * s: a^2 (c b^2 + sb^2) + sa^2 b^2. */
static void multiply_squares(const oc__product *p, const oc__block *at)
{
    size_t length = p->a->at.length, n = at->rows * length, k = at->columns * length;
    const double *a = p->a->m + at->a0 * length, *b = p->b->m + at->b0 * length;
    const double *sa = p->a->operand->s, *sb = p->b->operand->s;
    double unit = p->model->unit;
    double c = unit * unit / 3 * ((double)length * p->longest / 6 + 1);
    for (size_t i = 0; i < n; i++) {
        p->left[i] = a[i] * a[i];
    }
    for (size_t i = 0; i < k; i++) {
        double s = sb ? sb[at->b0 * length + i] : 0;
        p->right[i] = c * b[i] * b[i] + s * s;
    }
    multiply(p, p->left, p->right, at, false, p->variance);
    if (sa) {
        for (size_t i = 0; i < n; i++) {
            double s = sa[at->a0 * length + i];
            p->left[i] = s * s;
        }
        for (size_t i = 0; i < k; i++) {
            p->right[i] = b[i] * b[i];
        }
        multiply(p, p->left, p->right, at, true, p->variance);
    }
}

oc_status oc__product_run(oc__product *product, size_t a0, size_t rows, size_t b0,
                          size_t columns, const oc__product_out *out, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t panel = product->b->at.panel;
    OC_ASSERT(columns <= product->columns && (panel == 0 || columns == panel));
    for (size_t i = 0; rc == OC_OK && i < rows && columns > 0;
         i += product->rows_at_once) {
        size_t left = rows - i;
        oc__block at = {.a0 = a0 + i,
                        .rows =
                            left < product->rows_at_once ? left : product->rows_at_once,
                        .b0 = b0,
                        .columns = columns};
        multiply_values(product, &at);
        if (product->multiply_out) {
            multiply_magnitudes(product, &at);
        }
        if (product->variance) {
            multiply_squares(product, &at);
        }
        oc__product_finish(product, &at, i, out);
        rc = oc__call_tick(product->call, err);
    }
    return rc;
}
