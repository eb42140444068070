#include "reference/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_radius(const oc__value *value)
{
    return oc__dtype_is_float(value->dtype) || oc__dtype_is_complex(value->dtype);
}

/* Numbers of one element. */
static size_t width(const oc__value *value)
{
    return oc__dtype_is_complex(value->dtype) ? 2 : 1;
}

oc_status oc__value_tuple(oc__value *const *elements, size_t count,
                          oc__value **out_value, oc_error *err)
{
    oc_status rc = oc__value_token(out_value, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value **kept = malloc((count + 1) * sizeof *kept);
    if (!kept) {
        oc__value_release(*out_value);
        *out_value = NULL;
        return oc__no_memory(err);
    }
    if (count > 0) {
        memcpy(kept, elements, count * sizeof *kept);
    }
    (*out_value)->kind = OC__HLO_TUPLE;
    (*out_value)->element_count = count;
    (*out_value)->elements = kept;
    return OC_OK;
}

/* Makes *value one that nobody else holds. Planes may still be shared. */
static oc_status own(oc__value **value, oc_error *err)
{
    oc__value *old = *value, *made = NULL;
    if (old->references == 1) {
        return OC_OK;
    }
    oc_status rc;
    if (old->kind == OC__HLO_TUPLE) {
        rc = oc__value_tuple(old->elements, old->element_count, &made, err);
        for (size_t i = 0; rc == OC_OK && i < old->element_count; i++) {
            oc__value_retain(old->elements[i]);
        }
    } else {
        rc = oc__value_reshaped(old, old->dims, old->rank, &made, err);
    }
    if (made) {
        oc__value_release(old);
        *value = made;
    }
    return rc;
}

oc_status oc__value_flag(oc__value **value, uint8_t flags, oc_error *err)
{
    if (flags == 0 || (*value)->kind == OC__HLO_TOKEN) {
        return OC_OK;
    }
    oc_status rc = own(value, err);
    for (size_t i = 0; rc == OC_OK && i < (*value)->element_count; i++) {
        rc = oc__value_flag(&(*value)->elements[i], flags, err);
    }
    if (rc != OC_OK || (*value)->kind == OC__HLO_TUPLE) {
        return rc;
    }
    uint8_t *f = oc__value_own_f(*value);
    if (!f) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; i < (*value)->count; i++) {
        f[i] |= flags;
    }
    return OC_OK;
}

oc_status oc__value_undecide(oc__value **value, uint8_t flags, oc_error *err)
{
    if ((*value)->kind == OC__HLO_TOKEN) {
        return OC_OK;
    }
    oc_status rc = own(value, err);
    for (size_t i = 0; rc == OC_OK && i < (*value)->element_count; i++) {
        rc = oc__value_undecide(&(*value)->elements[i], flags, err);
    }
    if (rc != OC_OK || (*value)->kind == OC__HLO_TUPLE) {
        return rc;
    }
    if (!has_radius(*value)) {
        return oc__value_flag(value, flags | OC__F_UNDECIDED, err);
    }
    double *r = oc__value_own_r(*value);
    if (!r) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; i < (*value)->count * width(*value); i++) {
        r[i] = INFINITY;
    }
    return oc__value_flag(value, flags, err);
}

/* --- hulls --------------------------------------------------------------------- */

/* The radius that a ball about m needs to hold (other +- other_r) too; INFINITY when no
 * ball can say it. *apart: the two do not overlap. */
static double reach(double m, double r, double other, double other_r, bool *apart)
{
    bool same = m == other || (isnan(m) && isnan(other));
    if (isnan(r) || isnan(other_r)) {
        return INFINITY;
    }
    if (!isfinite(m) || !isfinite(other)) {
        // A ball around an infinity or NaN is that value alone.
        return same && r == 0 && other_r == 0 ? 0 : INFINITY;
    }
    double distance = fabs(m - other);
    *apart = distance > r + other_r;
    // One step up: the difference and the sum were rounded.
    double needed = same ? other_r : nextafter(distance + other_r, INFINITY);
    return fmax(r, needed);
}

static void hull_reals(oc__value *value, const oc__value *other, double *r, uint8_t *f)
{
    size_t w = width(value);
    const double *m = oc__m(value), *m2 = oc__m(other), *r2 = oc__r(other);
    for (size_t i = 0; i < value->count * w; i++) {
        bool apart = false;
        bool opposite = m[i] == 0 && m2[i] == 0 && signbit(m[i]) != signbit(m2[i]);
        r[i] = reach(m[i], r[i], m2[i], r2 ? r2[i] : 0, &apart);
        f[i / w] |=
            (uint8_t)((apart ? OC__F_HULL : 0) | (opposite ? OC__F_ZERO_SIGN : 0));
    }
}

static void hull_integers(oc__value *value, const oc__value *other, uint8_t *f)
{
    size_t size = oc__value_m_size(value);
    for (size_t i = 0; i < value->count; i++) {
        if (memcmp(value->m->bytes + i * size, other->m->bytes + i * size, size) != 0) {
            f[i] |= OC__F_UNDECIDED | OC__F_HULL;
        }
    }
}

static bool same_shape(const oc__value *a, const oc__value *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           a->element_count == b->element_count;
}

oc_status oc__value_hull(oc__value **value, const oc__value *other, oc_error *err)
{
    if (*value == other || (*value)->kind == OC__HLO_TOKEN) {
        return OC_OK;
    }
    if (!same_shape(*value, other)) {
        return oc__value_undecide(value, OC__F_HULL, err);
    }
    oc_status rc = own(value, err);
    for (size_t i = 0; rc == OC_OK && i < (*value)->element_count; i++) {
        rc = oc__value_hull(&(*value)->elements[i], other->elements[i], err);
    }
    if (rc != OC_OK || (*value)->kind == OC__HLO_TUPLE) {
        return rc;
    }
    oc__value *v = *value;
    uint8_t *f = oc__value_own_f(v);
    double *r = has_radius(v) ? oc__value_own_r(v) : NULL;
    if (!f || (has_radius(v) && !r)) {
        return oc__no_memory(err);
    }
    const uint8_t *f2 = oc__f(other);
    for (size_t i = 0; f2 && i < v->count; i++) {
        f[i] |= f2[i];
    }
    if (r) {
        hull_reals(v, other, r, f);
    } else {
        hull_integers(v, other, f);
    }
    oc__value_tidy(v);
    return OC_OK;
}

uint8_t oc__value_sticky(const oc__value *value)
{
    unsigned flags = 0;
    const uint8_t *f = oc__f(value);
    for (size_t i = 0; f && i < value->count; i++) {
        flags |= f[i];
    }
    return (uint8_t)(flags & OC__F_STICKY);
}

/* --- zeros --------------------------------------------------------------------- */

static oc_status zero_tuple(const oc__hlo_type *type, oc__value **out_value,
                            oc_error *err)
{
    oc_status rc = OC_OK;
    oc__value **elements = calloc(type->element_count + 1, sizeof *elements);
    if (!elements) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; rc == OC_OK && i < type->element_count; i++) {
        rc = oc__value_zeros(type->elements[i], &elements[i], err);
    }
    if (rc == OC_OK) {
        rc = oc__value_tuple(elements, type->element_count, out_value, err);
    }
    for (size_t i = 0; rc != OC_OK && i < type->element_count; i++) {
        oc__value_release(elements[i]);
    }
    free(elements);
    return rc;
}

oc_status oc__value_zeros(const oc__hlo_type *type, oc__value **out_value,
                          oc_error *err)
{
    *out_value = NULL;
    if (type->kind == OC__HLO_TUPLE) {
        return zero_tuple(type, out_value, err);
    }
    if (type->kind == OC__HLO_TOKEN || type->kind == OC__HLO_OTHER) {
        return oc__value_token(out_value, err);
    }
    bool known = type->kind == OC__HLO_TENSOR && type->dtype != OC_DTYPE_INVALID;
    for (size_t i = 0; known && i < type->rank; i++) {
        known = type->dims[i] != OC__HLO_DYNAMIC;
    }
    if (!known) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                       "the shape of a %s that the reference cannot compute is not "
                       "known",
                       type->text);
    }
    oc_status rc = oc__value_make(type->dtype, type->quant, type->dims, type->rank,
                                  out_value, err);
    if (rc == OC_OK) {
        memset((*out_value)->m->bytes, 0, (*out_value)->m->size_bytes);
    }
    return rc;
}
