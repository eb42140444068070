/* Transcendental functions of balls.
 *
 * A device may be off by T from the real result (numerics 4.2, 8.1):
 *
 *     r = S + T(|E| + S) + e + |E - m| + own error of E
 *     T(x) = max(relative * x, least), relative * x where x < vanishes
 *     e = 2^(emin-p) where the ball holds numbers below 2^emin, else 0
 *
 * E the function of the midpoint, S what the operand's ball adds, m = E rounded. The
 * figure comes from the program (result_accuracy, mode TOLERANCE: `least` is its atol),
 * else from the platform's table; a figure of the table flags the element OC__F_TABLE,
 * and `least` is its number of ulp at the smallest subnormal. What is below a quarter
 * of that number is 0 to every device that rounds to nearest, twice even. A ball about
 * 0 that holds no other number of the type is a point. Devices that flush:
 * oc__tile_apply. */
#ifndef ONCHIP_REFERENCE_SPECIAL_H
#define ONCHIP_REFERENCE_SPECIAL_H

#include "reference/kernel.h"
#include "reference/special_vector.h"

typedef struct oc__allowance {
    oc_dtype dtype;
    bool wide; /* f64: functions are evaluated in long double */
    uint8_t flag;
    double relative, least, vanishes;
    double underflow; /* e */
    double own;       /* relative error of an evaluated function */
    double sigma;     /* standard deviation of the device's error, relative */
    double smallest_normal, overflow_from;
} oc__allowance;

/* The allowance of env's operation with its figure; complex figures count in u |w|. */
oc__allowance oc__allowance_of(const oc__tile_env *env);

/* Up to this width e^w <= 1 + 2 w. */
#define OC__NEAR 0.5

/* How far a function of at most this slope moves within a radius. */
static inline double oc__slope_spread(double radius, double slope)
{
    return radius * slope * (1 + 0x1p-40) + (slope > 0 ? 0x1p-1074 : 0);
}

/* A real function of one argument. Where it is not defined it gives NaN. */
typedef struct oc__function {
    double (*f)(double);
    long double (*wide)(long double);
    oc__array_fn
        array; /* f over arrays, for types narrower than f64; NULL: f one by one */
    /* The largest |f'| on [low, high]; y = f at its middle; growth: a bound of
     * e^(high - low). NULL: f is monotone, its values at the ends say how far it moves.
     */
    double (*slope)(double low, double high, double y, double growth);
    /* How far f moves on each x +- r; marks the elements that it does not know, and
     * says whether there are any. NULL: one by one. Goes with array. */
    bool (*spreads)(const struct oc__function *fn, size_t n, const double *x,
                    const double *r, const double *y, double *spread,
                    uint64_t *special);
    double domain_low, domain_high;
    double least, most; /* results of every device lie in here */
    bool monotone;      /* although it has a slope */
    bool poles;         /* at 0, -1, -2, ... */
    bool from_one;      /* figure and own error count in max(1, |result|) */
} oc__function;

/* ... of two; spread: how far f moves on the rectangle x +- r, y = f(x); INFINITY when
 * it is not known. It is asked for points too. */
typedef struct oc__function2 {
    double (*f)(double, double);
    long double (*wide)(long double, long double);
    double (*spread)(const double x[2], const double r[2], double y);
} oc__function2;

/* The bodies of tile functions. */
void oc__function_tile(const oc__function *function, const oc__tile_env *env, size_t n,
                       const oc__tile *in, oc__tile *out);
void oc__function2_tile(const oc__function2 *function, const oc__tile_env *env,
                        size_t n, const oc__tile *in, oc__tile *out);

/* The tile function of a function of one argument, by its name without the dialect;
 * NULL when there is none. */
oc__tile_fn oc__special_unary(const char *name);

/* special_binary.c */
void oc__power_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out);
void oc__atan2_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                    oc__tile *out);
void oc__zeta_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                   oc__tile *out);
void oc__polygamma_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                        oc__tile *out);
void oc__next_after_tile(const oc__tile_env *env, size_t n, const oc__tile *in,
                         oc__tile *out);

/* The transcendental operations on complex numbers, power and atan2 too.
 * complex_special.c */
OC_MUST_USE oc_status oc__complex_run(oc__call *call, oc_error *err);

#endif
