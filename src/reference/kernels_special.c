#include "reference/bitwise.h"
#include "reference/chlo.h"
#include "reference/complex_functions.h"
#include "reference/figures.h"
#include "reference/real.h"
#include "reference/special.h"

#include <string.h>

static const struct {
    const char *name; /* without its dialect */
    oc__tile_fn tile;
} binary[] = {
    {"power", oc__power_tile},
    {"atan2", oc__atan2_tile},
    {"zeta", oc__zeta_tile},
    {"polygamma", oc__polygamma_tile},
    {"next_after", oc__next_after_tile},
};

oc__tile_fn oc__tile_find_special(const char *op_name, size_t *out_arity)
{
    const char *dot = strchr(op_name, '.');
    const char *name = dot ? dot + 1 : op_name;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (strcmp(name, binary[i].name) == 0) {
            *out_arity = 2;
            return binary[i].tile;
        }
    }
    *out_arity = 1;
    return oc__special_unary(name);
}

/* Elements whose figure is not documented are judged by the one that may refute. */
static void note_no_figure(oc__call *call, oc__tile_fn tile)
{
    const oc__value *out = call->out[0];
    const char *platform = oc__call_arith(call)->platform;
    if (tile != oc__next_after_tile && !oc__hlo_attr_get(call->op, "result_accuracy") &&
        oc__figure_ulps(platform, call->op->name, out->dtype) < 0) {
        oc__call_note(call, "no_figure", out->count);
    }
}

static oc_status run(oc__call *call, oc_error *err)
{
    size_t arity;
    oc__tile_fn tile = oc__tile_find_special(call->op->name, &arity);
    oc_status rc = oc__operands_check(call, arity, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_dtype dtype = call->in[0]->dtype;
    bool power = tile == oc__power_tile;
    if (power && oc__dtype_is_integer(dtype)) {
        return oc__bitwise_run(call, err);
    }
    bool on_complex =
        power || tile == oc__atan2_tile || oc__complex_find(call->op->name);
    if (oc__dtype_is_complex(dtype)) {
        rc = on_complex
                 ? oc__complex_run(call, err)
                 : OC_CALL_FAIL(call, err, OC_PARSE, "is not for complex elements");
    } else {
        rc = oc__tile_run(call, tile, arity, err);
    }
    if (rc == OC_OK) {
        note_no_figure(call, tile);
    }
    return rc;
}

#define T(name)                                                                        \
    {                                                                                  \
        name, run, NULL, true, "T k", ""                                               \
    }
#define T2(name, remark)                                                               \
    {                                                                                  \
        name, run, NULL, true, "T k", remark                                           \
    }

const oc__kernel oc__kernels_special[] = {
    T("stablehlo.exponential"),
    T("stablehlo.exponential_minus_one"),
    T("stablehlo.log"),
    T("stablehlo.log_plus_one"),
    T("stablehlo.logistic"),
    T("stablehlo.tanh"),
    T("stablehlo.tan"),
    T("stablehlo.sine"),
    T("stablehlo.cosine"),
    T("stablehlo.rsqrt"),
    T("stablehlo.cbrt"),
    T2("stablehlo.atan2", "undecided at the branch cut"),
    T2("stablehlo.power", "on integers exact; a negative exponent is left open"),
    T("chlo.acos"),
    T("chlo.acosh"),
    T("chlo.asin"),
    T("chlo.asinh"),
    T("chlo.atan"),
    T("chlo.atanh"),
    T("chlo.cosh"),
    T("chlo.sinh"),
    T("chlo.tan"),
    T("chlo.erf"),
    T("chlo.erfc"),
    T("chlo.erf_inv"),
    T2("chlo.lgamma", "k u max(1, |m|)"),
    T2("chlo.digamma", "k u max(1, |m|)"),
    T2("chlo.polygamma", "no documented figure"),
    T2("chlo.zeta", "no documented figure"),
    T("chlo.bessel_i1e"),
    {"chlo.next_after", run, NULL, true, "E", ""},
    {"chlo.square", oc__chlo_square, NULL, true, "R u", "x * x"},
    {"chlo.conj", oc__chlo_conj, NULL, true, "E", ""},
    {"chlo.is_inf", oc__chlo_is_inf, NULL, true, "E", ""},
    {"chlo.is_pos_inf", oc__chlo_is_inf, NULL, true, "E", ""},
    {"chlo.is_neg_inf", oc__chlo_is_inf, NULL, true, "E", ""},
    {"chlo.constant_like", oc__chlo_constant_like, NULL, false, "M", ""},
    OC__CHLO_BROADCASTS,
    {0},
};
