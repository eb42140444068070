/* Random programs on a simulated device that conforms but takes every freedom: never
 * refuted. And the text's own steps lie inside the enclosure. ONCHIP_TEST_PROGRAMS says
 * how many programs, ONCHIP_TEST_SEED which ones. */
#include "random_check.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROGRAMS = 10000 };

static unsigned long number_in(const char *variable, unsigned long otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

static void conforming_devices_are_not_refuted(void **state)
{
    static char message[RANDOM_MESSAGE];
    random_tally tally = {0};
    unsigned long count = number_in("ONCHIP_TEST_PROGRAMS", PROGRAMS);
    unsigned long seed = number_in("ONCHIP_TEST_SEED", 1);
    (void)state;
    for (unsigned long i = 0; i < count; i++) {
        dice from = {.state = seed + i};
        if (!random_check(&from, &tally, message)) {
            fprintf(stderr, "%s\n", message); // longer than cmocka prints
            fail_msg("seed %lu", seed + i);
        }
    }
    printf(
        "%zu programs: %zu PASS, %zu UNKNOWN; %zu elements: %zu consistent, %zu "
        "undecided, %zu suspect, %zu loose, %zu not judged; %zu midpoints equal, %zu "
        "outputs under a model\n",
        tally.programs, tally.passed, tally.unknown, tally.elements, tally.consistent,
        tally.undecided, tally.suspect, tally.loose, tally.open, tally.exact_midpoints,
        tally.with_model);
    // A reference that knew nothing would refute nothing either.
    assert_true(3 * tally.passed > tally.programs);
    assert_true(3 * tally.consistent > 2 * tally.elements);
    assert_true(tally.exact_midpoints > tally.programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conforming_devices_are_not_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
