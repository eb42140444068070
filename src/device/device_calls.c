#include "device/device_inner.h"

#include "pjrt/compile_options.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS_BYTES = 1 << 20 };

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

static json_t *number_list(const int64_t *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_integer(numbers[i]));
    }
    return list;
}

static oc_status read_outputs(const oc__message *reply, int64_t *out_outputs,
                              size_t output_count, oc_error *err)
{
    const json_t *outputs = json_object_get(reply->json, "outputs");
    if (json_array_size(outputs) != output_count) {
        return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_EXECUTE,
                       "the program gave %zu outputs, must be %zu",
                       json_array_size(outputs), output_count);
    }
    for (size_t i = 0; i < output_count; i++) {
        out_outputs[i] = json_integer_value(json_array_get(outputs, i));
    }
    return OC_OK;
}

oc_status oc_device_execute(oc_device *device, int64_t program, const int64_t *args,
                            size_t devices, size_t args_per_device,
                            int64_t *out_outputs, size_t output_count, oc_error *err)
{
    oc__message reply = {0};
    json_t *request = json_pack("{s:s s:I s:I s:o}", "op", "execute", "program",
                                (json_int_t)program, "devices", (json_int_t)devices,
                                "args", number_list(args, devices * args_per_device));
    oc_status rc = oc__channel_call(&device->channel, request, NULL, 0,
                                    OC_BOUNDARY_EXECUTE, &reply, err);
    if (rc == OC_OK) {
        rc = read_outputs(&reply, out_outputs, output_count, err);
    }
    oc__message_free(&reply);
    return rc;
}

static oc_status unpack_output(oc__message *reply, oc_device_output *out, oc_error *err)
{
    const char *platform = json_string_value(json_object_get(reply->json, "platform"));
    const char *owner = json_string_value(json_object_get(reply->json, "device"));
    const char *memory = json_string_value(json_object_get(reply->json, "memory"));
    if (!platform || !owner || !memory) {
        return OC_FAIL(err, OC_CHILD, OC_BOUNDARY_PLACEMENT,
                       "the plugin's process does not say where a buffer lies");
    }
    oc_status rc = oc__message_take_array(reply, &out->tensor, err);
    if (rc != OC_OK) {
        return rc;
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

oc_status oc__device_step(oc_device *device, const oc__device_step_request *step,
                          int64_t *out_outputs, oc_device_output *out_fetched,
                          oc_error *err)
{
    oc__message reply = {0};
    *out_fetched = (oc_device_output){0};
    json_t *request = json_pack("{s:s s:I s:i s:o s:I s:o}", "op", "execute", "program",
                                (json_int_t)step->program, "devices", 1, "args",
                                number_list(step->args, step->arg_count), "fetch",
                                (json_int_t)step->fetch, "buffers",
                                number_list(step->freed, step->freed_count));
    oc_status rc = oc__channel_call(&device->channel, request, NULL, 0,
                                    OC_BOUNDARY_EXECUTE, &reply, err);
    if (rc == OC_OK) {
        rc = read_outputs(&reply, out_outputs, step->output_count, err);
    }
    if (rc == OC_OK) {
        rc = unpack_output(&reply, out_fetched, err);
    }
    if (rc != OC_OK) {
        oc_device_output_free(out_fetched);
    }
    oc__message_free(&reply);
    return rc;
}

oc_status oc_device_free(oc_device *device, const int64_t *buffers, size_t count,
                         oc_error *err)
{
    oc__message reply = {0};
    json_t *request =
        json_pack("{s:s s:o}", "op", "free", "buffers", number_list(buffers, count));
    oc_status rc = oc__channel_call(&device->channel, request, NULL, 0,
                                    OC_BOUNDARY_TRANSFER, &reply, err);
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
