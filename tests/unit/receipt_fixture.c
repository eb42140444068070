#include "receipt_fixture.h"

#include "receipt/claims.h"
#include "receipt/nonce.h"
#include "receipt/program.h"
#include "reference/affine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char device[] = "TFRT_CPU_0";

static void add_output(oc__receipt *receipt, oc__execution which, const float *x,
                       float bias)
{
    oc__output *output = &receipt->outputs[which];
    const char *name = oc__execution_name(which);
    bool exact = false;
    *output = (oc__output){.reached = true,
                           .rank = 1,
                           .dims = {OC__ROWS},
                           .dtype = "float32",
                           .count = OC__ROWS};
    oc__reference_affine(x, OC__ROWS, OC__FEATURES, receipt->w, bias, output->values,
                         &exact);
    oc__sha256_hex(output->values, OC__ROWS * sizeof(float), output->sha256);
    const char *const facts[][2] = {{"platform", "cpu"},
                                    {"device", device},
                                    {"device_listed", "yes"},
                                    {"memory", "unpinned_host"}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        oc__receipt_add_evidence(receipt, "api",
                                 oc__receipt_keepf(receipt, "%s.%s", name, facts[i][0]),
                                 facts[i][1]);
    }
}

oc__receipt *fixture_receipt(const char *nonce)
{
    float reversed[OC__ROWS * OC__FEATURES];
    char program[OC__PROGRAM_TEXT];
    oc__receipt *receipt = oc__receipt_new();
    assert_non_null(receipt);
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->nonce = nonce;
    receipt->requested_as = receipt->expected = receipt->platform = "cpu";
    receipt->output_device = device;
    receipt->process_count = 1;
    receipt->max_absolute_error = 0;
    assert_int_equal(
        oc__receipt_inputs(nonce, receipt->x, receipt->w, receipt->bias, NULL), OC_OK);
    oc__receipt_reverse_rows(receipt->x, reversed);

    add_output(receipt, OC__PREDICTION, receipt->x, receipt->bias[0]);
    add_output(receipt, OC__CHANGED_BIAS, receipt->x, receipt->bias[1]);
    add_output(receipt, OC__ROW_REVERSAL, reversed, receipt->bias[0]);
    oc__receipt_add_evidence(receipt, "api", "requested.device", device);
    oc__receipt_add_evidence(receipt, "api", "requested.memory", "unpinned_host");
    oc__receipt_add_evidence(receipt, "os", "plugin_mapped", "/opt/plugin.so");

    receipt->numeric = (oc__judgement){OC_PASS, "exact", "bit_equal", "all equal"};
    receipt->placement = (oc__judgement){OC_PASS, NULL, "observed", "on the CPU"};
    oc__receipt_add_control(receipt, "rows_swapped", "numeric", true, "element 0");
    oc__receipt_add_control(receipt, "bias_dropped", "numeric", true, "element 0");
    oc__receipt_add_control(receipt, "other_platform", "placement", true, "tpu");
    oc__receipt_add_claims(receipt);

    receipt->versions.pjrt_api = "0.115";
    receipt->versions.plugin_name = "plugin.so";
    receipt->versions.plugin_sha256 =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    oc__receipt_add_evidence(receipt, "hash", "plugin_sha256",
                             receipt->versions.plugin_sha256);
    receipt->compile_options = "num_replicas: 1\n";
    receipt->compile_options_hex = "1a042001";
    for (size_t i = 0; i < 2; i++) {
        oc__receipt_program(program, sizeof program, receipt->bias[i]);
        receipt->programs[i] = oc__receipt_keep(receipt, program);
    }
    receipt->timings.load_us = 12345;
    receipt->timings.total_us = 54321;
    return receipt;
}

void fixture_add_collective(oc__receipt *receipt, size_t count)
{
    int64_t row = 0;
    receipt->shard_count = count;
    for (size_t i = 0; i < count; i++) {
        oc__shard *shard = &receipt->shards[i];
        shard->device = oc__receipt_keepf(receipt, "TFRT_CPU_%zu", i);
        shard->output_device = oc__receipt_keepf(receipt, "TFRT_CPU_%zu", i);
        shard->first_row = row;
        shard->rows = (int64_t)(OC__ROWS / count + (i < OC__ROWS % count));
        row += shard->rows;
        shard->read_back_equal = true;
        for (size_t k = i * 8; k < i * 8 + 8; k++) {
            shard->sum_of_squares += (double)(k * k);
        }
        for (size_t k = 0; k < count * 8; k++) {
            shard->all_reduced += (double)(k * k);
        }
    }
    receipt->collective = (oc__judgement){OC_PASS, NULL, "observed", "sums agree"};
    fixture_reclaim(receipt);
}

void fixture_reclaim(oc__receipt *receipt)
{
    receipt->claim_count = 0;
    oc__receipt_add_claims(receipt);
}

json_t *fixture_json(const oc__receipt *receipt)
{
    json_t *document = NULL;
    char *text = oc__receipt_text(receipt);
    assert_non_null(text);
    assert_int_equal(oc__json_parse(text, strlen(text), "fixture", &document, NULL),
                     OC_OK);
    free(text);
    return document;
}

/* Follows one step of a path, "key" or "[index]"; `at` moves behind it. */
static json_t *step(json_t *value, const char **at, char key[64], size_t *out_index)
{
    key[0] = '\0';
    if (**at == '[') {
        char *end = NULL;
        *out_index = strtoul(*at + 1, &end, 10);
        *at = end + 1;
    } else {
        size_t length = strcspn(*at, ".[");
        assert_true(length < 64);
        memcpy(key, *at, length);
        key[length] = '\0';
        *at += length;
    }
    *at += **at == '.';
    return key[0] ? json_object_get(value, key) : json_array_get(value, *out_index);
}

void fixture_set(json_t *document, const char *path, const char *value)
{
    char key[64];
    size_t index = 0;
    json_t *parent = document;
    json_t *member = step(parent, &path, key, &index);
    while (*path) {
        assert_non_null(member);
        parent = member;
        member = step(parent, &path, key, &index);
    }
    json_t *set = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(!value || set);
    if (key[0]) {
        assert_int_equal(set ? json_object_set_new(parent, key, set)
                             : json_object_del(parent, key),
                         0);
    } else if (index == json_array_size(parent)) {
        assert_int_equal(json_array_append_new(parent, set), 0);
    } else {
        assert_int_equal(set ? json_array_set_new(parent, index, set)
                             : json_array_remove(parent, index),
                         0);
    }
}
