#include "device_fixture.h"

#include "receipt/program.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEATURES = 3, PATH_BYTES = 1024, ENVIRONMENT_BYTES = 1 << 16 };

static char mark[64];

int fixture_mark_children(void **state)
{
    (void)state;
    char value[32];
    snprintf(value, sizeof value, "%d", (int)getpid());
    snprintf(mark, sizeof mark, "ONCHIP_TEST_MARK=%s", value);
    return setenv("ONCHIP_TEST_MARK", value, 1);
}

const char *fixture_fake(const char *name)
{
    static char path[PATH_BYTES];
    bool is_file = strstr(name, ".so") != NULL;
    snprintf(path, sizeof path, "%s/%s%s%s", getenv("ONCHIP_TEST_FAKES"),
             is_file ? "" : "libfake_", name, is_file ? "" : ".so");
    return path;
}

oc_status fixture_compile(oc_device *device, int64_t *out_program, oc_error *err)
{
    char code[OC__PROGRAM_TEXT];
    const oc_platform_info *info = oc_device_platform(device);
    oc__receipt_program(code, sizeof code, 0.125F);
    oc_device_program program = {.code = code,
                                 .replicas = 1,
                                 .device_ids = &info->devices[0].id,
                                 .parameters = 2};
    return oc_device_compile(device, &program, out_program, err);
}

static oc_status put(oc_device *device, const float *values, const int64_t *dims,
                     size_t rank, int64_t *out_buffer, oc_error *err)
{
    oc_tensor tensor;
    oc_status rc = oc_tensor_make(OC_F32, dims, rank, &tensor, err);
    if (rc == OC_OK) {
        memcpy(tensor.data, values, tensor.size_bytes);
        rc = oc_device_put(device, &tensor, 0, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

static oc_status predict(fixture_run *run)
{
    static const int64_t x_dims[2] = {FIXTURE_ROWS, FEATURES};
    static const int64_t w_dims[1] = {FEATURES};
    static const float w[FEATURES] = {0.5F, -0.25F, 1.0F};
    float x[FIXTURE_ROWS * FEATURES];
    int64_t program = -1;
    int64_t args[2] = {-1, -1};
    int64_t output = -1;
    for (int i = 0; i < FIXTURE_ROWS * FEATURES; i++) {
        x[i] = (float)i / 8;
    }
    oc_status rc = fixture_compile(run->device, &program, &run->err);
    if (rc == OC_OK) {
        rc = put(run->device, x, x_dims, 2, &args[0], &run->err);
    }
    if (rc == OC_OK) {
        rc = put(run->device, w, w_dims, 1, &args[1], &run->err);
    }
    if (rc == OC_OK) {
        rc = oc_device_execute(run->device, program, args, 1, 2, &output, 1, &run->err);
    }
    if (rc == OC_OK) {
        rc = oc_device_get(run->device, output, &run->output, &run->err);
    }
    return rc;
}

fixture_run fixture_predict(const char *plugin, int64_t timeout_ms)
{
    fixture_run run = {0};
    oc_device_options options = {.platform = "cpu",
                                 .plugin = plugin,
                                 .cpu_devices = 4,
                                 .timeout_ms = timeout_ms};
    run.rc = oc_device_open(&options, &run.device, &run.err);
    if (run.rc == OC_OK) {
        run.rc = predict(&run);
    }
    assert_int_equal(run.rc, run.err.status);
    return run;
}

void fixture_end(fixture_run *run)
{
    oc_device_output_free(&run->output);
    oc_device_close(run->device);
    run->device = NULL;
    fixture_assert_no_process();
}

/* True when the process carries this program's mark in its environment. */
static bool is_ours(const char *pid)
{
    static char text[ENVIRONMENT_BYTES];
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[size] = '\0';
    for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
        if (strcmp(text + at, mark) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count_marked(void)
{
    size_t count = 0;
    DIR *processes = opendir("/proc");
    assert_non_null(processes);
    for (struct dirent *e = readdir(processes); e; e = readdir(processes)) {
        bool is_number = e->d_name[strspn(e->d_name, "0123456789")] == '\0';
        if (is_number && atoi(e->d_name) != getpid() && is_ours(e->d_name)) { // NOLINT
            count++;
        }
    }
    closedir(processes);
    return count;
}

void fixture_assert_no_process(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    // A killed grandchild takes the kernel a moment.
    for (int i = 0; i < 100 && count_marked() > 0; i++) {
        usleep(20000);
    }
    assert_int_equal(count_marked(), 0);
}

void fixture_assert_values(const oc_tensor *tensor)
{
    assert_int_equal(tensor->dtype, OC_F32);
    assert_int_equal(tensor->rank, 1);
    assert_int_equal(tensor->dims[0], FIXTURE_ROWS);
    for (int i = 0; i < FIXTURE_ROWS; i++) {
        float want = (float)(15 * i + 7) / 32 + 0.125F;
        assert_memory_equal((const float *)tensor->data + i, &want, sizeof want);
    }
}
