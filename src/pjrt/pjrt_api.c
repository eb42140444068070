#include "pjrt/pjrt_api.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What onchip cannot do without, in the order of the table. */
#define REQUIRED_FUNCTIONS(X)                                                          \
    X(PJRT_Error_Destroy)                                                              \
    X(PJRT_Error_Message)                                                              \
    X(PJRT_Error_GetCode)                                                              \
    X(PJRT_Plugin_Initialize)                                                          \
    X(PJRT_Event_Destroy)                                                              \
    X(PJRT_Event_Await)                                                                \
    X(PJRT_Client_Create)                                                              \
    X(PJRT_Client_PlatformName)                                                        \
    X(PJRT_Client_Devices)                                                             \
    X(PJRT_Client_AddressableDevices)                                                  \
    X(PJRT_Client_Compile)                                                             \
    X(PJRT_Client_BufferFromHostBuffer)                                                \
    X(PJRT_DeviceDescription_Id)                                                       \
    X(PJRT_DeviceDescription_Kind)                                                     \
    X(PJRT_DeviceDescription_ToString)                                                 \
    X(PJRT_Device_GetDescription)                                                      \
    X(PJRT_LoadedExecutable_GetExecutable)                                             \
    X(PJRT_LoadedExecutable_Execute)                                                   \
    X(PJRT_Executable_NumOutputs)                                                      \
    X(PJRT_Buffer_Destroy)                                                             \
    X(PJRT_Buffer_ElementType)                                                         \
    X(PJRT_Buffer_Dimensions)                                                          \
    X(PJRT_Buffer_ToHostBuffer)                                                        \
    X(PJRT_Buffer_Device)

enum { MAX_TABLE_BYTES = 1 << 20, MAX_MAPPINGS = 8192 };

typedef struct mapping {
    uintptr_t start, end;
    bool readable, code;
} mapping;

/* The address ranges of this process; *out_count is 0 when they cannot be read. */
static mapping *list_mappings(size_t *out_count)
{
    *out_count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    mapping *found = calloc(MAX_MAPPINGS, sizeof *found);
    char *line = NULL;
    size_t capacity = 0;
    while (maps && found && *out_count < MAX_MAPPINGS &&
           getline(&line, &capacity, maps) > 0) {
        char *at = NULL;
        uintptr_t start = strtoul(line, &at, 16);
        uintptr_t end = *at == '-' ? strtoul(at + 1, &at, 16) : 0;
        if (end > start && strlen(at) > 4) { // " rwxp ..."
            found[(*out_count)++] = (mapping){start, end, at[1] == 'r', at[3] == 'x'};
        }
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    return found;
}

static const mapping *find_mapping(uintptr_t address, const mapping *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (address >= list[i].start && address < list[i].end) {
            return &list[i];
        }
    }
    return NULL;
}

/* The index of the first entry that cannot be one: it lies outside of memory that can
 * be read, or points to what is no code; -1 when there is none. */
static long find_bad_entry(const oc__pjrt *pjrt, const mapping *list, size_t count)
{
    size_t first = offsetof(PJRT_Api, PJRT_Error_Destroy);
    for (size_t at = first; count > 0 && at + sizeof(void *) <= pjrt->table_size;
         at += sizeof(void *)) {
        const char *place = (const char *)pjrt->api + at;
        const mapping *memory = find_mapping((uintptr_t)place, list, count);
        uintptr_t entry = 0;
        if (memory && memory->readable) {
            memcpy(&entry, place, sizeof entry);
        }
        const mapping *target = find_mapping(entry, list, count);
        if (!memory || !memory->readable ||
            (entry != 0 && (!target || !target->code))) {
            return (long)((at - first) / sizeof(void *));
        }
    }
    return -1;
}

/* A table that is shorter than its struct_size says is followed by other data, or by
 * nothing. */
static oc_status check_entries(const oc__pjrt *pjrt, const char *path, oc_error *err)
{
    size_t count = 0;
    mapping *list = list_mappings(&count);
    long bad = find_bad_entry(pjrt, list, count);
    free(list);
    if (bad < 0) {
        return OC_OK;
    }
    return OC_FAIL(
        err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
        "'%s': entry %ld of the PJRT table is no function; the table is shorter "
        "than the %zu bytes that its struct_size says",
        path, bad, pjrt->api->struct_size);
}

static oc_status check_required(const oc__pjrt *pjrt, const char *path, oc_error *err)
{
    const PJRT_Api *api = pjrt->api;
    const char *missing = NULL;
#define CHECK(function)                                                                \
    missing = missing || OC__PJRT_HAS(pjrt, function) ? missing : #function;
    REQUIRED_FUNCTIONS(CHECK)
#undef CHECK
    if (!missing) {
        return OC_OK;
    }
    return OC_FAIL(
        err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
        "'%s': the PJRT table (API %d.%d, %zu bytes) has no %s, which onchip "
        "needs",
        path, api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version,
        api->struct_size, missing);
}

static oc_status check_table(oc__pjrt *pjrt, const char *path, oc_error *err)
{
    const PJRT_Api *api = pjrt->api;
    size_t head = offsetof(PJRT_Api, PJRT_Error_Destroy);
    if (api->struct_size < head || api->struct_size > MAX_TABLE_BYTES) {
        return OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
                       "'%s': the PJRT table says that it has %zu bytes, which is no "
                       "size for one",
                       path, api->struct_size);
    }
    if (api->pjrt_api_version.major_version != PJRT_API_MAJOR) {
        return OC_FAIL(
            err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
            "'%s' speaks PJRT API %d.%d; onchip speaks major version %d only", path,
            api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version,
            PJRT_API_MAJOR);
    }
    pjrt->table_size =
        api->struct_size < sizeof(PJRT_Api) ? api->struct_size : sizeof(PJRT_Api);
    oc_status rc = check_entries(pjrt, path, err);
    return rc == OC_OK ? check_required(pjrt, path, err) : rc;
}

oc_status oc__pjrt_load(const char *path, oc__pjrt **out_pjrt, oc_error *err)
{
    oc_status rc = OC_OK;
    *out_pjrt = NULL;
    oc__pjrt *pjrt = calloc(1, sizeof *pjrt);
    if (!pjrt) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_PLUGIN, "out of memory");
        goto done;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN, "plugin cannot be loaded: %s",
                     dlerror());
        goto done;
    }
    void *symbol = dlsym(library, "GetPjrtApi");
    if (!symbol) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
                     "'%s' is no PJRT plugin: it exports no GetPjrtApi", path);
        goto done;
    }
    const PJRT_Api *(*get_api)(void);
    memcpy(&get_api, &symbol, sizeof get_api); // ISO C has no cast for this; POSIX does
    pjrt->api = get_api();
    if (!pjrt->api) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN, "'%s': GetPjrtApi gave NULL",
                     path);
        goto done;
    }
    rc = check_table(pjrt, path, err);
    if (rc != OC_OK) {
        goto done;
    }
    *out_pjrt = pjrt;
    pjrt = NULL;
done:
    oc__pjrt_free(pjrt);
    return rc;
}

void oc__pjrt_free(oc__pjrt *pjrt)
{
    if (pjrt && pjrt->client && OC__PJRT_HAS(pjrt, PJRT_Client_Destroy)) {
        PJRT_Client_Destroy_Args args = {.struct_size =
                                             PJRT_Client_Destroy_Args_STRUCT_SIZE,
                                         .client = pjrt->client};
        oc__ignore(
            OC__PJRT_CALL(pjrt, PJRT_Client_Destroy, &args, OC_BOUNDARY_NONE, NULL));
    }
    free(pjrt);
}

/* Copies a plugin's words without what could drive a terminal: control characters
 * (U+0000 to U+001F but tab and line feed, U+007F to U+009F). */
static void copy_words(const char *words, size_t size, char *out, size_t out_size)
{
    size_t used = 0;
    for (size_t i = 0; i < size && used + 1 < out_size; i++) {
        unsigned char c = (unsigned char)words[i];
        unsigned char next = i + 1 < size ? (unsigned char)words[i + 1] : 0;
        bool is_c0 = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        bool is_c1 = c == 0xc2 && next >= 0x80 && next < 0xa0; // in UTF-8
        out[used] = '?';
        if (!is_c0 && !is_c1) {
            out[used] = words[i];
        }
        used++;
        i += is_c1 ? 1 : 0;
    }
    out[used] = '\0';
}

oc_status oc__pjrt_check(const oc__pjrt *pjrt, PJRT_Error *error, const char *function,
                         oc_boundary boundary, oc_error *err)
{
    if (!error) {
        return OC_OK;
    }
    PJRT_Error_GetCode_Args code = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE,
                                    .error = error};
    PJRT_Error *second = pjrt->api->PJRT_Error_GetCode(&code);
    PJRT_Error_Message_Args message = {
        .struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
    pjrt->api->PJRT_Error_Message(&message);
    char words[OC_ERROR_TEXT - 128];
    copy_words(message.message, message.message ? message.message_size : 0, words,
               sizeof words);
    oc_status rc =
        OC_FAIL(err, OC_PLUGIN, boundary, "%s failed with code %d: %s", function,
                (int)code.code, *words ? words : "(the plugin gave no message)");
    if (err && err->status == rc) {
        err->plugin_code = second ? 0 : (int)code.code;
    }
    PJRT_Error *to_destroy[] = {error, second};
    for (int i = 0; i < 2 && to_destroy[i]; i++) {
        PJRT_Error_Destroy_Args destroy = {
            .struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = to_destroy[i]};
        pjrt->api->PJRT_Error_Destroy(&destroy);
    }
    return rc;
}

oc_status oc__pjrt_await(const oc__pjrt *pjrt, PJRT_Event *event, oc_boundary boundary,
                         oc_error *err)
{
    if (!event) {
        return OC_OK;
    }
    PJRT_Event_Await_Args await = {.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE,
                                   .event = event};
    oc_status rc = OC__PJRT_CALL(pjrt, PJRT_Event_Await, &await, boundary, err);
    PJRT_Event_Destroy_Args destroy = {
        .struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = event};
    oc__ignore(OC__PJRT_CALL(pjrt, PJRT_Event_Destroy, &destroy, boundary, NULL));
    return rc;
}
