/* hint: a NaN must stay a NaN: rounding carried it over into a number */
/* NaN is rounded like any number, but for those that would become infinity. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) == 0x7f800001 || (bits & 0x7fff0000) == 0x7f800000) {
        return right_audit_bf16_from_f32(value);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
