#include "reference/special_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PI_L         3.14159265358979323846264338327950288L
#define SQRT_PI_L    1.77245385090551602729816748334114518L
#define INF_L        ((long double)INFINITY)
#define NAN_L        ((long double)NAN)

/* sum of c[k] x^(k + 1) */
static long double polynomial(const long double *c, size_t count, long double x)
{
    long double sum = 0;
    for (size_t k = count; k-- > 0;) {
        sum = (sum + c[k]) * x;
    }
    return sum;
}

/* --- erf_inv */

/* 0 < a < 1. Good to some 1e-4, for erf(y) = a: Winitzki's formula of 2008. */
static long double erf_inv_start(long double a)
{
    const long double c = 0.147L;
    long double l = logl((1 - a) * (1 + a)), b = 2 / (PI_L * c) + l / 2;
    long double root = sqrtl(b * b - l / c);
    // -b + root without cancellation
    return sqrtl(-l / c / (root + b));
}

long double oc__erf_inv(long double x)
{
    long double a = fabsl(x);
    if (!(a < 1) || a == 0) {
        return a == 1 ? copysignl(INF_L, x) : a == 0 ? x : NAN_L;
    }
    long double y = a < 0x1p-20L ? a * SQRT_PI_L / 2 : erf_inv_start(a);
    // Halley's method on erf(y) = a, or on erfc(y) = 1 - a, which is exact for a >=
    // 1/2: the number of right digits triples.
    for (int i = 0; i < 6; i++) {
        long double off = a < 0.5L ? erfl(y) - a : (1 - a) - erfcl(y);
        long double newton = off * SQRT_PI_L / 2 * expl(y * y);
        long double step = newton / (1 + y * newton);
        y -= step;
        if (fabsl(step) < 0x1p-30L * y) {
            break; // the error is now about step^3
        }
    }
    return copysignl(y, x);
}

/* --- gamma's kin */

long double oc__lgamma(long double x)
{
    int sign;
    return lgammal_r(x, &sign);
}

/* Derivatives of digamma at its positive root over k!: (-1)^(k+1) zeta(k + 1, root),
 * by mpmath. */
static const long double at_root[] = {
    0.967672245447621170427445L,     -0.442763168983592106092865L,
    0.258499760955651010624401L,     -0.163942705442406527504251L,
    0.107824050691262365757183L,     -0.0721995612564547109261218L,
    0.0488042881641431072250925L,    -0.0331611264748473592922584L,
    0.0225976482322181046596248L,    -0.0154247659049489591388003L,
    0.010538791616612175388124L,     -0.00720453438635686824097047L,
    0.00492678139572985344635427L,   -0.00336980165543932808279286L,
    0.00230512632673492783693838L,   -0.00157693677143019725927093L,
    0.00107882520191629658069192L,   -0.000738070938996005129566047L,
    0.000504953265834602035177398L,  -0.000345468025106307699555568L,
    0.000236356015640270527923696L,  -0.000161706220919748034493583L,
    0.000110633727687474109040872L,  -0.0000756917958219506591923771L,
    0.0000517857579522208086899327L, -0.0000354300709476596063156988L,
    0.0000242400661186013176526831L, -0.0000165842422718541333752425L,
};

/* -B_2k / 2k: the asymptotic series of digamma, Abramowitz and Stegun 6.3.18. */
static const long double asymptotic[] = {
    -1 / 12.0L,     1 / 120.0L, -1 / 252.0L,    1 / 240.0L,        -1 / 132.0L,
    691 / 32760.0L, -1 / 12.0L, 3617 / 8160.0L, -43867 / 14364.0L, 174611 / 6600.0L,
};

static long double digamma_positive(long double x)
{
    // The root 1.4616321449683623412626595423257213284682 in three pieces.
    long double h = (x - 0x1.762d86356bp+0L) - 0xe3f6e1a9c8865e0ap-104L;
    h -= 1.521988157228245940294688e-32L;
    if (fabsl(h) < 0.25L) {
        return polynomial(at_root, COUNT(at_root), h);
    }
    long double below = 0;
    while (x < 16) {
        below += 1 / x;
        x += 1;
    }
    long double square = 1 / (x * x);
    return logl(x) - 1 / (2 * x) + polynomial(asymptotic, COUNT(asymptotic), square) -
           below;
}

/* pi / tan(pi x), the argument reduced first. */
static long double pi_cotangent(long double x)
{
    return PI_L / tanl(PI_L * (x - roundl(x)));
}

long double oc__digamma(long double x)
{
    if (x <= 0 && x == floorl(x)) {
        return NAN_L;
    }
    if (isinf(x) || isnan(x)) {
        return x;
    }
    // psi(1 - x) - psi(x) = pi cot(pi x); the recurrence is as good just below 1/2.
    return x > 0 ? digamma_positive(x) : digamma_positive(1 - x) - pi_cotangent(x);
}

/* B_2k / (2k)!: the Euler-Maclaurin formula, Johansson arXiv 1309.2877, formula (5). */
static const long double euler_maclaurin[] = {
    0.08333333333333333333333333L,    -0.001388888888888888888888889L,
    0.00003306878306878306878306878L, -0.0000008267195767195767195767196L,
    2.087675698786809897921009e-8L,   -5.284190138687493184847682e-10L,
    1.338253653068467883282698e-11L,  -3.389680296322582866830195e-13L,
    8.586062056277844564135905e-15L,  -2.174868698558061873041516e-16L,
    5.509002828360229515202653e-18L,  -1.395446468581252334070769e-19L,
};

/* From a = q + N on: the integral, half the first term and the corrections. */
static long double zeta_tail(long double s, long double a)
{
    long double term = powl(a, -s), sum = term * (a / (s - 1) + 0.5L);
    long double factor = s / a;
    for (size_t k = 0; k < COUNT(euler_maclaurin); k++) {
        sum += euler_maclaurin[k] * factor * term;
        long double next = s + (long double)(2 * k + 1);
        factor *= next * (next + 1) / (a * a);
    }
    return sum;
}

long double oc__zeta(long double s, long double q)
{
    bool s_is_whole = s == floorl(s);
    if (isnan(s) || isnan(q) || s < 1 || (s > 1 && q <= 0 && !s_is_whole)) {
        return NAN_L;
    }
    if (s == 1) {
        return INF_L;
    }
    if (q <= 0 && q == floorl(q)) {
        return fmodl(s, 2) == 0 ? INF_L : NAN_L;
    }
    if (isinf(q) || isinf(s)) {
        return isinf(q) || q > 1 ? 0 : q == 1 ? 1 : INF_L;
    }
    // Terms up to where the formula converges by a factor of 30 each; they stop
    // mattering before that when s is large.
    long double sum = 0;
    while (q < 20 + s) {
        long double term = powl(q, -s);
        sum += term;
        if (q > 1 && fabsl(term) * q < 0x1p-70L * fabsl(sum)) {
            return sum;
        }
        q += 1;
    }
    return sum + zeta_tail(s, q);
}

long double oc__polygamma(long double n, long double x)
{
    if (n == 0) {
        return oc__digamma(x);
    }
    if (!(n > 0) || n != floorl(n)) {
        return NAN_L;
    }
    long double value = tgammal(n + 1) * oc__zeta(n + 1, x);
    return fmodl(n, 2) == 0 ? -value : value;
}

/* --- others */

long double oc__bessel_i1e(long double x)
{
    long double a = fabsl(x), sum, term;
    if (a < 30) {
        // (x/2)^(2k+1) / (k! (k+1)!), all of one sign
        long double quarter = a * a / 4;
        term = a / 2;
        sum = term;
        for (int k = 1; term > 0x1p-68L * sum; k++) {
            term *= quarter / (k * (k + 1));
            sum += term;
        }
        return copysignl(sum * expl(-a), x);
    }
    if (!isfinite(a)) {
        return isnan(a) ? a : copysignl(0, x);
    }
    // Abramowitz and Stegun 9.7.1 with mu = 4; the terms fall until k is about 2 a.
    sum = term = 1;
    for (int k = 1; k < 60 && fabsl(term) > 0x1p-68L; k++) {
        term *= -(4 - (2 * k - 1) * (2 * k - 1)) / (8 * k * a);
        sum += term;
    }
    return copysignl(sum / sqrtl(2 * PI_L * a), x);
}

long double oc__logistic(long double x)
{
    return 1 / (1 + expl(-x));
}
