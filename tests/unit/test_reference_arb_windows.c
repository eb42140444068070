/* Convolutions, additive scatters and batch normalisation against Arb and against
 * devices that take any order, or another formula that is right too. */
#include "any_order.h"
#include "arb_programs.h"
#include "arb_sums.h"

#include <stdio.h>
#include <stdlib.h>

enum { ORDERS = 3 };

static void hold(const char *what, const type *of, ball x, double got)
{
    const char *why = ball_refuses(x, got);
    if (why) {
        fail_msg("%s %s: %a %s: %a +- %a", what, of->name, got, why, x.m, x.r);
    }
}

/* n numbers, all of one kind (random_row). */
static double *random_numbers(dice *from, const type *of, bool finite,
                              oc_tensor *tensor)
{
    size_t n = oc_tensor_count(tensor);
    double *numbers = calloc(n + 1, sizeof *numbers);
    assert_non_null(numbers);
    random_row(from, of, finite, numbers, n);
    for (size_t i = 0; i < n; i++) {
        store(tensor, i, numbers[i]);
    }
    return numbers;
}

/* --- convolution: [batch, width, in] x [size, in, out] --- */

typedef struct convolution {
    const type *from, *to, *accumulator;
    size_t batch, width, in, size, out, stride, low, high, hole, gap, positions;
} convolution;

static convolution random_convolution(dice *from, const type *a, const type *b,
                                      const type *accumulator)
{
    convolution c = {.from = a,
                     .to = b,
                     .accumulator = accumulator,
                     .batch = 1 + dice_below(from, 2),
                     .width = 1 + dice_below(from, 9),
                     .in = 1 + dice_below(from, 5),
                     .size = 1 + dice_below(from, 4),
                     .out = 1 + dice_below(from, 3),
                     .stride = 1 + dice_below(from, 2),
                     .low = dice_below(from, 3),
                     .high = dice_below(from, 3),
                     .hole = 1 + dice_below(from, 2),
                     .gap = 1 + dice_below(from, 2)};
    size_t padded = (c.width - 1) * c.hole + 1 + c.low + c.high;
    size_t window = (c.size - 1) * c.gap + 1;
    c.positions = padded < window ? 0 : (padded - window) / c.stride + 1;
    return c;
}

/* The products of one output; how many. */
static size_t taps(const convolution *c, const double *x, const double *y,
                   size_t output, double *left, double *right)
{
    size_t o = output % c->out, at = output / c->out % c->positions, count = 0;
    size_t batch = output / c->out / c->positions;
    for (size_t k = 0; k < c->size; k++) {
        size_t place = at * c->stride + k * c->gap;
        bool inside = place >= c->low && (place - c->low) % c->hole == 0 &&
                      (place - c->low) / c->hole < c->width;
        for (size_t i = 0; inside && i < c->in; i++) {
            size_t element = (place - c->low) / c->hole;
            left[count] = x[(batch * c->width + element) * c->in + i];
            right[count++] = y[(k * c->in + i) * c->out + o];
        }
    }
    return count;
}

static void check_convolution(const convolution *c, dice *from, const double *x,
                              const double *y, const oc__value *out)
{
    const adder device = {.dice = from, .accumulator = c->accumulator->dtype};
    for (size_t i = 0; i < out->count; i++) {
        double left[32], right[32];
        size_t n = taps(c, x, y, i, left, right);
        for (size_t order = 0; order < ORDERS; order++) {
            double got = dot_at_random(&device, left, right, n);
            hold("convolution", c->to, element_of(out, i),
                 round_number(c->to->dtype, got));
        }
        arf_t sum;
        arf_init(sum);
        if (exact_sum(sum, left, right, n)) {
            double best = round_real(c->to, sum, ARF_RND_NEAR);
            ball b = element_of(out, i);
            // An overflow on the way is the text's too.
            if (isfinite(best) && isfinite(b.m)) {
                hold("convolution, the real", c->to, b, best);
            }
        }
        arf_clear(sum);
    }
}

static void try_convolution(const convolution *c, dice *from, bool sigma)
{
    const int64_t left[3] = {(int64_t)c->batch, (int64_t)c->width, (int64_t)c->in};
    const int64_t right[3] = {(int64_t)c->size, (int64_t)c->in, (int64_t)c->out};
    oc_tensor in[2] = {tensor_of(c->from->dtype, left, 3),
                       tensor_of(c->from->dtype, right, 3)};
    // The padding is zeros, which no device should multiply with infinities.
    double *x = random_numbers(from, c->from, !dice_one_in(from, 8), &in[0]);
    double *y = random_numbers(from, c->from, true, &in[1]);
    char text[1024];
    snprintf(
        text, sizeof text,
        "!x = tensor<%zux%zux%zux%s>\n!y = tensor<%zux%zux%zux%s>\n"
        "!z = tensor<%zux%zux%zux%s>\nfunc.func @main(%%x: !x, %%y: !y) -> !z {\n"
        "%%0 = stablehlo.convolution(%%x, %%y) dim_numbers = [b, 0, f]x[0, i, o]->[b, "
        "0, f], window = {stride = [%zu], pad = [[%zu, %zu]], lhs_dilate = [%zu], "
        "rhs_dilate = [%zu]} {batch_group_count = 1 : i64, feature_group_count = 1 : "
        "i64} : (!x, !y) -> !z\nreturn %%0 : !z\n}\n",
        c->batch, c->width, c->in, c->from->name, c->size, c->in, c->out, c->from->name,
        c->batch, c->positions, c->out, c->to->name, c->stride, c->low, c->high,
        c->hole, c->gap);
    program p = run_text(text, in, 2, &(oc__arith){.sigma = sigma});
    check_convolution(c, from, x, y, program_output(&p, 0));
    program_free(&p);
    free(x);
    free(y);
    oc_tensor_free(&in[0]);
    oc_tensor_free(&in[1]);
}

static void convolutions_hold(void **state)
{
    static const size_t kinds[][3] = {{F32, F32, F32},   {BF16, F32, F32},
                                      {BF16, BF16, F32}, {F16, F16, F32},
                                      {F64, F64, F64},   {F8E5M2, F32, F32}};
    dice from = {.state = 21};
    (void)state;
    for (size_t i = 0; i < 2400; i++) {
        const size_t *k = kinds[i % 6];
        convolution c =
            random_convolution(&from, &types[k[0]], &types[k[1]], &types[k[2]]);
        if (c.positions > 0) {
            try_convolution(&c, &from, i % 2);
        }
    }
}

/* --- scatter that adds --- */

enum { PLACES = 7, UPDATES = 40 };

static void try_scatter(const type *of, const type *accumulator, bool narrow,
                        dice *from)
{
    const int64_t places[1] = {PLACES}, updates[1] = {UPDATES}, index[2] = {UPDATES, 1};
    oc_tensor in[3] = {tensor_of(of->dtype, places, 1), tensor_of(OC_S32, index, 2),
                       tensor_of(of->dtype, updates, 1)};
    double *x = random_numbers(from, of, true, &in[0]),
           *u = random_numbers(from, of, !dice_one_in(from, 8), &in[2]);
    int32_t at[UPDATES];
    char text[1024];
    for (size_t i = 0; i < UPDATES; i++) {
        at[i] = (int32_t)dice_below(from, PLACES + 1); // the last one is outside
    }
    memcpy(in[1].data, at, sizeof at);
    snprintf(text, sizeof text,
             "!x = tensor<%dx%s>\n!i = tensor<%dx1xi32>\n!u = tensor<%dx%s>\n!s = "
             "tensor<%s>\nfunc.func @main(%%x: !x, %%i: !i, %%u: !u) -> !x {\n"
             "%%0 = \"stablehlo.scatter\"(%%x, %%i, %%u) <{scatter_dimension_numbers = "
             "#stablehlo.scatter<inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
             "^bb0(%%a: !s, %%b: !s):\n%%c = stablehlo.add %%a, %%b : !s\n"
             "stablehlo.return %%c : !s\n}) : (!x, !i, !u) -> !x\nreturn %%0 : !x\n}\n",
             PLACES, of->name, UPDATES, UPDATES, of->name, of->name);
    program p = run_text(text, in, 3, &(oc__arith){.narrow_accumulator = narrow});
    const adder device = {.dice = from, .accumulator = accumulator->dtype};
    for (size_t i = 0; i < (size_t)PLACES * ORDERS; i++) {
        double terms[UPDATES + 1] = {x[i / ORDERS]};
        size_t n = 1;
        for (size_t k = 0; k < UPDATES; k++) {
            terms[n] = u[k];
            n += at[k] == (int32_t)(i / ORDERS);
        }
        double got = round_number(of->dtype, add_at_random(&device, terms, n));
        hold("scatter", of, element_of(program_output(&p, 0), i / ORDERS), got);
    }
    program_free(&p);
    free(x);
    free(u);
    for (size_t k = 0; k < 3; k++) {
        oc_tensor_free(&in[k]);
    }
}

static void scatters_hold(void **state)
{
    dice from = {.state = 22};
    (void)state;
    for (size_t i = 0; i < 400; i++) {
        try_scatter(&types[F32], &types[F32], false, &from);
        try_scatter(&types[F64], &types[F64], false, &from);
        try_scatter(&types[BF16], &types[F32], false, &from);
        try_scatter(&types[BF16], &types[BF16], true, &from);
        try_scatter(&types[F16], &types[F16], true, &from);
    }
}

/* --- batch normalisation, [rows, 1] --- */

enum { MAX_ROWS = 64 };

static double f32(double x)
{
    return (double)(float)x;
}

/* Mean and variance: of the differences, or E[x^2] - mean^2. */
static void moments(dice *from, const double *x, size_t n, double *mean,
                    double *variance)
{
    const adder device = {.dice = from, .accumulator = OC_F32};
    double squares[MAX_ROWS];
    bool differences = dice_one_in(from, 2);
    *mean = f32(add_at_random(&device, x, n) / (double)n);
    for (size_t i = 0; i < n; i++) {
        double d = differences ? f32(x[i] - *mean) : x[i];
        squares[i] = f32(d * d);
    }
    *variance = f32(add_at_random(&device, squares, n) / (double)n);
    if (!differences) {
        *variance = f32(*variance - f32(*mean * *mean));
    }
}

/* (x - mean) / sqrt(variance + eps) * scale + offset, by way of a quotient, of a
 * factor, or of one fused multiply-add. */
static double normalised(dice *from, double x, double mean, double variance,
                         double scale, double offset)
{
    double shifted = f32(variance + f32(1e-3));
    switch (dice_below(from, 3)) {
    case 0: {
        double quotient = f32(f32(x - mean) / f32(sqrt(shifted)));
        return f32(f32(quotient * scale) + offset);
    }
    case 1: {
        double factor = f32(f32(1 / sqrt(shifted)) * scale);
        return round_fused(OC_F32, f32(x - mean), factor, offset);
    }
    default: {
        double factor = f32(f32(1 / sqrt(shifted)) * scale);
        double rest = round_fused(OC_F32, -mean, factor, offset);
        return round_fused(OC_F32, x, factor, rest);
    }
    }
}

static void batch_norms_hold(void **state)
{
    dice from = {.state = 23};
    (void)state;
    for (size_t i = 0; i < 1500; i++) {
        size_t n = 1 + dice_below(&from, MAX_ROWS);
        const int64_t dims[2] = {(int64_t)n, 1}, one[1] = {1};
        oc_tensor in[3] = {tensor_of(OC_F32, dims, 2), tensor_of(OC_F32, one, 1),
                           tensor_of(OC_F32, one, 1)};
        double x[MAX_ROWS], shift = dice_one_in(&from, 2) ? 0 : 4;
        double scale = f32(dice_normal(&from)), offset = f32(dice_normal(&from));
        char text[1024];
        for (size_t k = 0; k < n; k++) {
            x[k] = f32(shift + dice_normal(&from));
            store(&in[0], k, x[k]);
        }
        store(&in[1], 0, scale);
        store(&in[2], 0, offset);
        snprintf(
            text, sizeof text,
            "!x = tensor<%zux1xf32>\n!f = tensor<1xf32>\n"
            "func.func @main(%%x: !x, %%s: !f, %%o: !f) -> (!x, !f, !f) {\n"
            "%%0:3 = \"stablehlo.batch_norm_training\"(%%x, %%s, %%o) <{epsilon = "
            "1.0e-3 : f32, feature_index = 1 : i64}> : (!x, !f, !f) -> (!x, !f, !f)\n"
            "return %%0#0, %%0#1, %%0#2 : !x, !f, !f\n}\n",
            n);
        program p = run_text(text, in, 3, &(oc__arith){0});
        for (size_t order = 0; order < ORDERS; order++) {
            double mean, variance;
            moments(&from, x, n, &mean, &variance);
            hold("mean", &types[F32], element_of(program_output(&p, 1), 0), mean);
            hold("variance", &types[F32], element_of(program_output(&p, 2), 0),
                 variance);
            for (size_t k = 0; k < n; k++) {
                double y = normalised(&from, x[k], mean, variance, scale, offset);
                hold("batch_norm_training", &types[F32],
                     element_of(program_output(&p, 0), k), y);
            }
        }
        program_free(&p);
        for (size_t k = 0; k < 3; k++) {
            oc_tensor_free(&in[k]);
        }
    }
}

/* Mean and variance are given: nothing but the operations' own roundings. */
static void batch_norms_of_given_moments_hold(void **state)
{
    dice from = {.state = 24};
    (void)state;
    for (size_t i = 0; i < 1500; i++) {
        enum { N = 8, INPUTS = 5 };
        const int64_t dims[2] = {N, 1};
        oc_tensor in[INPUTS] = {tensor_of(OC_F32, dims, 2)};
        double x[N], given[INPUTS - 1]; // scale, offset, mean, variance
        for (size_t k = 0; k < N; k++) {
            x[k] = f32(dice_normal(&from));
            store(&in[0], k, x[k]);
        }
        for (size_t k = 0; k < INPUTS - 1; k++) {
            double number = f32(dice_normal(&from));
            given[k] = k == INPUTS - 2 ? fabs(number) : number;
            in[1 + k] = tensor_of(OC_F32, dims + 1, 1);
            store(&in[1 + k], 0, given[k]);
        }
        program p = run_text(
            "!x = tensor<8x1xf32>\n!f = tensor<1xf32>\n"
            "func.func @main(%x: !x, %s: !f, %o: !f, %m: !f, %v: !f) -> !x {\n"
            "%0 = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %m, %v) <{epsilon = "
            "1.0e-3 : f32, feature_index = 1 : i64}> : (!x, !f, !f, !f, !f) -> !x\n"
            "return %0 : !x\n}\n",
            in, INPUTS, &(oc__arith){0});
        for (size_t k = 0; k < N * ORDERS; k++) {
            double y =
                normalised(&from, x[k % N], given[2], given[3], given[0], given[1]);
            hold("batch_norm_inference", &types[F32],
                 element_of(program_output(&p, 0), k % N), y);
        }
        program_free(&p);
        for (size_t k = 0; k < INPUTS; k++) {
            oc_tensor_free(&in[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_hold),
        cmocka_unit_test(scatters_hold),
        cmocka_unit_test(batch_norms_hold),
        cmocka_unit_test(batch_norms_of_given_moments_hold),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
