/* reduce_window and convolution against plain loops over every window, in integers and
 * in floats that are exact; known cases of padding and dilation by hand. */
#include "contract_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One dimension of a window. */
typedef struct side {
    int64_t base, size, stride, base_dilation, window_dilation, low, high;
} side;

static int64_t outputs(const side *s)
{
    int64_t padded =
        (s->base > 0 ? (s->base - 1) * s->base_dilation + 1 : 0) + s->low + s->high;
    int64_t reach = (s->size - 1) * s->window_dilation + 1;
    return padded >= reach ? (padded - reach) / s->stride + 1 : 0;
}

/* The element of the base at output o, tap t; -1: padding or a hole. */
static int64_t base_at(const side *s, int64_t o, int64_t t)
{
    int64_t place = o * s->stride + t * s->window_dilation - s->low;
    bool hit = place >= 0 && place % s->base_dilation == 0 &&
               place / s->base_dilation < s->base;
    return hit ? place / s->base_dilation : -1;
}

static side random_side(dice *d, bool plain)
{
    side s = {.base = (int64_t)dice_below(d, 8),
              .size = 1,
              .stride = 1,
              .base_dilation = 1,
              .window_dilation = 1};
    if (!plain) {
        s.size = 1 + (int64_t)dice_below(d, 6);
        s.stride = 1 + (int64_t)dice_below(d, 3);
        s.base_dilation = 1 + (int64_t)dice_below(d, 3);
        s.window_dilation = 1 + (int64_t)dice_below(d, 3);
        s.low = (int64_t)dice_below(d, 8) - 3;
        s.high = (int64_t)dice_below(d, 8) - 3;
    }
    return s;
}

static int64_t wrapped(int64_t x, const char *op, int64_t acc)
{
    if (strcmp(op, "add") == 0) {
        return (int32_t)(uint32_t)((uint64_t)acc + (uint64_t)x);
    }
    if (strcmp(op, "multiply") == 0) {
        return (int32_t)(uint32_t)((uint64_t)acc * (uint64_t)x);
    }
    return strcmp(op, "maximum") == 0 ? (x > acc ? x : acc) : (x < acc ? x : acc);
}

static void window_case(dice *d, const char *op, int64_t init)
{
    enum { RANK = 3 };
    side s[RANK];
    int64_t out[RANK], count = 1;
    for (size_t k = 0; k < RANK; k++) {
        s[k] = random_side(d, dice_one_in(d, 3));
        out[k] = outputs(&s[k]);
        count *= out[k];
    }
    oc_tensor in = TENSOR(OC_S32, s[0].base, s[1].base, s[2].base);
    int32_t *x = in.data;
    for (size_t i = 0; i < oc_tensor_count(&in); i++) {
        x[i] = (int32_t)dice_below(d, 9) - 4;
    }
    char text[1500];
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<%lldx%lldx%lldxi32>) -> tensor<?x?x?xi32> {\n"
        "%%i = stablehlo.constant dense<%lld> : tensor<i32>\n"
        "%%0 = \"stablehlo.reduce_window\"(%%a, %%i) <{window_dimensions = array<i64: "
        "%lld, %lld, %lld>, window_strides = array<i64: %lld, %lld, %lld>, "
        "base_dilations "
        "= array<i64: %lld, %lld, %lld>, window_dilations = array<i64: %lld, %lld, "
        "%lld>, "
        "padding = dense<[[%lld, %lld], [%lld, %lld], [%lld, %lld]]> : "
        "tensor<3x2xi64>}> "
        "({\n^bb0(%%p: tensor<i32>, %%q: tensor<i32>):\n"
        "%%1 = stablehlo.%s %%p, %%q : tensor<i32>\n"
        "stablehlo.return %%1 : tensor<i32>\n"
        "}) : (tensor<%lldx%lldx%lldxi32>, tensor<i32>) -> tensor<?x?x?xi32>\n"
        "return %%0 : tensor<?x?x?xi32>\n}\n",
#define THREE(member)                                                                  \
    (long long)s[0].member, (long long)s[1].member, (long long)s[2].member
        THREE(base), (long long)init, THREE(size), THREE(stride), THREE(base_dilation),
        THREE(window_dilation), (long long)s[0].low, (long long)s[0].high,
        (long long)s[1].low, (long long)s[1].high, (long long)s[2].low,
        (long long)s[2].high, op, THREE(base));
    program p = contract_run(text, &in, 1, NULL);
    const oc__value *v = program_output(&p, 0);
    assert_int_equal(v->count, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t at[RANK] = {i / (out[1] * out[2]), i / out[2] % out[1], i % out[2]};
        int64_t acc = init, taps = s[0].size * s[1].size * s[2].size;
        for (int64_t t = 0; t < taps; t++) {
            int64_t tap[RANK] = {t / (s[1].size * s[2].size), t / s[2].size % s[1].size,
                                 t % s[2].size};
            int64_t e[RANK];
            for (size_t k = 0; k < RANK; k++) {
                e[k] = base_at(&s[k], at[k], tap[k]);
            }
            bool hit = e[0] >= 0 && e[1] >= 0 && e[2] >= 0;
            int64_t term = hit ? x[(e[0] * s[1].base + e[1]) * s[2].base + e[2]] : init;
            acc = wrapped(term, op, acc);
        }
        assert_int_equal(((const int32_t *)(const void *)v->m->bytes)[i], acc);
    }
    program_free(&p);
    oc_tensor_free(&in);
}

static void test_windows_of_every_shape(void **state)
{
    (void)state;
    dice d = {.state = 21};
    for (size_t i = 0; i < 400; i++) {
        window_case(&d, "add", i % 4 == 0 ? 3 : 0);
        window_case(&d, "multiply", i % 4 == 0 ? 2 : 1);
        window_case(&d, "maximum", i % 4 == 0 ? 1 : INT32_MIN);
        window_case(&d, "minimum", INT32_MAX);
    }
}

/* A long cumulative sum: inside for sums in any order, and quick. */
static void test_cumulative_sums(void **state)
{
    (void)state;
    enum { N = 3000 };
    dice d = {.state = 22};
    oc_tensor in = TENSOR(OC_F32, N);
    fill_f32(&in, &d, 0);
    double *x = numbers_of(&in), terms[N];
    program p =
        contract_run("func.func @main(%a: tensor<3000xf32>) -> tensor<3000xf32> {\n"
                     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = "
                     "array<i64: 3000>, "
                     "padding = dense<[[2999, 0]]> : tensor<1x2xi64>}> ({\n"
                     "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
                     "%1 = stablehlo.add %p, %q : tensor<f32>\n"
                     "stablehlo.return %1 : tensor<f32>\n"
                     "}) : (tensor<3000xf32>, tensor<f32>) -> tensor<3000xf32>\n"
                     "return %0 : tensor<3000xf32>\n}\n",
                     &in, 1, NULL);
    const oc__value *v = program_output(&p, 0);
    for (size_t tries = 0; tries < 50; tries++) {
        size_t i = dice_below(&d, N);
        memcpy(terms, x, (i + 1) * sizeof *terms);
        assert_true(inside(v, i, device_sum(terms, i + 1, OC_F32, &d)));
    }
    assert_true(oc__r(v)[0] == 0 && oc__r(v)[N - 1] < 1);
    program_free(&p);
    free(x);
    oc_tensor_free(&in);
}

/* --- convolution --- */

typedef struct conv_case {
    side s[2];
    bool reversed[2];
    int64_t batch, features, kernel_features, out_features, feature_groups,
        batch_groups;
} conv_case;

static conv_case random_conv(dice *d)
{
    conv_case c = {.feature_groups = 1, .batch_groups = 1};
    for (size_t k = 0; k < 2; k++) {
        c.s[k] = random_side(d, false);
        c.s[k].base++;
        c.s[k].size = 1 + (int64_t)dice_below(d, 3);
        c.reversed[k] = dice_one_in(d, 3);
    }
    if (dice_one_in(d, 3)) {
        c.feature_groups = 1 + (int64_t)dice_below(d, 3);
    } else if (dice_one_in(d, 3)) {
        c.batch_groups = 1 + (int64_t)dice_below(d, 3);
    }
    c.kernel_features = 1 + (int64_t)dice_below(d, 3);
    c.features = c.kernel_features * c.feature_groups;
    c.out_features =
        c.feature_groups * c.batch_groups * (1 + (int64_t)dice_below(d, 2));
    c.batch = c.batch_groups * (1 + (int64_t)dice_below(d, 2));
    return c;
}

/* The text's result for one element, with [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]. */
static double conv_at(const conv_case *c, const double *x, const double *k,
                      const int64_t out[4])
{
    int64_t per_feature = c->out_features / c->feature_groups;
    int64_t per_batch = c->out_features / c->batch_groups;
    int64_t group = c->feature_groups > 1 ? out[1] / per_feature : 0;
    int64_t image = out[0];
    if (c->batch_groups > 1) {
        image += out[1] / per_batch * (c->batch / c->batch_groups);
    }
    double sum = 0;
    for (int64_t t0 = 0; t0 < c->s[0].size; t0++) {
        for (int64_t t1 = 0; t1 < c->s[1].size; t1++) {
            int64_t e0 = base_at(&c->s[0], out[2], t0);
            int64_t e1 = base_at(&c->s[1], out[3], t1);
            int64_t k0 = c->reversed[0] ? c->s[0].size - 1 - t0 : t0;
            int64_t k1 = c->reversed[1] ? c->s[1].size - 1 - t1 : t1;
            for (int64_t i = 0; i < c->kernel_features && e0 >= 0 && e1 >= 0; i++) {
                int64_t feature = group * c->kernel_features + i;
                double a =
                    x[((image * c->s[0].base + e0) * c->s[1].base + e1) * c->features +
                      feature];
                double b = k[((k0 * c->s[1].size + k1) * c->kernel_features + i) *
                                 c->out_features +
                             out[1]];
                sum += a * b;
            }
        }
    }
    return sum;
}

static void conv_run(dice *d, bool floats)
{
    conv_case c = random_conv(d);
    const side *s = c.s;
    const char *type = floats ? "f32" : "i32";
    int64_t kernel[] = {s[0].size, s[1].size, c.kernel_features, c.out_features, -1};
    oc_tensor in[] = {
        TENSOR(floats ? OC_F32 : OC_S8, c.batch, s[0].base, s[1].base, c.features),
        tensor_of(floats ? OC_F32 : OC_S8, kernel)};
    double *numbers[2];
    for (size_t k = 0; k < 2; k++) {
        size_t count = oc_tensor_count(&in[k]);
        numbers[k] = calloc(count + 1, sizeof(double));
        for (size_t i = 0; i < count; i++) {
            int64_t n = (int64_t)dice_below(d, 255) - 127;
            numbers[k][i] = (double)n;
            if (floats) {
                ((float *)in[k].data)[i] = (float)n;
            } else {
                ((int8_t *)in[k].data)[i] = (int8_t)n;
            }
        }
    }
    char text[2000];
#define PAIR(member) (long long)s[0].member, (long long)s[1].member
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<%lldx%lldx%lldx%lldx%s>, %%b: "
        "tensor<%lldx%lldx%lldx%lldx%s>) -> tensor<?x?x?x?x%s> {\n"
        "%%0 = stablehlo.convolution(%%a, %%b) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
        "o]->[b, f, 0, 1], window = {stride = [%lld, %lld], pad = [[%lld, %lld], "
        "[%lld, %lld]], lhs_dilate = [%lld, %lld], rhs_dilate = [%lld, %lld], "
        "reverse = [%s, %s]} {batch_group_count = %lld : i64, feature_group_count = "
        "%lld : i64} : (tensor<%lldx%lldx%lldx%lldx%s>, "
        "tensor<%lldx%lldx%lldx%lldx%s>) -> tensor<?x?x?x?x%s>\n"
        "return %%0 : tensor<?x?x?x?x%s>\n}\n",
        (long long)c.batch, PAIR(base), (long long)c.features, floats ? "f32" : "i8",
        PAIR(size), (long long)c.kernel_features, (long long)c.out_features,
        floats ? "f32" : "i8", type, PAIR(stride), (long long)s[0].low,
        (long long)s[0].high, (long long)s[1].low, (long long)s[1].high,
        PAIR(base_dilation), PAIR(window_dilation), c.reversed[0] ? "true" : "false",
        c.reversed[1] ? "true" : "false", (long long)c.batch_groups,
        (long long)c.feature_groups, (long long)c.batch, PAIR(base),
        (long long)c.features, floats ? "f32" : "i8", PAIR(size),
        (long long)c.kernel_features, (long long)c.out_features, floats ? "f32" : "i8",
        type, type);
    program p = contract_run(text, in, 2, NULL);
    const oc__value *v = program_output(&p, 0);
    int64_t dims[] = {c.batch / c.batch_groups, c.out_features, outputs(&s[0]),
                      outputs(&s[1])};
    assert_memory_equal(v->dims, dims, sizeof dims);
    for (int64_t i = 0; i < (int64_t)v->count; i++) {
        int64_t out[] = {i / (dims[1] * dims[2] * dims[3]),
                         i / (dims[2] * dims[3]) % dims[1], i / dims[3] % dims[2],
                         i % dims[3]};
        double wanted = conv_at(&c, numbers[0], numbers[1], out);
        double got = floats ? oc__m(v)[i]
                            : (double)((const int32_t *)(const void *)v->m->bytes)[i];
        assert_true(got == wanted);
    }
    // Winograd's way is not exact where the window has several taps.
    bool one_tap = s[0].size == 1 && s[1].size == 1;
    assert_true(!floats || !one_tap || !v->r);
    program_free(&p);
    for (size_t k = 0; k < 2; k++) {
        free(numbers[k]);
        oc_tensor_free(&in[k]);
    }
}

static void test_convolutions_of_every_shape(void **state)
{
    (void)state;
    dice d = {.state = 23};
    for (size_t i = 0; i < 400; i++) {
        conv_run(&d, i % 2 == 0);
    }
}

/* The specification pads the input with zeros and multiplies them like any others: 0
 * times an infinite element of the kernel is NaN, at the edge and in the holes of a
 * dilated input. (The CPU plugin does so; XLA's folding of constants leaves padding
 * out.) */
static void test_padding_is_multiplied(void **state)
{
    (void)state;
    program p = program_run(
        "func.func @main() -> (tensor<1x4x1xf32>, tensor<1x5x1xf32>) {\n"
        "%x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : "
        "tensor<1x4x1xf32>\n"
        "%k = stablehlo.constant dense<[[[0x7F800000]], [[1.0]], [[1.0]]]> : "
        "tensor<3x1x1xf32>\n"
        "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, "
        "f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> "
        "tensor<1x4x1xf32>\n"
        "%1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, "
        "f], window = {lhs_dilate = [2]} {batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> "
        "tensor<1x5x1xf32>\n"
        "return %0, %1 : tensor<1x4x1xf32>, tensor<1x5x1xf32>\n}\n");
    for (size_t k = 0; k < 2; k++) {
        const oc__value *v = program_output(&p, k);
        for (size_t i = 0; i < v->count; i++) {
            bool on_zero = k == 0 ? i == 0 : i % 2 == 1;
            assert_true(on_zero ? isnan(oc__m(v)[i]) : oc__m(v)[i] == (double)INFINITY);
            assert_true(!v->r || oc__r(v)[i] == 0);
        }
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_of_every_shape),
        cmocka_unit_test(test_cumulative_sums),
        cmocka_unit_test(test_convolutions_of_every_shape),
        cmocka_unit_test(test_padding_is_multiplied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
