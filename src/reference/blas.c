#include "reference/blas.h"

#include "base/library.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static oc__dgemm_fn dgemm;

static void load(void)
{
    static const char *const name[] = {"cblas_dgemm"};
    oc__dgemm_fn found;
    if (oc__library_find("libopenblas.so.0", name, 1, &found)) {
        dgemm = found;
    }
}

oc__dgemm_fn oc__blas_dgemm(void)
{
    pthread_once(&once, load);
    return dgemm;
}
