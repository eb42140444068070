#include "random_device.h"

#include "any_order.h"

#include "reference/figures.h"
#include "tensor/float_format.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of a value. Where `product` is set, x is left * right rounded. */
typedef struct numbers {
    double x[RANDOM_MAX_ELEMENTS];
    double left[RANDOM_MAX_ELEMENTS], right[RANDOM_MAX_ELEMENTS];
    bool product[RANDOM_MAX_ELEMENTS];
} numbers;

typedef struct machine {
    const random_device *device;
    const random_program *program;
    bool narrow; /* the accumulator of the sums of the tensor that is being made */
    numbers values[RANDOM_MAX_NODES];
} machine;

static const numbers *operand(const machine *m, const node *of, size_t k)
{
    return &m->values[of->operands[k]];
}

static bool is_narrow(oc_dtype dtype)
{
    return dtype == OC_BF16 || dtype == OC_F16;
}

static bool is_integer(oc_dtype dtype)
{
    return dtype == OC_S32 || dtype == OC_PRED;
}

/* i32 wraps. */
static double wrapped(int64_t x)
{
    return (double)(int32_t)(uint32_t)(uint64_t)x;
}

/* --- functions within their figures --- */

/* Any number of the type within k ulp of y; below the normal numbers a last rounding
 * comes on top (numerics 8.1). */
static double within_figure(const machine *m, const function_row *row, oc_dtype dtype,
                            double x)
{
    const oc__float_format *format = oc__float_format_of(dtype);
    long double y = row->wide((long double)x);
    double nearest = round_long(dtype, y);
    double k = oc__figure_ulps("cpu", row->name, dtype);
    if (m->device->text || !isfinite(nearest) || y == 0) {
        return nearest;
    }
    int exponent = ilogbl(y);
    long double most = (long double)k * ldexpl(1, exponent - format->precision + 1);
    double choice = 2 * dice_unit(m->device->dice) - 1;
    choice = dice_one_in(m->device->dice, 4) ? copysign(1, choice) : choice;
    double d = round_long(dtype, y + (long double)choice * most);
    bool normal = fabsl(y) >= ldexpl(1, format->min_exponent);
    if (normal && fabsl((long double)d - y) > most) {
        d = nearest;
    }
    bool open = row->least == 0 && row->most == 0;
    return open || (d >= row->least && d <= row->most) ? d : nearest;
}

static void run_unary(const machine *m, const node *of, numbers *out)
{
    const function_row *row = &random_unaries[of->which];
    const numbers *in = operand(m, of, 0);
    bool negates = of->which == 0;
    for (size_t i = 0; i < random_node_count(of); i++) {
        out->x[i] = row->by_figure ? within_figure(m, row, of->dtype, in->x[i])
                                   : oc__float_round(of->dtype, row->c(in->x[i]));
        out->product[i] = negates && in->product[i];
        out->left[i] = -in->left[i];
        out->right[i] = in->right[i];
    }
}

/* --- two operands --- */

/* IEEE 754-2019 maximum: NaN stays, +0 is larger than -0. */
static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return (double)NAN;
    }
    return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static double smaller(double a, double b)
{
    return -larger(-a, -b);
}

static double combine(oc_dtype dtype, int which, double a, double b)
{
    int64_t x = is_integer(dtype) ? (int64_t)a : 0,
            y = is_integer(dtype) ? (int64_t)b : 0;
    bool whole = dtype == OC_S32;
    switch (which) {
    case ADD: return whole ? wrapped(x + y) : oc__float_round(dtype, a + b);
    case SUBTRACT: return whole ? wrapped(x - y) : oc__float_round(dtype, a - b);
    case MULTIPLY: return whole ? wrapped(x * y) : oc__float_round(dtype, a * b);
    case DIVIDE: return oc__float_round(dtype, a / b);
    case MAXIMUM: return larger(a, b);
    case MINIMUM: return smaller(a, b);
    case REMAINDER: return fmod(a, b);
    case AND: return (double)(x & y);
    case OR: return (double)(x | y);
    default: return (double)(x ^ y);
    }
}

/* a + sign b, one of them a product that was not rounded. */
static bool fuse(const machine *m, const node *of, size_t i, double *out)
{
    const numbers *a = operand(m, of, 0), *b = operand(m, of, 1);
    double sign = of->which == SUBTRACT ? -1 : 1;
    bool adds = of->which == ADD || of->which == SUBTRACT;
    if (!m->device->contracts || !adds || dice_one_in(m->device->dice, 2)) {
        return false;
    }
    bool first = dice_one_in(m->device->dice, 2) ? a->product[i] : !b->product[i];
    if (first && a->product[i] && isfinite(a->x[i])) {
        *out = round_fused(of->dtype, a->left[i], a->right[i], sign * b->x[i]);
        return true;
    }
    if (!first && b->product[i] && isfinite(b->x[i])) {
        *out = round_fused(of->dtype, sign * b->left[i], b->right[i], a->x[i]);
        return true;
    }
    return false;
}

static void run_binary(const machine *m, const node *of, numbers *out)
{
    const numbers *a = operand(m, of, 0), *b = operand(m, of, 1);
    for (size_t i = 0; i < random_node_count(of); i++) {
        if (!fuse(m, of, i, &out->x[i])) {
            out->x[i] = combine(of->dtype, of->which, a->x[i], b->x[i]);
        }
        out->product[i] = of->which == MULTIPLY && !is_integer(of->dtype);
        out->left[i] = a->x[i];
        out->right[i] = b->x[i];
    }
}

static bool compared(int which, double a, double b)
{
    switch (which) {
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    default: return a >= b;
    }
}

/* --- conversions --- */

/* What is out of range the specification leaves open. */
static double to_integer(double x)
{
    // An integer 0 has no sign.
    return isnan(x) ? 0 : trunc(fmin(fmax(x, -2147483648.0), 2147483647.0)) + 0.0;
}

enum { MAX_PARTS = 3 };

/* An operand of a dot as the device reads it: parts that add up to it, or nearly; how
 * many. */
static size_t read_operand(const machine *m, const node *of, double x,
                           double parts[MAX_PARTS])
{
    static const struct {
        int precision;
        bool truncates;
        size_t parts;
    } models[] = {[OC__OPERANDS_FULL] = {24, false, 1},
                  [OC__OPERANDS_TF32_RNE] = {11, false, 1},
                  [OC__OPERANDS_TF32_RZ] = {11, true, 1},
                  [OC__OPERANDS_BF16_RNE] = {8, false, 1},
                  [OC__OPERANDS_BF16_RZ] = {8, true, 1},
                  [OC__OPERANDS_BF16_X3] = {8, false, 2},
                  [OC__OPERANDS_BF16_X3_RZ] = {8, true, 2},
                  [OC__OPERANDS_BF16_X6] = {8, false, 3},
                  [OC__OPERANDS_BF16_X6_RZ] = {8, true, 3}};
    oc__operand_model model = m->device->operands;
    bool single = m->program->nodes[of->operands[0]].dtype == OC_F32;
    // HIGHEST asks for f32, which this device has.
    bool applies = single && !of->which && !m->device->text;
    size_t count = applies ? models[model].parts : 1;
    memset(parts, 0, MAX_PARTS * sizeof *parts);
    parts[0] = x;
    for (size_t i = 0; i < count && applies && isfinite(x); i++) {
        // All of these types have f32's exponents.
        int exponent;
        (void)frexp(x, &exponent);
        exponent = exponent < -125 ? -125 : exponent;
        double unit = ldexp(1, exponent - models[model].precision);
        double part =
            (models[model].truncates ? trunc(x / unit) : rint(x / unit)) * unit;
        parts[i] = fabs(part) < 0x1p128 ? part : copysign((double)INFINITY, x);
        x -= parts[i];
    }
    return count;
}

/* --- sums --- */

static adder adder_of(const machine *m, oc_dtype operand, oc_dtype result)
{
    bool narrow = m->narrow && is_narrow(result);
    return (adder){.dice = m->device->dice,
                   .accumulator = narrow              ? result
                                  : operand == OC_F64 ? OC_F64
                                                      : OC_F32,
                   .in_order = m->device->text};
}

/* count elements from `at` on, `step` apart, folded with the body. */
static double fold(const machine *m, const node *of, const numbers *in, size_t at,
                   size_t step, size_t count)
{
    double x[RANDOM_MAX_ELEMENTS] = {0}, y[RANDOM_MAX_ELEMENTS];
    const adder sum = adder_of(m, of->dtype, of->dtype);
    bool whole = is_integer(of->dtype), adds = of->which == ADD && !whole;
    bool fused = adds && m->device->contracts && dice_one_in(m->device->dice, 2);
    for (size_t k = 0; k < count; k++) {
        size_t i = at + k * step;
        bool product = fused && in->product[i] && isfinite(in->x[i]);
        x[k] = product ? in->left[i] : in->x[i];
        y[k] = product ? in->right[i] : 1;
    }
    if (adds) {
        double total =
            fused ? dot_at_random(&sum, x, y, count) : add_at_random(&sum, x, count);
        // The initial value, 0, comes in somewhere.
        return oc__float_round(of->dtype, total + 0);
    }
    if (of->which == MULTIPLY && !whole) {
        return oc__float_round(of->dtype, multiply_at_random(&sum, x, count));
    }
    double folded = x[0];
    for (size_t k = 1; k < count; k++) {
        folded = combine(of->dtype, of->which, folded, x[k]);
    }
    return folded;
}

static void run_reduce(const machine *m, const node *of, numbers *out)
{
    const node *from = &m->program->nodes[of->operands[0]];
    size_t columns = from->rank == 2 ? (size_t)from->dims[1] : 1;
    bool along_rows = from->rank == 2 && of->axis == 1;
    size_t step = along_rows ? 1 : columns, count = (size_t)from->dims[of->axis];
    for (size_t i = 0; i < random_node_count(of); i++) {
        out->x[i] =
            fold(m, of, operand(m, of, 0), along_rows ? i * columns : i, step, count);
    }
}

static void run_cumulate(const machine *m, const node *of, numbers *out)
{
    size_t columns = (size_t)of->dims[of->rank - 1];
    for (size_t i = 0; i < random_node_count(of); i++) {
        size_t column = i % columns;
        out->x[i] = fold(m, of, operand(m, of, 0), i - column, 1, column + 1);
    }
}

static void run_dot(const machine *m, const node *of, numbers *out)
{
    const node *left = &m->program->nodes[of->operands[0]];
    const node *right = &m->program->nodes[of->operands[1]];
    size_t length = (size_t)left->dims[1], columns = (size_t)of->dims[1];
    const adder sum = adder_of(m, left->dtype, of->dtype);
    double x[6 * RANDOM_MAX_ELEMENTS], y[6 * RANDOM_MAX_ELEMENTS];
    for (size_t i = 0; i < random_node_count(of); i++) {
        size_t count = 0;
        for (size_t k = 0; k < length; k++) {
            size_t at = of->axis == 0 ? k * (size_t)right->dims[1] + i % columns
                                      : i % columns * length + k;
            double a[MAX_PARTS], b[MAX_PARTS];
            double given = operand(m, of, 0)->x[i / columns * length + k];
            size_t parts = read_operand(m, of, given, a);
            (void)read_operand(m, of, operand(m, of, 1)->x[at], b);
            // XLA leaves the low parts out where a high one is no number.
            parts = isfinite(a[0]) && isfinite(b[0]) ? parts : 1;
            for (size_t p = 0; p < parts * parts; p++) {
                if (p / parts + p % parts < parts) {
                    x[count] = a[p / parts];
                    y[count++] = b[p % parts];
                }
            }
        }
        out->x[i] = oc__float_round(of->dtype, dot_at_random(&sum, x, y, count));
    }
}

/* --- the rest --- */

static void copy(numbers *out, size_t to, const numbers *in, size_t from)
{
    out->x[to] = in->x[from];
    out->product[to] = in->product[from];
    out->left[to] = in->left[from];
    out->right[to] = in->right[from];
}

static void run_movement(const machine *m, const node *of, numbers *out)
{
    const numbers *in = operand(m, of, 0);
    size_t columns = of->rank > 0 ? (size_t)of->dims[of->rank - 1] : 1;
    size_t source = random_node_count(&m->program->nodes[of->operands[0]]);
    for (size_t i = 0; i < random_node_count(of); i++) {
        size_t row = i / columns, column = i % columns;
        size_t from = of->op == BROADCAST   ? i % source
                      : of->op == TRANSPOSE ? column * (size_t)of->dims[0] + row
                                            : row * columns + (columns - 1 - column);
        copy(out, i, in, from);
    }
}

static void run_elements(const machine *m, const node *of, numbers *out)
{
    const numbers *a = operand(m, of, 0);
    const numbers *b = of->operand_count > 1 ? operand(m, of, 1) : a;
    const numbers *c = of->operand_count > 2 ? operand(m, of, 2) : a;
    for (size_t i = 0; i < random_node_count(of); i++) {
        switch (of->op) {
        case CONVERT:
            out->x[i] = of->dtype == OC_S32 ? to_integer(a->x[i])
                                            : oc__float_round(of->dtype, a->x[i]);
            break;
        case COMPARE: out->x[i] = compared(of->which, a->x[i], b->x[i]); break;
        case SELECT: copy(out, i, a->x[i] != 0 ? b : c, i); break;
        default: out->x[i] = smaller(larger(b->x[i], a->x[i]), c->x[i]); break; // clamp
        }
    }
}

static void run_node(machine *m, size_t number, double inputs[][RANDOM_MAX_ELEMENTS])
{
    const node *of = &m->program->nodes[number];
    numbers *out = &m->values[number];
    m->narrow = m->device->narrow && dice_one_in(m->device->dice, 2);
    switch (of->op) {
    case ARGUMENT: memcpy(out->x, inputs[number], sizeof out->x); break;
    case CONSTANT:
        for (size_t i = 0; i < random_node_count(of); i++) {
            out->x[i] = of->number;
        }
        break;
    case UNARY: run_unary(m, of, out); break;
    case BINARY: run_binary(m, of, out); break;
    case BROADCAST:
    case TRANSPOSE:
    case REVERSE: run_movement(m, of, out); break;
    case REDUCE: run_reduce(m, of, out); break;
    case CUMULATE: run_cumulate(m, of, out); break;
    case DOT: run_dot(m, of, out); break;
    default: run_elements(m, of, out); break;
    }
}

void random_device_run(const random_device *device, const random_program *program,
                       double inputs[][RANDOM_MAX_ELEMENTS],
                       double outputs[][RANDOM_MAX_ELEMENTS])
{
    machine *m = calloc(1, sizeof *m);
    if (!m) {
        abort();
    }
    m->device = device;
    m->program = program;
    for (size_t i = 0; i < program->count; i++) {
        run_node(m, i, inputs);
    }
    for (size_t i = 0; i < program->output_count; i++) {
        memcpy(outputs[i], m->values[program->outputs[i]].x, sizeof *outputs);
    }
    free(m);
}
