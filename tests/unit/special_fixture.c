#include "special_fixture.h"

const oc__arith text = {0};

ball apply_as(const oc__arith *arith, const char *name, oc_dtype dtype, ball x, ball y,
              double atol, double rtol)
{
    char op[64];
    size_t arity;
    snprintf(op, sizeof op, "chlo.%s", name);
    oc__tile_fn fn = oc__tile_find_special(op, &arity);
    assert_non_null(fn);
    ball out;
    oc__tile_env env = {.arith = arith,
                        .dtype = dtype,
                        .from = dtype,
                        .figure_ulps = oc__figure_ulps(NULL, op, dtype),
                        .accuracy_abs = atol,
                        .accuracy_rel = rtol};
    oc__tile in[2] = {{&x.m, &x.r, arith->sigma ? &x.s : NULL, &x.f},
                      {&y.m, &y.r, arith->sigma ? &y.s : NULL, &y.f}};
    oc__tile to = {&out.m, &out.r, arith->sigma ? &out.s : NULL, &out.f};
    oc__tile_apply(&env, fn, arity, 1, in, &to);
    return out;
}

ball apply(const char *name, oc_dtype dtype, double m, double r)
{
    return apply_as(&text, name, dtype, (ball){.m = m, .r = r}, (ball){0}, 0, 0);
}

ball apply2(const char *name, oc_dtype dtype, double x, double y)
{
    return apply_as(&text, name, dtype, (ball){.m = x}, (ball){.m = y}, 0, 0);
}
