/* Listing plugins, and adding one with a stand-in for pip. */
#include "folder.h"
#include "plugin_fixture.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static oc_error err;

static const oc_plugin_entry *entry(const oc_plugin_list *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->entries[i].plugin.path, fixture_under(path)) == 0) {
            return &list->entries[i];
        }
    }
    fail_msg("'%s' is not listed", path);
    return NULL;
}

static void the_list_says_how_each_plugin_stands(void **state)
{
    (void)state;
    oc_plugin_list list;
    fixture_make("data/onchip/plugins/tpu/libtpu/libtpu.so", fixture_elf);
    fixture_make("data/onchip/plugins/cpu/libtpu/libtpu.so",
                 fixture_elf); // in the wrong folder
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    fixture_make("site/jax_plugins/xla_cuda13/xla_cuda_plugin.so", "not a library");
    fixture_make("site/jax_plugins/xla_cuda12/xla_cuda_plugin.so", fixture_elf);
    fixture_make("home/.venv/lib/python3.12/site-packages/libtpu/libtpu.so",
                 fixture_elf);
    setenv("ONCHIP_PLUGIN_ZEBRA", fixture_make("z.so", fixture_elf), 1);
    setenv("ONCHIP_PLUGIN_APE", "/nowhere/ape.so", 1);
    assert_int_equal(oc_plugin_list_make(NULL, &list, &err), OC_OK);

    assert_int_equal(entry(&list, "data/onchip/plugins/tpu/libtpu/libtpu.so")->standing,
                     OC_PLUGIN_CHOSEN);
    assert_int_equal(entry(&list, "site/libtpu/libtpu.so")->standing,
                     OC_PLUGIN_SHADOWED);
    assert_int_equal(
        entry(&list, "home/.venv/lib/python3.12/site-packages/libtpu/libtpu.so")
            ->standing,
        OC_PLUGIN_ELSEWHERE);
    const oc_plugin_entry *broken =
        entry(&list, "site/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
    assert_int_equal(broken->standing, OC_PLUGIN_BROKEN);
    assert_string_equal(broken->reason, "it is not an ELF library");
    // The broken one is still what would be taken: the next does not step in for it.
    assert_int_equal(
        entry(&list, "site/jax_plugins/xla_cuda12/xla_cuda_plugin.so")->standing,
        OC_PLUGIN_SHADOWED);
    assert_int_equal(entry(&list, "z.so")->standing, OC_PLUGIN_CHOSEN);
    // Known platforms in their order, others by name.
    assert_string_equal(list.entries[0].plugin.platform, "tpu");
    assert_string_equal(list.entries[list.count - 2].plugin.platform, "ape");
    assert_int_equal(list.entries[list.count - 2].standing, OC_PLUGIN_BROKEN);
    assert_string_equal(list.entries[list.count - 1].plugin.platform, "zebra");
    for (size_t i = 0; i < list.count; i++) {
        assert_null(strstr(list.entries[i].plugin.path, "plugins/cpu/libtpu"));
    }
    char *json = oc_plugin_list_json(&list);
    assert_non_null(strstr(json, "\"standing\": \"elsewhere\""));
    free(json);
    oc_plugin_list_free(&list);
}

static void
a_file_is_not_elsewhere_when_a_link_leads_to_where_onchip_looks(void **state)
{
    (void)state;
    oc_plugin_list list;
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    fixture_make("home/venv/lib/python3.11/.keep", "");
    assert_int_equal(symlink(fixture_under("site"),
                             fixture_under("home/venv/lib/python3.11/site-packages")),
                     0);
    assert_int_equal(oc_plugin_list_make("tpu", &list, &err), OC_OK);
    for (size_t i = 0; i < list.count; i++) {
        assert_null(strstr(list.entries[i].plugin.path, "home/venv"));
    }
    oc_plugin_list_free(&list);
}

static void the_list_of_a_platform_holds_nothing_else(void **state)
{
    (void)state;
    oc_plugin_list list;
    fixture_make("site/libtpu/libtpu.so", fixture_elf);
    setenv("ONCHIP_PLUGIN_CUDA", fixture_make("a.so", fixture_elf), 1);
    assert_int_equal(oc_plugin_list_make("cuda", &list, &err), OC_OK);
    assert_int_equal(entry(&list, "a.so")->standing, OC_PLUGIN_CHOSEN);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.entries[i].plugin.platform, "cuda");
    }
    oc_plugin_list_free(&list);
}

static void a_plugin_is_added_only_by_request_and_with_its_terms_accepted(void **state)
{
    (void)state;
    oc_plugin_added added;
    err = (oc_error){0};
    assert_non_null(strstr(oc_plugin_offer_find("tpu")->terms, "cloud.google.com"));
    assert_int_equal(oc_plugin_add("tpu", false, &added, &err), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "terms");
    assert_int_not_equal(access(fixture_under("data/onchip"), F_OK), 0);
    err = (oc_error){0};
    assert_null(oc_plugin_offer_find("cpu"));
    assert_int_equal(oc_plugin_add("cpu", true, &added, &err), OC_INVALID_ARGUMENT);
    ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "tpu or cuda");
}

/* python3 is a stand-in for pip: what it is given is kept, and it does as it is told.
 */
static void make_pip(const char *body)
{
    char script[1024];
    snprintf(script, sizeof script,
             "#!/bin/sh\necho \"$*\" >\"$HOME/arguments\"\ncat >\"$HOME/requirement\"\n"
             "while [ \"$1\" != --target ]; do shift; done\nsite=$2\n%s\n",
             body);
    assert_int_equal(chmod(fixture_make("bin/python3", script), 0755), 0);
}

static char *content(const char *name)
{
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_read(fixture_under(name), 1 << 16, &data, &size, NULL),
                     OC_OK);
    return data;
}

static void pip_is_asked_for_the_pinned_wheel_by_its_hash(void **state)
{
    (void)state;
    oc_plugin_added added;
    err = (oc_error){0};
    make_pip("mkdir -p \"$site/libtpu\"; printf x >\"$site/libtpu/libtpu.so\"");
    fixture_make("data/onchip/plugins/.add-old/half/done", "x");
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_OK);
    assert_false(added.already);
    assert_string_equal(added.plugin.path,
                        fixture_under("data/onchip/plugins/tpu/libtpu/libtpu.so"));
    assert_string_equal(added.folder, fixture_under("data/onchip/plugins/tpu"));
    char *requirement = content("home/requirement");
    assert_string_equal(
        requirement,
        "libtpu==0.0.52 --hash=sha256:"
        "f5e2e596eaea9357fbb5a6755a7a9007c6ab75bfde4a55191b03eff402971140\n");
    free(requirement);
    char *arguments = content("home/arguments");
    assert_non_null(strstr(arguments, "--require-hashes"));
    assert_non_null(strstr(arguments, "--no-deps"));
    assert_non_null(strstr(arguments, "--platform=manylinux_2_31_x86_64"));
    free(arguments);
    assert_int_not_equal(access(fixture_under("data/onchip/plugins/.add-old"), F_OK),
                         0);
    assert_int_equal(oc_plugin_find("tpu", NULL, &added.plugin, &err), OC_OK);

    make_pip("exit 1");
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_OK);
    assert_true(added.already);
}

static void assert_nothing_added(void)
{
    assert_int_equal(folder_count(fixture_under("data/onchip/plugins")), 0);
}

static void a_failed_installation_leaves_nothing(void **state)
{
    (void)state;
    oc_plugin_added added;
    err = (oc_error){0};
    make_pip("mkdir -p \"$site/libtpu\"; echo 'ERROR: hashes differ' >&2; exit 1");
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_CHILD);
    ASSERT_ERROR(&err, OC_CHILD, OC_BOUNDARY_PLUGIN, "ERROR: hashes differ");
    assert_string_equal(added.plugin.path, "");
    assert_nothing_added();
    err = (oc_error){0};
    make_pip("mkdir -p \"$site/other\"");
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_CHILD);
    ASSERT_ERROR(&err, OC_CHILD, OC_BOUNDARY_PLUGIN, "no plugin for tpu is in it");
    assert_nothing_added();
    err = (oc_error){0};
    make_pip("echo '/usr/bin/python3: No module named pip' >&2; exit 1");
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN, "python3-pip");
    unlink(fixture_under("bin/python3"));
    err = (oc_error){0};
    assert_int_equal(oc_plugin_add("tpu", true, &added, &err), OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_PLUGIN, "no python3");
    assert_nothing_added();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_list_says_how_each_plugin_stands),
        TEST(a_file_is_not_elsewhere_when_a_link_leads_to_where_onchip_looks),
        TEST(the_list_of_a_platform_holds_nothing_else),
        TEST(a_plugin_is_added_only_by_request_and_with_its_terms_accepted),
        TEST(pip_is_asked_for_the_pinned_wheel_by_its_hash),
        TEST(a_failed_installation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
