/* dot_general on points and balls against Arb and against devices that take any order,
 * any tree, fused or not, under every model of accumulators and operands: 10^5 dot
 * products and more. */
#include "arb_programs.h"
#include "arb_sums.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16, LONGEST = 130, ORDERS = 3, MAX_PARTS = 3 };

static const size_t lengths[] = {1, 2, 3, 8, 31, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* tf32 has f32's exponents. */
static const type tf32 = {"tf32", 0x1.ffcp127, OC_F32, 11, -126, true};

typedef struct dots {
    const type *from, *to, *accumulator;
    oc__arith arith;
    bool balls; /* operands that are no points */
    const char *precision;
} dots;

typedef struct work {
    const dots *dots;
    size_t k;
    dice dice;
    size_t decided, exact, count;
} work;

static program evaluate_dots(const work *w, const oc_tensor *inputs)
{
    const dots *d = w->dots;
    const char *op = d->balls ? "tanh" : "negate";
    char text[2048];
    snprintf(text, sizeof text,
             "!x = tensor<%dx%zux%s>\n!y = tensor<%zux%dx%s>\n!z = tensor<%dx%dx%s>\n"
             "func.func @main(%%x: !x, %%y: !y) -> (!x, !y, !z) {\n"
             "%%a = stablehlo.%s %%x : !x\n%%b = stablehlo.%s %%y : !y\n"
             "%%c = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0], "
             "precision = [%s, %s] : (!x, !y) -> !z\n"
             "return %%a, %%b, %%c : !x, !y, !z\n}\n",
             SIDE, w->k, d->from->name, w->k, SIDE, d->from->name, SIDE, SIDE,
             d->to->name, op, op, d->precision, d->precision);
    return run_text(text, inputs, 2, &d->arith);
}

/* --- how a device reads a number --- */

static double read_as(const type *of, arf_rnd_t direction, double x)
{
    arf_t real;
    if (x == 0 || !isfinite(x)) {
        return x;
    }
    arf_init(real);
    arf_set_d(real, x);
    double read = round_real(of, real, direction);
    arf_clear(real);
    return read;
}

/* The parts that it is read as; returns how many. */
static size_t parts_of(oc__operand_model model, double x, double parts[MAX_PARTS])
{
    const type *bf16 = &types[BF16];
    size_t count = 1;
    switch (model) {
    case OC__OPERANDS_FULL: parts[0] = x; break;
    case OC__OPERANDS_TF32_RNE: parts[0] = read_as(&tf32, ARF_RND_NEAR, x); break;
    case OC__OPERANDS_TF32_RZ: parts[0] = read_as(&tf32, ARF_RND_DOWN, x); break;
    case OC__OPERANDS_BF16_RNE: parts[0] = read_as(bf16, ARF_RND_NEAR, x); break;
    case OC__OPERANDS_BF16_RZ: parts[0] = read_as(bf16, ARF_RND_DOWN, x); break;
    case OC__OPERANDS_BF16_X3:
    case OC__OPERANDS_BF16_X3_RZ:
    case OC__OPERANDS_BF16_X6:
    case OC__OPERANDS_BF16_X6_RZ:
        count = model <= OC__OPERANDS_BF16_X3_RZ ? 2 : 3;
        bool truncates =
            model == OC__OPERANDS_BF16_X3_RZ || model == OC__OPERANDS_BF16_X6_RZ;
        for (size_t i = 0; i < count; i++) {
            parts[i] = read_as(bf16, truncates ? ARF_RND_DOWN : ARF_RND_NEAR, x);
            x -= parts[i];
        }
    }
    return count;
}

/* The products that a device adds up: parts whose places add up to less than `parts`.
 * False where a finite number's first part is infinite: what devices do with the others
 * then is their own affair. */
static bool terms_of(const work *w, const double *x, const double *y, double *left,
                     double *right, size_t *out_count)
{
    bool usual = true;
    *out_count = 0;
    for (size_t i = 0; i < w->k; i++) {
        double a[MAX_PARTS], b[MAX_PARTS];
        size_t parts = parts_of(w->dots->arith.operands, x[i], a);
        (void)parts_of(w->dots->arith.operands, y[i], b);
        usual = usual && (parts == 1 || (isfinite(a[0]) && isfinite(b[0])));
        for (size_t k = 0; k < parts * parts; k++) {
            if (k / parts + k % parts < parts) {
                left[*out_count] = a[k / parts];
                right[(*out_count)++] = b[k % parts];
            }
        }
    }
    return usual;
}

static void refuse(const work *w, const char *what, double got, const char *why,
                   ball out)
{
    const dots *d = w->dots;
    fail_msg("%s %s -> %s, accumulator %s, operands %d, k = %zu, %s: %a %s: %a +- %a",
             what, d->from->name, d->to->name, d->accumulator->name, d->arith.operands,
             w->k, d->balls ? "balls" : "points", got, why, out.m, out.r);
}

static void check_dot(work *w, const oc__value *a, const oc__value *b, size_t row,
                      size_t column, ball out)
{
    const dots *d = w->dots;
    double x[LONGEST], y[LONGEST], left[6 * LONGEST], right[6 * LONGEST];
    const adder device = {&w->dice, d->accumulator->dtype, d->arith.flush, false};
    w->count++;
    w->decided += out.r < (double)INFINITY;
    w->exact += out.r == 0;
    for (size_t order = 0; order < ORDERS; order++) {
        for (size_t i = 0; i < w->k; i++) {
            ball p = element_of(a, row * w->k + i),
                 q = element_of(b, i * SIDE + column);
            x[i] = random_inside(&w->dice, d->from, p, true);
            y[i] = random_inside(&w->dice, d->from, q, true);
        }
        size_t n;
        if (!terms_of(w, x, y, left, right, &n)) {
            continue;
        }
        double got = round_number(d->to->dtype, dot_at_random(&device, left, right, n));
        const char *why = ball_refuses(out, got);
        if (why) {
            refuse(w, "a device's", got, why, out);
        }
        arf_t sum;
        arf_init(sum);
        bool finite = exact_sum(sum, left, right, n);
        double best = finite ? round_real(d->to, sum, ARF_RND_NEAR) : 0;
        // An overflow on the way is the text's too, so only a finite result counts.
        if (finite && isfinite(best) && isfinite(out.m) && ball_refuses(out, best)) {
            refuse(w, "the real", best, "is outside", out);
        }
        arf_clear(sum);
    }
}

static void fill(work *w, oc_tensor *tensor, bool columns)
{
    const type *of = w->dots->from;
    double row[LONGEST];
    for (size_t i = 0; i < SIDE; i++) {
        random_row(&w->dice, of, !dice_one_in(&w->dice, 16), row, w->k);
        for (size_t k = 0; k < w->k; k++) {
            store(tensor, columns ? k * SIDE + i : i * w->k + k, row[k]);
        }
    }
}

static void try_dots(work *w)
{
    const int64_t k = (int64_t)w->k, left[2] = {SIDE, k}, right[2] = {k, SIDE};
    oc_tensor in[2] = {tensor_of(w->dots->from->dtype, left, 2),
                       tensor_of(w->dots->from->dtype, right, 2)};
    fill(w, &in[0], false);
    fill(w, &in[1], true);
    program p = evaluate_dots(w, in);
    const oc__value *a = program_output(&p, 0), *b = program_output(&p, 1);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        check_dot(w, a, b, i / SIDE, i % SIDE, element_of(program_output(&p, 2), i));
    }
    program_free(&p);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

static void try_lengths(const dots *d, size_t rounds)
{
    size_t decided = 0, exact = 0, count = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        for (size_t round = 0; round < rounds; round++) {
            work w = {.dots = d, .k = lengths[i], .dice = {.state = 100 * i + round}};
            try_dots(&w);
            decided += w.decided;
            exact += w.exact;
            count += w.count;
        }
    }
    printf("%s -> %s, operands %d: %zu, %zu decided, %zu points\n", d->from->name,
           d->to->name, d->arith.operands, count, decided, exact);
    assert_true(2 * decided > count);
}

static void try_both(const dots *given, size_t rounds)
{
    dots d = *given;
    d.precision = d.precision ? d.precision : "DEFAULT";
    for (int i = 0; i < 4; i++) {
        d.balls = i & 1;
        d.arith.sigma = i >> 1; // which takes another way through the kernel
        try_lengths(&d, rounds);
    }
}

static void dots_hold(void **state)
{
    static const size_t kinds[][3] = {
        {F32, F32, F32}, {BF16, F32, F32},     {BF16, BF16, F32},  {F16, F16, F32},
        {F16, F32, F32}, {F8E4M3FN, F32, F32}, {F8E5M2, F16, F32}, {F64, F64, F64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const dots d = {.from = &types[kinds[i][0]],
                        .to = &types[kinds[i][1]],
                        .accumulator = &types[kinds[i][2]]};
        try_both(&d, i == 0 ? 6 : 2);
    }
}

/* The text's own contract: every step in the type of the result. */
static void narrow_dots_hold(void **state)
{
    static const size_t narrow[] = {BF16, F16};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const type *of = &types[narrow[i]];
        const dots d = {.from = of,
                        .to = of,
                        .accumulator = of,
                        .arith = {.narrow_accumulator = true}};
        try_both(&d, 1);
    }
}

static void operand_models_hold(void **state)
{
    (void)state;
    for (int model = OC__OPERANDS_TF32_RNE; model <= OC__OPERANDS_BF16_X6_RZ; model++) {
        const dots d = {.from = &types[F32],
                        .to = &types[F32],
                        .accumulator = &types[F32],
                        .arith = {.operands = (oc__operand_model)model}};
        try_both(&d, 1);
    }
}

/* A model of DEFAULT precision does not touch HIGHEST. */
static void highest_precision_is_full(void **state)
{
    (void)state;
    dots d = {.from = &types[F32],
              .to = &types[F32],
              .accumulator = &types[F32],
              .precision = "HIGHEST"};
    dots rounded = d;
    rounded.arith.operands = OC__OPERANDS_BF16_RNE;
    work w = {.dots = &d, .k = 8, .dice = {.state = 1}};
    const int64_t left[2] = {SIDE, 8}, right[2] = {8, SIDE};
    oc_tensor in[2] = {tensor_of(OC_F32, left, 2), tensor_of(OC_F32, right, 2)};
    fill(&w, &in[0], false);
    fill(&w, &in[1], true);
    program full = evaluate_dots(&w, in);
    w.dots = &rounded;
    program same = evaluate_dots(&w, in);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        ball x = element_of(program_output(&full, 2), i);
        ball y = element_of(program_output(&same, 2), i);
        assert_memory_equal(&x.m, &y.m, sizeof x.m);
        assert_memory_equal(&x.r, &y.r, sizeof x.r);
    }
    program_free(&full);
    program_free(&same);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

static void flushed_dots_hold(void **state)
{
    static const size_t kinds[][2] = {{F32, F32}, {BF16, F32}, {F64, F64}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const dots d = {.from = &types[kinds[i][0]],
                        .to = &types[kinds[i][0]],
                        .accumulator = &types[kinds[i][1]],
                        .arith = {.flush = true}};
        try_both(&d, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_hold),
        cmocka_unit_test(narrow_dots_hold),
        cmocka_unit_test(operand_models_hold),
        cmocka_unit_test(highest_precision_is_full),
        cmocka_unit_test(flushed_dots_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
