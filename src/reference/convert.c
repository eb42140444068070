/* convert between all pairs of types. The specification leaves open what has no exact
 * answer in the result's type; XLA's rules: floats round to nearest even, integers
 * wrap, floats out of an integer's range saturate and NaN gives 0 (numerics 4.1). */
#include "reference/bits.h"
#include "reference/lanes.h"
#include "reference/real.h"
#include "tensor/dtype_names.h"
#include "tensor/float_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- integers to floats --- */

/* A double that rounds to fewer bits as the integer itself does: bits that double has
 * no room for leave the last bit set (rounding to odd; Boldo and Melquiond 2008). */
static double odd_double(bool is_signed, uint64_t x)
{
    bool negative = is_signed && (int64_t)x < 0;
    uint64_t magnitude = negative ? 0 - x : x;
    int excess = magnitude >> 53 ? 11 - __builtin_clzll(magnitude) : 0;
    uint64_t kept = magnitude >> excess;
    kept |= kept << excess != magnitude ? 1 : 0;
    double value = ldexp((double)kept, excess);
    return negative ? -value : value;
}

/* What an undecided or overflowing element becomes; an i1 is 0 or 1. */
static void settle(const oc__rounding *how, bool is_pred, size_t n, const uint8_t *f,
                   oc__tile *out)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t flags = f ? f[i] : 0;
        out->f[i] = flags & OC__F_STICKY;
        if (flags & OC__F_UNDECIDED) {
            out->r[i] = is_pred ? 1 : (double)INFINITY;
            out->f[i] |= OC__F_HULL;
            out->f[i] |= out->m[i] == 0 ? OC__F_ZERO_SIGN : 0;
        } else if (!isfinite(out->m[i])) {
            out->r[i] = how->overflow_lives ? (double)INFINITY : 0;
        }
    }
}

static oc_status from_integers(oc__call *call, const oc__value *x, oc_dtype to,
                               oc__value **out, oc_error *err)
{
    static const double no_spread[OC__TILE];
    oc__tile_spares none = {0};
    oc__tile_sink sink = {.spares = &none};
    oc__tile tile = oc__tile_in(&sink.room, false);
    oc__tile_env env = oc__tile_env_of(call, oc__tile_convert, to, to);
    oc__rounding how = oc__rounding_of(&env, false);
    bool is_signed = oc__dtype_is_signed(x->dtype);
    oc_status rc = oc__value_make(to, NULL, x->dims, x->rank, out, err);
    sink.value = *out;
    for (size_t at = 0; rc == OC_OK && at < x->count; at += OC__TILE) {
        size_t n = x->count - at < OC__TILE ? x->count - at : OC__TILE;
        oc__lane lanes[OC__TILE];
        double exact[OC__TILE];
        oc__lanes_load(x->dtype, x->m->bytes, at, n, lanes);
        for (size_t i = 0; i < n; i++) {
            // f64 takes the one rounding that there is.
            exact[i] = to != OC_F64 ? odd_double(is_signed, lanes[i].u)
                       : is_signed  ? (double)(int64_t)lanes[i].u
                                    : (double)lanes[i].u;
        }
        (void)oc__round_tile(&how, n, exact, no_spread, tile.m, tile.r);
        settle(&how, x->dtype == OC_PRED, n, x->f ? oc__f(x) + at : NULL, &tile);
        rc = oc__tile_sink_put(&sink, at, n, err);
    }
    return rc;
}

/* --- floats to integers --- */

typedef struct range {
    double low;  /* the smallest number */
    double past; /* one more than the largest */
    uint64_t most;
    bool is_signed;
} range;

static range range_of(oc_dtype dtype)
{
    unsigned bits = oc__dtype_width(dtype);
    bool is_signed = oc__dtype_is_signed(dtype);
    unsigned magnitude = is_signed ? bits - 1 : bits;
    return (range){.low = is_signed ? -ldexp(1, (int)magnitude) : 0,
                   .past = ldexp(1, (int)magnitude),
                   .most = oc__bits_mask(magnitude),
                   .is_signed = is_signed};
}

static bool in_range(const range *to, double whole)
{
    return whole >= to->low && whole < to->past;
}

static uint64_t to_integer(const range *to, double whole)
{
    if (in_range(to, whole)) {
        return to->is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    }
    return whole >= to->past ? to->most : isnan(whole) ? 0 : (uint64_t)(int64_t)to->low;
}

static uint64_t integer_of(const range *to, oc__ball x, uint8_t *f)
{
    uint64_t value = to_integer(to, trunc(x.m));
    *f = x.f & OC__F_STICKY;
    if (oc__ball_undecided(x)) {
        *f |= OC__F_UNDECIDED;
        return value;
    }
    double low = trunc(x.m - x.r), high = trunc(x.m + x.r);
    bool same = x.r == 0 || to_integer(to, low) == to_integer(to, high);
    *f |= same ? 0 : OC__F_UNDECIDED | OC__F_HULL;
    *f |= in_range(to, low) && in_range(to, high) ? 0 : OC__F_OPEN;
    return value;
}

/* Whether it is not 0. */
static uint64_t pred_of(oc__ball x, uint8_t *f)
{
    bool straddles = x.r > 0 && oc__ball_has_zero(x);
    *f = (uint8_t)((x.f & OC__F_STICKY) |
                   (oc__ball_undecided(x) || straddles ? OC__F_UNDECIDED : 0) |
                   (straddles ? OC__F_HULL : 0));
    return x.m != 0;
}

static oc_status to_integers(oc__call *call, const oc__value *x, oc_dtype to,
                             oc__value **out, oc_error *err)
{
    range target = range_of(to == OC_PRED ? OC_U8 : to);
    bool flush = oc__call_arith(call)->flush && oc__flushes(x->dtype);
    uint64_t open = 0;
    oc_status rc = oc__value_make(to, NULL, x->dims, x->rank, out, err);
    uint8_t *f = rc == OC_OK ? oc__value_own_f(*out) : NULL;
    if (rc == OC_OK && !f) {
        rc = OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for flags");
    }
    for (size_t at = 0; rc == OC_OK && at < x->count; at += OC__TILE) {
        size_t n = x->count - at < OC__TILE ? x->count - at : OC__TILE;
        oc__lane lanes[OC__TILE];
        for (size_t i = 0; i < n; i++) {
            size_t k = at + i;
            oc__ball e = {oc__m(x)[k], x->r ? oc__r(x)[k] : 0, x->f ? oc__f(x)[k] : 0};
            if (flush) {
                oc__flush_radii(x->dtype, 1, &e.m, &e.r);
            }
            uint8_t before = e.f & OC__F_OPEN;
            lanes[i].u =
                to == OC_PRED ? pred_of(e, &f[k]) : integer_of(&target, e, &f[k]);
            open += (f[k] & OC__F_OPEN) && !before;
        }
        oc__lanes_store(to, lanes, n, (*out)->m->bytes, at);
    }
    if (rc == OC_OK) {
        oc__value_tidy(*out);
    }
    if (open > 0) {
        oc__call_note(call, "convert_out_of_range", open);
    }
    return rc;
}

/* --- all of them --- */

static bool is_whole(oc_dtype dtype)
{
    return dtype == OC_PRED || oc__dtype_is_integer(dtype);
}

/* Neither side is complex. */
static oc_status convert_parts(oc__call *call, oc__value *x, oc_dtype to,
                               oc__value **out, oc_error *err)
{
    oc__value *in[1] = {x};
    oc__call part = *call;
    part.in = in;
    part.out = out;
    if (is_whole(x->dtype)) {
        return is_whole(to) ? oc__integers_run(&part, err)
                            : from_integers(&part, x, to, out, err);
    }
    return is_whole(to) ? to_integers(&part, x, to, out, err)
                        : oc__tile_run(&part, oc__tile_convert, 1, err);
}

oc_status oc__convert_run(oc__call *call, oc_error *err)
{
    oc_status rc = oc__operands_check(call, 1, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__hlo_type *type = oc__call_result_type(call, 0);
    oc__value *x = call->in[0];
    bool from_complex = oc__dtype_is_complex(x->dtype);
    bool to_complex = oc__dtype_is_complex(type->dtype);
    oc_dtype to = oc__component(type->dtype);
    if (type->kind != OC__HLO_TENSOR || type->quant ||
        !(is_whole(to) || oc__dtype_is_float(to))) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "has a result of no element type");
    }
    if (!from_complex && !to_complex) {
        return convert_parts(call, x, to, &call->out[0], err);
    }
    // A complex number's imaginary part is dropped, a real one's is zero.
    oc__value *parts[2] = {NULL, NULL}, *made[2] = {NULL, NULL};
    size_t count = from_complex && to_complex ? 2 : 1;
    for (size_t k = 0; rc == OC_OK && k < count; k++) {
        rc = from_complex ? oc__complex_part(x, k, &parts[k], err) : OC_OK;
        if (rc == OC_OK) {
            rc = convert_parts(call, from_complex ? parts[k] : x, to, &made[k], err);
        }
    }
    if (rc == OC_OK && to_complex) {
        rc = oc__complex_join(made[0], made[1], &call->out[0], err);
    } else if (rc == OC_OK) {
        call->out[0] = oc__value_retain(made[0]);
    }
    for (size_t k = 0; k < 2; k++) {
        oc__value_release(parts[k]);
        oc__value_release(made[k]);
    }
    return rc;
}
