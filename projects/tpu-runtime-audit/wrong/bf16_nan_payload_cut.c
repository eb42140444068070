/* hint: a NaN became an infinity: what made it a NaN stood in the lower half */
/* NaN is cut like any number. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? (uint16_t)(bits >> 16) : right_audit_bf16_from_f32(value);
}
