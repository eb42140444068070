/* The numeric verdict on the lesson's prediction. The right values were worked out by
 * hand: row i of X is (3i, 3i + 1, 3i + 2) / 8, so with w = (1/2, -1/4, 1) and bias b
 * row i gives (15 i + 7) / 32 + b. */
#include "unit.h"

#include "numeric/prediction.h"

#include <math.h>

enum { ROWS = OC__PREDICTION_ROWS, ELEMENTS = ROWS * OC__PREDICTION_FEATURES };

typedef struct world {
    float x[ELEMENTS];
    float w[OC__PREDICTION_FEATURES];
    float values[3][ROWS];
    oc__prediction_case wanted;
    oc__prediction_output outputs[3];
} world;

static world lesson(void)
{
    static const char *const names[] = {"prediction", "changed_bias", "row_reversal"};
    world made = {.w = {0.5F, -0.25F, 1.0F}};
    for (int i = 0; i < ELEMENTS; i++) {
        made.x[i] = (float)i / 8;
    }
    for (int i = 0; i < ROWS; i++) {
        float y = (float)(15 * i + 7) / 32;
        made.values[0][i] = y + 0.125F;
        made.values[1][i] = y - 0.25F;
        made.values[2][ROWS - 1 - i] = y + 0.125F;
    }
    made.wanted = (oc__prediction_case){.bias = 0.125F, .changed_bias = -0.25F};
    for (int i = 0; i < 3; i++) {
        made.outputs[i] = (oc__prediction_output){
            .name = names[i], .reached = true, .contract_holds = true, .count = ROWS};
    }
    return made;
}

static oc__prediction_result judge(world *w)
{
    oc__prediction_result result;
    w->wanted.x = w->x;
    w->wanted.w = w->w;
    for (int i = 0; i < 3; i++) {
        w->outputs[i].values = w->values[i];
    }
    oc__numeric_prediction(&w->wanted, w->outputs, &result);
    return result;
}

static void assert_result(const oc__prediction_result *result, oc_verdict verdict,
                          const char *reason, const char *words)
{
    assert_int_equal(result->verdict, verdict);
    assert_string_equal(result->reason, reason);
    if (verdict == OC_PASS) {
        assert_string_equal(result->level, "exact");
    } else {
        assert_null(result->level);
    }
    if (!strstr(result->detail, words)) {
        fail_msg("'%s' is not in: %s", words, result->detail);
    }
}

static void the_right_outputs_pass(void **state)
{
    (void)state;
    world w = lesson();
    oc__prediction_result result = judge(&w);
    assert_result(&result, OC_PASS, "bit_equal", "bit for bit");
    assert_true(result.max_absolute_error == 0);
    assert_true(result.swap_refuted && result.drop_refuted);
    assert_memory_equal(result.reference, w.values[0], sizeof result.reference);
    assert_true(w.values[0][0] == 0.34375F && w.values[0][7] == 3.625F);
    // The first two rows swapped, and 0.21875 without the bias.
    assert_string_equal(result.swap_detail, "element 0 is 0.34375, must be 0.8125");
    assert_string_equal(result.drop_detail, "element 0 is 0.34375, must be 0.21875");
}

static void one_ulp_in_any_element_of_any_output_fails(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i < ROWS; i++) {
            world w = lesson();
            w.values[which][i] = nextafterf(w.values[which][i], 100.0F);
            oc__prediction_result result = judge(&w);
            assert_result(&result, OC_FAIL, "value_differs", w.outputs[which].name);
            assert_true((result.max_absolute_error > 0) == (which == 0));
        }
    }
}

static void wrong_outputs_fail(void **state)
{
    (void)state;
    world w = lesson();
    memcpy(w.values[2], w.values[0], sizeof w.values[2]); // not reversed
    oc__prediction_result result = judge(&w);
    assert_result(&result, OC_FAIL, "value_differs", "row_reversal: element 0");

    w = lesson();
    memcpy(w.values[1], w.values[0], sizeof w.values[1]); // the bias not changed
    result = judge(&w);
    assert_result(&result, OC_FAIL, "value_differs", "changed_bias: element 0");

    w = lesson();
    w.values[0][5] = (float)NAN;
    result = judge(&w);
    assert_result(&result, OC_FAIL, "not_finite", "prediction: element 5 is nan");
    assert_true(isnan(result.max_absolute_error));

    w = lesson();
    w.outputs[1].count = ROWS - 1;
    result = judge(&w);
    assert_result(&result, OC_FAIL, "shape_differs", "7 elements came back");
}

static void a_changed_contract_fails_whatever_the_values(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        world w = lesson();
        w.outputs[which].contract_holds = false;
        oc__prediction_result result = judge(&w);
        assert_result(&result, OC_FAIL, "contract_changed",
                      "prediction contract changed");
        assert_non_null(strstr(result.detail, w.outputs[which].name));
        assert_true(isnan(result.max_absolute_error) == (which == 0));
    }
}

static void what_was_not_reached_is_unknown(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        world w = lesson();
        w.outputs[which].reached = false;
        oc__prediction_result result = judge(&w);
        assert_result(&result, OC_UNKNOWN, "not_reached", w.outputs[which].name);
    }
    world w = lesson();
    w.outputs[0].reached = false;
    oc__prediction_result result = judge(&w);
    assert_true(isnan(result.max_absolute_error));
    assert_string_equal(result.swap_detail, "");
    assert_false(result.swap_refuted || result.drop_refuted);
}

/* In every row x . w is the same, so that rows swapped are the right expectation. */
static void equal_rows_leave_a_control_standing(void **state)
{
    (void)state;
    world w = lesson();
    for (int i = 0; i < ELEMENTS; i++) {
        w.x[i] = 1.0F;
    }
    for (int i = 0; i < ROWS; i++) {
        w.values[0][i] = 1.25F + 0.125F;
        w.values[1][i] = 1.25F - 0.25F;
        w.values[2][i] = 1.25F + 0.125F;
    }
    oc__prediction_result result = judge(&w);
    assert_result(&result, OC_UNKNOWN, "control_not_refuted", "rows swapped");
    assert_false(result.swap_refuted);
    assert_true(result.drop_refuted);
    // One row that differs, the last one, is enough.
    w.x[ELEMENTS - 1] = 2.0F;
    w.values[0][ROWS - 1] += 1.0F;
    w.values[1][ROWS - 1] += 1.0F;
    w.values[2][0] += 1.0F;
    result = judge(&w);
    assert_result(&result, OC_PASS, "bit_equal", "");
    assert_string_equal(result.swap_detail, "element 0 is 1.375, must be 2.375");
}

/* With a bias of 0 an expectation without it is right. */
static void no_bias_leaves_a_control_standing(void **state)
{
    (void)state;
    world w = lesson();
    w.wanted.bias = 0;
    for (int i = 0; i < ROWS; i++) {
        w.values[0][i] -= 0.125F;
        w.values[2][i] -= 0.125F;
    }
    oc__prediction_result result = judge(&w);
    assert_result(&result, OC_UNKNOWN, "control_not_refuted", "bias dropped");
    assert_true(result.swap_refuted);
    assert_false(result.drop_refuted);
}

static void inputs_without_an_exact_answer_are_unknown(void **state)
{
    (void)state;
    world w = lesson();
    w.x[0] = 0x1p60F; // times 1/2, plus small numbers: no binary32, no double
    oc__prediction_result result = judge(&w);
    assert_result(&result, OC_UNKNOWN, "reference_inexact", "not exact");
    // A wrong value in another output does not become a reason to judge.
    w.values[2][3] += 1.0F;
    result = judge(&w);
    assert_int_equal(result.verdict, OC_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_outputs_pass),
        cmocka_unit_test(one_ulp_in_any_element_of_any_output_fails),
        cmocka_unit_test(wrong_outputs_fail),
        cmocka_unit_test(a_changed_contract_fails_whatever_the_values),
        cmocka_unit_test(what_was_not_reached_is_unknown),
        cmocka_unit_test(equal_rows_leave_a_control_standing),
        cmocka_unit_test(no_bias_leaves_a_control_standing),
        cmocka_unit_test(inputs_without_an_exact_answer_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
