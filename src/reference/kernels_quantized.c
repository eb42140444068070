#include "reference/bits.h"
#include "reference/lanes.h"
#include "reference/quantized.h"
#include "reference/round.h"
#include "tensor/float_format.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

/* --- scales and zero points */

/* The parameters of element i, in numbers of the expressed type. */
typedef struct parameters {
    double scale, zero_point;
} parameters;

/* Which pair is element i's: one for all, or by its index along one dimension. */
typedef struct axis {
    size_t inner, size; /* elements between neighbours along the dimension, its size */
} axis;

static oc_status axis_of(oc__call *call, const oc__hlo_quant *quant,
                         const oc__value *value, axis *out, oc_error *err)
{
    *out = (axis){.inner = 1, .size = 1};
    if (quant->dimension < 0) {
        return OC_OK;
    }
    size_t d = (size_t)quant->dimension;
    if (d >= value->rank || (size_t)value->dims[d] != quant->count) {
        return OC_CALL_FAIL(call, err, OC_PARSE,
                            "%zu scales do not fit dimension %zu of the tensor",
                            quant->count, d);
    }
    for (size_t k = d + 1; k < value->rank; k++) {
        out->inner *= (size_t)value->dims[k];
    }
    out->size = quant->count;
    return OC_OK;
}

static parameters parameters_at(const oc__hlo_quant *quant, axis a, size_t i)
{
    size_t at = i / a.inner % a.size;
    return (parameters){oc__float_round(quant->expressed, quant->scales[at]),
                        (double)quant->zero_points[at]};
}

static oc__tile_env env_of(const oc__call *call, oc_dtype dtype)
{
    return (oc__tile_env){.arith = oc__call_arith(call),
                          .op = call->op,
                          .dtype = dtype,
                          .from = dtype,
                          .figure_ulps = -1};
}

/* --- dequantize */

/* (stored - zero_point) converted, times the scale. The difference is whole and is
 * taken wider than the storage type, as everybody does. */
static double dequantized(const oc__tile_env *env, int64_t stored, parameters p,
                          bool undecided, double *r)
{
    double whole = oc__float_round(env->dtype, (double)stored - p.zero_point);
    double exact = whole * p.scale, m = oc__round_ball(env, exact, 0, 0, r);
    if (undecided) {
        *r = (double)INFINITY;
    } else if (env->contractible && isfinite(m)) {
        *r = fmax(*r, fabs(exact - m));
    }
    return m;
}

oc_status oc__dequantize(oc__call *call, const oc__value *value, bool contractible,
                         oc__value **out_value, oc_error *err)
{
    const oc__hlo_quant *quant = value->quant;
    axis a;
    oc__value *out = NULL;
    *out_value = NULL;
    oc_status rc = axis_of(call, quant, value, &a, err);
    if (rc == OC_OK) {
        rc =
            oc__value_make(quant->expressed, NULL, value->dims, value->rank, &out, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    double *r = oc__value_own_r(out);
    uint8_t *f = value->f ? oc__value_own_f(out) : NULL;
    if (!r || (value->f && !f)) {
        oc__value_release(out);
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for radii and flags");
    }
    oc__tile_env env = env_of(call, quant->expressed);
    env.contractible = contractible;
    oc__lane lanes[CHUNK];
    for (size_t first = 0; first < out->count; first += CHUNK) {
        size_t n = out->count - first < CHUNK ? out->count - first : CHUNK;
        oc__lanes_load(value->dtype, value->m->bytes, first, n, lanes);
        for (size_t k = 0; k < n; k++) {
            size_t i = first + k;
            uint8_t flags = f ? oc__f(value)[i] : 0;
            oc__m(out)[i] =
                dequantized(&env, (int64_t)lanes[k].u, parameters_at(quant, a, i),
                            flags & OC__F_UNDECIDED, &r[i]);
            if (f) {
                f[i] = flags & OC__F_STICKY;
            }
        }
    }
    oc__value_tidy(out);
    *out_value = out;
    return OC_OK;
}

/* --- quantize */

/* x / scale + zero_point, both rounded to the expressed type. */
static double scaled(const oc__tile_env *env, double x, double spread, parameters p,
                     double *r)
{
    double exact = x / p.scale, radius = spread / p.scale * OC__INFLATE;
    if (env->arith->reciprocal) {
        radius += 2 * ldexp(fabs(exact), -oc__float_format_of(env->dtype)->precision);
    }
    // A quotient rounded to double and then to a type of at most half as many digits is
    // rounded as if at once.
    double quotient = oc__round_ball(env, exact, 0, radius, &radius);
    double zero_point = oc__float_round(env->dtype, p.zero_point);
    return oc__round_ball(env, quotient + zero_point, 0, radius, r);
}

/* Clamped, rounded to even and stored. The bounds are converted to the expressed type,
 * which may round them past the storage type: then the largest code is meant. */
static int64_t code_of(const oc__hlo_quant *quant, double x)
{
    double low = oc__float_round(quant->expressed, (double)quant->storage_min);
    double high = oc__float_round(quant->expressed, (double)quant->storage_max);
    double code = nearbyint(fmin(fmax(x, low), high));
    if (code <= (double)quant->storage_min) {
        return quant->storage_min;
    }
    return code >= (double)quant->storage_max ? quant->storage_max : (int64_t)code;
}

oc_status oc__quantize(oc__call *call, const oc__value *value,
                       const oc__hlo_quant *quant, bool open, oc__value **out_value,
                       oc_error *err)
{
    axis a;
    oc__value *out = NULL;
    *out_value = NULL;
    if (value->dtype != quant->expressed) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "%s numbers as a quantized type of %s",
                            oc_dtype_name(value->dtype),
                            oc_dtype_name(quant->expressed));
    }
    oc_status rc = axis_of(call, quant, value, &a, err);
    if (rc == OC_OK) {
        rc = oc__value_make(quant->storage, quant, value->dims, value->rank, &out, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    uint8_t *f = oc__value_own_f(out);
    if (!f) {
        oc__value_release(out);
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for the flags");
    }
    oc__tile_env env = env_of(call, quant->expressed);
    uint64_t nan_count = 0, tie_count = 0;
    for (size_t i = 0; i < out->count; i++) {
        double m = oc__m(value)[i], spread = value->r ? oc__r(value)[i] : 0, r;
        double x = scaled(&env, m, spread, parameters_at(quant, a, i), &r);
        // A NaN converts to an integer as XLA does it. At a tie others round before
        // they add the zero point, which gives the neighbour where that is odd.
        bool is_nan = isnan(x);
        bool is_tie =
            x - floor(x) == 0.5 && code_of(quant, x - 0.5) != code_of(quant, x + 0.5);
        oc__lane lane = {.u = (uint64_t)(is_nan ? 0 : code_of(quant, x))};
        oc__lanes_store(out->dtype, &lane, 1, out->m->bytes, i);
        bool decided =
            r < (double)INFINITY &&
            (open || r == 0 || code_of(quant, x - r) == code_of(quant, x + r));
        f[i] = (uint8_t)((value->f ? oc__f(value)[i] & OC__F_STICKY : 0) |
                         (open || is_nan || is_tie ? OC__F_OPEN : 0) |
                         (decided ? 0 : OC__F_UNDECIDED));
        nan_count += is_nan;
        tie_count += is_tie;
    }
    if (nan_count > 0) {
        oc__call_note(call, "nan_to_integer", nan_count);
    }
    if (tie_count > 0) {
        oc__call_note(call, "quantize_tie", tie_count);
    }
    if (open) {
        oc__call_note(call, "quantized_operation", out->count);
    }
    oc__value_tidy(out);
    *out_value = out;
    return OC_OK;
}

/* --- any operation */

static const oc__hlo_quant *quant_of(const oc__hlo_type *type)
{
    return type->kind == OC__HLO_TENSOR ? type->quant : NULL;
}

bool oc__quantized_applies(const oc__hlo_func *func, const oc__hlo_op *op,
                           const oc__kernel *kernel)
{
    static const char *const stored[] = {
        "stablehlo.uniform_quantize", "stablehlo.uniform_dequantize",
        "stablehlo.bitcast_convert", "stablehlo.constant"};
    bool quantized = false;
    for (size_t i = 0; i < op->operand_count; i++) {
        quantized = quantized || quant_of(func->value_types[op->operands[i]]);
    }
    for (size_t i = 0; i < op->result_count; i++) {
        quantized = quantized || quant_of(op->result_types[i]);
    }
    for (size_t i = 0; quantized && i < sizeof stored / sizeof *stored; i++) {
        quantized = strcmp(op->name, stored[i]) != 0;
    }
    return quantized && kernel && kernel->run && op->region_count == 0 &&
           kernel->contract[0] != 'M' && kernel->contract[0] != '-';
}

/* A quantized result type as the kernel for floats is to see it. */
static void as_expressed(const oc__hlo_type *type, oc__hlo_type *out)
{
    *out = *type;
    if (quant_of(type)) {
        out->dtype = type->quant->expressed;
        out->quant = NULL;
    }
}

enum { MAX_VALUES = 16 }; /* operands, results; batch_norm_grad has five and three */

oc_status oc__quantized_run(oc__call *call, const oc__kernel *float_kernel,
                            oc_error *err)
{
    size_t operands = call->op->operand_count, results = call->op->result_count;
    oc__value *in[MAX_VALUES] = {NULL}, *out[MAX_VALUES] = {NULL};
    oc__hlo_type types[MAX_VALUES];
    const oc__hlo_type *declared[MAX_VALUES];
    if (operands > MAX_VALUES || results > MAX_VALUES) {
        return OC_CALL_FAIL(call, err, OC_LIMIT, "more than %d quantized values",
                            MAX_VALUES);
    }
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < operands; i++) {
        const oc__value *v = call->in[i];
        if (v->quant) {
            rc = oc__dequantize(call, v, false, &in[i], err);
        } else {
            in[i] = oc__value_retain(call->in[i]);
        }
    }
    for (size_t i = 0; i < results; i++) {
        as_expressed(call->op->result_types[i], &types[i]);
        declared[i] = &types[i];
    }
    oc__hlo_op op = *call->op;
    op.result_types = declared;
    oc__call as = *call;
    as.op = &op;
    as.in = in;
    as.out = out;
    if (rc == OC_OK) {
        rc = float_kernel->run(&as, err);
    }
    for (size_t i = 0; rc == OC_OK && i < results; i++) {
        const oc__hlo_quant *quant = quant_of(call->op->result_types[i]);
        if (quant) {
            rc = oc__quantize(call, out[i], quant, true, &call->out[i], err);
        } else {
            call->out[i] = oc__value_retain(out[i]);
        }
    }
    for (size_t i = 0; i < MAX_VALUES; i++) {
        oc__value_release(in[i]);
        oc__value_release(out[i]);
    }
    return rc;
}

/* --- conversions */

static oc_status one_tensor(oc__call *call, oc_error *err)
{
    bool one = call->op->operand_count == 1 && call->op->result_count == 1 &&
               call->in[0]->kind == OC__HLO_TENSOR;
    return one ? OC_OK : OC_CALL_FAIL(call, err, OC_PARSE, "takes one tensor");
}

static oc_status uniform_quantize(oc__call *call, oc_error *err)
{
    oc_status rc = one_tensor(call, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__hlo_quant *quant = quant_of(oc__call_result_type(call, 0));
    const oc__value *x = call->in[0];
    if (!quant || (!x->quant && !oc__dtype_is_float(x->dtype))) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "makes a quantized tensor of floats");
    }
    if (!x->quant) {
        return oc__quantize(call, x, quant, false, &call->out[0], err);
    }
    // From one quantized type to another: an operation on quantized tensors like any.
    oc__value *real = NULL;
    rc = oc__dequantize(call, x, false, &real, err);
    if (rc == OC_OK) {
        rc = oc__quantize(call, real, quant, true, &call->out[0], err);
    }
    oc__value_release(real);
    return rc;
}

static oc_status uniform_dequantize(oc__call *call, oc_error *err)
{
    oc_status rc = one_tensor(call, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!call->in[0]->quant) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes a quantized tensor");
    }
    return oc__dequantize(call, call->in[0], oc__call_contractible(call), &call->out[0],
                          err);
}

const oc__kernel oc__kernels_quantized[] = {
    {"stablehlo.uniform_quantize", uniform_quantize, NULL, true, "R u, U",
     "from one quantized type to another: open"},
    {"stablehlo.uniform_dequantize", uniform_dequantize, NULL, true, "R u", ""},
    {0},
};
