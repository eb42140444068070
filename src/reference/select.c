/* select, for elements of every type. */
#include "reference/hull.h"
#include "reference/real.h"

#include <string.h>

/* out[i] = pred[i] ? a[i] : b[i]; a step of 0 repeats a single element. */
#define PICK(type)                                                                     \
    for (size_t i = 0; i < count; i++) {                                               \
        type x = ((const type *)a)[i * a_step], y = ((const type *)b)[i * b_step];     \
        ((type *)out)[i] = pred[i * p_step] ? x : y;                                   \
    }                                                                                  \
    break

/* `size` is that of an element in bytes: two numbers for complex elements. */
static inline __attribute__((always_inline)) void
pick(size_t size, size_t count, const uint8_t *pred, size_t p_step, const void *a,
     size_t a_step, const void *b, size_t b_step, void *out)
{
    typedef struct pair {
        double re, im;
    } pair;
    switch (size) {
    case 1: PICK(uint8_t);
    case 2: PICK(uint16_t);
    case 4: PICK(uint32_t);
    case 8: PICK(uint64_t);
    default: PICK(pair);
    }
}

OC__CLONES static void pick_each(size_t size, size_t count, const uint8_t *pred,
                                 const void *a, const void *b, void *restrict out)
{
    pick(size, count, pred, 1, a, 1, b, 1, out);
}

/* One plane of the result; a or b NULL: zeros, both NULL: none is made. */
static oc_status pick_plane(oc__call *call, size_t size, size_t count,
                            const oc__value *pred, const uint8_t *p,
                            const oc__value *arms[2], oc__plane *const planes[2],
                            oc__plane **out, oc_error *err)
{
    static const double zero[2];
    if (!planes[0] && !planes[1]) {
        return OC_OK;
    }
    if (!*out) {
        *out = oc__plane_make(count, size);
    }
    if (!*out) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for %zu elements", count);
    }
    size_t steps[2];
    const void *from[2];
    for (size_t k = 0; k < 2; k++) {
        from[k] = planes[k] ? planes[k]->bytes : (const void *)zero;
        steps[k] = planes[k] && (arms[k]->count != 1 || count == 1);
    }
    if (pred->count == count && steps[0] && steps[1]) {
        pick_each(size, count, p, from[0], from[1], (*out)->bytes);
    } else {
        pick(size, count, p, pred->count == count, from[0], steps[0], from[1], steps[1],
             (*out)->bytes);
    }
    return OC_OK;
}

/* A value whose element i is on_true's where p[i] is set; the flags of the arm that was
 * picked go along, and those of the predicate. */
static oc_status pick_value(oc__call *call, const oc__value *pred, const uint8_t *p,
                            const oc__value *arms[2], const int64_t *dims, size_t rank,
                            oc__value **out, oc_error *err)
{
    oc_status rc = oc__value_make(arms[0]->dtype, arms[0]->quant, dims, rank, out, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__value *v = *out;
    size_t size = oc__value_m_size(v);
    oc__plane *const m[2] = {arms[0]->m, arms[1]->m},
                     *const r[2] = {arms[0]->r, arms[1]->r},
                     *const s[2] = {arms[0]->s, arms[1]->s},
                     *const f[2] = {arms[0]->f, arms[1]->f};
    rc = pick_plane(call, size, v->count, pred, p, arms, m, &v->m, err);
    if (rc == OC_OK) {
        rc = pick_plane(call, size, v->count, pred, p, arms, r, &v->r, err);
    }
    if (rc == OC_OK) {
        rc = pick_plane(call, size, v->count, pred, p, arms, s, &v->s, err);
    }
    if (rc == OC_OK) {
        rc = pick_plane(call, 1, v->count, pred, p, arms, f, &v->f, err);
    }
    if (rc == OC_OK && pred->f) {
        uint8_t *flags = oc__value_own_f(v);
        if (!flags) {
            return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for flags");
        }
        for (size_t i = 0; i < v->count; i++) {
            flags[i] |= oc__f(pred)[pred->count == 1 ? 0 : i] & OC__F_STICKY;
        }
    }
    return rc;
}

/* Where the predicate is not known either arm may come: the hull of both. */
static oc_status widen(oc__call *call, const oc__value *arms[2], const int64_t *dims,
                       size_t rank, oc_error *err)
{
    const oc__value *pred = call->in[0];
    oc__value *other = NULL;
    oc__plane *flipped = oc__plane_make(pred->count, 1);
    uint64_t undecided = 0;
    oc_status rc;
    if (!flipped) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for %zu elements",
                            pred->count);
    }
    for (size_t i = 0; i < pred->count; i++) {
        bool unknown = (oc__f(pred)[i] & OC__F_UNDECIDED) != 0;
        flipped->bytes[i] = pred->m->bytes[i] ^ (unknown ? 1 : 0);
        undecided += unknown;
    }
    rc = pick_value(call, pred, flipped->bytes, arms, dims, rank, &other, err);
    if (rc == OC_OK && undecided > 0) {
        oc__call_note(call, "undecided_predicate", undecided);
        rc = oc__value_hull(&call->out[0], other, err);
    }
    oc__value_release(other);
    oc__plane_release(flipped);
    return rc;
}

oc_status oc__select_run(oc__call *call, oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    if (call->op->operand_count != 3 || call->op->result_count != 1 ||
        call->in[0]->kind != OC__HLO_TENSOR || call->in[0]->dtype != OC_PRED ||
        call->in[1]->kind != OC__HLO_TENSOR || call->in[2]->kind != OC__HLO_TENSOR ||
        call->in[1]->dtype != call->in[2]->dtype) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "takes an i1 tensor and two tensors of one type");
    }
    const oc__value *pred = call->in[0], *arms[2] = {call->in[1], call->in[2]};
    oc_status rc = oc__elementwise_dims(call, true, dims, &rank, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (pred->count == 1 && !pred->f && arms[0]->count == arms[1]->count) {
        oc__value *picked = call->in[pred->m->bytes[0] ? 1 : 2];
        return oc__value_reshaped(picked, picked->dims, picked->rank, &call->out[0],
                                  err);
    }
    rc = pick_value(call, pred, pred->m->bytes, arms, dims, rank, &call->out[0], err);
    if (rc == OC_OK && pred->f) {
        rc = widen(call, arms, dims, rank, err);
    }
    return rc;
}
