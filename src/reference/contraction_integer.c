#include "reference/contraction.h"
#include "reference/lanes.h"
#include "reference/round.h"

#include <stdlib.h>

enum { COLUMNS = 32, TICK_WORK = 1 << 26 }; /* vectors that stay near while rows pass */

OC__CLONES static uint64_t dot(const oc__lane *a, const oc__lane *b, size_t n)
{
    uint64_t sums[4] = {0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        for (size_t i = 0; i < 4; i++) {
            sums[i] += a[k + i].u * b[k + i].u;
        }
    }
    for (; k < n; k++) {
        sums[0] += a[k].u * b[k].u;
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

typedef struct operand {
    oc__lane *lanes;
    uint8_t *flags; /* of every vector; NULL: none */
} operand;

static oc_status load(const oc__value *value, size_t length, operand *out,
                      oc_error *err)
{
    const uint8_t *f = oc__f(value);
    size_t vectors = length > 0 ? value->count / length : 0;
    *out = (operand){.lanes = malloc((value->count + 1) * sizeof(oc__lane)),
                     .flags = f ? calloc(vectors + 1, 1) : NULL};
    if (!out->lanes || (f && !out->flags)) {
        return oc__no_memory(err);
    }
    oc__lanes_load(value->dtype, value->m->bytes, 0, value->count, out->lanes);
    for (size_t i = 0; f && i < vectors * length; i++) {
        out->flags[i / length] |= f[i] & (OC__F_STICKY | OC__F_UNDECIDED);
    }
    return OC_OK;
}

static oc_status run_strip(oc__call *call, const operand *a, const operand *b,
                           size_t length, const oc__strip *strip, oc__value *out,
                           size_t *work, oc_error *err)
{
    uint8_t *f = oc__f(out);
    for (size_t j0 = 0; j0 < strip->columns; j0 += COLUMNS) {
        size_t left = strip->columns - j0, columns = left < COLUMNS ? left : COLUMNS;
        for (size_t i = 0; i < strip->rows; i++) {
            size_t av = strip->a0 + i;
            for (size_t j = j0; j < j0 + columns; j++) {
                size_t bv = strip->b0 + j;
                size_t to =
                    strip->start + i * strip->row_stride + j * strip->column_stride;
                oc__lane sum = {
                    .u = dot(a->lanes + av * length, b->lanes + bv * length, length)};
                oc__lanes_store(out->dtype, &sum, 1, out->m->bytes, to);
                f[to] |= (uint8_t)((a->flags ? a->flags[av] : 0) |
                                   (b->flags ? b->flags[bv] : 0));
            }
            *work += columns * (length + 1);
            if (*work > TICK_WORK) {
                *work = 0;
                oc_status rc = oc__call_tick(call, err);
                if (rc != OC_OK) {
                    return rc;
                }
            }
        }
    }
    return OC_OK;
}

oc_status oc__contract_integers(oc__call *call, const oc__value *lhs,
                                const oc__value *rhs, size_t length,
                                const oc__strip *strips, size_t count, oc__value *out,
                                oc_error *err)
{
    operand a = {0}, b = {0};
    size_t work = 0;
    oc_status rc = load(lhs, length, &a, err);
    if (rc == OC_OK) {
        rc = load(rhs, length, &b, err);
    }
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        rc = run_strip(call, &a, &b, length, &strips[i], out, &work, err);
    }
    free(a.lanes);
    free(a.flags);
    free(b.lanes);
    free(b.flags);
    return rc;
}
