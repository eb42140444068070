/* iota and dynamic_iota: whole numbers counted up along one dimension. */
#include "reference/movement.h"
#include "tensor/float_format.h"

#include <math.h>
#include <string.h>

/* The largest whole number that an element of the type can hold. */
static uint64_t largest(const oc__value *value)
{
    if (!oc__dtype_is_integer(value->dtype)) {
        return 1; /* i1 */
    }
    unsigned bits = value->dtype == OC_S2 || value->dtype == OC_U2 ? 2
                    : value->dtype == OC_S4 || value->dtype == OC_U4
                        ? 4
                        : (unsigned)oc_dtype_host_bits(value->dtype);
    if (oc__dtype_is_signed(value->dtype)) {
        bits--;
    }
    return bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

/* 0, 1, ... as storage integers of a quantized type: rounded to nearest even and
 * clamped (the specification's quantize). */
static int64_t quantized(const oc__hlo_quant *quant, size_t i)
{
    double real =
        nearbyint((double)i / quant->scales[0]) + (double)quant->zero_points[0];
    double low = (double)quant->storage_min, high = (double)quant->storage_max;
    return (int64_t)(real < low ? low : real > high ? high : real);
}

/* The low bits of a whole number, sign-extended where the type is narrower than its
 * byte. */
static void store_integer(oc__value *value, size_t i, uint64_t number)
{
    size_t size = oc__value_m_size(value);
    if (value->dtype == OC_S2 || value->dtype == OC_U2) {
        number &= 3;
        number -= value->dtype == OC_S2 && number > 1 ? 4 : 0;
    } else if (value->dtype == OC_S4 || value->dtype == OC_U4) {
        number &= 15;
        number -= value->dtype == OC_S4 && number > 7 ? 16 : 0;
    } else if (value->dtype == OC_PRED) {
        number = number != 0;
    }
    memcpy(value->m->bytes + i * size, &number, size); /* little endian */
}

/* The vector 0 .. n-1. Elements that the type cannot hold are XLA's (integers wrap,
 * floats round past their largest): the specification does not say. */
static oc_status make_counts(oc__call *call, int64_t n, const oc__hlo_type *type,
                             oc__value **out_counts, oc_error *err)
{
    oc__value *made;
    oc_status rc = oc__value_make(type->dtype, type->quant, &n, 1, &made, err);
    if (rc != OC_OK) {
        return rc;
    }
    size_t count = (size_t)n, fitting = count;
    const oc__float_format *format = oc__float_format_of(type->dtype);
    if (format) {
        size_t width = oc__dtype_is_complex(type->dtype) ? 2 : 1;
        memset(made->m->bytes, 0, made->m->size_bytes);
        for (size_t i = 0; i < count; i++) {
            oc__m(made)[i * width] = oc__float_round(type->dtype, (double)i);
            if ((double)i >= format->overflow_from && fitting == count) {
                fitting = i;
            }
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            store_integer(made, i,
                          type->quant ? (uint64_t)quantized(type->quant, i) : i);
        }
        uint64_t most = largest(made);
        if (!type->quant && most < count) {
            fitting = (size_t)most + 1;
        }
    }
    if (fitting < count) {
        uint8_t *f = oc__value_own_f(made);
        if (!f) {
            oc__value_release(made);
            return oc__no_memory(err);
        }
        memset(f + fitting, OC__F_OPEN, count - fitting);
        oc__call_note(call, "iota_overflow", count - fitting);
    }
    *out_counts = made;
    return OC_OK;
}

static oc_status give_iota(oc__call *call, const int64_t *dims, size_t rank,
                           oc_error *err)
{
    size_t dimension;
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    oc__value *counts = NULL, *made = NULL;
    oc_status rc = oc__read_dimension(call, "iota_dimension", rank, &dimension, err);
    if (rc != OC_OK) {
        goto done;
    }
    if (type->kind != OC__HLO_TENSOR || oc_dtype_host_bits(type->dtype) == 0 ||
        (type->quant && type->quant->dimension >= 0)) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "its result cannot be %s", type->text);
        goto done;
    }
    if (dims[dimension] < 0) {
        rc = OC_CALL_FAIL(call, err, OC_PARSE, "dimension %zu of its result is %lld",
                          dimension, (long long)dims[dimension]);
        goto done;
    }
    int64_t n = dims[dimension];
    for (size_t d = 0; d < rank; d++) {
        n = dims[d] == 0 ? 0 : n; /* however long, nothing of it is there */
    }
    rc = make_counts(call, n, type, &counts, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__view view = {.rank = rank};
    memcpy(view.dims, dims, rank * sizeof *dims);
    view.from_strides[dimension] = 1;
    rc = oc__view_read(counts, &view, &made, err);
    if (rc == OC_OK) {
        oc__give(call, 0, made);
    }
done:
    oc__value_release(counts);
    return rc;
}

oc_status oc__run_iota(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_status rc = oc__check_arity(call, 0, 1, err);
    if (rc == OC_OK) {
        rc = oc__static_shape(call, 0, dims, &rank, err);
    }
    return rc == OC_OK ? give_iota(call, dims, rank, err) : rc;
}

oc_status oc__run_dynamic_iota(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_status rc = oc__check_arity(call, 1, 1, err);
    if (rc == OC_OK) {
        rc = oc__vector_operand(call, 0, "output_shape", dims, &rank, err);
    }
    return rc == OC_OK ? give_iota(call, dims, rank, err) : rc;
}
