/*
 * bench_floor PLUGIN [CPU_DEVICE_COUNT]
 *
 * The least that a program must do to get the numbers of `onchip check`: load the
 * plugin, compile the two predictions, execute three times, read back, print. It checks
 * nothing and judges nothing; bench.py measures onchip against it.
 */
#include <pjrt_c_api.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 3 };

#define ARGS(variable, fn, ...)                                                        \
    PJRT_##fn##_Args variable = {.struct_size = PJRT_##fn##_Args_STRUCT_SIZE,          \
                                 __VA_ARGS__}
#define CALL(variable, fn) need(api->PJRT_##fn(&(variable)), "PJRT_" #fn)

static const PJRT_Api *api;

static void need(PJRT_Error *error, const char *what)
{
    if (!error) {
        return;
    }
    PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                 .error = error};
    api->PJRT_Error_Message(&m);
    fprintf(stderr, "bench_floor: %s: %.*s\n", what, (int)m.message_size, m.message);
    exit(EXIT_FAILURE);
}

static void settle(PJRT_Event *event)
{
    ARGS(await, Event_Await, .event = event);
    ARGS(destroy, Event_Destroy, .event = event);
    CALL(await, Event_Await);
    CALL(destroy, Event_Destroy);
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const PJRT_Api *(*get)(void) = NULL;
    if (library) {
        *(void **)&get = dlsym(library, "GetPjrtApi");
    }
    if (!get || !(api = get())) {
        const char *reason = dlerror();
        fprintf(stderr, "bench_floor: %s: %s\n", path, reason ? reason : "no table");
        exit(EXIT_FAILURE);
    }
    ARGS(initialize, Plugin_Initialize, .extension_start = NULL);
    CALL(initialize, Plugin_Initialize);
}

static PJRT_Client *open_client(const char *device_count)
{
    PJRT_NamedValue option = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                              .name = "cpu_device_count",
                              .name_size = strlen("cpu_device_count"),
                              .type = PJRT_NamedValue_kInt64,
                              .int64_value =
                                  device_count ? strtol(device_count, NULL, 10) : 0,
                              .value_size = 1};
    ARGS(create, Client_Create, .create_options = &option,
         .num_options = device_count ? 1 : 0);
    CALL(create, Client_Create);
    return create.client;
}

static PJRT_LoadedExecutable *compile(PJRT_Client *client, const char *bias)
{
    static const char form[] =
        "module @predict {\n"
        "  func.func public @main(%%x: tensor<8x3xf32>, %%w: tensor<3xf32>)"
        " -> tensor<8xf32> {\n"
        "    %%dot = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0],"
        " precision = [DEFAULT, DEFAULT] : (tensor<8x3xf32>, tensor<3xf32>) -> "
        "tensor<8xf32>\n"
        "    %%bias = stablehlo.constant dense<%s> : tensor<f32>\n"
        "    %%all = stablehlo.broadcast_in_dim %%bias, dims = [] : (tensor<f32>)"
        " -> tensor<8xf32>\n"
        "    %%y = stablehlo.add %%dot, %%all : tensor<8xf32>\n"
        "    return %%y : tensor<8xf32>\n  }\n}\n";
    static const char options[] = {0x1a, 0x04, 0x20, 0x01, 0x28, 0x01};
    char text[1024];
    int size = snprintf(text, sizeof text, form, bias);
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = text,
                            .code_size = (size_t)size,
                            .format = "mlir",
                            .format_size = strlen("mlir")};
    ARGS(args, Client_Compile, .client = client, .program = &program,
         .compile_options = options, .compile_options_size = sizeof options);
    CALL(args, Client_Compile);
    return args.executable;
}

static PJRT_Buffer *put(PJRT_Client *client, PJRT_Device *device, const float *data,
                        const int64_t *dims, size_t num_dims)
{
    ARGS(args, Client_BufferFromHostBuffer, .client = client, .data = data,
         .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = num_dims,
         .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
         .device = device);
    CALL(args, Client_BufferFromHostBuffer);
    settle(args.done_with_host_buffer);
    return args.buffer;
}

static void predict(PJRT_LoadedExecutable *executable, PJRT_Buffer *x, PJRT_Buffer *w)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *arguments[] = {x, w}, *outputs[] = {NULL};
    PJRT_Buffer *const *argument_lists[] = {arguments};
    PJRT_Buffer **output_lists[] = {outputs};
    PJRT_Event *done[] = {NULL};
    ARGS(run, LoadedExecutable_Execute, .executable = executable, .options = &options,
         .argument_lists = argument_lists, .num_devices = 1, .num_args = 2,
         .output_lists = output_lists, .device_complete_events = done);
    CALL(run, LoadedExecutable_Execute);
    settle(done[0]);
    float y[ROWS];
    ARGS(read, Buffer_ToHostBuffer, .src = outputs[0], .dst = y, .dst_size = sizeof y);
    CALL(read, Buffer_ToHostBuffer);
    settle(read.event);
    for (int i = 0; i < ROWS; i++) {
        printf("%.9g%c", (double)y[i], i + 1 < ROWS ? ' ' : '\n');
    }
    ARGS(destroy, Buffer_Destroy, .buffer = outputs[0]);
    CALL(destroy, Buffer_Destroy);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: bench_floor PLUGIN [CPU_DEVICE_COUNT]\n");
        return 2;
    }
    static const float weights[COLUMNS] = {0.5f, -0.25f, 1.0f};
    static const int64_t x_dims[] = {ROWS, COLUMNS}, w_dims[] = {COLUMNS};
    float rows[ROWS * COLUMNS], reversed[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        rows[i] = (float)i / 8;
        reversed[(ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS] = (float)i / 8;
    }
    load(argv[1]);
    PJRT_Client *client = open_client(argv[2]);
    ARGS(devices, Client_AddressableDevices, .client = client);
    CALL(devices, Client_AddressableDevices);
    PJRT_Device *device = devices.addressable_devices[0];
    PJRT_LoadedExecutable *first = compile(client, "1.250000e-01");
    PJRT_LoadedExecutable *changed = compile(client, "-2.500000e-01");
    PJRT_Buffer *x = put(client, device, rows, x_dims, 2);
    PJRT_Buffer *back = put(client, device, reversed, x_dims, 2);
    PJRT_Buffer *w = put(client, device, weights, w_dims, 1);
    predict(first, x, w);
    predict(changed, x, w);
    predict(first, back, w);
    return 0; /* the kernel clears up faster than the plugin would */
}
