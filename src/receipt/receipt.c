/* The receipt's memory: the struct and its lists. */
#include "receipt/receipt.h"
#include "receipt/receipt_lists.h"

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
    receipt->pool = pool;
    receipt->numeric = oc__judgement_not_reached();
    receipt->placement = oc__judgement_not_reached();
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

void oc__receipt_add_evidence(oc__receipt *receipt, const char *basis, const char *what,
                              const char *value)
{
    oc__list_evidence(receipt->pool, &receipt->evidence, &receipt->evidence_count,
                      basis, what, value);
}

void oc__receipt_add_control(oc__receipt *receipt, const char *name,
                             const char *verdict, bool refuted, const char *detail)
{
    oc__list_control(receipt->pool, &receipt->controls, &receipt->control_count, name,
                     verdict, refuted, detail);
}

void oc__receipt_add_claim(oc__receipt *receipt, const char *statement,
                           const char *status, const char *evidence)
{
    const oc__claim claim = {statement, status, evidence};
    oc__list_claim(receipt->pool, &receipt->claims, &receipt->claim_count, &claim);
}
