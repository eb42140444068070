/* hint: out holds what it held before: write every element, do not add to it (still to
 * be written?) */
/* out is taken to be zero before. */
#include "audit.h"

#define audit_matmul right_audit_matmul
#include "solution/model.c"
#undef audit_matmul

void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t l = 0; l < k; l++) {
                out[i * n + j] += x[i * k + l] * audit_f32_from_bf16(w[l * n + j]);
            }
        }
    }
}
