/* Finding plugins: the places in their order, and what is said when there is none. */
#include "plugin_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static oc_error err;
static oc_plugin found;

static oc_status find(const char *platform)
{
    err = (oc_error){0};
    return oc_plugin_find(platform, NULL, &found, &err);
}

static void assert_found(const char *platform, const char *path)
{
    assert_string_equal(err.text, "");
    assert_string_equal(found.platform, platform);
    assert_string_equal(found.path, fixture_under(path));
}

static void the_order_of_the_places_is_the_documented_one(void **state)
{
    (void)state;
    // From the last place to the first: each new one must win.
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    assert_int_equal(find("tpu"), OC_OK);
    assert_found("tpu", "site/libtpu/libtpu.so");
    assert_string_equal(found.source + strlen("Python package libtpu of "),
                        fixture_under("bin/python3"));

    fixture_make("data/onchip/plugins/tpu/libtpu/libtpu.so", fixture_elf);
    assert_int_equal(find("tpu"), OC_OK);
    assert_found("tpu", "data/onchip/plugins/tpu/libtpu/libtpu.so");

    setenv("TPU_LIBRARY_PATH", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(find("tpu"), OC_OK);
    assert_found("tpu", "a.so");
    assert_string_equal(found.source, "TPU_LIBRARY_PATH");

    char names[FIXTURE_PATH];
    snprintf(names, sizeof names, "cpu:/nowhere,tpu:%s",
             fixture_make("b.so", fixture_elf));
    setenv("PJRT_NAMES_AND_LIBRARY_PATHS", names, 1);
    assert_int_equal(find("tpu"), OC_OK);
    assert_found("tpu", "b.so");
    assert_string_equal(found.source, "PJRT_NAMES_AND_LIBRARY_PATHS");

    setenv("ONCHIP_PLUGIN_TPU", fixture_make("c.so", fixture_elf), 1);
    assert_int_equal(find("tpu"), OC_OK);
    assert_found("tpu", "c.so");
    assert_string_equal(found.source, "ONCHIP_PLUGIN_TPU");

    assert_int_equal(
        oc_plugin_find("tpu", fixture_make("d.so", fixture_elf), &found, &err), OC_OK);
    assert_found("tpu", "d.so");
    assert_string_equal(found.source, "--plugin");
}

static void tpu_library_path_is_for_tpu_alone(void **state)
{
    (void)state;
    setenv("TPU_LIBRARY_PATH", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(find("rocm"), OC_UNAVAILABLE);
}

static void python_is_not_started_when_something_matched_before(void **state)
{
    (void)state;
    assert_int_equal(
        chmod(fixture_make("bin/python3", "#!/bin/sh\ntouch \"$HOME/asked\"\n"), 0755),
        0);
    setenv("ONCHIP_PLUGIN_CPU", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(find("cpu"), OC_OK);
    assert_int_not_equal(access(fixture_under("home/asked"), F_OK), 0);
    unsetenv("ONCHIP_PLUGIN_CPU");
    assert_int_not_equal(find("cpu"), OC_OK);
    assert_int_equal(access(fixture_under("home/asked"), F_OK), 0);
}

static void the_active_environments_python_comes_before_the_one_on_path(void **state)
{
    (void)state;
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    fixture_make_python("conda/bin/python");
    setenv("CONDA_PREFIX", fixture_under("conda"), 1);
    assert_int_equal(find("tpu"), OC_OK);
    assert_non_null(strstr(found.source, "conda/bin/python"));
    fixture_make_python("venv/bin/python");
    setenv("VIRTUAL_ENV", fixture_under("venv"), 1);
    assert_int_equal(find("tpu"), OC_OK);
    assert_non_null(strstr(found.source, "venv/bin/python"));
}

static void the_current_folder_is_no_place(void **state)
{
    (void)state;
    fixture_make("relative/libtpu/libtpu.so", fixture_elf);
    fixture_make("libtpu/libtpu.so", fixture_elf);
    assert_int_equal(find("tpu"), OC_UNAVAILABLE);
}

static void within_a_platform_the_better_package_comes_first(void **state)
{
    (void)state;
    fixture_make("site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", fixture_elf);
    assert_int_equal(find("cpu"), OC_OK);
    assert_found("cpu", "site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
    fixture_make("site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", fixture_elf);
    assert_int_equal(find("cpu"), OC_OK);
    assert_found("cpu", "site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so");
}

static void gpu_is_cuda_and_then_rocm(void **state)
{
    (void)state;
    fixture_make("site/jax_plugins/xla_rocm7/xla_rocm_plugin.so", fixture_elf);
    assert_int_equal(find("gpu"), OC_OK);
    assert_found("rocm", "site/jax_plugins/xla_rocm7/xla_rocm_plugin.so");
    fixture_make("site/jax_plugins/xla_cuda12/xla_cuda_plugin.so", fixture_elf);
    assert_int_equal(find("gpu"), OC_OK);
    assert_found("cuda", "site/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
    fixture_make("site/jax_plugins/xla_cuda13/xla_cuda_plugin.so", fixture_elf);
    assert_int_equal(find("gpu"), OC_OK);
    assert_found("cuda", "site/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
    // What the user names comes before what is merely installed.
    setenv("ONCHIP_PLUGIN_ROCM", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(find("gpu"), OC_OK);
    assert_found("rocm", "a.so");
}

static void jax_plugins_that_no_table_knows_are_found_by_their_folder(void **state)
{
    (void)state;
    fixture_make("site/jax_plugins/xla_cuda99/xla_cuda_plugin.so", fixture_elf);
    fixture_make("site/jax_plugins/metal/pjrt_plugin_metal_14.so", fixture_elf);
    fixture_make("site/jax_plugins/metal/another_library.so", fixture_elf);
    assert_int_equal(find("cuda"), OC_OK);
    assert_found("cuda", "site/jax_plugins/xla_cuda99/xla_cuda_plugin.so");
    assert_int_equal(find("metal"), OC_OK);
    assert_found("metal", "site/jax_plugins/metal/pjrt_plugin_metal_14.so");
    assert_non_null(strstr(found.source, "jax_plugins.metal"));
}

static void a_variable_that_names_nothing_is_never_passed_over(void **state)
{
    (void)state;
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    setenv("TPU_LIBRARY_PATH", "/nowhere/libtpu.so", 1);
    assert_int_equal(find("tpu"), OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "TPU_LIBRARY_PATH");
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "'/nowhere/libtpu.so'");
    assert_string_equal(found.path, "");
    setenv("ONCHIP_PLUGIN_TPU", fixture_root, 1);
    assert_int_equal(find("tpu"), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "ONCHIP_PLUGIN_TPU");
    setenv("ONCHIP_PLUGIN_TPU", "", 1);
    setenv("TPU_LIBRARY_PATH", "", 1);
    assert_int_equal(find("tpu"), OC_OK);
}

static void jaxs_variable_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        const char *words;
    } cases[] = {
        {"tpu", "'tpu' is not of the form name:path"},
        {"tpu:", "'tpu:' is not"},
        {":/a.so", "':/a.so' is not"},
        {"tpu:/a.so:/b.so", "is not of the form"},
        {"tpu:/a.so,tpu:/b.so", "names 'tpu' twice"},
        {"cpu:/a.so,nonsense", "'nonsense' is not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("PJRT_NAMES_AND_LIBRARY_PATHS", cases[i].value, 1);
        assert_int_equal(find("tpu"), OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, cases[i].words);
    }
    char names[FIXTURE_PATH];
    snprintf(names, sizeof names, "tpu:%s", fixture_make("tpu.json", "{}"));
    setenv("PJRT_NAMES_AND_LIBRARY_PATHS", names, 1);
    assert_int_equal(find("tpu"), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "configuration for JAX");
}

static void an_explicit_path_must_be_a_file(void **state)
{
    (void)state;
    err = (oc_error){0};
    assert_int_equal(oc_plugin_find("cpu", fixture_under("none.so"), &found, &err),
                     OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_INPUT, "none.so");
    err = (oc_error){0};
    assert_int_equal(oc_plugin_find("cpu", fixture_root, &found, &err),
                     OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_INPUT, "is a folder");
    err = (oc_error){0};
    assert_int_equal(oc_plugin_find("cpu", "/dev/null", &found, &err),
                     OC_INVALID_ARGUMENT);
}

static void an_explicit_path_becomes_absolute(void **state)
{
    (void)state;
    fixture_make("rocm.so", fixture_elf);
    err = (oc_error){0};
    assert_int_equal(oc_plugin_find("gpu", "rocm.so", &found, &err), OC_OK);
    assert_found("rocm", "rocm.so");
    assert_int_equal(oc_plugin_find(NULL, "rocm.so", &found, &err), OC_OK);
    assert_found("", "rocm.so");
}

static void a_plugin_elsewhere_is_named_with_the_path_to_pass(void **state)
{
    (void)state;
    const char *path = fixture_make(
        "home/.local/lib/python3.10/site-packages/libtpu/libtpu.so", fixture_elf);
    char advice[FIXTURE_PATH + 32];
    snprintf(advice, sizeof advice, "pass --plugin %s", path);
    assert_int_equal(find("tpu"), OC_UNAVAILABLE);
    ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, advice);
    ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, "set ONCHIP_PLUGIN_TPU");
    ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN,
                 "where onchip does not look");
    assert_int_equal(oc_status_exit(err.status, err.boundary), OC_EXIT_UNAVAILABLE);
}

static void where_nothing_is_found_the_places_and_the_remedy_are_told(void **state)
{
    (void)state;
    static const char *const told[] = {
        "no plugin for tpu",     "ONCHIP_PLUGIN_TPU",   "PJRT_NAMES_AND_LIBRARY_PATHS",
        "TPU_LIBRARY_PATH",      "data/onchip/plugins", "bin/python3",
        "onchip plugins add tpu"};
    assert_int_equal(find("tpu"), OC_UNAVAILABLE);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, told[i]);
    }
}

static void a_python_that_fails_is_told(void **state)
{
    (void)state;
    assert_int_equal(chmod(fixture_make("bin/python3", "#!/bin/sh\nexit 9\n"), 0755),
                     0);
    assert_int_equal(find("tpu"), OC_UNAVAILABLE);
    ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, "exit status 9");
    unlink(fixture_under("bin/python3"));
    assert_int_equal(find("tpu"), OC_UNAVAILABLE);
    ASSERT_ERROR(&err, OC_UNAVAILABLE, OC_BOUNDARY_PLUGIN, "cannot start 'python3'");
}

static void an_unknown_platform_is_a_usage_error(void **state)
{
    (void)state;
    static const char *const names[] = {"banana", "TPU", "", "a/b", "../tpu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(find(names[i]), OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                     "cpu, tpu, cuda, rocm, gpu");
    }
    setenv("ONCHIP_PLUGIN_BANANA", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(find("banana"), OC_OK);
    assert_found("banana", "a.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_order_of_the_places_is_the_documented_one),
        TEST(tpu_library_path_is_for_tpu_alone),
        TEST(python_is_not_started_when_something_matched_before),
        TEST(the_active_environments_python_comes_before_the_one_on_path),
        TEST(the_current_folder_is_no_place),
        TEST(within_a_platform_the_better_package_comes_first),
        TEST(gpu_is_cuda_and_then_rocm),
        TEST(jax_plugins_that_no_table_knows_are_found_by_their_folder),
        TEST(a_variable_that_names_nothing_is_never_passed_over),
        TEST(jaxs_variable_is_read_strictly),
        TEST(an_explicit_path_must_be_a_file),
        TEST(an_explicit_path_becomes_absolute),
        TEST(a_plugin_elsewhere_is_named_with_the_path_to_pass),
        TEST(where_nothing_is_found_the_places_and_the_remedy_are_told),
        TEST(a_python_that_fails_is_told),
        TEST(an_unknown_platform_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
