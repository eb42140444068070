/* The placement verdict: every rule of placement.h once, beside a twin that passes. */
#include "unit.h"

#include "placement/placement.h"

#include <stdio.h>

enum { MAX_EVIDENCE = 40 };

typedef struct evidence {
    oc__evidence items[MAX_EVIDENCE];
    size_t count;
} evidence;

static void add(evidence *list, const char *basis, const char *what, const char *value)
{
    list->items[list->count++] =
        (oc__evidence){.basis = basis, .what = what, .value = value};
}

static oc__evidence *find(evidence *list, const char *what)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].what, what) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static void drop(evidence *list, const char *what)
{
    oc__evidence *item = find(list, what);
    assert_non_null(item);
    *item = list->items[--list->count];
}

/* What an honest client of `platform` leaves, with nothing of an accelerator. */
static evidence honest(const char *platform)
{
    evidence list = {0};
    static const char *const platforms[] = {
        "prediction.platform", "changed_bias.platform", "row_reversal.platform"};
    static const char *const devices[] = {"prediction.device", "changed_bias.device",
                                          "row_reversal.device"};
    static const char *const listed[] = {"prediction.device_listed",
                                         "changed_bias.device_listed",
                                         "row_reversal.device_listed"};
    static const char *const memories[] = {"prediction.memory", "changed_bias.memory",
                                           "row_reversal.memory"};
    for (size_t i = 0; i < 3; i++) {
        add(&list, "api", platforms[i], platform);
        add(&list, "api", devices[i], "dev_0");
        add(&list, "api", listed[i], "yes");
        add(&list, "api", memories[i], "device");
    }
    add(&list, "api", "requested.device", "dev_0");
    add(&list, "api", "requested.memory", "device");
    add(&list, "api", "device_kind", "kind");
    add(&list, "os", "plugin_mapped", "/lib/plugin.so");
    add(&list, "hash", "plugin_sha256", "00");
    return list;
}

static evidence honest_tpu(void)
{
    evidence list = honest("tpu");
    add(&list, "os", "device_node", "/dev/vfio/0");
    add(&list, "os", "pci_device", "1ae0:0063 0000:00:04.0");
    return list;
}

/* The case of `check` with this evidence. */
static oc__placement_case placed(const char *requested, evidence *list)
{
    const oc__receipt receipt = {
        .expected = requested, .evidence = list->items, .evidence_count = list->count};
    return oc__placement_of_check(&receipt);
}

static void judged(const char *requested, const evidence *list, oc_verdict verdict,
                   const char *reason, const char *words)
{
    oc__placement_result result;
    evidence copy = *list;
    const oc__placement_case wanted = placed(requested, &copy);
    oc__placement_judge(&wanted, &result);
    if (result.verdict != verdict || strcmp(result.reason, reason) != 0 ||
        !strstr(result.detail, words)) {
        fail_msg("%s with '%s' was wanted, not %s %s: %s", reason, words,
                 oc_verdict_name(result.verdict), result.reason, result.detail);
    }
}

static void honest_clients_are_observed(void **state)
{
    static const struct {
        const char *platform, *node, *pci;
    } table[] = {
        {"tpu", "/dev/accel0", "1ae0:0027 0000:00:04.0"},
        {"tpu", "/dev/vfio/3", "1ae0:0063 0000:00:04.0"},
        {"cuda", "/dev/nvidia0", "10de:2335 0000:01:00.0"},
        {"rocm", "/dev/kfd", "1002:74a1 0000:01:00.0"},
        {"rocm", "/dev/dri/renderD128", "1002:74a1 0000:01:00.0"},
    };
    (void)state;
    evidence list = honest("cpu");
    judged("cpu", &list, OC_PASS, "observed", "requested cpu, observed cpu");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        list = honest(table[i].platform);
        add(&list, "os", "device_node", table[i].node);
        add(&list, "os", "pci_device", table[i].pci);
        judged(table[i].platform, &list, OC_PASS, "observed", table[i].platform);
    }
}

static void an_output_that_is_missing_fails(void **state)
{
    static const char *const needed[] = {
        "prediction.platform", "changed_bias.platform", "row_reversal.platform",
        "prediction.device",   "changed_bias.device",   "row_reversal.device"};
    (void)state;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char name[64];
        evidence list = honest("cpu");
        drop(&list, needed[i]);
        snprintf(name, sizeof name, "%.*s has no completed output",
                 (int)strcspn(needed[i], "."), needed[i]);
        judged("cpu", &list, OC_FAIL, "not_reached", name);
    }
    evidence nothing = {0};
    judged("tpu", &nothing, OC_FAIL, "not_reached", "requested tpu");
}

/* One member of one output is another; the device checks only count from `api`. */
static void a_member_that_differs_fails(void **state)
{
    static const char *const outputs[] = {"prediction", "changed_bias", "row_reversal"};
    static const struct {
        const char *member, *value, *reason, *words;
    } table[] = {
        {"platform", "interpreter", "platform_differs",
         "requested and observed platform disagree: requested cpu, observed "
         "interpreter"},
        {"device_listed", "no", "device_foreign", "is no device of the cpu client"},
        {"device_listed", "Yes", "device_foreign", "is no device of the cpu client"},
        {"device", "dev_1", "device_differs", "lies on dev_1, requested was dev_0"},
        {"memory", "unpinned_host", "memory_differs", "'unpinned_host' of dev_0"},
    };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            char what[64];
            evidence list = honest("cpu");
            snprintf(what, sizeof what, "%s.%s", outputs[k], table[i].member);
            find(&list, what)->value = table[i].value;
            judged("cpu", &list, OC_FAIL, table[i].reason, table[i].words);
            judged("cpu", &list, OC_FAIL, table[i].reason, outputs[k]);
        }
    }
}

static void what_was_not_told_does_not_pass(void **state)
{
    static const struct {
        const char *what, *reason;
    } table[] = {
        {"prediction.device_listed", "device_foreign"},
        {"prediction.memory", "memory_differs"},
        {"requested.device", "device_differs"},
        {"requested.memory", "memory_differs"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        evidence list = honest("cpu");
        drop(&list, table[i].what);
        judged("cpu", &list, OC_FAIL, table[i].reason, "");
    }
    // A claim of another basis is no report of the plugin's.
    evidence list = honest("cpu");
    find(&list, "prediction.platform")->basis = "os";
    judged("cpu", &list, OC_FAIL, "not_reached", "");
}

static void the_rules_have_an_order(void **state)
{
    (void)state;
    evidence list = honest("cpu");
    find(&list, "prediction.memory")->value = "other";
    judged("cpu", &list, OC_FAIL, "memory_differs", "");
    find(&list, "prediction.device")->value = "dev_7";
    judged("cpu", &list, OC_FAIL, "device_differs", "");
    find(&list, "prediction.device_listed")->value = "no";
    judged("cpu", &list, OC_FAIL, "device_foreign", "");
    find(&list, "prediction.platform")->value = "tpu";
    judged("cpu", &list, OC_FAIL, "platform_differs", "");
    drop(&list, "prediction.device");
    judged("cpu", &list, OC_FAIL, "not_reached", "");
}

static void a_name_without_hardware_is_contradicted(void **state)
{
    static const char *const platforms[] = {"tpu", "cuda", "rocm"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        evidence list = honest(platforms[i]);
        judged(platforms[i], &list, OC_FAIL, "contradicted", "calls itself");
        // Another maker's hardware does not help, nor do nodes that are none of these.
        add(&list, "os", "device_node", "/dev/null");
        add(&list, "os", "pci_device", "8086:1234 0000:00:02.0");
        add(&list, "os", "device_node", i == 0 ? "/dev/nvidia0" : "/dev/accel0");
        add(&list, "os", "pci_device", i == 0 ? "10de:2335 x" : "1ae0:0063 x");
        judged(platforms[i], &list, OC_FAIL, "contradicted", "no such PCI device");
        // Nor does a plugin that says so itself.
        add(&list, "api", "device_node", i == 0 ? "/dev/accel0" : "/dev/nvidia0");
        judged(platforms[i], &list, OC_FAIL, "contradicted", "");
    }
}

static void half_of_the_evidence_is_unknown(void **state)
{
    (void)state;
    evidence list = honest_tpu();
    drop(&list, "device_node");
    judged("tpu", &list, OC_UNKNOWN, "os_silent", "the process holds no device node");
    list = honest_tpu();
    drop(&list, "pci_device");
    judged("tpu", &list, OC_UNKNOWN, "os_silent", "no such PCI device");
    list = honest_tpu();
    judged("tpu", &list, OC_PASS, "observed", "");
    list = honest("metal"); // nothing is known of it
    judged("metal", &list, OC_UNKNOWN, "os_silent",
           "knows no operating-system evidence");
}

static void the_plugin_must_be_seen(void **state)
{
    static const char *const needed[] = {"plugin_mapped", "plugin_sha256"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        evidence list = honest("cpu");
        drop(&list, needed[i]);
        judged("cpu", &list, OC_UNKNOWN, "plugin_unmapped", "not seen mapped");
        list = honest_tpu();
        drop(&list, needed[i]);
        judged("tpu", &list, OC_UNKNOWN, "plugin_unmapped", "");
        list = honest("cpu");
        find(&list, needed[i])->basis = "api";
        judged("cpu", &list, OC_UNKNOWN, "plugin_unmapped", "");
    }
}

static void the_other_platform_is_refuted(void **state)
{
    (void)state;
    char detail[512];
    evidence list = honest("cpu");
    oc__placement_case wanted = placed("cpu", &list);
    assert_true(oc__placement_refutes_other(&wanted, detail, sizeof detail));
    assert_non_null(strstr(detail, "requested cpu, observed tpu"));
    list = honest_tpu();
    wanted = placed("tpu", &list);
    assert_true(oc__placement_refutes_other(&wanted, detail, sizeof detail));
    assert_non_null(strstr(detail, "requested tpu, observed cpu"));
    assert_string_equal(find(&list, "prediction.platform")->value, "tpu"); // untouched
    // Where nothing was reported there is nothing to refute.
    drop(&list, "prediction.platform");
    wanted = placed("tpu", &list);
    assert_false(oc__placement_refutes_other(&wanted, detail, sizeof detail));
    assert_non_null(strstr(detail, "no completed output"));
}

/* Eight rows over `count` devices as evenly as it goes. */
static void spread(oc__shard *shards, size_t count)
{
    static const char *const names[] = {"d0", "d1", "d2", "d3", "d4",
                                        "d5", "d6", "d7", "d8", "d9"};
    int64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t rows = (int64_t)(8 / count + (i < 8 % count ? 1 : 0));
        shards[i] = (oc__shard){.device = names[i],
                                .first_row = next,
                                .rows = rows,
                                .read_back_equal = true,
                                .output_device = names[count - 1 - i]};
        next += rows;
    }
}

static void shards_that_cover_the_rows_hold(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 10; count++) { // past 8, some have no rows
        oc__shard shards[10];
        size_t blamed = 99;
        spread(shards, count);
        assert_null(oc__placement_shards(shards, count, &blamed));
    }
}

static void shards_that_do_not_are_blamed(void **state)
{
    (void)state;
    size_t blamed = 99;
    oc__shard shards[4];
    spread(shards, 4);
    shards[2].first_row = 5;
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "does not hold its own rows of X");
    assert_int_equal(blamed, 2);
    spread(shards, 4);
    shards[1].rows = -1;
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "does not hold its own rows of X");
    assert_int_equal(blamed, 1);
    spread(shards, 4);
    shards[3].rows = 1;
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "does not end with the last row of X");
    assert_int_equal(blamed, 3);
    spread(shards, 4);
    shards[0].read_back_equal = false;
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "did not come back unchanged");
    assert_int_equal(blamed, 0);
    spread(shards, 4);
    shards[3].device = "d1";
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "shares its device with an earlier one");
    assert_int_equal(blamed, 3);
    spread(shards, 4);
    shards[2].output_device = "d3"; // where the first one's lies
    assert_string_equal(oc__placement_shards(shards, 4, &blamed),
                        "shares its device with an earlier one");
    assert_int_equal(blamed, 2);
    assert_string_equal(oc__placement_shards(shards, 0, &blamed),
                        "does not end with the last row of X");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_clients_are_observed),
        cmocka_unit_test(an_output_that_is_missing_fails),
        cmocka_unit_test(a_member_that_differs_fails),
        cmocka_unit_test(what_was_not_told_does_not_pass),
        cmocka_unit_test(the_rules_have_an_order),
        cmocka_unit_test(a_name_without_hardware_is_contradicted),
        cmocka_unit_test(half_of_the_evidence_is_unknown),
        cmocka_unit_test(the_plugin_must_be_seen),
        cmocka_unit_test(the_other_platform_is_refuted),
        cmocka_unit_test(shards_that_cover_the_rows_hold),
        cmocka_unit_test(shards_that_do_not_are_blamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
