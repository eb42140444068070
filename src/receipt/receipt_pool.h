/* What the reader and the writer know of a receipt's memory beyond receipt.h. */
#ifndef ONCHIP_RECEIPT_POOL_H
#define ONCHIP_RECEIPT_POOL_H

#include "receipt/receipt.h"

#include <jansson.h>

/* The receipt shares `document`, so that its text may point into it. */
void oc__receipt_keep_document(oc__receipt *receipt, json_t *document);

/* Memory ran out on the way: the receipt lacks something and must not be written. */
bool oc__receipt_failed(const oc__receipt *receipt);

#endif
