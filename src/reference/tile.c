#include "reference/tile.h"

#include "reference/eval.h"
#include "reference/figures.h"
#include "reference/real.h"
#include "tensor/float_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- the functions by name --- */

static const struct {
    const char *op;
    oc__tile_fn fn;
    size_t arity;
} functions[] = {
    {"stablehlo.add", oc__tile_add, 2},
    {"stablehlo.multiply", oc__tile_multiply, 2},
    {"stablehlo.subtract", oc__tile_subtract, 2},
    {"stablehlo.divide", oc__tile_divide, 2},
    {"stablehlo.maximum", oc__tile_maximum, 2},
    {"stablehlo.minimum", oc__tile_minimum, 2},
    {"stablehlo.convert", oc__tile_convert, 1},
    {"stablehlo.negate", oc__tile_negate, 1},
    {"stablehlo.abs", oc__tile_abs, 1},
    {"stablehlo.sqrt", oc__tile_sqrt, 1},
    {"stablehlo.clamp", oc__tile_clamp, 3},
    {"stablehlo.remainder", oc__tile_remainder, 2},
    {"stablehlo.sign", oc__tile_sign, 1},
    {"stablehlo.floor", oc__tile_floor, 1},
    {"stablehlo.ceil", oc__tile_ceil, 1},
    {"stablehlo.round_nearest_afz", oc__tile_round_afz, 1},
    {"stablehlo.round_nearest_even", oc__tile_round_even, 1},
    {"stablehlo.reduce_precision", oc__tile_reduce_precision, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

oc__tile_fn oc__tile_find(const char *op_name, size_t *out_arity)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (strcmp(functions[i].op, op_name) == 0) {
            *out_arity = functions[i].arity;
            return functions[i].fn;
        }
    }
    return oc__tile_find_special(op_name, out_arity);
}

static bool is_special(oc__tile_fn fn)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (functions[i].fn == fn) {
            return false;
        }
    }
    return true;
}

/* --- what a function is to know --- */

static double real_of(const oc__hlo_attr *attr)
{
    if (!attr) {
        return 0;
    }
    return attr->kind == OC__ATTR_INT ? (double)attr->integer : attr->real;
}

/* #stablehlo.result_accuracy<atol, rtol, ulps, mode>: max(|expected| max(rtol, ulps
 * eps), atol) where the mode is TOLERANCE (numerics 1.2). */
static void read_accuracy(oc__tile_env *env)
{
    const oc__hlo_attr *accuracy = oc__hlo_attr_get(env->op, "result_accuracy");
    const oc__hlo_attr *mode = accuracy ? oc__hlo_entry(accuracy, "mode") : NULL;
    if (!mode || !mode->text || !strstr(mode->text, "TOLERANCE")) {
        return;
    }
    double ulps = real_of(oc__hlo_entry(accuracy, "ulps"));
    double eps = ldexp(1, 1 - oc__float_format_of(env->dtype)->precision);
    env->accuracy_abs = real_of(oc__hlo_entry(accuracy, "atol"));
    env->accuracy_rel = fmax(real_of(oc__hlo_entry(accuracy, "rtol")), ulps * eps);
}

static int64_t element_count(const oc__hlo_type *type)
{
    int64_t count = 1;
    for (size_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0 || __builtin_mul_overflow(count, type->dims[i], &count)) {
            return -1;
        }
    }
    return count;
}

/* Whether the divisor has one value for many elements, as far as the program shows: it
 * comes, past data movement that keeps its elements, from a constant or a broadcast. */
static bool is_uniform(const oc__call *call, size_t value)
{
    const oc__hlo_func *func = call->frame->func;
    const oc__hlo_op *op = call->frame->plan->producers[value];
    while (op && op->result_count == 1 &&
           (op->operand_count == 1 || strcmp(op->name, "stablehlo.gather") == 0)) {
        int64_t from = element_count(func->value_types[op->operands[0]]);
        int64_t to = element_count(op->result_types[0]);
        if (from < to) {
            return true;
        }
        op = call->frame->plan->producers[op->operands[0]];
    }
    return (op && oc__is_constant(op)) ||
           (op && strcmp(op->name, "stablehlo.dynamic_broadcast_in_dim") == 0) ||
           element_count(func->value_types[value]) == 1;
}

oc__tile_env oc__tile_env_of(const oc__call *call, oc__tile_fn fn, oc_dtype from,
                             oc_dtype dtype)
{
    oc__tile_env env = {.arith = oc__call_arith(call),
                        .op = call->op,
                        .dtype = dtype,
                        .from = from,
                        .figure_ulps = -1};
    if (is_special(fn)) {
        env.figure_ulps = oc__figure_ulps(env.arith->platform, call->op->name, dtype);
    }
    if (is_special(fn) || fn == oc__tile_sqrt) {
        read_accuracy(&env);
    }
    env.contractible = fn == oc__tile_multiply && oc__call_contractible(call);
    env.uniform_divisor = fn == oc__tile_divide && env.arith->reciprocal &&
                          is_uniform(call, call->op->operands[1]);
    return env;
}

enum { MAX_ARITY = 3 };

void oc__tile_apply(const oc__tile_env *env, oc__tile_fn fn, size_t arity, size_t n,
                    const oc__tile *in, oc__tile *out)
{
    if (!env->arith->flush || !oc__flushes(env->from)) {
        fn(env, n, in, out);
        return;
    }
    double radii[MAX_ARITY][OC__TILE];
    oc__tile widened[MAX_ARITY];
    for (size_t k = 0; k < arity; k++) {
        widened[k] = in[k];
        widened[k].r = radii[k];
        memcpy(radii[k], in[k].r, n * sizeof *radii[k]);
        oc__flush_radii(env->from, n, in[k].m, radii[k]);
    }
    fn(env, n, widened, out);
    if (oc__flushes(env->dtype)) {
        oc__flush_radii(env->dtype, n, out->m, out->r);
    }
}

/* --- whole values --- */

static bool same_dims(const oc__value *a, const oc__value *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

oc_status oc__elementwise_dims(oc__call *call, bool scalars, int64_t *out_dims,
                               size_t *out_rank, oc_error *err)
{
    bool batched = oc__call_batched(call);
    const oc__value *base = call->in[0];
    for (size_t k = 1; k < call->op->operand_count; k++) {
        base = call->in[k]->rank > base->rank ? call->in[k] : base;
    }
    for (size_t k = 0; k < call->op->operand_count; k++) {
        const oc__value *v = call->in[k];
        bool joins = batched ? v->count == 1 : scalars && v->rank == 0;
        if (!same_dims(v, base) && !joins) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "operand %zu has other dimensions than the others", k);
        }
    }
    *out_rank = base->rank;
    memcpy(out_dims, base->dims, base->rank * sizeof *out_dims);
    return OC_OK;
}

/* The element type of the result: the operands', but for convert. */
static oc_status result_dtype(oc__call *call, oc__tile_fn fn, oc_dtype *out,
                              oc_error *err)
{
    *out = call->in[0]->dtype;
    for (size_t k = 0; k < call->op->operand_count; k++) {
        if (call->in[k]->kind != OC__HLO_TENSOR || call->in[k]->dtype != *out ||
            call->in[k]->quant) {
            return OC_CALL_FAIL(call, err, OC_PARSE,
                                "the operands are not of one element type");
        }
    }
    if (fn == oc__tile_convert) {
        *out = oc__component(oc__call_result_type(call, 0)->dtype);
    }
    if (!oc__dtype_is_float(*out) || !oc__dtype_is_float(call->in[0]->dtype)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "is not for elements of this type");
    }
    return OC_OK;
}

/* A tile function and its operands; too large for the stack of a deep call. */
typedef struct runner {
    oc__tile_source sources[MAX_ARITY];
    oc__tile_spares spares;
    oc__tile_sink sink;
} runner;

static oc_status run_tiles(oc__call *call, oc__tile_fn fn, size_t arity, runner *run,
                           const oc__tile_env *env, oc_error *err)
{
    size_t count = run->sink.value->count;
    oc__tile out = oc__tile_in(&run->sink.room, run->sink.sigma);
    oc_status rc = OC_OK;
    for (size_t at = 0; rc == OC_OK && at < count; at += OC__TILE) {
        size_t n = count - at < OC__TILE ? count - at : OC__TILE;
        oc__tile in[MAX_ARITY];
        for (size_t k = 0; k < arity; k++) {
            in[k] = oc__tile_source_at(&run->sources[k], at);
        }
        oc__tile_apply(env, fn, arity, n, in, &out);
        rc = oc__tile_sink_put(&run->sink, at, n, err);
        if (rc == OC_OK && at % ((size_t)1024 * OC__TILE) == 0) {
            rc = oc__call_tick(call, err);
        }
    }
    return rc;
}

oc_status oc__tile_run(oc__call *call, oc__tile_fn fn, size_t arity, oc_error *err)
{
    runner run;
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_dtype dtype;
    if (arity > MAX_ARITY || call->op->operand_count != arity ||
        call->op->result_count != 1) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes %zu operands, not %zu", arity,
                            call->op->operand_count);
    }
    oc_status rc = result_dtype(call, fn, &dtype, err);
    if (rc == OC_OK) {
        rc = oc__elementwise_dims(call, arity == 3, dims, &rank, err);
    }
    if (rc == OC_OK) {
        rc = oc__value_make(dtype, NULL, dims, rank, &call->out[0], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    oc__tile_env env = oc__tile_env_of(call, fn, call->in[0]->dtype, dtype);
    run.spares.count = 0;
    for (size_t k = 0; k < arity; k++) {
        bool single = call->in[k]->count == 1 && call->out[0]->count != 1;
        oc__tile_source_init(&run.sources[k], call->in[k], single, env.arith->sigma);
        oc__tile_spare(&run.spares, call->in[k]);
    }
    run.sink.spares = &run.spares;
    run.sink.value = call->out[0];
    run.sink.sigma = env.arith->sigma;
    rc = run_tiles(call, fn, arity, &run, &env, err);
    oc__tile_spares_free(&run.spares);
    oc__call_flops(call, (double)call->out[0]->count);
    return rc;
}
