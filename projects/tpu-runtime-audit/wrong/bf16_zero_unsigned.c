/* hint: the sign of zero was lost */
/* Both zeros compare equal to 0. */
#include "audit.h"

#define audit_bf16_from_f32 right_audit_bf16_from_f32
#include "solution/model.c"
#undef audit_bf16_from_f32

uint16_t audit_bf16_from_f32(float value)
{
    return value == 0.0F ? 0 : right_audit_bf16_from_f32(value);
}
