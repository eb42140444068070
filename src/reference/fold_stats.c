#include "reference/fold_stats.h"

#include "reference/movement.h"
#include "reference/round.h"

#include <float.h>
#include <stdlib.h>

enum { CHUNK = 256 };

/* A stretch of elements without NaN, unknown and (in sums and products) infinite ones,
 * which are made neutral: the statistic of the flags knows them. */
typedef struct chunk {
    size_t n;
    const double *m, *r, *s;
    double m_clean[CHUNK], r_clean[CHUNK];
} chunk;

static const double no_plane[CHUNK];

/* --- elements to statistics --- */

OC__CLONES static bool all_finite(const double *m, const double *r, size_t n)
{
    uint64_t others = 0; // as wide as the doubles, for vectors' sake
    for (size_t i = 0; i < n; i++) {
        others |= ((fabs(m[i]) <= DBL_MAX) & (r[i] <= DBL_MAX)) ? 0 : 1;
    }
    return others == 0;
}

static double neutral_midpoint(oc__body body, uint8_t class, double m)
{
    bool infinite = class & (OC__TERM_PLUS_INF | OC__TERM_MINUS_INF);
    switch (body) {
    case OC__BODY_ADD: return 0;
    case OC__BODY_MULTIPLY: return infinite ? copysign(1, m) : 1;
    case OC__BODY_MAXIMUM: return infinite ? m : -(double)INFINITY;
    default: return infinite ? m : (double)INFINITY;
    }
}

/* Puts the flags of the chunk's elements into `flags` and makes what is not finite
 * neutral; false when there is nothing of either. */
static bool clean_chunk(const oc__fold *fold, chunk *c, const uint8_t *f, size_t start,
                        oc__lane *flags)
{
    bool finite = all_finite(c->m, c->r, c->n);
    if (finite && !f) {
        return false;
    }
    for (size_t i = 0; i < c->n; i++) {
        uint8_t own = f ? f[(start + i) >> fold->pairs] : 0;
        flags[i].u = own & (OC__F_STICKY | OC__F_ZERO_SIGN);
    }
    for (size_t i = 0; !finite && i < c->n; i++) {
        uint8_t class = oc__term_class(c->m[i], c->r[i]);
        flags[i].u |= class;
        c->m_clean[i] = class ? neutral_midpoint(fold->body, class, c->m[i]) : c->m[i];
        c->r_clean[i] = class ? 0 : c->r[i];
    }
    c->m = finite ? c->m : c->m_clean;
    c->r = finite ? c->r : c->r_clean;
    return true;
}

/* |m| without the powers of two in it; 0 for a ball, which is no point. */
static double odd_part(double m, double r)
{
    int grid = oc__grid_of(m);
    return r > 0 ? 0 : grid == OC__ANY_GRID ? 1 : ldexp(fabs(m), -grid);
}

#define EACH(expression)                                                               \
    for (size_t i = 0; i < c->n; i++) {                                                \
        out[i].d = (expression);                                                       \
    }                                                                                  \
    return

OC__CLONES static void derive_sum(oc__stat which, const chunk *c, oc__lane *out)
{
    const double *m = c->m, *r = c->r, *s = c->s;
    switch (which) {
    case SUM_VALUE: EACH(m[i]);
    case SUM_TOTAL: EACH(fabs(m[i]) + r[i]);
    case SUM_TERMS: EACH(fabs(m[i]) + r[i] > 0);
    case SUM_GRID: EACH(oc__grid_of(m[i]));
    case SUM_SPREAD: EACH(r[i]);
    case SUM_SQUARE: EACH(m[i] * m[i]);
    default: EACH(s[i] * s[i]);
    }
}

/* A factor of exactly 0 counts as 1 but for PRODUCT_ZEROS. */
static void derive_product(oc__stat which, const chunk *c, oc__lane *out)
{
    const double *m = c->m, *r = c->r, *s = c->s;
#define IS_ZERO(i) (m[i] == 0 && r[i] == 0)
    switch (which) {
    case PRODUCT_VALUE: EACH(IS_ZERO(i) ? 1 : m[i]);
    case PRODUCT_REACH: EACH(IS_ZERO(i) ? 1 : fabs(m[i]) + r[i]);
    case PRODUCT_ABOVE: EACH(fmax(fabs(m[i]) + r[i], 1));
    case PRODUCT_BELOW: EACH(IS_ZERO(i) ? 1 : fmin(fmax(fabs(m[i]) - r[i], 0), 1));
    case PRODUCT_ODD: EACH(odd_part(m[i], r[i]));
    case PRODUCT_FACTORS: EACH(fabs(m[i]) != 1 || r[i] > 0);
    case PRODUCT_ZEROS: EACH(IS_ZERO(i));
    default: EACH(m[i] != 0 ? s[i] / m[i] * (s[i] / m[i]) : 0);
    }
}

OC__CLONES static void derive_ends(oc__stat which, const chunk *c, oc__lane *out)
{
    const double *m = c->m, *r = c->r, *s = c->s;
    switch (which) {
    case MAXIMUM_HIGH:
    case MINIMUM_HIGH: EACH(m[i] + r[i]);
    case MAXIMUM_LOW:
    case MINIMUM_LOW: EACH(m[i] - r[i]);
    case DEVIATION: EACH(s[i]);
    default: EACH(m[i]);
    }
}

static void derive_one(oc__stat which, const chunk *c, oc__lane *out)
{
    if (which <= SUM_VARIANCE) {
        derive_sum(which, c, out);
    } else if (which <= PRODUCT_VARIANCE) {
        derive_product(which, c, out);
    } else {
        derive_ends(which, c, out);
    }
}

static bool derive_floats(const oc__fold *fold, const oc__value *value, size_t start,
                          size_t n, oc__lane *lanes, size_t stride)
{
    const double *m = oc__m(value) + start, *r = oc__r(value), *s = oc__s(value);
    oc__lane *flags = lanes + (fold->width - 1) * stride;
    bool any = false;
    for (size_t at = 0; at < n; at += CHUNK) {
        chunk c = {.n = n - at < CHUNK ? n - at : CHUNK,
                   .m = m + at,
                   .r = r ? r + start + at : no_plane,
                   .s = s ? s + start + at : no_plane};
        bool some = clean_chunk(fold, &c, oc__f(value), start + at, flags + at);
        if (some && !any) {
            memset(flags, 0, at * sizeof *flags);
        } else if (!some && any) {
            memset(flags + at, 0, c.n * sizeof *flags);
        }
        any = any || some;
        for (size_t k = 0; k + 1 < fold->width; k++) {
            derive_one((oc__stat)fold->stats[k], &c, lanes + k * stride + at);
        }
    }
    return any;
}

/* Unsigned numbers compare as signed ones when their top bit is turned. */
static uint64_t bias_of(const oc__fold *fold)
{
    bool compares = fold->stats[0] == HIGHEST || fold->stats[0] == LOWEST;
    return compares && !oc__dtype_is_signed(fold->dtype) ? (uint64_t)1 << 63 : 0;
}

/* Truth values whose fold some known elements may decide, whatever the others are: one
 * true of an `or`, one false of an `and`. Bit 0 of a lane folds the text's values, bit
 * 1 the known ones. */
static bool decides(const oc__fold *fold)
{
    return fold->dtype == OC_PRED &&
           (fold->stats[0] == ANY_BITS || fold->stats[0] == ALL_BITS);
}

static bool derive_integers(const oc__fold *fold, const oc__value *value, size_t start,
                            size_t n, oc__lane *lanes, size_t stride)
{
    oc__lane *flags = lanes + stride;
    const uint8_t *f = oc__f(value);
    uint64_t bias = bias_of(fold);
    oc__lanes_load(value->dtype, value->m->bytes, start, n, lanes);
    for (size_t i = 0; i < n && bias; i++) {
        lanes[i].u ^= bias;
    }
    for (size_t i = 0; i < n && f; i++) {
        flags[i].u = f[start + i] & (OC__F_STICKY | OC__F_UNDECIDED);
    }
    for (size_t i = 0; i < n && decides(fold); i++) {
        bool known = !f || !(f[start + i] & OC__F_UNDECIDED);
        uint64_t sure = known ? lanes[i].u & 1 : fold->stats[0] == ALL_BITS;
        lanes[i].u = (lanes[i].u & 1) | sure << 1;
    }
    return f != NULL;
}

bool oc__fold_derive(const oc__fold *fold, const oc__value *value, size_t start,
                     size_t n, oc__lane *lanes, size_t stride)
{
    return fold->stats[0] < WRAPPED_SUM
               ? derive_floats(fold, value, start, n, lanes, stride)
               : derive_integers(fold, value, start, n, lanes, stride);
}

/* --- statistics to results --- */

static oc__ball finish_sum(const oc__fold *fold, const double *of, uint8_t flags)
{
    double terms = of[SUM_TERMS], total = of[SUM_TOTAL];
    oc__sum sum = {.value = of[SUM_VALUE],
                   .total = total,
                   .spread = of[SUM_SPREAD],
                   .own = terms * 0x1p-53 * total,
                   .roundings = terms > 1 ? terms - 1 : 0,
                   .square = of[SUM_SQUARE],
                   .variance = of[SUM_VARIANCE],
                   .grid = (int)of[SUM_GRID],
                   .flags = flags};
    return oc__sum_finish(&fold->model, &sum);
}

static oc__ball finish_product(const oc__fold *fold, const double *of, uint8_t flags)
{
    double count = of[PRODUCT_FACTORS];
    oc__factors factors = {.value = of[PRODUCT_VALUE],
                           .reach = of[PRODUCT_REACH],
                           .above = of[PRODUCT_ABOVE],
                           .below = of[PRODUCT_BELOW],
                           .odd = of[PRODUCT_ODD],
                           .roundings = count > 1 ? count - 1 : 0,
                           .zeros = of[PRODUCT_ZEROS],
                           .variance = of[PRODUCT_VARIANCE],
                           .flags = flags};
    return oc__factors_finish(&fold->model, &factors);
}

/* Maxima and minima are exact; the ball of one reaches from the largest lower end to
 * the largest upper end. */
static oc__ball finish_ends(const oc__fold *fold, double m, double low, double high,
                            double s, uint8_t flags)
{
    oc__ball out = {.m = m, .s = s, .f = flags & OC__F_STICKY};
    if (flags & OC__TERM_NAN) {
        out.m = (double)NAN;
    } else if (flags & OC__F_UNDECIDED) {
        out.r = (double)INFINITY;
    } else if (isfinite(m) && (low < m || high > m)) {
        out.r = fmax(high - m, m - low) * OC__INFLATE + 0x1p-52 * fabs(high);
    }
    if (m == 0) {
        out.f |= flags & OC__F_ZERO_SIGN;
    }
    if (fold->model.env.arith->flush && oc__flushes(fold->dtype)) {
        oc__flush_radii(fold->dtype, 1, &out.m, &out.r);
    }
    return out;
}

static oc__ball finish_one(const oc__fold *fold, const double *of, uint8_t flags)
{
    switch (fold->body) {
    case OC__BODY_ADD: return finish_sum(fold, of, flags);
    case OC__BODY_MULTIPLY: return finish_product(fold, of, flags);
    case OC__BODY_MAXIMUM:
        return finish_ends(fold, of[MAXIMUM_VALUE], of[MAXIMUM_LOW], of[MAXIMUM_HIGH],
                           of[DEVIATION], flags);
    default:
        return finish_ends(fold, of[MINIMUM_VALUE], of[MINIMUM_LOW], of[MINIMUM_HIGH],
                           of[DEVIATION], flags);
    }
}

static void finish_floats(const oc__fold *fold, const oc__lane *lanes, size_t stride,
                          size_t n, oc__value *result, size_t start)
{
    // What has no statistic: no grid, no spread, ends at the midpoint.
    double of[FLAGS] = {[SUM_GRID] = OC__NO_GRID};
    double *m = oc__m(result) + start, *r = oc__r(result) + start, *s = oc__s(result);
    uint8_t *f = oc__f(result);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k + 1 < fold->width; k++) {
            of[fold->stats[k]] = lanes[k * stride + i].d;
        }
        if (!fold->balls) {
            of[MAXIMUM_HIGH] = of[MAXIMUM_LOW] = of[MAXIMUM_VALUE];
            of[MINIMUM_HIGH] = of[MINIMUM_LOW] = of[MINIMUM_VALUE];
        }
        uint8_t flags = (uint8_t)lanes[(fold->width - 1) * stride + i].u;
        oc__ball ball = finish_one(fold, of, flags);
        m[i] = ball.m;
        r[i] = ball.r;
        if (s) {
            s[start + i] = ball.s;
        }
        f[(start + i) >> fold->pairs] |= ball.f;
    }
}

static void finish_integers(const oc__fold *fold, oc__lane *lanes, size_t stride,
                            size_t n, oc__value *result, size_t start)
{
    uint8_t *f = oc__f(result) + start;
    uint64_t bias = bias_of(fold);
    for (size_t i = 0; i < n; i++) {
        lanes[i].u ^= bias;
        f[i] = (uint8_t)lanes[stride + i].u;
        if (decides(fold)) {
            bool decided = (lanes[i].u >> 1 & 1) == (fold->stats[0] == ANY_BITS);
            f[i] &= (uint8_t)(decided ? ~OC__F_UNDECIDED : ~0);
            lanes[i].u &= 1;
        }
    }
    oc__lanes_store(fold->dtype, lanes, n, result->m->bytes, start);
}

void oc__fold_finish(const oc__fold *fold, oc__lane *lanes, size_t stride, size_t n,
                     oc__value *result, size_t start)
{
    if (fold->stats[0] < WRAPPED_SUM) {
        finish_floats(fold, lanes, stride, n, result, start);
    } else {
        finish_integers(fold, lanes, stride, n, result, start);
    }
}

oc_status oc__fold_result(const oc__fold *fold, const int64_t *dims, size_t rank,
                          oc__value **out_value, oc_error *err)
{
    oc__value *value = NULL;
    bool floats = fold->stats[0] < WRAPPED_SUM;
    oc_status rc = oc__value_make(fold->dtype, NULL, dims, rank, &value, err);
    if (rc == OC_OK &&
        (!oc__value_own_f(value) || (floats && !oc__value_own_r(value)) ||
         (floats && fold->model.env.arith->sigma && !fold->pairs &&
          !oc__value_own_s(value)))) {
        rc = oc__no_memory(err);
        oc__value_release(value);
        value = NULL;
    }
    *out_value = value;
    return rc;
}
