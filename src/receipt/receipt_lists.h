/* The lists that receipts of both kinds have: malloc'd items that belong to the
 * receipt, their text in its pool. A list that memory runs out for stays as it is, and
 * the pool is marked. */
#ifndef ONCHIP_RECEIPT_LISTS_H
#define ONCHIP_RECEIPT_LISTS_H

#include "receipt/receipt.h"
#include "receipt/receipt_pool.h"

/* A `value` of NULL was not seen and is not added. */
void oc__list_evidence(oc__receipt_pool *pool, oc__evidence **items, size_t *count,
                       const char *basis, const char *what, const char *value);
void oc__list_control(oc__receipt_pool *pool, oc__control **items, size_t *count,
                      const char *name, const char *verdict, bool refuted,
                      const char *detail);
void oc__list_claim(oc__receipt_pool *pool, oc__claim **items, size_t *count,
                    const oc__claim *claim);

/* UNKNOWN, "not_reached": what a receipt begins with. */
oc__judgement oc__judgement_not_reached(void);

#endif
