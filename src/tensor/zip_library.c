#include "tensor/zip_library.h"

#include "base/library.h"

#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static oc__zip_library functions;
static bool loaded;

static void load(void)
{
#define NAME(name) "zip_" #name,
    static const char *const names[] = {OC__ZIP_FUNCTIONS(NAME)};
#undef NAME
    loaded = oc__library_find("libzip.so.4", names, sizeof names / sizeof *names,
                              &functions);
}

const oc__zip_library *oc__zip(void)
{
    pthread_once(&once, load);
    return loaded ? &functions : NULL;
}
