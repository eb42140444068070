/* What every stage of the harness uses: the checker's lines, what the learner's file is
 * linked with, and the harness's own reading and placing. */
#ifndef HARNESS_BASE_H
#define HARNESS_BASE_H

#include "shards.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 4, MAX_DEVICES = 8, ROWS = 8, COLUMNS = 4, LINE = 3000 };

static const int64_t UNWRITTEN = 0x5a5a5a5a5a5a;

static int channel = -1;
static const char *function = "";
static oc_device *device; /* of the stage at hand; a failure closes it */
static size_t puts_seen;

/* ---- the checker's lines ---- */

OC_PRINTF(1, 2) static void emit(const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    size_t size = length < 0                         ? 0
                  : (size_t)length < sizeof line - 1 ? (size_t)length
                                                     : sizeof line - 2;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '\n' || line[i] == '\r') {
            line[i] = ' ';
        }
    }
    line[size] = '\n';
    for (size_t done = 0; done <= size;) {
        ssize_t wrote = write(channel, line + done, size + 1 - done);
        if (wrote <= 0) {
            _Exit(1);
        }
        done += (size_t)wrote;
    }
}

static void call(const char *name)
{
    function = name;
    emit("call %s", name);
}

/* An error's text may hold tabs, which part the fields of a line. */
static const char *clean(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)size - 1, text);
    for (char *at = out; *at != '\0'; at++) {
        *at = *at == '\t' ? ' ' : *at;
    }
    return out;
}

_Noreturn static void fail(const char *expected, const char *got, const char *hint)
{
    char fields[3][LINE / 4];
    emit("fail %s\t%s\t%s\t%s", function, clean(expected, fields[0], sizeof fields[0]),
         clean(got, fields[1], sizeof fields[1]),
         clean(hint, fields[2], sizeof fields[2]));
    oc_device_close(device);
    _Exit(1); /* nothing of the learner's runs any more */
}

OC_PRINTF(4, 5)
static void expect(bool holds, const char *expected, const char *hint,
                   const char *format, ...)
{
    char got[LINE / 4];
    va_list args;
    va_start(args, format);
    vsnprintf(got, sizeof got, format, args);
    va_end(args);
    if (!holds) {
        fail(expected, got, hint);
    }
}

static void expect_status(oc_status wanted, oc_status status, oc_error *err,
                          const char *hint)
{
    err->text[sizeof err->text - 1] = '\0';
    expect(status == wanted, oc_status_name(wanted), hint, "%s%s%.600s",
           oc_status_name(status), err->text[0] == '\0' ? "" : ": ", err->text);
}

/* ---- what the learner's file is linked with ---- */

/* Stands before the library's own, to count what is placed. */
oc_status oc_device_put(oc_device *on, const oc_tensor *tensor, size_t addressable,
                        int64_t *out_buffer, oc_error *err)
{
    oc_status (*put)(oc_device *, const oc_tensor *, size_t, int64_t *, oc_error *);
    void *symbol = dlsym(RTLD_NEXT, "oc_device_put");
    if (symbol == NULL) {
        return shards_fail(err, OC_NOT_FOUND, "the library has no oc_device_put");
    }
    memcpy(&put, &symbol, sizeof put);
    puts_seen++;
    return put(on, tensor, addressable, out_buffer, err);
}

oc_status shards_run(oc_device *on, const int64_t *device_ids, const int64_t *inputs,
                     size_t count, int64_t *out_own, int64_t *out_all, oc_error *err)
{
    static const char *const groups[MAX_DEVICES] = {
        "0",         "0,1",         "0,1,2",         "0,1,2,3",
        "0,1,2,3,4", "0,1,2,3,4,5", "0,1,2,3,4,5,6", "0,1,2,3,4,5,6,7"};
    char code[2048];
    int64_t outputs[2 * MAX_DEVICES];
    int64_t id = 0;
    if (count == 0 || count > MAX_DEVICES) {
        return shards_fail(err, OC_INVALID_ARGUMENT,
                           "shards_run takes 1 to 8 replicas");
    }
    snprintf(
        code, sizeof code,
        "module @sum_of_squares attributes {mhlo.num_partitions = 1 : i32, "
        "mhlo.num_replicas = %zu : i32} {\n"
        "  func.func public @main(%%x: tensor<%dxf32>) -> (tensor<f32>, tensor<f32>) "
        "{\n"
        "    %%squares = stablehlo.multiply %%x, %%x : tensor<%dxf32>\n"
        "    %%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "    %%own = stablehlo.reduce(%%squares init: %%zero) applies stablehlo.add "
        "across dimensions = [0] : (tensor<%dxf32>, tensor<f32>) -> tensor<f32>\n"
        "    %%all = \"stablehlo.all_reduce\"(%%own) ({\n"
        "    ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
        "      %%sum = stablehlo.add %%a, %%b : tensor<f32>\n"
        "      stablehlo.return %%sum : tensor<f32>\n"
        "    }) {replica_groups = dense<[[%s]]> : tensor<1x%zuxi64>} : "
        "(tensor<f32>) -> tensor<f32>\n"
        "    return %%own, %%all : tensor<f32>, tensor<f32>\n"
        "  }\n}\n",
        count, SHARDS_ELEMENTS, SHARDS_ELEMENTS, SHARDS_ELEMENTS, groups[count - 1],
        count);
    oc_device_program program = {
        .code = code, .replicas = count, .device_ids = device_ids, .parameters = 1};
    oc_status rc = oc_device_compile(on, &program, &id, err);
    if (rc == OC_OK) {
        rc = oc_device_execute(on, id, inputs, count, 1, outputs, 2 * count, err);
    }
    for (size_t k = 0; k < count && rc == OC_OK; k++) {
        out_own[k] = outputs[2 * k];
        out_all[k] = outputs[2 * k + 1];
    }
    return rc;
}

/* ---- what the harness does itself ---- */

static void *make(size_t count, size_t size)
{
    void *made = calloc(count, size);
    if (made == NULL) {
        fail("memory", "none left", "");
    }
    return made;
}

static int64_t *unwritten(size_t count)
{
    int64_t *made = make(count, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        made[i] = UNWRITTEN;
    }
    return made;
}

static float *matrix_of(int64_t rows)
{
    float *made = make((size_t)(rows * COLUMNS), sizeof *made);
    for (int64_t i = 0; i < rows * COLUMNS; i++) {
        made[i] = (float)(i + 1) + 0.5F;
    }
    return made;
}

static const oc_device_info *info(size_t index)
{
    return &oc_device_platform(device)->devices[index];
}

static void open_devices(int64_t count)
{
    oc_error err = {0};
    call("shards_open");
    oc_status rc = shards_open(getenv("ONCHIP_AUDIT_PLUGIN"), count, &device, &err);
    expect_status(OC_OK, rc, &err, "");
    expect(device != NULL, "a device", "*out_device was not written", "NULL");
    const oc_platform_info *platform = oc_device_platform(device);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "platform cpu, device count %d", (int)count);
    expect(
        strcmp(platform->platform_name, "cpu") == 0 &&
            platform->device_count == (size_t)count &&
            platform->addressable_count == (size_t)count,
        wanted,
        "the number of virtual devices is asked for with cpu_devices; left at 0, the "
        "plugin chooses it",
        "platform %s, device count %zu", platform->platform_name,
        platform->device_count);
}

static void close_devices(void)
{
    oc_device_close(device);
    device = NULL;
}

static int64_t place(const float *first, int64_t rows, size_t index)
{
    oc_error err = {0};
    int64_t dims[2] = {rows, COLUMNS};
    oc_tensor tensor = {0};
    int64_t buffer = SHARDS_NO_BUFFER;
    oc_status rc = oc_tensor_make(OC_F32, dims, 2, &tensor, &err);
    if (rc == OC_OK) {
        memcpy(tensor.data, first, tensor.size_bytes);
        rc = oc_device_put(device, &tensor, index, &buffer, &err);
    }
    oc_tensor_free(&tensor);
    expect(rc == OC_OK, "the checker's own buffer", "", "%.600s", err.text);
    return buffer;
}

static size_t owner_of(const oc_device_output *output)
{
    size_t index = 0;
    while (index < oc_device_platform(device)->device_count &&
           strcmp(info(index)->string, output->device) != 0) {
        index++;
    }
    return index;
}

static void read_back(const int64_t *buffers, oc_device_output outputs[DEVICES])
{
    for (size_t i = 0; i < DEVICES; i++) {
        oc_error err = {0};
        expect(buffers[i] != UNWRITTEN, "a buffer for each device",
               "an element of out_buffers was never written",
               "out_buffers[%zu] unwritten", i);
        oc_status rc = oc_device_get(device, buffers[i], &outputs[i], &err);
        expect(rc == OC_OK, "buffers of this device", "", "out_buffers[%zu]: %.600s", i,
               err.text);
    }
}

static void free_outputs(oc_device_output outputs[DEVICES])
{
    for (size_t i = 0; i < DEVICES; i++) {
        oc_device_output_free(&outputs[i]);
    }
}

static bool has_rows(const oc_device_output *output, int64_t rows)
{
    const oc_tensor *tensor = &output->tensor;
    return tensor->dtype == OC_F32 && tensor->rank == 2 && tensor->dims[0] == rows &&
           tensor->dims[1] == COLUMNS;
}

static bool holds(const oc_device_output *output, const float *elements, int64_t rows)
{
    size_t size = (size_t)(rows * COLUMNS) * sizeof *elements;
    return output->tensor.size_bytes == size &&
           memcmp(output->tensor.data, elements, size) == 0;
}

#endif
