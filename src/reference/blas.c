#include "reference/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static oc__dgemm_fn dgemm;

static void load(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "cblas_dgemm") : NULL;
    memcpy(&dgemm, &found, sizeof dgemm); // ISO C has no cast from data to function
}

oc__dgemm_fn oc__blas_dgemm(void)
{
    pthread_once(&once, load);
    return dgemm;
}
