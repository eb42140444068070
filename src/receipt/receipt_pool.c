#include "receipt/receipt_pool.h"

#include "base/utf8.h"

#include <stdlib.h>

typedef struct kept_text {
    struct kept_text *next;
    char text[];
} kept_text;

struct oc__receipt_pool {
    kept_text *texts;
    json_t *document; /* what a document that was read points into */
    bool failed;
};

oc__receipt_pool *oc__pool_new(void)
{
    return calloc(1, sizeof(oc__receipt_pool));
}

void oc__pool_free(oc__receipt_pool *pool)
{
    if (!pool) {
        return;
    }
    for (kept_text *text = pool->texts; text;) {
        kept_text *next = text->next;
        free(text);
        text = next;
    }
    json_decref(pool->document);
    free(pool);
}

const char *oc__pool_keep(oc__receipt_pool *pool, const char *text)
{
    if (!text) {
        return NULL;
    }
    size_t size = oc__utf8_clean(text, NULL);
    kept_text *kept = malloc(sizeof *kept + size);
    if (!kept) {
        pool->failed = true;
        return NULL;
    }
    oc__utf8_clean(text, kept->text);
    kept->next = pool->texts;
    pool->texts = kept;
    return kept->text;
}

void oc__pool_keep_document(oc__receipt_pool *pool, json_t *document)
{
    json_decref(pool->document);
    pool->document = json_incref(document);
}

void oc__pool_fail(oc__receipt_pool *pool)
{
    pool->failed = true;
}

bool oc__pool_failed(const oc__receipt_pool *pool)
{
    return pool->failed;
}
