#include "device/device_inner.h"

#include "device/device_os.h"
#include "onchip/plugin.h"

#include <stdlib.h>
#include <string.h>

enum { STOP_MS = 2000 };

/* libtpu without these asks a metadata server for most of an hour, writes log files and
 * refuses to stand beside another process; on a TPU VM the machine's own settings are
 * right. A variable that the user has set stays. */
static const char *const libtpu_environment[] = {
    "TPU_SKIP_MDS_QUERY=1",
    "TPU_WORKER_HOSTNAMES=localhost",
    "TPU_ACCELERATOR_TYPE=v5litepod-4",
    "ALLOW_MULTIPLE_LIBTPU_LOAD=1",
    "TPU_MIN_LOG_LEVEL=3",
};
enum { LIBTPU_VARIABLES = sizeof libtpu_environment / sizeof *libtpu_environment };

static void choose_environment(const oc_plugin *plugin,
                               const char *out_environment[LIBTPU_VARIABLES + 1])
{
    size_t count = 0;
    const char *name = strrchr(plugin->path, '/');
    bool is_libtpu =
        strcmp(plugin->platform, "tpu") == 0 || (name && strstr(name, "libtpu"));
    for (size_t i = 0; is_libtpu && i < LIBTPU_VARIABLES; i++) {
        char variable[64] = "";
        memcpy(variable, libtpu_environment[i], strcspn(libtpu_environment[i], "="));
        if (!getenv(variable)) {
            out_environment[count++] = libtpu_environment[i];
        }
    }
    if (is_libtpu && count > 0 && oc__os_has_tpu()) {
        count = 0;
    }
    out_environment[count] = NULL;
}

static oc_status start(oc_device *device, const oc_device_options *options,
                       oc_error *err)
{
    oc_plugin plugin;
    const char *environment[LIBTPU_VARIABLES + 1];
    oc__message reply = {0};
    oc_status rc = oc_plugin_find(options->platform, options->plugin, &plugin, err);
    if (rc != OC_OK) {
        return rc;
    }
    rc = oc__device_record_plugin(device->record, &plugin, err);
    if (rc != OC_OK) {
        return rc;
    }
    choose_environment(&plugin, environment);
    rc = oc__channel_open(&device->channel, environment, options->timeout_ms, err);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t start_us = oc__now_us();
    rc = oc__channel_call(&device->channel, json_pack("{s:s}", "op", "load"),
                          plugin.path, strlen(plugin.path), OC_BOUNDARY_PLUGIN, &reply,
                          err);
    if (rc == OC_OK) {
        rc = oc__device_record_load(device->record, reply.json, err);
    }
    oc__message_free(&reply);
    if (rc != OC_OK) {
        return rc;
    }
    int64_t loaded_us = oc__now_us();
    device->record->info.load_us = loaded_us - start_us;
    rc = oc__channel_call(&device->channel,
                          json_pack("{s:s s:I}", "op", "init", "cpu_devices",
                                    (json_int_t)options->cpu_devices),
                          NULL, 0, OC_BOUNDARY_INIT, &reply, err);
    if (rc == OC_OK) {
        rc = oc__device_record_init(device->record, reply.json, err);
        device->record->info.init_us = oc__now_us() - loaded_us;
    }
    oc__message_free(&reply);
    return rc;
}

oc_status oc_device_open(const oc_device_options *options, oc_device **out_device,
                         oc_error *err)
{
    oc_device *device = calloc(1, sizeof *device);
    *out_device = device;
    if (!device || !(device->record = calloc(1, sizeof *device->record))) {
        free(device);
        *out_device = NULL;
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
    }
    device->channel =
        (oc__channel){.worker = {.pidfd = -1}, .socket = -1, .log_fd = -1};
    return start(device, options, err);
}

void oc_device_close(oc_device *device)
{
    if (!device) {
        return;
    }
    oc__message reply = {0};
    if (device->channel.socket >= 0 && !device->channel.broken) {
        // A device is given back in good order, but a plugin that hangs on the way out
        // is not waited for.
        device->channel.deadline = oc__deadline_in(STOP_MS);
        oc__ignore(oc__channel_call(&device->channel, json_pack("{s:s}", "op", "stop"),
                                    NULL, 0, OC_BOUNDARY_NONE, &reply, NULL));
        oc__message_free(&reply);
    }
    oc__channel_close(&device->channel);
    oc__device_record_free(device->record);
    free(device);
}

void oc_device_set_timeout(oc_device *device, int64_t timeout_ms)
{
    device->channel.deadline = oc__deadline_in(timeout_ms);
    device->channel.timeout_ms = timeout_ms;
}

const oc_platform_info *oc_device_platform(const oc_device *device)
{
    return &device->record->info;
}

oc_status oc_platform_describe(const oc_device_options *options,
                               oc_platform_info **out_info, oc_error *err)
{
    oc_device *device = NULL;
    *out_info = NULL;
    oc_status rc = oc_device_open(options, &device, err);
    if (rc == OC_OK && device) {
        *out_info = &device->record->info;
        device->record = NULL;
    }
    oc_device_close(device);
    return rc;
}

const oc__strbuf *oc__device_log(const oc_device *device)
{
    return &device->channel.log;
}

void oc__device_observe(const oc_device *device, oc__observation *visit, void *context)
{
    pid_t pid = device->channel.worker.pid;
    if (pid > 0) {
        oc__os_device_nodes(pid, visit, context);
        oc__os_mapped_file(pid, device->record->info.plugin_path, visit, context);
    }
    oc__os_pci_accelerators(visit, context);
}
