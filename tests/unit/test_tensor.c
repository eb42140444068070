/* Arrays on the host: sizes are checked, and element types have PJRT's numbers. */
#include "unit.h"

#include "onchip/tensor.h"

#include <pjrt_c_api.h>

static void sizes_are_products(void **state)
{
    static const struct {
        oc_dtype dtype;
        size_t rank;
        int64_t dims[4];
        size_t size_bytes, count;
    } table[] = {
        {OC_F32, 2, {8, 3}, 96, 24},      {OC_F32, 0, {0}, 4, 1},
        {OC_F64, 1, {5}, 40, 5},          {OC_BF16, 3, {2, 3, 4}, 48, 24},
        {OC_C128, 1, {2}, 32, 2},         {OC_S4, 1, {3}, 3, 3},
        {OC_F32, 2, {0, 7}, 0, 0},        {OC_F32, 3, {7, 0, INT64_MAX}, 0, 0},
        {OC_PRED, 4, {1, 1, 1, 1}, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_tensor tensor;
        assert_int_equal(
            oc_tensor_make(table[i].dtype, table[i].dims, table[i].rank, &tensor, NULL),
            OC_OK);
        assert_int_equal(tensor.size_bytes, table[i].size_bytes);
        assert_int_equal(oc_tensor_count(&tensor), table[i].count);
        assert_int_equal(tensor.rank, table[i].rank);
        assert_memory_equal(tensor.dims, table[i].dims,
                            table[i].rank * sizeof *tensor.dims);
        assert_non_null(tensor.data); // of an empty array too
        assert_int_equal((uintptr_t)tensor.data % 64, 0);
        for (size_t k = 0; k < tensor.size_bytes; k++) {
            assert_int_equal(((const unsigned char *)tensor.data)[k], 0);
        }
        oc_tensor_free(&tensor);
        assert_null(tensor.data);
        oc_tensor_free(&tensor);
    }
    oc_tensor_free(NULL);
}

static void what_cannot_be_an_array(void **state)
{
    enum { MANY = OC_MAX_RANK + 1 };
    static const int64_t ones[MANY] = {1, 1, 1, 1, 1, 1, 1, 1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t negative[2] = {3, -1};
    static const int64_t lowest[1] = {INT64_MIN};
    static const int64_t huge[2] = {(int64_t)1 << 32, (int64_t)1 << 32};
    static const int64_t wraps_to_small[2] = {(int64_t)1 << 62, 5};
    static const int64_t nearly_all[1] = {INT64_MAX};
    static const struct {
        oc_dtype dtype;
        oc_status status;
        const int64_t *dims;
        size_t rank;
        const char *words;
    } table[] = {
        {OC_F32, OC_INVALID_ARGUMENT, negative, 2, "dimension 1 is negative (-1)"},
        {OC_F32, OC_INVALID_ARGUMENT, lowest, 1, "negative"},
        {OC_F32, OC_LIMIT, ones, MANY, "17 dimensions"},
        {OC_F32, OC_LIMIT, huge, 2, "too large"},
        {OC_F32, OC_LIMIT, wraps_to_small, 2, "too large"},
        {OC_C128, OC_LIMIT, nearly_all, 1, "too large"},
        {OC_TOKEN, OC_INVALID_ARGUMENT, ones, 1, "token"},
        {OC_DTYPE_INVALID, OC_INVALID_ARGUMENT, ones, 1, "invalid"},
        {(oc_dtype)30, OC_INVALID_ARGUMENT, ones, 1, "invalid"},
        {(oc_dtype)-1, OC_INVALID_ARGUMENT, ones, 1, "invalid"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        oc_tensor tensor = {.data = &err, .size_bytes = 9};
        assert_int_equal(
            oc_tensor_make(table[i].dtype, table[i].dims, table[i].rank, &tensor, &err),
            table[i].status);
        ASSERT_ERROR(&err, table[i].status, OC_BOUNDARY_INPUT, table[i].words);
        assert_null(tensor.data);
        assert_int_equal(tensor.size_bytes, 0);
    }
    oc_tensor tensor;
    assert_int_equal(oc_tensor_make(OC_F32, ones, OC_MAX_RANK, &tensor, NULL), OC_OK);
    oc_tensor_free(&tensor);
}

static void element_types_have_pjrt_s_numbers(void **state)
{
    static const struct {
        int ours, theirs;
        const char *name;
        size_t host_bits;
    } table[] = {
        {OC_PRED, PJRT_Buffer_Type_PRED, "bool", 8},
        {OC_S8, PJRT_Buffer_Type_S8, "int8", 8},
        {OC_S16, PJRT_Buffer_Type_S16, "int16", 16},
        {OC_S32, PJRT_Buffer_Type_S32, "int32", 32},
        {OC_S64, PJRT_Buffer_Type_S64, "int64", 64},
        {OC_U8, PJRT_Buffer_Type_U8, "uint8", 8},
        {OC_U16, PJRT_Buffer_Type_U16, "uint16", 16},
        {OC_U32, PJRT_Buffer_Type_U32, "uint32", 32},
        {OC_U64, PJRT_Buffer_Type_U64, "uint64", 64},
        {OC_F16, PJRT_Buffer_Type_F16, "float16", 16},
        {OC_F32, PJRT_Buffer_Type_F32, "float32", 32},
        {OC_F64, PJRT_Buffer_Type_F64, "float64", 64},
        {OC_BF16, PJRT_Buffer_Type_BF16, "bfloat16", 16},
        {OC_C64, PJRT_Buffer_Type_C64, "complex64", 64},
        {OC_C128, PJRT_Buffer_Type_C128, "complex128", 128},
        {OC_F8E5M2, PJRT_Buffer_Type_F8E5M2, "float8_e5m2", 8},
        {OC_F8E4M3FN, PJRT_Buffer_Type_F8E4M3FN, "float8_e4m3fn", 8},
        {OC_F8E4M3B11FNUZ, PJRT_Buffer_Type_F8E4M3B11FNUZ, "float8_e4m3b11fnuz", 8},
        {OC_F8E5M2FNUZ, PJRT_Buffer_Type_F8E5M2FNUZ, "float8_e5m2fnuz", 8},
        {OC_F8E4M3FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ, "float8_e4m3fnuz", 8},
        {OC_S4, PJRT_Buffer_Type_S4, "int4", 8},
        {OC_U4, PJRT_Buffer_Type_U4, "uint4", 8},
        {OC_TOKEN, PJRT_Buffer_Type_TOKEN, "token", 0},
        {OC_S2, PJRT_Buffer_Type_S2, "int2", 8},
        {OC_U2, PJRT_Buffer_Type_U2, "uint2", 8},
        {OC_F8E4M3, PJRT_Buffer_Type_F8E4M3, "float8_e4m3", 8},
        {OC_F8E3M4, PJRT_Buffer_Type_F8E3M4, "float8_e3m4", 8},
        {OC_F8E8M0FNU, PJRT_Buffer_Type_F8E8M0FNU, "float8_e8m0fnu", 8},
        {OC_F4E2M1FN, PJRT_Buffer_Type_F4E2M1FN, "float4_e2m1fn", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(table[i].ours, table[i].theirs);
        assert_int_equal(table[i].ours, i + 1);
        assert_string_equal(oc_dtype_name((oc_dtype)table[i].ours), table[i].name);
        assert_int_equal(oc_dtype_host_bits((oc_dtype)table[i].ours),
                         table[i].host_bits);
    }
    assert_string_equal(oc_dtype_name((oc_dtype)30), "invalid");
    assert_int_equal(oc_dtype_host_bits((oc_dtype)-5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_products),
        cmocka_unit_test(what_cannot_be_an_array),
        cmocka_unit_test(element_types_have_pjrt_s_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
