/* hint: each weight is converted back to float32 before it is multiplied */
/* The bits are multiplied as if they were integers. */
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
                sum += x[i * k + l] * (float)w[l * n + j];
            }
            out[i * n + j] = sum;
        }
    }
}
