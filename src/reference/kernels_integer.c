#include "reference/bits.h"
#include "reference/bitwise.h"
#include "reference/lanes.h"
#include "reference/real.h"
#include "reference/tile.h"
#include "tensor/dtype_names.h"

#include <string.h>

/* Operations on the bits of integers and i1, of any width. They are exact; what the
 * specification leaves open (a shift by the width or more, a negative exponent) follows
 * XLA and is flagged. */

enum { CHUNK = 256 };

/* n elements of `bits` bits; what lies above them in a lane does not count. open[i] is
 * set where the specification leaves element i to the implementation. */
typedef struct lane {
    unsigned bits;
    bool is_signed;
    size_t n;
    const oc__lane *a, *b; /* b: zeros for an operation of one operand */
    oc__lane *out;
    uint8_t *open;
} lane;

/* out[i] = expression in a and b, the elements zero-extended, and i. */
#define EACH(expression)                                                               \
    for (size_t i = 0; i < l->n; i++) {                                                \
        uint64_t mask = oc__bits_mask(l->bits);                                        \
        uint64_t a = l->a[i].u & mask, b = l->b[i].u & mask;                           \
        (void)a, (void)b;                                                              \
        l->out[i].u = (expression)&mask;                                               \
    }

static void and_lane(const lane *l)
{
    EACH(a & b)
}

static void or_lane(const lane *l)
{
    EACH(a | b)
}

static void xor_lane(const lane *l)
{
    EACH(a ^ b)
}

static void not_lane(const lane *l)
{
    EACH(~a)
}

static void popcnt_lane(const lane *l)
{
    EACH((uint64_t)__builtin_popcountll(a))
}

static void clz_lane(const lane *l)
{
    EACH(a ? (uint64_t)__builtin_clzll(a) - (64 - l->bits) : l->bits)
}

/* A shift's amount is read without a sign: a negative one is past the width as well. */
static bool past(const lane *l, size_t i, uint64_t amount)
{
    l->open[i] = amount >= l->bits;
    return l->open[i];
}

static void shift_left_lane(const lane *l)
{
    EACH(past(l, i, b) ? 0 : a << b)
}

static void shift_right_logical_lane(const lane *l)
{
    EACH(past(l, i, b) ? 0 : a >> b)
}

/* gcc's >> of a negative number copies the sign bit. */
static void shift_right_arithmetic_lane(const lane *l)
{
    EACH((uint64_t)(oc__bits_signed(a, l->bits) >> (past(l, i, b) ? l->bits - 1 : b)))
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static uint64_t mulhi(uint64_t a, uint64_t b, unsigned bits, bool is_signed)
{
    if (is_signed) {
        wide product = (wide)oc__bits_signed(a, bits) * oc__bits_signed(b, bits);
        return (uint64_t)(product >> bits);
    }
    return (uint64_t)((unsigned_wide)a * b >> bits);
}

static void mulhi_lane(const lane *l)
{
    EACH(mulhi(a, b, l->bits, l->is_signed))
}

/* Wraps. A negative exponent: 0, but 1 for the base 1 and +-1 for the base -1, as XLA.
 */
static uint64_t power(uint64_t a, uint64_t b, const lane *l, uint8_t *open)
{
    uint64_t base = l->is_signed ? (uint64_t)oc__bits_signed(a, l->bits) : a;
    *open = l->is_signed && oc__bits_signed(b, l->bits) < 0;
    if (*open && base != 1 && base != UINT64_MAX) {
        return 0;
    }
    uint64_t product = 1;
    for (uint64_t exponent = b; exponent; exponent >>= 1, base *= base) {
        product *= exponent & 1 ? base : 1;
    }
    return product;
}

static void power_lane(const lane *l)
{
    EACH(power(a, b, l, &l->open[i]))
}

/* --- driver
 * ---------------------------------------------------------------------------- */

typedef struct operation {
    const char *name; /* without its dialect */
    void (*run)(const lane *lane);
    size_t arity;
    const char *open_rule;
} operation;

static const operation operations[] = {
    {"and", and_lane, 2, NULL},
    {"or", or_lane, 2, NULL},
    {"xor", xor_lane, 2, NULL},
    {"not", not_lane, 1, NULL},
    {"popcnt", popcnt_lane, 1, NULL},
    {"count_leading_zeros", clz_lane, 1, NULL},
    {"shift_left", shift_left_lane, 2, "shift_past_width"},
    {"shift_right_logical", shift_right_logical_lane, 2, "shift_past_width"},
    {"shift_right_arithmetic", shift_right_arithmetic_lane, 2, "shift_past_width"},
    {"mulhi", mulhi_lane, 2, NULL},
    {"power", power_lane, 2, "negative_exponent"},
};

static const operation *find(const char *op_name)
{
    const char *name = strchr(op_name, '.') + 1;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(name, operations[i].name) == 0) {
            return &operations[i];
        }
    }
    oc__assert_failed("an operation of the table above", __FILE__, __LINE__);
}

/* The flags of n elements: undecided where an operand is, but `and` with a known false
 * and `or` with a known true of i1 are known whatever the other operand is. */
static void flags(const oc__call *call, const operation *op, size_t first,
                  const lane *l, uint8_t *f)
{
    bool short_cut =
        call->in[0]->dtype == OC_PRED && (op->run == and_lane || op->run == or_lane);
    uint64_t deciding = op->run == or_lane;
    for (size_t i = 0; i < l->n; i++) {
        uint8_t seen = 0;
        bool decided = false;
        for (size_t k = 0; k < op->arity; k++) {
            const uint8_t *in = oc__f(call->in[k]);
            uint8_t flag = in ? in[call->in[k]->count == 1 ? 0 : first + i] : 0;
            seen |= flag;
            decided |= short_cut && !(flag & OC__F_UNDECIDED) &&
                       ((k ? l->b : l->a)[i].u & 1) == deciding;
        }
        uint8_t undecided = decided ? 0 : seen & OC__F_UNDECIDED;
        f[first + i] = (uint8_t)((seen & OC__F_STICKY) | undecided |
                                 (l->open[i] ? OC__F_OPEN : 0));
    }
}

static oc_status compute(oc__call *call, const operation *op, oc__value *out,
                         oc_error *err)
{
    bool flagged =
        op->open_rule || oc__f(call->in[0]) || (op->arity == 2 && oc__f(call->in[1]));
    uint8_t *f = flagged ? oc__value_own_f(out) : NULL;
    if (flagged && !f) {
        return OC_CALL_FAIL(call, err, OC_NOMEM, "no memory for the flags");
    }
    oc__lane a[CHUNK], b[CHUNK] = {{0}}, to[CHUNK];
    uint64_t open_count = 0;
    for (size_t first = 0; first < out->count; first += CHUNK) {
        size_t n = out->count - first < CHUNK ? out->count - first : CHUNK;
        uint8_t open[CHUNK] = {0};
        lane l = {.bits = oc__dtype_width(out->dtype),
                  .is_signed = oc__dtype_is_signed(out->dtype),
                  .n = n,
                  .a = a,
                  .b = b,
                  .out = to,
                  .open = open};
        oc__lanes_of(call->in[0], first, n, a);
        if (op->arity == 2) {
            oc__lanes_of(call->in[1], first, n, b);
        }
        op->run(&l);
        oc__lanes_store(out->dtype, to, n, out->m->bytes, first);
        if (flagged) {
            flags(call, op, first, &l, f);
        }
        for (size_t i = 0; op->open_rule && i < n; i++) {
            open_count += open[i];
        }
    }
    if (open_count > 0) {
        oc__call_note(call, op->open_rule, open_count);
    }
    oc__value_tidy(out);
    return OC_OK;
}

oc_status oc__bitwise_run(oc__call *call, oc_error *err)
{
    const operation *op = find(call->op->name);
    oc_status rc = oc__operands_check(call, op->arity, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_dtype dtype = call->in[0]->dtype;
    bool pred_too = op->run == and_lane || op->run == or_lane || op->run == xor_lane ||
                    op->run == not_lane;
    if (!oc__dtype_is_integer(dtype) && !(pred_too && dtype == OC_PRED)) {
        return OC_CALL_FAIL(call, err, OC_PARSE, "takes integers%s",
                            pred_too ? " or i1" : "");
    }
    int64_t dims[OC_MAX_RANK];
    size_t rank;
    rc = oc__elementwise_dims(call, false, dims, &rank, err);
    if (rc == OC_OK) {
        rc = oc__value_make(dtype, NULL, dims, rank, &call->out[0], err);
    }
    return rc == OC_OK ? compute(call, op, call->out[0], err) : rc;
}

#define ROW(name, remark)                                                              \
    {                                                                                  \
        name, oc__bitwise_run, NULL, true, "E", remark                                 \
    }
static const char shift_remark[] = "by the width or more is left open: 0, or the sign "
                                   "for the arithmetic shift, as XLA";

const oc__kernel oc__kernels_integer[] = {
    ROW("stablehlo.and", "three-valued where an i1 is undecided"),
    ROW("stablehlo.or", "three-valued where an i1 is undecided"),
    ROW("stablehlo.xor", ""),
    ROW("stablehlo.not", ""),
    ROW("stablehlo.popcnt", ""),
    ROW("stablehlo.count_leading_zeros", ""),
    ROW("stablehlo.shift_left", shift_remark),
    ROW("stablehlo.shift_right_logical", shift_remark),
    ROW("stablehlo.shift_right_arithmetic", shift_remark),
    ROW("chlo.mulhi", ""),
    {"stablehlo.bitcast_convert", oc__bitcast_run, NULL, true, "E",
     "of points; the bits of a NaN are open"},
    {0},
};
