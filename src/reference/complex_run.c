/* Elementwise operations on complex numbers: the driver, and what goes part by part. */
#include "reference/complex_tile.h"
#include "reference/figures.h"
#include "reference/real.h"
#include "reference/special.h"

#include <math.h>
#include <string.h>

enum { MAX_OPERANDS = 3 };

/* --- part by part --- */

static void by_parts(oc__tile_fn fn, size_t arity, const oc__tile_env *env, size_t n,
                     const oc__pair *in, oc__pair *out)
{
    oc__tile re[MAX_OPERANDS], im[MAX_OPERANDS];
    for (size_t k = 0; k < arity; k++) {
        re[k] = in[k].re;
        im[k] = in[k].im;
    }
    fn(env, n, re, &out->re);
    fn(env, n, im, &out->im);
}

static void add(const oc__tile_env *env, size_t n, const oc__pair *in, oc__pair *out)
{
    by_parts(oc__tile_add, 2, env, n, in, out);
}

static void subtract(const oc__tile_env *env, size_t n, const oc__pair *in,
                     oc__pair *out)
{
    by_parts(oc__tile_subtract, 2, env, n, in, out);
}

static void negate(const oc__tile_env *env, size_t n, const oc__pair *in, oc__pair *out)
{
    by_parts(oc__tile_negate, 1, env, n, in, out);
}

/* --- lexicographic order --- */

static void take(const oc__tile *from, const oc__tile *other, bool both, size_t i,
                 oc__tile *to)
{
    double apart = fabs(from->m[i] - other->m[i]);
    double reach = apart + other->r[i]; // NaN where the classes differ
    bool same = from->m[i] == other->m[i];
    double hull = fmax(from->r[i], same ? other->r[i] : reach * OC__INFLATE);
    to->m[i] = from->m[i];
    to->r[i] = !both ? from->r[i] : isnan(reach) && !same ? (double)INFINITY : hull;
    to->f[i] = (uint8_t)((from->f[i] | (both ? other->f[i] : 0)) |
                         (both && apart > from->r[i] + other->r[i] ? OC__F_HULL : 0));
    if (to->s) {
        to->s[i] = both ? fmax(from->s[i], other->s[i]) : from->s[i];
    }
}

/* NaN: XLA compares, so the first operand comes where the comparison is false. */
static void extremum(bool upper, size_t n, const oc__pair *in, oc__pair *out)
{
    unsigned first = OC__EQUAL | (upper ? OC__GREATER : OC__LESS);
    for (size_t i = 0; i < n; i++) {
        oc__ball a[2] = {oc__ball_at(&in[0].re, i), oc__ball_at(&in[0].im, i)};
        oc__ball b[2] = {oc__ball_at(&in[1].re, i), oc__ball_at(&in[1].im, i)};
        unsigned order = oc__order(a[0], b[0], false, false);
        if (order & OC__EQUAL) {
            order =
                (order & ~(unsigned)OC__EQUAL) | oc__order(a[1], b[1], false, false);
        }
        bool decided = (order & first) == 0 || (order & ~first) == 0;
        bool of_midpoints =
            a[0].m != b[0].m ? (a[0].m > b[0].m) == upper : (a[1].m > b[1].m) == upper;
        size_t k = (decided ? (order & first) != 0 : of_midpoints) ? 0 : 1;
        take(&in[k].re, &in[1 - k].re, !decided, i, &out->re);
        take(&in[k].im, &in[1 - k].im, !decided, i, &out->im);
        out->re.f[i] |= order & OC__UNORDERED ? OC__F_OPEN : 0;
    }
}

static void maximum(const oc__tile_env *env, size_t n, const oc__pair *in,
                    oc__pair *out)
{
    (void)env;
    extremum(true, n, in, out);
}

static void minimum(const oc__tile_env *env, size_t n, const oc__pair *in,
                    oc__pair *out)
{
    (void)env;
    extremum(false, n, in, out);
}

static void clamp(const oc__tile_env *env, size_t n, const oc__pair *in, oc__pair *out)
{
    oc__tile_room re, im;
    bool sigma = out->re.s != NULL;
    oc__pair raised = {oc__tile_in(&re, sigma), oc__tile_in(&im, sigma)};
    const oc__pair lower[2] = {in[1], in[0]};
    maximum(env, n, lower, &raised);
    const oc__pair upper[2] = {raised, in[2]};
    minimum(env, n, upper, out);
}

/* --- driver --- */

typedef struct operation {
    const char *name; /* without its dialect */
    size_t arity;
    oc__pair_fn fn;
} operation;

static const operation operations[] = {
    {"add", 2, add},
    {"subtract", 2, subtract},
    {"negate", 1, negate},
    {"multiply", 2, oc__pair_multiply},
    {"divide", 2, oc__pair_divide},
    {"abs", 1, oc__pair_abs},
    {"sign", 1, oc__pair_sign},
    {"maximum", 2, maximum},
    {"minimum", 2, minimum},
    {"clamp", 3, clamp},
};

static const operation *find(const char *op_name)
{
    const char *name = strchr(op_name, '.') + 1;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(name, operations[i].name) == 0) {
            return &operations[i];
        }
    }
    return NULL;
}

typedef struct rooms {
    oc__tile_room re, im;
} rooms;

/* Elements at .. at + n as parts, widened where the device may flush. */
static oc__pair load(const oc__tile_env *env, const oc__value *v, size_t at, size_t n,
                     rooms *room)
{
    bool sigma = env->arith->sigma;
    oc__pair pair = {oc__tile_in(&room->re, sigma), oc__tile_in(&room->im, sigma)};
    for (size_t k = 0; k < 2; k++) {
        oc__tile *to = k ? &pair.im : &pair.re;
        for (size_t i = 0; i < n; i++) {
            size_t e = v->count == 1 ? 0 : at + i;
            to->m[i] = oc__m(v)[2 * e + k];
            to->r[i] = v->r ? oc__r(v)[2 * e + k] : 0;
            to->f[i] = v->f ? oc__f(v)[e] : 0;
            if (sigma) {
                to->s[i] = v->s ? oc__s(v)[2 * e + k] : 0;
            }
        }
        if (env->arith->flush) {
            oc__flush_radii(env->dtype, n, to->m, to->r);
        }
    }
    return pair;
}

/* The result has planes of all kinds; those of zeros are dropped at the end. */
static void store(const oc__tile_env *env, const oc__pair *pair, size_t at, size_t n,
                  oc__value *v)
{
    size_t parts = oc__dtype_is_complex(v->dtype) ? 2 : 1;
    for (size_t k = 0; k < parts; k++) {
        const oc__tile *from = k ? &pair->im : &pair->re;
        if (env->arith->flush) {
            oc__flush_radii(env->dtype, n, from->m, from->r);
        }
        for (size_t i = 0; i < n; i++) {
            size_t e = at + i;
            oc__m(v)[parts * e + k] = from->m[i];
            oc__r(v)[parts * e + k] = from->r[i];
            oc__f(v)[e] |= from->f[i];
            if (from->s) {
                oc__s(v)[parts * e + k] = from->s[i];
            }
        }
    }
}

static oc_status run_tiles(oc__call *call, const operation *op, const oc__tile_env *env,
                           oc__value *out, oc_error *err)
{
    rooms in_rooms[MAX_OPERANDS], out_rooms;
    bool sigma = env->arith->sigma;
    if (!oc__value_own_r(out) || !oc__value_own_f(out) ||
        (sigma && !oc__value_own_s(out))) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for %zu elements",
                            out->count);
    }
    for (size_t at = 0; at < out->count; at += OC__TILE) {
        size_t n = out->count - at < OC__TILE ? out->count - at : OC__TILE;
        oc__pair in[MAX_OPERANDS];
        for (size_t k = 0; k < op->arity; k++) {
            in[k] = load(env, call->in[k], at, n, &in_rooms[k]);
        }
        oc__pair to = {oc__tile_in(&out_rooms.re, sigma),
                       oc__tile_in(&out_rooms.im, sigma)};
        op->fn(env, n, in, &to);
        store(env, &to, at, n, out);
    }
    oc__value_tidy(out);
    return OC_OK;
}

oc_status oc__complexes_run(oc__call *call, oc_error *err)
{
    const operation *op = find(call->op->name);
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    if (!op && strcmp(call->op->name, "stablehlo.sqrt") == 0) {
        return oc__complex_run(call, err);
    }
    if (!op) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "is not for elements of this type");
    }
    oc_status rc = oc__operands_check(call, op->arity, err);
    if (rc == OC_OK) {
        rc = oc__elementwise_dims(call, op->fn == clamp, dims, &rank, err);
    }
    oc_dtype dtype = call->in[0]->dtype, part = oc__component(dtype);
    if (rc == OC_OK) {
        rc = oc__value_make(op->fn == oc__pair_abs ? part : dtype, NULL, dims, rank,
                            &call->out[0], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const oc__arith *arith = oc__call_arith(call);
    oc__tile_env env = {.arith = arith,
                        .op = call->op,
                        .dtype = part,
                        .from = part,
                        .figure_ulps =
                            oc__figure_ulps(arith->platform, call->op->name, dtype)};
    oc__call_flops(call, 4 * (double)call->out[0]->count);
    return run_tiles(call, op, &env, call->out[0], err);
}
