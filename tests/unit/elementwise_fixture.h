/* Programs that @main runs without inputs, and what came out of the last one. */
#ifndef ONCHIP_TESTS_ELEMENTWISE_FIXTURE_H
#define ONCHIP_TESTS_ELEMENTWISE_FIXTURE_H

#include "unit.h"

#include "reference/evaluate.h"

#include <math.h>

extern oc__evaluation run; /* the last evaluation */

/* `body` is the body of a @main without arguments that returns `results`; it must run.
 * Whatever ran before is freed. */
void evaluate(const char *results, const char *body);
void evaluate_as(const char *results, const char *body, const oc__arith *arith);
/* The status of a program that fails. */
oc_status evaluate_wrong(const char *results, const char *body, oc_error *err);

const oc__value *output(size_t index);
double radius(size_t index, size_t element);
unsigned flags(size_t index, size_t element);

/* Output `index` consists of points with these midpoints (signs of zeros count, NaN is
 * NaN), without flags; complex numbers are two numbers each. */
void expect_points(size_t index, const double *wanted, size_t count);
#define POINTS(index, ...)                                                             \
    expect_points(index, (const double[]){__VA_ARGS__},                                \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* Integers and i1, with the flags that all of them have. */
void expect_integers(size_t index, unsigned wanted_flags, const int64_t *wanted,
                     size_t count);
#define INTEGERS(index, wanted_flags, ...)                                             \
    expect_integers(index, wanted_flags, (const int64_t[]){__VA_ARGS__},               \
                    sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static const double inf = (double)INFINITY, quiet_nan = (double)NAN;

#endif
