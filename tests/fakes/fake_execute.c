/* Executables, and the arithmetic behind them. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct PJRT_Executable {
    struct fake_program *program;
};

struct PJRT_LoadedExecutable {
    struct fake_program *program;
    PJRT_Client *client;
    PJRT_Device *devices[FAKE_MAX_DEVICES]; /* replica k runs on devices[k] */
    bool deleted;
    float *first_answer; /* LIE_IGNORES_REVERSAL: what it said before */
};

FAKE_DEFINE(Client_Compile)
{
    static const char format[] = "mlir";
    const PJRT_Program *source = args->program;
    args->executable = NULL;
    FAKE_CHECK(source, PJRT_Program);
    if (source->format_size != strlen(format) ||
        memcmp(source->format, format, strlen(format)) != 0) {
        return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                          "Unknown program format '%.*s'.", (int)source->format_size,
                          source->format);
    }
    struct fake_options options;
    PJRT_Error *error =
        fake_options_read(args->compile_options, args->compile_options_size, &options);
    if (!error) {
        error = fake_lies_act(FAKE_AT_COMPILE);
    }
    struct fake_program *program = NULL;
    if (!error) {
        error = fake_program_read(source->code, source->code_size, &program);
    }
    if (error) {
        return error;
    }

    PJRT_LoadedExecutable *executable = fake_alloc(1, sizeof *executable);
    executable->program = program;
    executable->client = args->client;
    program->replicas = (size_t)options.replicas;
    for (size_t k = 0; k < program->replicas; k++) {
        int64_t id = options.num_ids ? options.ids[k] : (int64_t)k;
        executable->devices[k] = fake_device_of(args->client, id);
        if (!executable->devices[k]) {
            fake_program_release(program);
            free(executable);
            return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                              "No matching device found for device_id %lld",
                              (long long)id);
        }
    }
    args->executable = executable;
    return NULL;
}

FAKE_DEFINE(LoadedExecutable_Destroy)
{
    fake_program_release(args->executable->program);
    free(args->executable->first_answer);
    free(args->executable);
    return NULL;
}

FAKE_DEFINE(LoadedExecutable_GetExecutable)
{
    args->executable = fake_alloc(1, sizeof *args->executable);
    args->executable->program = args->loaded_executable->program;
    args->executable->program->references++;
    return NULL;
}

FAKE_DEFINE(LoadedExecutable_AddressableDevices)
{
    args->addressable_devices = args->executable->devices;
    args->num_addressable_devices = args->executable->program->replicas;
    return NULL;
}

FAKE_DEFINE(LoadedExecutable_Delete)
{
    args->executable->deleted = true;
    return NULL;
}

FAKE_DEFINE(LoadedExecutable_IsDeleted)
{
    args->is_deleted = args->executable->deleted;
    return NULL;
}

FAKE_DEFINE(Executable_Destroy)
{
    fake_program_release(args->executable->program);
    free(args->executable);
    return NULL;
}

FAKE_DEFINE(Executable_Name)
{
    args->executable_name = args->executable->program->name;
    args->executable_name_size = strlen(args->executable_name);
    return NULL;
}

FAKE_DEFINE(Executable_Fingerprint)
{
    args->executable_fingerprint = args->executable->program->fingerprint;
    args->executable_fingerprint_size = strlen(args->executable_fingerprint);
    return NULL;
}

FAKE_DEFINE(Executable_NumReplicas)
{
    args->num_replicas = args->executable->program->replicas;
    return NULL;
}

FAKE_DEFINE(Executable_NumPartitions)
{
    args->num_partitions = 1;
    return NULL;
}

FAKE_DEFINE(Executable_NumOutputs)
{
    args->num_outputs = args->executable->program->num_outputs;
    return NULL;
}

FAKE_DEFINE(Executable_OutputElementTypes)
{
    args->output_types = args->executable->program->output_types;
    args->num_output_types = args->executable->program->num_outputs;
    return NULL;
}

FAKE_DEFINE(Executable_OutputDimensions)
{
    args->num_outputs = args->executable->program->num_outputs;
    args->dims = args->executable->program->output_dims;
    args->dim_sizes = args->executable->program->output_ranks;
    return NULL;
}

static PJRT_Error *check_arguments(const PJRT_LoadedExecutable_Execute_Args *args)
{
    const PJRT_LoadedExecutable *executable = args->executable;
    const struct fake_program *program = executable->program;
    if (args->execute_device) {
        return fake_error(PJRT_Error_Code_UNIMPLEMENTED,
                          "The fake plugin has no portable executables.");
    }
    if (args->num_devices != program->replicas) {
        return fake_error(
            PJRT_Error_Code_INVALID_ARGUMENT,
            "Attempted to execute with %zu argument lists when local device "
            "count is %zu (total replica count: %zu, partition count: 1)",
            args->num_devices, program->replicas, program->replicas);
    }
    if (args->num_args != program->num_args) {
        return fake_error(
            PJRT_Error_Code_INVALID_ARGUMENT,
            "Execution supplied %zu arguments but compiled program expected "
            "%zu",
            args->num_args, program->num_args);
    }
    const size_t rows = (size_t)program->rows, columns = (size_t)program->columns;
    const size_t sizes[2] = {sizeof(float) * rows * (columns ? columns : 1),
                             sizeof(float) * columns};
    for (size_t k = 0; k < program->replicas; k++) {
        for (size_t i = 0; i < program->num_args && i < 2; i++) {
            const PJRT_Buffer *buffer = args->argument_lists[k][i];
            if (buffer->deleted) {
                return fake_error(
                    PJRT_Error_Code_INVALID_ARGUMENT,
                    "Invalid buffer passed to Execute() as argument %zu to "
                    "replica %zu: INVALID_ARGUMENT: Buffer has been deleted "
                    "or donated.",
                    i, k);
            }
            if (buffer->device != executable->devices[k]) {
                return fake_error(
                    PJRT_Error_Code_INVALID_ARGUMENT,
                    "Buffer passed to Execute() as argument %zu to replica "
                    "%zu is on device %s, but replica is assigned to device "
                    "%s.",
                    i, k, buffer->device->description.debug,
                    executable->devices[k]->description.debug);
            }
            if (buffer->size_bytes != sizes[i]) {
                return fake_error(
                    PJRT_Error_Code_INVALID_ARGUMENT,
                    "Executable expected parameter %zu of size %zu but got "
                    "buffer with incompatible size %zu",
                    i, sizes[i], buffer->size_bytes);
            }
        }
    }
    return NULL;
}

static void run_affine(PJRT_LoadedExecutable *executable, PJRT_Buffer *const *arguments,
                       float *y)
{
    const struct fake_program *program = executable->program;
    const float *x = arguments[0]->data, *w = arguments[1]->data;
    size_t rows = (size_t)program->rows, columns = (size_t)program->columns;
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (size_t c = 0; c < columns; c++) {
            sum += x[r * columns + c] * w[c];
        }
        y[r] = fake_lie == LIE_BIAS_DROPPED ? sum : sum + program->bias;
    }
    fake_lies_values(y, rows);
    if (fake_lie == LIE_IGNORES_REVERSAL) {
        if (executable->first_answer) {
            memcpy(y, executable->first_answer, rows * sizeof *y);
        } else {
            executable->first_answer =
                memcpy(fake_alloc(rows, sizeof *y), y, rows * sizeof *y);
        }
    }
}

static float sum_of_squares(const PJRT_Buffer *buffer)
{
    const float *x = buffer->data;
    float sum = 0;
    for (size_t i = 0; i < buffer->size_bytes / sizeof *x; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

static void run_replica(const PJRT_LoadedExecutable_Execute_Args *args, size_t replica)
{
    PJRT_LoadedExecutable *executable = args->executable;
    const struct fake_program *program = executable->program;
    PJRT_Buffer **outputs = args->output_lists[replica];
    const int64_t *dims = program->output_dims;
    for (size_t i = 0; i < program->num_outputs; dims += program->output_ranks[i++]) {
        outputs[i] =
            fake_buffer_new(executable->devices[replica], program->output_types[i],
                            dims, program->output_ranks[i]);
    }
    if (program->kind == FAKE_AFFINE) {
        run_affine(executable, args->argument_lists[replica], outputs[0]->data);
    } else {
        float all = 0;
        for (size_t k = 0; k < program->replicas; k++) {
            all += sum_of_squares(args->argument_lists[k][0]);
        }
        *(float *)outputs[0]->data = sum_of_squares(args->argument_lists[replica][0]);
        *(float *)outputs[1]->data = fake_lies_sum(all, replica);
    }
    for (size_t i = 0; i < program->num_outputs; i++) {
        fake_lies_output(executable->client, program, outputs[i]);
    }
}

FAKE_DEFINE(LoadedExecutable_Execute)
{
    FAKE_CHECK(args->options, PJRT_ExecuteOptions);
    PJRT_Error *error = check_arguments(args);
    if (!error) {
        error = fake_lies_act(FAKE_AT_EXECUTE);
    }
    if (error) {
        return error;
    }
    for (size_t k = 0; k < args->num_devices; k++) {
        run_replica(args, k);
        if (args->device_complete_events) {
            args->device_complete_events[k] = fake_event(NULL);
            args->device_complete_events[k]->never_ready =
                fake_lie == LIE_NEVER_COMPLETES;
        }
    }
    return NULL;
}
