#include "run/record.h"

#include <stdlib.h>
#include <string.h>

oc_status oc__record_open(const char *platform, const char *plugin,
                          int64_t virtual_cpus, size_t needed, int64_t timeout_ms,
                          oc_device **out_device, oc_error *err)
{
    oc_device_options wanted = {
        .platform = platform,
        .plugin = plugin,
        .cpu_devices =
            virtual_cpus > 0 && strcmp(platform, "cpu") == 0 ? virtual_cpus : 0,
        .timeout_ms = timeout_ms};
    oc_status rc = oc_device_open(&wanted, out_device, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc_platform_info *info = oc_device_platform(*out_device);
    if (info->addressable_count < needed) {
        return OC_FAIL(err, OC_UNAVAILABLE, OC_BOUNDARY_DISCOVERY,
                       "the %s client has %zu addressable devices; %zu are needed",
                       info->platform_name, info->addressable_count, needed);
    }
    return OC_OK;
}

const oc_device_info *oc__record_device(const oc_platform_info *info, size_t number)
{
    for (size_t i = 0; i < info->device_count; i++) {
        if (info->devices[i].addressable && number-- == 0) {
            return &info->devices[i];
        }
    }
    return NULL;
}

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
