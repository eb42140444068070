/* hint: the lower half was cut off (truncation): it must be rounded to nearest */
/* The upper half alone, with the quiet bit where NaN needs it. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16 | (value != value ? 0x0040U : 0));
}
