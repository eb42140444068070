#include "random_program.h"

#include "tensor/float_format.h"

#include <string.h>

/* --- tables --- */

static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double negative(double x)
{
    return -x;
}

static long double rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}

static long double logisticl(long double x)
{
    return 1 / (1 + expl(-x));
}

#define INF ((double)INFINITY)
const function_row random_unaries[] = {
    {"stablehlo.negate", false, negative, NULL, 0, 0},
    {"stablehlo.abs", false, fabs, NULL, 0, 0},
    {"stablehlo.sqrt", false, sqrt, NULL, 0, 0},
    {"stablehlo.sign", false, sign_of, NULL, 0, 0},
    {"stablehlo.floor", false, floor, NULL, 0, 0},
    {"stablehlo.ceil", false, ceil, NULL, 0, 0},
    {"stablehlo.round_nearest_even", false, rint, NULL, 0, 0},
    {"stablehlo.round_nearest_afz", false, round, NULL, 0, 0},
    {"stablehlo.exponential", true, NULL, expl, 0, INF},
    {"stablehlo.exponential_minus_one", true, NULL, expm1l, -1, INF},
    {"stablehlo.log", true, NULL, logl, 0, 0},
    {"stablehlo.log_plus_one", true, NULL, log1pl, 0, 0},
    {"stablehlo.tanh", true, NULL, tanhl, -1, 1},
    {"stablehlo.logistic", true, NULL, logisticl, 0, 1},
    {"stablehlo.sine", true, NULL, sinl, -1, 1},
    {"stablehlo.cosine", true, NULL, cosl, -1, 1},
    {"stablehlo.rsqrt", true, NULL, rsqrtl, 0, 0},
    {"stablehlo.cbrt", true, NULL, cbrtl, 0, 0},
};
const size_t random_unary_count = sizeof random_unaries / sizeof *random_unaries;

const char *const random_binaries[] = {[ADD] = "add",
                                       [SUBTRACT] = "subtract",
                                       [MULTIPLY] = "multiply",
                                       [DIVIDE] = "divide",
                                       [MAXIMUM] = "maximum",
                                       [MINIMUM] = "minimum",
                                       [REMAINDER] = "remainder",
                                       [AND] = "and",
                                       [OR] = "or",
                                       [XOR] = "xor"};
const size_t random_binary_count = sizeof random_binaries / sizeof *random_binaries;

const char *const random_directions[6] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

/* --- choosing --- */

static const oc_dtype floats[] = {OC_F32, OC_F32, OC_F32, OC_BF16, OC_F16, OC_F64};
enum { FLOATS = sizeof floats / sizeof *floats };

static bool is_float(oc_dtype dtype)
{
    return dtype != OC_S32 && dtype != OC_PRED;
}

size_t random_node_count(const node *of)
{
    size_t count = 1;
    for (size_t i = 0; i < of->rank; i++) {
        count *= (size_t)of->dims[i];
    }
    return count;
}

static bool same_dims(const node *a, const node *b)
{
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* A node of the type and dims of `like`, perhaps that one itself. */
static size_t pick(dice *from, const random_program *p, const node *like,
                   oc_dtype dtype)
{
    size_t found = SIZE_MAX, seen = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->nodes[i].dtype == dtype && same_dims(&p->nodes[i], like) &&
            dice_one_in(from, ++seen)) {
            found = i;
        }
    }
    return found;
}

static node *append(random_program *p, opcode op, const node *like)
{
    node *made = &p->nodes[p->count++];
    *made = (node){.op = op, .dtype = like->dtype, .rank = like->rank};
    memcpy(made->dims, like->dims, sizeof made->dims);
    return made;
}

static node *append_of(random_program *p, opcode op, size_t x)
{
    const node like = p->nodes[x];
    node *made = append(p, op, &like);
    made->operands[made->operand_count++] = x;
    return made;
}

static void choose_binary(dice *from, random_program *p, size_t x)
{
    oc_dtype dtype = p->nodes[x].dtype;
    size_t y = pick(from, p, &p->nodes[x], dtype);
    node *made = append_of(p, BINARY, x);
    made->operands[made->operand_count++] = y;
    static const int usual[] = {ADD,      ADD,    SUBTRACT, MULTIPLY, MULTIPLY,
                                MULTIPLY, DIVIDE, MAXIMUM,  MINIMUM,  REMAINDER};
    static const int whole[] = {ADD,     SUBTRACT, MULTIPLY, MAXIMUM,
                                MINIMUM, AND,      OR,       XOR};
    static const int logic[] = {AND, OR, XOR};
    made->which = is_float(dtype)    ? usual[dice_below(from, 10)]
                  : dtype == OC_PRED ? logic[dice_below(from, 3)]
                                     : whole[dice_below(from, 8)];
    if (dice_one_in(from, 2)) {
        size_t first = made->operands[0];
        made->operands[0] = made->operands[1];
        made->operands[1] = first;
    }
}

static void choose_select(dice *from, random_program *p, size_t x)
{
    const node like = p->nodes[x];
    size_t y = pick(from, p, &like, like.dtype), q = pick(from, p, &like, OC_PRED);
    if (q == SIZE_MAX) {
        node *compared = append_of(p, COMPARE, x);
        compared->operands[compared->operand_count++] = y;
        compared->dtype = OC_PRED;
        compared->which = (int)dice_below(from, 6);
        q = p->count - 1;
    }
    node *made = append(p, SELECT, &like);
    made->operand_count = 3;
    made->operands[0] = q;
    made->operands[1] = x;
    made->operands[2] = y;
}

static void choose_compare(dice *from, random_program *p, size_t x)
{
    size_t y = pick(from, p, &p->nodes[x], p->nodes[x].dtype);
    node *made = append_of(p, COMPARE, x);
    made->operands[made->operand_count++] = y;
    made->dtype = OC_PRED;
    made->which = (int)dice_below(from, 6);
}

static void choose_clamp(dice *from, random_program *p, size_t x)
{
    const node like = p->nodes[x];
    size_t low = pick(from, p, &like, like.dtype);
    size_t high = pick(from, p, &like, like.dtype);
    node *made = append(p, CLAMP, &like);
    made->operand_count = 3;
    made->operands[0] = low;
    made->operands[1] = x;
    made->operands[2] = high;
}

static void choose_convert(dice *from, random_program *p, size_t x)
{
    node *made = append_of(p, CONVERT, x);
    oc_dtype to = dice_one_in(from, 8) ? OC_S32 : floats[dice_below(from, FLOATS)];
    made->dtype = to;
}

static void choose_movement(dice *from, random_program *p, size_t x)
{
    const node like = p->nodes[x];
    size_t count = random_node_count(&like);
    int64_t n = 1 + (int64_t)dice_below(from, 8);
    if (like.rank == 2 && dice_one_in(from, 2)) {
        node *made = append_of(p, TRANSPOSE, x);
        made->dims[0] = like.dims[1];
        made->dims[1] = like.dims[0];
    } else if (like.rank < 2 && count * (size_t)n <= RANDOM_MAX_ELEMENTS) {
        node *made = append_of(p, BROADCAST, x);
        made->rank = like.rank + 1;
        made->dims[0] = n;
        made->dims[1] = like.dims[0];
    } else if (like.rank > 0) {
        append_of(p, REVERSE, x);
    }
}

static void choose_reduce(dice *from, random_program *p, size_t x)
{
    const node like = p->nodes[x];
    if (like.rank == 0) {
        return;
    }
    if (dice_one_in(from, 6) && is_float(like.dtype)) {
        append_of(p, CUMULATE, x);
        return;
    }
    static const int bodies[] = {ADD, ADD, ADD, MULTIPLY, MAXIMUM, MINIMUM};
    static const int logic[] = {AND, OR};
    node *made = append_of(p, REDUCE, x);
    made->axis = dice_below(from, like.rank);
    made->which = like.dtype == OC_PRED ? logic[dice_below(from, 2)]
                                        : bodies[dice_below(from, 6)];
    made->rank = like.rank - 1;
    made->dims[0] = like.dims[made->axis == 0 ? 1 : 0];
}

static void choose_dot(dice *from, random_program *p, size_t x)
{
    const node like = p->nodes[x];
    size_t found = SIZE_MAX, axis = 0, seen = 0;
    if (like.rank != 2 || !is_float(like.dtype)) {
        return;
    }
    for (size_t i = 0; i < 2 * p->count; i++) {
        const node *y = &p->nodes[i / 2];
        size_t rows = y->rank == 2 ? (size_t)y->dims[1 - i % 2] : 0;
        bool fits = y->rank == 2 && y->dtype == like.dtype &&
                    y->dims[i % 2] == like.dims[1] &&
                    rows * (size_t)like.dims[0] <= RANDOM_MAX_ELEMENTS;
        if (fits && dice_one_in(from, ++seen)) {
            found = i / 2;
            axis = i % 2;
        }
    }
    if (found == SIZE_MAX) {
        return;
    }
    node *made = append_of(p, DOT, x);
    made->operands[made->operand_count++] = found;
    made->axis = axis;
    made->which = dice_one_in(from, 4);
    made->dims[1] = p->nodes[found].dims[1 - axis];
    bool narrow = like.dtype == OC_BF16 || like.dtype == OC_F16;
    made->dtype = narrow && dice_one_in(from, 2) ? OC_F32 : like.dtype;
}

static void choose_constant(dice *from, random_program *p, size_t x)
{
    static const double some[] = {0, 1, -1, 2, 0.5, 3, 10, 1e-3, 1e4, 0.1};
    const node like = p->nodes[x];
    node *made = append(p, CONSTANT, &like);
    double number = some[dice_below(from, 10)];
    made->number = like.dtype == OC_PRED  ? number > 0
                   : like.dtype == OC_S32 ? floor(number)
                                          : oc__float_round(like.dtype, number);
}

static void choose_operation(dice *from, random_program *p)
{
    // One of the last values, mostly, so that there are chains.
    size_t back = dice_below(from, dice_one_in(from, 3) ? p->count : 2);
    size_t x = p->count - 1 - (back < p->count ? back : 0);
    bool real = is_float(p->nodes[x].dtype), logic = p->nodes[x].dtype == OC_PRED;
    switch (dice_below(from, 16)) {
    case 0:
    case 1:
    case 2:
        if (real) {
            append_of(p, UNARY, x)->which = (int)dice_below(from, random_unary_count);
            return;
        }
        break;
    case 3: choose_convert(from, p, x); return;
    case 4:
    case 5: choose_movement(from, p, x); return;
    case 6:
    case 7: choose_reduce(from, p, x); return;
    case 8:
    case 9: choose_dot(from, p, x); return;
    case 10: choose_select(from, p, x); return;
    case 11:
        if (!logic) {
            choose_compare(from, p, x);
            return;
        }
        break;
    case 12:
        if (!logic) {
            choose_clamp(from, p, x);
            return;
        }
        break;
    case 13: choose_constant(from, p, x); break;
    default: break;
    }
    choose_binary(from, p, x);
}

void random_program_make(dice *from, random_program *out)
{
    static const int64_t sides[] = {1, 2, 3, 4, 5, 8, 16, 32, 64};
    *out =
        (random_program){.argument_count = 1 + dice_below(from, RANDOM_MAX_ARGUMENTS)};
    int64_t m = sides[dice_below(from, 6)], n = sides[dice_below(from, 9)];
    n = m * n > RANDOM_MAX_ELEMENTS ? RANDOM_MAX_ELEMENTS / m : n;
    oc_dtype dtype = floats[dice_below(from, FLOATS)];
    for (size_t i = 0; i < out->argument_count; i++) {
        bool other = dice_one_in(from, 6), turned = dice_one_in(from, 3);
        const node like = {.dtype = other ? floats[dice_below(from, FLOATS)] : dtype,
                           .rank = dice_one_in(from, 4) ? 1 : 2,
                           .dims = {turned ? n : m, turned ? m : n}};
        append(out, ARGUMENT, &like);
    }
    size_t wanted = out->count + 3 + dice_below(from, 10);
    while (out->count < wanted && out->count + 2 < RANDOM_MAX_NODES) {
        size_t before = out->count;
        choose_operation(from, out);
        wanted -= out->count == before; // nothing fitted
    }
    out->outputs[out->output_count++] = out->count - 1;
    while (out->output_count < RANDOM_MAX_OUTPUTS && dice_one_in(from, 2)) {
        out->outputs[out->output_count++] = dice_below(from, out->count);
    }
}

/* --- numbers --- */

static double wild_number(dice *from, const oc__float_format *of)
{
    const double some[] = {0,
                           -0.0,
                           INF,
                           -INF,
                           (double)NAN,
                           of->max_finite,
                           -of->max_finite,
                           ldexp(1, of->min_exponent),
                           ldexp(1, of->min_exponent - of->precision + 1),
                           1,
                           -1};
    int lowest = of->min_exponent - of->precision, range = 2 * (of->precision - lowest);
    if (dice_one_in(from, 2)) {
        return some[dice_below(from, sizeof some / sizeof *some)];
    }
    return ldexp(dice_normal(from), lowest + (int)(dice_unit(from) * range));
}

void random_program_inputs(dice *from, const random_program *program,
                           double inputs[][RANDOM_MAX_ELEMENTS])
{
    for (size_t k = 0; k < program->argument_count; k++) {
        const node *argument = &program->nodes[k];
        const oc__float_format *of = oc__float_format_of(argument->dtype);
        size_t kind = dice_below(from, 12);
        double scale = ldexp(1, (int)dice_below(from, 12) - 6);
        double far = ldexp(1, (int)dice_below(from, (size_t)-of->min_exponent));
        for (size_t i = 0; i < random_node_count(argument); i++) {
            double normal = dice_normal(from);
            double x = kind < 5    ? normal
                       : kind == 5 ? fabs(normal)
                       : kind == 6 ? rint(4 * normal)
                       : kind == 7 ? rint(8 * normal) / 16
                       : kind == 8 ? normal * scale
                       : kind == 9 ? 1 + normal * scale * 0x1p-10
                       : kind == 10
                           ? (dice_one_in(from, 2) ? normal * far : normal / far)
                           : wild_number(from, of);
            inputs[k][i] = oc__float_round(argument->dtype, x);
        }
    }
}
