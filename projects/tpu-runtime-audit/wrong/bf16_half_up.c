/* hint: a tie was rounded up: of two equally near values the even one is taken */
/* Half a step is added before the cut. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fc0 : (uint16_t)((bits + 0x8000) >> 16);
}
