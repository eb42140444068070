/* Stage 4: all of it on a device that the learner's own file opens and closes. */
#ifndef AUDIT_TESTS_STAGE_TOGETHER_H
#define AUDIT_TESTS_STAGE_TOGETHER_H

#include "protocol.h"
#include "stage_dtype.h"
#include "stage_evidence.h"
#include "stage_participants.h"

#include <errno.h>
#include <sys/wait.h>

static const char together[] = "audit_together";

/* Each open device has a process of its own, which must be gone. */
static void check_closed(void)
{
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
        fail(together, say("the device closed when the function returns"),
             say("its process is still there"),
             "close the device on every way out, also when something fails");
    }
}

static void check_together_sums(const audit_results *results)
{
    if (results->sum != sums[0].sum || results->sum_without != sums[1].sum) {
        fail(together,
             say("the sums %lld and %lld", (long long)sums[0].sum,
                 (long long)sums[1].sum),
             say("%lld and %lld", (long long)results->sum,
                 (long long)results->sum_without),
             "both are there: the sum of all, and the sum without the missing");
    }
}

/* Whether `out` is the product with weights that were never rounded. */
static bool is_unrounded(const float *out, const audit_inputs *inputs)
{
    double sum = 0.0;
    for (size_t l = 0; l < inputs->k; l++) {
        sum += (double)inputs->x[l] * (double)inputs->w[l * inputs->n];
    }
    return bits_of(out[0]) == bits_of((float)sum);
}

static void check_together_product(const float *out, const audit_inputs *inputs)
{
    uint16_t rounded[WEIGHTS];
    for (size_t i = 0; i < WEIGHTS; i++) {
        rounded[i] = nearest_bf16(bits_of(inputs->w[i]));
    }
    float right = exact_product(inputs->x, rounded, inputs->k, 0, inputs->n, 0);
    if (bits_of(out[0]) != bits_of(right) && is_unrounded(out, inputs)) {
        fail(
            together, say("element (0, 0): %.9g", (double)right),
            say("%.9g", (double)out[0]),
            "this is the product with the weights before rounding: multiply with those "
            "that are read back from the device");
    }
    check_product(out, inputs->x, rounded, inputs->m, inputs->k, inputs->n, together);
}

/* The description must be the one of stage 3, when the same was run. */
static void check_same(const audit_description *said, const audit_description *before)
{
    if (strcmp(said->scope, before->scope) != 0) {
        fail(together, say("the scope of stage 3: \"%.200s\"", before->scope),
             say("\"%.200s\"", said->scope), "the same run has the same scope");
    }
    check_description(together, said);
}

/* A plugin that is not there: the error must come through and nothing stay behind. */
static void check_refusal(const audit_inputs *inputs)
{
    static const oc_device_options options = {
        .platform = "cpu", .plugin = "/nowhere/no_plugin.so", .timeout_ms = 10000};
    oc_error err = {0};
    block product = block_make(inputs->m * inputs->n * sizeof(float));
    block lent = block_make(sizeof(audit_results));
    calling(together);
    oc_status rc = audit_together(&options, inputs, product.data, lent.data, &err);
    if (rc == OC_OK || !is_untouched(lent.data, lent.size) ||
        !is_untouched(product.data, product.size)) {
        fail(together,
             say("an error and untouched outputs for a plugin that is not there"),
             say("%s%s", status_word(rc),
                 rc == OC_OK ? "" : ", and an output was written"),
             "the first failure ends the work and is what the function answers");
    }
    check_closed();
    block_free(&product, together);
    block_free(&lent, together);
}

/* `before`: the description that stage 3 gave of `device`, which is open once more when
 * the learner's function is done, with the same options. */
static void stage_together(const oc_device_options *options,
                           const audit_description *before,
                           void (*reopen)(const oc_device_options *options))
{
    static const int64_t missing[] = {1};
    float x[12];
    float w[WEIGHTS];
    oc_error err = {0};
    audit_results *results;
    make_weights(w);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        x[i] = small_number(i);
    }
    audit_inputs inputs = {x, w, 3, 4, 5, participants, PARTICIPANTS, missing, 1};
    block product = block_make(inputs.m * inputs.n * sizeof(float));
    block lent = block_make(sizeof *results);
    oc_device_close(device);
    device = NULL;
    calling(together);
    oc_status rc = audit_together(options, &inputs, product.data, lent.data, &err);
    if (rc != OC_OK && err.status != OC_OK) {
        fail(together, say("OC_OK"), say("%s: %s", status_word(rc), err.text), "");
    }
    expect_ok(together, rc, "still to be written: all of it on a device that you open");
    check_closed();
    reopen(options);
    results = lent.data;
    check_together_product(product.data, &inputs);
    check_together_sums(results);
    check_same(&results->description, before);
    oc_device_close(device);
    device = NULL;
    check_refusal(&inputs);
    block_free(&product, together);
    block_free(&lent, together);
}

#endif
