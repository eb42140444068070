#include "reference/product_rows.h"

#include "reference/round.h"

/* Parts of numbers are a little more in sum than the numbers. */
static const double parts_total = 1 + 0x1p-5;
/* Room for the roundings of the bounds themselves. */
static const double bound_slack = 1 + 0x1p-40;

/* --- sizes --- */

/* A bound of |x| . |y|. */
static inline double bound(oc__norms x, oc__norms y)
{
    double schwarz = x.euclid * y.euclid;
    double left = x.sum * y.largest, right = x.largest * y.sum;
    double least = left < right ? left : right;
    return schwarz < least ? schwarz : least;
}

static inline oc__norms both(oc__norms x, oc__norms y)
{
    return (oc__norms){x.sum + y.sum, x.euclid + y.euclid, x.largest + y.largest};
}

/* The row of a block that belongs to vector i of a. */
typedef struct row {
    size_t i, b0, columns;
    const double *value, *total, *inner, *variance;
    oc__norms m, r;
} row;

static row row_at(const oc__product *p, const oc__block *at, size_t i)
{
    size_t skip = i * at->columns, vector = at->a0 + i;
    row of = {.i = vector,
              .b0 = at->b0,
              .columns = at->columns,
              .value = p->value + skip,
              .total = p->total ? p->total + skip : NULL,
              .inner = p->inner ? p->inner + skip : NULL,
              .variance = p->variance ? p->variance + skip : NULL,
              .m = oc__norms_at(p->a, vector, 0)};
    if (p->a->r) {
        of.r = oc__norms_at(p->a, vector, 3);
    }
    return of;
}

/* T and spread of results j0 .. of the row, multiplied out or by norms. */
OC__CLONES static void row_sizes(const oc__product *p, const row *at, size_t j0,
                                 size_t n, double *restrict total,
                                 double *restrict spread)
{
    double parts = p->a->operand->part_count > 1 ? parts_total : 1;
    double least = (double)p->a->at.length * 0x1p-1074; // what underflows in f64
    if (at->total) {
        double slack = (double)p->a->at.length * 0x1p-51;
        for (size_t j = 0; j < n; j++) {
            double all = at->total[j0 + j];
            double balls = at->inner ? all - at->inner[j0 + j] : 0;
            balls = balls > 0 ? balls : 0;
            balls = all > 0 ? balls + slack * all + least : 0;
            spread[j] = at->inner ? balls : 0;
            total[j] = all * parts;
        }
        return;
    }
    size_t count = p->b->at.count;
    const double *b = p->b->norms + at->b0 + j0;
    if (!p->a->r && !p->b->r) {
        for (size_t j = 0; j < n; j++) {
            oc__norms y = {b[j], b[count + j], b[2 * count + j]};
            total[j] = bound(at->m, y) * parts;
            spread[j] = 0;
        }
        return;
    }
    for (size_t j = 0; j < n; j++) {
        oc__norms y = {b[j], b[count + j], b[2 * count + j]};
        oc__norms r = {b[3 * count + j], b[4 * count + j], b[5 * count + j]};
        double balls = bound(at->m, r) + bound(at->r, both(y, r));
        double left = at->m.largest + at->r.largest, right = y.largest + r.largest;
        double some = left < right ? left : right; // 0: exactly zero
        spread[j] = some > 0 ? balls * bound_slack + least : 0;
        total[j] = bound(at->m, y) * parts + spread[j];
    }
}

/* --- one result
 * ------------------------------------------------------------------------ */

static double roundings_of(const oc__product *p, double terms)
{
    terms = (p->transforms ? (double)p->a->at.length : terms) * p->longest;
    return terms > p->exact_products ? terms - p->exact_products : 0;
}

/* Whether products of such vectors may be too small for a double: only those of f64. */
static inline bool vanish(double a_largest, double b_largest)
{
    return a_largest > 0 && b_largest > 0 && a_largest * b_largest < 0x1p-1000;
}

static oc__sum sum_at(const oc__product *p, const row *at, size_t j)
{
    size_t b = at->b0 + j;
    oc__sum sum = {.value = at->value[j],
                   .variance = at->variance ? at->variance[j] : 0,
                   .products = true,
                   .flags = (p->a->flags[at->i] | p->b->flags[b]) & OC__F_STICKY};
    row_sizes(p, at, j, 1, &sum.total, &sum.spread);
    double terms = fmin(p->a->terms[at->i], p->b->terms[b]);
    if (sum.total == 0 && vanish(at->m.largest, oc__norms_at(p->b, b, 0).largest)) {
        sum.total = terms * 0x1p-1074; // which double has rounded to 0
    }
    sum.roundings = roundings_of(p, terms);
    int a_grid = p->a->grid[at->i], b_grid = p->b->grid[b];
    bool grid = a_grid != OC__NO_GRID && b_grid != OC__NO_GRID;
    sum.grid = grid && !p->transforms ? a_grid + b_grid : OC__NO_GRID;
    sum.own = ((double)p->a->at.length + 2) * 0x1p-53 * sum.total;
    if (p->model->env.arith->flush && (p->a->subnormals || p->b->subnormals)) {
        sum.spread += p->model->tiny * (at->m.sum + oc__norms_at(p->b, b, 0).sum);
    }
    if (p->a->special || p->b->special) {
        sum.flags |= oc__side_classes(p->a, at->i, p->b, b);
    }
    return sum;
}

static void finish_one(const oc__product *p, const row *at, size_t j, size_t to,
                       const oc__product_out *out)
{
    oc__sum sum = sum_at(p, at, j);
    oc__ball ball = oc__sum_finish(p->model, &sum);
    out->m[to] = ball.m;
    out->r[to] = ball.r;
    if (out->s) {
        out->s[to] = ball.s;
    }
    out->f[to >> out->pairs] |= ball.f;
}

/* --- whole rows
 * --------------------------------------------------------------------------
 *
 * The same as oc__sum_finish for finite sums of unflagged vectors in a contract without
 * deviations, in loops. What is not of that kind is left to it. */

static bool is_plain(const oc__product *p)
{
    const oc__arith *arith = p->model->env.arith;
    return !p->model->widens && !arith->flush && !arith->sigma && !arith->rounding &&
           !p->a->special && !p->b->special;
}

/* The radius besides the rounding of the midpoint; 0 where every order is exact,
 * INFINITY where one result must be looked at by itself. */
OC__CLONES static void row_radii(const oc__product *p, const row *at,
                                 const double *restrict total,
                                 const double *restrict spread, double *restrict radius)
{
    const oc__sum_model *model = p->model;
    double own = ((double)p->a->at.length + 2) * 0x1p-53;
    double a_terms = p->a->terms[at->i], exact = p->exact_products;
    double least = p->transforms ? (double)p->a->at.length : 0;
    const double *b_terms = p->b->terms + at->b0;
    int a_grid = p->a->grid[at->i];
    for (size_t j = 0; j < at->columns; j++) {
        double terms = a_terms < b_terms[j] ? a_terms : b_terms[j];
        double n = (terms > least ? terms : least) * p->longest - exact;
        double gamma = n * model->unit / (1 - n * model->unit);
        double grain = (n + 1) * model->grain;
        double under = total[j] < grain ? total[j] : grain;
        double device = gamma * total[j] + spread[j] + under;
        bool usual = n > 1 && n * model->unit < 1 && total[j] > 0 &&
                     total[j] + device < model->overflow_from;
        radius[j] = usual ? device + own * total[j] : (double)INFINITY;
    }
    const int *b_grid = p->b->grid + at->b0;
    bool grids = a_grid != OC__NO_GRID && p->b->any_grid && !p->transforms;
    for (size_t j = 0; j < at->columns && grids; j++) {
        int grid = a_grid + (b_grid[j] == OC__NO_GRID ? 0 : b_grid[j]);
        bool exactly = b_grid[j] != OC__NO_GRID && grid >= model->least_grid &&
                       total[j] < oc__power_of_two(model->precision + grid);
        radius[j] = exactly && radius[j] < (double)INFINITY ? 0 : radius[j];
    }
}

/* r = (radius + |value - m|) bound_slack; points stay. */
OC__CLONES static void widen_row(const double *restrict value, const double *restrict m,
                                 const double *restrict radius, size_t n,
                                 double *restrict r)
{
    for (size_t j = 0; j < n; j++) {
        double wide = (radius[j] + fabs(value[j] - m[j])) * bound_slack;
        r[j] = radius[j] > 0 ? wide : 0;
    }
}

/* Rounds a row; a radius becomes INFINITY where the result must be looked at by itself.
 */
static void round_row(const oc__product *p, const double *value, double *radius,
                      size_t n, double *m, double *r)
{
    const oc__sum_model *model = p->model;
    if (!model->narrows) {
        oc__round_points(model->env.dtype, n, value, m);
        widen_row(value, m, radius, n, r);
        return;
    }
    oc__rounding how = oc__rounding_of(&model->env, false);
    oc__round_tile(&how, n, value, radius, m, r);
    for (size_t j = 0; j < n; j++) {
        radius[j] = isfinite(m[j]) && isfinite(r[j]) ? radius[j] : (double)INFINITY;
    }
}

static void finish_row(const oc__product *p, const row *at, size_t start,
                       const oc__product_out *out)
{
    size_t n = at->columns, step = out->column_stride;
    double *total = p->row, *spread = p->row + n, *radius = p->row + 2 * n;
    row_sizes(p, at, 0, n, total, spread);
    row_radii(p, at, total, spread, radius);
    double *m = total, *r = spread; // which have served
    round_row(p, at->value, radius, n, m, r);
    for (size_t j = 0, to = start; j < n; j++, to += step) {
        if (!(radius[j] < (double)INFINITY)) {
            finish_one(p, at, j, to, out);
            continue;
        }
        out->m[to] = m[j];
        out->r[to] = r[j];
        out->f[to >> out->pairs] |= m[j] == 0 ? OC__F_ZERO_SIGN : 0;
    }
}

static bool has_flags(const oc__side *side, size_t first, size_t count)
{
    uint8_t flags = 0;
    for (size_t v = first; v < first + count; v++) {
        flags |= side->flags[v];
    }
    return flags != 0;
}

void oc__product_finish(const oc__product *product, const oc__block *at,
                        size_t first_row, const oc__product_out *out)
{
    bool plain = is_plain(product) && !has_flags(product->a, at->a0, at->rows) &&
                 !has_flags(product->b, at->b0, at->columns);
    for (size_t i = 0; i < at->rows; i++) {
        row of = row_at(product, at, i);
        size_t start = out->start + (first_row + i) * out->row_stride;
        if (plain) {
            finish_row(product, &of, start, out);
            continue;
        }
        for (size_t j = 0; j < at->columns; j++) {
            finish_one(product, &of, j, start + j * out->column_stride, out);
        }
    }
}
