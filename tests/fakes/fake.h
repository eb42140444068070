/*
 * A PJRT plugin for tests. It is a complete and honest plugin for two small kinds of
 * program, except for the one lie that its build names (README.md lists them).
 *
 * Every call checks its struct_size as real plugins do; PJRT owns and frees handles by
 * the header's own rules. Nothing here is thread-safe.
 */
#ifndef FAKE_H
#define FAKE_H

#include <pjrt_c_api.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_lie {
    LIE_HONEST,
    /* what is in the table */
    LIE_SHORT_TABLE,
    LIE_LYING_SHORT_TABLE,
    LIE_OVERSTATED_TABLE,
    LIE_LONG_TABLE,
    LIE_OLD_MINOR,
    LIE_MAJOR_1,
    LIE_NULL_API,
    /* what the client says */
    LIE_INIT_FAILS,
    LIE_INIT_FAILS_OTHER,
    LIE_NO_DEVICES,
    LIE_FEW_DEVICES,
    /* what comes out */
    LIE_ONE_ULP,
    LIE_NAN,
    LIE_ROWS_SWAPPED,
    LIE_BIAS_DROPPED,
    LIE_IGNORES_REVERSAL,
    LIE_OTHER_DEVICE,
    LIE_FOREIGN_DEVICE,
    LIE_HOST_MEMORY,
    LIE_WRONG_SHAPE,
    LIE_WRONG_DTYPE,
    LIE_COLLECTIVE_WRONG,
    LIE_COLLECTIVE_MISPLACED,
    /* errors */
    LIE_COMPILE_ERROR,
    LIE_ERROR_WITHOUT_MESSAGE,
    LIE_ERROR_NULL_CODE,
    /* how it behaves as part of a process */
    LIE_NEVER_COMPLETES,
    LIE_HANGS_IN_INITIALIZE,
    LIE_HANGS_IN_CREATE,
    LIE_HANGS_IN_COMPILE,
    LIE_SEGFAULT_IN_COMPILE,
    LIE_ABORTS_IN_EXECUTE,
    LIE_EXITS_IN_EXECUTE,
    LIE_NOISY,
    LIE_CLOSES_STDIO,
    LIE_WRITES_GARBAGE_FDS,
    LIE_FORKS_CHILD,
    LIE_IGNORES_TERM,
    LIE_CHANGES_SIGNALS
};

/* The only two things that differ from one fake to the next; see fake_lie.c. */
extern const enum fake_lie fake_lie;
extern const char *const fake_platform;

enum {
    FAKE_MAX_DEVICES = 64,
    FAKE_DEFAULT_DEVICES = 4,
    FAKE_MEMORIES = 3, /* of each device, in the order of enum fake_memory */
    FAKE_MAX_RANK = 8,
    FAKE_MAX_EXTENT = 64, /* rows and columns of a program */
    FAKE_MAX_OUTPUTS = 2
};
enum fake_memory { FAKE_DEVICE_MEMORY, FAKE_PINNED_HOST, FAKE_UNPINNED_HOST };

struct PJRT_Error {
    PJRT_Error_Code code;
    char *message; /* NULL: none */
};

struct PJRT_Event {
    bool never_ready;
    PJRT_Error *error; /* what the awaited work ended with; owned */
};

struct PJRT_DeviceDescription {
    int id;
    char debug[32], text[32];
};

struct PJRT_Memory {
    int id;
    const char *kind;
    char debug[64], text[32];
    PJRT_Device *device;
};

struct PJRT_Device {
    PJRT_DeviceDescription description;
    PJRT_Memory memories[FAKE_MEMORIES];
    PJRT_Memory *memory_list[FAKE_MEMORIES];
};

struct PJRT_Client {
    size_t num_devices;
    /* The device behind the last one is in no list: the foreign device. */
    PJRT_Device devices[FAKE_MAX_DEVICES + 1];
    PJRT_Device *device_list[FAKE_MAX_DEVICES];
    PJRT_Memory *memory_list[FAKE_MAX_DEVICES * FAKE_MEMORIES];
};

struct PJRT_Buffer {
    PJRT_Device *device;
    PJRT_Memory *memory;
    PJRT_Buffer_Type type;
    int64_t dims[FAKE_MAX_RANK];
    size_t num_dims, size_bytes;
    void *data;
    bool deleted, never_ready;
};

enum fake_kind { FAKE_AFFINE, FAKE_ALL_REDUCE };

/* A compiled program, shared by its executables. */
struct fake_program {
    size_t references;
    enum fake_kind kind;
    int64_t rows, columns; /* FAKE_ALL_REDUCE: each replica holds `rows` elements */
    float bias;            /* FAKE_AFFINE */
    size_t num_args, num_outputs, replicas;
    PJRT_Buffer_Type output_types[FAKE_MAX_OUTPUTS];
    int64_t output_dims[FAKE_MAX_OUTPUTS]; /* all outputs' dimensions in a row */
    size_t output_ranks[FAKE_MAX_OUTPUTS];
    char name[64], fingerprint[32];
};

/* What the fake reads of CompileOptionsProto. */
struct fake_options {
    int64_t replicas, partitions;
    size_t num_ids; /* 0: no device assignment */
    int64_t ids[FAKE_MAX_DEVICES];
};

/* Zeroed memory; out of memory ends the process. */
void *fake_alloc(size_t count, size_t size_bytes);

/* A new error with a formatted message. */
PJRT_Error *fake_error(PJRT_Error_Code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
PJRT_Error *fake_bad_size(const char *what, size_t expected, size_t got);

/* A new event that is ready, with `error` (taken over, may be NULL). */
PJRT_Event *fake_event(PJRT_Error *error);

/* The device with this id, or NULL. */
PJRT_Device *fake_device_of(PJRT_Client *client, int64_t id);

/* A new buffer on `device` with `dims` and zeroed data. NULL if its rank or size is not
 * representable. */
PJRT_Buffer *fake_buffer_new(PJRT_Device *device, PJRT_Buffer_Type type,
                             const int64_t *dims, size_t num_dims);

/* Reads program text and options into *out, or returns the error that a real compiler
 * would return. The program has one reference. */
PJRT_Error *fake_program_read(const char *code, size_t size, struct fake_program **out);
PJRT_Error *fake_options_read(const char *bytes, size_t size, struct fake_options *out);
void fake_program_release(struct fake_program *program);

/* The lies. fake_lies_act does what the lie wants done at a boundary (perhaps never to
 * return) or gives the error that it wants returned. */
enum fake_boundary {
    FAKE_AT_INITIALIZE,
    FAKE_AT_CREATE,
    FAKE_AT_COMPILE,
    FAKE_AT_EXECUTE
};
PJRT_Error *fake_lies_act(enum fake_boundary at);
/* The number of devices of a client that was asked for `count`. */
size_t fake_lies_count(size_t count);
/* Bends the finished values of an affine program. */
void fake_lies_values(float *values, size_t count);
/* Bends the all-reduced sum that `replica` reports. */
float fake_lies_sum(float sum, size_t replica);
/* Moves or relabels a finished output buffer. */
void fake_lies_output(PJRT_Client *client, const struct fake_program *program,
                      PJRT_Buffer *output);

/* FAKE_DEFINE(Client_Destroy) { ... } defines the slot PJRT_Client_Destroy with the
 * check of struct_size before the body. */
#define FAKE_CHECK(object, name)                                                       \
    do {                                                                               \
        if ((object)->struct_size < name##_STRUCT_SIZE)                                \
            return fake_bad_size(#name, name##_STRUCT_SIZE, (object)->struct_size);    \
    } while (0)
#define FAKE_DEFINE(fn)                                                                \
    static PJRT_Error *do_##fn(PJRT_##fn##_Args *args);                                \
    PJRT_Error *fake_##fn(PJRT_##fn##_Args *args)                                      \
    {                                                                                  \
        FAKE_CHECK(args, PJRT_##fn##_Args);                                            \
        return do_##fn(args);                                                          \
    }                                                                                  \
    static PJRT_Error *do_##fn(PJRT_##fn##_Args *args)

/* The slots that this plugin fills. */
#define FAKE_SLOTS(X)                                                                  \
    X(Error_Destroy)                                                                   \
    X(Error_Message)                                                                   \
    X(Error_GetCode)                                                                   \
    X(Plugin_Initialize)                                                               \
    X(Plugin_Attributes)                                                               \
    X(Event_Destroy)                                                                   \
    X(Event_IsReady)                                                                   \
    X(Event_Error)                                                                     \
    X(Event_Await)                                                                     \
    X(Event_OnReady)                                                                   \
    X(Client_Create)                                                                   \
    X(Client_Destroy)                                                                  \
    X(Client_PlatformName)                                                             \
    X(Client_ProcessIndex)                                                             \
    X(Client_PlatformVersion)                                                          \
    X(Client_Devices)                                                                  \
    X(Client_AddressableDevices)                                                       \
    X(Client_LookupDevice)                                                             \
    X(Client_LookupAddressableDevice)                                                  \
    X(Client_AddressableMemories)                                                      \
    X(Client_Compile)                                                                  \
    X(Client_BufferFromHostBuffer)                                                     \
    X(DeviceDescription_Id)                                                            \
    X(DeviceDescription_ProcessIndex)                                                  \
    X(DeviceDescription_Attributes)                                                    \
    X(DeviceDescription_Kind)                                                          \
    X(DeviceDescription_DebugString)                                                   \
    X(DeviceDescription_ToString)                                                      \
    X(Device_GetDescription)                                                           \
    X(Device_IsAddressable)                                                            \
    X(Device_LocalHardwareId)                                                          \
    X(Device_AddressableMemories)                                                      \
    X(Device_DefaultMemory)                                                            \
    X(Memory_Id)                                                                       \
    X(Memory_Kind)                                                                     \
    X(Memory_DebugString)                                                              \
    X(Memory_ToString)                                                                 \
    X(Memory_AddressableByDevices)                                                     \
    X(Executable_Destroy)                                                              \
    X(Executable_Name)                                                                 \
    X(Executable_NumReplicas)                                                          \
    X(Executable_NumPartitions)                                                        \
    X(Executable_NumOutputs)                                                           \
    X(Executable_OutputElementTypes)                                                   \
    X(Executable_OutputDimensions)                                                     \
    X(Executable_Fingerprint)                                                          \
    X(LoadedExecutable_Destroy)                                                        \
    X(LoadedExecutable_GetExecutable)                                                  \
    X(LoadedExecutable_AddressableDevices)                                             \
    X(LoadedExecutable_Delete)                                                         \
    X(LoadedExecutable_IsDeleted)                                                      \
    X(LoadedExecutable_Execute)                                                        \
    X(Buffer_Destroy)                                                                  \
    X(Buffer_ElementType)                                                              \
    X(Buffer_Dimensions)                                                               \
    X(Buffer_OnDeviceSizeInBytes)                                                      \
    X(Buffer_Device)                                                                   \
    X(Buffer_Memory)                                                                   \
    X(Buffer_Delete)                                                                   \
    X(Buffer_IsDeleted)                                                                \
    X(Buffer_ToHostBuffer)                                                             \
    X(Buffer_IsOnCpu)                                                                  \
    X(Buffer_ReadyEvent)

#define FAKE_DECLARE(fn) PJRT_##fn fake_##fn;
FAKE_SLOTS(FAKE_DECLARE)
#undef FAKE_DECLARE

#endif
