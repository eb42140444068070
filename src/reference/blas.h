/* OpenBLAS, loaded when the first large product wants it: it starts its threads as soon
 * as it is mapped (4 ms), which no `verify` or `inspect` should pay for. */
#ifndef ONCHIP_REFERENCE_BLAS_H
#define ONCHIP_REFERENCE_BLAS_H

#include <cblas.h>

typedef void (*oc__dgemm_fn)(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transpose_a,
                             enum CBLAS_TRANSPOSE transpose_b, blasint m, blasint n,
                             blasint k, double alpha, const double *a, blasint lda,
                             const double *b, blasint ldb, double beta, double *c,
                             blasint ldc);

/* cblas_dgemm; NULL when the library is not there. Safe from any thread. */
oc__dgemm_fn oc__blas_dgemm(void);

#endif
