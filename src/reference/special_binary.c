#include "reference/special.h"
#include "reference/special_functions.h"
#include "tensor/float_format.h"

#include <math.h>

/* --- how far a function moves on a rectangle */

typedef double (*function2)(double, double);

/* The ends of x +- r, rounded outward. */
static void ends(double x, double r, double out[2])
{
    double pad = r > 0 ? (fabs(x) + r) * 0x1p-52 : 0;
    out[0] = x - r - pad;
    out[1] = x + r + pad;
}

/* For a function that is monotone in each argument (whichever way) on the rectangle:
 * its extremes are at the corners. The corners' own errors are some ulps of a double.
 */
static double corners(function2 f, const double x[2], const double r[2])
{
    double a[2], b[2], y = f(x[0], x[1]), moved = 0, largest = fabs(y);
    ends(x[0], r[0], a);
    ends(x[1], r[1], b);
    for (int i = 0; i < 4; i++) {
        double corner = f(a[i & 1], b[i >> 1]);
        bool same = corner == y; // infinite everywhere, or finite
        if (!same && (!isfinite(corner) || !isfinite(y))) {
            return (double)INFINITY;
        }
        moved = fmax(moved, same ? 0 : fabs(corner - y));
        largest = fmax(largest, fabs(corner));
    }
    return isinf(y) ? 0 : moved * (1 + 0x1p-40) + largest * 0x1p-49;
}

static bool is_point(const double r[2])
{
    return r[0] == 0 && r[1] == 0;
}

/* --- power */

/* x > 0: monotone in each. x < 0: |x|^y with a sign, when y is a whole number and sure.
 */
static double power_spread(const double x[2], const double r[2], double y)
{
    (void)y;
    if (is_point(r)) {
        return 0;
    }
    if (r[0] == 0 && x[0] == 1) {
        return 0; // whatever the exponent
    }
    if (r[1] == 0 && x[1] == 0) {
        return 0; // whatever the base
    }
    bool sure_exponent = r[1] == 0 && x[1] == floor(x[1]);
    if (fabs(x[0]) <= r[0]) {
        // Through 0: x^n for n = 1, 2, ... moves as far as its steeper end.
        return sure_exponent && x[1] > 0 && isfinite(x[1])
                   ? pow(fabs(x[0]) + r[0], x[1]) * (1 + 0x1p-40) + fabs(y)
                   : (double)INFINITY;
    }
    if (x[0] < 0 && !sure_exponent) {
        return (double)INFINITY;
    }
    const double magnitude[2] = {fabs(x[0]), x[1]};
    return corners(pow, magnitude, r);
}

void oc__power_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out)
{
    static const oc__function2 function = {pow, powl, power_spread};
    oc__function2_tile(&function, env, n, in, out);
}

/* --- atan2 */

/* The angle of a rectangle that holds neither the origin nor a point of the cut. */
static double atan2_spread(const double x[2], const double r[2], double y)
{
    (void)y;
    if (is_point(r)) {
        return 0;
    }
    double ordinate[2], abscissa[2];
    ends(x[0], r[0], ordinate);
    ends(x[1], r[1], abscissa);
    bool on_axis = ordinate[0] <= 0 && ordinate[1] >= 0;
    if (on_axis && abscissa[0] <= 0) {
        return (double)INFINITY;
    }
    return corners(atan2, x, r);
}

void oc__atan2_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out)
{
    static const oc__function2 function = {atan2, atan2l, atan2_spread};
    oc__function2_tile(&function, env, n, in, out);
}

/* --- zeta, polygamma */

static double zeta(double s, double q)
{
    return (double)oc__zeta(s, q);
}

static double zeta_rest(double s, double q)
{
    return (double)oc__zeta(s, q + 1);
}

static double first_term(double s, double q)
{
    return pow(q, -s);
}

/* Every term q^-s falls with q; it grows with s below q = 1 and falls above, so the
 * first term and the others, which have q >= 1, are bounded on their own. At q < 0 the
 * terms have both signs, and the sum's own error is that of its largest: next to the
 * pole. */
static double zeta_spread(const double x[2], const double r[2], double y)
{
    if (is_point(r)) {
        bool cancels = x[1] < 0 && isfinite(y);
        return cancels ? 0x1p-56 * (2 * pow(fabs(x[1] - round(x[1])), -x[0]) + 4) : 0;
    }
    if (x[0] - r[0] <= 1 || x[1] - r[1] <= 0) {
        return (double)INFINITY;
    }
    return corners(first_term, x, r) + corners(zeta_rest, x, r);
}

void oc__zeta_tile(const oc__tile_env *env, size_t n, const oc__tile *in, oc__tile *out)
{
    static const oc__function2 function = {zeta, oc__zeta, zeta_spread};
    oc__function2_tile(&function, env, n, in, out);
}

static double polygamma(double n, double x)
{
    return (double)oc__polygamma(n, x);
}

static double polygamma_spread(const double x[2], const double r[2], double y)
{
    if (is_point(r)) {
        bool cancels = x[1] < 0 && isfinite(y);
        double near = fabs(x[1] - round(x[1]));
        return cancels ? 0x1p-56 * tgamma(x[0] + 1) * (2 * pow(near, -x[0] - 1) + 4)
                       : 0;
    }
    return r[0] > 0 || x[1] - r[1] <= 0 ? (double)INFINITY : corners(polygamma, x, r);
}

void oc__polygamma_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                        oc__tile *out)
{
    static const oc__function2 function = {polygamma, oc__polygamma, polygamma_spread};
    oc__function2_tile(&function, env, n, in, out);
}

/* --- next_after: exact */

/* C's nextafter in the result's type, one step of the bits. */
static double next_after(oc_dtype dtype, double x, double y)
{
    if (isnan(x) || isnan(y)) {
        return (double)NAN;
    }
    if (x == y) {
        return y;
    }
    const oc__float_format *format = oc__float_format_of(dtype);
    if (x == 0) {
        return copysign(ldexp(1, format->min_exponent + 1 - format->precision), y);
    }
    uint64_t bits = oc__float_encode(dtype, x);
    bool outward = (y > x) == (x > 0);
    return oc__float_decode(dtype, outward ? bits + 1 : bits - 1);
}

void oc__next_after_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                         oc__tile *out)
{
    const oc__float_format *format = oc__float_format_of(env->dtype);
    for (size_t i = 0; i < n; i++) {
        double x = in[0].m[i], r = in[0].r[i];
        uint8_t f = in[0].f[i] | in[1].f[i];
        double next = next_after(env->dtype, x, in[1].m[i]);
        bool point = r == 0 && in[1].r[i] == 0;
        // A ball's numbers move by at most an ulp of its largest, either way.
        double ulp = ldexp(fabs(x) + r, 1 - format->precision) +
                     ldexp(1, format->min_exponent + 1 - format->precision);
        out->m[i] = next;
        out->r[i] = point ? 0 : r + 2 * ulp;
        if (!point && !(fabs(next) + out->r[i] < format->overflow_from)) {
            out->r[i] = (double)INFINITY;
        }
        out->f[i] = (f & OC__F_STICKY) | (next == 0 ? f & OC__F_ZERO_SIGN : 0);
        if (out->s) {
            out->s[i] = in[0].s ? in[0].s[i] : 0;
        }
    }
}
