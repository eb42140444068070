#include "reference/bits.h"
#include "reference/bitwise.h"
#include "reference/lanes.h"
#include "tensor/dtype_names.h"
#include "tensor/float_format.h"

#include <math.h>

/* bitcast_convert: the same bits read as another type. Where the widths differ, the
 * last dimension of the narrower side holds the parts, the lowest bits first; widths
 * count as num_bits of the specification, so 64 elements of i1 make one i64.
 *
 * Bits exist for points only: of a ball, of a zero whose sign is not known, of an
 * undecided integer they are undecided. A NaN's payload is nobody's contract: its bits
 * are open. */

__extension__ typedef unsigned __int128 bits128;

static bits128 element_bits(const oc__value *value, size_t i)
{
    if (oc__dtype_is_complex(value->dtype)) {
        bits128 re = oc__float_encode(value->dtype, oc__m(value)[2 * i]);
        bits128 im = oc__float_encode(value->dtype, oc__m(value)[2 * i + 1]);
        return re | im << (oc__dtype_width(value->dtype) / 2);
    }
    if (oc__dtype_is_float(value->dtype)) {
        return oc__float_encode(value->dtype, oc__m(value)[i]);
    }
    oc__lane lane;
    oc__lanes_load(value->dtype, value->m->bytes, i, 1, &lane);
    return lane.u & oc__bits_mask(oc__dtype_width(value->dtype));
}

static void element_set(oc__value *value, size_t i, bits128 bits)
{
    if (oc__dtype_is_complex(value->dtype)) {
        unsigned half = oc__dtype_width(value->dtype) / 2;
        uint64_t mask = oc__bits_mask(half);
        oc__m(value)[2 * i] = oc__float_decode(value->dtype, (uint64_t)bits & mask);
        oc__m(value)[2 * i + 1] =
            oc__float_decode(value->dtype, (uint64_t)(bits >> half) & mask);
    } else if (oc__dtype_is_float(value->dtype)) {
        oc__m(value)[i] = oc__float_decode(
            value->dtype,
            (uint64_t)bits & oc__bits_mask(oc__dtype_width(value->dtype)));
    } else {
        uint64_t mask = oc__bits_mask(oc__dtype_width(value->dtype));
        oc__lane lane = {.u = (uint64_t)bits & mask};
        oc__lanes_store(value->dtype, &lane, 1, value->m->bytes, i);
    }
}

/* The flags that the bits of an element have: sticky ones, UNDECIDED, OPEN for NaN. */
static uint8_t element_flags(const oc__value *value, size_t i)
{
    uint8_t f = oc__f(value) ? oc__f(value)[i] : 0;
    uint8_t out = f & (OC__F_STICKY | OC__F_UNDECIDED);
    if (!oc__float_format_of(value->dtype)) {
        return out;
    }
    size_t parts = oc__dtype_is_complex(value->dtype) ? 2 : 1;
    for (size_t k = parts * i; k < parts * (i + 1); k++) {
        double m = oc__m(value)[k], r = oc__r(value) ? oc__r(value)[k] : 0;
        if (!(r == 0) || (m == 0 && (f & OC__F_ZERO_SIGN))) {
            out |= OC__F_UNDECIDED;
        }
        out |= isnan(m) ? OC__F_OPEN : 0;
    }
    return out;
}

/* Writes what the flags of a result's element mean; false when out of memory. */
static bool element_mark(oc__value *value, size_t i, uint8_t flags)
{
    if (flags == 0) {
        return true;
    }
    bool is_float = oc__float_format_of(value->dtype) != NULL;
    uint8_t *f = oc__value_own_f(value);
    if (!f) {
        return false;
    }
    f[i] = is_float ? flags & OC__F_STICKY : flags;
    if (is_float && (flags & OC__F_UNDECIDED)) {
        size_t parts = oc__dtype_is_complex(value->dtype) ? 2 : 1;
        double *r = oc__value_own_r(value);
        for (size_t k = parts * i; r && k < parts * (i + 1); k++) {
            r[k] = (double)INFINITY;
        }
        return r != NULL;
    }
    return true;
}

/* Elements of `wide` and their `parts` in `narrow`, in either direction. */
static oc_status convert(oc__call *call, const oc__value *from, oc__value *to,
                         size_t parts, oc_error *err)
{
    bool splits = to->count > from->count;
    size_t count = splits ? from->count : to->count;
    unsigned step = oc__dtype_width(splits ? to->dtype : from->dtype);
    uint64_t open_count = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        bits128 bits = splits ? element_bits(from, i) : 0;
        uint8_t flags = splits ? element_flags(from, i) : 0;
        for (size_t k = 0; good && k < parts; k++) {
            if (splits) {
                element_set(to, parts * i + k, bits >> (k * step));
                good = element_mark(to, parts * i + k, flags);
            } else {
                bits |= element_bits(from, parts * i + k) << (k * step);
                flags |= element_flags(from, parts * i + k);
            }
        }
        if (!splits) {
            element_set(to, i, bits);
            good = element_mark(to, i, flags);
        }
        open_count += flags & OC__F_OPEN ? 1 : 0;
    }
    if (!good) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for the flags");
    }
    if (open_count > 0) {
        oc__call_note(call, "bits_of_nan", open_count);
    }
    return OC_OK;
}

oc_status oc__bitcast_run(oc__call *call, oc_error *err)
{
    if (call->op->operand_count != 1 || call->op->result_count != 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes one operand, not %zu",
                            call->op->operand_count);
    }
    const oc__value *from = call->in[0];
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    unsigned from_bits = oc__dtype_width(from->dtype);
    unsigned to_bits = oc__dtype_width(type->dtype);
    if (from->kind != OC__HLO_TENSOR || type->kind != OC__HLO_TENSOR ||
        from_bits == 0 || to_bits == 0) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes and gives tensors");
    }
    if (oc__dtype_is_complex(from->dtype) != oc__dtype_is_complex(type->dtype)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "complex to complex only");
    }
    unsigned more = from_bits > to_bits ? from_bits : to_bits;
    unsigned less = from_bits + to_bits - more;
    size_t parts = more / less, rank = from->rank;
    int64_t dims[OC_MAX_RANK + 1] = {0};
    for (size_t i = 0; i < rank; i++) {
        dims[i] = from->dims[i];
    }
    if (from_bits > to_bits) {
        dims[rank++] = (int64_t)parts;
    } else if (to_bits > from_bits) {
        if (rank == 0 || dims[rank - 1] != (int64_t)parts) {
            return OC_CALL_FAIL(
                call, err, OC_PARSE,
                "the last dimension must be %zu, the parts of an element", parts);
        }
        rank--;
    }
    if (more % less != 0) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "elements of %u bits do not divide into elements of %u",
                            more, less);
    }
    if (from->dtype == type->dtype) {
        oc_status rc = oc__value_reshaped(from, dims, rank, &call->out[0], err);
        if (rc == OC_OK) {
            call->out[0]->quant = type->quant;
        }
        return rc;
    }
    oc_status rc =
        oc__value_make(type->dtype, type->quant, dims, rank, &call->out[0], err);
    return rc == OC_OK ? convert(call, from, call->out[0], parts, err) : rc;
}
