/* Complex numbers put together and taken apart: complex, real, imag. */
#include "reference/real.h"

#include <string.h>

oc_dtype oc__component(oc_dtype dtype)
{
    return dtype == OC_C64 ? OC_F32 : dtype == OC_C128 ? OC_F64 : dtype;
}

/* out[i * out_step] = in[i * step] */
static void copy(size_t count, const double *in, size_t step, double *out,
                 size_t out_step)
{
    for (size_t i = 0; i < count; i++) {
        out[i * out_step] = in[i * step];
    }
}

/* Part `part` of a plane of pairs; NULL stays NULL. */
static bool take_part(const oc__plane *pairs, size_t count, size_t part,
                      oc__plane **out)
{
    if (!pairs) {
        return true;
    }
    *out = *out ? *out : oc__plane_make(count, sizeof(double));
    if (*out) {
        copy(count, (const double *)(const void *)pairs->bytes + part, 2,
             (double *)(void *)(*out)->bytes, 1);
    }
    return *out != NULL;
}

oc_status oc__complex_part(const oc__value *value, size_t part, oc__value **out_value,
                           oc_error *err)
{
    oc__value *v = NULL;
    *out_value = NULL;
    oc_status rc = oc__value_make(oc__component(value->dtype), NULL, value->dims,
                                  value->rank, &v, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!take_part(value->m, value->count, part, &v->m) ||
        !take_part(value->r, value->count, part, &v->r) ||
        !take_part(value->s, value->count, part, &v->s)) {
        oc__value_release(v);
        return oc__no_memory(err);
    }
    v->f = oc__plane_retain(value->f);
    *out_value = v;
    return OC_OK;
}

/* One plane of pairs from planes of parts, either of which may be NULL (zeros). */
static bool put_parts(oc__plane *const parts[2], const size_t steps[2], size_t count,
                      oc__plane **out)
{
    static const double zero;
    if (!parts[0] && !parts[1]) {
        return true;
    }
    *out = *out ? *out : oc__plane_make(2 * count, sizeof(double));
    for (size_t k = 0; *out && k < 2; k++) {
        const double *from =
            parts[k] ? (const double *)(const void *)parts[k]->bytes : &zero;
        copy(count, from, parts[k] ? steps[k] : 0, (double *)(void *)(*out)->bytes + k,
             2);
    }
    return *out != NULL;
}

oc_status oc__complex_join(const oc__value *real, const oc__value *imag,
                           oc__value **out_value, oc_error *err)
{
    const oc__value *like = imag && imag->count > real->count ? imag : real;
    const oc__value *parts[2] = {real, imag};
    oc__plane *m[2], *r[2], *s[2];
    size_t steps[2];
    oc__value *v = NULL;
    *out_value = NULL;
    oc_status rc = oc__value_make(real->dtype == OC_F32 ? OC_C64 : OC_C128, NULL,
                                  like->dims, like->rank, &v, err);
    if (rc != OC_OK) {
        return rc;
    }
    for (size_t k = 0; k < 2; k++) {
        m[k] = parts[k] ? parts[k]->m : NULL;
        r[k] = parts[k] ? parts[k]->r : NULL;
        s[k] = parts[k] ? parts[k]->s : NULL;
        steps[k] = parts[k] && parts[k]->count == v->count;
    }
    bool made = put_parts(m, steps, v->count, &v->m) &&
                put_parts(r, steps, v->count, &v->r) &&
                put_parts(s, steps, v->count, &v->s);
    for (size_t k = 0; made && k < 2; k++) {
        uint8_t *f = parts[k] && parts[k]->f ? oc__value_own_f(v) : NULL;
        made = f || !parts[k] || !parts[k]->f;
        for (size_t i = 0; f && i < v->count; i++) {
            f[i] |= oc__f(parts[k])[i * steps[k]];
        }
    }
    if (!made) {
        oc__value_release(v);
        return oc__no_memory(err);
    }
    *out_value = v;
    return OC_OK;
}

oc_status oc__complex_make_run(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_status rc = oc__operands_check(call, 2, err);
    if (rc == OC_OK && call->in[0]->dtype != OC_F32 && call->in[0]->dtype != OC_F64) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "takes f32 or f64");
    }
    if (rc == OC_OK) {
        rc = oc__elementwise_dims(call, false, dims, &rank, err);
    }
    return rc == OC_OK ? oc__complex_join(call->in[0], call->in[1], &call->out[0], err)
                       : rc;
}

/* On reals real is the number itself and imag 0. */
oc_status oc__real_run(oc__call *call, oc_error *err)
{
    bool imag = strcmp(call->op->name, "stablehlo.imag") == 0;
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *x = call->in[0];
    if (oc__dtype_is_complex(x->dtype)) {
        return oc__complex_part(x, imag ? 1 : 0, &call->out[0], err);
    }
    if (!oc__dtype_is_float(x->dtype)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "is not for elements of this type");
    }
    if (!imag) {
        return oc__value_reshaped(x, x->dims, x->rank, &call->out[0], err);
    }
    rc = oc__value_make(x->dtype, NULL, x->dims, x->rank, &call->out[0], err);
    if (rc == OC_OK) {
        memset(call->out[0]->m->bytes, 0, x->count * sizeof(double));
    }
    return rc;
}
