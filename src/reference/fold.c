#include "reference/fold_stats.h"
#include "reference/round.h"

typedef enum fold_op {
    ADD,
    MULTIPLY,
    MAXIMUM, /* +0 above -0 */
    MINIMUM,
    INTEGER_ADD,
    INTEGER_MULTIPLY,
    INTEGER_MAXIMUM, /* signed */
    INTEGER_MINIMUM,
    BITS_AND,
    BITS_OR,
    BITS_XOR
} fold_op;

#define REAL(x)                                                                        \
    {                                                                                  \
        .d = (x)                                                                       \
    }
#define BITS(x)                                                                        \
    {                                                                                  \
        .u = (x)                                                                       \
    }
static const struct {
    fold_op op;
    oc__lane neutral;
} statistics[] = {
    [SUM_VALUE] = {ADD, REAL(0)},
    [SUM_TOTAL] = {ADD, REAL(0)},
    [SUM_TERMS] = {ADD, REAL(0)},
    [SUM_GRID] = {MINIMUM, REAL(OC__ANY_GRID)},
    [SUM_SPREAD] = {ADD, REAL(0)},
    [SUM_SQUARE] = {ADD, REAL(0)},
    [SUM_VARIANCE] = {ADD, REAL(0)},
    [PRODUCT_VALUE] = {MULTIPLY, REAL(1)},
    [PRODUCT_REACH] = {MULTIPLY, REAL(1)},
    [PRODUCT_ABOVE] = {MULTIPLY, REAL(1)},
    [PRODUCT_BELOW] = {MULTIPLY, REAL(1)},
    [PRODUCT_ODD] = {MULTIPLY, REAL(1)},
    [PRODUCT_FACTORS] = {ADD, REAL(0)},
    [PRODUCT_ZEROS] = {ADD, REAL(0)},
    [PRODUCT_VARIANCE] = {ADD, REAL(0)},
    [MAXIMUM_VALUE] = {MAXIMUM, REAL(-(double)INFINITY)},
    [MAXIMUM_HIGH] = {MAXIMUM, REAL(-(double)INFINITY)},
    [MAXIMUM_LOW] = {MAXIMUM, REAL(-(double)INFINITY)},
    [MINIMUM_VALUE] = {MINIMUM, REAL((double)INFINITY)},
    [MINIMUM_HIGH] = {MINIMUM, REAL((double)INFINITY)},
    [MINIMUM_LOW] = {MINIMUM, REAL((double)INFINITY)},
    [DEVIATION] = {MAXIMUM, REAL(0)},
    [WRAPPED_SUM] = {INTEGER_ADD, BITS(0)},
    [WRAPPED_PRODUCT] = {INTEGER_MULTIPLY, BITS(1)},
    [HIGHEST] = {INTEGER_MAXIMUM, BITS((uint64_t)INT64_MIN)},
    [LOWEST] = {INTEGER_MINIMUM, BITS((uint64_t)INT64_MAX)},
    [ALL_BITS] = {BITS_AND, BITS(UINT64_MAX)},
    [ANY_BITS] = {BITS_OR, BITS(0)},
    [ODD_BITS] = {BITS_XOR, BITS(0)},
    [FLAGS] = {BITS_OR, BITS(0)},
};

/* --- the operations --------------------------------------------------------------- */

static inline oc__lane highest(oc__lane a, oc__lane b)
{
    oc__lane same = {.u = a.u & b.u};
    return a.d > b.d ? a : b.d > a.d ? b : same;
}

static inline oc__lane lowest(oc__lane a, oc__lane b)
{
    oc__lane same = {.u = a.u | b.u};
    return a.d < b.d ? a : b.d < a.d ? b : same;
}

static inline __attribute__((always_inline)) oc__lane apply(fold_op op, oc__lane a,
                                                            oc__lane b)
{
    switch (op) {
    case ADD: return (oc__lane){.d = a.d + b.d};
    case MULTIPLY: return (oc__lane){.d = a.d * b.d};
    case MAXIMUM: return highest(a, b);
    case MINIMUM: return lowest(a, b);
    case INTEGER_ADD: return (oc__lane){.u = a.u + b.u};
    case INTEGER_MULTIPLY: return (oc__lane){.u = a.u * b.u};
    case INTEGER_MAXIMUM: return (int64_t)a.u > (int64_t)b.u ? a : b;
    case INTEGER_MINIMUM: return (int64_t)a.u < (int64_t)b.u ? a : b;
    case BITS_AND: return (oc__lane){.u = a.u & b.u};
    case BITS_OR: return (oc__lane){.u = a.u | b.u};
    default: return (oc__lane){.u = a.u ^ b.u};
    }
}

/* One loop for each operation: `op` is a constant in every case. */
#define FOR_EACH_OP(X)                                                                 \
    X(ADD)                                                                             \
    X(MULTIPLY)                                                                        \
    X(MAXIMUM)                                                                         \
    X(MINIMUM)                                                                         \
    X(INTEGER_ADD)                                                                     \
    X(INTEGER_MULTIPLY)                                                                \
    X(INTEGER_MAXIMUM)                                                                 \
    X(INTEGER_MINIMUM)                                                                 \
    X(BITS_AND)                                                                        \
    X(BITS_OR)                                                                         \
    X(BITS_XOR)

OC__CLONES static void into(fold_op op, oc__lane *to, const oc__lane *from, size_t n)
{
    switch (op) {
#define INTO(name)                                                                     \
    case name:                                                                         \
        for (size_t i = 0; i < n; i++) {                                               \
            to[i] = apply(name, to[i], from[i]);                                       \
        }                                                                              \
        return;
        FOR_EACH_OP(INTO)
    }
}

/* Down a run, in four chains that the processor can overlap. */
static inline __attribute__((always_inline)) oc__lane
run_of(fold_op op, oc__lane start, const oc__lane *from, size_t n)
{
    oc__lane a = start;
    size_t i = 0;
    if (n >= 8) {
        oc__lane b = from[0], c = from[1], d = from[2];
        for (i = 3; i + 4 <= n; i += 4) {
            a = apply(op, a, from[i]);
            b = apply(op, b, from[i + 1]);
            c = apply(op, c, from[i + 2]);
            d = apply(op, d, from[i + 3]);
        }
        a = apply(op, apply(op, a, b), apply(op, c, d));
    }
    for (; i < n; i++) {
        a = apply(op, a, from[i]);
    }
    return a;
}

OC__CLONES static oc__lane run(fold_op op, oc__lane start, const oc__lane *from,
                               size_t n)
{
    switch (op) {
#define RUN(name)                                                                      \
    case name: return run_of(name, start, from, n);
        FOR_EACH_OP(RUN)
    }
    return start;
}

void oc__fold_into(const oc__fold *fold, size_t stat, oc__lane *to,
                   const oc__lane *from, size_t n)
{
    into(statistics[fold->stats[stat]].op, to, from, n);
}

void oc__fold_rows(const oc__fold *fold, size_t stat, oc__lane *to,
                   const oc__lane *from, size_t groups, size_t rows, size_t columns)
{
    fold_op op = statistics[fold->stats[stat]].op;
    for (size_t g = 0; g < groups; g++, to += columns) {
        if (columns == 1) {
            *to = run(op, *to, from, rows);
            from += rows;
            continue;
        }
        for (size_t i = 0; i < rows; i++, from += columns) {
            into(op, to, from, columns);
        }
    }
}

/* A value folded with itself, `times` in all. */
static oc__lane repeat(const oc__fold *fold, size_t stat, oc__lane value,
                       uint64_t times)
{
    fold_op op = statistics[fold->stats[stat]].op;
    oc__lane result = statistics[fold->stats[stat]].neutral;
    for (; times > 0; times /= 2) {
        result = times % 2 ? apply(op, result, value) : result;
        value = apply(op, value, value);
    }
    return result;
}

void oc__fold_enter(const oc__fold *fold, const oc__value *init, const uint64_t *times,
                    size_t start, size_t n, oc__lane *lanes, size_t stride)
{
    size_t parts = fold->pairs ? 2 : 1;
    oc__lane own[2 * OC__FOLD_WIDTH];
    oc__fold_clear(fold, own, parts, parts);
    oc__fold_derive(fold, init, 0, parts, own, parts);
    for (size_t k = 0; k < fold->width; k++) {
        for (size_t i = 0; i < n; i++) {
            oc__lane once = own[k * parts + (start + i) % parts];
            oc__lane entering = times ? repeat(fold, k, once, times[i]) : once;
            into(statistics[fold->stats[k]].op, &lanes[k * stride + i], &entering, 1);
        }
    }
}

bool oc__fold_counts(const oc__fold *fold, const oc__value *init)
{
    bool counts = false,
         balls = fold->body == OC__BODY_ADD || fold->body == OC__BODY_MULTIPLY;
    const double *r = oc__r(init);
    OC_ASSERT(fold->width > 0); // FLAGS are always there
    for (size_t i = 0; i < (fold->pairs ? 2 : 1) && !counts; i++) {
        oc__lane own[OC__FOLD_WIDTH], neutral[OC__FOLD_WIDTH];
        bool flags = oc__fold_derive(fold, init, i, 1, own, 1);
        oc__fold_clear(fold, neutral, 1, 1);
        uint64_t class = flags ? own[fold->width - 1].u & OC__TERM_CLASSES : 0;
        bool absorbs = class && class != OC__F_UNDECIDED;
        bool is_neutral =
            fold->model.env.arith ? own[0].d == neutral[0].d : own[0].u == neutral[0].u;
        bool idempotent = repeat(fold, 0, own[0], 2).u == own[0].u;
        bool spread = balls && r && r[i] > 0;
        counts = !absorbs && (spread || !(is_neutral || idempotent));
    }
    return counts;
}

void oc__fold_clear_one(const oc__fold *fold, size_t stat, oc__lane *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = statistics[fold->stats[stat]].neutral;
    }
}

void oc__fold_clear(const oc__fold *fold, oc__lane *lanes, size_t stride, size_t n)
{
    for (size_t stat = 0; stat < fold->width; stat++) {
        oc__fold_clear_one(fold, stat, lanes + stat * stride, n);
    }
}

/* --- which statistics --- */

static void want(oc__fold *fold, oc__stat which, bool wanted)
{
    if (wanted) {
        OC_ASSERT(fold->width < OC__FOLD_WIDTH);
        fold->stats[fold->width++] = (uint8_t)which;
    }
}

static bool want_floats(oc__fold *fold, bool sigma)
{
    bool balls = fold->balls;
    bool most = fold->body == OC__BODY_MAXIMUM, least = fold->body == OC__BODY_MINIMUM;
    switch (fold->body) {
    case OC__BODY_ADD:
        want(fold, SUM_VALUE, true);
        want(fold, SUM_TOTAL, true);
        want(fold, SUM_TERMS, true);
        want(fold, SUM_GRID, !balls);
        want(fold, SUM_SPREAD, balls);
        want(fold, SUM_SQUARE, sigma);
        want(fold, SUM_VARIANCE, sigma);
        return true;
    case OC__BODY_MULTIPLY:
        want(fold, PRODUCT_VALUE, true);
        want(fold, PRODUCT_REACH, true);
        want(fold, PRODUCT_ABOVE, true);
        want(fold, PRODUCT_BELOW, true);
        want(fold, PRODUCT_ODD, true);
        want(fold, PRODUCT_FACTORS, true);
        want(fold, PRODUCT_ZEROS, true);
        want(fold, PRODUCT_VARIANCE, sigma);
        return !fold->pairs;
    case OC__BODY_MAXIMUM:
    case OC__BODY_MINIMUM:
        want(fold, MAXIMUM_VALUE, most);
        want(fold, MAXIMUM_HIGH, most && balls);
        want(fold, MAXIMUM_LOW, most && balls);
        want(fold, MINIMUM_VALUE, least);
        want(fold, MINIMUM_HIGH, least && balls);
        want(fold, MINIMUM_LOW, least && balls);
        want(fold, DEVIATION, sigma);
        return !fold->pairs;
    default: return false;
    }
}

static bool want_integers(oc__fold *fold)
{
    bool logic = fold->dtype == OC_PRED;
    switch (fold->body) {
    case OC__BODY_ADD: want(fold, logic ? ANY_BITS : WRAPPED_SUM, true); return true;
    case OC__BODY_MULTIPLY:
        want(fold, logic ? ALL_BITS : WRAPPED_PRODUCT, true);
        return true;
    case OC__BODY_MAXIMUM: want(fold, logic ? ANY_BITS : HIGHEST, true); return true;
    case OC__BODY_MINIMUM: want(fold, logic ? ALL_BITS : LOWEST, true); return true;
    case OC__BODY_AND: want(fold, ALL_BITS, true); return true;
    case OC__BODY_OR: want(fold, ANY_BITS, true); return true;
    case OC__BODY_XOR: want(fold, ODD_BITS, true); return true;
    default: return false;
    }
}

bool oc__fold_make(const oc__call *call, oc__body body, const oc__value *in,
                   const oc__value *init, oc__fold *out_fold)
{
    oc__fold *fold = out_fold;
    *fold = (oc__fold){.dtype = in->dtype, .body = body};
    if (in->quant) {
        return false;
    }
    bool known;
    if (oc__dtype_is_float(in->dtype) || oc__dtype_is_complex(in->dtype)) {
        const oc__arith *arith = oc__call_arith(call);
        oc_dtype accumulator = oc__sum_accumulator(arith, in->dtype, in->dtype);
        oc__sum_model_make(call, accumulator, in->dtype, &fold->model);
        fold->pairs = oc__dtype_is_complex(in->dtype);
        fold->balls = in->r || init->r;
        known = want_floats(fold, arith->sigma && !fold->pairs);
    } else {
        known = want_integers(fold);
    }
    want(fold, FLAGS, true);
    return known;
}
