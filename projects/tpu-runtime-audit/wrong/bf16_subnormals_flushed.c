/* hint: a subnormal number was flushed to zero */
/* What has no exponent is taken for zero. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000) == 0 ? (uint16_t)(bits >> 16 & 0x8000)
                                    : right_audit_bf16_from_f32(value);
}
