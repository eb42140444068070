#include "onchip/tensor.h"

/* One row a type, by its PJRT_Buffer_Type number: NumPy's (or ml_dtypes') name, bits on
 * the host. */
static const struct {
    const char *name;
    size_t host_bits;
} types[] = {
    [OC_DTYPE_INVALID] = {"invalid", 0},
    [OC_PRED] = {"bool", 8},
    [OC_S8] = {"int8", 8},
    [OC_S16] = {"int16", 16},
    [OC_S32] = {"int32", 32},
    [OC_S64] = {"int64", 64},
    [OC_U8] = {"uint8", 8},
    [OC_U16] = {"uint16", 16},
    [OC_U32] = {"uint32", 32},
    [OC_U64] = {"uint64", 64},
    [OC_F16] = {"float16", 16},
    [OC_F32] = {"float32", 32},
    [OC_F64] = {"float64", 64},
    [OC_BF16] = {"bfloat16", 16},
    [OC_C64] = {"complex64", 64},
    [OC_C128] = {"complex128", 128},
    [OC_F8E5M2] = {"float8_e5m2", 8},
    [OC_F8E4M3FN] = {"float8_e4m3fn", 8},
    [OC_F8E4M3B11FNUZ] = {"float8_e4m3b11fnuz", 8},
    [OC_F8E5M2FNUZ] = {"float8_e5m2fnuz", 8},
    [OC_F8E4M3FNUZ] = {"float8_e4m3fnuz", 8},
    [OC_S4] = {"int4", 8},
    [OC_U4] = {"uint4", 8},
    [OC_TOKEN] = {"token", 0},
    [OC_S2] = {"int2", 8},
    [OC_U2] = {"uint2", 8},
    [OC_F8E4M3] = {"float8_e4m3", 8},
    [OC_F8E3M4] = {"float8_e3m4", 8},
    [OC_F8E8M0FNU] = {"float8_e8m0fnu", 8},
    [OC_F4E2M1FN] = {"float4_e2m1fn", 8},
};

static size_t row(oc_dtype dtype)
{
    size_t index = (size_t)dtype;
    return index < sizeof types / sizeof *types ? index : OC_DTYPE_INVALID;
}

const char *oc_dtype_name(oc_dtype dtype)
{
    return types[row(dtype)].name;
}

size_t oc_dtype_host_bits(oc_dtype dtype)
{
    return types[row(dtype)].host_bits;
}
