#include "receipt/receipt_lists.h"

#include <stdlib.h>

/* Room for one more item; NULL (and the pool is marked) when memory runs out. */
static void *grow(oc__receipt_pool *pool, void *items, size_t *count, size_t item_size)
{
    size_t size = 0;
    void *grown =
        oc__size_mul(*count + 1, item_size, &size) ? realloc(items, size) : NULL;
    if (!grown) {
        oc__pool_fail(pool);
        return NULL;
    }
    ++*count;
    return grown;
}

void oc__list_evidence(oc__receipt_pool *pool, oc__evidence **items, size_t *count,
                       const char *basis, const char *what, const char *value)
{
    oc__evidence *grown = value ? grow(pool, *items, count, sizeof **items) : NULL;
    if (grown) {
        *items = grown;
        grown[*count - 1] = (oc__evidence){.basis = oc__pool_keep(pool, basis),
                                           .what = oc__pool_keep(pool, what),
                                           .value = oc__pool_keep(pool, value)};
    }
}

void oc__list_control(oc__receipt_pool *pool, oc__control **items, size_t *count,
                      const char *name, const char *verdict, bool refuted,
                      const char *detail)
{
    oc__control *grown = grow(pool, *items, count, sizeof **items);
    if (grown) {
        *items = grown;
        grown[*count - 1] = (oc__control){.name = oc__pool_keep(pool, name),
                                          .verdict = oc__pool_keep(pool, verdict),
                                          .refuted = refuted,
                                          .detail = oc__pool_keep(pool, detail)};
    }
}

void oc__list_claim(oc__receipt_pool *pool, oc__claim **items, size_t *count,
                    const oc__claim *claim)
{
    oc__claim *grown = grow(pool, *items, count, sizeof **items);
    if (grown) {
        *items = grown;
        grown[*count - 1] =
            (oc__claim){.statement = oc__pool_keep(pool, claim->statement),
                        .status = oc__pool_keep(pool, claim->status),
                        .evidence = oc__pool_keep(pool, claim->evidence)};
    }
}

oc__judgement oc__judgement_not_reached(void)
{
    return (oc__judgement){.verdict = OC_UNKNOWN,
                           .reason = "not_reached",
                           .detail = "the run did not get that far"};
}
