#include "reference/complex_functions.h"
#include "reference/real.h"
#include "reference/special.h"
#include "reference/tile.h"
#include "tensor/float_format.h"

#include <math.h>
#include <string.h>

/* Operations on complex numbers. The figure bounds the error of each component by k u
 * |w|, w the result (numerics 8.5). The specification leaves exceptions of complex
 * arithmetic to the implementation: what is not finite is open, and so is what
 * overflows inside a common formula. */

#define INF ((double)INFINITY)

/* An element: m, and the radii of both components. */
typedef struct element {
    oc__number z;
    double r[2];
    uint8_t f;
} element;

/* Whether the ball reaches both sides of the cut, or which side a zero is on is
 * unknown. */
static bool on_cut(const oc__complex_function *fn, const element *e)
{
    if (fn->cut == OC__NO_CUT) {
        return false;
    }
    bool real = fn->cut == OC__CUT_REAL;
    double along = (double)(real ? creall(e->z) : cimagl(e->z)),
           off = (double)(real ? cimagl(e->z) : creall(e->z));
    double r_along = e->r[real ? 0 : 1], r_off = e->r[real ? 1 : 0];
    bool reaches = along - r_along <= fn->low || along + r_along >= fn->high;
    bool straddles =
        r_off > 0 ? fabs(off) <= r_off : off == 0 && (e->f & OC__F_ZERO_SIGN);
    return reaches && straddles;
}

static long double spread_of(const oc__complex_function *fn, const element *e)
{
    long double rho = hypotl(e->r[0], e->r[1]);
    if (!(rho < (long double)INFINITY) || on_cut(fn, e)) {
        return (long double)INFINITY;
    }
    long double moved = rho > 0 ? rho * fn->slope(e->z, rho) * (1 + 0x1p-40L) : 0;
    return isnan(moved) ? (long double)INFINITY : moved;
}

/* --- functions of two arguments */

/* a^b = e^(b log a), 0^0 = 1, 0^b = 0 where Re b > 0. *own: the error of the exponent.
 */
static oc__number power_of(oc__number a, oc__number b, long double *own)
{
    *own = 0;
    if (a == 0) {
        bool to_zero = creall(b) > 0;
        return b == 0    ? 1
               : to_zero ? 0
                         : oc__number_of((long double)NAN, (long double)NAN);
    }
    oc__number exponent = b * clogl(a);
    *own = 0x1p-61L * cabsl(exponent);
    return cexpl(exponent);
}

/* dw/w = b da/a + log a db. */
static long double power_spread(const element *a, const element *b, oc__number w)
{
    static const oc__complex_function log = {
        .cut = OC__CUT_REAL, .low = 0, .high = INF};
    long double rho_a = hypotl(a->r[0], a->r[1]), rho_b = hypotl(b->r[0], b->r[1]);
    if (rho_a == 0 && rho_b == 0 && (!on_cut(&log, a) || a->z == 0)) {
        return 0;
    }
    long double near = cabsl(a->z) - rho_a;
    if (!(near > 0) || !isfinite(rho_b) || on_cut(&log, a)) {
        return (long double)INFINITY;
    }
    long double relative = (cabsl(b->z) + rho_b) * rho_a / near +
                           (cabsl(clogl(a->z)) + rho_a / near) * rho_b;
    long double moved = cabsl(w) * expm1l(relative) * (1 + 0x1p-40L);
    return isnan(moved) ? (long double)INFINITY : moved;
}

/* -i log((x + i y) / sqrt(x^2 + y^2)), for real x and y the angle. Balls are undecided.
 */
static oc__number atan2_of(oc__number y, oc__number x)
{
    oc__number i = oc__number_of(0, 1);
    return -i * clogl((x + i * y) / csqrtl(x * x + y * y));
}

/* --- elements */

/* One operation: what its elements share. fn is NULL for those of two arguments. */
typedef struct job {
    const oc__call *call;
    const oc__complex_function *fn;
    const oc__float_format *format;
    oc__allowance allowed;
    bool flush;
} job;

static element load(const job *j, size_t operand, size_t i)
{
    const oc__value *value = j->call->in[operand];
    size_t at = value->count == 1 ? 0 : i;
    const double *m = oc__m(value) + 2 * at, *r = oc__r(value);
    element e = {.z = oc__number_of(m[0], m[1]), .f = value->f ? oc__f(value)[at] : 0};
    for (size_t k = 0; r && k < 2; k++) {
        e.r[k] = r[2 * at + k];
    }
    if (j->flush) {
        oc__flush_radii(value->dtype, 2, m, e.r);
    }
    return e;
}

static bool is_finite(oc__number z)
{
    return isfinite((double)creall(z)) && isfinite((double)cimagl(z));
}

/* Whether a formula with the square of the modulus would leave the type's range. */
static bool overflows_inside(const job *j, oc__number z)
{
    long double modulus = cabsl(z);
    return z != 0 && (modulus >= sqrtl(j->format->max_finite) ||
                      modulus < exp2l(j->format->min_exponent / 2.0L));
}

/* The ball of one component about its exact value. */
static double radius(const job *j, long double exact, double m, double reach)
{
    double off = (double)fabsl(exact - m);
    bool fits = fabsl(exact) + reach < j->allowed.overflow_from;
    return fits ? (reach + off) * (1 + 0x1p-40) : INF;
}

/* The result about w. own: relative error of w, beside the functions' own. */
static element finish(const job *j, oc__number w, long double spread, long double own,
                      bool open, uint8_t flags)
{
    const oc__allowance *a = &j->allowed;
    double m[2] = {oc__float_round(a->dtype, (double)creall(w)),
                   oc__float_round(a->dtype, (double)cimagl(w))};
    element out = {.z = oc__number_of(m[0], m[1]), .f = flags & OC__F_STICKY};
    bool exception = !is_finite(w), zero = w == 0 && spread == 0;
    if (open || exception || overflows_inside(j, w)) {
        out.f |= OC__F_OPEN;
    }
    if (exception) {
        out.r[0] = out.r[1] = spread == 0 ? 0 : INF;
    } else if (!zero) {
        long double counted = cabsl(w) + spread;
        long double least = counted < a->vanishes ? 0 : a->least;
        long double allowed = fmaxl(a->relative * counted, least);
        double reach =
            (double)(spread + allowed + (a->own + own) * counted) * (1 + 0x1p-40) +
            a->underflow;
        out.r[0] = radius(j, creall(w), m[0], reach);
        out.r[1] = radius(j, cimagl(w), m[1], reach);
        out.f |= a->flag;
    }
    if (j->flush) {
        oc__flush_radii(a->dtype, 2, m, out.r);
    }
    out.f |= m[0] == 0 || m[1] == 0 ? OC__F_ZERO_SIGN : 0;
    return out;
}

static element evaluate(const job *j, size_t i)
{
    element x = load(j, 0, i);
    bool open = !is_finite(x.z) || overflows_inside(j, x.z);
    if (j->fn) {
        return finish(j, j->fn->f(x.z), spread_of(j->fn, &x), 0, open, x.f);
    }
    element y = load(j, 1, i);
    open = open || !is_finite(y.z);
    uint8_t flags = x.f | y.f;
    if (strstr(j->call->op->name, "power")) {
        long double own;
        oc__number w = power_of(x.z, y.z, &own);
        return finish(j, w, power_spread(&x, &y, w), own, open, flags);
    }
    bool point = x.r[0] == 0 && x.r[1] == 0 && y.r[0] == 0 && y.r[1] == 0;
    bool known = point && !(flags & OC__F_ZERO_SIGN);
    return finish(j, atan2_of(x.z, y.z), known ? 0 : INF, 0, open, flags);
}

static oc_status fill(oc__call *call, const job *j, oc__value *out, oc_error *err)
{
    double *m = oc__m(out), *r = oc__value_own_r(out);
    uint8_t *f = oc__value_own_f(out);
    if (!r || !f) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for radii and flags");
    }
    uint64_t open = 0;
    for (size_t i = 0; i < out->count; i++) {
        element made = evaluate(j, i);
        m[2 * i] = (double)creall(made.z);
        m[2 * i + 1] = (double)cimagl(made.z);
        r[2 * i] = made.r[0];
        r[2 * i + 1] = made.r[1];
        f[i] = made.f;
        open += made.f & OC__F_OPEN ? 1 : 0;
    }
    if (open > 0) {
        oc__call_note(call, "complex_exception", open);
    }
    oc__value_tidy(out);
    return OC_OK;
}

oc_status oc__complex_run(oc__call *call, oc_error *err)
{
    const oc__complex_function *fn = oc__complex_find(call->op->name);
    oc_status rc = oc__operands_check(call, fn ? 1 : 2, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_dtype dtype = call->in[0]->dtype;
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    rc = oc__elementwise_dims(call, false, dims, &rank, err);
    if (rc == OC_OK) {
        rc = oc__value_make(dtype, NULL, dims, rank, &call->out[0], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    oc__tile_env env = oc__tile_env_of(call, NULL, dtype, dtype);
    job j = {.call = call,
             .fn = fn,
             .format = oc__float_format_of(dtype),
             .allowed = oc__allowance_of(&env),
             .flush = env.arith->flush && oc__flushes(dtype)};
    return fill(call, &j, call->out[0], err);
}
