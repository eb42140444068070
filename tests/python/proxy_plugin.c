/* A plugin that passes everything on to a real one, ONCHIP_PROXY_TO, and in execution
 * number ONCHIP_PROXY_AT (from 1) does what ONCHIP_PROXY_DOES says: "crash" or "hang".
 * The fakes of tests/fakes run two programs only; this one trains. */
#include "pjrt_c_api.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PJRT_Api table;
static const PJRT_Api *real;
static int executions;

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *args)
{
    const char *does = getenv("ONCHIP_PROXY_DOES");
    const char *at = getenv("ONCHIP_PROXY_AT");
    bool now = does && at && ++executions == atoi(at);
    if (now && strcmp(does, "crash") == 0) {
        fprintf(stderr, "the proxy crashes\n");
        signal(SIGSEGV,
               SIG_DFL); // a sanitizer of the worker's would end it another way
        raise(SIGSEGV);
    }
    while (now && strcmp(does, "hang") == 0) {
        pause();
    }
    return real->PJRT_LoadedExecutable_Execute(args);
}

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);

const PJRT_Api *GetPjrtApi(void)
{
    void *library = dlopen(getenv("ONCHIP_PROXY_TO"), RTLD_NOW | RTLD_LOCAL);
    const PJRT_Api *(*get)(void) = NULL;
    if (library) {
        *(void **)&get = dlsym(library, "GetPjrtApi");
    }
    real = get ? get() : NULL;
    if (!real) {
        return NULL;
    }
    size_t size = real->struct_size < sizeof table ? real->struct_size : sizeof table;
    memcpy(&table, real, size);
    table.struct_size = size;
    table.PJRT_LoadedExecutable_Execute = execute;
    return &table;
}
