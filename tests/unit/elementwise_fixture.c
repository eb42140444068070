#include "elementwise_fixture.h"

#include "stablehlo/parse.h"

#include <math.h>
#include <stdio.h>

oc__evaluation run;
static oc__hlo_module *module;

static void finish(void)
{
    oc__evaluation_free(&run);
    oc__hlo_module_free(module);
    module = NULL;
}

static oc_status try(const char *results, const char *body, const oc__arith *arith,
                     oc_error *err)
{
    char text[8192];
    finish();
    int size = snprintf(text, sizeof text, "func.func @main() -> (%s) {\n%s\n}\n",
                        results, body);
    assert_in_range(size, 1, sizeof text - 1);
    if (oc__hlo_parse(text, (size_t)size, "test", &module, err) != OC_OK) {
        fail_msg("%s", err->text);
    }
    return oc__evaluate(module, 1, 1, NULL, 0, arith, &(oc__eval_limits){0}, &run, err);
}

void evaluate_as(const char *results, const char *body, const oc__arith *arith)
{
    oc_error err = {0};
    if (try(results, body, arith, &err) != OC_OK) {
        fail_msg("%s\n%s", err.text, body);
    }
}

oc_status evaluate_wrong(const char *results, const char *body, oc_error *err)
{
    return try(results, body, &(oc__arith){0}, err);
}

void evaluate(const char *results, const char *body)
{
    evaluate_as(results, body, &(oc__arith){0});
}

const oc__value *output(size_t index)
{
    assert_true(index < run.output_count);
    return run.outputs[index];
}

double radius(size_t index, size_t element)
{
    const oc__value *v = output(index);
    return v->r ? oc__r(v)[element] : 0;
}

unsigned flags(size_t index, size_t element)
{
    const oc__value *v = output(index);
    return v->f ? oc__f(v)[element] : 0;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

void expect_points(size_t index, const double *wanted, size_t count)
{
    const oc__value *v = output(index);
    assert_int_equal(v->count, count);
    size_t parts = oc__dtype_is_complex(v->dtype) ? 2 : 1;
    for (size_t i = 0; i < count * parts; i++) {
        if (!same(oc__m(v)[i], wanted[i]) || radius(index, i) != 0 ||
            flags(index, i / parts) != 0) {
            fail_msg("number %zu of output %zu is %a +- %a, flags %u, not %a", i, index,
                     oc__m(v)[i], radius(index, i), flags(index, i / parts), wanted[i]);
        }
    }
}

void expect_integers(size_t index, unsigned wanted_flags, const int64_t *wanted,
                     size_t count)
{
    int64_t seen[64];
    assert_int_equal(output(index)->count, count);
    (void)oc__value_ints(output(index), seen);
    for (size_t i = 0; i < count; i++) {
        if (seen[i] != wanted[i] || flags(index, i) != wanted_flags) {
            fail_msg("element %zu of output %zu is %lld, flags %u, not %lld, flags %u",
                     i, index, (long long)seen[i], flags(index, i),
                     (long long)wanted[i], wanted_flags);
        }
    }
}
