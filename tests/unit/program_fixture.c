#include "program_fixture.h"

#include "stablehlo/parse.h"

#include <stdlib.h>

oc_status program_try(const char *text, size_t replicas, size_t partitions,
                      const oc_tensor *inputs, size_t input_count,
                      const oc__eval_limits *limits, program *out, oc_error *err)
{
    *out = (program){0};
    oc_error parsing = {0};
    if (oc__hlo_parse(text, strlen(text), "t.mlir", &out->module, &parsing) != OC_OK) {
        fail_msg("%s", parsing.text);
    }
    return oc__evaluate(out->module, replicas, partitions, inputs, input_count,
                        &(oc__arith){0}, limits, &out->evaluation, err);
}

program program_run(const char *text)
{
    oc_error err = {0};
    program p;
    if (program_try(text, 1, 1, NULL, 0, &(oc__eval_limits){0}, &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return p;
}

program program_run_grid(const char *text, size_t replicas, size_t partitions,
                         const int32_t *inputs, size_t width)
{
    oc_error err = {0};
    program p;
    size_t count = inputs ? replicas * partitions : 0;
    oc_tensor *tensors = calloc(count + 1, sizeof *tensors);
    const int64_t dims[] = {(int64_t)width};
    assert_non_null(tensors);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(oc_tensor_make(OC_S32, dims, 1, &tensors[i], &err), OC_OK);
        memcpy(tensors[i].data, inputs + i * width, width * sizeof *inputs);
    }
    if (program_try(text, replicas, partitions, tensors, count, &(oc__eval_limits){0},
                    &p, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < count; i++) {
        oc_tensor_free(&tensors[i]);
    }
    free(tensors);
    return p;
}

void program_free(program *p)
{
    oc__evaluation_free(&p->evaluation);
    oc__hlo_module_free(p->module);
    *p = (program){0};
}

const oc__value *program_output(const program *p, size_t index)
{
    assert_true(index < p->evaluation.process_count * p->evaluation.output_count);
    return p->evaluation.outputs[index];
}

void assert_ints(const program *p, size_t index, const int64_t *wanted, size_t count)
{
    const oc__value *value = program_output(p, index);
    int64_t got[64];
    assert_int_equal(value->count, count);
    assert_true(count <= sizeof got / sizeof *got);
    assert_true(oc__value_ints(value, got));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i], wanted[i]);
    }
}

const char *program_note(const program *p)
{
    return p->evaluation.note_count > 0 ? p->evaluation.notes[0].rule : NULL;
}
