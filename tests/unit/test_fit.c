/* The built-in job's data, records and program. Expected hashes are hashlib's of
 * NumPy's arrays, random words those published with Random123. */
#include "fit/fit.h"

#include "fit_device.h"
#include "reference/evaluate.h"
#include "stablehlo/parse.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

static void data_are_the_nearest_floats(void **state)
{
    oc_error err = {0};
    oc_tensor x, y;
    (void)state;
    assert_int_equal(oc__fit_data(&x, &y, &err), OC_OK);
    assert_int_equal(oc_tensor_count(&x), 64);
    assert_int_equal(oc_tensor_count(&y), 64);
    for (int i = 0; i < 64; i++) {
        float at = ((const float *)x.data)[i], value = ((const float *)y.data)[i];
        // 63 x is exact in double: 24 bits and 6.
        double error = fabs(63.0 * (double)at - (2 * i - 63));
        double below = fabs(63.0 * (double)nextafterf(at, -2.0F) - (2 * i - 63));
        double above = fabs(63.0 * (double)nextafterf(at, 2.0F) - (2 * i - 63));
        assert_true(error < below && error < above);
        assert_true(value == (float)(2.0 * (double)at + 1.0));
    }
    oc_tensor_free(&x);
    oc_tensor_free(&y);
    char hex[OC__SHA256_HEX];
    assert_int_equal(oc__fit_data_hash(hex, &err), OC_OK);
    assert_string_equal(
        hex, "7b84ee1739d91e3831e2f9e5eb3b554c282f99b3199f1542f94df563a72408c2");
}

static void records_are_the_state_and_the_loss(void **state)
{
    oc_error err = {0};
    oc_tensor parts[OC__FIT_STATE_TENSORS];
    char hex[OC__SHA256_HEX];
    oc__fit_record record = oc__fit_start(3);
    (void)state;
    const oc__fit_record start = {.words = {0, 3}};
    assert_memory_equal(&record, &start, sizeof start);
    oc__fit_state_hash(&record, hex);
    assert_string_equal(
        hex, "831a058f87d4a2c8c70567e90557ff1c7b0e59ab49f5036f6512bf7cb1aa1c5d");
    // The loss is no part of the state.
    record = (oc__fit_record){.words = {1, 2, 3, 4, 5, 6, 7, fit_word(0.5F)}};
    oc__fit_state_hash(&record, hex);
    assert_string_equal(
        hex, "4c816952ba53cc361d8e45bd833338dc6427e4a5d5f06ebad5351fd46439a15a");
    assert_true(oc__fit_loss(&record) == 0.5F);
    assert_int_equal(oc__fit_tensors(&record, parts, &err), OC_OK);
    static const struct {
        oc_dtype dtype;
        size_t rank, count;
        uint32_t words[2];
    } want[OC__FIT_STATE_TENSORS] = {{OC_U32, 1, 2, {1, 2}},
                                     {OC_U32, 0, 1, {3}},
                                     {OC_F32, 1, 2, {4, 5}},
                                     {OC_F32, 1, 2, {6, 7}}};
    for (size_t i = 0; i < OC__FIT_STATE_TENSORS; i++) {
        assert_int_equal(parts[i].dtype, want[i].dtype);
        assert_int_equal(parts[i].rank, want[i].rank);
        assert_int_equal(oc_tensor_count(&parts[i]), want[i].count);
        assert_memory_equal(parts[i].data, want[i].words, 4 * want[i].count);
        oc_tensor_free(&parts[i]);
    }
}

/* The peer of the other tests, against Random123's kat_vectors (threefry2x32, 20). */
static void threefry_gives_the_published_words(void **state)
{
    static const struct {
        uint32_t counter[2], key[2], want[2];
    } rows[] = {
        {{0, 0}, {0, 0}, {0x6b200159, 0x99ba4efe}},
        {{0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x1cb996fc, 0xbb002be7}},
        {{0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}, {0xc4923a9c, 0x483df7a0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got[2];
        fit_threefry(rows[i].key, rows[i].counter, got);
        assert_memory_equal(got, rows[i].want, sizeof got);
    }
}

/* One execution by the reference: the outputs' midpoints. */
static oc__evaluation evaluated(int64_t batch, const oc__fit_record *before)
{
    oc_error err = {0};
    oc__hlo_module *module = NULL;
    oc_tensor inputs[2 + OC__FIT_STATE_TENSORS];
    oc__evaluation evaluation;
    char *text = oc__fit_program(batch);
    assert_non_null(text);
    if (oc__hlo_parse(text, strlen(text), "fit", &module, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    free(text);
    assert_int_equal(oc__fit_data(&inputs[0], &inputs[1], &err), OC_OK);
    assert_int_equal(oc__fit_tensors(before, inputs + 2, &err), OC_OK);
    const oc__arith arith = {0};
    const oc__eval_limits limits = {0};
    if (oc__evaluate(module, 1, 1, inputs, 6, &arith, &limits, &evaluation, &err) !=
        OC_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < 6; i++) {
        oc_tensor_free(&inputs[i]);
    }
    oc__hlo_module_free(module);
    return evaluation;
}

/* The reference's midpoint is the text's own answer, sums in order: that of a device
 * that does the same. The record's words are bits of the other outputs. */
static void the_program_is_the_update(void **state)
{
    static const int batches[] = {1, 7, 8, 64};
    (void)state;
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        const fit_device device = {.batch = batches[i]};
        for (uint32_t seed = 0; seed < 20; seed++) {
            oc_error err = {0};
            oc__fit_record before = oc__fit_start(seed * 0x9E3779B9U);
            fit_device_run(&device, &before, &before, seed > 0);
            oc__fit_record want = fit_device_step(&device, &before);
            oc__evaluation got = evaluated(batches[i], &before);
            assert_int_equal(got.output_count, 5);
            static const size_t words[4] = {0, 2, 3, 5};
            for (size_t k = 0; k < 4; k++) {
                oc_tensor out;
                assert_int_equal(oc__value_to_tensor(got.outputs[k], &out, &err),
                                 OC_OK);
                assert_memory_equal(out.data, &want.words[words[k]], out.size_bytes);
                oc_tensor_free(&out);
            }
            oc_tensor record;
            assert_int_equal(oc__value_to_tensor(got.outputs[4], &record, &err), OC_OK);
            assert_int_equal(record.dtype, OC_U32);
            assert_int_equal(record.size_bytes, OC__FIT_RECORD_BYTES);
            assert_memory_equal(record.data, &want, sizeof want);
            oc_tensor_free(&record);
            oc__evaluation_free(&got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_the_nearest_floats),
        cmocka_unit_test(records_are_the_state_and_the_loss),
        cmocka_unit_test(threefry_gives_the_published_words),
        cmocka_unit_test(the_program_is_the_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
