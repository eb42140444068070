/* Keys: numbers whose order is that of the comparator, as 64-bit integers. */
#include "reference/eval.h"
#include "reference/lanes.h"
#include "reference/movement_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers as integers -------------------------------------------------- */

/* The bits of a double in the order of IEEE's totalOrder. NaNs of one sign are one. */
static int64_t real_key(double x)
{
    int64_t bits;
    if (isnan(x)) {
        x = copysign((double)NAN, signbit(x) ? -1.0 : 1.0);
    }
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 63 & INT64_MAX);
}

double oc__sort_number(const oc__sorting *s, int64_t key)
{
    int64_t bits = s->descending ? ~key : key;
    double x;
    bits ^= bits >> 63 & INT64_MAX;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct span {
    int64_t key, low, high;
} span;

static span real_span(double m, double r, uint8_t f, bool total)
{
    if (!total && (isnan(m) || m == 0)) { /* NaN: the line is marked; zeros are equal */
        m = isnan(m) ? (double)NAN : 0.0;
        f = 0;
    }
    span s = {.key = real_key(m)};
    s.low = s.high = s.key;
    if (!(r < (double)INFINITY)) {
        s.low = INT64_MIN;
        s.high = INT64_MAX;
    } else if (r > 0) {
        double low = nextafter(m - r, -(double)INFINITY);
        double high = nextafter(m + r, (double)INFINITY);
        s.low = real_key(low == 0 && total ? -0.0 : low);
        s.high = real_key(high == 0 ? 0.0 : high);
    } else if (m == 0 && (f & OC__F_ZERO_SIGN)) {
        s.low = real_key(-0.0);
        s.high = real_key(0.0);
    }
    return s;
}

static span integer_span(oc_dtype dtype, uint64_t lane, uint8_t f)
{
    int64_t key = (int64_t)(dtype == OC_U64 ? lane ^ (uint64_t)1 << 63 : lane);
    return f & OC__F_UNDECIDED ? (span){.key = key, .low = INT64_MIN, .high = INT64_MAX}
                               : (span){.key = key, .low = key, .high = key};
}

/* The line of an element. */
static size_t line_of(const oc__sorting *s, size_t element)
{
    return element / (s->n * s->inner) * s->inner + element % s->inner;
}

oc_status oc__sort_take_keys(oc__sorting *s, const oc__value *numbers, bool descending,
                             bool total, oc_error *err)
{
    size_t count = s->n * s->lines;
    bool real = oc__dtype_is_float(numbers->dtype);
    const double *r = oc__r(numbers);
    const uint8_t *f = oc__f(numbers);
    s->descending = descending;
    s->keys = malloc((count + 1) * sizeof *s->keys);
    s->low = malloc((count + 1) * sizeof *s->low);
    s->high = malloc((count + 1) * sizeof *s->high);
    if (!s->keys || !s->low || !s->high) {
        return oc__no_memory(err);
    }
    for (size_t e = 0; e < count; e++) {
        oc__lane lane = {0};
        uint8_t flags = f ? f[e] : 0;
        if (!real) {
            oc__lanes_load(numbers->dtype, numbers->m->bytes, e, 1, &lane);
        }
        span x = real ? real_span(oc__m(numbers)[e], r ? r[e] : 0, flags, total)
                      : integer_span(numbers->dtype, lane.u, flags);
        s->keys[e] = descending ? ~x.key : x.key;
        s->low[e] = descending ? ~x.high : x.low;
        s->high[e] = descending ? ~x.low : x.high;
        if (real && !total && isnan(oc__m(numbers)[e])) {
            s->line_flags[line_of(s, e)] |= OC__SORT_NAN;
        }
        if (flags & OC__F_OPEN) {
            s->line_flags[line_of(s, e)] |= OC__SORT_DISORDER;
        }
    }
    return OC_OK;
}

/* --- comparators that compare one number of each side --------------------- */

typedef struct sides {
    const oc__hlo_op *compare;
    size_t left, right; /* value numbers: of arguments 2k and of arguments 2k + 1 */
    bool descending, total;
} sides;

/* Which arguments each value of the block depends on: bit 0 for the left ones, bit 1
 * for the right ones. `uses` is indexed by value number. */
static void trace(const oc__hlo_block *block, uint8_t *uses)
{
    for (size_t a = 0; a < block->argument_count; a++) {
        uses[block->first_argument + a] = a % 2 == 0 ? 1 : 2;
    }
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        uint8_t all = 0;
        for (size_t k = 0; k < op->operand_count; k++) {
            all |= uses[op->operands[k]];
        }
        for (size_t k = 0; k < op->result_count; k++) {
            uses[op->first_result + k] = all;
        }
    }
}

static bool find_sides(const oc__hlo_func *func, const oc__hlo_block *block,
                       uint8_t *uses, sides *out)
{
    const oc__hlo_op *last =
        block->op_count > 0 ? block->ops[block->op_count - 1] : NULL;
    const oc__hlo_op *compare = NULL;
    for (size_t i = 0; last && last->operand_count == 1 && i < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        if (op->result_count == 1 && op->first_result == last->operands[0]) {
            compare = op;
        }
    }
    if (!compare || strcmp(compare->name, "stablehlo.compare") != 0 ||
        compare->operand_count != 2) {
        return false;
    }
    const char *direction = oc__hlo_attr_text(compare, "comparison_direction", "");
    const char *type = oc__hlo_attr_text(compare, "compare_type", "");
    size_t a = compare->operands[0], b = compare->operands[1];
    oc_dtype dtype = func->value_types[a]->dtype;
    trace(block, uses);
    bool straight = uses[a] == 1 && uses[b] == 2,
         crossed = uses[a] == 2 && uses[b] == 1;
    bool less = strcmp(direction, "LT") == 0, greater = strcmp(direction, "GT") == 0;
    if (!(straight || crossed) || !(less || greater) || func->value_types[a]->quant ||
        !(oc__dtype_is_float(dtype) || oc__dtype_is_integer(dtype) ||
          dtype == OC_PRED)) {
        return false;
    }
    *out = (sides){.compare = compare,
                   .left = straight ? a : b,
                   .right = straight ? b : a,
                   .descending = greater == straight,
                   .total = strcmp(type, "TOTALORDER") == 0};
    return true;
}

static oc_status run_one(oc__call *call, oc__frame *frame, const oc__hlo_op *op,
                         oc_error *err)
{
    const oc__kernel *kernel = oc__kernel_find(op->name);
    size_t count = op->operand_count;
    oc__value **values = calloc(count + op->result_count + 1, sizeof(oc__value *));
    if (!values) {
        return oc__no_memory(err);
    }
    for (size_t i = 0; i < count;
         i++) { /* kept in the frame: later operations read it */
        values[i] = oc__value_retain(*oc__slot(frame, 0, op->operands[i]));
    }
    oc__call inner = {.eval = call->eval,
                      .frame = frame,
                      .op = op,
                      .in = values,
                      .out = values + count};
    oc_status rc = kernel->run(&inner, err);
    for (size_t i = 0; rc == OC_OK && i < op->result_count; i++) {
        oc__frame_set(frame, 0, op->first_result + i, inner.out[i]);
        inner.out[i] = NULL;
    }
    for (size_t i = 0; i < count + op->result_count; i++) {
        oc__value_release(values[i]);
    }
    free(values);
    return rc;
}

/* The two numbers that are compared, for all elements of the operands at once: the
 * region without its comparison. */
static oc_status numbers_of(oc__sorting *s, const oc__hlo_block *block,
                            const sides *wanted, oc__value **out_left,
                            oc__value **out_right, oc_error *err)
{
    oc__frame frame = *s->call->frame;
    bool active = true;
    const int64_t dim = (int64_t)(s->n * s->lines);
    oc_status rc = OC_OK;
    frame.slots += s->call->process * frame.func->value_count;
    frame.first_process += s->call->process;
    frame.process_count = 1;
    frame.active = &active;
    frame.batch = (size_t)dim;
    for (size_t a = 0; rc == OC_OK && a < block->argument_count; a++) {
        oc__value *flat;
        rc = oc__value_reshaped(s->in[a / 2], &dim, 1, &flat, err);
        if (rc == OC_OK) {
            oc__frame_set(&frame, 0, block->first_argument + a, flat);
        }
    }
    for (size_t i = 0; rc == OC_OK && i + 1 < block->op_count; i++) {
        const oc__hlo_op *op = block->ops[i];
        if (op == wanted->compare) {
            continue; /* and what it would have used up stays */
        }
        rc = run_one(s->call, &frame, op, err);
        for (size_t d = 0; d < op->dying_count; d++) {
            oc__frame_set(&frame, 0, op->dying[d], NULL);
        }
    }
    if (rc == OC_OK) {
        *out_left = oc__value_retain(*oc__slot(&frame, 0, wanted->left));
        *out_right = oc__value_retain(*oc__slot(&frame, 0, wanted->right));
    }
    for (size_t a = 0; a < block->argument_count; a++) {
        oc__frame_set(&frame, 0, block->first_argument + a, NULL);
    }
    for (size_t i = 0; i < block->op_count; i++) {
        for (size_t k = 0; k < block->ops[i]->result_count; k++) {
            oc__frame_set(&frame, 0, block->ops[i]->first_result + k, NULL);
        }
    }
    return rc;
}

static bool same_plane(const oc__plane *a, const oc__plane *b)
{
    return a == b || (a && b && a->size_bytes == b->size_bytes &&
                      memcmp(a->bytes, b->bytes, a->size_bytes) == 0);
}

/* Whether an operand's balls are the numbers' (NaN as NaN, zeros as zeros). */
static bool same_numbers(const oc__value *operand, const oc__value *numbers)
{
    if (operand->dtype != numbers->dtype || operand->count != numbers->count ||
        !same_plane(operand->r, numbers->r)) {
        return false;
    }
    if (!oc__dtype_is_float(operand->dtype)) {
        return same_plane(operand->m, numbers->m);
    }
    const double *a = oc__m(operand), *b = oc__m(numbers);
    bool same = true;
    for (size_t i = 0; same && i < operand->count; i++) {
        same = a[i] == b[i] || (isnan(a[i]) && isnan(b[i]));
    }
    return same;
}

oc_status oc__sort_find_keys(oc__sorting *s, const oc__hlo_region *region,
                             bool *out_found, oc_error *err)
{
    const oc__hlo_func *func = s->call->frame->func;
    const oc__hlo_block *block = &region->block;
    oc__value *left = NULL, *right = NULL;
    sides compared;
    oc_status rc = OC_OK;
    *out_found = false;
    uint8_t *uses = calloc(func->value_count + 1, 1);
    if (!uses) {
        return oc__no_memory(err);
    }
    if (!oc__plan_block(s->call->eval, block)->batches ||
        !find_sides(func, block, uses, &compared)) {
        goto done;
    }
    rc = numbers_of(s, block, &compared, &left, &right, err);
    if (rc != OC_OK || left->count != s->n * s->lines ||
        !same_plane(left->m, right->m) || !same_plane(left->r, right->r)) {
        goto done;
    }
    rc = oc__sort_take_keys(s, left, compared.descending, compared.total, err);
    for (size_t k = 0; rc == OC_OK && k < s->count; k++) {
        s->is_key[k] = same_numbers(s->in[k], left);
    }
    *out_found = rc == OC_OK;
done:
    oc__value_release(left);
    oc__value_release(right);
    free(uses);
    return rc;
}
