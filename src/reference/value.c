#include "reference/value.h"

#include "base/strbuf.h"
#include "tensor/float_format.h"

#include <stdlib.h>
#include <string.h>

/* --- values -------------------------------------------------------------------- */

static oc_status count_elements(const int64_t *dims, size_t rank, size_t *out_count,
                                oc_error *err)
{
    size_t count = 1;
    if (rank > OC_MAX_RANK) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                       "a tensor of %zu dimensions; at most %d are handled", rank,
                       OC_MAX_RANK);
    }
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "dimension %zu of a tensor is negative (%lld)", i,
                           (long long)dims[i]);
        }
        if (!oc__size_mul(count, (size_t)dims[i], &count) || count > PTRDIFF_MAX) {
            return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                           "the dimensions of a tensor give more elements than fit");
        }
    }
    *out_count = count;
    return OC_OK;
}

oc_status oc__value_make(oc_dtype dtype, const oc__hlo_quant *quant,
                         const int64_t *dims, size_t rank, oc__value **out_value,
                         oc_error *err)
{
    *out_value = NULL;
    size_t count = 0;
    oc_status rc = count_elements(dims, rank, &count, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *value = malloc(sizeof *value);
    if (!value) {
        return oc__no_memory(err);
    }
    *value = (oc__value){.references = 1,
                         .kind = OC__HLO_TENSOR,
                         .dtype = dtype,
                         .quant = quant,
                         .rank = rank,
                         .count = count};
    if (rank > 0) {
        memcpy(value->dims, dims, rank * sizeof *dims);
    }
    value->m = oc__plane_make(count, oc__value_m_size(value));
    if (!value->m) {
        free(value);
        return oc__no_memory(err);
    }
    *out_value = value;
    return OC_OK;
}

oc_status oc__value_token(oc__value **out_value, oc_error *err)
{
    *out_value = NULL;
    oc__value *value = malloc(sizeof *value);
    if (!value) {
        return oc__no_memory(err);
    }
    *value =
        (oc__value){.references = 1, .kind = OC__HLO_TOKEN, .dtype = OC_DTYPE_INVALID};
    *out_value = value;
    return OC_OK;
}

oc__value *oc__value_retain(oc__value *value)
{
    value->references++;
    return value;
}

void oc__value_release(oc__value *value)
{
    if (!value || --value->references > 0) {
        return;
    }
    for (size_t i = 0; i < value->element_count; i++) {
        oc__value_release(value->elements[i]);
    }
    free(value->elements);
    oc__plane_release(value->m);
    oc__plane_release(value->r);
    oc__plane_release(value->s);
    oc__plane_release(value->f);
    free(value);
}

oc_status oc__value_reshaped(const oc__value *value, const int64_t *dims, size_t rank,
                             oc__value **out_value, oc_error *err)
{
    *out_value = NULL;
    size_t count = 0;
    oc_status rc = count_elements(dims, rank, &count, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (count != value->count) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "a tensor of %zu elements cannot have a shape of %zu",
                       value->count, count);
    }
    oc__value *made = malloc(sizeof *made);
    if (!made) {
        return oc__no_memory(err);
    }
    *made = *value;
    made->references = 1;
    made->rank = rank;
    if (rank > 0) {
        memcpy(made->dims, dims, rank * sizeof *dims);
    }
    oc__plane_retain(made->m);
    oc__plane_retain(made->r);
    oc__plane_retain(made->s);
    oc__plane_retain(made->f);
    *out_value = made;
    return OC_OK;
}

/* --- from and to arrays of the host -------------------------------------------- */

/* Numbers in plane m: a complex element has two. */
static size_t components(const oc__value *value)
{
    return oc__dtype_is_complex(value->dtype) ? 2 * value->count : value->count;
}

oc_status oc__value_from_tensor(const oc_tensor *tensor, const oc__hlo_quant *quant,
                                oc__value **out_value, oc_error *err)
{
    oc_status rc = oc__value_make(tensor->dtype, quant, tensor->dims, tensor->rank,
                                  out_value, err);
    oc__value *value = *out_value;
    if (!value) {
        return rc;
    }
    if (oc__float_format_of(value->dtype)) {
        oc__float_decode_array(value->dtype, tensor->data, components(value),
                               oc__m(value));
    } else if (value->count > 0) {
        memcpy(value->m->bytes, tensor->data, value->m->size_bytes);
    }
    return OC_OK;
}

oc_status oc__value_to_tensor(const oc__value *value, oc_tensor *out_tensor,
                              oc_error *err)
{
    oc_status rc =
        oc_tensor_make(value->dtype, value->dims, value->rank, out_tensor, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (oc__float_format_of(value->dtype)) {
        oc__float_encode_array(value->dtype, oc__m(value), components(value),
                               out_tensor->data);
    } else if (value->count > 0) {
        memcpy(out_tensor->data, value->m->bytes, value->m->size_bytes);
    }
    return OC_OK;
}

/* --- planes of a value --------------------------------------------------------- */

/* The plane at *slot as one that nobody else holds; made of zeros when there is none.
 */
static void *own(oc__plane **slot, size_t count, size_t size)
{
    oc__plane *old = *slot;
    if (old && old->references == 1) {
        return old->bytes;
    }
    oc__plane *made = oc__plane_make(count, size);
    if (!made) {
        return NULL;
    }
    if (old) {
        memcpy(made->bytes, old->bytes, made->size_bytes);
    } else {
        memset(made->bytes, 0, made->size_bytes);
    }
    oc__plane_release(old);
    *slot = made;
    return made->bytes;
}

double *oc__value_own_r(oc__value *value)
{
    return own(&value->r, components(value), sizeof(double));
}

double *oc__value_own_s(oc__value *value)
{
    return own(&value->s, components(value), sizeof(double));
}

uint8_t *oc__value_own_f(oc__value *value)
{
    return own(&value->f, value->count, 1);
}

/* All bytes zero: the first is, and each is equal to the one before it. */
static bool all_zero(const oc__plane *plane)
{
    return plane->size_bytes == 0 ||
           (plane->bytes[0] == 0 &&
            memcmp(plane->bytes, plane->bytes + 1, plane->size_bytes - 1) == 0);
}

void oc__value_tidy(oc__value *value)
{
    oc__plane **const slots[] = {&value->r, &value->s, &value->f};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        if (*slots[i] && all_zero(*slots[i])) {
            oc__plane_release(*slots[i]);
            *slots[i] = NULL;
        }
    }
}

/* --- element types ------------------------------------------------------------- */

bool oc__dtype_is_complex(oc_dtype dtype)
{
    return dtype == OC_C64 || dtype == OC_C128;
}

bool oc__dtype_is_float(oc_dtype dtype)
{
    return !oc__dtype_is_complex(dtype) && oc__float_format_of(dtype) != NULL;
}

bool oc__dtype_is_signed(oc_dtype dtype)
{
    return (dtype >= OC_S8 && dtype <= OC_S64) || dtype == OC_S4 || dtype == OC_S2;
}

bool oc__dtype_is_integer(oc_dtype dtype)
{
    return oc__dtype_is_signed(dtype) || (dtype >= OC_U8 && dtype <= OC_U64) ||
           dtype == OC_U4 || dtype == OC_U2;
}

bool oc__value_has_balls(const oc__value *value)
{
    return !value->quant &&
           (oc__dtype_is_float(value->dtype) || oc__dtype_is_complex(value->dtype));
}

size_t oc__value_m_size(const oc__value *value)
{
    if (oc__dtype_is_complex(value->dtype)) {
        return 2 * sizeof(double);
    }
    return oc__float_format_of(value->dtype) ? sizeof(double)
                                             : oc_dtype_host_bits(value->dtype) / 8;
}

#define READ_AS(type)                                                                  \
    for (size_t i = 0; i < value->count; i++) {                                        \
        out[i] = (int64_t)((const type *)(const void *)value->m->bytes)[i];            \
    }                                                                                  \
    break

bool oc__value_ints(const oc__value *value, int64_t *out)
{
    switch (value->dtype) {
    case OC_S64: READ_AS(int64_t);
    case OC_S32: READ_AS(int32_t);
    case OC_S16: READ_AS(int16_t);
    case OC_S8:
    case OC_S4:
    case OC_S2: READ_AS(int8_t);
    case OC_U32: READ_AS(uint32_t);
    case OC_U16: READ_AS(uint16_t);
    case OC_PRED:
    case OC_U8:
    case OC_U4:
    case OC_U2: READ_AS(uint8_t);
    case OC_U64:
        for (size_t i = 0; i < value->count; i++) {
            uint64_t x = ((const uint64_t *)(const void *)value->m->bytes)[i];
            out[i] = x > INT64_MAX ? INT64_MAX : (int64_t)x;
        }
        break;
    default: return false;
    }
    const uint8_t *f = oc__f(value);
    for (size_t i = 0; f && i < value->count; i++) {
        if (f[i] & OC__F_UNDECIDED) {
            return false;
        }
    }
    return true;
}

void oc__strides(const int64_t *dims, size_t rank, int64_t *out_strides)
{
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0;) {
        out_strides[i] = stride;
        stride *= dims[i];
    }
}
