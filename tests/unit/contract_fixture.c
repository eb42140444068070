#include "contract_fixture.h"

#include "stablehlo/parse.h"
#include "tensor/float_format.h"

#include <stdlib.h>

program contract_run(const char *text, const oc_tensor *inputs, size_t input_count,
                     const oc__arith *arith)
{
    oc_error err = {0};
    program p = {0};
    if (oc__hlo_parse(text, strlen(text), "t.mlir", &p.module, &err) != OC_OK ||
        oc__evaluate(p.module, 1, 1, inputs, input_count,
                     arith ? arith : &(oc__arith){0}, &(oc__eval_limits){0},
                     &p.evaluation, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return p;
}

oc_tensor tensor_of(oc_dtype dtype, const int64_t *dims)
{
    oc_error err = {0};
    oc_tensor tensor;
    size_t rank = 0;
    while (dims[rank] >= 0) {
        rank++;
    }
    assert_int_equal(oc_tensor_make(dtype, dims, rank, &tensor, &err), OC_OK);
    return tensor;
}

static double random_number(dice *d, int kind)
{
    switch (kind) {
    case 0: return dice_normal(d);
    case 1: return dice_unit(d);
    case 2: return dice_one_in(d, 8) ? dice_normal(d) : 0;
    case 3: return ldexp(dice_normal(d), (int)dice_below(d, 60) - 30);
    case 4: return (double)dice_below(d, 31) - 15;
    default: return ldexp(dice_normal(d), -(int)dice_below(d, 150));
    }
}

void fill_f32(oc_tensor *tensor, dice *d, int kind)
{
    float *to = tensor->data;
    for (size_t i = 0; i < oc_tensor_count(tensor); i++) {
        to[i] = (float)random_number(d, kind);
    }
}

double *numbers_of(const oc_tensor *tensor)
{
    size_t count = oc_tensor_count(tensor);
    bool pairs = tensor->dtype == OC_C64 || tensor->dtype == OC_C128;
    double *numbers = calloc(2 * count + 1, sizeof *numbers);
    assert_non_null(numbers);
    oc__float_decode_array(tensor->dtype, tensor->data, pairs ? 2 * count : count,
                           numbers);
    return numbers;
}

double device_sum(double *terms, size_t count, oc_dtype steps, dice *d)
{
    while (count > 1) {
        size_t i = dice_below(d, count);
        double a = terms[i];
        terms[i] = terms[--count];
        size_t k = dice_below(d, count);
        terms[k] = oc__float_round(steps, terms[k] + a);
    }
    return count > 0 ? terms[0] : 0;
}

bool inside(const oc__value *value, size_t i, double x)
{
    double m = oc__m(value)[i], r = oc__r(value) ? oc__r(value)[i] : 0;
    if (!(r < (double)INFINITY) || (isnan(x) && isnan(m)) || x == m) {
        return true;
    }
    return fabs(x - m) <= r;
}
