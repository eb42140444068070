/* Arithmetic and comparisons of integers and i1, exact: 64-bit lanes, cut to the type's
 * width when they are stored. Where the specification is silent, XLA's rule: overflow
 * wraps; x / 0 = -1, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0 (numerics 4.1). */
#include "reference/bits.h"
#include "reference/lanes.h"
#include "reference/real.h"
#include "tensor/dtype_names.h"

#include <string.h>

enum { CHUNK = 256, MAX_OPERANDS = 3 };

/* Why an element is open. */
enum { BY_ZERO = 1, OVERFLOWS = 2 };

typedef struct chunk {
    size_t n;
    bool is_signed;
    int64_t least;   /* of the type */
    unsigned orders; /* compare */
    const oc__lane *a, *b, *c;
    oc__lane *out;
    uint8_t *open;
} chunk;

#define EACH(expression)                                                               \
    for (size_t i = 0; i < k->n; i++) {                                                \
        uint64_t a = k->a[i].u, b = k->b[i].u, c = k->c[i].u;                          \
        (void)a, (void)b, (void)c;                                                     \
        k->out[i].u = (expression);                                                    \
    }

static bool less(bool is_signed, uint64_t a, uint64_t b)
{
    return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void add(const chunk *k)
{
    EACH(a + b)
}

static void subtract(const chunk *k)
{
    EACH(a - b)
}

static void multiply(const chunk *k)
{
    EACH(a * b)
}

static void negate(const chunk *k)
{
    EACH(0 - a)
}

static void absolute(const chunk *k)
{
    EACH((int64_t)a < 0 ? 0 - a : a)
}

static void sign(const chunk *k)
{
    EACH((int64_t)a < 0 ? UINT64_MAX : a != 0)
}

static void maximum(const chunk *k)
{
    EACH(less(k->is_signed, a, b) ? b : a)
}

static void minimum(const chunk *k)
{
    EACH(less(k->is_signed, b, a) ? b : a)
}

/* Operands min, x, max: minimum(maximum(x, min), max). */
static uint64_t clamped(bool is_signed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t raised = less(is_signed, b, a) ? a : b;
    return less(is_signed, c, raised) ? c : raised;
}

static void clamp(const chunk *k)
{
    EACH(clamped(k->is_signed, a, b, c))
}

static void compare(const chunk *k)
{
    EACH((k->orders & (a == b                     ? OC__EQUAL
                       : less(k->is_signed, a, b) ? OC__LESS
                                                  : OC__GREATER)) != 0)
}

static void convert(const chunk *k)
{
    EACH(a)
}

static bool divides_open(const chunk *k, size_t i)
{
    bool overflows =
        k->is_signed && (int64_t)k->a[i].u == k->least && k->b[i].u == UINT64_MAX;
    k->open[i] = k->b[i].u == 0 ? BY_ZERO : overflows ? OVERFLOWS : 0;
    return k->open[i] != 0;
}

static void divide(const chunk *k)
{
    for (size_t i = 0; i < k->n; i++) {
        uint64_t a = k->a[i].u, b = k->b[i].u;
        if (divides_open(k, i)) {
            k->out[i].u = b == 0 ? UINT64_MAX : a;
        } else {
            k->out[i].u = k->is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
        }
    }
}

static void modulo(const chunk *k)
{
    for (size_t i = 0; i < k->n; i++) {
        uint64_t a = k->a[i].u, b = k->b[i].u;
        if (divides_open(k, i)) {
            k->out[i].u = b == 0 ? a : 0;
        } else {
            k->out[i].u = k->is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
        }
    }
}

/* pred: the function for i1, NULL where the operation is not for it. */
typedef struct operation {
    const char *name; /* without its dialect */
    size_t arity;
    void (*integers)(const chunk *chunk);
    void (*pred)(const chunk *chunk);
} operation;

/* On i1, add and maximum are or, multiply and minimum are and. */
static const operation operations[] = {
    {"add", 2, add, maximum},           {"subtract", 2, subtract, NULL},
    {"multiply", 2, multiply, minimum}, {"divide", 2, divide, NULL},
    {"remainder", 2, modulo, NULL},     {"negate", 1, negate, NULL},
    {"abs", 1, absolute, NULL},         {"sign", 1, sign, NULL},
    {"maximum", 2, maximum, maximum},   {"minimum", 2, minimum, minimum},
    {"clamp", 3, clamp, clamp},         {"compare", 2, compare, compare},
    {"convert", 1, convert, convert},
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

/* --- driver --- */

typedef struct run {
    oc__call *call;
    const operation *op;
    void (*fn)(const chunk *chunk);
    bool opens; /* some elements may be open: divide, remainder */
    chunk chunk;
    uint64_t by_zero, overflows; /* open elements so far */
    oc__lane in[MAX_OPERANDS][CHUNK], to[CHUNK];
    uint8_t open[CHUNK]; /* where `opens` */
} run;

/* An i1 that decides alone: true of an or, false of an and. */
static bool decides(const run *r, uint64_t value)
{
    bool is_or = r->fn == maximum, is_and = r->fn == minimum;
    return r->call->in[0]->dtype == OC_PRED && ((is_or && value) || (is_and && !value));
}

/* Undecided where an operand is, unless another one decides. One value compared with
 * itself is equal whatever it is. */
static void put_flags(const run *r, size_t first, uint8_t *f)
{
    const size_t *operands = r->call->op->operands;
    bool same = r->fn == compare && operands[0] == operands[1];
    for (size_t i = 0; i < r->chunk.n; i++) {
        uint8_t seen = 0;
        bool decided = same;
        for (size_t k = 0; k < r->op->arity; k++) {
            const oc__value *v = r->call->in[k];
            uint8_t flag = v->f ? oc__f(v)[v->count == 1 ? 0 : first + i] : 0;
            seen |= flag;
            decided |= !(flag & OC__F_UNDECIDED) && decides(r, r->in[k][i].u);
        }
        uint8_t kept = decided ? OC__F_STICKY : OC__F_STICKY | OC__F_UNDECIDED;
        f[first + i] =
            (uint8_t)((seen & kept) | (r->opens && r->open[i] ? OC__F_OPEN : 0));
    }
}

static bool any_open(run *r)
{
    uint64_t before = r->by_zero + r->overflows;
    for (size_t i = 0; r->opens && i < r->chunk.n; i++) {
        r->by_zero += r->open[i] == BY_ZERO;
        r->overflows += r->open[i] == OVERFLOWS;
    }
    return r->by_zero + r->overflows > before;
}

static oc_status run_chunks(run *r, oc__value *out, oc_error *err)
{
    bool flagged = false;
    for (size_t k = 0; k < r->op->arity; k++) {
        flagged = flagged || r->call->in[k]->f;
    }
    r->chunk.a = r->in[0];
    r->chunk.b = r->in[r->op->arity > 1 ? 1 : 0];
    r->chunk.c = r->in[r->op->arity - 1];
    r->chunk.out = r->to;
    r->chunk.open = r->open;
    for (size_t first = 0; first < out->count; first += CHUNK) {
        r->chunk.n = out->count - first < CHUNK ? out->count - first : CHUNK;
        for (size_t k = 0; k < r->op->arity; k++) {
            oc__lanes_of(r->call->in[k], first, r->chunk.n, r->in[k]);
        }
        r->fn(&r->chunk);
        oc__lanes_store(out->dtype, r->to, r->chunk.n, out->m->bytes, first);
        if (any_open(r) || flagged) {
            uint8_t *f = oc__value_own_f(out);
            if (!f) {
                return OC_CALL_FAIL(r->call, err, OC_NOMEM, "no memory for flags");
            }
            put_flags(r, first, f);
        }
    }
    if (r->by_zero > 0) {
        oc__call_note(r->call, "division_by_zero", r->by_zero);
    }
    if (r->overflows > 0) {
        oc__call_note(r->call, "division_overflow", r->overflows);
    }
    return OC_OK;
}

oc_status oc__integers_run(oc__call *call, oc_error *err)
{
    run r; // its lanes are large, and filled as they are needed
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    oc_dtype dtype = call->in[0]->dtype;
    r.call = call;
    r.op = find(call->op->name);
    r.chunk = (chunk){.is_signed = oc__dtype_is_signed(dtype),
                      .least = INT64_MIN >> (64 - oc__dtype_width(dtype))};
    r.by_zero = r.overflows = 0;
    r.fn = r.op ? dtype == OC_PRED ? r.op->pred : r.op->integers : NULL;
    r.opens = r.fn == divide || r.fn == modulo;
    if (!r.fn || (r.fn == absolute && !oc__dtype_is_signed(dtype)) ||
        (r.fn == sign && !oc__dtype_is_signed(dtype))) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "is not for elements of this type");
    }
    oc_status rc = oc__operands_check(call, r.op->arity, err);
    if (rc == OC_OK) {
        rc = oc__elementwise_dims(call, r.fn == clamp, dims, &rank, err);
    }
    if (rc == OC_OK && r.fn == compare) {
        rc = oc__direction(call, &r.chunk.orders, err);
    }
    if (rc == OC_OK) {
        oc_dtype made = r.fn == compare   ? OC_PRED
                        : r.fn == convert ? oc__call_result_type(call, 0)->dtype
                                          : dtype;
        rc = oc__value_make(made, NULL, dims, rank, &call->out[0], err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    return run_chunks(&r, call->out[0], err);
}
