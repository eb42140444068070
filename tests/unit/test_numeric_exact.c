/* The judge of exact references: equal bit for bit, or not. Bit patterns are those of
 * IEEE 754 binary32. */
#include "unit.h"

#include "numeric/exact.h"

#include <float.h>
#include <math.h>

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Element 1 of three is `got` where `want` is right. */
static oc__numeric_result judge(float got, float want)
{
    const float gots[3] = {1.0F, got, 2.0F};
    const float wants[3] = {1.0F, want, 2.0F};
    oc__numeric_result result;
    oc__numeric_exact(gots, 3, wants, 3, true, &result);
    return result;
}

static void equal_bits_pass(void **state)
{
    static const uint32_t patterns[] = {0x00000000, 0x80000000, 0x3f800000,
                                        0x00000001, 0x80000001, 0x007fffff,
                                        0x00800000, 0x7f7fffff, 0xbe000000};
    (void)state;
    char text[128];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        float value = from_bits(patterns[i]);
        oc__numeric_result result = judge(value, value);
        assert_int_equal(result.verdict, OC_PASS);
        assert_string_equal(result.level, "exact");
        assert_string_equal(result.reason, "bit_equal");
        assert_true(result.max_absolute_error == 0);
        oc__numeric_describe(&result, text, sizeof text);
        assert_string_equal(text,
                            "every element equals the exact reference bit for bit");
    }
}

static void one_bit_fails(void **state)
{
    static const struct {
        uint32_t got, want;
        double error;
    } table[] = {
        {0x3f800001, 0x3f800000, 0x1p-23}, // one unit in the last place above 1
        {0x3f7fffff, 0x3f800000, 0x1p-24}, // and below
        {0x80000000, 0x00000000, 0},       // -0 for +0
        {0x00000000, 0x80000000, 0},
        {0x00000001, 0x00000000, 0x1p-149}, // the smallest subnormal for 0
        {0x00000000, 0x00000001, 0x1p-149}, // flushed to 0
        {0x007fffff, 0x00800000, 0x1p-149}, // subnormal for the smallest normal
        {0xbf800000, 0x3f800000, 2},
        {0x7f7fffff, 0xff7fffff, 2 * (double)FLT_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc__numeric_result result =
            judge(from_bits(table[i].got), from_bits(table[i].want));
        assert_int_equal(result.verdict, OC_FAIL);
        assert_null(result.level);
        assert_string_equal(result.reason, "value_differs");
        assert_int_equal(result.first_index, 1);
        assert_true(result.got == (double)from_bits(table[i].got));
        assert_true(result.want == (double)from_bits(table[i].want));
        assert_true(result.max_absolute_error == table[i].error);
    }
}

static void what_is_not_finite_fails(void **state)
{
    static const uint32_t patterns[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x7f800000,
                                        0xff800000};
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        oc__numeric_result result = judge(from_bits(patterns[i]), 1.0F);
        assert_int_equal(result.verdict, OC_FAIL);
        assert_string_equal(result.reason, "not_finite");
        assert_int_equal(result.first_index, 1);
        assert_true(isnan(result.max_absolute_error));
    }
}

/* An error that is no number stays one, whatever follows it. */
static void a_nan_is_not_forgotten(void **state)
{
    static const float got[3] = {(float)NAN, 5.0F, 7.0F};
    static const float want[3] = {1.0F, 4.0F, 7.0F};
    (void)state;
    oc__numeric_result result;
    oc__numeric_exact(got, 3, want, 3, true, &result);
    assert_true(isnan(result.max_absolute_error));
    assert_int_equal(result.first_index, 0);
    oc__numeric_exact(got + 1, 2, want + 1, 2, true, &result);
    assert_true(result.max_absolute_error == 1);
}

static void the_first_wrong_element_and_the_largest_error(void **state)
{
    static const float got[4] = {1.0F, 2.5F, 3.0F, 8.0F};
    static const float want[4] = {1.0F, 2.0F, 3.0F, 4.0F};
    (void)state;
    char text[128];
    oc__numeric_result result;
    oc__numeric_exact(got, 4, want, 4, true, &result);
    assert_int_equal(result.first_index, 1);
    assert_true(result.max_absolute_error == 4);
    oc__numeric_describe(&result, text, sizeof text);
    assert_string_equal(text, "element 1 is 2.5, must be 2");
    // Nine digits show one unit in the last place.
    result = judge(nextafterf(1.75F, 2.0F), 1.75F);
    oc__numeric_describe(&result, text, sizeof text);
    assert_string_equal(text, "element 1 is 1.75000012, must be 1.75");
}

static void another_count_fails(void **state)
{
    static const float same[3] = {1.0F, 2.0F, 3.0F};
    (void)state;
    char text[128];
    for (size_t count = 0; count < 3; count++) {
        oc__numeric_result result;
        oc__numeric_exact(same, count, same, 3, true, &result);
        assert_int_equal(result.verdict, OC_FAIL);
        assert_string_equal(result.reason, "shape_differs");
        assert_true(isnan(result.max_absolute_error));
        oc__numeric_exact(same, 3, same, count, true, &result);
        assert_int_equal(result.verdict, OC_FAIL);
        assert_string_equal(result.reason, "shape_differs");
    }
    oc__numeric_result result;
    oc__numeric_exact(same, 2, same, 3, true, &result);
    oc__numeric_describe(&result, text, sizeof text);
    assert_string_equal(text, "2 elements came back, must be 3");
}

static void an_inexact_reference_judges_nothing(void **state)
{
    static const float right[2] = {1.0F, 2.0F};
    static const float wrong[2] = {1.0F, 3.0F};
    (void)state;
    char text[128];
    const float *const gots[] = {right, wrong};
    for (size_t i = 0; i < 2; i++) {
        oc__numeric_result result;
        oc__numeric_exact(gots[i], 2, right, 2, false, &result);
        assert_int_equal(result.verdict, OC_UNKNOWN);
        assert_null(result.level);
        assert_string_equal(result.reason, "reference_inexact");
        oc__numeric_describe(&result, text, sizeof text);
        assert_string_equal(text, "the reference is not exact for these inputs");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bits_pass),
        cmocka_unit_test(one_bit_fails),
        cmocka_unit_test(what_is_not_finite_fails),
        cmocka_unit_test(a_nan_is_not_forgotten),
        cmocka_unit_test(the_first_wrong_element_and_the_largest_error),
        cmocka_unit_test(another_count_fails),
        cmocka_unit_test(an_inexact_reference_judges_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
