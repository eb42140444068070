/* --second-opinion: the same program, inputs and device once more for each option that
 * turns off a known rewrite of the compiler, in a process of its own; what changes
 * shows which rewrite was at work. */
#include "run/program_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *platform; /* NULL: any */
    const char *option;
} rewrites[] = {
    {"cpu", "xla_cpu_enable_fast_min_max=false"},
    {NULL, "xla_allow_excess_precision=false"},
};
enum { REWRITES = sizeof rewrites / sizeof *rewrites };

static uint64_t changed_elements(const oc_tensor *a, const oc_tensor *b)
{
    size_t size = oc_dtype_host_bits(a->dtype) / 8;
    uint64_t changed = 0;
    for (size_t i = 0; i < oc_tensor_count(a); i++) {
        changed += memcmp((const char *)a->data + i * size,
                          (const char *)b->data + i * size, size) != 0;
    }
    return changed;
}

static oc_status refuted_elements(const oc__program_run *run, size_t output,
                                  const oc_tensor *tensor, int64_t *count,
                                  oc_error *err)
{
    oc__ladder ladder = {0};
    oc_tensor part;
    const oc_tensor *judged =
        oc__judgement_part(&run->judgement, output, tensor, &part, err);
    oc_status rc =
        judged ? oc__ladder_judge(judged, run->judgement.evaluation.outputs[output],
                                  &ladder, err)
               : OC_NOMEM;
    oc_tensor_free(&part);
    *count += (int64_t)ladder.counts[OC__REFUTED];
    oc__ladder_free(&ladder);
    return rc;
}

/* Compares what the second run gave with the first, under the text's contract. */
static oc_status compare(const oc__program_run *run, const oc__program_run *second,
                         oc__run_opinion *opinion, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < run->output_count && rc == OC_OK; i++) {
        const oc_tensor *a = &run->outputs[i], *b = &second->outputs[i];
        if (!a->data || !b->data || a->size_bytes != b->size_bytes) {
            continue;
        }
        opinion->changed += (int64_t)changed_elements(a, b);
        if (run->judgement.evaluated) {
            rc = refuted_elements(run, i, a, &opinion->refuted_before, err);
        }
        if (rc == OC_OK && run->judgement.evaluated) {
            rc = refuted_elements(run, i, b, &opinion->refuted, err);
        }
    }
    return rc;
}

/* A run of its own that shares the program and the inputs. */
static oc_status ask(oc__program_run *run, const char *option, oc__run_opinion *opinion,
                     oc_error *err)
{
    size_t given = run->options->xla_option_count;
    oc_run_options options = *run->options;
    oc_error failure = {0};
    oc__program_run second = {.options = &options,
                              .program = run->program,
                              .receipt = oc__run_receipt_new(),
                              .processes = run->processes,
                              .output_count = run->output_count};
    const char **list = calloc(given + 1, sizeof *list);
    second.outputs = calloc(run->output_count + 1, sizeof *second.outputs);
    oc_status rc = OC_NOMEM;
    if (!second.receipt || !list || !second.outputs ||
        !(second.receipt->outputs =
              calloc(run->output_count + 1, sizeof *second.receipt->outputs))) {
        OC_FAIL(err, rc, OC_BOUNDARY_NUMERIC, "out of memory");
        goto done;
    }
    memcpy(list, run->options->xla_options, given * sizeof *list);
    list[given] = option;
    options.xla_options = list;
    options.xla_option_count = given + 1;
    second.receipt->expected = run->receipt->expected;
    opinion->option = option;
    opinion->reached = oc__program_execute(&second, &failure) == OC_OK;
    opinion->detail =
        opinion->reached ? NULL : oc__run_receipt_keep(run->receipt, failure.text);
    rc = opinion->reached ? compare(run, &second, opinion, err) : OC_OK;
done:
    oc_device_close(second.device);
    for (size_t i = 0; second.outputs && i < second.output_count; i++) {
        oc_tensor_free(&second.outputs[i]);
    }
    free(second.outputs);
    oc__run_receipt_free(second.receipt);
    free(list);
    return rc;
}

oc_status oc__program_second(oc__program_run *run, oc_error *err)
{
    oc__run_receipt *receipt = run->receipt;
    oc_status rc = OC_OK;
    receipt->opinions = calloc(REWRITES, sizeof *receipt->opinions);
    if (!receipt->opinions) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "out of memory");
    }
    for (size_t i = 0; i < REWRITES && rc == OC_OK; i++) {
        if (!rewrites[i].platform ||
            strcmp(rewrites[i].platform, receipt->expected) == 0) {
            rc = ask(run, rewrites[i].option,
                     &receipt->opinions[receipt->opinion_count++], err);
        }
    }
    return rc;
}
