/* What balls decide: integers from floats, comparisons, selections, finiteness. Points
 * inside the operands' balls must give the answer, or the answer must be undecided. */
#include "arb_programs.h"

#include <stdlib.h>

enum { DRAWS = 4, MIN_DECIDED = 50000 };

/* Balls, from points: tanh has a radius of some ulp, the scale reaches every size. */
#define HEAD "func.func @main(%x: !a, %y: !a, %z: !a) -> "
#define BALLS                                                                          \
    "%t = stablehlo.tanh %x : !a\n"                                                    \
    "%u = stablehlo.tanh %y : !a\n"                                                    \
    "%a = stablehlo.multiply %t, %z : !a\n"                                            \
    "%b = stablehlo.multiply %u, %z : !a\n"

static void make_inputs(const type *of, dice *from, oc_tensor in[3])
{
    for (size_t k = 0; k < 3; k++) {
        in[k] = vector_of(of->dtype);
    }
    for (size_t i = 0; i < COUNT; i++) {
        // Of the same size, or nearly; now and then of any.
        double x = random_number(from, of, true), ulp = ulp_at(of, x);
        double y = x + ulp * ((double)dice_below(from, 7) - 3);
        double z = ldexp(1, (int)dice_below(from, 24));
        store(&in[0], i, x);
        store(&in[1], i, dice_one_in(from, 3) ? random_number(from, of, false) : y);
        store(&in[2], i, dice_one_in(from, 8) ? random_number(from, of, false) : z);
    }
}

static void free_inputs(oc_tensor in[3])
{
    for (size_t k = 0; k < 3; k++) {
        oc_tensor_free(&in[k]);
    }
}

/* --- to integers --- */

/* False where the number is out of range: the specification leaves that open. */
static bool truncated(const integer *to, double x, int64_t *out)
{
    double low = to->is_signed ? -ldexp(1, to->bits - 1) : 0;
    double past = ldexp(1, to->is_signed ? to->bits - 1 : to->bits);
    double whole = trunc(x);
    if (!(whole >= low && whole < past)) {
        return false;
    }
    // As oc__value_ints has ui64.
    bool large = whole >= 0x1p63;
    *out = large ? INT64_MAX : (int64_t)whole;
    return true;
}

static void try_integers(const type *of, const integer *to, dice *from, size_t *decided)
{
    oc_tensor in[3];
    make_inputs(of, from, in);
    program p =
        run_typed(of->name, to->name,
                  HEAD "(!a, !b) {\n" BALLS "%i = stablehlo.convert %a : (!a) -> !b\n"
                       "return %a, %i : !a, !b\n}\n",
                  in, 3);
    const oc__value *a = program_output(&p, 0), *i1 = program_output(&p, 1);
    int64_t *whole = calloc(COUNT, sizeof *whole);
    assert_non_null(whole);
    (void)oc__value_ints(i1, whole);
    for (size_t i = 0; i < COUNT; i++) {
        bool open = flags_of(i1, i) & (OC__F_UNDECIDED | OC__F_OPEN);
        *decided += !open;
        for (size_t draw = 0; !open && draw < DRAWS; draw++) {
            ball x = element_of(a, i);
            double number = random_inside(from, of, x, true);
            int64_t want;
            if (!truncated(to, number, &want) || want != whole[i]) {
                fail_msg("%s %a to %s: %lld, flags %u; ball %a +- %a", of->name, number,
                         to->name, (long long)whole[i], flags_of(i1, i), x.m, x.r);
            }
        }
    }
    free(whole);
    program_free(&p);
    free_inputs(in);
}

static void floats_to_integers_hold(void **state)
{
    dice from = {.state = 6};
    size_t decided = 0;
    (void)state;
    for (size_t i = 0; i < INTEGER_TYPES; i++) {
        for (size_t of = 0; of <= F16; of++) {
            try_integers(&types[of], &integers[i], &from, &decided);
        }
    }
    assert_true(decided > MIN_DECIDED);
}

/* --- comparisons, selections, finiteness --- */

enum { EQ, NE, LT, LE, GT, GE, SAME_EQ, SAME_NE, FINITE, PREDICATES };

#define COMPARE(name, direction, x, y)                                                 \
    "%" name " = stablehlo.compare " direction ", %" x ", %" y " : (!a, !a) -> !p\n"
static const char *const decisions =
    HEAD "(!a, !a, !a, !p, !p, !p, !p, !p, !p, !p, !p, !p) {\n" BALLS COMPARE(
        "0", "EQ", "a", "b") COMPARE("1", "NE", "a", "b") COMPARE("2", "LT", "a", "b")
        COMPARE("3", "LE", "a", "b") COMPARE("4", "GT", "a", "b")
            COMPARE("5", "GE", "a", "b") COMPARE("6", "EQ", "a", "a")
                COMPARE("7", "NE", "b",
                        "b") "%8 = stablehlo.is_finite %a : (!a) -> !p\n"
                             "%s = stablehlo.select %2, %a, %b : !p, !a\n"
                             "return %a, %b, %s, %0, %1, %2, %3, %4, %5, %6, %7, %8 : "
                             "!a, !a, !a, !p, !p, !p, !p, !p, !p, !p, !p, !p\n}\n";

static void answer(double a, double b, int out[PREDICATES])
{
    const int all[PREDICATES] = {[EQ] = a == b,
                                 [NE] = a != b,
                                 [LT] = a<b, [LE] = a <= b, [GT] = a> b,
                                 [GE] = a >= b,
                                 [SAME_EQ] = a == a,
                                 [SAME_NE] = b != b,
                                 [FINITE] = (bool)isfinite(a)};
    memcpy(out, all, sizeof all);
}

static void try_decisions(const type *of, dice *from, size_t *decided)
{
    oc_tensor in[3];
    make_inputs(of, from, in);
    program p = run_typed(of->name, "i8", decisions, in, 3);
    const oc__value *a = program_output(&p, 0), *b = program_output(&p, 1);
    const oc__value *selected = program_output(&p, 2);
    for (size_t i = 0; i < (size_t)COUNT * DRAWS; i++) {
        size_t at = i / DRAWS;
        ball x = element_of(a, at), y = element_of(b, at), s = element_of(selected, at);
        double left = random_inside(from, of, x, true);
        double right = random_inside(from, of, y, true);
        int want[PREDICATES];
        answer(left, right, want);
        for (size_t k = 0; k < PREDICATES; k++) {
            const oc__value *v = program_output(&p, 3 + k);
            bool open = flags_of(v, at) & (OC__F_UNDECIDED | OC__F_OPEN);
            *decided += !open;
            if (!open && v->m->bytes[at] != want[k]) {
                fail_msg("%s, predicate %zu of %a, %a: %d; balls %a +- %a, %a +- %a",
                         of->name, k, left, right, v->m->bytes[at], x.m, x.r, y.m, y.r);
            }
        }
        double picked = want[LT] ? left : right;
        if (ball_refuses(s, picked)) {
            fail_msg("%s, select of %a, %a: %a %s: %a +- %a", of->name, left, right,
                     picked, ball_refuses(s, picked), s.m, s.r);
        }
    }
    program_free(&p);
    free_inputs(in);
}

static void predicates_hold(void **state)
{
    dice from = {.state = 8};
    size_t decided = 0;
    (void)state;
    for (size_t round = 0; round < 8; round++) {
        for (size_t of = 0; of <= F16; of++) {
            try_decisions(&types[of], &from, &decided);
        }
    }
    assert_true(decided > (size_t)PREDICATES * MIN_DECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_to_integers_hold),
        cmocka_unit_test(predicates_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
