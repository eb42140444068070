#include "reference/contract.h"
#include "reference/lanes.h"

#include <stdlib.h>

enum { CHUNK = 256 };

static bool holds(oc_dtype wide, oc_dtype narrow)
{
    const oc__float_format *to = oc__float_format_of(wide);
    const oc__float_format *from = oc__float_format_of(narrow);
    if (!to || !from || oc__dtype_is_complex(wide) != oc__dtype_is_complex(narrow)) {
        return false;
    }
    return to->precision >= from->precision && to->max_finite >= from->max_finite &&
           to->min_exponent - to->precision <= from->min_exponent - from->precision;
}

/* Integers as numbers. Past 2^53 they have a radius. */
static oc_status integers_to_floats(oc__value *made, const oc__value *value,
                                    oc_error *err)
{
    bool is_signed = oc__dtype_is_signed(value->dtype);
    bool exact = oc_dtype_host_bits(value->dtype) <= 32;
    double *m = oc__m(made), *r = exact ? NULL : oc__value_own_r(made);
    if (!exact && !r) {
        return oc__no_memory(err);
    }
    for (size_t at = 0; at < value->count; at += CHUNK) {
        oc__lane lanes[CHUNK];
        size_t n = value->count - at < CHUNK ? value->count - at : CHUNK;
        oc__lanes_load(value->dtype, value->m->bytes, at, n, lanes);
        for (size_t i = 0; i < n; i++) {
            m[at + i] = is_signed ? (double)(int64_t)lanes[i].u : (double)lanes[i].u;
            if (r && fabs(m[at + i]) > 0x1p53) {
                r[at + i] = 0x1p-53 * fabs(m[at + i]);
            }
        }
    }
    const uint8_t *f = oc__f(value);
    double *unknown = f ? oc__value_own_r(made) : NULL;
    if (f && !unknown) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; f && i < value->count; i++) {
        unknown[i] = f[i] & OC__F_UNDECIDED ? (double)INFINITY : unknown[i];
    }
    return OC_OK;
}

static void widen_integers(oc__value *made, const oc__value *value)
{
    for (size_t at = 0; at < value->count; at += CHUNK) {
        oc__lane lanes[CHUNK];
        size_t n = value->count - at < CHUNK ? value->count - at : CHUNK;
        oc__lanes_load(value->dtype, value->m->bytes, at, n, lanes);
        oc__lanes_store(made->dtype, lanes, n, made->m->bytes, at);
    }
}

oc_status oc__promote(oc__call *call, const oc__value *value, oc_dtype dtype,
                      oc__value **out_value, oc_error *err)
{
    *out_value = NULL;
    bool from_integer = oc__dtype_is_integer(value->dtype) || value->dtype == OC_PRED;
    bool to_integer = oc__dtype_is_integer(dtype) || dtype == OC_PRED;
    if (value->quant || value->dtype == dtype || (!from_integer && !to_integer)) {
        if (!value->quant && value->dtype != dtype && !holds(dtype, value->dtype)) {
            return OC_CALL_FAIL(call, err, OC_PARSE, "%s does not promote to %s",
                                oc_dtype_name(value->dtype), oc_dtype_name(dtype));
        }
        oc_status rc =
            oc__value_reshaped(value, value->dims, value->rank, out_value, err);
        if (rc == OC_OK && !value->quant) {
            (*out_value)->dtype = dtype;
        }
        return rc;
    }
    if (!from_integer || oc__dtype_is_complex(dtype)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s does not promote to %s",
                            oc_dtype_name(value->dtype), oc_dtype_name(dtype));
    }
    oc__value *made = NULL;
    oc_status rc = oc__value_make(dtype, NULL, value->dims, value->rank, &made, err);
    if (rc == OC_OK) {
        made->f = oc__plane_retain(value->f);
        if (to_integer) {
            widen_integers(made, value);
        } else {
            rc = integers_to_floats(made, value, err);
        }
    }
    if (rc != OC_OK) {
        oc__value_release(made);
        made = NULL;
    }
    *out_value = made;
    return rc;
}
