/* The evaluator: control flow, calls, regions, limits. Expected values are the
 * specification's semantics worked out by hand. */
#include "program_fixture.h"

#include <math.h>

/* --- calls and branches -------------------------------------------------------- */

static void test_calls(void **state)
{
    (void)state;
    program p = program_run(
        "func.func private @twice(%a: tensor<i32>, %unused: tensor<i32>) -> "
        "tensor<i32> "
        "{\n"
        "  %0 = stablehlo.add %a, %a : tensor<i32>\n"
        "  return %0 : tensor<i32>\n"
        "}\n" MAIN("tensor<i32>, tensor<i32>", SCALAR("x", "5") SCALAR("y", "6") //
                   "  %a = call @twice(%x, %y) : (tensor<i32>, tensor<i32>) -> "
                   "tensor<i32>\n"
                   "  %b = call @twice(%a, %a) : (tensor<i32>, tensor<i32>) -> "
                   "tensor<i32>\n"
                   "  return %b, %x : tensor<i32>, tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 20);
    ASSERT_INTS(&p, 1, 5);
    program_free(&p);
}

static void test_composites_are_their_decomposition(void **state)
{
    (void)state;
    program p = program_run(
        "func.func private @impl(%a: tensor<i32>) -> tensor<i32> {\n"
        "  %0 = stablehlo.multiply %a, %a : tensor<i32>\n"
        "  return %0 : tensor<i32>\n"
        "}\n" MAIN(
            "tensor<i32>", SCALAR("x", "7") //
            "  %a = stablehlo.composite \"my.square\" %x {decomposition = @impl} "
            ": (tensor<i32>) -> tensor<i32>\n"
            "  return %a : tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 49);
    program_free(&p);
}

static void test_endless_recursion_is_a_limit(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc =
        program_try("func.func private @f(%a: tensor<i32>) -> tensor<i32> {\n"
                    "  %0 = call @f(%a) : (tensor<i32>) -> tensor<i32>\n"
                    "  return %0 : tensor<i32>\n"
                    "}\n" MAIN("tensor<i32>", SCALAR("x", "5") //
                               "  %a = call @f(%x) : (tensor<i32>) -> "
                               "tensor<i32>\n"
                               "  return %a : tensor<i32>\n"),
                    1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_NUMERIC, "t.mlir:2:");
    program_free(&p);
}

#define CASE(index)                                                                    \
    MAIN("tensor<i32>, tensor<i32>",                                                   \
         SCALAR("i", index) SCALAR("x", "10") SCALAR(                                  \
             "y", "20") "  %r:2 = \"stablehlo.case\"(%i) ({\n"                         \
                        "    stablehlo.return %x, %y : tensor<i32>, tensor<i32>\n"     \
                        "  }, {\n"                                                     \
                        "    %z = stablehlo.add %x, %y : tensor<i32>\n"                \
                        "    stablehlo.return %z, %x : tensor<i32>, tensor<i32>\n"     \
                        "  }) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"         \
                        "  return %r#0, %r#1 : tensor<i32>, tensor<i32>\n")

static void test_case_out_of_range_takes_the_last_branch(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t first, second;
    } rows[] = {{CASE("0"), 10, 20},
                {CASE("1"), 30, 10},
                {CASE("2"), 30, 10},
                {CASE("-1"), 30, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        program p = program_run(rows[i].text);
        ASSERT_INTS(&p, 0, rows[i].first);
        ASSERT_INTS(&p, 1, rows[i].second);
        program_free(&p);
    }
}

#define UNKNOWN_PREDICATE "  %p = stablehlo.custom_call @oracle() : () -> tensor<i1>\n"
/* Both branches may be taken: the ball holds both values, and says that a jump went
 * into it; where both give the same, the predicate does not matter. */
static void test_undecided_if_gives_the_hull(void **state)
{
    (void)state;
    program p = program_run(
        MAIN("tensor<f32>, tensor<f32>, tensor<i32>",
             UNKNOWN_PREDICATE CONSTANT("x", "1.0") CONSTANT("y", "4.0")
                 SCALAR("i", "1") SCALAR("j", "2") //
             "  %r:3 = \"stablehlo.if\"(%p) ({\n"
             "    stablehlo.return %x, %x, %i : tensor<f32>, tensor<f32>, tensor<i32>\n"
             "  }, {\n"
             "    stablehlo.return %y, %x, %j : tensor<f32>, tensor<f32>, tensor<i32>\n"
             "  }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<i32>)\n"
             "  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<i32>\n"));
    const oc__value *both = program_output(&p, 0), *same = program_output(&p, 1);
    double m = oc__m(both)[0], r = oc__r(both)[0];
    assert_true(fabs(1 - m) <= r && fabs(4 - m) <= r && r < 3.01);
    assert_true(oc__f(both)[0] & OC__F_HULL);
    assert_true(oc__m(same)[0] == 1 && (!same->r || oc__r(same)[0] == 0));
    assert_false(oc__f(same)[0] & OC__F_HULL);
    assert_true(oc__f(program_output(&p, 2))[0] & OC__F_UNDECIDED);
    assert_string_equal(program_note(&p), "custom_call @oracle");
    program_free(&p);
}

static void test_annotations_pass_their_operand_on(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<i32>, tensor<f32>", SCALAR("x", "7") //
        "  %a = stablehlo.custom_call @Sharding(%x) : (tensor<i32>) -> tensor<i32>\n"
        "  %b = stablehlo.custom_call @mystery(%x) : (tensor<i32>) -> tensor<f32>\n"
        "  return %a, %b : tensor<i32>, tensor<f32>\n"));
    ASSERT_INTS(&p, 0, 7);
    const oc__value *open = program_output(&p, 1);
    assert_true(isinf(oc__r(open)[0]) && oc__f(open)[0] & OC__F_OPEN);
    assert_int_equal(p.evaluation.note_count, 1);
    assert_string_equal(program_note(&p), "custom_call @mystery");
    program_free(&p);
}

static void test_tuples(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<i32>", SCALAR("x", "7") SCALAR("y", "8") //
        "  %t = stablehlo.tuple %x, %y : tuple<tensor<i32>, tensor<i32>>\n"
        "  %b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) "
        "-> tensor<i32>\n"
        "  return %b : tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 8);
    program_free(&p);
}

/* --- regions ------------------------------------------------------------------- */

#define MAP(body)                                                                      \
    MAIN("tensor<3xi32>",                                                              \
         SCALAR("k",                                                                   \
                "7") "  %a = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>\n" \
                     "  %r = \"stablehlo.map\"(%a, %a) ({\n"                           \
                     "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n" body                \
                     "    stablehlo.return %z : tensor<i32>\n"                         \
                     "  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, "            \
                     "tensor<3xi32>) -> "                                              \
                     "tensor<3xi32>\n"                                                 \
                     "  return %r : tensor<3xi32>\n")

/* The same body at once for all elements, and one element after the other because it
 * holds a call; one that gives the same for every element. */
static void test_regions_on_many_scalars(void **state)
{
    (void)state;
    program p = program_run(MAP("    %w = stablehlo.multiply %x, %k : tensor<i32>\n"
                                "    %z = stablehlo.add %w, %y : tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 80, 160, 240);
    program_free(&p);
    p = program_run(
        "func.func private @f(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {\n"
        "  %0 = stablehlo.multiply %a, %b : tensor<i32>\n"
        "  return %0 : tensor<i32>\n"
        "}\n" MAP("    %w = func.call @f(%x, %k) : (tensor<i32>, tensor<i32>) -> "
                  "tensor<i32>\n"
                  "    %z = stablehlo.add %w, %y : tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 80, 160, 240);
    program_free(&p);
    p = program_run(MAP("    %z = stablehlo.constant dense<5> : tensor<i32>\n"));
    ASSERT_INTS(&p, 0, 5, 5, 5);
    program_free(&p);
}

/* --- products that may go unrounded into a fused multiply-add ------------------ */

#define PRODUCT(use)                                                                   \
    MAIN("tensor<f32>, tensor<f32>",                                                   \
         CONSTANT("x", "0.1") "  %p = stablehlo.multiply %x, %x : tensor<f32>\n" use   \
                              "  return %p, %y : tensor<f32>, tensor<f32>\n")

/* 0.1f * 0.1f is no f32 number: where a sum may use it unrounded, the ball of the
 * product holds the exact one too. */
static void test_products_that_may_be_fused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fused;
    } rows[] = {{PRODUCT("  %y = stablehlo.sqrt %p : tensor<f32>\n"), false},
                {PRODUCT("  %y = stablehlo.add %p, %x : tensor<f32>\n"), true},
                {PRODUCT("  %n = stablehlo.negate %p : tensor<f32>\n"
                         "  %y = stablehlo.subtract %x, %n : tensor<f32>\n"),
                 true},
                {PRODUCT("  %n = stablehlo.maximum %p, %x : tensor<f32>\n"
                         "  %y = stablehlo.add %n, %x : tensor<f32>\n"),
                 false}};
    const double exact = (double)0.1F * (double)0.1F;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        program p = program_run(rows[i].text);
        const oc__value *product = program_output(&p, 0);
        double m = oc__m(product)[0], r = product->r ? oc__r(product)[0] : 0;
        assert_true(m == (double)(float)exact && m != exact);
        assert_true(rows[i].fused ? fabs(m - exact) <= r : r == 0);
        program_free(&p);
    }
}

/* --- errors -------------------------------------------------------------------- */

static void test_memory_limit_names_the_operation(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc = program_try(
        MAIN("tensor<1000000xf32>", CONSTANT("x", "1.0") //
             "  %a = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> "
             "tensor<1000000xf32>\n"
             "  return %a : tensor<1000000xf32>\n"),
        1, 1, NULL, 0, &(oc__eval_limits){.max_bytes = 1000000}, &p, &err);
    assert_int_equal(rc, OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_NUMERIC,
                 "stablehlo.broadcast_in_dim: more than 1000000 bytes");
    assert_int_equal(strncmp(err.text, "t.mlir:3:", 9), 0);
    program_free(&p);
}

/* Each of the two fits, both together do not. */
static void test_memory_limit_counts_what_is_alive(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc =
        program_try(MAIN("tensor<1000xf32>, tensor<1000xf32>",
                         "  %a = stablehlo.constant dense<1.0> : tensor<1000xf32>\n"
                         "  %b = stablehlo.constant dense<2.0> : tensor<1000xf32>\n"
                         "  return %a, %b : tensor<1000xf32>, tensor<1000xf32>\n"),
                    1, 1, NULL, 0, &(oc__eval_limits){.max_bytes = 12000}, &p, &err);
    assert_int_equal(rc, OC_LIMIT);
    program_free(&p);
}

static void test_unknown_operation_is_an_error_when_it_runs(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc =
        program_try(MAIN("tensor<i32>", "  %a = \"stablehlo.frobnicate\"() : () -> "
                                        "tensor<i32>\n"
                                        "  return %a : tensor<i32>\n"),
                    1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                 "does not know the operation 'stablehlo.frobnicate'");
    assert_int_equal(strncmp(err.text, "t.mlir:2:", 9), 0);
    program_free(&p);
}

static void test_result_that_is_not_of_its_declared_type_is_an_error(void **state)
{
    (void)state;
    oc_error err = {0};
    program p;
    oc_status rc = program_try(
        MAIN("tensor<3xi32>",
             "  %x = stablehlo.constant dense<1> : tensor<2xi32>\n"
             "  %a = \"stablehlo.optimization_barrier\"(%x) : (tensor<2xi32>) -> "
             "tensor<3xi32>\n"
             "  return %a : tensor<3xi32>\n"),
        1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT,
                 "declared as tensor<3xi32>, but it is int32[2]");
    program_free(&p);
}

/* Shardy's constraint says where a tensor lies, not what it holds. */
static void a_sharding_constraint_passes_its_operand(void **state)
{
    (void)state;
    program p;
    oc_error err = {0};
    oc_status rc = program_try(
        MAIN("tensor<2xi32>",
             "  %x = stablehlo.constant dense<[7, -8]> : tensor<2xi32>\n"
             "  %a = sdy.sharding_constraint %x <@mesh, [{\"x\"}]> : tensor<2xi32>\n"
             "  return %a : tensor<2xi32>\n"),
        1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
    assert_int_equal(rc, OC_OK);
    int64_t got[2];
    assert_true(oc__value_ints(program_output(&p, 0), got));
    assert_int_equal(got[0], 7);
    assert_int_equal(got[1], -8);
    program_free(&p);
}

#define MANUAL(in, inside, out)                                                        \
    MAIN("tensor<" out "xi32>",                                                        \
         "  %x = stablehlo.constant dense<[7, -8]> : tensor<2xi32>\n"                  \
         "  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}]>] "        \
         "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%a: tensor<" in      \
         "xi32>) {\n"                                                                  \
         "    %1 = stablehlo.slice %a [0:" inside "] : (tensor<" in                    \
         "xi32>) -> tensor<" inside "xi32>\n"                                          \
         "    %2 = stablehlo.negate %1 : tensor<" inside "xi32>\n"                     \
         "    sdy.return %2 : tensor<" inside "xi32>\n"                                \
         "  } : (tensor<2xi32>) -> tensor<" out "xi32>\n"                              \
         "  return %0 : tensor<" out "xi32>\n")

/* The body means what it says where no axis divides its values; shards are not formed.
 */
static void manual_computations_of_whole_values(void **state)
{
    (void)state;
    program whole = program_run(MANUAL("2", "2", "2"));
    ASSERT_INTS(&whole, 0, -7, 8);
    program_free(&whole);
    static const char *const divided[] = {MANUAL("1", "1", "2"), MANUAL("2", "1", "2")};
    for (size_t i = 0; i < 2; i++) {
        program p;
        oc_error err = {0};
        oc_status rc =
            program_try(divided[i], 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err);
        assert_int_equal(rc, OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                     "sdy.manual_computation: its body computes with shards");
        program_free(&p);
    }
}

static void chlo_constants(void **state)
{
    (void)state;
    program p = program_run(MAIN("tensor<2xi32>, tensor<2xi32>",
                                 "  %x = chlo.constant dense<[7, -8]> : tensor<2xi32>\n"
                                 "  %y = \"chlo.constant\"() <{value = dense<3> : "
                                 "tensor<2xi32>}> : () -> tensor<2xi32>\n"
                                 "  return %x, %y : tensor<2xi32>, tensor<2xi32>\n"));
    ASSERT_INTS(&p, 0, 7, -8);
    ASSERT_INTS(&p, 1, 3, 3);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chlo_constants),
        cmocka_unit_test(manual_computations_of_whole_values),
        cmocka_unit_test(a_sharding_constraint_passes_its_operand),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_composites_are_their_decomposition),
        cmocka_unit_test(test_endless_recursion_is_a_limit),
        cmocka_unit_test(test_case_out_of_range_takes_the_last_branch),
        cmocka_unit_test(test_undecided_if_gives_the_hull),
        cmocka_unit_test(test_annotations_pass_their_operand_on),
        cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_regions_on_many_scalars),
        cmocka_unit_test(test_products_that_may_be_fused),
        cmocka_unit_test(test_memory_limit_names_the_operation),
        cmocka_unit_test(test_memory_limit_counts_what_is_alive),
        cmocka_unit_test(test_unknown_operation_is_an_error_when_it_runs),
        cmocka_unit_test(test_result_that_is_not_of_its_declared_type_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
