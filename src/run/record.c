#include "run/record.h"

#include <stdlib.h>

void oc__record_versions(oc__receipt_pool *pool, const oc_platform_info *info,
                         oc__versions *out_versions)
{
    out_versions->plugin_name = oc__pool_keep(pool, info->plugin_name);
    out_versions->plugin_sha256 = oc__pool_keep(pool, info->plugin_sha256);
    out_versions->plugin_build_id = oc__pool_keep(pool, info->plugin_build_id);
    out_versions->pjrt_api = oc__pool_keep(pool, info->pjrt_api);
    out_versions->stablehlo = oc__pool_keep(pool, info->stablehlo);
    out_versions->platform_version = oc__pool_keep(pool, info->platform_version);
}

void oc__record_options(oc__receipt_pool *pool, const oc__device_compile_options *used,
                        const char **out_text, const char **out_hex)
{
    char *hex = malloc(used->bytes.size * 2 + 1);
    if (hex) {
        oc__hex_encode(used->bytes.data, used->bytes.size, hex);
    } else {
        oc__pool_fail(pool);
    }
    *out_text = oc__pool_keep(pool, used->text.data);
    *out_hex = oc__pool_keep(pool, hex);
    free(hex);
}
