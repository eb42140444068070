#include "reference/linear.h"

oc__number oc__number_over(oc__number a, oc__number b)
{
    if (b.im == 0) {
        return (oc__number){a.re / b.re, a.im / b.re};
    }
    // Smith's way, safe from overflow.
    if (fabsl(b.re) >= fabsl(b.im)) {
        long double ratio = b.im / b.re, size = b.re + b.im * ratio;
        return (oc__number){(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    long double ratio = b.re / b.im, size = b.re * ratio + b.im;
    return (oc__number){(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

oc__number oc__number_at(const oc__value *value, size_t i, double *out_radius)
{
    const double *m = oc__m(value), *r = oc__r(value);
    if (oc__dtype_is_complex(value->dtype)) {
        bool finite = isfinite(m[2 * i]) && isfinite(m[2 * i + 1]);
        double radius = r ? hypot(r[2 * i], r[2 * i + 1]) : 0;
        *out_radius = finite ? radius : (double)INFINITY;
        return (oc__number){m[2 * i], m[2 * i + 1]};
    }
    *out_radius = !isfinite(m[i]) ? (double)INFINITY : r ? r[i] : 0;
    return (oc__number){m[i], 0};
}

oc_status oc__numbers_make(oc_dtype dtype, const int64_t *dims, size_t rank,
                           oc__value **out_value, oc_error *err)
{
    oc_status rc = oc__value_make(dtype, NULL, dims, rank, out_value, err);
    if (rc == OC_OK && (!oc__value_own_r(*out_value) || !oc__value_own_f(*out_value))) {
        oc__value_release(*out_value);
        *out_value = NULL;
        rc = oc__no_memory(err);
    }
    return rc;
}

static void put_part(oc_dtype dtype, double *m, double *r, long double x, double radius)
{
    *m = oc__float_round(dtype, (double)x);
    double moved = (double)fabsl(x - (long double)*m) * (1 + 0x1p-50);
    double overflow = oc__float_format_of(dtype)->overflow_from;
    bool sure = radius == 0 || (isfinite(*m) && fabs(*m) + radius < overflow);
    *r = !sure ? (double)INFINITY : radius > 0 ? radius + moved : 0;
}

void oc__number_put(oc__value *value, size_t i, oc__number x, double radius,
                    uint8_t flags)
{
    double *m = oc__m(value), *r = oc__r(value);
    uint8_t *f = oc__f(value);
    bool pairs = oc__dtype_is_complex(value->dtype);
    size_t at = pairs ? 2 * i : i;
    put_part(value->dtype, &m[at], &r[at], x.re, radius);
    f[i] = flags;
    if (pairs) {
        put_part(value->dtype, &m[at + 1], &r[at + 1], x.im, radius);
    }
    if (m[at] == 0 || (pairs && m[at + 1] == 0)) {
        f[i] |= OC__F_ZERO_SIGN;
    }
}

double oc__solve_unit(const oc__call *call, oc_dtype dtype)
{
    oc_dtype kept = oc__sum_accumulator(oc__call_arith(call), dtype, dtype);
    return oc__power_of_two(-oc__float_format_of(kept)->precision);
}

void oc__triangle_inverse_sizes(const oc__number *lower, size_t n, oc__number *work,
                                double *out_sizes)
{
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < n; i++) {
            oc__number sum = {i == c ? 1 : 0, 0};
            for (size_t k = c; k < i; k++) {
                sum =
                    oc__number_minus(sum, oc__number_times(lower[i * n + k], work[k]));
            }
            work[i] =
                i < c ? (oc__number){0, 0} : oc__number_over(sum, lower[i * n + i]);
            out_sizes[i * n + c] = oc__number_size(work[i]);
        }
    }
}
