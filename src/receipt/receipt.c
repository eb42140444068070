/* The receipt's memory: the struct and its lists. */
#include "receipt/receipt.h"
#include "receipt/receipt_pool.h"

#include "onchip/version.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const oc__execution_names[OC__EXECUTIONS] = {
    [OC__PREDICTION] = "prediction",
    [OC__CHANGED_BIAS] = "changed_bias",
    [OC__ROW_REVERSAL] = "row_reversal",
};

const char *oc__execution_name(oc__execution which)
{
    OC_ASSERT((size_t)which < OC__EXECUTIONS);
    return oc__execution_names[which];
}

oc__receipt *oc__receipt_new(void)
{
    oc__receipt *receipt = calloc(1, sizeof *receipt);
    oc__receipt_pool *pool = oc__pool_new();
    if (!receipt || !pool) {
        free(receipt);
        oc__pool_free(pool);
        return NULL;
    }
    const oc__judgement not_reached = {.verdict = OC_UNKNOWN,
                                       .reason = "not_reached",
                                       .detail = "the run did not get that far"};
    receipt->pool = pool;
    receipt->numeric = not_reached;
    receipt->placement = not_reached;
    receipt->max_absolute_error = (double)NAN;
    receipt->versions.onchip = ONCHIP_VERSION;
    return receipt;
}

void oc__receipt_free(oc__receipt *receipt)
{
    if (!receipt) {
        return;
    }
    oc__pool_free(receipt->pool);
    free(receipt->evidence);
    free(receipt->controls);
    free(receipt->claims);
    free(receipt);
}

const char *oc__receipt_keep(oc__receipt *receipt, const char *text)
{
    return oc__pool_keep(receipt->pool, text);
}

const char *oc__receipt_keepf(oc__receipt *receipt, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        oc__pool_fail(receipt->pool);
        return NULL;
    }
    const char *kept = oc__receipt_keep(receipt, text);
    free(text);
    return kept;
}

/* Makes room for one more item; NULL (and the receipt is marked) when memory runs out.
 */
static void *list_add(oc__receipt *receipt, void **items, size_t *count,
                      size_t item_size)
{
    size_t size = 0;
    void *grown = NULL;
    if (oc__size_mul(*count + 1, item_size, &size)) {
        grown = realloc(*items, size);
    }
    if (!grown) {
        oc__pool_fail(receipt->pool);
        return NULL;
    }
    *items = grown;
    return (char *)grown + (*count)++ * item_size;
}

void oc__receipt_add_evidence(oc__receipt *receipt, const char *basis, const char *what,
                              const char *value)
{
    if (!value) {
        return;
    }
    const oc__evidence added = {.basis = oc__receipt_keep(receipt, basis),
                                .what = oc__receipt_keep(receipt, what),
                                .value = oc__receipt_keep(receipt, value)};
    void *items = receipt->evidence;
    oc__evidence *slot =
        list_add(receipt, &items, &receipt->evidence_count, sizeof added);
    receipt->evidence = items;
    if (slot) {
        *slot = added;
    }
}

void oc__receipt_add_control(oc__receipt *receipt, const char *name,
                             const char *verdict, bool refuted, const char *detail)
{
    const oc__control added = {.name = oc__receipt_keep(receipt, name),
                               .verdict = oc__receipt_keep(receipt, verdict),
                               .refuted = refuted,
                               .detail = oc__receipt_keep(receipt, detail)};
    void *items = receipt->controls;
    oc__control *slot =
        list_add(receipt, &items, &receipt->control_count, sizeof added);
    receipt->controls = items;
    if (slot) {
        *slot = added;
    }
}

void oc__receipt_add_claim(oc__receipt *receipt, const char *statement,
                           const char *status, const char *evidence)
{
    const oc__claim added = {.statement = oc__receipt_keep(receipt, statement),
                             .status = oc__receipt_keep(receipt, status),
                             .evidence = oc__receipt_keep(receipt, evidence)};
    void *items = receipt->claims;
    oc__claim *slot = list_add(receipt, &items, &receipt->claim_count, sizeof added);
    receipt->claims = items;
    if (slot) {
        *slot = added;
    }
}
