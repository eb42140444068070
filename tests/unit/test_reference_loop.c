/* Loops of the evaluator: state, limits, conditions that are not decided. Expected
 * values are the specification's semantics worked out by hand. */
#include "program_fixture.h"

#define LOOP(results, condition, body)                                                 \
    MAIN(results,                                                                      \
         SCALAR("zero", "0") SCALAR("one", "1") SCALAR(                                \
             "n",                                                                      \
             "10") "  %r:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, "  \
                   "tensor<i32>\n"                                                     \
                   "    cond {\n" condition                                            \
                   "      stablehlo.return %go : tensor<i1>\n"                         \
                   "    } do {\n" body "    }\n"                                       \
                   "  return %r#0, %r#1 : tensor<i32>, tensor<i32>\n")
#define COUNT                                                                          \
    "      %j = stablehlo.add %i, %one : tensor<i32>\n"                                \
    "      %t = stablehlo.add %s, %i : tensor<i32>\n"                                  \
    "      stablehlo.return %j, %t : tensor<i32>, tensor<i32>\n"

static void test_while_runs_until_its_condition_fails(void **state)
{
    (void)state;
    program p = program_run(
        LOOP("tensor<i32>, tensor<i32>",
             "      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> "
             "tensor<i1>\n",
             COUNT));
    ASSERT_INTS(&p, 0, 10);
    ASSERT_INTS(&p, 1, 45); // 0 + 1 + ... + 9
    program_free(&p);
}

#define ENDLESS                                                                        \
    LOOP("tensor<i32>, tensor<i32>",                                                   \
         "      %go = stablehlo.constant dense<true> : tensor<i1>\n", COUNT)

static void test_endless_loop_is_a_limit_with_its_place(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    // Three constants; an iteration takes 5 steps: the constant and the return of the
    // condition, two sums and the return of the body.
    assert_int_equal(program_try(ENDLESS, 1, 1, NULL, 0,
                                 &(oc__eval_limits){.max_steps = 3 + 1 + 5 * 200}, &p,
                                 &err),
                     OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                 "iteration 200 of the loop in line 5");
    assert_int_equal(strncmp(err.text, "t.mlir:", 7), 0);
    assert_null(strstr(err.text + 7, "t.mlir:"));
    program_free(&p);
}

static void test_deadline(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    assert_int_equal(program_try(ENDLESS, 1, 1, NULL, 0,
                                 &(oc__eval_limits){.deadline_s = 0.01}, &p, &err),
                     OC_DEADLINE);
    program_free(&p);
}

static void test_undecided_condition_stops_the_loop(void **state)
{
    (void)state;
    program p = program_run(
        LOOP("tensor<i32>, tensor<i32>",
             "      %go = stablehlo.custom_call @oracle() : () -> tensor<i1>\n",
             "      %j = stablehlo.add %i, %one : tensor<i32>\n"
             "      stablehlo.return %j, %s : tensor<i32>, tensor<i32>\n"));
    assert_true(oc__f(program_output(&p, 0))[0] & OC__F_UNDECIDED);
    // The second value is handed on as it is, however often the body runs.
    ASSERT_INTS(&p, 1, 0);
    bool found = false;
    for (size_t i = 0; i < p.evaluation.note_count; i++) {
        found = found || strcmp(p.evaluation.notes[i].rule,
                                "while_condition_undecided in iteration 0") == 0;
    }
    assert_true(found);
    program_free(&p);
}

/* 4,000 numbers are 32 kB as balls' midpoints; two copies of them would be over 60 kB.
 */
static void test_update_of_loop_state_is_in_place(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc = program_try(
        "func.func private @put(%a: tensor<4000xf32>, %i: tensor<i32>) -> "
        "tensor<4000xf32> {\n"
        "  %v = stablehlo.constant dense<3.0> : tensor<1xf32>\n"
        "  %0 = stablehlo.dynamic_update_slice %a, %v, %i : (tensor<4000xf32>, "
        "tensor<1xf32>, tensor<i32>) -> tensor<4000xf32>\n"
        "  return %0 : tensor<4000xf32>\n"
        "}\n" MAIN("tensor<4000xf32>",
                   SCALAR("zero", "0") SCALAR("one", "1") SCALAR("n", "5") //
                   "  %a = stablehlo.constant dense<1.0> : tensor<4000xf32>\n"
                   "  %r:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, "
                   "tensor<4000xf32>\n"
                   "    cond {\n"
                   "      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, "
                   "tensor<i32>) -> tensor<i1>\n"
                   "      stablehlo.return %go : tensor<i1>\n"
                   "    } do {\n"
                   "      %j = stablehlo.add %i, %one : tensor<i32>\n"
                   "      %t = call @put(%s, %i) : (tensor<4000xf32>, tensor<i32>) -> "
                   "tensor<4000xf32>\n"
                   "      stablehlo.return %j, %t : tensor<i32>, tensor<4000xf32>\n"
                   "    }\n"
                   "  return %r#1 : tensor<4000xf32>\n"),
        1, 1, NULL, 0, &(oc__eval_limits){.max_bytes = 60000}, &p, &err);
    if (rc != OC_OK) {
        fail_msg("%s", err.text);
    }
    const double *m = oc__m(program_output(&p, 0));
    assert_true(m[0] == 3 && m[4] == 3 && m[5] == 1 && m[3999] == 1);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_while_runs_until_its_condition_fails),
        cmocka_unit_test(test_endless_loop_is_a_limit_with_its_place),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_undecided_condition_stops_the_loop),
        cmocka_unit_test(test_update_of_loop_state_is_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
