/* Collective operations on a grid of two replicas of two partitions. Process i holds
 * [10 i, 10 i + 1]; processes 0 to 3 are (replica, partition) (0,0), (0,1), (1,0),
 * (1,1). Expected values follow the specification's process groups, worked out by hand.
 */
#include "program_fixture.h"

#include <math.h>

static const int32_t held[] = {0, 1, 10, 11, 20, 21, 30, 31};

#define PROGRAM(result, body)                                                          \
    "func.func @main(%x: tensor<2xi32>) -> " result " {\n" body                        \
    "  return %r : " result "\n}\n"
#define ATTRIBUTES(groups, channel, more)                                              \
    "{replica_groups = dense<" groups                                                  \
    ">, channel_handle = #stablehlo.channel_handle<handle = " channel                  \
    ", type = 0>" more "}"
#define ADDS                                                                           \
    "({\n"                                                                             \
    "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"                                      \
    "    %s = stablehlo.add %a, %b : tensor<i32>\n"                                    \
    "    stablehlo.return %s : tensor<i32>\n"                                          \
    "  })"
#define ONE_GROUP  "[[0, 1]]> : tensor<1x2xi64"
#define BACKWARDS  "[[1, 0]]> : tensor<1x2xi64"
#define FLAT       "[[3, 2], [1, 0]]> : tensor<2x2xi64"
#define ALL_GLOBAL "[[0, 1, 2, 3]]> : tensor<1x4xi64"
#define GLOBAL_IDS ", use_global_device_ids"

#define GATHER(width, groups, channel, more)                                           \
    PROGRAM(                                                                           \
        "tensor<" width "xi32>",                                                       \
        "  %r = \"stablehlo.all_gather\"(%x) " ATTRIBUTES(                             \
            groups, channel,                                                           \
            ", all_gather_dim = 0 : i64" more) " : (tensor<2xi32>) -> tensor<" width   \
                                               "xi32>\n")

/* No channel: replicas exchange within each partition. */
static void test_all_gather_across_replicas(void **state)
{
    (void)state;
    program p = program_run_grid(GATHER("4", ONE_GROUP, "0", ""), 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 0, 1, 20, 21);
    ASSERT_INTS(&p, 1, 10, 11, 30, 31);
    ASSERT_INTS(&p, 2, 0, 1, 20, 21);
    ASSERT_INTS(&p, 3, 10, 11, 30, 31);
    program_free(&p);
}

/* A channel: all partitions too, and the replicas run fastest. */
static void test_all_gather_across_replicas_and_partitions(void **state)
{
    (void)state;
    program p = program_run_grid(GATHER("8", ONE_GROUP, "1", ""), 2, 2, held, 2);
    for (size_t i = 0; i < 4; i++) {
        ASSERT_INTS(&p, i, 0, 1, 20, 21, 10, 11, 30, 31);
    }
    program_free(&p);
}

static void test_all_gather_by_global_ids(void **state)
{
    (void)state;
    program p = program_run_grid(GATHER("4", FLAT, "1", GLOBAL_IDS), 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 10, 11, 0, 1);
    ASSERT_INTS(&p, 1, 10, 11, 0, 1);
    ASSERT_INTS(&p, 2, 30, 31, 20, 21);
    ASSERT_INTS(&p, 3, 30, 31, 20, 21);
    program_free(&p);
}

static void test_all_to_all_across_partitions(void **state)
{
    (void)state;
    program p = program_run_grid(
        PROGRAM("tensor<2xi32>",
                "  %r = \"stablehlo.all_to_all\"(%x) " ATTRIBUTES(
                    ONE_GROUP, "1",
                    ", split_dimension = 0 : i64, concat_dimension = 0 : i64, "
                    "split_count = 2 : i64") " : (tensor<2xi32>) -> tensor<2xi32>\n"),
        2, 2, held, 2);
    ASSERT_INTS(&p, 0, 0, 10);
    ASSERT_INTS(&p, 1, 1, 11);
    ASSERT_INTS(&p, 2, 20, 30);
    ASSERT_INTS(&p, 3, 21, 31);
    program_free(&p);
}

static void test_collective_permute_gives_zeros_to_the_rest(void **state)
{
    (void)state;
    program p = program_run_grid(
        PROGRAM("tensor<2xi32>",
                "  %r = \"stablehlo.collective_permute\"(%x) {source_target_pairs = "
                "dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = "
                "#stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi32>) -> "
                "tensor<2xi32>\n"),
        2, 2, held, 2);
    ASSERT_INTS(&p, 0, 0, 0);
    ASSERT_INTS(&p, 1, 0, 1);
    ASSERT_INTS(&p, 2, 0, 0);
    ASSERT_INTS(&p, 3, 20, 21);
    program_free(&p);
}

#define BROADCAST(groups)                                                              \
    PROGRAM("tensor<2xi32>",                                                           \
            "  %r = \"stablehlo.collective_broadcast\"(%x) " ATTRIBUTES(               \
                groups, "0", "") " : (tensor<2xi32>) -> tensor<2xi32>\n")

static void test_collective_broadcast(void **state)
{
    (void)state;
    program p = program_run_grid(BROADCAST(BACKWARDS), 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 20, 21);
    ASSERT_INTS(&p, 1, 30, 31);
    ASSERT_INTS(&p, 2, 20, 21);
    ASSERT_INTS(&p, 3, 30, 31);
    program_free(&p);
    p = program_run_grid(BROADCAST("1> : tensor<1x1xi64"), 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 0, 0);
    ASSERT_INTS(&p, 3, 30, 31);
    program_free(&p);
}

/* The last operand says who sends each of the others. */
static void test_collective_broadcast_from_a_named_root(void **state)
{
    (void)state;
    program p = program_run_grid(
        "func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {\n"
        "  %root = stablehlo.constant dense<[1, 0]> : tensor<2xi32>\n"
        "  %r:2 = \"stablehlo.collective_broadcast\"(%x, %x, %root) " ATTRIBUTES(
            ONE_GROUP, "0", ", has_dynamic_root") //
        " : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, "
        "tensor<2xi32>)\n"
        "  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi32>\n}\n",
        2, 2, held, 2);
    ASSERT_INTS(&p, 0, 20, 21);
    ASSERT_INTS(&p, 1, 0, 1);
    ASSERT_INTS(&p, 6, 30, 31);
    ASSERT_INTS(&p, 7, 10, 11);
    program_free(&p);
}

static void test_ids(void **state)
{
    (void)state;
    program p = program_run_grid("func.func @main() -> (tensor<ui32>, tensor<ui32>) {\n"
                                 "  %r = stablehlo.replica_id : tensor<ui32>\n"
                                 "  %p = stablehlo.partition_id : tensor<ui32>\n"
                                 "  return %r, %p : tensor<ui32>, tensor<ui32>\n}\n",
                                 2, 2, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        ASSERT_INTS(&p, 2 * i, (int64_t)(i / 2));
        ASSERT_INTS(&p, 2 * i + 1, (int64_t)(i % 2));
    }
    program_free(&p);
}

/* --- reductions ---------------------------------------------------------------- */

#define REDUCE(op, result, groups, channel, more)                                      \
    PROGRAM(result, "  %r = \"stablehlo." op "\"(%x) " ADDS " " ATTRIBUTES(            \
                        groups, channel, more) " : (tensor<2xi32>) -> " result "\n")

static void test_all_reduce(void **state)
{
    (void)state;
    program p = program_run_grid(
        REDUCE("all_reduce", "tensor<2xi32>", ALL_GLOBAL, "1", GLOBAL_IDS), 2, 2, held,
        2);
    for (size_t i = 0; i < 4; i++) {
        ASSERT_INTS(&p, i, 60, 64);
    }
    program_free(&p);
    p = program_run_grid(REDUCE("all_reduce", "tensor<2xi32>", ONE_GROUP, "0", ""), 2,
                         2, held, 2);
    ASSERT_INTS(&p, 0, 20, 22);
    ASSERT_INTS(&p, 1, 40, 42);
    program_free(&p);
}

static void test_reduce_scatter(void **state)
{
    (void)state;
    program p = program_run_grid(REDUCE("reduce_scatter", "tensor<1xi32>", BACKWARDS,
                                        "0", ", scatter_dimension = 0 : i64"),
                                 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 22); // the second of its group
    ASSERT_INTS(&p, 1, 42);
    ASSERT_INTS(&p, 2, 20);
    ASSERT_INTS(&p, 3, 40);
    program_free(&p);
}

static void test_collective_reduce_stays_with_the_root(void **state)
{
    (void)state;
    program p = program_run_grid(
        REDUCE("collective_reduce", "tensor<2xi32>", BACKWARDS, "0", ""), 2, 2, held,
        2);
    ASSERT_INTS(&p, 0, 0, 0);
    ASSERT_INTS(&p, 2, 20, 22);
    ASSERT_INTS(&p, 3, 40, 42);
    program_free(&p);
}

/* All-reduce of four f32 numbers, one a process. */
static program sum_floats(const float *x)
{
    oc_error err = {0};
    program p;
    oc_tensor inputs[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(oc_tensor_make(OC_F32, NULL, 0, &inputs[i], &err), OC_OK);
        memcpy(inputs[i].data, &x[i], sizeof *x);
    }
    oc_status rc = program_try("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %r = \"stablehlo.all_reduce\"(%x) ({\n"
                               "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                               "    %s = stablehlo.add %a, %b : tensor<f32>\n"
                               "    stablehlo.return %s : tensor<f32>\n"
                               "  }) " ATTRIBUTES(ALL_GLOBAL, "1", GLOBAL_IDS) //
                               " : (tensor<f32>) -> tensor<f32>\n"
                               "  return %r : tensor<f32>\n}\n",
                               2, 2, inputs, 4, &(oc__eval_limits){0}, &p, &err);
    if (rc != OC_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < 4; i++) {
        oc_tensor_free(&inputs[i]);
    }
    return p;
}

/* Every order of the four numbers, added in f32 one after the other and in pairs. */
static void test_float_sums_hold_every_order(void **state)
{
    (void)state;
    static const float x[] = {1e8F, 1, -1e8F, 3};
    program p = sum_floats(x);
    const oc__value *out = program_output(&p, 0);
    double m = oc__m(out)[0], r = oc__r(out)[0];
    assert_true(m == 4 && r > 0 && r < 100);
    for (size_t order = 0; order < 256; order++) {
        size_t i[] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
        if ((1U << i[0] | 1U << i[1] | 1U << i[2] | 1U << i[3]) != 15) {
            continue;
        }
        float row = ((x[i[0]] + x[i[1]]) + x[i[2]]) + x[i[3]];
        float pairs = (x[i[0]] + x[i[1]]) + (x[i[2]] + x[i[3]]);
        assert_true(fabs((double)row - m) <= r && fabs((double)pairs - m) <= r);
    }
    program_free(&p);
    // Small whole numbers: every order is exact, so only one answer is right.
    p = sum_floats((const float[]){100, 1, -7, 2});
    out = program_output(&p, 0);
    assert_true(oc__m(out)[0] == 96 && (!out->r || oc__r(out)[0] == 0));
    program_free(&p);
}

/* --- processes that go different ways ------------------------------------------ */

#define BY_PARTITION(op)                                                               \
    PROGRAM("tensor<2xi32>",                                                           \
            "  %p = stablehlo.partition_id : tensor<ui32>\n"                           \
            "  %i = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>\n"            \
            "  %r = \"stablehlo.case\"(%i) ({\n"                                       \
            "    %y = " op " : (tensor<2xi32>) -> tensor<2xi32>\n"                     \
            "    stablehlo.return %y : tensor<2xi32>\n"                                \
            "  }, {\n"                                                                 \
            "    stablehlo.return %x : tensor<2xi32>\n"                                \
            "  }) : (tensor<i32>) -> tensor<2xi32>\n")

static void test_branches_of_some_processes(void **state)
{
    (void)state;
    program p = program_run_grid(BY_PARTITION("\"stablehlo.all_reduce\"(%x) " ADDS
                                              " " ATTRIBUTES(ONE_GROUP, "0", "")),
                                 2, 2, held, 2);
    ASSERT_INTS(&p, 0, 20, 22);
    ASSERT_INTS(&p, 1, 10, 11);
    ASSERT_INTS(&p, 2, 20, 22);
    ASSERT_INTS(&p, 3, 30, 31);
    program_free(&p);
}

static void refuse(const char *text, const char *words)
{
    oc_error err = {0};
    program p;
    oc_tensor inputs[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(
            oc_tensor_make(OC_S32, (const int64_t[]){2}, 1, &inputs[i], &err), OC_OK);
    }
    assert_int_equal(
        program_try(text, 2, 2, inputs, 4, &(oc__eval_limits){0}, &p, &err), OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, words);
    program_free(&p);
    for (size_t i = 0; i < 4; i++) {
        oc_tensor_free(&inputs[i]);
    }
}

static void test_bad_groups_are_errors(void **state)
{
    (void)state;
    refuse(GATHER("4", "[[0, 2]]> : tensor<1x2xi64", "0", ""), "names 2, but");
    refuse(GATHER("4", "[[0, 0]]> : tensor<1x2xi64", "0", ""), "names 0 twice");
    refuse(GATHER("2", "0> : tensor<1x1xi64", "0", ""), "process 2 is in no group");
    refuse(GATHER("4", FLAT, "0", GLOBAL_IDS), "needs a channel");
    refuse(BY_PARTITION("\"stablehlo.all_reduce\"(%x) " ADDS
                        " " ATTRIBUTES(ONE_GROUP, "1", "")),
           "only 2 of the 4 processes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_gather_across_replicas),
        cmocka_unit_test(test_all_gather_across_replicas_and_partitions),
        cmocka_unit_test(test_all_gather_by_global_ids),
        cmocka_unit_test(test_all_to_all_across_partitions),
        cmocka_unit_test(test_collective_permute_gives_zeros_to_the_rest),
        cmocka_unit_test(test_collective_broadcast),
        cmocka_unit_test(test_collective_broadcast_from_a_named_root),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_all_reduce),
        cmocka_unit_test(test_reduce_scatter),
        cmocka_unit_test(test_collective_reduce_stays_with_the_root),
        cmocka_unit_test(test_float_sums_hold_every_order),
        cmocka_unit_test(test_branches_of_some_processes),
        cmocka_unit_test(test_bad_groups_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
