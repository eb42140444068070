/* The room device against both real CPU plugins: 0.81 and 0.115, each one's own file
 * seen mapped, values and owner of the prediction right. */
#include "device_fixture.h"

#include "base/hash.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct sightings {
    const char *plugin;
    size_t mapped, nodes;
} sightings;

static void note(void *context, const char *what, const char *value)
{
    sightings *seen = context;
    char resolved[4096];
    if (strcmp(what, "plugin_mapped") == 0) {
        assert_non_null(realpath(seen->plugin, resolved));
        assert_string_equal(value, resolved);
        seen->mapped++;
    }
    seen->nodes += strcmp(what, "device_node") == 0;
}

static void predicts(const char *plugin, const char *api)
{
    char sha256[OC__SHA256_HEX];
    fixture_run run = fixture_predict(plugin, FIXTURE_LONG_MS);
    if (run.rc != OC_OK) {
        fail_msg("%s", run.err.text);
    }
    const oc_platform_info *info = oc_device_platform(run.device);
    fixture_assert_values(&run.output.tensor);
    assert_string_equal(run.output.platform, "cpu");
    assert_string_equal(run.output.device, info->devices[0].string);
    assert_string_equal(run.output.memory, info->devices[0].default_memory);
    assert_true(run.output.device_listed);
    assert_string_equal(info->pjrt_api, api);
    assert_string_equal(info->platform_name, "cpu");
    assert_int_equal(info->addressable_count, 4);
    assert_int_equal(info->process_count, 1);
    assert_int_equal(oc__sha256_file(plugin, sha256, NULL), OC_OK);
    assert_string_equal(info->plugin_sha256, sha256);
    for (size_t i = 0; i < info->device_count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(info->devices[i].string, info->devices[k].string);
            assert_int_not_equal(info->devices[i].id, info->devices[k].id);
        }
    }
    sightings seen = {.plugin = plugin};
    oc__device_observe(run.device, note, &seen);
    assert_int_equal(seen.mapped, 1);
    assert_int_equal(seen.nodes, 0);
    fixture_end(&run);
}

static void the_older_plugin_predicts(void **state)
{
    (void)state;
    predicts(getenv("ONCHIP_TEST_OLDER_CPU_PLUGIN"), "0.81");
}

static void the_default_plugin_predicts(void **state)
{
    (void)state;
    predicts(getenv("ONCHIP_TEST_CPU_PLUGIN"), "0.115");
}

/* What it compiled does not depend on the room: a program that is wrong is refused with
 * the compiler's own words, and the next one is compiled. */
static void a_wrong_program_is_the_compiler_s_to_refuse(void **state)
{
    (void)state;
    fixture_run run =
        fixture_predict(getenv("ONCHIP_TEST_CPU_PLUGIN"), FIXTURE_LONG_MS);
    oc_device_program program = {.code = "this is no module",
                                 .replicas = 1,
                                 .device_ids =
                                     &oc_device_platform(run.device)->devices[0].id,
                                 .parameters = 0};
    int64_t id = 7;
    oc_error err = {0};
    assert_int_equal(oc_device_compile(run.device, &program, &id, &err), OC_PLUGIN);
    assert_int_equal(err.boundary, OC_BOUNDARY_COMPILE);
    assert_int_equal(id, -1);
    program.replicas = 0; // would abort the plugin's process
    assert_int_equal(oc_device_compile(run.device, &program, &id, NULL),
                     OC_INVALID_ARGUMENT);
    assert_int_equal(fixture_compile(run.device, &id, NULL), OC_OK);
    fixture_end(&run);
}

/* The arguments of a step are among what it frees: the plugin is done with them. */
static void a_step_frees_its_own_arguments(void **state)
{
    (void)state;
    fixture_run run =
        fixture_predict(getenv("ONCHIP_TEST_CPU_PLUGIN"), FIXTURE_LONG_MS);
    const int64_t args[2] = {0, 1}, freed[3] = {0, 1, 2};
    int64_t output = -1;
    oc_device_output got;
    oc__device_step_request step = {.program = 0,
                                    .args = args,
                                    .arg_count = 2,
                                    .output_count = 1,
                                    .fetch = 0,
                                    .freed = freed,
                                    .freed_count = 3};
    oc_error err = {0};
    if (oc__device_step(run.device, &step, &output, &got, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    fixture_assert_values(&got.tensor);
    assert_string_equal(got.memory, run.output.memory);
    oc_device_output_free(&got);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(oc_device_get(run.device, freed[i], &got, NULL),
                         OC_INVALID_ARGUMENT);
    }
    assert_int_equal(oc__device_step(run.device, &step, &output, &got, NULL),
                     OC_INVALID_ARGUMENT);
    assert_int_equal(oc_device_get(run.device, output, &got, NULL), OC_OK);
    fixture_assert_values(&got.tensor);
    oc_device_output_free(&got);
    fixture_end(&run);
}

static void a_description_is_whole(void **state)
{
    (void)state;
    oc_error err = {0};
    oc_platform_info *info = NULL;
    oc_device_options options = {.plugin = getenv("ONCHIP_TEST_CPU_PLUGIN"),
                                 .cpu_devices = 3,
                                 .timeout_ms = FIXTURE_LONG_MS};
    assert_int_equal(oc_platform_describe(&options, &info, &err), OC_OK);
    fixture_assert_no_process();
    char *text = oc_platform_info_json(info);
    json_t *root = NULL;
    assert_int_equal(oc__json_parse(text, strlen(text), "info", &root, NULL), OC_OK);
    const json_t *devices = json_object_get(root, "devices");
    assert_int_equal(json_array_size(devices), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *device = json_array_get(devices, i);
        assert_string_equal(json_string_value(json_object_get(device, "string")),
                            info->devices[i].string);
        assert_true(json_is_true(json_object_get(device, "addressable")));
        size_t defaults = 0;
        const json_t *memories = json_object_get(device, "memories");
        for (size_t k = 0; k < json_array_size(memories); k++) {
            defaults +=
                json_is_true(json_object_get(json_array_get(memories, k), "default"));
        }
        assert_int_equal(defaults, 1);
    }
    json_decref(root);
    free(text);
    oc_platform_info_free(info);
    oc_platform_info_free(NULL);
    options.plugin = "/nowhere/plugin.so";
    assert_int_equal(oc_platform_describe(&options, &info, &err), OC_NOT_FOUND);
    assert_null(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_older_plugin_predicts),
        cmocka_unit_test(the_default_plugin_predicts),
        cmocka_unit_test(a_wrong_program_is_the_compiler_s_to_refuse),
        cmocka_unit_test(a_step_frees_its_own_arguments),
        cmocka_unit_test(a_description_is_whole),
    };
    return cmocka_run_group_tests(tests, fixture_mark_children, NULL);
}
