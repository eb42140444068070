#include "reference/in_order.h"

void oc__in_order_step(oc_dtype dtype, oc__body body, double *at, const double *x,
                       size_t n)
{
    bool multiplies = body == OC__BODY_MULTIPLY;
    for (size_t i = 0; i < n; i++) {
        at[i] = oc__float_round(dtype, multiplies ? at[i] * x[i] : at[i] + x[i]);
    }
}

void oc__settle_all(oc__value *result, const double *text)
{
    size_t count = result->count * (oc__dtype_is_complex(result->dtype) ? 2 : 1);
    double *m = oc__m(result), *r = oc__r(result), *s = oc__s(result);
    for (size_t i = 0; i < count; i++) {
        double step = oc__float_round(result->dtype, text[i]);
        oc__settle(step, &m[i], &r[i], s ? &s[i] : NULL);
    }
}
