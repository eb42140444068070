/* compare and is_finite: answers that may be undecided. */
#include "reference/real.h"

#include <math.h>
#include <string.h>

/* --- the order of two elements --- */

/* Ascending as totalOrder has it: -NaN, -inf, ..., -0, +0, ..., inf, NaN. */
static int64_t total_key(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

static unsigned total_order(oc__ball a, oc__ball b)
{
    if (a.m == 0 && b.m == 0 && !(oc__ball_signed(a) && oc__ball_signed(b))) {
        return OC__LESS | OC__EQUAL | OC__GREATER;
    }
    int64_t x = total_key(a.m), y = total_key(b.m);
    return x < y ? OC__LESS : x > y ? OC__GREATER : OC__EQUAL;
}

unsigned oc__order(oc__ball a, oc__ball b, bool same, bool total)
{
    bool points = a.r == 0 && b.r == 0;
    if (same && total) {
        return OC__EQUAL;
    }
    if (points && total) {
        return total_order(a, b);
    }
    if (oc__ball_nan(a) || oc__ball_nan(b)) {
        return total ? OC__LESS | OC__GREATER : OC__UNORDERED;
    }
    if (oc__ball_undecided(a) || oc__ball_undecided(b)) {
        return same ? OC__EQUAL | OC__UNORDERED : OC__ANY_ORDER;
    }
    if (same) {
        return OC__EQUAL;
    }
    // Rounded ends serve: the values are doubles, and rounding is monotone.
    double a_low = a.m - a.r, a_high = a.m + a.r, b_low = b.m - b.r, b_high = b.m + b.r;
    bool meet = a_low <= b_high && b_low <= a_high;
    if (total && meet) {
        return OC__LESS | OC__EQUAL | OC__GREATER; // zeros have an order
    }
    return (a_low < b_high ? OC__LESS : 0U) | (a_high > b_low ? OC__GREATER : 0U) |
           (meet ? OC__EQUAL : 0U);
}

oc_status oc__direction(oc__call *call, unsigned *out_orders, oc_error *err)
{
    static const struct {
        const char *name;
        unsigned orders;
    } directions[] = {
        {"EQ", OC__EQUAL},
        {"NE", OC__LESS | OC__GREATER | OC__UNORDERED},
        {"GE", OC__GREATER | OC__EQUAL},
        {"GT", OC__GREATER},
        {"LE", OC__LESS | OC__EQUAL},
        {"LT", OC__LESS},
    };
    const char *name = oc__hlo_attr_text(call->op, "comparison_direction", "");
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        if (strcmp(name, directions[i].name) == 0) {
            *out_orders = directions[i].orders;
            return OC_OK;
        }
    }
    return OC_CALL_FAIL(call, err, OC_PARSE, "comparison_direction '%s' is none", name);
}

/* --- answers --- */

enum { MAX_PARTS = 2 };

typedef struct comparison {
    unsigned orders; /* for which it is true */
    bool same, total, flush;
    size_t parts; /* MAX_PARTS for complex numbers: lexicographic */
} comparison;

static uint8_t answer(const comparison *c, unsigned possible, unsigned midpoints,
                      uint8_t *f)
{
    bool decided = (possible & ~c->orders) == 0 || (possible & c->orders) == 0;
    *f |= decided ? 0 : OC__F_UNDECIDED;
    return ((decided ? possible : midpoints) & c->orders) != 0;
}

static oc__ball point(oc__ball x)
{
    x.r = 0;
    return x;
}

/* a, b: the parts of one element each. */
static uint8_t compare_one(const comparison *c, const oc__ball *a, const oc__ball *b,
                           uint8_t *f)
{
    unsigned possible = OC__EQUAL, midpoints = OC__EQUAL;
    for (size_t k = 0; k < c->parts; k++) {
        if (possible & OC__EQUAL) {
            unsigned next = oc__order(a[k], b[k], c->same, c->total);
            possible = (possible & ~(unsigned)OC__EQUAL) | next;
        }
        if (midpoints == OC__EQUAL) {
            midpoints = oc__order(point(a[k]), point(b[k]), c->same, c->total);
        }
    }
    *f = (uint8_t)((a->f | b->f) & OC__F_STICKY);
    return answer(c, possible, midpoints, f);
}

#define COMPARE(expression)                                                            \
    for (size_t i = 0; i < n; i++) {                                                   \
        double x = a[i], y = b[i];                                                     \
        out[i] = (expression) ? 1 : 0;                                                 \
    }                                                                                  \
    break

/* Points, FLOAT. */
OC__CLONES static void compare_points(unsigned orders, size_t n,
                                      const double *restrict a,
                                      const double *restrict b, uint8_t *restrict out)
{
    switch (orders) {
    case OC__EQUAL: COMPARE(x == y);
    case OC__LESS: COMPARE(x < y);
    case OC__GREATER: COMPARE(x > y);
    case OC__LESS | OC__EQUAL: COMPARE(x <= y);
    case OC__GREATER | OC__EQUAL: COMPARE(x >= y);
    default: COMPARE(x != y);
    }
}

/* Part `part` of element i of a value whose elements have `parts` numbers. */
static oc__ball element(const oc__value *v, size_t i, size_t part, size_t parts)
{
    size_t e = v->count == 1 ? 0 : i, at = e * parts + part;
    return (oc__ball){oc__m(v)[at], v->r ? oc__r(v)[at] : 0, v->f ? oc__f(v)[e] : 0};
}

static void flush_one(oc_dtype dtype, oc__ball *x)
{
    oc__flush_radii(dtype, 1, &x->m, &x->r);
}

static oc_status compare_balls(oc__call *call, const comparison *c, oc__value *out,
                               oc_error *err)
{
    uint8_t *to = out->m->bytes, *f = oc__value_own_f(out);
    oc_dtype dtype = oc__component(call->in[0]->dtype);
    if (!f) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for flags");
    }
    for (size_t i = 0; i < out->count; i++) {
        oc__ball a[MAX_PARTS], b[MAX_PARTS];
        for (size_t k = 0; k < MAX_PARTS && k < c->parts; k++) {
            a[k] = element(call->in[0], i, k, c->parts);
            b[k] = element(call->in[1], i, k, c->parts);
            if (c->flush) {
                flush_one(dtype, &a[k]);
                flush_one(dtype, &b[k]);
            }
        }
        to[i] = compare_one(c, a, b, &f[i]);
    }
    oc__value_tidy(out);
    return OC_OK;
}

oc_status oc__compare_run(oc__call *call, oc_error *err)
{
    oc_status rc = oc__operands_check(call, 2, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__value *a = call->in[0], *b = call->in[1];
    if (!oc__dtype_is_float(a->dtype) && !oc__dtype_is_complex(a->dtype)) {
        return oc__integers_run(call, err);
    }
    comparison c = {
        .same = call->op->operands[0] == call->op->operands[1],
        .total = strcmp(oc__hlo_attr_text(call->op, "compare_type", "FLOAT"),
                        "TOTALORDER") == 0,
        .flush = oc__call_arith(call)->flush && oc__flushes(a->dtype),
        .parts = oc__dtype_is_complex(a->dtype) ? 2 : 1,
    };
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    rc = oc__direction(call, &c.orders, err);
    if (rc == OC_OK) {
        rc = oc__elementwise_dims(call, false, dims, &rank, err);
    }
    if (rc == OC_OK) {
        rc = oc__value_make(OC_PRED, NULL, dims, rank, &call->out[0], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    bool plain = !a->r && !a->f && !b->r && !b->f && c.parts == 1 && !c.total &&
                 !c.flush && a->count == b->count;
    if (plain) {
        compare_points(c.orders, a->count, oc__m(a), oc__m(b), call->out[0]->m->bytes);
        return OC_OK;
    }
    return compare_balls(call, &c, call->out[0], err);
}

oc_status oc__is_finite_run(oc__call *call, oc_error *err)
{
    const oc__value *x = call->in[0];
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc == OC_OK && !oc__dtype_is_float(x->dtype)) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "is not for elements of this type");
    }
    if (rc == OC_OK) {
        rc = oc__value_make(OC_PRED, NULL, x->dims, x->rank, &call->out[0], err);
    }
    uint8_t *f = rc == OC_OK ? oc__value_own_f(call->out[0]) : NULL;
    if (rc == OC_OK && !f) {
        rc = OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for flags");
    }
    for (size_t i = 0; rc == OC_OK && i < x->count; i++) {
        oc__ball e = element(x, i, 0, 1);
        call->out[0]->m->bytes[i] = isfinite(e.m) ? 1 : 0;
        f[i] = (uint8_t)((e.f & OC__F_STICKY) |
                         (oc__ball_undecided(e) ? OC__F_UNDECIDED : 0));
    }
    if (rc == OC_OK) {
        oc__value_tidy(call->out[0]);
    }
    return rc;
}
