/* Stage 2: the simulated sum, and beside it one that the runtime makes. */
#ifndef AUDIT_TESTS_STAGE_PARTICIPANTS_H
#define AUDIT_TESTS_STAGE_PARTICIPANTS_H

#include "protocol.h"

enum { PARTICIPANTS = 3, MAX_MISSING = 4 };

static const int64_t participants[] = {1, 2, 3, 40, 500};

typedef struct sum_case {
    size_t count;
    size_t missing_count;
    int64_t missing[MAX_MISSING];
    int64_t sum; /* 0 for a case that is refused */
    const char *hint;
} sum_case;

static const sum_case sums[] = {
    {3, 0, {0}, 6, "with nobody missing all values are added"},
    {3, 1, {1}, 4, ""},
    {3, 1, {0}, 5, ""},
    {3, 1, {2}, 3, ""},
    {3, 2, {2, 0}, 2, ""},
    {3, 3, {1, 2, 0}, 0, "with all of them missing the sum is 0"},
    {5, 1, {4}, 46, "the lists may have other lengths than 3"},
    {5, 2, {3, 1}, 504, "the lists may have other lengths than 3"},
    {0, 0, {0}, 0, "of no participants the sum is 0"}};

static const sum_case refused[] = {
    {3, 1, {-1}, 0, "a negative index is no participant: refuse it"},
    {3, 1, {3}, 0, "the indexes of 3 participants are 0, 1 and 2: refuse 3"},
    {3,
     2,
     {1, 1},
     0,
     "an index that is there twice is a mistake of the caller: refuse it"},
    {3, 2, {0, 3}, 0, "every index must be looked at, not the first alone"},
    {3,
     4,
     {0, 1, 2, 0},
     0,
     "an index that is there twice is a mistake of the caller: refuse it"},
    {3, 1, {INT64_MAX}, 0, "no index may be cut or wrap around: compare it as int64_t"},
    {3, 1, {INT64_MIN}, 0, "no index may be cut or wrap around: compare it as int64_t"},
    {3,
     1,
     {INT64_C(0x100000001)},
     0,
     "no index may be cut or wrap around: compare it as int64_t"},
    {3,
     1,
     {INT64_C(0x101)},
     0,
     "no index may be cut or wrap around: compare it as int64_t"},
    {0, 1, {0}, 0, "of no participants none can be missing"}};

static words sum_call(const sum_case *asked)
{
    words made = say("%zu participants", asked->count);
    for (size_t i = 0; i < asked->missing_count; i++) {
        made = say("%s%s %lld", made.text, i == 0 ? ", missing" : ",",
                   (long long)asked->missing[i]);
    }
    return made;
}

static const char *sum_hint(const sum_case *asked, int64_t got)
{
    int64_t all = 0;
    int64_t left_out = 0;
    int64_t by_number = 0;
    for (size_t i = 0; i < asked->count; i++) {
        all += participants[i];
        by_number += participants[i];
    }
    for (size_t i = 0; i < asked->missing_count; i++) {
        left_out += participants[asked->missing[i]];
        by_number -= asked->missing[i] > 0 ? participants[asked->missing[i] - 1] : 0;
    }
    return asked->missing_count == 0 || asked->hint[0] != '\0' ? asked->hint
           : got == all ? "the missing participants were added all the same"
           : got == left_out
               ? "this is the sum of those who are missing: add the others"
           : got == by_number
               ? "indexes count from 0: index 1 is the second participant, with value 2"
               : "";
}

static oc_status call_sum(const sum_case *asked, int64_t *out_sum)
{
    static const char function[] = "audit_simulated_sum";
    block values = block_copy(participants, asked->count * sizeof participants[0]);
    block missing =
        block_copy(asked->missing, asked->missing_count * sizeof asked->missing[0]);
    block lent = block_make(sizeof *out_sum);
    oc_status rc =
        audit_simulated_sum(asked->count == 0 ? NULL : values.data, asked->count,
                            asked->missing_count == 0 ? NULL : missing.data,
                            asked->missing_count, lent.data);
    memcpy(out_sum, lent.data, sizeof *out_sum);
    block_free(&values, function);
    block_free(&missing, function);
    block_free(&lent, function);
    return rc;
}

static void check_sums(void)
{
    static const char function[] = "audit_simulated_sum";
    int64_t sum;
    calling(function);
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        expect_ok(
            function, call_sum(&sums[i], &sum),
            "still to be written: the sum of the participants that are not missing");
        if (sum != sums[i].sum) {
            fail(function,
                 say("%lld for %s", (long long)sums[i].sum, sum_call(&sums[i]).text),
                 is_untouched(&sum, sizeof sum) ? say("nothing was written")
                                                : say("%lld", (long long)sum),
                 sum_hint(&sums[i], sum));
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        oc_status rc = call_sum(&refused[i], &sum);
        bool untouched = is_untouched(&sum, sizeof sum);
        if (rc != OC_INVALID_ARGUMENT || !untouched) {
            fail(
                function, say("OC_INVALID_ARGUMENT for %s", sum_call(&refused[i]).text),
                untouched ? say("%s", status_word(rc))
                          : say("%s and the sum %lld", status_word(rc), (long long)sum),
                rc == OC_INVALID_ARGUMENT
                    ? "a function that refuses leaves its outputs as they were"
                    : refused[i].hint);
        }
    }
}

/* Each replica gives its one number; every one gets the sum. */
static const char all_reduce[] =
    "module @sum attributes {mhlo.num_partitions = 1 : i32, "
    "mhlo.num_replicas = 3 : i32} {\n"
    "  func.func public @main(%own: tensor<i64>) -> tensor<i64> {\n"
    "    %sum = \"stablehlo.all_reduce\"(%own) ({\n"
    "    ^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
    "      %both = stablehlo.add %a, %b : tensor<i64>\n"
    "      stablehlo.return %both : tensor<i64>\n"
    "    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : "
    "(tensor<i64>) -> tensor<i64>\n"
    "    return %sum : tensor<i64>\n"
    "  }\n"
    "}\n";

typedef struct collective {
    int64_t sum;
    char devices[PARTICIPANTS][AUDIT_NAME];
} collective;

static oc_status put_number(int64_t value, size_t index, int64_t *out_buffer,
                            oc_error *err)
{
    oc_tensor tensor = {0};
    oc_status rc = oc_tensor_make(OC_S64, NULL, 0, &tensor, err);
    if (rc == OC_OK) {
        memcpy(tensor.data, &value, sizeof value);
        rc = oc_device_put(device, &tensor, index, out_buffer, err);
    }
    oc_tensor_free(&tensor);
    return rc;
}

/* The same sum by a real collective of the CPU client. */
static collective observe_collective(void)
{
    int64_t ids[PARTICIPANTS];
    int64_t args[PARTICIPANTS];
    int64_t outputs[PARTICIPANTS];
    int64_t program = 0;
    oc_error err = {0};
    collective seen = {0};
    for (size_t i = 0; i < PARTICIPANTS; i++) {
        ids[i] = oc_device_platform(device)->devices[i].id;
    }
    oc_device_program asked = {.code = all_reduce,
                               .replicas = PARTICIPANTS,
                               .device_ids = ids,
                               .parameters = 1};
    oc_status rc = oc_device_compile(device, &asked, &program, &err);
    for (size_t i = 0; rc == OC_OK && i < PARTICIPANTS; i++) {
        rc = put_number(participants[i], i, &args[i], &err);
    }
    if (rc == OC_OK) {
        rc = oc_device_execute(device, program, args, PARTICIPANTS, 1, outputs,
                               PARTICIPANTS, &err);
    }
    for (size_t i = 0; rc == OC_OK && i < PARTICIPANTS; i++) {
        oc_device_output output = {0};
        int64_t sum = 0;
        rc = oc_device_get(device, outputs[i], &output, &err);
        if (rc == OC_OK && output.tensor.size_bytes == sizeof sum) {
            memcpy(&sum, output.tensor.data, sizeof sum);
            (void)snprintf(seen.devices[i], sizeof seen.devices[i], "%s",
                           output.device);
        }
        oc_device_output_free(&output);
        if (rc == OC_OK && sum != sums[0].sum) {
            fail("all-reduce", say("%lld", (long long)sums[0].sum),
                 say("%lld on device %zu", (long long)sum, i),
                 "the runtime's own sum is wrong: this is no mistake of your file");
        }
        seen.sum = sum;
    }
    if (rc != OC_OK) {
        give_up("all-reduce", rc, &err);
    }
    return seen;
}

static collective stage_participants(void)
{
    check_sums();
    return observe_collective();
}

static void say_sums(const collective *seen)
{
    send_line(
        "say simulated: the sum of participants [1, 2, 3] is %lld, without the one "
        "with index 1 it is %lld (plain arithmetic in your function)",
        (long long)sums[0].sum, (long long)sums[1].sum);
    send_line(
        "say observed (CPU collective): an all-reduce of 1, 2 and 3 over %s, %s and "
        "%s gives %lld on each",
        seen->devices[0], seen->devices[1], seen->devices[2], (long long)seen->sum);
    send_line("say neither of them is an accelerator collective");
}

#endif
