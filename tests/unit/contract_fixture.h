/* Programs with inputs and a contract, and devices that are simulated: sums in f32
 * along random trees. */
#ifndef ONCHIP_TESTS_CONTRACT_FIXTURE_H
#define ONCHIP_TESTS_CONTRACT_FIXTURE_H

#include "dice.h"
#include "program_fixture.h"

/* Evaluates with `inputs`, one an argument of main; must succeed. */
program contract_run(const char *text, const oc_tensor *inputs, size_t input_count,
                     const oc__arith *arith);

/* A tensor of `dims`, closed by -1, zeroed. */
oc_tensor tensor_of(oc_dtype dtype, const int64_t *dims);
#define TENSOR(dtype, ...) tensor_of((dtype), (const int64_t[]){__VA_ARGS__, -1})

/* f32 numbers of several kinds: 0 N(0, 1), 1 positive, 2 mostly zeros, 3 of very
 * different sizes, 4 small integers, 5 with subnormals. */
void fill_f32(oc_tensor *tensor, dice *d, int kind);

/* The numbers of a tensor of floats, one after the other (malloc'd). */
double *numbers_of(const oc_tensor *tensor);

/* Adds the terms in f32, or in a narrower type when `steps` names one, two random ones
 * at a time until one is left. The terms are spoilt. */
double device_sum(double *terms, size_t count, oc_dtype steps, dice *d);

/* |x - m| <= r for element i (a component of complex elements), classes alike. */
bool inside(const oc__value *value, size_t i, double x);

/* Textual types: "2x3xf32". */
#define T(shape) "tensor<" shape ">"

#endif
