/* Operations on complex numbers against Arb: points and balls, 10^5 results of each
 * that a device may give. They may be off by the figure, which counts in u |w| for both
 * parts of the result w. */
#include "any_order.h"
#include "arb_programs.h"

#include "reference/figures.h"

#include <acb.h>
#include <stdio.h>

enum { ROUNDS = 4, DRAWS = 2, PRECISION = 160, OPERANDS = 5 };

typedef struct subject {
    const char *op;
    void (*one)(acb_t, const acb_t, slong);
    void (*two)(acb_t, const acb_t, const acb_t, slong);
} subject;

static void logistic(acb_t w, const acb_t z, slong precision)
{
    acb_neg(w, z);
    acb_exp(w, w, precision);
    acb_add_ui(w, w, 1, precision);
    acb_inv(w, w, precision);
}

static void cube_root(acb_t w, const acb_t z, slong precision)
{
    acb_root_ui(w, z, 3, precision);
}

static bool is_op(const subject *s, const char *name)
{
    return strcmp(s->op, name) == 0;
}

/* --- numbers --- */

static double part(dice *from, const type *of)
{
    int least = of->min_exponent;
    switch (dice_below(from, 8)) {
    case 0: return (double)dice_below(from, 9) / 4 - 1;
    case 1: return ldexp(dice_normal(from), -(int)dice_below(from, 40));
    case 2: return ldexp(dice_normal(from), (int)dice_below(from, 6));
    case 3:
        return ldexp(dice_normal(from),
                     (int)dice_below(from, (size_t)-least) + least / 2);
    case 4: return 1 + ldexp(dice_normal(from), -(int)dice_below(from, 20));
    default: return dice_normal(from);
    }
}

static void fill(dice *from, const type *of, oc_tensor in[OPERANDS])
{
    for (size_t k = 0; k < OPERANDS; k++) {
        in[k] = vector_of(of->dtype);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k + 1 < OPERANDS; k++) {
            store(&in[k], i, round_number(of->dtype, part(from, of)));
        }
        store(&in[OPERANDS - 1], i, ldexp(1, (int)dice_below(from, 6) - 2));
    }
}

/* --- one element --- */

typedef struct element {
    ball part[2];
    bool open;
} element;

static element element_at(const oc__value *v, size_t i)
{
    element e = {.open = flags_of(v, i) & OC__F_OPEN};
    for (size_t k = 0; k < 2; k++) {
        // A whole element has one flag for the zeros of both parts.
        e.part[k] = (ball){oc__m(v)[2 * i + k], v->r ? oc__r(v)[2 * i + k] : 0,
                           (uint8_t)(flags_of(v, i) | OC__F_ZERO_SIGN)};
    }
    return e;
}

static bool choose(dice *from, const type *of, const element *e, acb_t out)
{
    double z[2];
    for (size_t k = 0; k < 2; k++) {
        z[k] = random_inside(from, of, e->part[k], true);
        if (!isfinite(z[k])) {
            return false;
        }
    }
    acb_set_d_d(out, z[0], z[1]);
    return true;
}

/* Both parts known to 100 bits of the smaller one. */
static bool evaluate(const subject *s, acb_t w, const acb_t x, const acb_t y)
{
    for (slong precision = PRECISION; precision <= (slong)32 * PRECISION;
         precision *= 2) {
        if (s->two) {
            s->two(w, x, y, precision);
        } else {
            s->one(w, x, precision);
        }
        if (arb_rel_accuracy_bits(acb_realref(w)) > 100 &&
            arb_rel_accuracy_bits(acb_imagref(w)) > 100) {
            return acb_is_finite(w);
        }
    }
    return false;
}

static double near(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static void refuse(const subject *s, const type *of, int part_of, double got, ball x,
                   const acb_t z)
{
    fail_msg("%s %s of %a, %a: part %d may be %a, is %a +- %a", s->op, of->name,
             near(acb_realref(z)), near(acb_imagref(z)), part_of, got, x.m, x.r);
}

/* A part of the result, moved by `by` |w| and rounded. */
static double moved(const type *of, const arb_t exact, const arb_t size, double by)
{
    arb_t end;
    arb_init(end);
    arb_set_d(end, by);
    arb_mul(end, end, size, PRECISION);
    arb_add(end, end, exact, PRECISION);
    double rounded = round_real(of, arb_midref(end), ARF_RND_NEAR);
    arb_clear(end);
    return rounded;
}

/* ac - bd and ad + bc, each product rounded or fused. */
static void check_product(const subject *s, const type *of, const element *out,
                          const acb_t x, const acb_t y)
{
    double a = near(acb_realref(x)), b = near(acb_imagref(x));
    double c = near(acb_realref(y)), d = near(acb_imagref(y));
    const double terms[2][4] = {{a, c, -b, d}, {a, d, b, c}};
    for (int i = 0; i < 2; i++) {
        const double *t = terms[i];
        double left = round_number(of->dtype, t[0] * t[1]);
        double right = round_number(of->dtype, t[2] * t[3]);
        const double got[3] = {round_number(of->dtype, left + right),
                               round_fused(of->dtype, t[0], t[1], right),
                               round_fused(of->dtype, t[2], t[3], left)};
        for (int k = 0; k < 3; k++) {
            if (isfinite(left) && isfinite(right) &&
                ball_refuses(out->part[i], got[k])) {
                refuse(s, of, i, got[k], out->part[i], x);
            }
        }
    }
}

/* The last rounding is part of the figure. */
static void check(const subject *s, const type *of, const element *out, const acb_t w,
                  const acb_t x, const acb_t y)
{
    oc_dtype pair = of->dtype == OC_F32 ? OC_C64 : OC_C128;
    bool rounds = is_op(s, "stablehlo.add") || is_op(s, "stablehlo.subtract") ||
                  is_op(s, "stablehlo.multiply");
    double k = rounds ? 1 : oc__figure_ulps("cpu", s->op, pair);
    double most = (k - 1) * ldexp(1, -of->precision);
    arb_t size;
    arb_init(size);
    acb_abs(size, w, PRECISION);
    for (int i = 0; i < 6; i++) {
        const arb_struct *exact = i < 3 ? acb_realref(w) : acb_imagref(w);
        double got = moved(of, exact, size, most * (i % 3 - 1));
        if (isfinite(got) && ball_refuses(out->part[i / 3], got)) {
            refuse(s, of, i / 3, got, out->part[i / 3], x);
        }
    }
    arb_clear(size);
    if (is_op(s, "stablehlo.multiply")) {
        check_product(s, of, out, x, y);
    }
}

/* A point's midpoint is the rounded result, but for the evaluator's own error. */
static void check_midpoint(const subject *s, const type *of, const element *out,
                           const acb_t w, const acb_t x)
{
    double size = hypot(near(acb_realref(w)), near(acb_imagref(w)));
    for (int i = 0; i < 2; i++) {
        double exact = near(i ? acb_imagref(w) : acb_realref(w)), m = out->part[i].m;
        double own = of->dtype == OC_F64 ? 0x1p-52 : 0x1p-50;
        double most = 0.501 * ulp_at(of, exact) + own * size;
        // e^(b log a) has the error of its exponent, and its ball says so.
        bool loose = is_op(s, "stablehlo.power") && out->part[i].r > 0x1.01p-47 * size;
        if (!loose && isfinite(m) && fabs(m - exact) > most) {
            refuse(s, of, i, exact, out->part[i], x);
        }
    }
}

/* --- programs --- */

static const char *const head =
    "func.func @main(%p: !a, %q: !a, %r: !a, %s: !a, %z: !a) -> (!b, !b, !b) {\n";
static const char *const points =
    "%x = stablehlo.complex %p, %q : !b\n%y = stablehlo.complex %r, %s : !b\n";
/* From points: tanh has a radius of some ulp. */
static const char *const balls =
    "%t = stablehlo.tanh %p : !a\n%u = stablehlo.tanh %q : !a\n"
    "%v = stablehlo.tanh %r : !a\n%w = stablehlo.tanh %s : !a\n"
    "%a = stablehlo.multiply %t, %z : !a\n%b = stablehlo.multiply %u, %z : !a\n"
    "%x = stablehlo.complex %a, %b : !b\n%y = stablehlo.complex %v, %w : !b\n";

/* A real or imaginary number may lie on a cut, whose side a zero's sign tells. */
static bool on_cut(const subject *s, const acb_t x)
{
    bool axis = arb_is_zero(acb_imagref(x)) || arb_is_zero(acb_realref(x));
    return axis && (!s->two || is_op(s, "stablehlo.power"));
}

static void check_elements(const subject *s, const type *of, bool are_balls, dice *from,
                           const program *p, size_t *decided)
{
    acb_t x, y, w;
    acb_init(x);
    acb_init(y);
    acb_init(w);
    for (size_t i = 0; i < COUNT; i++) {
        element a = element_at(program_output(p, 0), i);
        element b = element_at(program_output(p, 1), i);
        element out = element_at(program_output(p, 2), i);
        *decided += !out.open && out.part[0].r < (double)INFINITY;
        for (size_t draw = 0; !out.open && draw < (are_balls ? DRAWS : 1); draw++) {
            if (!choose(from, of, &a, x) || !choose(from, of, &b, y) || on_cut(s, x) ||
                !evaluate(s, w, x, y)) {
                continue;
            }
            check(s, of, &out, w, x, y);
            if (!are_balls) {
                check_midpoint(s, of, &out, w, x);
            }
        }
    }
    acb_clear(w);
    acb_clear(y);
    acb_clear(x);
}

static void try_round(const subject *s, const type *of, bool are_balls, dice *from,
                      size_t *decided)
{
    char text[2048];
    oc_tensor in[OPERANDS];
    bool is_chlo = strncmp(s->op, "chlo.", 5) == 0;
    fill(from, of, in);
    snprintf(text, sizeof text,
             "%s%s%%0 = %s %s : %s\nreturn %%x, %%y, %%0 : !b, !b, !b\n}\n", head,
             are_balls ? balls : points, s->op, s->two ? "%x, %y" : "%x",
             is_chlo ? "!b -> !b" : "!b");
    const char *pair = of->dtype == OC_F32 ? "complex<f32>" : "complex<f64>";
    program p = run_typed(of->name, pair, text, in, OPERANDS);
    check_elements(s, of, are_balls, from, &p, decided);
    program_free(&p);
    for (size_t k = 0; k < OPERANDS; k++) {
        oc_tensor_free(&in[k]);
    }
}

static void try_all(const subject *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        dice from = {.state = i};
        size_t decided = 0;
        for (size_t round = 0; round < ROUNDS; round++) {
            const type *of = &types[round % 3 == 0 ? F64 : F32];
            try_round(&all[i], of, false, &from, &decided);
            try_round(&all[i], of, true, &from, &decided);
        }
        assert_true(decided > (size_t)ROUNDS * COUNT);
    }
}

static void arithmetic_holds(void **state)
{
    static const subject all[] = {
        {"stablehlo.add", NULL, acb_add},      {"stablehlo.subtract", NULL, acb_sub},
        {"stablehlo.multiply", NULL, acb_mul}, {"stablehlo.divide", NULL, acb_div},
        {"stablehlo.power", NULL, acb_pow},    {"stablehlo.sign", acb_sgn, NULL}};
    (void)state;
    try_all(all, sizeof all / sizeof *all);
}

static void functions_hold(void **state)
{
    static const subject all[] = {{"stablehlo.exponential", acb_exp, NULL},
                                  {"stablehlo.exponential_minus_one", acb_expm1, NULL},
                                  {"stablehlo.log", acb_log, NULL},
                                  {"stablehlo.log_plus_one", acb_log1p, NULL},
                                  {"stablehlo.sqrt", acb_sqrt, NULL},
                                  {"stablehlo.rsqrt", acb_rsqrt, NULL},
                                  {"stablehlo.cbrt", cube_root, NULL},
                                  {"stablehlo.logistic", logistic, NULL},
                                  {"stablehlo.tanh", acb_tanh, NULL},
                                  {"stablehlo.tan", acb_tan, NULL},
                                  {"stablehlo.sine", acb_sin, NULL},
                                  {"stablehlo.cosine", acb_cos, NULL}};
    (void)state;
    try_all(all, sizeof all / sizeof *all);
}

static void chlo_functions_hold(void **state)
{
    static const subject all[] = {
        {"chlo.sinh", acb_sinh, NULL},   {"chlo.cosh", acb_cosh, NULL},
        {"chlo.asin", acb_asin, NULL},   {"chlo.acos", acb_acos, NULL},
        {"chlo.atan", acb_atan, NULL},   {"chlo.asinh", acb_asinh, NULL},
        {"chlo.acosh", acb_acosh, NULL}, {"chlo.atanh", acb_atanh, NULL}};
    (void)state;
    try_all(all, sizeof all / sizeof *all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_holds),
        cmocka_unit_test(functions_hold),
        cmocka_unit_test(chlo_functions_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
