/* Faults inside an MLP and a training step of it, seen from the outputs. With every dot
 * the bounds grow by some bits: deep programs are suspect or loose where shallow ones
 * are decided. */
#include "numeric_programs.h"

/* --- an MLP --- */

static void make_mlp(work *w, dice *from)
{
    double scale = 1 / sqrt((double)w->n);
    w->in[w->inputs++] = matrix_normal(from, ROWS, w->n, 1);
    w->in[w->inputs++] = matrix_normal(from, w->n, w->n, scale);
    w->in[w->inputs++] = matrix_normal(from, 1, w->n, 0.1);
    w->in[w->inputs++] = matrix_normal(from, w->n, w->n, scale);
    w->in[w->inputs++] = matrix_normal(from, 1, w->n, 0.1);
}

static void add_row(matrix *a, matrix bias)
{
    for (size_t i = 0; i < a->rows * a->columns; i++) {
        a->x[i] += bias.x[i % a->columns];
    }
}

/* tanh(x w1 + b1); a fault of the last layer's sums is none of this one's. */
static matrix hidden(const work *w)
{
    fault operands = w->fault == LAST_K_DROPPED ? RIGHT : w->fault;
    matrix a = device_dot(operands, w->in[0], w->in[1]);
    add_row(&a, w->in[2]);
    for (size_t i = 0; i < ROWS * w->n; i++) {
        a.x[i] = device_tanh(w->fault, a.x[i]);
    }
    return a;
}

static void run_mlp(work *w)
{
    matrix a = hidden(w);
    matrix y = device_dot(w->fault, a, w->in[3]);
    if (w->fault != BIAS_MISSING) {
        add_row(&y, w->in[4]);
    }
    matrix_free(&a);
    w->out[w->outputs++] = y;
}

#define ARGUMENTS "%x: !x, %w1: !w, %b1: !n, %w2: !w, %b2: !n"
#define HIGHEST   "precision = [HIGHEST, HIGHEST] "
#define FORWARD                                                                        \
    "%0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0], " HIGHEST       \
    ": (!x, !w) -> !x\n"                                                               \
    "%1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (!n) -> !x\n"                   \
    "%2 = stablehlo.add %0, %1 : !x\n"                                                 \
    "%3 = stablehlo.tanh %2 : !x\n"                                                    \
    "%4 = stablehlo.dot_general %3, %w2, contracting_dims = [1] x [0], " HIGHEST       \
    ": (!x, !w) -> !x\n"                                                               \
    "%5 = stablehlo.broadcast_in_dim %b2, dims = [1] : (!n) -> !x\n"                   \
    "%6 = stablehlo.add %4, %5 : !x\n"

static void faults_of_an_mlp(void **state)
{
    static const subject mlp = {
        "mlp", "func.func @main(" ARGUMENTS ") -> !x {\n" FORWARD "return %6 : !x\n}\n",
        make_mlp, run_mlp};
    static const size_t sizes[2] = {64, 256};
    static const row rows[] = {
        {RIGHT, {"PASS", "PASS"}},
        {PLAIN_SUMS, {"PASS", "PASS"}},
        {NEIGHBOURS_SWAPPED, {"FAIL", "FAIL"}},
        {BF16_OPERANDS, {"FAIL", "suspect"}},
        // Near the figure of a document for tanh: not refuted without a measured one.
        {TANH_OFF, {"suspect", "suspect"}},
        {BIAS_MISSING, {"FAIL", "FAIL"}},
        {LAST_K_DROPPED, {"FAIL", "FAIL"}},
    };
    (void)state;
    TRY(&mlp, sizes, rows);
}

/* --- a training step --- */

static void make_step(work *w, dice *from)
{
    make_mlp(w, from);
    w->in[w->inputs++] = matrix_normal(from, ROWS, w->n, 1);
}

/* weights - 0.01 gradient, fused as compilers do. */
static matrix updated(matrix weights, matrix gradient)
{
    matrix out = matrix_make(weights.rows, weights.columns);
    for (size_t i = 0; i < weights.rows * weights.columns; i++) {
        out.x[i] = fmaf(-0.01F, gradient.x[i], weights.x[i]);
    }
    return out;
}

static void run_step(work *w)
{
    matrix a = hidden(w), turned = matrix_transposed(a);
    matrix y = device_dot(w->fault, a, w->in[3]);
    add_row(&y, w->in[4]);
    for (size_t i = 0; i < ROWS * w->n; i++) {
        y.x[i] = (y.x[i] - w->in[5].x[i]) * 0.125F;
    }
    matrix w2t = matrix_transposed(w->in[3]), xt = matrix_transposed(w->in[0]);
    matrix dw2 = device_dot(RIGHT, turned, y), da = device_dot(RIGHT, y, w2t);
    for (size_t i = 0; i < ROWS * w->n; i++) {
        da.x[i] *= fmaf(-a.x[i], a.x[i], 1);
    }
    matrix dw1 = device_dot(RIGHT, xt, da);
    w->out[0] = updated(w->in[1], dw1);
    w->out[1] = updated(w->in[3], dw2);
    w->out[2] = dw1;
    w->outputs = 3;
    matrix all[] = {a, turned, y, w2t, xt, dw2, da};
    matrices_free(all, sizeof all / sizeof *all);
}

static const char step_text[] =
    "func.func @main(" ARGUMENTS ", %t: !x) -> (!w, !w, !w) {\n" FORWARD
    "%scale = stablehlo.constant dense<0.125> : !x\n"
    "%one = stablehlo.constant dense<1.0> : !x\n"
    "%rate = stablehlo.constant dense<0.01> : !w\n"
    "%7 = stablehlo.subtract %6, %t : !x\n"
    "%8 = stablehlo.multiply %7, %scale : !x\n"
    "%9 = stablehlo.dot_general %3, %8, contracting_dims = [0] x [0], " HIGHEST
    ": (!x, !x) -> !w\n"
    "%10 = stablehlo.dot_general %8, %w2, contracting_dims = [1] x [1], " HIGHEST
    ": (!x, !w) -> !x\n"
    "%11 = stablehlo.multiply %3, %3 : !x\n"
    "%12 = stablehlo.subtract %one, %11 : !x\n"
    "%13 = stablehlo.multiply %10, %12 : !x\n"
    "%14 = stablehlo.dot_general %x, %13, contracting_dims = [0] x [0], " HIGHEST
    ": (!x, !x) -> !w\n"
    "%15 = stablehlo.multiply %14, %rate : !w\n"
    "%16 = stablehlo.subtract %w1, %15 : !w\n"
    "%17 = stablehlo.multiply %9, %rate : !w\n"
    "%18 = stablehlo.subtract %w2, %17 : !w\n"
    "return %16, %18, %14 : !w, !w, !w\n}\n";

static void faults_of_a_training_step(void **state)
{
    static const subject step = {"training step", step_text, make_step, run_step};
    static const size_t sizes[2] = {64, 256};
    static const row rows[] = {
        {RIGHT, {"PASS", "loose"}},           {NEIGHBOURS_SWAPPED, {"FAIL", "FAIL"}},
        {BF16_OPERANDS, {"FAIL", "suspect"}}, {TF32_OPERANDS, {"suspect", "suspect"}},
        {TANH_OFF, {"suspect", "suspect"}},   {LAST_K_DROPPED, {"FAIL", "FAIL"}},
    };
    (void)state;
    TRY(&step, sizes, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_an_mlp),
        cmocka_unit_test(faults_of_a_training_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
