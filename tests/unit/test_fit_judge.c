/* The judge of a launch against devices in plain C: right ones pass however long they
 * run, wrong ones are refuted at their step. */
#include "fit_device.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

enum {
    SEED = 3,
    BATCH = 8,
    LONG = OC__FIT_MAX_STEPS,
    FADED = 1500,
    SHORT = 60,
    STEPS = 24
};

static oc__fit_judgement judged(int batch, uint32_t seed, const oc__fit_record *records,
                                size_t count)
{
    oc_error err = {0};
    oc__fit_judgement judgement;
    assert_int_equal(
        oc__fit_judge(batch, seed, records, count, "cpu", &judgement, &err), OC_OK);
    assert_int_equal(judgement.verdict == OC_FAIL, judgement.first_wrong > 0);
    return judgement;
}

static void must_pass_at(const char *level, const fit_device *device, uint32_t seed,
                         size_t count)
{
    oc__fit_record *records = calloc(count, sizeof *records);
    assert_non_null(records);
    const oc__fit_record start = oc__fit_start(seed);
    fit_device_run(device, &start, records, count);
    oc__fit_judgement j = judged(device->batch, seed, records, count);
    if (j.verdict != OC_PASS || j.steps != (int64_t)count ||
        strcmp(j.reason, "consistent") != 0 || strcmp(j.level, level) != 0) {
        fail_msg("batch %d, order %d, fuses %u: %s at step %lld: %s", device->batch,
                 (int)device->order, device->fuses, j.reason, (long long)j.first_wrong,
                 j.detail);
    }
    static const char *const names[OC__FIT_CONTROLS] = {
        "velocity_dropped", "parameter_moved", "key_reused"};
    for (size_t i = 0; i < OC__FIT_CONTROLS; i++) {
        assert_string_equal(j.controls[i].name, names[i]);
        assert_true(j.controls[i].refuted);
    }
    free(records);
}

static void must_pass(const fit_device *device, uint32_t seed, size_t count)
{
    must_pass_at("hard", device, seed, count);
}

static void right_devices_pass(void **state)
{
    static const int batches[] = {1, 3, 8, 64};
    static const unsigned fuses[] = {0,
                                     FIT_FUSES_ALL,
                                     FIT_FUSES_ALL & ~FIT_FUSES_KEPT,
                                     FIT_FUSES_LINE,
                                     FIT_FUSES_SUMS,
                                     FIT_FUSES_MOVE};
    (void)state;
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        for (int order = 0; order < FIT_ORDERS; order++) {
            for (size_t f = 0; f < sizeof fuses / sizeof *fuses; f++) {
                fit_device device = {.batch = batches[b],
                                     .order = (fit_order)order,
                                     .fuses = fuses[f],
                                     .flushes = f % 2 == 1};
                must_pass(&device, (uint32_t)f, SHORT);
            }
        }
    }
}

/* Long after the line fits, where velocity and loss are what rounding leaves of them.
 */
static void a_long_run_passes(void **state)
{
    const fit_device device = {
        .batch = BATCH, .order = FIT_TREE, .fuses = FIT_FUSES_ALL};
    (void)state;
    must_pass(&device, SEED, LONG);
}

/* This one fits exactly, so that the velocity fades: to the least subnormal number, or
 * to zero where these are zeros. */
static void an_exact_fit_passes(void **state)
{
    const fit_device keeps = {.batch = 1}, flushes = {.batch = 1, .flushes = true};
    (void)state;
    must_pass(&keeps, SEED, FADED);
    must_pass_at("profile", &flushes, SEED, FADED);
    static oc__fit_record records[FADED];
    const oc__fit_record start = oc__fit_start(SEED);
    fit_device_run(&keeps, &start, records, FADED);
    float left = fit_float(records[FADED - 1].words[5]);
    assert_true(left != 0 && fabsf(left) < 0x1p-126F); // or it shows nothing
}

static void one_step_passes(void **state)
{
    const fit_device device = {.batch = BATCH};
    (void)state;
    must_pass(&device, SEED, 1);
    must_pass(&device, SEED, 8);
}

/* --- wrong devices --- */

static void must_fail(const char *what, int batch, const oc__fit_record *records,
                      size_t count, int64_t step, const char *reason)
{
    oc__fit_judgement j = judged(batch, SEED, records, count);
    if (j.verdict != OC_FAIL || j.first_wrong != step || j.steps != step ||
        strcmp(j.reason, reason) != 0) {
        fail_msg("%s: %s at step %lld, not %s at %lld: %s", what, j.reason,
                 (long long)j.first_wrong, reason, (long long)step, j.detail);
    }
    assert_null(j.level);
}

static const fit_device right = {
    .batch = BATCH, .order = FIT_LANES, .fuses = FIT_FUSES_SUMS};

static void run_right(oc__fit_record records[STEPS])
{
    const oc__fit_record start = oc__fit_start(SEED);
    fit_device_run(&right, &start, records, STEPS);
}

/* A run that was resumed after step 12 from a state with something lost. */
static void a_lossy_resume_is_refuted(void **state)
{
    oc__fit_record records[STEPS];
    (void)state;
    run_right(records);
    oc__fit_record from = records[11];
    from.words[5] = from.words[6] = 0;
    fit_device_run(&right, &from, records + 12, STEPS - 12);
    must_fail("momentum lost", BATCH, records, STEPS, 13, "refuted");

    run_right(records);
    from = records[11];
    memcpy(from.words, records[10].words, 2 * sizeof *from.words);
    fit_device_run(&right, &from, records + 12, STEPS - 12);
    must_fail("key used twice", BATCH, records, STEPS, 13, "refuted");

    run_right(records);
    fit_device_run(&right, &records[10], records + 12, STEPS - 12);
    must_fail("step done twice", BATCH, records, STEPS, 13, "refuted");

    run_right(records);
    from = fit_device_step(&right, &records[11]);
    fit_device_run(&right, &from, records + 12, STEPS - 12);
    must_fail("step skipped", BATCH, records, STEPS, 13, "refuted");

    // The key goes on, the minibatch of its step is left out.
    run_right(records);
    from = records[11];
    memcpy(from.words, records[12].words, 2 * sizeof *from.words);
    fit_device_run(&right, &from, records + 12, STEPS - 12);
    must_fail("minibatch skipped", BATCH, records, STEPS, 13, "refuted");
}

static void changed_records_are_refuted(void **state)
{
    oc__fit_record records[STEPS];
    (void)state;
    run_right(records);
    oc__fit_record kept = records[7];
    records[7] = records[8];
    records[8] = kept;
    must_fail("records swapped", BATCH, records, STEPS, 8, "refuted");

    run_right(records);
    memmove(records + 7, records + 8, (STEPS - 8) * sizeof *records);
    must_fail("record left out", BATCH, records, STEPS - 1, 8, "refuted");

    run_right(records);
    fit_device_run(&right, &(oc__fit_record){.words = {0, SEED + 1}}, records, STEPS);
    must_fail("another seed", BATCH, records, STEPS, 1, "other_start");
    must_fail("the first record missing", BATCH, records + 1, 1, 1, "other_start");

    // Every word's highest bit, and the lowest of what is exact.
    for (size_t word = 0; word < OC__FIT_WORDS; word++) {
        run_right(records);
        records[STEPS - 1].words[word] ^= 0x80000000U;
        must_fail("sign flipped", BATCH, records, STEPS, STEPS, "refuted");
        run_right(records);
        records[STEPS - 1].words[word] ^= 1U;
        if (word < 3) {
            must_fail("bit flipped", BATCH, records, STEPS, STEPS, "refuted");
        }
    }
}

/* The least bit of a parameter is inside the bounds of its first steps, whose sums are
 * large, and outside when the line fits: there nothing else is left to move it. */
static void the_last_bit_of_a_fitted_parameter_is_seen(void **state)
{
    enum { FITTED = 320 };
    static oc__fit_record records[FITTED];
    const oc__fit_record start = oc__fit_start(SEED);
    (void)state;
    for (size_t word = 3; word < 5; word++) {
        fit_device_run(&(fit_device){.batch = BATCH}, &start, records, FITTED);
        records[FITTED - 1].words[word] ^= 1U;
        must_fail("last bit", BATCH, records, FITTED, FITTED, "refuted");
    }
}

static void another_update_is_refuted(void **state)
{
    oc__fit_record records[STEPS];
    const oc__fit_record start = oc__fit_start(SEED);
    fit_device device = right;
    (void)state;
    device.with_replacement = true;
    fit_device_run(&device, &start, records, STEPS);
    must_fail("with replacement", BATCH, records, STEPS, 1, "refuted");

    device = right;
    device.batch = BATCH + 1;
    fit_device_run(&device, &start, records, STEPS);
    must_fail("another batch", BATCH, records, STEPS, 1, "refuted");

    // Sums of eight may be off by more than a unit of the rate is worth; of one, not.
    device = right;
    device.rate = 0.04F * (1 + 0x1p-19F);
    fit_device_run(&device, &start, records, STEPS);
    must_fail("rate", BATCH, records, STEPS, 1, "refuted");
    device.batch = 1;
    device.rate = nextafterf(0.04F, 1);
    fit_device_run(&device, &start, records, STEPS);
    must_fail("rate, one unit", 1, records, STEPS, 1, "refuted");
}

/* A fault that is only in one step, in the middle of a long run. */
static void one_wrong_step_is_found(void **state)
{
    enum { COUNT = 1000, AT = 700 };
    static oc__fit_record records[COUNT];
    const oc__fit_record start = oc__fit_start(SEED);
    (void)state;
    fit_device_run(&right, &start, records, AT - 1);
    oc__fit_record from = records[AT - 2];
    from.words[5] = from.words[6] = 0;
    fit_device_run(&right, &from, records + AT - 1, COUNT - AT + 1);
    must_fail("momentum lost late", BATCH, records, COUNT, AT, "refuted");
}

static void nothing_is_unknown(void **state)
{
    (void)state;
    oc__fit_judgement j = judged(BATCH, SEED, NULL, 0);
    assert_int_equal(j.verdict, OC_UNKNOWN);
    assert_string_equal(j.reason, "not_judged");
}

static void no_number_is_refuted(void **state)
{
    oc__fit_record records[2];
    (void)state;
    const oc__fit_record start = oc__fit_start(SEED);
    fit_device_run(&right, &start, records, 2);
    records[1].words[3] = 0x7fc00000U;
    must_fail("not a number", BATCH, records, 2, 2, "refuted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_devices_pass),
        cmocka_unit_test(a_long_run_passes),
        cmocka_unit_test(an_exact_fit_passes),
        cmocka_unit_test(one_step_passes),
        cmocka_unit_test(a_lossy_resume_is_refuted),
        cmocka_unit_test(changed_records_are_refuted),
        cmocka_unit_test(the_last_bit_of_a_fitted_parameter_is_seen),
        cmocka_unit_test(another_update_is_refuted),
        cmocka_unit_test(one_wrong_step_is_found),
        cmocka_unit_test(nothing_is_unknown),
        cmocka_unit_test(no_number_is_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
