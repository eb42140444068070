/* Programs cut to chosen elements. The peer is the evaluation of the whole program: the
 * cut's balls must be those at the chosen elements, bit by bit. Where balls are
 * multiplied out, OpenBLAS's blocking shows in the last bits of the sums of magnitudes:
 * 16 terms at most are off by 16 * 2^-53 of them, and radii in f32 are 2^-24 of them or
 * more, so that radii there agree to 2^-24, and to 2^-20 after some more steps. */
#include "cut_programs.h"
#include "dice.h"
#include "unit.h"

#include "base/strbuf.h"
#include "reference/cut.h"
#include "stablehlo/parse.h"
#include "stablehlo/print.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_INPUTS = 8, MAX_ROOTS = 4, ROUNDS = 12 };

typedef struct trial {
    oc__hlo_module *module;
    const oc__hlo_func *main;
    oc_tensor inputs[MAX_INPUTS];
    oc__cut_root roots[MAX_ROOTS];
    size_t root_count;
    oc__evaluation whole;
} trial;

static void succeed(oc_status rc, const oc_error *err)
{
    if (rc != OC_OK) {
        fail_msg("%s", err->text);
    }
}

static void read_program(trial *t, const char *text)
{
    oc_error err = {0};
    *t = (trial){0};
    succeed(oc__hlo_parse(text, strlen(text), "t.mlir", &t->module, &err), &err);
    succeed(oc__hlo_main(t->module, &t->main, &err), &err);
    t->root_count = t->main->result_count;
    assert_true(t->main->body.argument_count <= MAX_INPUTS &&
                t->root_count <= MAX_ROOTS);
}

/* N(0, 1), small whole numbers. */
static void fill(oc_tensor *tensor, dice *d)
{
    for (size_t i = 0; i < oc_tensor_count(tensor); i++) {
        if (tensor->dtype == OC_F32) {
            ((float *)tensor->data)[i] = (float)dice_normal(d);
        } else {
            assert_int_equal(tensor->dtype, OC_S32);
            ((int32_t *)tensor->data)[i] = (int32_t)dice_below(d, 5);
        }
    }
}

static oc_status evaluate(const oc__hlo_module *module, const oc_tensor *inputs,
                          size_t count, oc__evaluation *out, oc_error *err)
{
    oc__arith arith = {.sigma = true, .reciprocal = true};
    return oc__evaluate(module, 1, 1, inputs, count, &arith, &(oc__eval_limits){0}, out,
                        err);
}

static trial start(const char *text, dice *d)
{
    oc_error err = {0};
    trial t;
    read_program(&t, text);
    size_t count = t.main->body.argument_count;
    for (size_t i = 0; i < count; i++) {
        const oc__hlo_type *type = t.main->argument_types[i];
        succeed(oc_tensor_make(type->dtype, type->dims, type->rank, &t.inputs[i], &err),
                &err);
        fill(&t.inputs[i], d);
    }
    succeed(evaluate(t.module, t.inputs, count, &t.whole, &err), &err);
    return t;
}

static void free_grids(trial *t)
{
    for (size_t i = 0; i < t->root_count; i++) {
        for (size_t k = 0; k < OC_MAX_RANK; k++) {
            free(t->roots[i].grid.indices[k]);
        }
        t->roots[i].grid = (oc__grid){0};
    }
}

static void finish(trial *t)
{
    free_grids(t);
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        oc_tensor_free(&t->inputs[i]);
    }
    oc__evaluation_free(&t->whole);
    oc__hlo_module_free(t->module);
}

/* Two indices or more, but for the last of several dimensions: a divisor of one element
 * alone counts as uniform (tile.c), which is wider under `reciprocal`. */
static void choose(trial *t, dice *d)
{
    const oc__hlo_op *last = t->main->body.ops[t->main->body.op_count - 1];
    free_grids(t);
    for (size_t i = 0; i < t->root_count; i++) {
        const oc__hlo_type *type = t->main->result_types[i];
        oc__grid *grid = &t->roots[i].grid;
        t->roots[i].value = last->operands[i];
        grid->rank = type->rank;
        for (size_t k = 0; k < type->rank; k++) {
            int64_t dim = type->dims[k], count = 0;
            int64_t least = k > 0 && k + 1 == type->rank ? 1 : 2;
            grid->counts[k] = dim;
            if (dim < 3 || dice_one_in(d, 4)) {
                continue;
            }
            int64_t *indices = calloc((size_t)dim, sizeof *indices);
            assert_non_null(indices);
            size_t from = dice_below(d, (size_t)dim - 1);
            for (int64_t x = (int64_t)from; x < dim && count + 1 < dim; x++) {
                if (x < (int64_t)from + least || dice_one_in(d, 3)) {
                    indices[count++] = x;
                }
            }
            grid->indices[k] = indices;
            grid->counts[k] = count;
        }
    }
}

static double at(const double *plane, size_t i)
{
    return plane ? plane[i] : 0;
}

/* To all bits, or to 2^-20. */
static bool agree(double a, double b, bool bits)
{
    return memcmp(&a, &b, sizeof a) == 0 || (!bits && fabs(a - b) <= 0x1p-20 * fabs(a));
}

/* Element `i` of the cut's output is element `from` of the whole's; radii and standard
 * deviations to all bits. */
static bool same_element(const oc__value *whole, size_t from, const oc__value *cut,
                         size_t i, bool bits)
{
    size_t size = oc__value_m_size(whole);
    bool same =
        memcmp(whole->m->bytes + from * size, cut->m->bytes + i * size, size) == 0;
    if (oc__value_has_balls(whole)) {
        same = same && agree(at(oc__r(whole), from), at(oc__r(cut), i), bits) &&
               agree(at(oc__s(whole), from), at(oc__s(cut), i), bits);
    }
    uint8_t flags = oc__f(whole) ? oc__f(whole)[from] : 0;
    return same && flags == (oc__f(cut) ? oc__f(cut)[i] : 0);
}

static bool same_at(const oc__grid *grid, const oc__value *whole, const oc__value *cut,
                    bool bits)
{
    int64_t strides[OC_MAX_RANK];
    oc__strides(whole->dims, whole->rank, strides);
    bool same = cut->dtype == whole->dtype && cut->rank == whole->rank &&
                !oc__dtype_is_complex(whole->dtype);
    for (size_t i = 0; same && i < cut->count; i++) {
        size_t from = 0, left = i;
        for (size_t d = cut->rank; d-- > 0;) {
            size_t k = left % (size_t)cut->dims[d];
            left /= (size_t)cut->dims[d];
            from += (size_t)strides[d] *
                    (grid->indices[d] ? (size_t)grid->indices[d][k] : k);
        }
        same = same_element(whole, from, cut, i, bits);
    }
    return same;
}

/* The module's text reads again as the same module: the parser checks its types. */
static void assert_reads_again(const oc__hlo_module *module)
{
    oc_error err = {0};
    oc__hlo_module *again;
    oc__strbuf text;
    oc__strbuf_init(&text, 1 << 24);
    oc__hlo_print(module, &text);
    assert_false(text.failed);
    succeed(oc__hlo_parse(text.data, text.size, "cut.mlir", &again, &err), &err);
    assert_true(oc__hlo_equal(module, again));
    oc__hlo_module_free(again);
    oc__strbuf_free(&text);
}

/* Whether the cut's balls are those at `grids` of the whole. */
static bool cut_matches(trial *t, const oc__cut_root *roots, const oc__grid *grids,
                        bool bits)
{
    oc_error err = {0};
    oc__cut cut;
    oc__evaluation made;
    succeed(oc__cut_make(t->module, t->inputs, t->main->body.argument_count, roots,
                         t->root_count, &cut, &err),
            &err);
    assert_reads_again(cut.module);
    assert_true(cut.seconds >= 0);
    succeed(evaluate(cut.module, cut.inputs, cut.input_count, &made, &err), &err);
    bool same = true;
    for (size_t i = 0; i < t->root_count; i++) {
        assert_int_equal(cut.made[i].rank, roots[i].grid.rank);
        same = same && same_at(&grids[i], t->whole.outputs[i], made.outputs[i], bits);
    }
    oc__evaluation_free(&made);
    oc__cut_free(&cut);
    return same;
}

static void check(const cut_program *program)
{
    const char *text = program->text;
    dice d = {.state = strlen(text)};
    trial t = start(text, &d);
    for (size_t round = 0; round < ROUNDS; round++) {
        oc__grid grids[MAX_ROOTS];
        choose(&t, &d);
        for (size_t i = 0; i < t.root_count; i++) {
            grids[i] = t.roots[i].grid;
        }
        if (!cut_matches(&t, t.roots, grids, !program->sums_of_balls)) {
            fail_msg("round %zu differs from the whole: %s", round, text);
        }
    }
    finish(&t);
}

static void test_balls_are_those_of_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < cut_program_count; i++) {
        check(&cut_programs[i]);
    }
}

/* The comparison sees a grid that is off by one: it can fail. */
static void test_another_grid_is_another_answer(void **state)
{
    (void)state;
    dice d = {.state = 5};
    for (size_t i = 0; i < 3; i++) {
        trial t = start(cut_programs[i].text, &d);
        const oc__hlo_op *last = t.main->body.ops[t.main->body.op_count - 1];
        int64_t right[] = {1, 3}, off[] = {2, 3};
        oc__grid grids[MAX_ROOTS] = {{0}};
        oc__cut_root roots[MAX_ROOTS] = {{0}};
        for (size_t k = 0; k < t.root_count; k++) {
            const oc__hlo_type *type = t.main->result_types[k];
            oc__grid grid = {.rank = 2, .counts = {2, type->dims[1]}};
            roots[k] = (oc__cut_root){.value = last->operands[k], .grid = grid};
            roots[k].grid.indices[0] = right;
            grids[k] = roots[k].grid;
        }
        assert_true(cut_matches(&t, roots, grids, false));
        grids[0].indices[0] = off;
        assert_false(cut_matches(&t, roots, grids, false));
        finish(&t);
    }
}

/* Operations that are not in the cone are not in the cut, and arguments neither. */
static void test_only_the_cone_is_left(void **state)
{
    (void)state;
    oc_error err = {0};
    trial t;
    oc__cut cut;
    read_program(&t, cut_programs[0].text);
    int64_t rows[] = {0, 4}, columns[] = {1, 2, 3};
    // %0, the dot, in rows 0 and 4 and columns 1 to 3: value 5 after the arguments and
    // two constants.
    oc__cut_root root = {.value = 5, .grid = {.rank = 2, .counts = {2, 3}}};
    root.grid.indices[0] = rows;
    root.grid.indices[1] = columns;
    succeed(oc__cut_make(t.module, NULL, 0, &root, 1, &cut, &err), &err);
    const oc__hlo_func *main;
    succeed(oc__hlo_main(cut.module, &main, &err), &err);
    assert_int_equal(main->body.op_count, 2); // the dot and the return
    assert_int_equal(cut.input_count, 2);
    assert_string_equal(main->argument_types[0]->text, "tensor<2x5xf32>");
    assert_string_equal(main->argument_types[1]->text, "tensor<5x3xf32>");
    assert_string_equal(main->result_types[0]->text, "tensor<2x3xf32>");
    assert_null(cut.inputs);
    oc__cut_free(&cut);
    finish(&t);
}

/* --- what cannot be cut -------------------------------------------------------- */

static void refused(const char *text, oc_status status, const char *words)
{
    oc_error err = {0};
    trial t;
    oc__cut cut;
    read_program(&t, text);
    const oc__hlo_op *last = t.main->body.ops[t.main->body.op_count - 1];
    for (size_t i = 0; i < t.root_count; i++) {
        const oc__hlo_type *type = t.main->result_types[i];
        t.roots[i].value = last->operands[i];
        t.roots[i].grid.rank = type->rank;
        for (size_t d = 0; d < type->rank; d++) {
            t.roots[i].grid.counts[d] = type->dims[d];
        }
    }
    assert_int_equal(oc__cut_make(t.module, NULL, 0, t.roots, t.root_count, &cut, &err),
                     status);
    ASSERT_ERROR(&err, status, OC_BOUNDARY_NUMERIC, words);
    assert_null(cut.module);
    finish(&t);
}

static void test_what_cannot_be_cut_is_named(void **state)
{
    (void)state;
    refused("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
            "  %0 = stablehlo.abs %a : tensor<?xf32>\n"
            "  return %0 : tensor<?xf32>\n}\n",
            OC_LIMIT, "t.mlir:2:8: stablehlo.abs: a dynamic shape");
    refused("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = "
            "dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n",
            OC_LIMIT, "t.mlir:2:8: stablehlo.collective_permute: a collective");
    refused("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = stablehlo.tuple %a : tuple<tensor<4xf32>>\n"
            "  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>>) -> "
            "tensor<4xf32>\n"
            "  return %1 : tensor<4xf32>\n}\n",
            OC_LIMIT, "t.mlir:2:8: stablehlo.tuple: a value that is no tensor");
    refused("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n"
            "func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n",
            OC_LIMIT, "t.mlir:6:8: func.call: a function that calls itself");
    // Wrong programs: the place, no crash.
    refused("func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
            "  %0 = \"stablehlo.slice\"(%a) {start_indices = array<i64: 3>, "
            "limit_indices = array<i64: 8>, strides = array<i64: 1>} : (tensor<4xf32>) "
            "-> tensor<5xf32>\n"
            "  return %0 : tensor<5xf32>\n}\n",
            OC_PARSE, "t.mlir:2:8: stablehlo.slice: its operands do not fit");
    refused("func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
            "  %0 = \"stablehlo.reshape\"(%a) : (tensor<4xf32>) -> tensor<5xf32>\n"
            "  return %0 : tensor<5xf32>\n}\n",
            OC_PARSE, "t.mlir:2:8: stablehlo.reshape: its operand");
}

static void test_roots_must_be_of_main(void **state)
{
    (void)state;
    oc_error err = {0};
    trial t;
    oc__cut cut;
    read_program(&t, cut_programs[0].text);
    int64_t rows[] = {3, 7}; // of 7
    oc__cut_root roots[] = {{.value = 10000, .grid = {.rank = 0}},
                            {.value = 0, .grid = {.rank = 2, .counts = {2, 5}}}};
    roots[1].grid.indices[0] = rows;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(oc__cut_make(t.module, NULL, 0, &roots[i], 1, &cut, &err),
                         OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC, "root 0");
    }
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_are_those_of_the_whole),
        cmocka_unit_test(test_another_grid_is_another_answer),
        cmocka_unit_test(test_only_the_cone_is_left),
        cmocka_unit_test(test_what_cannot_be_cut_is_named),
        cmocka_unit_test(test_roots_must_be_of_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
