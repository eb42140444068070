/* What both kinds of run write down alike. Text is kept in the receipt's pool. */
#ifndef ONCHIP_RUN_RECORD_H
#define ONCHIP_RUN_RECORD_H

#include "device/device.h"
#include "receipt/receipt.h"
#include "receipt/receipt_pool.h"

/* Plugin and platform, as far as they are known. */
void oc__record_versions(oc__receipt_pool *pool, const oc_platform_info *info,
                         oc__versions *out_versions);

/* The compile options: their text, and their bytes as hexadecimal. */
void oc__record_options(oc__receipt_pool *pool, const oc__device_compile_options *used,
                        const char **out_text, const char **out_hex);

#endif
