/* The memory that a document's text lies in: a receipt's, or an audit's evidence. */
#ifndef ONCHIP_RECEIPT_POOL_H
#define ONCHIP_RECEIPT_POOL_H

#include <jansson.h>
#include <stdbool.h>

typedef struct oc__receipt_pool oc__receipt_pool;

oc__receipt_pool *oc__pool_new(void); /* NULL: out of memory */
void oc__pool_free(oc__receipt_pool *pool);

/* As oc__receipt_keep. */
const char *oc__pool_keep(oc__receipt_pool *pool, const char *text);

/* Shares `document`, so that text may point into it. */
void oc__pool_keep_document(oc__receipt_pool *pool, json_t *document);

/* Memory ran out on the way: the document lacks something and must not be written. */
void oc__pool_fail(oc__receipt_pool *pool);
bool oc__pool_failed(const oc__receipt_pool *pool);

#endif
