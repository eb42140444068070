#include "device/worker.h"

#include "device/buffers.h"
#include "device/compile_jobs.h"
#include "device/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROGRAMS = 1 << 16, MAX_DEVICES = 1 << 16 };

typedef struct worker {
    oc__pjrt *pjrt;
    oc__pjrt_program *programs;
    size_t program_count;
    oc__buffers buffers;
} worker;

typedef struct request {
    oc__message *message;
    const json_t *json; /* the message's */
    json_t *reply;
    oc_tensor array; /* sent as the reply's blob */
} request;

static oc_status bad_request(const char *what, oc_error *err)
{
    return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "bad request: %s",
                   what);
}

/* A plugin's text has no NUL at its end and may be no UTF-8. */
static json_t *text_value(oc__text text)
{
    char *copy = text.data ? strndup(text.data, text.size) : strdup("");
    json_t *value = copy ? oc__json_string(copy) : NULL;
    free(copy);
    return value;
}

static PJRT_Buffer *find_buffer(const worker *w, const json_t *number)
{
    return json_is_integer(number)
               ? oc__buffers_find(&w->buffers, json_integer_value(number))
               : NULL;
}

static oc_status do_load(worker *w, request *r, oc_error *err)
{
    char *path =
        strndup(r->message->blob ? r->message->blob : "", r->message->blob_size);
    if (!path || w->pjrt) {
        free(path);
        return bad_request("load", err);
    }
    oc_status rc = oc__pjrt_load(path, &w->pjrt, err);
    free(path);
    if (rc == OC_OK) {
        json_object_set_new(r->reply, "api",
                            json_sprintf("%d.%d",
                                         w->pjrt->api->pjrt_api_version.major_version,
                                         w->pjrt->api->pjrt_api_version.minor_version));
    }
    return rc;
}

static json_t *device_value(const worker *w, const oc__pjrt_device_info *info)
{
    json_t *memories = json_array();
    for (size_t i = 0; i < info->memory_count; i++) {
        json_array_append_new(
            memories, text_value(oc__pjrt_memory_kind(w->pjrt, info->memories[i])));
    }
    return json_pack(
        "{s:I s:I s:I s:o s:o s:b s:I s:o s:o}", "id", (json_int_t)info->id,
        "process_index", (json_int_t)info->process_index, "local_hardware_id",
        (json_int_t)info->local_hardware_id, "kind", text_value(info->kind), "string",
        text_value(info->string), "addressable", (int)info->addressable, "bytes_limit",
        (json_int_t)info->bytes_limit, "memories", memories, "default_memory",
        text_value(oc__pjrt_memory_kind(w->pjrt, info->default_memory)));
}

static oc_status do_init(worker *w, request *r, oc_error *err)
{
    json_int_t cpu_devices =
        json_integer_value(json_object_get(r->json, "cpu_devices"));
    if (!w->pjrt || w->pjrt->client) {
        return bad_request("init", err);
    }
    oc__pjrt_identity identity;
    oc_status rc = oc__pjrt_create_client(w->pjrt, cpu_devices, err);
    if (rc == OC_OK) {
        rc = oc__pjrt_identify(w->pjrt, &identity, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    json_t *devices = json_array();
    json_object_set_new(r->reply, "platform", text_value(identity.platform_name));
    json_object_set_new(r->reply, "platform_version",
                        text_value(identity.platform_version));
    json_object_set_new(r->reply, "process_index",
                        json_integer(identity.process_index));
    json_object_set_new(r->reply, "stablehlo", json_string(identity.stablehlo_version));
    json_object_set_new(r->reply, "devices", devices);
    for (size_t i = 0; i < w->pjrt->device_count && rc == OC_OK; i++) {
        oc__pjrt_device_info info;
        rc = oc__pjrt_describe_device(w->pjrt, w->pjrt->devices[i], &info, err);
        if (rc == OC_OK) {
            json_array_append_new(devices, device_value(w, &info));
        }
    }
    return rc;
}

/* Gives the compiled programs their numbers, or frees them all when one has failed. */
static oc_status keep_programs(worker *w, oc__compile_job *jobs, size_t count,
                               json_t *out_ids, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < count && rc == OC_OK; i++) {
        rc = jobs[i].status;
        if (rc != OC_OK && err) {
            *err = jobs[i].err;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (rc != OC_OK) {
            oc__pjrt_program_free(w->pjrt, &jobs[i].program);
        } else {
            json_array_append_new(out_ids, json_integer((json_int_t)w->program_count));
            w->programs[w->program_count++] = jobs[i].program;
        }
    }
    return rc;
}

static oc_status do_compile(worker *w, request *r, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t count = json_array_size(json_object_get(r->json, "code_sizes"));
    json_t *ids = json_array();
    json_object_set_new(r->reply, "programs", ids);
    oc__compile_job *jobs = calloc(count + 1, sizeof *jobs);
    oc__pjrt_program *grown =
        count <= MAX_PROGRAMS - w->program_count
            ? realloc(w->programs, (w->program_count + count + 1) * sizeof *grown)
            : NULL;
    w->programs = grown ? grown : w->programs;
    if (!jobs || !grown) {
        rc = OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_COMPILE,
                     "no room for another program (%d at most)", MAX_PROGRAMS);
    } else if (count == 0 || !w->pjrt || !w->pjrt->client ||
               !oc__compile_jobs_cut(r->json, r->message->blob, r->message->blob_size,
                                     jobs, count)) {
        rc = bad_request("compile", err);
    } else {
        oc__compile_jobs_run(w->pjrt, jobs, count);
        rc = keep_programs(w, jobs, count, ids, err);
    }
    free(jobs);
    return rc;
}

static oc_status do_put(worker *w, request *r, oc_error *err)
{
    json_int_t device = json_integer_value(json_object_get(r->json, "device"));
    if (!w->pjrt || device < 0 || (size_t)device >= w->pjrt->addressable_count) {
        return bad_request("put", err);
    }
    PJRT_Buffer *buffer = NULL;
    int64_t id = 0;
    oc_tensor array;
    oc_status rc = oc__message_take_array(r->message, &array, err);
    if (rc == OC_OK) {
        rc = oc__pjrt_put(w->pjrt, &array, w->pjrt->addressable[device], &buffer, err);
    }
    oc_tensor_free(&array);
    if (rc == OC_OK) {
        rc = oc__buffers_keep(&w->buffers, w->pjrt, buffer, &id, err);
    }
    json_object_set_new(r->reply, "buffer", json_integer((json_int_t)id));
    return rc;
}

/* Reads a buffer into the reply, with what the plugin says of where it lies. */
static oc_status read_buffer(worker *w, request *r, PJRT_Buffer *buffer, oc_error *err)
{
    oc__pjrt_buffer_info info;
    oc__pjrt_identity identity;
    oc__pjrt_device_info device = {.string = {"", 0}};
    oc_status rc = oc__pjrt_describe_buffer(w->pjrt, buffer, &info, err);
    if (rc == OC_OK) {
        rc = oc__pjrt_identify(w->pjrt, &identity, err);
    }
    if (rc == OC_OK && info.device_listed) {
        rc = oc__pjrt_describe_device(w->pjrt, info.device, &device, err);
    }
    if (rc == OC_OK) {
        rc = oc__pjrt_get(w->pjrt, buffer, &r->array, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    json_t *dims = json_array();
    for (size_t i = 0; i < info.rank; i++) {
        json_array_append_new(dims, json_integer(info.dims[i]));
    }
    json_object_set_new(r->reply, "dtype", json_integer((json_int_t)info.dtype));
    json_object_set_new(r->reply, "dims", dims);
    json_object_set_new(r->reply, "platform", text_value(identity.platform_name));
    json_object_set_new(r->reply, "device", text_value(device.string));
    json_object_set_new(r->reply, "device_listed", json_boolean(info.device_listed));
    json_object_set_new(r->reply, "memory", text_value(info.memory_kind));
    return OC_OK;
}

static oc_status do_free(worker *w, request *r, oc_error *err)
{
    const json_t *list = json_object_get(r->json, "buffers");
    oc_status rc = OC_OK;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *number = json_array_get(list, i);
        if (!find_buffer(w, number) ||
            !oc__buffers_drop(&w->buffers, w->pjrt, json_integer_value(number))) {
            rc = bad_request("free: no such buffer", err);
        }
    }
    return rc;
}

static oc_status do_execute(worker *w, request *r, oc_error *err)
{
    json_int_t program_id = json_integer_value(json_object_get(r->json, "program"));
    json_int_t devices = json_integer_value(json_object_get(r->json, "devices"));
    const json_t *args = json_object_get(r->json, "args");
    const json_t *fetch = json_object_get(r->json, "fetch");
    size_t arg_count = json_array_size(args);
    if (program_id < 0 || (size_t)program_id >= w->program_count || devices < 1 ||
        devices > MAX_DEVICES || arg_count % (size_t)devices != 0) {
        return bad_request("execute", err);
    }
    oc_status rc = OC_OK;
    const oc__pjrt_program *program = &w->programs[program_id];
    size_t output_count = (size_t)devices * program->num_outputs;
    PJRT_Buffer **inputs = calloc(arg_count + 1, sizeof(PJRT_Buffer *));
    PJRT_Buffer **outputs = calloc(output_count + 1, sizeof(PJRT_Buffer *));
    int64_t *numbers = calloc(output_count + 1, sizeof *numbers);
    json_t *ids = json_array();
    json_object_set_new(r->reply, "outputs", ids);
    if (!inputs || !outputs || !numbers || !ids) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EXECUTE, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < arg_count; i++) {
        inputs[i] = find_buffer(w, json_array_get(args, i));
        if (!inputs[i]) {
            rc = bad_request("execute: an argument is no buffer", err);
            goto done;
        }
    }
    rc = oc__pjrt_execute(w->pjrt, program, inputs, (size_t)devices,
                          arg_count / (size_t)devices, outputs, err);
    if (rc == OC_OK) {
        rc = oc__buffers_keep_all(&w->buffers, w->pjrt, outputs, output_count, numbers,
                                  err);
    }
    for (size_t i = 0; rc == OC_OK && i < output_count; i++) {
        json_array_append_new(ids, json_integer((json_int_t)numbers[i]));
    }
    if (rc == OC_OK && fetch) {
        PJRT_Buffer *wanted =
            find_buffer(w, json_array_get(ids, (size_t)json_integer_value(fetch)));
        rc = wanted ? read_buffer(w, r, wanted, err)
                    : bad_request("execute: no such output", err);
    }
    if (rc == OC_OK) {
        rc = do_free(w, r, err);
    }
done:
    free(inputs);
    free(outputs);
    free(numbers);
    return rc;
}

static oc_status do_get(worker *w, request *r, oc_error *err)
{
    PJRT_Buffer *buffer = find_buffer(w, json_object_get(r->json, "buffer"));
    if (!buffer) {
        return bad_request("get: no such buffer", err);
    }
    return read_buffer(w, r, buffer, err);
}

static oc_status do_stop(worker *w, request *r, oc_error *err)
{
    (void)r;
    (void)err;
    oc__buffers_free(&w->buffers, w->pjrt);
    for (size_t i = 0; i < w->program_count; i++) {
        oc__pjrt_program_free(w->pjrt, &w->programs[i]);
    }
    oc__pjrt_free(w->pjrt);
    free(w->programs);
    *w = (worker){0};
    return OC_OK;
}

static const struct {
    const char *name;
    oc_status (*run)(worker *w, request *r, oc_error *err);
} operations[] = {
    {"load", do_load}, {"init", do_init},       {"compile", do_compile},
    {"put", do_put},   {"execute", do_execute}, {"get", do_get},
    {"free", do_free}, {"stop", do_stop},
};

static oc_status dispatch(worker *w, request *r, oc_error *err)
{
    const char *op = json_string_value(json_object_get(r->json, "op"));
    for (size_t i = 0; op && i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(op, operations[i].name) == 0) {
            return operations[i].run(w, r, err);
        }
    }
    return bad_request("no such operation", err);
}

static oc_status move_bytes(void *context, bool sending, void *data, size_t size,
                            oc_error *err)
{
    int fd = *(int *)context;
    char *at = data;
    while (size > 0) {
        ssize_t moved = sending ? write(fd, at, size) : read(fd, at, size);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            return OC_FAIL(err, OC_IO, OC_BOUNDARY_NONE, "the other side is gone");
        }
        at += moved;
        size -= (size_t)moved;
    }
    return OC_OK;
}

int oc__worker_serve(int fd)
{
    worker w = {0};
    oc__wire wire = {.move = move_bytes, .context = &fd};
    for (;;) {
        oc__message message;
        if (oc__wire_receive(&wire, &message, NULL) != OC_OK) {
            return 0; // the requester is gone: nothing is left to do
        }
        oc_error err = {0};
        request r = {.message = &message, .json = message.json, .reply = json_object()};
        oc_status rc = dispatch(&w, &r, &err);
        json_object_set_new(r.reply, "ok", json_boolean(rc == OC_OK));
        if (rc != OC_OK) {
            json_object_set_new(r.reply, "status",
                                json_integer((json_int_t)err.status));
            json_object_set_new(r.reply, "boundary",
                                json_integer((json_int_t)err.boundary));
            json_object_set_new(r.reply, "plugin_code", json_integer(err.plugin_code));
            json_object_set_new(r.reply, "text", oc__json_string(err.text));
        }
        oc_status sent =
            oc__wire_send(&wire, r.reply, rc == OC_OK ? r.array.data : NULL,
                          rc == OC_OK ? r.array.size_bytes : 0, NULL);
        oc_tensor_free(&r.array);
        json_decref(r.reply);
        oc__message_free(&message);
        if (sent != OC_OK) {
            return 1;
        }
    }
}
