/*
 * fake_selftest PLUGIN [--expect-fail TEXT]
 *
 * Drives a PJRT plugin through everything that the fakes promise and checks what comes
 * back: the same program for real CPU plugins and for fakes, so that an honest fake is
 * known to keep the real contract. Exit status 0 when all is right; with --expect-fail,
 * when it fails and the failure's sentence contains TEXT.
 */
#include "fake_selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 3, REPLICAS = SELFTEST_DEVICES };

/* CompileOptionsProto: one replica, one partition; and two replicas on devices 1 and 0.
 */
static const char one_replica[] = {0x1a, 0x04, 0x20, 0x01, 0x28, 0x01};
static const char two_replicas[] = {0x1a, 0x10, 0x20, 0x02, 0x28, 0x01,
                                    0x4a, 0x0a, 0x08, 0x02, 0x10, 0x01,
                                    0x1a, 0x04, 0x0a, 0x02, 0x01, 0x00};

#define AFFINE(bias)                                                                   \
    "module @predict {\n"                                                              \
    "  func.func public @main(%x: tensor<8x3xf32>, %w: tensor<3xf32>)"                 \
    " -> tensor<8xf32> {\n"                                                            \
    "    %dot = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] :"          \
    " (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8xf32>\n"                             \
    "    %bias = stablehlo.constant dense<" bias "> : tensor<f32>\n"                   \
    "    %all = stablehlo.broadcast_in_dim %bias, dims = [] : (tensor<f32>)"           \
    " -> tensor<8xf32>\n"                                                              \
    "    %y = stablehlo.add %dot, %all : tensor<8xf32>\n"                              \
    "    return %y : tensor<8xf32>\n  }\n}\n"

static const char all_reduce[] =
    "module @predict attributes {mhlo.num_replicas = 2 : i32} {\n"
    "  func.func public @main(%x: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %squares = stablehlo.multiply %x, %x : tensor<8xf32>\n"
    "    %own = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across"
    " dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %all = \"stablehlo.all_reduce\"(%own) ({\n"
    "    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "      %sum = stablehlo.add %a, %b : tensor<f32>\n"
    "      stablehlo.return %sum : tensor<f32>\n"
    "    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>)"
    " -> tensor<f32>\n"
    "    return %own, %all : tensor<f32>, tensor<f32>\n  }\n}\n";

static bool destroy_buffer(PJRT_Buffer *buffer)
{
    ARGS(args, Buffer_Destroy, .buffer = buffer);
    return CALL(args, Buffer_Destroy);
}

static bool destroy_executable(PJRT_LoadedExecutable *executable)
{
    ARGS(args, LoadedExecutable_Destroy, .executable = executable);
    return CALL(args, LoadedExecutable_Destroy);
}

static bool execute(PJRT_LoadedExecutable *executable, size_t replicas, size_t num_args,
                    PJRT_Buffer *const *const *arguments, PJRT_Buffer **const *outputs)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Event *done[REPLICAS] = {NULL};
    ARGS(args, LoadedExecutable_Execute, .executable = executable, .options = &options,
         .argument_lists = arguments, .num_devices = replicas, .num_args = num_args,
         .output_lists = outputs, .device_complete_events = done);
    ARGS(few, LoadedExecutable_Execute, .executable = executable, .options = &options,
         .argument_lists = arguments, .num_devices = replicas, .num_args = 0,
         .output_lists = outputs);
    bool ok = CALL(args, LoadedExecutable_Execute);
    for (size_t k = 0; ok && k < replicas; k++) {
        ok = selftest_settle(done[k], "execution");
    }
    return ok && selftest_refused(selftest_api->PJRT_LoadedExecutable_Execute(&few),
                                  PJRT_Error_Code_INVALID_ARGUMENT,
                                  "Execution supplied 0 ", "too few arguments");
}

/* A deleted buffer is refused by the event of the read, not by the call. */
static bool check_deleted(PJRT_Buffer *buffer)
{
    float values[ROWS];
    ARGS(delete, Buffer_Delete, .buffer = buffer);
    ARGS(asked, Buffer_IsDeleted, .buffer = buffer);
    ARGS(read, Buffer_ToHostBuffer, .src = buffer, .dst = values,
         .dst_size = sizeof values);
    if (!CALL(delete, Buffer_Delete) || !CALL(asked, Buffer_IsDeleted) ||
        !CALL(read, Buffer_ToHostBuffer)) {
        return false;
    }
    if (!asked.is_deleted) {
        return selftest_fail("a deleted buffer is not deleted");
    }
    ARGS(await, Event_Await, .event = read.event);
    ARGS(destroy, Event_Destroy, .event = read.event);
    return selftest_refused(selftest_api->PJRT_Event_Await(&await),
                            PJRT_Error_Code_INVALID_ARGUMENT,
                            "Buffer has been deleted or donated.", "deleted buffer") &&
           CALL(destroy, Event_Destroy);
}

/* One prediction, compared with first + i * step, which is exact in float. */
static bool predict(PJRT_LoadedExecutable *executable, PJRT_Device *device,
                    PJRT_Buffer *x, PJRT_Buffer *w, float first, float step,
                    const char *what)
{
    PJRT_Buffer *arguments[] = {x, w}, *outputs[] = {NULL};
    PJRT_Buffer *const *argument_lists[] = {arguments};
    PJRT_Buffer **output_lists[] = {outputs};
    float y[ROWS];
    bool ok = execute(executable, 1, 2, argument_lists, output_lists) &&
              selftest_get(outputs[0], device, y, ROWS, 1, what);
    for (int i = 0; ok && i < ROWS; i++) {
        if (!(y[i] == first + (float)i * step)) {
            ok = selftest_fail("%s: element %d is %.9g, not %.9g", what, i,
                               (double)y[i], (double)(first + (float)i * step));
        }
    }
    ok = ok && check_deleted(outputs[0]);
    return (outputs[0] ? destroy_buffer(outputs[0]) : false) && ok;
}

static bool check_predictions(PJRT_Client *client, PJRT_Device *device)
{
    static const float w[COLUMNS] = {0.5f, -0.25f, 1.0f};
    static const int64_t x_dims[] = {ROWS, COLUMNS}, w_dims[] = {COLUMNS};
    float x[ROWS * COLUMNS], reversed[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (float)i / 8;
        reversed[(ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS] = (float)i / 8;
    }
    PJRT_LoadedExecutable *predict_program = selftest_compile(
        client, AFFINE("1.250000e-01"), one_replica, sizeof one_replica);
    PJRT_LoadedExecutable *changed_program =
        selftest_compile(client, AFFINE("0xBE800000"), one_replica, sizeof one_replica);
    if (!predict_program || !changed_program) {
        return false;
    }
    PJRT_Buffer *on_device[] = {selftest_put(client, device, x, x_dims, 2),
                                selftest_put(client, device, reversed, x_dims, 2),
                                selftest_put(client, device, w, w_dims, 1)};
    return on_device[0] && on_device[1] && on_device[2] &&
           selftest_check_executable(predict_program, 1, 1) &&
           predict(predict_program, device, on_device[0], on_device[2], 0.34375f,
                   0.46875f, "prediction") &&
           predict(changed_program, device, on_device[0], on_device[2], -0.03125f,
                   0.46875f, "changed bias") &&
           predict(predict_program, device, on_device[1], on_device[2], 3.625f,
                   -0.46875f, "row reversal") &&
           destroy_buffer(on_device[0]) && destroy_buffer(on_device[1]) &&
           destroy_buffer(on_device[2]) && destroy_executable(predict_program) &&
           destroy_executable(changed_program);
}

/* Replica k squares and sums 8k .. 8k+7; the assignment gives it device 1 - k. */
static bool check_all_reduce(PJRT_Client *client, PJRT_Device *const *devices)
{
    static const float own[REPLICAS] = {140, 1100};
    static const int64_t dims[] = {ROWS};
    PJRT_LoadedExecutable *program =
        selftest_compile(client, all_reduce, two_replicas, sizeof two_replicas);
    if (!program || !selftest_check_executable(program, 2, REPLICAS)) {
        return false;
    }
    PJRT_Buffer *arguments[REPLICAS][1], *outputs[REPLICAS][2];
    PJRT_Buffer *const *argument_lists[REPLICAS];
    PJRT_Buffer **output_lists[REPLICAS];
    for (int k = 0; k < REPLICAS; k++) {
        float x[ROWS];
        for (int i = 0; i < ROWS; i++) {
            x[i] = (float)(k * ROWS + i);
        }
        arguments[k][0] = selftest_put(client, devices[1 - k], x, dims, 1);
        if (!arguments[k][0]) {
            return false;
        }
        argument_lists[k] = arguments[k];
        output_lists[k] = outputs[k];
    }
    ARGS(used, LoadedExecutable_AddressableDevices, .executable = program);
    if (!CALL(used, LoadedExecutable_AddressableDevices) ||
        used.num_addressable_devices != REPLICAS ||
        used.addressable_devices[0] != devices[1]) {
        return selftest_fail("the device assignment was not followed");
    }
    if (!execute(program, REPLICAS, 1, argument_lists, output_lists)) {
        return false;
    }
    for (int k = 0; k < REPLICAS; k++) {
        float sums[2];
        for (int i = 0; i < 2; i++) {
            if (!selftest_get(outputs[k][i], devices[1 - k], &sums[i], 1, 0,
                              "all-reduce")) {
                return false;
            }
        }
        if (!(sums[0] == own[k]) || !(sums[1] == own[0] + own[1])) {
            return selftest_fail("replica %d: own sum %g, all-reduced sum %g", k,
                                 (double)sums[0], (double)sums[1]);
        }
        if (!destroy_buffer(arguments[k][0]) || !destroy_buffer(outputs[k][0]) ||
            !destroy_buffer(outputs[k][1])) {
            return false;
        }
    }
    return destroy_executable(program);
}

static bool check_plugin(const char *path)
{
    PJRT_Client *client;
    PJRT_Device *const *devices;
    if (!selftest_open_table(path) || !selftest_open_client(&client, &devices)) {
        return false;
    }
    for (int id = 0; id < SELFTEST_DEVICES; id++) {
        if (!selftest_check_device(devices[id], id)) {
            return false;
        }
    }
    ARGS(destroy, Client_Destroy, .client = client);
    return check_predictions(client, devices[0]) && check_all_reduce(client, devices) &&
           CALL(destroy, Client_Destroy);
}

int main(int argc, char **argv)
{
    bool fails = argc == 4 && strcmp(argv[2], "--expect-fail") == 0;
    if (argc != 2 && !fails) {
        fprintf(stderr, "usage: fake_selftest PLUGIN [--expect-fail TEXT]\n");
        return 2;
    }
    bool right = check_plugin(argv[1]);
    puts(right ? "the plugin kept its contract" : selftest_failure);
    if (right) {
        return fails;
    }
    /* The first failure leaves handles behind, which a leak checker need not hear of.
     */
    fflush(stdout);
    _Exit(!(fails && strstr(selftest_failure, argv[3])));
}
