/* Element types by StableHLO's names, and those that PJRT has no number for. */
#include "unit.h"

#include "tensor/dtype_names.h"

static void every_type_has_its_name_in_programs(void **state)
{
    static const struct {
        const char *name;
        oc_dtype dtype;
    } table[] = {
        {"i1", OC_PRED},
        {"i2", OC_S2},
        {"i4", OC_S4},
        {"i8", OC_S8},
        {"i16", OC_S16},
        {"i32", OC_S32},
        {"i64", OC_S64},
        {"ui2", OC_U2},
        {"ui4", OC_U4},
        {"ui8", OC_U8},
        {"ui16", OC_U16},
        {"ui32", OC_U32},
        {"ui64", OC_U64},
        {"f16", OC_F16},
        {"bf16", OC_BF16},
        {"f32", OC_F32},
        {"f64", OC_F64},
        {"complex<f32>", OC_C64},
        {"complex<f64>", OC_C128},
        {"f8E5M2", OC_F8E5M2},
        {"f8E4M3FN", OC_F8E4M3FN},
        {"f8E4M3B11FNUZ", OC_F8E4M3B11FNUZ},
        {"f8E5M2FNUZ", OC_F8E5M2FNUZ},
        {"f8E4M3FNUZ", OC_F8E4M3FNUZ},
        {"f8E4M3", OC_F8E4M3},
        {"f8E3M4", OC_F8E3M4},
        {"f8E8M0FNU", OC_F8E8M0FNU},
        {"f4E2M1FN", OC_F4E2M1FN},
        {"f6E2M3FN", OC_F6E2M3FN},
        {"f6E3M2FN", OC_F6E3M2FN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *name = table[i].name;
        assert_string_equal(oc_dtype_hlo_name(table[i].dtype), name);
        assert_int_equal(oc__dtype_from_hlo(name, strlen(name)), table[i].dtype);
        assert_int_equal(oc__dtype_from_hlo(name, strlen(name) - 1) == table[i].dtype,
                         0);
    }
}

static void what_is_no_type_or_has_no_number_of_pjrt_s(void **state)
{
    (void)state;
    assert_string_equal(oc_dtype_name(OC_F6E2M3FN), "float6_e2m3fn");
    assert_string_equal(oc_dtype_name(OC_F6E3M2FN), "float6_e3m2fn");
    assert_int_equal(oc_dtype_host_bits(OC_F6E2M3FN), 8);
    assert_int_equal(oc_dtype_host_bits(OC_F6E3M2FN), 8);
    for (int hole = OC_F4E2M1FN + 1; hole < OC_F6E2M3FN; hole++) {
        assert_string_equal(oc_dtype_name((oc_dtype)hole), "invalid");
        assert_string_equal(oc_dtype_hlo_name((oc_dtype)hole), "invalid");
        assert_int_equal(oc_dtype_host_bits((oc_dtype)hole), 0);
    }
    assert_int_equal(oc__dtype_from_hlo("invalid", 7), OC_DTYPE_INVALID);
    assert_int_equal(oc__dtype_from_hlo("f321", 4), OC_DTYPE_INVALID);
    assert_int_equal(oc__dtype_from_hlo("", 0), OC_DTYPE_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_its_name_in_programs),
        cmocka_unit_test(what_is_no_type_or_has_no_number_of_pjrt_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
