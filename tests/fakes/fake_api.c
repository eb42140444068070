/* The table, errors and events. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NEWER_MINOR = 140, NEWER_SLOTS = 24, OLDER_MINOR = 40 };

const PJRT_Api *
GetPjrtApi(void); // NOLINT(readability-identifier-naming): PJRT names it

void *fake_alloc(size_t count, size_t size_bytes)
{
    void *memory = calloc(count, size_bytes);
    if (!memory) {
        abort();
    }
    return memory;
}

PJRT_Error *fake_error(PJRT_Error_Code code, const char *format, ...)
{
    PJRT_Error *error = fake_alloc(1, sizeof *error);
    error->code = code;
    va_list list;
    va_start(list, format);
    if (vasprintf(&error->message, format, list) < 0) {
        abort();
    }
    va_end(list);
    return error;
}

PJRT_Error *fake_bad_size(const char *what, size_t expected, size_t got)
{
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "Unexpected %s size: expected %zu, got %zu. The plugin is likely "
                      "built with a later version than the framework. This plugin is "
                      "built with PJRT API version %d.%d.",
                      what, expected, got, PJRT_API_MAJOR, PJRT_API_MINOR);
}

void fake_Error_Destroy(PJRT_Error_Destroy_Args *args)
{
    if (args->struct_size < PJRT_Error_Destroy_Args_STRUCT_SIZE || !args->error) {
        return;
    }
    free(args->error->message);
    free(args->error);
}

void fake_Error_Message(PJRT_Error_Message_Args *args)
{
    if (args->struct_size < PJRT_Error_Message_Args_STRUCT_SIZE) {
        return;
    }
    args->message = args->error->message;
    args->message_size = args->error->message ? strlen(args->error->message) : 0;
}

FAKE_DEFINE(Error_GetCode)
{
    args->code = args->error->code;
    return NULL;
}

PJRT_Event *fake_event(PJRT_Error *error)
{
    PJRT_Event *event = fake_alloc(1, sizeof *event);
    event->error = error;
    return event;
}

/* Every asker gets an error of its own, to be freed by it. */
static PJRT_Error *error_of(const PJRT_Event *event)
{
    const PJRT_Error *error = event->error;
    return error ? fake_error(error->code, "%s", error->message) : NULL;
}

FAKE_DEFINE(Event_Destroy)
{
    if (args->event->error) {
        fake_Error_Destroy(&(PJRT_Error_Destroy_Args){
            .struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
            .error = args->event->error});
    }
    free(args->event);
    return NULL;
}

FAKE_DEFINE(Event_IsReady)
{
    args->is_ready = !args->event->never_ready;
    return NULL;
}

FAKE_DEFINE(Event_Error)
{
    return error_of(args->event);
}

FAKE_DEFINE(Event_Await)
{
    while (args->event->never_ready) {
        pause();
    }
    return error_of(args->event);
}

FAKE_DEFINE(Event_OnReady)
{
    if (!args->event->never_ready) {
        args->callback(error_of(args->event), args->user_arg);
    }
    return NULL;
}

FAKE_DEFINE(Plugin_Initialize)
{
    (void)args;
    return fake_lies_act(FAKE_AT_INITIALIZE);
}

FAKE_DEFINE(Plugin_Attributes)
{
    static const int64_t current[] = {1, 13, 3}, minimum[] = {0, 9, 0};
#define NAMED(text)                                                                    \
    .struct_size = PJRT_NamedValue_STRUCT_SIZE, .name = (text),                        \
    .name_size = sizeof(text) - 1
    static const PJRT_NamedValue attributes[] = {
        {NAMED("xla_version"), .type = PJRT_NamedValue_kInt64, .int64_value = 2,
         .value_size = 1},
        {NAMED("stablehlo_current_version"), .type = PJRT_NamedValue_kInt64List,
         .int64_array_value = current, .value_size = 3},
        {NAMED("stablehlo_minimum_version"), .type = PJRT_NamedValue_kInt64List,
         .int64_array_value = minimum, .value_size = 3},
    };
#undef NAMED
    args->attributes = attributes;
    args->num_attributes = sizeof attributes / sizeof attributes[0];
    return NULL;
}

/* The slots that this plugin does not fill. No slot of a real plugin is NULL. */
#define EMPTY_SLOTS(X)                                                                 \
    X(Client_DefaultDeviceAssignment)                                                  \
    X(Client_CreateViewOfDeviceBuffer)                                                 \
    X(Client_TopologyDescription)                                                      \
    X(Client_CreateBuffersForAsyncHostToDevice)                                        \
    X(Client_DmaMap)                                                                   \
    X(Client_DmaUnmap)                                                                 \
    X(Client_CreateUninitializedBuffer)                                                \
    X(Client_UpdateGlobalProcessInfo)                                                  \
    X(Client_CreateAliasBuffer)                                                        \
    X(Client_FulfillAliasBuffer)                                                       \
    X(Device_MemoryStats)                                                              \
    X(Memory_Kind_Id)                                                                  \
    X(Executable_SizeOfGeneratedCodeInBytes)                                           \
    X(Executable_GetCostAnalysis)                                                      \
    X(Executable_OutputMemoryKinds)                                                    \
    X(Executable_OptimizedProgram)                                                     \
    X(Executable_Serialize)                                                            \
    X(Executable_DeserializeAndLoad)                                                   \
    X(Executable_GetCompiledMemoryStats)                                               \
    X(LoadedExecutable_Fingerprint)                                                    \
    X(LoadedExecutable_GetDeviceAssignment)                                            \
    X(Buffer_UnpaddedDimensions)                                                       \
    X(Buffer_DynamicDimensionIndices)                                                  \
    X(Buffer_GetMemoryLayout)                                                          \
    X(Buffer_CopyToDevice)                                                             \
    X(Buffer_CopyToMemory)                                                             \
    X(Buffer_CopyRawToHost)                                                            \
    X(Buffer_UnsafePointer)                                                            \
    X(Buffer_IncreaseExternalReferenceCount)                                           \
    X(Buffer_DecreaseExternalReferenceCount)                                           \
    X(Buffer_OpaqueDeviceMemoryDataPointer)                                            \
    X(CopyToDeviceStream_Destroy)                                                      \
    X(CopyToDeviceStream_AddChunk)                                                     \
    X(CopyToDeviceStream_TotalBytes)                                                   \
    X(CopyToDeviceStream_GranuleSize)                                                  \
    X(CopyToDeviceStream_CurrentBytes)                                                 \
    X(TopologyDescription_Create)                                                      \
    X(TopologyDescription_Destroy)                                                     \
    X(TopologyDescription_PlatformName)                                                \
    X(TopologyDescription_PlatformVersion)                                             \
    X(TopologyDescription_GetDeviceDescriptions)                                       \
    X(TopologyDescription_Serialize)                                                   \
    X(TopologyDescription_Attributes)                                                  \
    X(TopologyDescription_Deserialize)                                                 \
    X(Compile)                                                                         \
    X(ExecuteContext_Create)                                                           \
    X(ExecuteContext_Destroy)                                                          \
    X(AsyncHostToDeviceTransferManager_Destroy)                                        \
    X(AsyncHostToDeviceTransferManager_TransferData)                                   \
    X(AsyncHostToDeviceTransferManager_RetrieveBuffer)                                 \
    X(AsyncHostToDeviceTransferManager_Device)                                         \
    X(AsyncHostToDeviceTransferManager_BufferCount)                                    \
    X(AsyncHostToDeviceTransferManager_BufferSize)                                     \
    X(AsyncHostToDeviceTransferManager_SetBufferError)                                 \
    X(AsyncHostToDeviceTransferManager_AddMetadata)

#define DEFINE_EMPTY(fn)                                                               \
    static PJRT_Error *fake_##fn(PJRT_##fn##_Args *args)                               \
    {                                                                                  \
        (void)args;                                                                    \
        return fake_error(PJRT_Error_Code_UNIMPLEMENTED,                               \
                          "PJRT_" #fn " is not supported by the fake plugin.");        \
    }
EMPTY_SLOTS(DEFINE_EMPTY)

#define FILL(fn) .PJRT_##fn = fake_##fn,
static const PJRT_Api full_table = {
    .struct_size = PJRT_Api_STRUCT_SIZE,
    .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                         .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
    FAKE_SLOTS(FILL) EMPTY_SLOTS(FILL)};

/*
 * A table of exactly `size` bytes that ends where readable memory ends, so that a host
 * which reads past struct_size dies in every build. Slots beyond the full table get an
 * empty slot's function.
 */
static PJRT_Api *table_of(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || size > page ||
        mprotect(memory + page, page, PROT_NONE)) {
        abort();
    }
    char *table = memory + page - size;
    size_t common = size < sizeof full_table ? size : sizeof full_table;
    memcpy(table, &full_table, common);
    PJRT_Client_DmaMap *const filler = fake_Client_DmaMap;
    for (size_t at = common; at < size; at += sizeof filler) {
        memcpy(table + at, &filler, sizeof filler);
    }
    return (PJRT_Api *)(void *)table;
}

/* Ends right after the slot PJRT_Client_Compile: too little to move data or execute. */
enum {
    SHORT_SIZE =
        offsetof(PJRT_Api, PJRT_Client_Compile) + sizeof(PJRT_Client_Compile *),
    LYING_SIZE = sizeof(size_t),
    LONG_SIZE = sizeof(PJRT_Api) + NEWER_SLOTS * sizeof(void *)
};

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void)
{
    static PJRT_Api *table;
    if (fake_lie == LIE_NULL_API) {
        return NULL;
    }
    if (table) {
        return table;
    }
    switch (fake_lie) {
    case LIE_SHORT_TABLE:
        table = table_of(SHORT_SIZE);
        table->struct_size = SHORT_SIZE;
        break;
    case LIE_OVERSTATED_TABLE: /* struct_size stays that of the full table */
        table = table_of(SHORT_SIZE);
        break;
    case LIE_LYING_SHORT_TABLE:
        table = table_of(LYING_SIZE);
        table->struct_size = LYING_SIZE;
        break;
    case LIE_LONG_TABLE:
        table = table_of(LONG_SIZE);
        table->struct_size = LONG_SIZE;
        table->pjrt_api_version.minor_version = NEWER_MINOR;
        break;
    default:
        table = table_of(sizeof full_table);
        if (fake_lie == LIE_OLD_MINOR) {
            table->pjrt_api_version.minor_version = OLDER_MINOR;
        }
        if (fake_lie == LIE_MAJOR_1) {
            table->pjrt_api_version.major_version = 1;
        }
    }
    return table;
}
