/* hint: w was read by columns: element (l, j) stands at w[l * n + j] */
/* The weights are read as n x k. */
#include "audit.h"

#define audit_matmul right_audit_matmul
#include "solution/model.c"
#undef audit_matmul

void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float sum = 0.0F;
            for (size_t l = 0; l < k; l++) {
                sum += x[i * k + l] * audit_f32_from_bf16(w[j * k + l]);
            }
            out[i * n + j] = sum;
        }
    }
}
