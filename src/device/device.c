#include "device/device.h"

#include "base/file.h"
#include "device/channel.h"
#include "device/device_info.h"
#include "device/device_os.h"
#include "onchip/plugin.h"
#include "pjrt/compile_options.h"

#include <stdlib.h>
#include <string.h>

struct oc_device {
    oc__channel channel;
    oc__device_record *record;
};

enum { MAX_OPTIONS_BYTES = 1 << 20, STOP_MS = 2000 };

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

static oc_status broken_reply(const char *op, oc_boundary boundary, oc_error *err)
{
    return OC_FAIL(err, OC_CHILD, boundary,
                   "the plugin's process gave a %s reply that "
                   "makes no sense",
                   op);
}

oc_status oc__device_compile(oc_device *device, const oc_device_program *program,
                             const char *const *codes, size_t count,
                             int64_t *out_programs,
                             oc__device_compile_options *out_options, oc_error *err)
{
    oc__message reply = {0};
    oc__device_compile_options options;
    oc__strbuf blob;
    json_t *sizes = json_array();
    oc__strbuf_init(&options.bytes, MAX_OPTIONS_BYTES);
    oc__strbuf_init(&options.text, MAX_OPTIONS_BYTES);
    oc__strbuf_init(&blob, SIZE_MAX / 2);
    oc__compile_request request = {.replicas = program->replicas,
                                   .partitions =
                                       program->partitions ? program->partitions : 1,
                                   .device_ids = program->device_ids,
                                   .parameters = program->parameters,
                                   .overrides = program->xla_options,
                                   .override_count = program->xla_option_count};
    oc_status rc = oc__compile_options(&request, &options.bytes, &options.text, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__strbuf_add(&blob, options.bytes.data, options.bytes.size);
    for (size_t i = 0; i < count; i++) {
        out_programs[i] = -1;
        oc__strbuf_add(&blob, codes[i], strlen(codes[i]));
        json_array_append_new(sizes, json_integer((json_int_t)strlen(codes[i])));
    }
    if (blob.failed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_COMPILE, "out of memory");
        goto done;
    }
    rc =
        oc__channel_call(&device->channel,
                         json_pack("{s:s s:I s:O}", "op", "compile", "options_size",
                                   (json_int_t)options.bytes.size, "code_sizes", sizes),
                         blob.data, blob.size, OC_BOUNDARY_COMPILE, &reply, err);
    const json_t *ids = json_object_get(reply.json, "programs");
    for (size_t i = 0; rc == OC_OK && i < count; i++) {
        out_programs[i] = json_integer_value(json_array_get(ids, i));
    }
    if (out_options) {
        *out_options = options;
        options = (oc__device_compile_options){0};
    }
done:
    json_decref(sizes);
    oc__message_free(&reply);
    oc__strbuf_free(&blob);
    oc__strbuf_free(&options.text);
    oc__strbuf_free(&options.bytes);
    return rc;
}

oc_status oc_device_compile(oc_device *device, const oc_device_program *program,
                            int64_t *out_program, oc_error *err)
{
    return oc__device_compile(device, program, &program->code, 1, out_program, NULL,
                              err);
}

oc_status oc_device_put(oc_device *device, const oc_tensor *tensor, size_t addressable,
                        int64_t *out_buffer, oc_error *err)
{
    oc__message reply = {0};
    json_t *dims = json_array();
    *out_buffer = -1;
    for (size_t i = 0; i < tensor->rank; i++) {
        json_array_append_new(dims, json_integer(tensor->dims[i]));
    }
    json_t *request =
        json_pack("{s:s s:i s:o s:I}", "op", "put", "dtype", (int)tensor->dtype, "dims",
                  dims, "device", (json_int_t)addressable);
    oc_status rc =
        oc__channel_call(&device->channel, request, tensor->data, tensor->size_bytes,
                         OC_BOUNDARY_TRANSFER, &reply, err);
    if (rc == OC_OK) {
        *out_buffer = json_integer_value(json_object_get(reply.json, "buffer"));
    }
    oc__message_free(&reply);
    return rc;
}

oc_status oc_device_execute(oc_device *device, int64_t program, const int64_t *args,
                            size_t devices, size_t args_per_device,
                            int64_t *out_outputs, size_t output_count, oc_error *err)
{
    oc__message reply = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < devices * args_per_device; i++) {
        json_array_append_new(list, json_integer(args[i]));
    }
    json_t *request =
        json_pack("{s:s s:I s:I s:o}", "op", "execute", "program", (json_int_t)program,
                  "devices", (json_int_t)devices, "args", list);
    oc_status rc = oc__channel_call(&device->channel, request, NULL, 0,
                                    OC_BOUNDARY_EXECUTE, &reply, err);
    const json_t *outputs = json_object_get(reply.json, "outputs");
    if (rc == OC_OK && json_array_size(outputs) != output_count) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                     "the program gave %zu outputs, must be %zu",
                     json_array_size(outputs), output_count);
    }
    for (size_t i = 0; rc == OC_OK && i < output_count; i++) {
        out_outputs[i] = json_integer_value(json_array_get(outputs, i));
    }
    oc__message_free(&reply);
    return rc;
}

static oc_status unpack_output(const oc__message *reply, oc_device_output *out,
                               oc_error *err)
{
    int64_t dims[OC_MAX_RANK];
    const json_t *dims_value = json_object_get(reply->json, "dims");
    size_t rank = json_array_size(dims_value);
    json_int_t dtype = json_integer_value(json_object_get(reply->json, "dtype"));
    const char *platform = json_string_value(json_object_get(reply->json, "platform"));
    const char *owner = json_string_value(json_object_get(reply->json, "device"));
    const char *memory = json_string_value(json_object_get(reply->json, "memory"));
    if (rank > OC_MAX_RANK || !platform || !owner || !memory) {
        return broken_reply("get", OC_BOUNDARY_PLACEMENT, err);
    }
    for (size_t i = 0; i < rank; i++) {
        dims[i] = json_integer_value(json_array_get(dims_value, i));
    }
    oc_status rc = oc_tensor_make((oc_dtype)dtype, dims, rank, &out->tensor, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (out->tensor.size_bytes != reply->blob_size) {
        return broken_reply("get", OC_BOUNDARY_TRANSFER, err);
    }
    if (reply->blob_size > 0) {
        memcpy(out->tensor.data, reply->blob, reply->blob_size);
    }
    out->platform = strdup(platform);
    out->device = strdup(owner);
    out->memory = strdup(memory);
    out->device_listed = json_is_true(json_object_get(reply->json, "device_listed"));
    if (!out->platform || !out->device || !out->memory) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_TRANSFER, "out of memory");
    }
    return OC_OK;
}

oc_status oc_device_get(oc_device *device, int64_t buffer, oc_device_output *out_output,
                        oc_error *err)
{
    oc__message reply = {0};
    *out_output = (oc_device_output){0};
    json_t *request = json_pack("{s:s s:I}", "op", "get", "buffer", (json_int_t)buffer);
    oc_status rc = oc__channel_call(&device->channel, request, NULL, 0,
                                    OC_BOUNDARY_TRANSFER, &reply, err);
    if (rc == OC_OK) {
        rc = unpack_output(&reply, out_output, err);
    }
    if (rc != OC_OK) {
        oc_device_output_free(out_output);
    }
    oc__message_free(&reply);
    return rc;
}

void oc_device_output_free(oc_device_output *output)
{
    oc_tensor_free(&output->tensor);
    free(output->platform);
    free(output->device);
    free(output->memory);
    *output = (oc_device_output){0};
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
