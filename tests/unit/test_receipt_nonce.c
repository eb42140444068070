/* The inputs of kind check. The expected numbers were computed with Python's hashlib.
 */
#include "receipt/nonce.h"
#include "receipt/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = OC__ROWS * OC__FEATURES, LONGEST = 2 * OC__MAX_NONCE_BYTES };

static float x[INPUTS];
static float w[OC__FEATURES];
static float bias[2];

static void the_lesson_without_a_nonce(void **state)
{
    (void)state;
    assert_int_equal(oc__receipt_inputs(NULL, x, w, bias, NULL), OC_OK);
    for (int i = 0; i < INPUTS; i++) {
        assert_true(x[i] == (float)i / 8);
    }
    assert_true(w[0] == 0.5F && w[1] == -0.25F && w[2] == 1);
    assert_true(bias[0] == 0.125F && bias[1] == -0.25F);
}

static void a_nonce_gives_its_own_inputs(void **state)
{
    static const int eighths[INPUTS] = {-88, -83, 4,   -125, -18,  35, -37, 4,
                                        -99, 10,  39,  -84,  -105, 16, 104, -71,
                                        48,  24,  -37, 81,   -8,   2,  80,  -77};
    (void)state;
    static const char *const spellings[] = {"5eed0123", "5EED0123"};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(oc__receipt_inputs(spellings[k], x, w, bias, NULL), OC_OK);
        for (size_t i = 0; i < INPUTS; i++) {
            assert_true(x[i] == (float)eighths[i] / 8);
        }
    }
    char longest[LONGEST + 3];
    memset(longest, 'a', sizeof longest);
    longest[LONGEST] = '\0';
    assert_int_equal(oc__receipt_inputs(longest, x, w, bias, NULL), OC_OK);
}

static void what_is_no_nonce(void **state)
{
    char too_long[LONGEST + 3];
    memset(too_long, 'a', sizeof too_long);
    too_long[sizeof too_long - 1] = '\0';
    const char *const wrong[] = {"", "a", "0x12", "5eed ", "zz", too_long};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        oc_error err = {0};
        assert_int_equal(oc__receipt_inputs(wrong[i], x, w, bias, &err),
                         OC_INVALID_ARGUMENT);
        assert_int_equal(err.boundary, OC_BOUNDARY_USAGE);
    }
}

static void the_program_carries_the_bias(void **state)
{
    char program[OC__PROGRAM_TEXT];
    (void)state;
    oc__receipt_program(program, sizeof program, 0.125F);
    assert_non_null(strstr(program, "dense<1.250000e-01>"));
    oc__receipt_program(program, sizeof program, -0.25F);
    assert_non_null(strstr(program, "dense<-2.500000e-01>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lesson_without_a_nonce),
        cmocka_unit_test(a_nonce_gives_its_own_inputs),
        cmocka_unit_test(what_is_no_nonce),
        cmocka_unit_test(the_program_carries_the_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
