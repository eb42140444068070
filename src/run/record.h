/* What both kinds of run write down alike. Text is kept in the receipt's pool. */
#ifndef ONCHIP_RUN_RECORD_H
#define ONCHIP_RUN_RECORD_H

#include "device/device.h"
#include "receipt/receipt.h"
#include "receipt/receipt_pool.h"

/* Opens a device of which `needed` addressable ones must be there (OC_UNAVAILABLE at
 * boundary discovery). virtual_cpus: how many a CPU client is to have, 0: its default.
 * *out_device may be there when this fails, with what was learned. */
OC_MUST_USE oc_status oc__record_open(const char *platform, const char *plugin,
                                      int64_t virtual_cpus, size_t needed,
                                      int64_t timeout_ms, oc_device **out_device,
                                      oc_error *err);

/* The addressable device of this number, counted from 0; NULL when there is none. */
const oc_device_info *oc__record_device(const oc_platform_info *info, size_t number);

/* Plugin and platform, as far as they are known. */
void oc__record_versions(oc__receipt_pool *pool, const oc_platform_info *info,
                         oc__versions *out_versions);

/* The compile options: their text, and their bytes as hexadecimal. */
void oc__record_options(oc__receipt_pool *pool, const oc__device_compile_options *used,
                        const char **out_text, const char **out_hex);

#endif
