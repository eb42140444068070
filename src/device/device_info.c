#include "device/device_info.h"

#include "base/hash.h"
#include "device/elf_file.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof((oc__device_record *)0)->sha256 == OC__SHA256_HEX,
               "a SHA-256 fits");
_Static_assert(sizeof((oc__device_record *)0)->build_id == OC__BUILD_ID_HEX,
               "a build id fits");

oc_status oc__device_record_plugin(oc__device_record *record, const oc_plugin *plugin,
                                   oc_error *err)
{
    record->plugin = *plugin;
    const char *name = strrchr(record->plugin.path, '/');
    record->info.requested = record->plugin.platform;
    record->info.plugin_path = record->plugin.path;
    record->info.plugin_name = name ? name + 1 : record->plugin.path;
    record->info.plugin_source = record->plugin.source;
    oc_status rc = oc__elf_inspect(record->plugin.path, record->build_id, err);
    if (rc == OC_OK) {
        rc = oc__sha256_file(record->plugin.path, record->sha256, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    record->info.plugin_sha256 = record->sha256;
    record->info.plugin_build_id = record->build_id[0] ? record->build_id : NULL;
    return OC_OK;
}

static const char *text_member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static int64_t int_member(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static oc_status nonsense(oc_boundary boundary, oc_error *err)
{
    return OC_FAIL(err, OC_CHILD, boundary,
                   "the plugin's process gave a reply that makes no sense");
}

oc_status oc__device_record_load(oc__device_record *record, json_t *reply,
                                 oc_error *err)
{
    record->load_reply = json_incref(reply);
    record->info.pjrt_api = text_member(reply, "api");
    return record->info.pjrt_api ? OC_OK : nonsense(OC_BOUNDARY_PLUGIN, err);
}

static bool fill_device(const json_t *value, oc_device_info *out,
                        const char ***next_memory)
{
    *out = (oc_device_info){.id = int_member(value, "id"),
                            .process_index = int_member(value, "process_index"),
                            .local_hardware_id = int_member(value, "local_hardware_id"),
                            .kind = text_member(value, "kind"),
                            .string = text_member(value, "string"),
                            .addressable =
                                json_is_true(json_object_get(value, "addressable")),
                            .memories = *next_memory,
                            .default_memory = text_member(value, "default_memory"),
                            .default_memory_bytes = int_member(value, "bytes_limit")};
    const json_t *memories = json_object_get(value, "memories");
    for (size_t i = 0; i < json_array_size(memories); i++) {
        const char *kind = json_string_value(json_array_get(memories, i));
        *(*next_memory)++ = kind ? kind : "";
        out->memory_count++;
    }
    return out->kind && out->string && out->default_memory;
}

/* The number of different process indices among the devices. */
static int64_t count_processes(const oc_device_info *devices, size_t count)
{
    int64_t processes = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = devices[j].process_index == devices[i].process_index;
        }
        processes += seen ? 0 : 1;
    }
    return processes;
}

oc_status oc__device_record_init(oc__device_record *record, json_t *reply,
                                 oc_error *err)
{
    oc_platform_info *info = &record->info;
    const json_t *devices = json_object_get(reply, "devices");
    size_t count = json_array_size(devices);
    size_t memory_count = 0;
    record->init_reply = json_incref(reply);
    for (size_t i = 0; i < count; i++) {
        memory_count +=
            json_array_size(json_object_get(json_array_get(devices, i), "memories"));
    }
    record->devices = calloc(count + 1, sizeof *record->devices);
    record->memories = calloc(memory_count + 1, sizeof *record->memories);
    if (!record->devices || !record->memories) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_DISCOVERY, "out of memory");
    }
    const char *stablehlo = text_member(reply, "stablehlo");
    info->platform_name = text_member(reply, "platform");
    info->platform_version = text_member(reply, "platform_version");
    info->stablehlo = stablehlo && *stablehlo ? stablehlo : NULL;
    info->process_index = int_member(reply, "process_index");
    if (!info->platform_name || !info->platform_version) {
        return nonsense(OC_BOUNDARY_DISCOVERY, err);
    }
    const char **next_memory = record->memories;
    for (size_t i = 0; i < count; i++) {
        if (!fill_device(json_array_get(devices, i), &record->devices[i],
                         &next_memory)) {
            return nonsense(OC_BOUNDARY_DISCOVERY, err);
        }
        info->addressable_count += record->devices[i].addressable ? 1 : 0;
    }
    info->devices = record->devices;
    info->device_count = count;
    info->process_count = count_processes(record->devices, count);
    return OC_OK;
}

void oc__device_record_free(oc__device_record *record)
{
    if (record) {
        json_decref(record->load_reply);
        json_decref(record->init_reply);
        free(record->devices);
        free(record->memories);
        free(record);
    }
}

/* An oc_platform_info that is given away is the first member of its record. */
_Static_assert(offsetof(oc__device_record, info) == 0, "info stands first");

void oc_platform_info_free(oc_platform_info *info)
{
    oc__device_record_free((oc__device_record *)(void *)info);
}

static json_t *device_json(const oc_device_info *device)
{
    json_t *memories = json_array();
    for (size_t i = 0; i < device->memory_count; i++) {
        bool is_default = strcmp(device->memories[i], device->default_memory) == 0;
        bool sized = is_default && device->default_memory_bytes >= 0;
        json_array_append_new(
            memories, json_pack("{s:s s:b s:o}", "kind", device->memories[i], "default",
                                (int)is_default, "size_bytes",
                                sized ? json_integer(device->default_memory_bytes)
                                      : json_null()));
    }
    return json_pack("{s:I s:s s:s s:I s:o s:b s:o}", "id", (json_int_t)device->id,
                     "kind", device->kind, "string", device->string, "process_index",
                     (json_int_t)device->process_index, "local_hardware_id",
                     device->local_hardware_id >= 0
                         ? json_integer(device->local_hardware_id)
                         : json_null(),
                     "addressable", (int)device->addressable, "memories", memories);
}

char *oc_platform_info_json(const oc_platform_info *info)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < info->device_count; i++) {
        json_array_append_new(devices, device_json(&info->devices[i]));
    }
    json_t *root = json_pack(
        "{s:s s:s s:s s:I s:I s:s? s:s? s:{s:o s:o s:o s:s s:s?} s:o}", "requested",
        info->requested, "platform", info->platform_name, "platform_version",
        info->platform_version, "process_index", (json_int_t)info->process_index,
        "process_count", (json_int_t)info->process_count, "pjrt_api", info->pjrt_api,
        "stablehlo", info->stablehlo, "plugin", "name",
        oc__json_string(info->plugin_name), "path", oc__json_string(info->plugin_path),
        "source", oc__json_string(info->plugin_source), "sha256", info->plugin_sha256,
        "build_id", info->plugin_build_id, "devices", devices);
    char *text = root ? oc__json_text(root) : NULL;
    json_decref(root);
    return text;
}
