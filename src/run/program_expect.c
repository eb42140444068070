/* --expect: an array that an output must agree with as well. The reference's ball is
 * the measure: an expectation outside it cannot be what the program computes. Without a
 * reference the output must be the expectation bit for bit. */
#include "run/program_run.h"

#include "tensor/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t max_expected_bytes = (size_t)1 << 36;

oc_status oc__program_expect_read(oc__program_run *run, oc_error *err)
{
    const oc_run_options *options = run->options;
    const oc__hlo_func *main = run->program.main;
    oc_status rc = OC_OK;
    if (options->expect_count > run->output_count) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%zu expectations were given, but there are %zu outputs",
                       options->expect_count, run->output_count);
    }
    run->expected = calloc(options->expect_count + 1, sizeof *run->expected);
    if (!run->expected) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    for (size_t i = 0; i < options->expect_count && rc == OC_OK; i++) {
        bool assumed;
        rc = oc__npy_read(options->expect[i],
                          main->result_types[i % main->result_count]->dtype,
                          max_expected_bytes, &run->expected[i], &assumed, err);
    }
    return rc;
}

static bool same_type(const oc_tensor *a, const oc_tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* False with a sentence when output `index` does not agree with its expectation. */
static oc_status agrees(const oc__program_run *run, size_t index, bool *out_agrees,
                        char *detail, size_t size, oc_error *err)
{
    const oc_tensor *expected = &run->expected[index], *got = &run->outputs[index];
    oc__ladder ladder = {0};
    oc_status rc = OC_OK;
    *out_agrees = same_type(expected, got);
    if (!*out_agrees) {
        snprintf(detail, size, "output %zu and its expectation differ in type or shape",
                 index);
    } else if (run->judgement.evaluated) {
        oc_tensor part;
        const oc_tensor *judged =
            oc__judgement_part(&run->judgement, index, expected, &part, err);
        rc = judged ? oc__ladder_judge(judged, run->judgement.evaluation.outputs[index],
                                       &ladder, err)
                    : OC_NOMEM;
        oc_tensor_free(&part);
        *out_agrees = ladder.counts[OC__REFUTED] == 0;
        snprintf(
            detail, size,
            "the expectation of output %zu is not what the program computes: element "
            "%zu is %.9g, the reference %.9g +- %.3g",
            index, ladder.worst, ladder.worst_got, ladder.worst_want,
            ladder.worst_radius);
    } else {
        *out_agrees = memcmp(expected->data, got->data, got->size_bytes) == 0;
        snprintf(detail, size, "output %zu is not its expectation bit for bit", index);
    }
    oc__ladder_free(&ladder);
    return rc;
}

oc_status oc__program_expect_judge(oc__program_run *run, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; i < run->options->expect_count && rc == OC_OK; i++) {
        char detail[256];
        bool fits = true;
        rc = agrees(run, i, &fits, detail, sizeof detail, err);
        if (!fits && run->receipt->numeric.verdict != OC_FAIL) {
            run->receipt->numeric =
                (oc__judgement){.verdict = OC_FAIL,
                                .reason = "expectation",
                                .detail = oc__run_receipt_keep(run->receipt, detail)};
        }
    }
    return rc;
}
