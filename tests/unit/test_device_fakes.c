/* The room device against plugins that hang, crash, lie and shout: each ends in the
 * status and at the boundary that tests/fakes/README.md names, and leaves nothing
 * behind. The good twins must pass. */
#include "device_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void good_twins_pass(void **state)
{
    static const char *const names[] = {"honest", "long_table",  "changes_signals",
                                        "noisy",  "forks_child", "old_minor"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fixture_run run = fixture_predict(fixture_fake(names[i]), FIXTURE_LONG_MS);
        if (run.rc != OC_OK) {
            fail_msg("%s: %s", names[i], run.err.text);
        }
        const oc_platform_info *info = oc_device_platform(run.device);
        fixture_assert_values(&run.output.tensor);
        assert_string_equal(run.output.platform, "cpu");
        assert_string_equal(run.output.device, info->devices[0].string);
        assert_string_equal(run.output.memory, info->devices[0].default_memory);
        assert_true(run.output.device_listed);
        assert_int_equal(info->device_count, 4);
        assert_int_equal(info->addressable_count, 4);
        fixture_end(&run);
    }
}

static void each_failure_has_its_status_and_boundary(void **state)
{
    static const struct {
        const char *name;
        oc_status status;
        oc_boundary boundary;
        const char *words;
        int plugin_code;
        bool hangs;
    } table[] = {
        {"short_table", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "208", 0, false},
        {"lying_short_table", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "8 bytes", 0, false},
        {"overstated_table", OC_PLUGIN, OC_BOUNDARY_PLUGIN,
         "shorter than the 984 bytes that its struct_size says", 0, false},
        {"major_1", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "speaks PJRT API 1.81", 0, false},
        {"null_api", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "NULL", 0, false},
        {"no_symbol", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "GetPjrtApi", 0, false},
        {"not_elf.so", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "is no ELF file", 0, false},
        {"truncated_elf.so", OC_PLUGIN, OC_BOUNDARY_PLUGIN, "is cut", 0, false},
        {"init_fails", OC_UNAVAILABLE, OC_BOUNDARY_INIT, "No visible FAKE devices.", 9,
         false},
        {"init_fails_other", OC_PLUGIN, OC_BOUNDARY_INIT,
         "Internal error when accessing the FAKE lockfile.", 10, false},
        {"compile_error", OC_PLUGIN, OC_BOUNDARY_COMPILE,
         "first line of the fake's error", 3, false},
        {"error_without_message", OC_PLUGIN, OC_BOUNDARY_EXECUTE, "no message", 13,
         false},
        {"error_null_code", OC_PLUGIN, OC_BOUNDARY_EXECUTE,
         "The fake failed and says code OK.", 0, false},
        {"segfault_in_compile", OC_CHILD, OC_BOUNDARY_COMPILE, "signal 11", 0, false},
        {"aborts_in_execute", OC_CHILD, OC_BOUNDARY_EXECUTE, "signal 6", 0, false},
        {"exits_in_execute", OC_CHILD, OC_BOUNDARY_EXECUTE, "exit status 0", 0, false},
        {"hangs_in_initialize", OC_DEADLINE, OC_BOUNDARY_INIT, "no answer in init", 0,
         true},
        {"hangs_in_create", OC_DEADLINE, OC_BOUNDARY_INIT, "no answer in init", 0,
         true},
        {"hangs_in_compile", OC_DEADLINE, OC_BOUNDARY_COMPILE, "no answer in compile",
         0, true},
        {"ignores_term", OC_DEADLINE, OC_BOUNDARY_COMPILE, "no answer in compile", 0,
         true},
        {"never_completes", OC_DEADLINE, OC_BOUNDARY_EXECUTE, "no answer in execute", 0,
         true},
    };
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fixture_run run =
            fixture_predict(fixture_fake(table[i].name),
                            table[i].hangs ? FIXTURE_SHORT_MS : FIXTURE_LONG_MS);
        if (run.rc != table[i].status || run.err.boundary != table[i].boundary ||
            !strstr(run.err.text, table[i].words) ||
            run.err.plugin_code != table[i].plugin_code) {
            print_error("%s: status %d code %d at %s: %s\n", table[i].name, (int)run.rc,
                        run.err.plugin_code, oc_boundary_name(run.err.boundary),
                        run.err.text);
            wrong++;
        }
        assert_non_null(run.device); // for its log and what was learned
        fixture_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* A plugin that reaches the channel itself: a right answer or a failure, never more. */
static void a_spoilt_channel_is_never_trusted(void **state)
{
    static const char *const names[] = {"writes_garbage_fds", "closes_stdio"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture_run run = fixture_predict(fixture_fake(names[i]), FIXTURE_LONG_MS);
        if (run.rc == OC_OK) {
            fixture_assert_values(&run.output.tensor);
        } else {
            ASSERT_ERROR(&run.err, OC_CHILD, OC_BOUNDARY_COMPILE, "");
        }
        fixture_end(&run);
    }
}

static void lies_about_placement_are_passed_on(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("other_device"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    const oc_platform_info *info = oc_device_platform(run.device);
    assert_string_equal(run.output.device, info->devices[1].string);
    assert_true(run.output.device_listed);
    fixture_end(&run);

    run = fixture_predict(fixture_fake("foreign_device"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_string_equal(run.output.device, "");
    assert_false(run.output.device_listed);
    fixture_end(&run);

    run = fixture_predict(fixture_fake("host_memory"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_string_equal(run.output.memory, "unpinned_host");
    fixture_end(&run);

    run = fixture_predict(fixture_fake("calls_itself_tpu"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_string_equal(run.output.platform, "tpu");
    fixture_end(&run);

    run = fixture_predict(fixture_fake("wrong_dtype"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_int_equal(run.output.tensor.dtype, OC_S32);
    fixture_end(&run);

    run = fixture_predict(fixture_fake("wrong_shape"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_int_equal(run.output.tensor.rank, 2);
    fixture_end(&run);
}

static void client_lists_are_passed_on(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("few_devices"), FIXTURE_LONG_MS);
    assert_int_equal(run.rc, OC_OK);
    assert_int_equal(oc_device_platform(run.device)->device_count, 1);
    fixture_end(&run);
    oc_error err = {0};
    oc_device *device = NULL;
    oc_device_options options = {.platform = "cpu",
                                 .plugin = fixture_fake("no_devices"),
                                 .timeout_ms = FIXTURE_LONG_MS};
    oc_status rc = oc_device_open(&options, &device, &err);
    assert_true(rc == OC_UNAVAILABLE || rc == OC_OK);
    assert_int_equal(oc_device_platform(device)->device_count, 0);
    oc_device_close(device);
    fixture_assert_no_process();
}

static void after_a_break_every_call_fails_the_same_way(void **state)
{
    static const char *const names[] = {"segfault_in_compile", "aborts_in_execute",
                                        "hangs_in_compile"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fixture_run run = fixture_predict(fixture_fake(names[i]),
                                          i == 2 ? FIXTURE_SHORT_MS : FIXTURE_LONG_MS);
        assert_true(run.rc != OC_OK);
        fixture_assert_no_process(); // it is stopped by now, not at the end
        int64_t program = 5;
        oc_error again = {0};
        oc_device_output output;
        assert_int_equal(fixture_compile(run.device, &program, &again), run.rc);
        assert_string_equal(again.text, run.err.text);
        assert_int_equal(again.boundary, run.err.boundary);
        again = (oc_error){0};
        assert_int_equal(oc_device_get(run.device, 0, &output, &again), run.rc);
        assert_string_equal(again.text, run.err.text);
        fixture_end(&run);
    }
}

/* An error of the plugin's is no break: the next call is answered. */
static void after_an_error_the_plugin_is_still_there(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("compile_error"), FIXTURE_LONG_MS);
    assert_int_equal(run.err.plugin_code, 3);
    int64_t program = 5;
    oc_error again = {0};
    assert_int_equal(fixture_compile(run.device, &program, &again), OC_PLUGIN);
    assert_int_equal(again.plugin_code, 3);
    assert_int_equal(program, -1);
    oc_device_output output;
    again = (oc_error){0};
    assert_int_equal(oc_device_get(run.device, 7, &output, &again),
                     OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&again, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "no such buffer");
    fixture_end(&run);
}

static void outputs_must_be_as_many_as_the_program_has(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    const int64_t args[2] = {0, 1};
    int64_t outputs[2];
    oc_error err = {0};
    assert_int_equal(oc_device_execute(run.device, 0, args, 1, 2, outputs, 2, &err),
                     OC_PLUGIN);
    ASSERT_ERROR(&err, OC_PLUGIN, OC_BOUNDARY_EXECUTE, "gave 1 outputs, must be 2");
    assert_int_equal(oc_device_execute(run.device, 0, args, 1, 2, outputs, 1, NULL),
                     OC_OK);
    fixture_end(&run);
}

/* Both arguments of the prediction, as zeros. */
static void put_zeros(oc_device *device, int64_t out_args[2])
{
    static const int64_t dims[2][2] = {{FIXTURE_ROWS, 3}, {3, 0}};
    for (size_t i = 0; i < 2; i++) {
        oc_tensor zeros;
        assert_int_equal(oc_tensor_make(OC_F32, dims[i], 2 - i, &zeros, NULL), OC_OK);
        memset(zeros.data, 0, zeros.size_bytes);
        assert_int_equal(oc_device_put(device, &zeros, 0, &out_args[i], NULL), OC_OK);
        oc_tensor_free(&zeros);
    }
}

static void a_freed_buffer_is_named_by_no_number(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    const int64_t args[2] = {0, 1}, output = 2;
    const int64_t list[3] = {output, 0, 77};
    int64_t again[2], out = -1;
    oc_device_output got;
    oc_error err = {0};
    assert_int_equal(oc_device_free(run.device, &output, 1, &err), OC_OK);
    assert_int_equal(oc_device_get(run.device, output, &got, NULL),
                     OC_INVALID_ARGUMENT);
    // Numbers that are none do not save the others.
    assert_int_equal(oc_device_free(run.device, list, 3, &err), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "no such buffer");
    assert_int_equal(oc_device_execute(run.device, 0, args, 1, 2, &out, 1, NULL),
                     OC_INVALID_ARGUMENT);
    // Their slots are used again, their numbers are not.
    put_zeros(run.device, again);
    assert_true(again[0] > output && again[1] > output && again[0] != again[1]);
    assert_int_equal(oc_device_get(run.device, 0, &got, NULL), OC_INVALID_ARGUMENT);
    assert_int_equal(oc_device_get(run.device, -1, &got, NULL), OC_INVALID_ARGUMENT);
    assert_int_equal(oc_device_get(run.device, INT64_MAX, &got, NULL),
                     OC_INVALID_ARGUMENT);
    assert_int_equal(oc_device_execute(run.device, 0, again, 1, 2, &out, 1, NULL),
                     OC_OK);
    assert_int_equal(oc_device_free(run.device, NULL, 0, NULL), OC_OK);
    fixture_end(&run);
}

/* More steps than the worker has room for buffers. */
static void steps_that_free_go_on_for_ever(void **state)
{
    enum { STEPS = (1 << 16) + 10 };
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    const int64_t args[2] = {0, 1};
    int64_t output = 2;
    for (int i = 0; i < STEPS; i++) {
        int64_t before = output;
        oc_device_output got;
        oc_error err = {0};
        oc__device_step_request step = {.program = 0,
                                        .args = args,
                                        .arg_count = 2,
                                        .output_count = 1,
                                        .fetch = 0,
                                        .freed = &before,
                                        .freed_count = 1};
        if (oc__device_step(run.device, &step, &output, &got, &err) != OC_OK) {
            fail_msg("step %d: %s", i, err.text);
        }
        assert_int_not_equal(output, before);
        if (i == STEPS - 1) {
            fixture_assert_values(&got.tensor);
            assert_string_equal(got.device, run.output.device);
        }
        oc_device_output_free(&got);
    }
    fixture_end(&run);
}

static void a_step_that_asks_for_what_is_not_there_is_refused(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    const int64_t args[2] = {0, 1}, freed = 5;
    int64_t outputs[2];
    oc_device_output got;
    oc__device_step_request step = {
        .program = 0, .args = args, .arg_count = 2, .output_count = 1, .fetch = 1};
    oc_error err = {0};
    assert_int_equal(oc__device_step(run.device, &step, outputs, &got, &err),
                     OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "no such output");
    step.fetch = 0;
    step.output_count = 2;
    assert_int_equal(oc__device_step(run.device, &step, outputs, &got, NULL),
                     OC_PLUGIN);
    step.output_count = 1;
    step.freed = &freed;
    step.freed_count = 1;
    assert_int_equal(oc__device_step(run.device, &step, outputs, &got, NULL), OC_OK);
    oc_device_output_free(&got);
    assert_int_equal(oc__device_step(run.device, &step, outputs, &got, NULL),
                     OC_INVALID_ARGUMENT); // freed already
    assert_null(got.tensor.data);
    fixture_end(&run);
}

static void each_part_of_a_loop_can_have_its_own_time(void **state)
{
    (void)state;
    oc_device *device = NULL;
    oc_device_options options = {.platform = "cpu",
                                 .plugin = fixture_fake("never_completes"),
                                 .timeout_ms = FIXTURE_SHORT_MS};
    int64_t program = -1, args[2], output = -1;
    oc_error err = {0};
    assert_int_equal(oc_device_open(&options, &device, NULL), OC_OK);
    usleep(1000 * FIXTURE_SHORT_MS); // all of the first deadline
    oc_device_set_timeout(device, FIXTURE_LONG_MS);
    assert_int_equal(fixture_compile(device, &program, &err), OC_OK);
    put_zeros(device, args);
    oc_device_set_timeout(device, 250);
    assert_int_equal(oc_device_execute(device, program, args, 1, 2, &output, 1, &err),
                     OC_DEADLINE);
    ASSERT_ERROR(&err, OC_DEADLINE, OC_BOUNDARY_EXECUTE, "within 0.25 s");
    oc_device_close(device);
    fixture_assert_no_process();
}

static void noise_goes_to_the_log(void **state)
{
    (void)state;
    fixture_run run = fixture_predict(fixture_fake("noisy"), FIXTURE_LONG_MS);
    const oc__strbuf *log = oc__device_log(run.device);
    assert_false(log->failed);
    assert_true(log->size > 700000 && log->size <= 1 << 20);
    assert_memory_equal(log->data, "nnnnnnnn", 8);
    fixture_end(&run);
    run = fixture_predict(fixture_fake("honest"), FIXTURE_LONG_MS);
    assert_int_equal(oc__device_log(run.device)->size, 0);
    fixture_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_twins_pass),
        cmocka_unit_test(each_failure_has_its_status_and_boundary),
        cmocka_unit_test(a_spoilt_channel_is_never_trusted),
        cmocka_unit_test(lies_about_placement_are_passed_on),
        cmocka_unit_test(client_lists_are_passed_on),
        cmocka_unit_test(after_a_break_every_call_fails_the_same_way),
        cmocka_unit_test(after_an_error_the_plugin_is_still_there),
        cmocka_unit_test(outputs_must_be_as_many_as_the_program_has),
        cmocka_unit_test(a_freed_buffer_is_named_by_no_number),
        cmocka_unit_test(steps_that_free_go_on_for_ever),
        cmocka_unit_test(a_step_that_asks_for_what_is_not_there_is_refused),
        cmocka_unit_test(each_part_of_a_loop_can_have_its_own_time),
        cmocka_unit_test(noise_goes_to_the_log),
    };
    return cmocka_run_group_tests(tests, fixture_mark_children, NULL);
}
