/* The receipt's memory: the struct, its lists and the pool that owns its text. */
#include "base/utf8.h"
#include "receipt/receipt_pool.h"

#include "base/json.h"
#include "onchip/version.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept_text {
    struct kept_text *next;
    char text[];
} kept_text;

struct oc__receipt_pool {
    kept_text *texts;
    json_t *document; /* what a receipt that was read points into */
    bool failed;
};

const char *oc__execution_name(oc__execution which)
{
    static const char *const names[OC__EXECUTIONS] = {
        [OC__PREDICTION] = "prediction",
        [OC__CHANGED_BIAS] = "changed_bias",
        [OC__ROW_REVERSAL] = "row_reversal",
    };
    OC_ASSERT((size_t)which < OC__EXECUTIONS);
    return names[which];
}

oc__receipt *oc__receipt_new(void)
{
    oc__receipt *receipt = calloc(1, sizeof *receipt);
    struct oc__receipt_pool *pool = calloc(1, sizeof *pool);
    if (!receipt || !pool) {
        free(receipt);
        free(pool);
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
    for (kept_text *text = receipt->pool->texts; text;) {
        kept_text *next = text->next;
        free(text);
        text = next;
    }
    json_decref(receipt->pool->document);
    free(receipt->pool);
    free(receipt->evidence);
    free(receipt->controls);
    free(receipt->claims);
    free(receipt);
}

void oc__receipt_keep_document(oc__receipt *receipt, json_t *document)
{
    json_decref(receipt->pool->document);
    receipt->pool->document = json_incref(document);
}

bool oc__receipt_failed(const oc__receipt *receipt)
{
    return receipt->pool->failed;
}

const char *oc__receipt_keep(oc__receipt *receipt, const char *text)
{
    if (!text) {
        return NULL;
    }
    size_t size = oc__utf8_clean(text, NULL);
    kept_text *kept = malloc(sizeof *kept + size);
    if (!kept) {
        receipt->pool->failed = true;
        return NULL;
    }
    oc__utf8_clean(text, kept->text);
    kept->next = receipt->pool->texts;
    receipt->pool->texts = kept;
    return kept->text;
}

const char *oc__receipt_keepf(oc__receipt *receipt, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        receipt->pool->failed = true;
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
        receipt->pool->failed = true;
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
