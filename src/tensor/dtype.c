#include "tensor/dtype_names.h"

#include <string.h>

/* One row a type, by its number: NumPy's (or ml_dtypes') name, StableHLO's, bits on the
 * host. Numbers that are no type have a row without names. */
static const struct {
    const char *name, *hlo_name;
    size_t host_bits;
} types[] = {
    [OC_DTYPE_INVALID] = {"invalid", "invalid", 0},
    [OC_PRED] = {"bool", "i1", 8},
    [OC_S8] = {"int8", "i8", 8},
    [OC_S16] = {"int16", "i16", 16},
    [OC_S32] = {"int32", "i32", 32},
    [OC_S64] = {"int64", "i64", 64},
    [OC_U8] = {"uint8", "ui8", 8},
    [OC_U16] = {"uint16", "ui16", 16},
    [OC_U32] = {"uint32", "ui32", 32},
    [OC_U64] = {"uint64", "ui64", 64},
    [OC_F16] = {"float16", "f16", 16},
    [OC_F32] = {"float32", "f32", 32},
    [OC_F64] = {"float64", "f64", 64},
    [OC_BF16] = {"bfloat16", "bf16", 16},
    [OC_C64] = {"complex64", "complex<f32>", 64},
    [OC_C128] = {"complex128", "complex<f64>", 128},
    [OC_F8E5M2] = {"float8_e5m2", "f8E5M2", 8},
    [OC_F8E4M3FN] = {"float8_e4m3fn", "f8E4M3FN", 8},
    [OC_F8E4M3B11FNUZ] = {"float8_e4m3b11fnuz", "f8E4M3B11FNUZ", 8},
    [OC_F8E5M2FNUZ] = {"float8_e5m2fnuz", "f8E5M2FNUZ", 8},
    [OC_F8E4M3FNUZ] = {"float8_e4m3fnuz", "f8E4M3FNUZ", 8},
    [OC_S4] = {"int4", "i4", 8},
    [OC_U4] = {"uint4", "ui4", 8},
    [OC_TOKEN] = {"token", "!stablehlo.token", 0},
    [OC_S2] = {"int2", "i2", 8},
    [OC_U2] = {"uint2", "ui2", 8},
    [OC_F8E4M3] = {"float8_e4m3", "f8E4M3", 8},
    [OC_F8E3M4] = {"float8_e3m4", "f8E3M4", 8},
    [OC_F8E8M0FNU] = {"float8_e8m0fnu", "f8E8M0FNU", 8},
    [OC_F4E2M1FN] = {"float4_e2m1fn", "f4E2M1FN", 8},
    [OC_F6E2M3FN] = {"float6_e2m3fn", "f6E2M3FN", 8},
    [OC_F6E3M2FN] = {"float6_e3m2fn", "f6E3M2FN", 8},
};

enum { TYPE_COUNT = sizeof types / sizeof *types };

static size_t row(oc_dtype dtype)
{
    size_t index = (size_t)dtype;
    return index < TYPE_COUNT && types[index].name ? index : OC_DTYPE_INVALID;
}

const char *oc_dtype_name(oc_dtype dtype)
{
    return types[row(dtype)].name;
}

const char *oc_dtype_hlo_name(oc_dtype dtype)
{
    return types[row(dtype)].hlo_name;
}

size_t oc_dtype_host_bits(oc_dtype dtype)
{
    return types[row(dtype)].host_bits;
}

oc_dtype oc__dtype_from_hlo(const char *text, size_t size)
{
    for (size_t i = OC_DTYPE_INVALID + 1; i < TYPE_COUNT; i++) {
        const char *name = types[i].hlo_name;
        if (name && strlen(name) == size && memcmp(name, text, size) == 0) {
            return (oc_dtype)i;
        }
    }
    return OC_DTYPE_INVALID;
}

unsigned oc__dtype_width(oc_dtype dtype)
{
    switch ((int)dtype) {
    case OC_PRED: return 1;
    case OC_S2:
    case OC_U2: return 2;
    case OC_S4:
    case OC_U4:
    case OC_F4E2M1FN: return 4;
    case OC_F6E2M3FN:
    case OC_F6E3M2FN: return 6;
    default: return (unsigned)oc_dtype_host_bits(dtype);
    }
}
