#include "reference/real.h"
#include "reference/special.h"

oc_status oc__operands_check(oc__call *call, size_t arity, oc_error *err)
{
    if (call->op->operand_count != arity || call->op->result_count != 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes %zu operands, not %zu", arity,
                            call->op->operand_count);
    }
    for (size_t k = 0; k < arity; k++) {
        if (call->in[k]->kind != OC__HLO_TENSOR || call->in[k]->quant ||
            call->in[k]->dtype != call->in[0]->dtype) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "the operands are not tensors of one element type");
        }
    }
    return OC_OK;
}

/* One operation for elements of every type. */
static oc_status run_elementwise(oc__call *call, oc_error *err)
{
    if (call->op->operand_count == 0 || call->in[0]->kind != OC__HLO_TENSOR) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes tensors");
    }
    oc_dtype dtype = call->in[0]->dtype;
    if (oc__dtype_is_float(dtype)) {
        size_t arity;
        oc__tile_fn fn = oc__tile_find(call->op->name, &arity);
        return oc__tile_run(call, fn, arity, err);
    }
    return oc__dtype_is_complex(dtype) ? oc__complexes_run(call, err)
                                       : oc__integers_run(call, err);
}

#define ROW(name, contract, remark)                                                    \
    {                                                                                  \
        "stablehlo." name, run_elementwise, NULL, true, contract, remark               \
    }

const oc__kernel oc__kernels_real[] = {
    ROW("abs", "E", "complex: T"),
    ROW("add", "R u", "integers wrap; on i1 or"),
    ROW("ceil", "E", "U where the ball straddles a whole number"),
    ROW("clamp", "E", "minimum(maximum(operand, min), max)"),
    {"stablehlo.compare", oc__compare_run, NULL, true, "E",
     "three-valued on balls; a value compared with itself is decided by NaN alone"},
    {"stablehlo.complex", oc__complex_make_run, NULL, true, "M", ""},
    {"stablehlo.convert", oc__convert_run, NULL, true, "R u",
     "to integers: truncates; out of range is left open: saturates, NaN gives 0"},
    ROW("divide", "R u", "integers: by zero is left open: -1; complex: T"),
    ROW("floor", "E", "U where the ball straddles a whole number"),
    {"stablehlo.imag", oc__real_run, NULL, true, "M", ""},
    {"stablehlo.is_finite", oc__is_finite_run, NULL, true, "E", "U near overflow"},
    ROW("maximum", "E", "NaN propagates, +0 > -0; complex: lexicographic"),
    ROW("minimum", "E", "NaN propagates, -0 < +0; complex: lexicographic"),
    ROW("multiply", "R u", "integers wrap; on i1 and"),
    ROW("negate", "E", ""),
    {"stablehlo.real", oc__real_run, NULL, true, "M", ""},
    ROW("reduce_precision", "E", "the NaN of a format without mantissa is open"),
    ROW("remainder", "E", "integers: by zero is left open: the dividend"),
    ROW("round_nearest_afz", "E", "U where the ball straddles a tie"),
    ROW("round_nearest_even", "E", "U where the ball straddles a tie"),
    {"stablehlo.select", oc__select_run, NULL, true, "E",
     "predicate undecided: the hull of both"},
    ROW("sign", "E", "U where the ball straddles 0; complex: T"),
    ROW("sqrt", "R u", "complex: T"),
    ROW("subtract", "R u", "integers wrap"),
    {0},
};
