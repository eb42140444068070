#include "reference/round.h"
#include "reference/special.h"
#include "tensor/float_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- what a device may be off by */

oc__allowance oc__allowance_of(const oc__tile_env *env)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    bool complex = oc__dtype_is_complex(env->dtype);
    double u = ldexp(1, -format->precision);
    oc__allowance a = {
        .dtype = env->dtype,
        .wide = format->precision == 53 || complex,
        // Eight ulps of the C library's doubles or long doubles.
        .own = format->precision == 53 || complex ? 0x1p-60 : 0x1p-49,
        .smallest_normal = ldexp(1, format->min_exponent),
        .overflow_from = fmin(format->overflow_from, DBL_MAX),
    };
    // 2^(emin-p); f64's is no double, the next one is.
    a.underflow = fmax(u * a.smallest_normal, 0x1p-1074);
    if (format->precision == 53) {
        // From here down a radius of an ulp is itself rounded to multiples of 2^-1074.
        a.smallest_normal = 0x1p-968;
    }
    // k ulp. Complex figures are in u, half an ulp.
    double k = env->figure_ulps * (complex ? 0.5 : 1);
    bool stated = env->accuracy_abs > 0 || env->accuracy_rel > 0;
    a.flag = stated ? 0 : OC__F_TABLE;
    a.relative = stated ? env->accuracy_rel : 2 * u * k;
    if (!stated && (env->figure_ulps < 0 || env->arith->wide_tables)) {
        k = k < 0 ? 1 : k;
        a.relative = fmax(128 * k * u, exp2(2 - format->precision / 2.0));
    }
    a.least = env->accuracy_abs;
    if (!stated) {
        // An ulp is never less than the smallest subnormal (numerics 1.3); fractions of
        // f64's are no doubles.
        double ulps = a.relative / (2 * u);
        ulps = format->precision == 53 ? ceil(ulps) : ulps;
        a.least = ulps * ldexp(2 * u, format->min_exponent);
        a.vanishes = a.underflow / 2;
    }
    a.sigma = fmax(a.relative, u) / sqrt(3);
    return a;
}

/* T(counted). */
static inline double allowed_to(const oc__allowance *a, double counted)
{
    double relative = a->relative * counted;
    double least = counted < a->vanishes ? 0 : a->least;
    return relative > least ? relative : least;
}

/* Of errors that are uniform in [-T, T]. */
static double deviation(const oc__allowance *a, double counted)
{
    return fmax(a->sigma * counted, a->least / sqrt(3));
}

/* --- an element */

/* E = y + low of a result. */
typedef struct exact {
    double y, low;
} exact;

/* A long double past f64's largest number is infinite when every device sees it so;
 * near there it is anything, which low says. Both parts are 0 where 0 is surely the
 * only number of f64 near. */
static exact split(long double value)
{
    double y = (double)value;
    long double magnitude = fabsl(value);
    if (magnitude <= DBL_MAX) {
        double low = (double)(value - y);
        bool near_zero = y == 0 && magnitude >= 0x1p-1080L;
        return (exact){y, near_zero ? 0x1p-1074 : low};
    }
    bool near = magnitude < 0x1p1024L * (1 + 0x1p-30L);
    return (exact){y, near ? (double)INFINITY : 0};
}

typedef struct result {
    double m, r;
    uint8_t f;
} result;

/* a - b, never less: one unit more where the difference was rounded. A limit of the
 * range stays hard, since there the difference is exact. */
static inline double distance(double a, double b)
{
    double d = a - b;
    return d + (b + d == a && a - d == b ? 0 : d * 0x1p-52);
}

/* The ball about E. */
static result finish(const oc__allowance *a, exact e, double spread, bool from_one,
                     double least, double most)
{
    result out = {.m = oc__float_round(a->dtype, e.y), .f = a->flag};
    double magnitude = fabs(e.y), counted = magnitude + spread;
    counted = from_one ? fmax(1, counted) : counted;
    double allowed = allowed_to(a, counted);
    double below = magnitude - spread - allowed < a->smallest_normal ? a->underflow : 0;
    double reach =
        (spread + allowed + below + a->own * counted + fabs(e.low)) * OC__INFLATE;
    out.r = (reach + fabs(e.y - out.m)) * OC__INFLATE;
    if (!(magnitude + reach < a->overflow_from)) {
        bool certain = isnan(e.y) ? spread == 0 : magnitude - reach >= a->overflow_from;
        out.r =
            certain || (isinf(e.y) && spread == 0 && e.low == 0) ? 0 : (double)INFINITY;
        out.f = out.r == 0 ? 0 : out.f;
        return out;
    }
    // A device's result lies in [least, most] whatever its figure.
    out.r = fmin(out.r, fmax(distance(most, out.m), distance(out.m, least)));
    if (a->dtype == OC_F8E8M0FNU && out.m != e.y) {
        out.r = (double)INFINITY; // powers of two only: numerics 8.1
    }
    if (out.m == 0) {
        out.f |= OC__F_ZERO_SIGN;
        // The smallest number of the type is 2 e; f64's e above was rounded up to it.
        out.r = out.r < 2 * a->underflow && a->underflow > 0x1p-1074 ? 0 : out.r;
    }
    return out;
}

/* A zero of the function, or far below any number of the type. */
static bool surely_zero(exact e, double spread)
{
    return e.y == 0 && e.low == 0 && spread == 0;
}

/* --- functions of one argument */

static long double evaluate(const oc__function *fn, bool wide, double x)
{
    return wide ? fn->wide(x) : fn->f(x);
}

/* e^width, from above. */
static double growth(double width)
{
    return width < OC__NEAR ? 1 + 2 * width : exp(width) * (1 + 0x1p-40);
}

/* How far f moves on x +- r; INFINITY when it is not known. */
static double spread_of(const oc__function *fn, bool wide, double x, double r, double y)
{
    double pad = (fabs(x) + r) * 0x1p-52;
    double low = x - r - pad, high = x + r + pad;
    if (!isfinite(low) || !isfinite(high)) {
        return (double)INFINITY;
    }
    if (high < fn->domain_low || low > fn->domain_high) {
        return 0; // surely NaN
    }
    bool pole = fn->poles && low <= 0 && ceil(low) <= floor(high);
    if (pole || low < fn->domain_low || high > fn->domain_high) {
        return (double)INFINITY;
    }
    // Far ends tell more than a slope that is the worst of a wide ball.
    bool monotone = !fn->slope || fn->monotone;
    if (fn->slope && isfinite(y) && !(monotone && r > 0.5)) {
        double moved = oc__slope_spread(r, fn->slope(low, high, y, growth(high - low)));
        return isnan(moved) ? (double)INFINITY : moved;
    }
    if (!monotone) {
        return (double)INFINITY;
    }
    long double at_low = evaluate(fn, wide, low), at_high = evaluate(fn, wide, high);
    if (isinf(y)) {
        return at_low == y && at_high == y ? 0 : (double)INFINITY;
    }
    long double here = evaluate(fn, wide, x);
    long double moved = fmaxl(fabsl(at_low - here), fabsl(at_high - here));
    // The ends have errors of their own.
    double own =
        (wide ? 0x1p-59 : 0x1p-48) * (fn->from_one ? fmax(1, fabs(y)) : fabs(y));
    return isnan(moved) ? (double)INFINITY : (double)(moved * (1 + 0x1p-40L)) + own;
}

/* Whether f tells a zero's sign by more than the sign of its own zero: 1/sqrt. */
static bool zero_matters(const oc__function *fn)
{
    double at_plus = fn->f(0.0), at_minus = fn->f(-0.0);
    return at_plus != at_minus && !(isnan(at_plus) && isnan(at_minus));
}

static exact exact_of(const oc__function *fn, bool wide, double x)
{
    return wide ? split(fn->wide(x)) : (exact){fn->f(x), 0};
}

/* Whether a monotone f overflows for all of x +- r: both ends say so. */
static bool surely_overflows(const oc__function *fn, const oc__allowance *a, double x,
                             double r)
{
    if (fn->slope && !fn->monotone) {
        return false;
    }
    long double low = evaluate(fn, a->wide, x - r), high = evaluate(fn, a->wide, x + r);
    long double nearest = fminl(fabsl(low), fabsl(high));
    return signbit(low) == signbit(high) && !isnan(low) && !isnan(high) &&
           nearest * (1 - a->relative - 0x1p-20L) >= a->overflow_from;
}

/* One element, with all that may be special about it. */
static result element(const oc__function *fn, const oc__allowance *a, double x,
                      double r, uint8_t f)
{
    exact e = exact_of(fn, a->wide, x);
    double spread = r == 0 ? 0 : spread_of(fn, a->wide, x, r, e.y);
    bool unsure = !(r < (double)INFINITY) ||
                  (x == 0 && (f & OC__F_ZERO_SIGN) && zero_matters(fn));
    result out;
    if (unsure) {
        out = (result){oc__float_round(a->dtype, e.y), (double)INFINITY, a->flag};
    } else if (surely_zero(e, spread)) {
        out = (result){e.y, 0, OC__F_ZERO_SIGN};
    } else if (r > 0 && surely_overflows(fn, a, x, r)) {
        out = (result){oc__float_round(a->dtype, e.y), 0, 0};
    } else {
        out = finish(a, e, spread, fn->from_one, fn->least, fn->most);
    }
    out.f |= f & OC__F_STICKY;
    return out;
}

/* Arrays of a tile between its passes. */
typedef struct passes {
    double y[OC__TILE], low[OC__TILE], spread[OC__TILE];
    uint64_t special[OC__TILE]; /* as wide as the doubles, for vectors' sake */
} passes;

/* finish() for elements that are finite numbers, not zero and far from overflow; the
 * others are marked. Whether there are others. `dtype` is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) bool
finish_loop(oc_dtype dtype, const oc__function *fn, const oc__allowance *given,
            size_t n, passes *restrict p, double *restrict m, double *restrict r)
{
    const oc__allowance a = *given;
    const double least = fn->least, most = fn->most, base = fn->from_one ? 1 : 0;
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        double y = p->y[i], spread = p->spread[i];
        double rounded = oc__float_round(dtype, y), magnitude = fabs(y);
        double counted = magnitude + spread;
        counted = counted > base ? counted : base;
        double allowed = allowed_to(&a, counted);
        double below =
            magnitude - spread - allowed < a.smallest_normal ? a.underflow : 0;
        double reach = (spread + allowed + below + a.own * counted + fabs(p->low[i])) *
                       OC__INFLATE;
        double radius = (reach + fabs(y - rounded)) * OC__INFLATE;
        double up = distance(most, rounded), down = distance(rounded, least);
        double widest = up > down ? up : down;
        m[i] = rounded;
        r[i] = radius < widest ? radius : widest;
        p->special[i] = magnitude + reach < a.overflow_from && rounded != 0 ? 0 : 1;
        any |= p->special[i];
    }
    return any != 0;
}

#define FINISH_AS(name, dtype)                                                         \
    OC__CLONES static bool name(const oc__function *fn, const oc__allowance *a,        \
                                size_t n, passes *p, double *m, double *r)             \
    {                                                                                  \
        return finish_loop(dtype, fn, a, n, p, m, r);                                  \
    }
FINISH_AS(finish_f64, OC_F64)
FINISH_AS(finish_f32, OC_F32)
FINISH_AS(finish_bf16, OC_BF16)

static bool finish_all(const oc__function *fn, const oc__allowance *a, size_t n,
                       passes *p, oc__tile *out)
{
    switch ((int)a->dtype) {
    case OC_F64: return finish_f64(fn, a, n, p, out->m, out->r);
    case OC_F32: return finish_f32(fn, a, n, p, out->m, out->r);
    case OC_BF16: return finish_bf16(fn, a, n, p, out->m, out->r);
    default: break;
    }
    bool special = finish_loop(a->dtype, fn, a, n, p, out->m, out->r);
    for (size_t i = 0; a->dtype == OC_F8E8M0FNU && i < n; i++) {
        p->special[i] = 1;
    }
    return special || a->dtype == OC_F8E8M0FNU;
}

/* The exact values, and how far the balls move them. */
static void start_all(const oc__function *fn, const oc__allowance *a, size_t n,
                      const oc__tile *in, passes *p)
{
    bool arrays = fn->array && !a->wide, unknown = true;
    if (arrays) {
        fn->array(n, in->m, p->y);
        memset(p->low, 0, n * sizeof *p->low);
        unknown = fn->spreads(fn, n, in->m, in->r, p->y, p->spread, p->special);
    }
    for (size_t i = 0; !arrays && i < n; i++) {
        exact e = exact_of(fn, a->wide, in->m[i]);
        p->y[i] = e.y;
        p->low[i] = e.low;
        p->special[i] = 1;
    }
    for (size_t i = 0; unknown && i < n; i++) {
        double r = in->r[i];
        if (p->special[i]) {
            p->spread[i] = r == 0 ? 0 : spread_of(fn, a->wide, in->m[i], r, p->y[i]);
        }
    }
}

OC__CLONES static void flag_all(size_t n, const uint8_t *restrict in, uint8_t flag,
                                uint8_t *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint8_t)((in[i] & OC__F_STICKY) | flag);
    }
}

void oc__function_tile(const oc__function *function, const oc__tile_env *env, size_t n,
                       const oc__tile *in, oc__tile *out)
{
    const oc__allowance a = oc__allowance_of(env);
    passes p;
    start_all(function, &a, n, in, &p);
    bool special = finish_all(function, &a, n, &p, out);
    flag_all(n, in->f, a.flag, out->f);
    for (size_t i = 0; special && i < n; i++) {
        if (p.special[i]) {
            result made = element(function, &a, in->m[i], in->r[i], in->f[i]);
            out->m[i] = made.m;
            out->r[i] = made.r;
            out->f[i] = made.f;
        }
    }
    for (size_t i = 0; out->s && i < n; i++) {
        double s = in->s ? in->s[i] : 0;
        bool moves = s > 0 && isfinite(out->m[i]);
        double moved = moves ? spread_of(function, a.wide, in->m[i], s, p.y[i]) : 0;
        double counted = fmax(fabs(out->m[i]), function->from_one ? 1 : 0);
        out->s[i] = hypot(moved, deviation(&a, counted));
    }
}

/* --- functions of two arguments */

static result element2(const oc__function2 *fn, const oc__allowance *a,
                       const double x[2], const double r[2], uint8_t f)
{
    exact e = a->wide ? split(fn->wide(x[0], x[1])) : (exact){fn->f(x[0], x[1]), 0};
    double spread = (double)INFINITY;
    if (r[0] < (double)INFINITY && r[1] < (double)INFINITY) {
        spread = fn->spread(x, r, e.y);
    }
    bool zero_known = !(f & OC__F_ZERO_SIGN) || (x[0] != 0 && x[1] != 0);
    result out;
    if (!(spread < (double)INFINITY) || !zero_known) {
        out = (result){oc__float_round(a->dtype, e.y), (double)INFINITY, a->flag};
    } else if (surely_zero(e, spread)) {
        out = (result){e.y, 0, OC__F_ZERO_SIGN};
    } else {
        out = finish(a, e, spread, false, -(double)INFINITY, (double)INFINITY);
    }
    out.f |= f & OC__F_STICKY;
    return out;
}

void oc__function2_tile(const oc__function2 *function, const oc__tile_env *env,
                        size_t n, const oc__tile *in, oc__tile *out)
{
    const oc__allowance a = oc__allowance_of(env);
    for (size_t i = 0; i < n; i++) {
        double x[2] = {in[0].m[i], in[1].m[i]}, r[2] = {in[0].r[i], in[1].r[i]};
        result made = element2(function, &a, x, r, in[0].f[i] | in[1].f[i]);
        out->m[i] = made.m;
        out->r[i] = made.r;
        out->f[i] = made.f;
        if (out->s) {
            double s[2] = {in[0].s ? in[0].s[i] : 0, in[1].s ? in[1].s[i] : 0};
            double moved = isfinite(made.m) ? function->spread(x, s, made.m) : 0;
            out->s[i] = hypot(moved, deviation(&a, fabs(made.m)));
        }
    }
}
