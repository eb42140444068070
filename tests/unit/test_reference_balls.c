/* Elementwise operations on balls: answers that are undecided, hulls over jumps, wider
 * contracts; and chains that run tile by tile. */
#include "elementwise_fixture.h"

#include <math.h>
#include <stdio.h>

/* --- balls --- */

/* %p is x * x for x = 1 + 2^-23, which an addition may take unrounded: 1 + 2^-22 +-
 * 2^-46. %d is about 0, and no one knows on which side. */
#define BALL                                                                           \
    "%x = stablehlo.constant dense<0x3F800001> : tensor<f32>\n"                        \
    "%c = stablehlo.constant dense<0x3F800002> : tensor<f32>\n"                        \
    "%one = stablehlo.constant dense<1.0> : tensor<f32>\n"                             \
    "%two = stablehlo.constant dense<2.0> : tensor<f32>\n"                             \
    "%p = stablehlo.multiply %x, %x : tensor<f32>\n"                                   \
    "%d = stablehlo.subtract %p, %c : tensor<f32>\n"                                   \
    "%q = stablehlo.compare GT, %p, %c, FLOAT : (tensor<f32>, tensor<f32>) -> "        \
    "tensor<i1>\n"

static void comparisons_of_balls_may_be_undecided(void **state)
{
    (void)state;
    evaluate("tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>",
             BALL "%0 = stablehlo.compare LT, %one, %p, FLOAT : (tensor<f32>, "
                  "tensor<f32>) -> tensor<i1>\n"
                  "%1 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, "
                  "tensor<f32>) -> tensor<i1>\n"
                  "return %q, %0, %1, %d : tensor<i1>, tensor<i1>, tensor<i1>, "
                  "tensor<f32>");
    INTEGERS(0, OC__F_UNDECIDED, 0);
    INTEGERS(1, 0, 1);
    INTEGERS(2, 0, 0); // a value compared with itself
    assert_true(oc__m(output(3))[0] == 0 && radius(3, 0) >= 0x1p-46 &&
                radius(3, 0) < 0x1.1p-46);
    assert_int_equal(flags(3, 0), OC__F_ZERO_SIGN);
}

/* 0 times a ball around 0 is a zero whose sign nobody knows. */
static void zeros_of_unknown_sign_say_so(void **state)
{
    (void)state;
    evaluate("tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, "
             "tensor<f32>, tensor<i1>",
             BALL "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                  "%n = stablehlo.constant dense<-0.0> : tensor<f32>\n"
                  "%0 = stablehlo.multiply %z, %d : tensor<f32>\n"
                  "%1 = stablehlo.add %0, %z : tensor<f32>\n"
                  "%2 = stablehlo.add %0, %n : tensor<f32>\n"
                  "%3 = stablehlo.maximum %0, %z : tensor<f32>\n"
                  "%4 = stablehlo.abs %0 : tensor<f32>\n"
                  "%5 = stablehlo.divide %one, %0 : tensor<f32>\n"
                  "%6 = stablehlo.compare EQ, %0, %z, TOTALORDER : (tensor<f32>, "
                  "tensor<f32>) -> tensor<i1>\n"
                  "return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, "
                  "tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>");
    assert_true(oc__m(output(0))[0] == 0 && radius(0, 0) == 0);
    assert_int_equal(flags(0, 0), OC__F_ZERO_SIGN);
    POINTS(1, 0.0); // +0 and any zero give +0
    assert_int_equal(flags(2, 0), OC__F_ZERO_SIGN);
    POINTS(3, 0.0);
    POINTS(4, 0.0);
    assert_true(isinf(radius(5, 0))); // inf or -inf
    assert_int_equal(flags(6, 0), OC__F_UNDECIDED);
}

static void an_undecided_select_is_the_hull(void **state)
{
    (void)state;
    evaluate("tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>",
             BALL "%i = stablehlo.constant dense<1> : tensor<i32>\n"
                  "%j = stablehlo.constant dense<2> : tensor<i32>\n"
                  "%inf = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
                  "%0 = stablehlo.select %q, %one, %two : tensor<i1>, tensor<f32>\n"
                  "%1 = stablehlo.select %q, %p, %c : tensor<i1>, tensor<f32>\n"
                  "%2 = stablehlo.select %q, %i, %j : tensor<i1>, tensor<i32>\n"
                  "%3 = stablehlo.select %q, %one, %inf : tensor<i1>, tensor<f32>\n"
                  "return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<i32>, "
                  "tensor<f32>");
    assert_true(oc__m(output(0))[0] == 2 && radius(0, 0) >= 1 && radius(0, 0) < 1.01);
    assert_int_equal(flags(0, 0), OC__F_HULL);
    assert_true(radius(1, 0) >= 0x1p-46 && radius(1, 0) < 0x1.1p-45);
    assert_int_equal(flags(1, 0), 0); // the arms overlap
    INTEGERS(2, OC__F_UNDECIDED | OC__F_HULL, 2);
    assert_true(isinf(radius(3, 0))); // finite or infinite
}

static void jumps_inside_a_ball_are_hulls(void **state)
{
    (void)state;
    evaluate("tensor<f32>, tensor<f32>, tensor<i32>, tensor<i1>, tensor<i32>, "
             "tensor<f32>, tensor<f32>",
             BALL "%n = stablehlo.subtract %p, %x : tensor<f32>\n"
                  "%0 = stablehlo.floor %d : tensor<f32>\n"
                  "%1 = stablehlo.sign %d : tensor<f32>\n"
                  "%2 = stablehlo.convert %d : (tensor<f32>) -> tensor<i32>\n"
                  "%3 = stablehlo.convert %d : (tensor<f32>) -> tensor<i1>\n"
                  "%4 = stablehlo.add %d, %two : tensor<f32>\n"
                  "%5 = stablehlo.convert %4 : (tensor<f32>) -> tensor<i32>\n"
                  "%6 = stablehlo.floor %p : tensor<f32>\n"
                  "%7 = stablehlo.divide %one, %d : tensor<f32>\n"
                  "return %0, %1, %2, %3, %5, %6, %7 : tensor<f32>, tensor<f32>, "
                  "tensor<i32>, tensor<i1>, tensor<i32>, tensor<f32>, tensor<f32>");
    assert_true(oc__m(output(0))[0] == 0 && radius(0, 0) == 1);
    assert_true((flags(0, 0) & OC__F_HULL) != 0);
    assert_true(oc__m(output(1))[0] == 0 && radius(1, 0) == 1);
    assert_true((flags(1, 0) & OC__F_HULL) != 0);
    INTEGERS(2, 0, 0); // truncates to 0 on either side
    assert_true((flags(3, 0) & OC__F_UNDECIDED) != 0);
    assert_true((flags(4, 0) & OC__F_UNDECIDED) != 0);
    POINTS(5, 1);                     // all of the ball lies in [1, 2)
    assert_true(isinf(radius(6, 0))); // 1 / 0 is among the answers
}

static void a_flushing_device_may_read_zero(void **state)
{
    (void)state;
    static const oc__arith flush = {.flush = true};
    evaluate_as("tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>",
                "%t = stablehlo.constant dense<0x00080000> : tensor<f32>\n" // 2^-130
                "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                "%k = stablehlo.constant dense<1048576.0> : tensor<f32>\n"
                "%0 = stablehlo.multiply %t, %k : tensor<f32>\n"
                "%1 = stablehlo.compare EQ, %t, %z, FLOAT : (tensor<f32>, "
                "tensor<f32>) -> tensor<i1>\n"
                "%2 = stablehlo.ceil %t : tensor<f32>\n"
                "%3 = stablehlo.divide %k, %t : tensor<f32>\n"
                "return %0, %1, %2, %3 : tensor<f32>, tensor<i1>, tensor<f32>, "
                "tensor<f32>",
                &flush);
    assert_true(oc__m(output(0))[0] == 0x1p-110 && radius(0, 0) >= 0x1p-110 &&
                radius(0, 0) < 0x1.1p-110);
    INTEGERS(1, OC__F_UNDECIDED, 0);
    assert_true(oc__m(output(2))[0] == 1 && radius(2, 0) == 1);
    assert_true(isinf(radius(3, 0)));
}

static void a_reciprocal_may_stand_for_a_division(void **state)
{
    (void)state;
    static const oc__arith reciprocal = {.reciprocal = true};
    evaluate_as("tensor<2xf32>, tensor<2xf32>",
                "%a = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf32>\n"
                "%k = stablehlo.constant dense<3.0> : tensor<2xf32>\n"
                "%m = stablehlo.add %a, %k : tensor<2xf32>\n"
                "%0 = stablehlo.divide %a, %k : tensor<2xf32>\n"
                "%1 = stablehlo.divide %a, %m : tensor<2xf32>\n"
                "return %0, %1 : tensor<2xf32>, tensor<2xf32>",
                &reciprocal);
    double wrong = (double)(5.0F * (1.0F / 3.0F)), right = (double)(5.0F / 3.0F);
    assert_true(wrong != right && oc__m(output(0))[0] == right);
    assert_true(radius(0, 0) >= fabs(wrong - right));
    assert_true(radius(0, 0) < 4 * 0x1p-24 * right);
    POINTS(1, (double)(5.0F / 8.0F), (double)(7.0F / 10.0F));
}

/* --- chains --- */

/* A chain that is run tile by tile; %1 is also needed afterwards. */
static void chains_give_what_single_operations_give(void **state)
{
    (void)state;
    enum { N = 1000 };
    evaluate("tensor<1000xf32>, tensor<1000xf32>, tensor<1000xi1>",
             "%i = stablehlo.iota dim = 0 : tensor<1000xf32>\n"
             "%c = stablehlo.constant dense<3.0> : tensor<1000xf32>\n"
             "%s = stablehlo.constant dense<0.1> : tensor<f32>\n"
             "%b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> "
             "tensor<1000xf32>\n"
             "%0 = stablehlo.divide %i, %c : tensor<1000xf32>\n"
             "%1 = stablehlo.add %0, %b : tensor<1000xf32>\n"
             "%2 = stablehlo.subtract %1, %0 : tensor<1000xf32>\n"
             "%3 = stablehlo.maximum %2, %b : tensor<1000xf32>\n"
             "%4 = stablehlo.sqrt %3 : tensor<1000xf32>\n"
             "%5 = stablehlo.compare LT, %1, %c, FLOAT : (tensor<1000xf32>, "
             "tensor<1000xf32>) -> tensor<1000xi1>\n"
             "return %4, %1, %5 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xi1>");
    for (size_t i = 0; i < N; i++) {
        float quotient = (float)i / 3.0F, sum = quotient + 0.1F;
        float difference = sum - quotient;
        float root = sqrtf(difference > 0.1F ? difference : 0.1F);
        assert_true(oc__m(output(0))[i] == (double)root && radius(0, i) == 0);
        assert_true(oc__m(output(1))[i] == (double)sum && radius(1, i) == 0);
        assert_int_equal(output(2)->m->bytes[i], sum < 3.0F);
    }
}

/* Results take the memory of operands that end with the chain: %k, which the last
 * operation reads when %1 is there already, and not %i, which lives on. */
static void chains_keep_what_is_still_read(void **state)
{
    (void)state;
    enum { N = 1000 };
    evaluate("tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>",
             "%i = stablehlo.iota dim = 0 : tensor<1000xf32>\n"
             "%k = stablehlo.reverse %i, dims = [0] : tensor<1000xf32>\n"
             "%0 = stablehlo.add %i, %k : tensor<1000xf32>\n"
             "%1 = stablehlo.multiply %0, %i : tensor<1000xf32>\n"
             "%2 = stablehlo.subtract %1, %k : tensor<1000xf32>\n"
             "return %i, %1, %2 : tensor<1000xf32>, tensor<1000xf32>, "
             "tensor<1000xf32>");
    for (size_t i = 0; i < N; i++) {
        double k = (double)(N - 1 - i);
        assert_true(oc__m(output(0))[i] == (double)i);
        assert_true(oc__m(output(1))[i] == (double)((N - 1) * i));
        assert_true(oc__m(output(2))[i] == (double)((N - 1) * i) - k);
    }
}

/* The same operations on 100 elements, which are run one by one, and on 1000. Early
 * values are used late, products are balls, and some results live on. */
static void chains_keep_radii_and_flags(void **state)
{
    (void)state;
    enum { FEW = 100, OUTPUTS = 3 };
    double m[OUTPUTS][FEW], r[OUTPUTS][FEW];
    unsigned f[OUTPUTS][FEW];
    bool balls = false;
    for (int pass = 0; pass < 2; pass++) {
        char t[32], results[128], body[2048];
        snprintf(t, sizeof t, "tensor<%dxf32>", pass == 0 ? FEW : 1000);
        snprintf(results, sizeof results, "%s, %s, %s", t, t, t);
        snprintf(body, sizeof body,
                 "%%i = stablehlo.iota dim = 0 : %s\n"
                 "%%c = stablehlo.constant dense<0.3> : %s\n"
                 "%%0 = stablehlo.subtract %%i, %%c : %s\n"
                 "%%1 = stablehlo.divide %%0, %%c : %s\n"
                 "%%2 = stablehlo.multiply %%1, %%0 : %s\n"
                 "%%3 = stablehlo.add %%2, %%1 : %s\n"
                 "%%4 = stablehlo.floor %%3 : %s\n"
                 "%%5 = stablehlo.maximum %%4, %%0 : %s\n"
                 "%%6 = stablehlo.subtract %%5, %%3 : %s\n"
                 "return %%6, %%3, %%2 : %s",
                 t, t, t, t, t, t, t, t, t, results);
        evaluate(results, body);
        for (size_t k = 0; k < OUTPUTS; k++) {
            for (size_t i = 0; i < FEW; i++) {
                double seen = oc__m(output(k))[i];
                if (pass == 0) {
                    m[k][i] = seen;
                    r[k][i] = radius(k, i);
                    f[k][i] = flags(k, i);
                    balls = balls || r[k][i] > 0;
                }
                assert_true(seen == m[k][i] && radius(k, i) == r[k][i]);
                assert_int_equal(flags(k, i), f[k][i]);
            }
        }
    }
    assert_true(balls);
}

static void wrong_programs_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *results, *body, *words;
    } table[] = {
        {"tensor<2xf32>",
         "%a = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
         "%b = stablehlo.constant dense<1.0> : tensor<3xf32>\n"
         "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> "
         "tensor<2xf32>\nreturn %0 : tensor<2xf32>",
         "other dimensions"},
        {"tensor<2xf32>",
         "%a = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
         "%b = stablehlo.constant dense<1> : tensor<2xi32>\n"
         "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xi32>) -> "
         "tensor<2xf32>\nreturn %0 : tensor<2xf32>",
         "one element type"},
        {"tensor<2xi1>",
         "%a = stablehlo.constant dense<true> : tensor<2xi1>\n"
         "%0 = \"stablehlo.negate\"(%a) : (tensor<2xi1>) -> tensor<2xi1>\n"
         "return %0 : tensor<2xi1>",
         "is not for elements of this type"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        oc_status rc = evaluate_wrong(table[i].results, table[i].body, &err);
        assert_int_equal(rc, OC_PARSE);
        assert_non_null(strstr(err.text, table[i].words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_of_balls_may_be_undecided),
        cmocka_unit_test(zeros_of_unknown_sign_say_so),
        cmocka_unit_test(an_undecided_select_is_the_hull),
        cmocka_unit_test(jumps_inside_a_ball_are_hulls),
        cmocka_unit_test(a_flushing_device_may_read_zero),
        cmocka_unit_test(a_reciprocal_may_stand_for_a_division),
        cmocka_unit_test(chains_give_what_single_operations_give),
        cmocka_unit_test(chains_keep_what_is_still_read),
        cmocka_unit_test(chains_keep_radii_and_flags),
        cmocka_unit_test(wrong_programs_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
