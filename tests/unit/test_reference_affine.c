/* The reference against exact integer arithmetic: inputs are multiples of a power of
 * two, so sums of products are integers times a known power, in 128 bits. */
#include "unit.h"

#include "reference/affine.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 5, FEATURES = 4, ELEMENTS = 20, TRIALS = 20000 };

__extension__ typedef __int128 wide;

static uint64_t random_state = 20260801;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(void)
{
    random_state += 0x9e3779b97f4a7c15U;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* An integer of up to `bits` bits and a sign. */
static int32_t random_integer(unsigned int bits)
{
    int64_t span = (int64_t)1 << bits;
    return (int32_t)((int64_t)(next_random() % (uint64_t)(2 * span + 1)) - span);
}

/* True when value / 64 is a binary32 number (no subnormals at these sizes). */
static bool fits_float(wide value)
{
    wide magnitude = value < 0 ? -value : value;
    while (magnitude != 0 && magnitude % 2 == 0) {
        magnitude /= 2;
    }
    return magnitude < (1 << 24);
}

/* One random case: x in eighths, w in eighths, bias in 64ths. */
static void try_case(unsigned int bits, size_t *exact_cases)
{
    int32_t xi[ELEMENTS];
    int32_t wi[FEATURES];
    float x[ELEMENTS];
    float w[FEATURES];
    float y[ROWS];
    bool exact = false;
    for (size_t i = 0; i < ELEMENTS; i++) {
        xi[i] = random_integer(bits);
        x[i] = (float)xi[i] / 8;
    }
    for (size_t i = 0; i < FEATURES; i++) {
        wi[i] = random_integer(bits);
        w[i] = (float)wi[i] / 8;
    }
    int32_t bi = random_integer(bits);
    oc__reference_affine(x, ROWS, FEATURES, w, (float)bi / 64, y, &exact);
    bool want_exact = true;
    for (size_t i = 0; i < ROWS; i++) {
        wide sum = bi;
        for (size_t j = 0; j < FEATURES; j++) {
            sum += (wide)xi[i * FEATURES + j] * wi[j];
        }
        want_exact = want_exact && fits_float(sum);
        // At 24 bits a factor the sums have at most 52 bits: a double holds them.
        if ((double)y[i] != (double)(float)((double)sum / 64)) {
            fail_msg("row %zu is %a, must be %a (seed 20260801, %u bits)", i,
                     (double)y[i], (double)sum / 64, bits);
        }
    }
    assert_int_equal(exact, want_exact);
    *exact_cases += exact;
}

static void random_eighths_agree_with_integers(void **state)
{
    (void)state;
    static const unsigned int widths[] = {3, 8, 10, 11, 12, 16, 23};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        size_t exact_cases = 0;
        for (int i = 0; i < TRIALS / 7; i++) {
            try_case(widths[k], &exact_cases);
        }
        // Both answers occur: small factors always fit, large ones hardly ever.
        assert_true(widths[k] <= 10 ? exact_cases == TRIALS / 7 : true);
        assert_true(widths[k] >= 16 ? exact_cases < TRIALS / 70 : true);
    }
}

static void rounding_is_noticed_wherever_it_happens(void **state)
{
    static const struct {
        float x[3], w[3], bias;
        bool exact;
    } table[] = {
        {{1e30F, 1, 0}, {1, 1, 1}, 0, false}, // a sum that loses its small part
        {{1e30F, 0, 0}, {1, 1, 1}, 0, true},
        {{1e30F, 1, -1e30F}, {1, 1, 1}, 0, false}, // though the large parts cancel
        {{1e30F, -1e30F, 1}, {1, 1, 1}, 0, true},
        {{1, 0, 0}, {1, 1, 1}, 0x1p-60F, false}, // the bias is lost
        {{1, 0, 0}, {1, 1, 1}, 0x1p-23F, true},
        {{1, 0, 0}, {1, 1, 1}, 0x1p-24F, false}, // a double, but no float
        {{0x1.000002p0F, 0, 0}, {0x1.000002p0F, 1, 1}, 0, false},
        {{0x1.000002p0F, 0, 0}, {2, 1, 1}, 0, true},
        {{0x1p-100F, 0, 0}, {0x1p-49F, 1, 1}, 0, true},  // the smallest subnormal
        {{0x1p-100F, 0, 0}, {0x1p-50F, 1, 1}, 0, false}, // below it
        {{0x1p100F, 0, 0}, {0x1p27F, 1, 1}, 0, true},
        {{0x1p100F, 0, 0}, {0x1p28F, 1, 1}, 0, false}, // past the largest float
        {{(float)INFINITY, 0, 0}, {1, 1, 1}, 0, false},
        {{(float)NAN, 0, 0}, {1, 1, 1}, 0, false},
        {{(float)INFINITY, -(float)INFINITY, 0}, {1, 1, 1}, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        float y = 0;
        bool exact = !table[i].exact;
        oc__reference_affine(table[i].x, 1, 3, table[i].w, table[i].bias, &y, &exact);
        if (exact != table[i].exact) {
            fail_msg("case %zu: exact is %d, y = %a", i, exact, (double)y);
        }
    }
}

static void one_inexact_row_is_enough(void **state)
{
    static const float x[4] = {1, 2, 1e30F, 4};
    static const float w[1] = {1};
    (void)state;
    float y[4];
    bool exact = false;
    oc__reference_affine(x, 4, 1, w, 0, y, &exact);
    assert_true(exact);
    oc__reference_affine(x, 4, 1, w, 1, y, &exact);
    assert_false(exact);
    assert_true(y[0] == 2 && y[1] == 3 && y[3] == 5);
}

static void the_closed_form_is_the_sum(void **state)
{
    (void)state;
    uint64_t sum = 0;
    for (uint64_t n = 0; n <= (1U << 20); n++) {
        if (n <= 300 || n % 4099 == 0 || n == 1U << 20) {
            // Past 2^53 the sum is the nearest double of an integer.
            assert_true(oc__reference_sum_of_squares(n) == (double)sum);
        }
        sum += n * n;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_eighths_agree_with_integers),
        cmocka_unit_test(rounding_is_noticed_wherever_it_happens),
        cmocka_unit_test(one_inexact_row_is_enough),
        cmocka_unit_test(the_closed_form_is_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
