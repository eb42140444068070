/* One rounding of a ball, and the tile functions of the operations that round. What is
 * right comes from IEEE 754 and from the processor's own float and double arithmetic.
 */
#include "unit.h"

#include "reference/tile.h"
#include "tensor/float_format.h"

#include <math.h>
#include <stdlib.h>

static const oc__arith text_contract;

static oc__tile_env env_of(oc_dtype dtype, const oc__arith *arith)
{
    return (oc__tile_env){
        .arith = arith, .dtype = dtype, .from = dtype, .figure_ulps = -1};
}

static void points_round_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        oc_dtype dtype;
        double exact, rounded;
    } table[] = {
        {OC_F32, 1 + 0x1p-24, 1},                   // a tie, to even
        {OC_F32, 1 + 0x1.8p-23, 1 + 0x1p-22},       // a tie, up to even
        {OC_F32, 1 + 0x1.000002p-24, 1 + 0x1p-23},  // just past a tie
        {OC_F32, 0x1.8p-149, 0x1p-148},             // subnormal ties
        {OC_F32, 0x1p-150, 0},                      // half the smallest
        {OC_F32, 0x1.ffffffp127, (double)INFINITY}, // the overflow threshold
        {OC_F32, 0x1.fffffefffffffp127, 0x1.fffffep127},
        {OC_F16, 2049, 2048},
        {OC_F16, 65520, (double)INFINITY},
        {OC_F16, 65519.99, 65504},
        {OC_BF16, 257, 256},
        {OC_BF16, 259, 260},
        {OC_F64, 0x1.0000000000001p0, 0x1.0000000000001p0},
        {OC_F8E4M3FN, 17, 16},
        {OC_F8E5M2, -61440, -(double)INFINITY},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc__tile_env env = env_of(table[i].dtype, &text_contract);
        double r = -1, m = oc__round_ball(&env, table[i].exact, 0, 0, &r);
        assert_true(m == table[i].rounded);
        assert_true(r == 0);
    }
    oc__tile_env env = env_of(OC_F32, &text_contract);
    double r = -1;
    assert_true(isnan(oc__round_ball(&env, (double)NAN, 0, 0, &r)) && r == 0);
    double zero = oc__round_ball(&env, -0.0, 0, 0, &r);
    assert_true(zero == 0 && signbit(zero) && r == 0);
}

/* numerics 8.1: S + |E - m| + u (|E| + S) + e. */
static void a_ball_has_the_radius_of_the_formula(void **state)
{
    (void)state;
    static const struct {
        oc_dtype dtype;
        double exact, spread, radius;
    } table[] = {
        {OC_F32, 3, 1, 1 + 0x1p-24 * 4},
        {OC_F32, 1 + 0x1p-24, 0x1p-10, 0x1p-10 + 0x1p-24 + 0x1p-24 * (1 + 0x1p-10)},
        {OC_BF16, 257, 2, 2 + 1 + 0x1p-8 * 259},
        {OC_F16, 0x1p-15, 0x1p-20, 0x1p-20 + 0x1p-11 * (0x1p-15 + 0x1p-20) + 0x1p-25},
        {OC_F32, 0, 0x1p-149, 0x1p-149 + 0x1p-150},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc__tile_env env = env_of(table[i].dtype, &text_contract);
        double r = -1;
        (void)oc__round_ball(&env, table[i].exact, 0, table[i].spread, &r);
        assert_true(r >= table[i].radius);
        assert_true(r <= table[i].radius * (1 + 0x1p-20));
    }
}

static void near_overflow_nothing_is_known(void **state)
{
    (void)state;
    oc__tile_env env = env_of(OC_F32, &text_contract);
    double r = -1, m = oc__round_ball(&env, 0x1.fffffep127, 0, 0x1p104, &r);
    assert_true(m == 0x1.fffffep127 && isinf(r));
    m = oc__round_ball(&env, 0x1p129, 0, 0x1p100, &r); // surely past it
    assert_true(isinf(m) && m > 0 && r == 0);
    m = oc__round_ball(&env, -0x1p129, 0, 0x1p128, &r);
    assert_true(isinf(m) && m < 0 && isinf(r));
    (void)oc__round_ball(&env, 1, 0, (double)INFINITY, &r);
    assert_true(isinf(r));
    (void)oc__round_ball(&env, 1, 0, (double)NAN, &r);
    assert_true(!(r < (double)INFINITY));
}

static void contracts_widen_points(void **state)
{
    (void)state;
    static const oc__arith rounding = {.rounding = true}, excess = {.excess = true},
                           flush = {.flush = true};
    double r = -1;
    oc__tile_env env = env_of(OC_F32, &rounding);
    (void)oc__round_ball(&env, 3, 0, 0, &r);
    assert_true(r >= 0x1p-23 * 3 && r <= 0x1.01p-23 * 3);
    assert_true(isinf(oc__round_ball(&env, (double)INFINITY, 0, 0, &r)) && r == 0);
    // bf16 kept in f32: 257 itself may live on; f32 has no wider type.
    env = env_of(OC_BF16, &excess);
    assert_true(oc__round_ball(&env, 257, 0, 0, &r) == 256);
    assert_true(r >= 1 && r <= 1.001);
    assert_true(isinf(oc__round_ball(&env, 0x1p128, 0, 0, &r)) && isinf(r));
    env = env_of(OC_F32, &excess);
    (void)oc__round_ball(&env, 1 + 0x1p-24, 0, 0, &r);
    assert_true(r == 0);
    // A subnormal result may be 0; f16 is computed in f32 and is not flushed.
    env = env_of(OC_F32, &flush);
    assert_true(oc__round_ball(&env, 0x1p-130, 0, 0, &r) == 0x1p-130);
    assert_true(r == 0x1p-130);
    (void)oc__round_ball(&env, 0x1p-126, 0, 0, &r);
    assert_true(r == 0);
    env = env_of(OC_F16, &flush);
    (void)oc__round_ball(&env, 0x1p-20, 0, 0, &r);
    assert_true(r == 0);
}

static void powers_of_two_only_are_not_judged_when_inexact(void **state)
{
    (void)state;
    oc__tile_env env = env_of(OC_F8E8M0FNU, &text_contract);
    double r = -1;
    assert_true(oc__round_ball(&env, 8, 0, 0, &r) == 8 && r == 0);
    (void)oc__round_ball(&env, 9, 0, 0, &r);
    assert_true(isinf(r));
}

/* --- the processor as the device --- */

typedef struct pads {
    oc__tile_room a, b, out;
} pads;

static uint64_t seed = 42;

/* splitmix64, public domain. */
static uint64_t next(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double unit(void)
{
    return (double)(next() >> 11) * 0x1p-53;
}

/* Magnitudes near and far, subnormals and specials now and then. */
static double any_float(void)
{
    static const double special[] = {0, -0.0, 1, 0x1p-149, 0x1.fffffep127, -0x1p-126};
    if (next() % 16 == 0) {
        return special[next() % (sizeof special / sizeof *special)];
    }
    int range = next() % 4 == 0 ? 120 : 4;
    int exponent = (int)(next() % (uint64_t)(2 * range + 1)) - range;
    return (double)(float)ldexp(2 * unit() - 1, exponent);
}

static double any_radius(double m)
{
    static const double scale[] = {0, 0, 0x1p-24, 0x1p-20, 0x1p-3, 1.5};
    return fabs(m) * scale[next() % (sizeof scale / sizeof *scale)] * unit();
}

/* A number of the type in the ball. */
static double inside(oc_dtype dtype, double m, double r)
{
    double x = r == 0 ? m : m + r * (2 * unit() - 1);
    x = dtype == OC_F32 ? (double)(float)x : x;
    return fabs(x - m) <= r ? x : m;
}

/* How a device departs from the text. */
typedef enum habit { RIGHT, FLUSHES, RECIPROCAL, ROUNDS_TWICE } habit_kind;

static double flushed(oc_dtype dtype, double x)
{
    double least = dtype == OC_F32 ? 0x1p-126 : 0x1p-1022;
    return fabs(x) < least ? copysign(0.0, x) : x;
}

static double device(oc_dtype dtype, const char *op, double a, double b)
{
    float x = (float)a, y = (float)b;
    bool single = dtype == OC_F32;
    switch (op[0]) {
    case 'a': return single ? (double)(x + y) : a + b;
    case 's': return single ? (double)(x - y) : a - b;
    case 'm': return single ? (double)(x * y) : a * b;
    case 'd': return single ? (double)(x / y) : a / b;
    case 'M': return fmax(a, b);
    case 'r': return fmod(a, b);
    default: return single ? (double)sqrtf(x) : sqrt(a);
    }
}

static double device_with(habit_kind habit, oc_dtype dtype, const char *op, double a,
                          double b)
{
    double d;
    switch (habit) {
    case FLUSHES:
        d = device(dtype, op, flushed(dtype, a), flushed(dtype, b));
        return flushed(dtype, d);
    case RECIPROCAL:
        return dtype == OC_F32 ? (double)((float)a * (1 / (float)b)) : a * (1 / b);
    case ROUNDS_TWICE: // a relative error of u, then rounding
        d = device(OC_F64, op, a, b) * (1 + 0x1p-24 * (2 * unit() - 1));
        return dtype == OC_F32 ? (double)(float)d : device(dtype, op, a, b);
    default: return device(dtype, op, a, b);
    }
}

static bool holds(double m, double r, double d)
{
    if (!(r <= 1.7e308)) {
        return true;
    }
    if (isnan(m) || isinf(m)) {
        return isnan(m) ? isnan(d) : d == m;
    }
    return fabs(d - m) <= r;
}

static void check_soundness(habit_kind habit, oc_dtype dtype, const char *op,
                            oc__tile_fn fn, size_t *out_judged)
{
    const oc__arith contract = {.flush = habit == FLUSHES,
                                .reciprocal = habit == RECIPROCAL,
                                .rounding = habit == ROUNDS_TWICE};
    static pads p;
    oc__tile_env env = env_of(dtype, &contract);
    env.uniform_divisor = habit == RECIPROCAL;
    oc__tile in[2] = {oc__tile_in(&p.a, false), oc__tile_in(&p.b, false)};
    oc__tile out = oc__tile_in(&p.out, false);
    for (size_t i = 0; i < OC__TILE; i++) {
        in[0].m[i] = any_float();
        in[1].m[i] = any_float();
        in[0].r[i] = any_radius(in[0].m[i]);
        in[1].r[i] = any_radius(in[1].m[i]);
        in[0].f[i] = in[1].f[i] = 0;
    }
    oc__tile_apply(&env, fn, op[0] == 'q' ? 1 : 2, OC__TILE, in, &out);
    for (size_t i = 0; i < OC__TILE; i++) {
        bool point = in[0].r[i] == 0 && (in[1].r[i] == 0 || op[0] == 'q');
        double text = device(dtype, op, in[0].m[i], in[1].m[i]);
        assert_true(holds(out.m[i], 0, text) || op[0] == 'M');
        assert_true(!point || habit != RIGHT || out.r[i] == 0);
        if (habit == RECIPROCAL && !isnormal((float)(1 / in[1].m[i]))) {
            continue; // not permitted there
        }
        *out_judged += out.r[i] < 0x1p1000;
        for (int k = 0; k < 8; k++) {
            double a = inside(dtype, in[0].m[i], in[0].r[i]);
            double b = inside(dtype, in[1].m[i], in[1].r[i]);
            double d = device_with(habit, dtype, op, a, b);
            if (!holds(out.m[i], out.r[i], d)) {
                fail_msg("%s of %a +- %a and %a +- %a is %a +- %a, but %a and %a give "
                         "%a",
                         op, in[0].m[i], in[0].r[i], in[1].m[i], in[1].r[i], out.m[i],
                         out.r[i], a, b, d);
            }
        }
    }
}

static void balls_hold_what_the_processor_computes(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        oc__tile_fn fn;
    } table[] = {
        {"add", oc__tile_add},
        {"subtract", oc__tile_subtract},
        {"multiply", oc__tile_multiply},
        {"divide", oc__tile_divide},
        {"quadratic root", oc__tile_sqrt},
        {"Maximum", oc__tile_maximum},
        {"remainder", oc__tile_remainder},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        size_t judged = 0;
        for (int round = 0; round < 50; round++) {
            check_soundness(RIGHT, OC_F32, table[t].op, table[t].fn, &judged);
            check_soundness(RIGHT, OC_F64, table[t].op, table[t].fn, &judged);
        }
        assert_true(judged > 2 * 50 * OC__TILE / 4);
    }
}

static void wider_contracts_hold_what_their_devices_compute(void **state)
{
    (void)state;
    static const struct {
        habit_kind habit;
        const char *op;
        oc__tile_fn fn;
    } table[] = {
        {FLUSHES, "add", oc__tile_add},
        {FLUSHES, "multiply", oc__tile_multiply},
        {FLUSHES, "divide", oc__tile_divide},
        {FLUSHES, "quadratic root", oc__tile_sqrt},
        {FLUSHES, "Maximum", oc__tile_maximum},
        {RECIPROCAL, "divide", oc__tile_divide},
        {ROUNDS_TWICE, "add", oc__tile_add},
        {ROUNDS_TWICE, "multiply", oc__tile_multiply},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        size_t judged = 0;
        for (int round = 0; round < 50; round++) {
            check_soundness(table[t].habit, OC_F32, table[t].op, table[t].fn, &judged);
            check_soundness(table[t].habit, OC_F64, table[t].op, table[t].fn, &judged);
        }
        assert_true(judged > 2 * 50 * OC__TILE / 4);
    }
}

/* A product that an addition may take unrounded. */
static void contractible_products_hold_the_exact_product(void **state)
{
    (void)state;
    static pads p;
    oc__tile in[2] = {oc__tile_in(&p.a, false), oc__tile_in(&p.b, false)};
    oc__tile out = oc__tile_in(&p.out, false);
    const oc_dtype dtypes[] = {OC_F32, OC_F64};
    for (size_t t = 0; t < 2; t++) {
        oc__tile_env env = env_of(dtypes[t], &text_contract);
        env.contractible = true;
        double a = t == 0 ? 1 + 0x1p-23 : 1 + 0x1p-52;
        for (size_t i = 0; i < 2; i++) {
            in[0].m[i] = in[1].m[i] = i == 0 ? a : 3; // 3 * 3 is exact
            in[0].r[i] = in[1].r[i] = 0;
            in[0].f[i] = in[1].f[i] = 0;
        }
        oc__tile_multiply(&env, 2, in, &out);
        assert_true(out.r[0] == (t == 0 ? 0x1p-46 : 0x1p-104)); // the square's last bit
        assert_true(out.r[1] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_round_to_nearest_even),
        cmocka_unit_test(a_ball_has_the_radius_of_the_formula),
        cmocka_unit_test(near_overflow_nothing_is_known),
        cmocka_unit_test(contracts_widen_points),
        cmocka_unit_test(powers_of_two_only_are_not_judged_when_inexact),
        cmocka_unit_test(balls_hold_what_the_processor_computes),
        cmocka_unit_test(wider_contracts_hold_what_their_devices_compute),
        cmocka_unit_test(contractible_products_hold_the_exact_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
