/* hint: the result was rounded to BF16: only the weights are, the sum stays float32 */
/* The result is rounded like the weights. */
#include "audit.h"

#define audit_matmul right_audit_matmul
#include "solution/model.c"
#undef audit_matmul

void audit_matmul(const float *x, const uint16_t *w, size_t m, size_t k, size_t n,
                  float *out)
{
    right_audit_matmul(x, w, m, k, n, out);
    for (size_t i = 0; i < m * n; i++) {
        out[i] = audit_f32_from_bf16(audit_bf16_from_f32(out[i]));
    }
}
