/* rng_bit_generator. Expected values: the known answers of Random123 (kat_vectors of
 * its distribution), and what XLA's CPU plugin gave. */
#include "program_fixture.h"

#define RANDOM(name, state, n, algorithm, type)                                        \
    "  %" name "s = stablehlo.constant dense<" state "> : tensor<" n "xui64>\n"        \
    "  %" name "t, %" name " = stablehlo.rng_bit_generator %" name                     \
    "s, algorithm = " algorithm " : (tensor<" n "xui64>) -> (tensor<" n                \
    "xui64>, tensor<" type ">)\n"

static void test_known_answers(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<1xui64>, tensor<1xui64>, tensor<1xui64>, tensor<4xui32>, "
        "tensor<4xui32>, "
        "tensor<4xui32>",
        RANDOM("a", "0", "2", "THREE_FRY", "1xui64") RANDOM("b", "18446744073709551615",
                                                            "2", "THREE_FRY", "1xui64")
            RANDOM("c", "[0x0370734413198a2e, 0x85a308d3243f6a88]", "2", "THREE_FRY",
                   "1xui64") RANDOM("d", "0", "3", "PHILOX", "4xui32")
                RANDOM("e", "18446744073709551615", "3", "PHILOX", "4xui32") RANDOM(
                    "f", "[0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e]",
                    "3", "PHILOX", "4xui32") //
        "  return %a, %b, %c, %d, %e, %f : tensor<1xui64>, tensor<1xui64>, "
        "tensor<1xui64>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>\n"));
    static const uint32_t wanted[6][4] = {
        {0x6b200159, 0x99ba4efe},
        {0x1cb996fc, 0xbb002be7},
        {0xc4923a9c, 0x483df7a0},
        {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (size_t k = 0; k < 6; k++) {
        const oc__value *v = program_output(&p, k);
        assert_memory_equal(v->m->bytes, wanted[k], k < 3 ? 8 : 16);
        assert_true(oc__f(v)[0] & OC__F_OPEN);
    }
    program_free(&p);
}

/* XLA's order of the words and its states: jaxlib 0.10.2 on the CPU, 2026-11-30. */
static void test_order_of_words(void **state)
{
    (void)state;
    program p = program_run(MAIN(
        "tensor<3x3xui32>, tensor<2xui64>, tensor<2x3xui8>, tensor<5xui32>, "
        "tensor<2xui64>, tensor<5xui32>, tensor<3xui64>, tensor<ui16>, "
        "tensor<5x2xui32>",
        RANDOM("g", "[3, 5]", "2", "THREE_FRY",
               "5x2xui32") RANDOM("a", "[3, 5]", "2", "THREE_FRY", "3x3xui32")
            RANDOM("b", "[3, 5]", "2", "THREE_FRY", "2x3xui8")
                RANDOM("c", "[3, 18446744073709551615]", "2", "PHILOX", "5xui32")
                    RANDOM("d", "[3, 18446744073709551615, 7]", "3", "DEFAULT",
                           "5xui32") RANDOM("e", "[3, 5]", "2", "THREE_FRY", "ui16") //
        "  return %a, %at, %b, %c, %ct, %d, %dt, %e, %g : tensor<3x3xui32>, "
        "tensor<2xui64>, "
        "tensor<2x3xui8>, tensor<5xui32>, tensor<2xui64>, tensor<5xui32>, "
        "tensor<3xui64>, tensor<ui16>, tensor<5x2xui32>\n"));
    ASSERT_INTS(&p, 0, 1109507171, 3802093305, 849634428, 3604763515, 3166652467,
                1054234490, 4095841382, 2263954335, 167328752);
    ASSERT_INTS(&p, 1, 3, 11);
    ASSERT_INTS(&p, 2, 99, 249, 124, 123, 51, 122);
    ASSERT_INTS(&p, 3, 1733508001, 547713088, 2905953186, 834471078, 1995848961);
    ASSERT_INTS(&p, 4, 3, 1);
    ASSERT_INTS(&p, 5, 3238653176, 88556361, 4129392015, 3665973541, 3610122722);
    ASSERT_INTS(&p, 6, 3, 1, 8);
    ASSERT_INTS(&p, 7, 48227);
    ASSERT_INTS(&p, 8, 1109507171, 3604763515, 3802093305, 3166652467, 849634428,
                1054234490, 4095841382, 1951865270, 2263954335, 1016631374);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_order_of_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
