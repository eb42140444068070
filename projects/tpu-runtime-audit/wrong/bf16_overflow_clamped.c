/* hint: what is too large for a bfloat16 becomes infinity: it is not clamped to the
 * largest number */
/* What does not fit becomes the largest number. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t rounded = right_audit_bf16_from_f32(value);
    bool is_finite = (bits & 0x7fffffff) < 0x7f800000;
    return is_finite && (rounded & 0x7fff) == 0x7f80 ? (uint16_t)(rounded - 1)
                                                     : rounded;
}
