#include "any_order.h"

#include "tensor/float_format.h"

#include <stdlib.h>
#include <string.h>

double round_number(oc_dtype to, double x)
{
    return oc__float_round(to, x);
}

/* The sum of two doubles, inexact ones with their last bit set, so that rounding to
 * fewer bits gives what the real sum gives (Boldo and Melquiond 2008). */
static double odd_sum(double a, double b)
{
    double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest == 0 || !isfinite(sum) || (bits & 1)) {
        return sum;
    }
    bits += (rest > 0) == (sum > 0) ? 1 : -(uint64_t)1;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

double round_fused(oc_dtype to, double a, double b, double c)
{
    // A product of two numbers of f32 is exact in double.
    return to == OC_F64 ? fma(a, b, c) : round_number(to, odd_sum(a * b, c));
}

/* As double has it, with its last bit set where it is inexact: rounding to a narrower
 * type then gives what the long double gives (Boldo and Melquiond 2008). */
static double odd_double(long double y)
{
    double d = (double)y;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    if ((long double)d == y || !isfinite(d) || (bits & 1)) {
        return d;
    }
    bits += (fabsl(y) > fabsl((long double)d)) ? 1 : -(uint64_t)1;
    memcpy(&d, &bits, sizeof d);
    return d;
}

double round_long(oc_dtype to, long double x)
{
    return to == OC_F64 ? (double)x : round_number(to, odd_double(x));
}

static double flushed(const adder *device, double x)
{
    int least = oc__float_format_of(device->accumulator)->min_exponent;
    bool gone =
        device->flushes && fabs(x) < ldexp(1, least) && dice_one_in(device->dice, 2);
    return gone ? copysign(0.0, x) : x;
}

static double rounded(const adder *device, double x)
{
    return flushed(device, round_number(device->accumulator, x));
}

/* Joins pairs until one is left: in order, a chain in any order, or any tree. */
static double join(const adder *device, double *terms, size_t n, bool multiplies)
{
    bool chain = device->in_order || dice_one_in(device->dice, 3);
    for (size_t i = 1; chain && i < n; i++) {
        size_t k = device->in_order ? i : i + dice_below(device->dice, n - i);
        double x = flushed(device, terms[k]);
        terms[k] = terms[i];
        terms[0] = rounded(device, multiplies ? terms[0] * x : terms[0] + x);
    }
    while (!chain && n > 1) {
        size_t i = dice_below(device->dice, n);
        double x = flushed(device, terms[i]);
        terms[i] = terms[--n];
        size_t k = dice_below(device->dice, n);
        terms[k] = rounded(device, multiplies ? terms[k] * x : terms[k] + x);
    }
    return n == 0 ? multiplies : terms[0];
}

static double *copy_of(const double *numbers, size_t n)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    if (!copy) {
        abort();
    }
    memcpy(copy, numbers, n * sizeof *copy);
    return copy;
}

double add_at_random(const adder *device, const double *terms, size_t n)
{
    double *copy = copy_of(terms, n);
    double sum = join(device, copy, n, false);
    free(copy);
    return sum;
}

double multiply_at_random(const adder *device, const double *factors, size_t n)
{
    double *copy = copy_of(factors, n);
    double product = join(device, copy, n, true);
    free(copy);
    return product;
}

static double fused(const adder *device, double x, double y, double acc)
{
    double a = flushed(device, x), b = flushed(device, y);
    return flushed(device, round_fused(device->accumulator, a, b, acc));
}

double dot_at_random(const adder *device, const double *x, const double *y, size_t n)
{
    double *terms = copy_of(x, n);
    size_t count = 0;
    if (!device->in_order && dice_one_in(device->dice, 2)) {
        // Some lanes of fused multiply-adds, joined at the end.
        size_t lanes = 1 + dice_below(device->dice, 4);
        for (size_t lane = 0; lane < lanes && lane < n; lane++) {
            double acc = 0;
            for (size_t i = lane; i < n; i += lanes) {
                acc = fused(device, x[i], y[i], acc);
            }
            terms[count++] = acc;
        }
    } else {
        for (; count < n; count++) {
            double a = flushed(device, x[count]), b = flushed(device, y[count]);
            terms[count] = rounded(device, a * b);
        }
    }
    double sum = join(device, terms, count, false);
    free(terms);
    return sum;
}
