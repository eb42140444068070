/* Conversions on balls against Arb: between the float types, to fewer bits of exponent
 * and mantissa, and from integers. */
#include "arb_programs.h"
#include "arb_tiles.h"

enum { CASES = 100000 };

/* --- float to float --- */

static bool itself(arb_t out, const double *x, slong precision)
{
    (void)precision;
    arb_set_d(out, x[0]);
    return true;
}

static double same(const double *x)
{
    return x[0];
}

static void floats_hold(void **state)
{
    subject convert = {.op = "stablehlo.convert",
                       .arity = 1,
                       .contract = ROUNDED,
                       .real = itself,
                       .c = same};
    (void)state;
    size_t each = CASES / (TYPES * TYPES / 2);
    for (size_t from = 0; from < TYPES; from++) {
        for (size_t to = 0; to < TYPES; to++) {
            oc__arith plain = {0}, flush = {.flush = true};
            uint64_t seed = from * TYPES + to;
            const type *a = &types[from], *b = &types[to];
            // A conversion to a wider type is no rounding.
            convert.numbers = a->precision <= b->precision;
            (void)subject_try_from(&convert, a, b, &plain, each, seed);
            (void)subject_try_from(&convert, a, b, &flush, each / 8, seed);
        }
    }
}

/* --- reduce_precision --- */

/* The format that is asked for, as XLA reads it: rounded to the mantissa first; below
 * the smallest normal number of a narrower exponent there is only 0. */
static type reduced;
static bool narrows_exponent;

static bool reduced_real(arb_t out, const double *x, slong precision)
{
    arf_t real;
    (void)precision;
    arf_init(real);
    arf_set_d(real, x[0]);
    type unbounded = reduced;
    unbounded.min_exponent = narrows_exponent ? -4000 : reduced.min_exponent;
    unbounded.max_finite = (double)INFINITY;
    double rounded = round_real(&unbounded, real, ARF_RND_NEAR);
    arf_clear(real);
    arb_set_d(out, rounded);
    bool vanishes = narrows_exponent && fabs(rounded) < ldexp(1, reduced.min_exponent);
    return fabs(rounded) <= reduced.max_finite && !vanishes;
}

static double reduced_c(const double *x)
{
    return fabs(x[0]) < 1 ? copysign(0.0, x[0])
           : isnan(x[0])  ? x[0]
                          : copysign((double)INFINITY, x[0]);
}

static void reduced_precision_holds(void **state)
{
    dice from = {.state = 11};
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        const type *of = &types[dice_below(&from, F16 + 1)];
        int64_t exponent = 2 + (int64_t)dice_below(&from, 10);
        int64_t mantissa = 1 + (int64_t)dice_below(&from, (size_t)of->precision + 3);
        reduced = *of;
        narrows_exponent = 2 - ((int64_t)1 << (exponent - 1)) > of->min_exponent;
        if (narrows_exponent) {
            reduced.min_exponent = 2 - (1 << (exponent - 1));
        }
        if (mantissa < of->precision) {
            reduced.precision = (int)mantissa + 1;
        }
        int largest =
            narrows_exponent ? 1 - reduced.min_exponent : ilogb(of->max_finite);
        reduced.max_finite = ldexp(2 - ldexp(1, 1 - reduced.precision), largest);
        const oc__hlo_attr bits[2] = {{.kind = OC__ATTR_INT, .integer = exponent},
                                      {.kind = OC__ATTR_INT, .integer = mantissa}};
        const oc__hlo_named attributes[2] = {{"exponent_bits", &bits[0]},
                                             {"mantissa_bits", &bits[1]}};
        const subject tried = {.op = "stablehlo.reduce_precision",
                               .arity = 1,
                               .contract = ROUNDED,
                               .real = reduced_real,
                               .c = reduced_c,
                               .numbers = true,
                               .attribute_count = 2,
                               .attributes = attributes};
        (void)subject_try(&tried, of, &(oc__arith){0}, CASES / 60, i);
    }
}

/* --- integers --- */

/* One of all lengths, ties of every float type among them. */
static uint64_t random_integer(dice *from)
{
    uint64_t x = dice_bits(from) >> dice_below(from, 64);
    if (dice_one_in(from, 2)) {
        size_t zeros = dice_below(from, 60);
        x = x >> zeros << zeros;
        x += dice_one_in(from, 2) ? 0 : 1 - dice_below(from, 3);
    }
    return dice_one_in(from, 2) ? x : 0 - x;
}

static void integer_to_float(const integer *a, const type *to, dice *from)
{
    uint64_t wanted[COUNT];
    oc_tensor in = vector_of(a->dtype);
    size_t size = (size_t)a->bits / 8;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t x = random_integer(from), mask = UINT64_MAX >> (64 - a->bits);
        bool negative = a->is_signed && (x >> (a->bits - 1) & 1);
        memcpy((char *)in.data + i * size, &x, size);
        wanted[i] = negative ? x | ~mask : x & mask;
    }
    program p = run_typed(a->name, to->name,
                          "func.func @main(%x: !a) -> !b {\n"
                          "%0 = stablehlo.convert %x : (!a) -> !b\n"
                          "return %0 : !b\n}\n",
                          &in, 1);
    arf_t real;
    arf_init(real);
    for (size_t i = 0; i < COUNT; i++) {
        if (a->is_signed) {
            arf_set_si(real, (slong)wanted[i]);
        } else {
            arf_set_ui(real, wanted[i]);
        }
        double want = round_real(to, real, ARF_RND_NEAR);
        ball got = element_of(program_output(&p, 0), i);
        if (got.r != 0 || ball_refuses(got, want)) {
            fail_msg("%s %llx to %s: %a +- %a, not %a", a->name,
                     (unsigned long long)wanted[i], to->name, got.m, got.r, want);
        }
    }
    arf_clear(real);
    program_free(&p);
    oc_tensor_free(&in);
}

static void integers_to_floats_hold(void **state)
{
    dice from = {.state = 5};
    (void)state;
    for (size_t i = 0; i < INTEGER_TYPES; i++) {
        for (size_t to = 0; to < TYPES; to++) {
            integer_to_float(&integers[i], &types[to], &from);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_hold),
        cmocka_unit_test(reduced_precision_holds),
        cmocka_unit_test(integers_to_floats_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
