#include "placement/placement.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which operating-system evidence an accelerator of this platform leaves. */
typedef struct accelerator {
    const char *platform;
    const char *node_prefixes[3];
    const char *pci_vendor; /* as the room device writes it: "1ae0:..." */
} accelerator;

static const accelerator accelerators[] = {
    {"tpu", {"/dev/accel", "/dev/vfio/"}, "1ae0:"},
    {"cuda", {"/dev/nvidia"}, "10de:"},
    {"rocm", {"/dev/kfd", "/dev/dri/render"}, "1002:"},
};

typedef struct evidence_list {
    const oc__evidence *items;
    size_t count;
} evidence_list;

static const char *find(evidence_list list, const char *basis, const char *what)
{
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.items[i].basis, basis) == 0 &&
            strcmp(list.items[i].what, what) == 0) {
            return list.items[i].value;
        }
    }
    return NULL;
}

static const char *find_of(evidence_list list, const char *output, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%.31s.%.31s", output, what);
    return find(list, "api", name);
}

static bool has_prefix(evidence_list list, const char *what, const char *prefix)
{
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.items[i].basis, "os") == 0 &&
            strcmp(list.items[i].what, what) == 0 &&
            strncmp(list.items[i].value, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    return false;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

OC_PRINTF(4, 5)
static bool decide(oc__placement_result *result, oc_verdict verdict, const char *reason,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result->verdict = verdict;
    result->reason = reason;
    vsnprintf(result->detail, sizeof result->detail, format, arguments);
    va_end(arguments);
    return true;
}

/* What the plugin says of one output buffer. True: decided. */
static bool judge_output(const char *requested, evidence_list list, const char *name,
                         oc__placement_result *result)
{
    const char *platform = find_of(list, name, "platform");
    const char *device = find_of(list, name, "device");
    const char *memory = find_of(list, name, "memory");
    const char *own_device = find_of(list, name, "requested_device");
    const char *wanted_device =
        own_device ? own_device : find(list, "api", "requested.device");
    const char *wanted_memory = find(list, "api", "requested.memory");
    if (!platform || !device) {
        return decide(result, OC_FAIL, "not_reached",
                      "requested %s, but %s has no completed output", requested, name);
    }
    if (!same(platform, requested)) {
        return decide(
            result, OC_FAIL, "platform_differs",
            "requested and observed platform disagree: requested %s, observed "
            "%s (%s on %s)",
            requested, platform, name, device);
    }
    if (!same(find_of(list, name, "device_listed"), "yes")) {
        return decide(result, OC_FAIL, "device_foreign",
                      "the owner of %s is no device of the %s client", name, platform);
    }
    if (!same(device, wanted_device)) {
        return decide(result, OC_FAIL, "device_differs",
                      "%s lies on %s, requested was %s", name, device,
                      wanted_device ? wanted_device : "a device that was not named");
    }
    if (!same(memory, wanted_memory)) {
        return decide(result, OC_FAIL, "memory_differs",
                      "%s lies in memory '%s' of %s, not in its default '%s'", name,
                      memory ? memory : "none", device,
                      wanted_memory ? wanted_memory : "none");
    }
    return false;
}

/* What the kernel shows of an accelerator. True: decided. */
static bool judge_machine(const char *requested, evidence_list list,
                          oc__placement_result *result)
{
    if (strcmp(requested, "cpu") == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof accelerators / sizeof *accelerators; i++) {
        const accelerator *known = &accelerators[i];
        if (strcmp(known->platform, requested) != 0) {
            continue;
        }
        bool node = false;
        for (size_t j = 0; j < 3 && known->node_prefixes[j]; j++) {
            node = node || has_prefix(list, "device_node", known->node_prefixes[j]);
        }
        bool pci = has_prefix(list, "pci_device", known->pci_vendor);
        if (!node && !pci) {
            return decide(result, OC_FAIL, "contradicted",
                          "the client calls itself %s, but its process holds no %s "
                          "device node and the machine has no such PCI device",
                          requested, requested);
        }
        if (!node || !pci) {
            return decide(result, OC_UNKNOWN, "os_silent",
                          "the client calls itself %s; %s", requested,
                          node ? "its process holds a device node, but the machine "
                                 "shows no such PCI device"
                               : "the machine has such a PCI device, but the process "
                                 "holds no device node");
        }
        return false;
    }
    return decide(
        result, OC_UNKNOWN, "os_silent",
        "the client calls itself %s; onchip knows no operating-system evidence "
        "for that platform",
        requested);
}

oc__placement_case oc__placement_of_check(const oc__receipt *receipt)
{
    return (oc__placement_case){.requested = receipt->expected,
                                .outputs = oc__execution_names,
                                .output_count = OC__EXECUTIONS,
                                .evidence = receipt->evidence,
                                .evidence_count = receipt->evidence_count};
}

oc__placement_case oc__placement_of_run(const oc__run_receipt *receipt,
                                        const char ***out_names)
{
    enum { NAME_BYTES = 24 };
    size_t count = receipt->output_count;
    // The names stand behind the pointers to them.
    *out_names = calloc(count + 1, sizeof **out_names + NAME_BYTES);
    for (size_t i = 0; *out_names && i < count; i++) {
        char *name = (char *)(*out_names + count + 1) + i * NAME_BYTES;
        snprintf(name, NAME_BYTES, "out%zu", i);
        (*out_names)[i] = name;
    }
    return (oc__placement_case){.requested = receipt->expected,
                                .outputs = *out_names,
                                .output_count = *out_names ? count : 0,
                                .evidence = receipt->evidence,
                                .evidence_count = receipt->evidence_count};
}

oc__placement_case oc__placement_of_launch(const oc__launch_receipt *receipt)
{
    static const char *const outputs[] = {"state"};
    return (oc__placement_case){.requested = receipt->expected,
                                .outputs = outputs,
                                .output_count = 1,
                                .evidence = receipt->evidence,
                                .evidence_count = receipt->evidence_count};
}

void oc__placement_judge(const oc__placement_case *wanted,
                         oc__placement_result *out_result)
{
    const char *requested = wanted->requested;
    evidence_list list = {wanted->evidence, wanted->evidence_count};
    *out_result = (oc__placement_result){0};
    for (size_t i = 0; i < wanted->output_count; i++) {
        if (judge_output(requested, list, wanted->outputs[i], out_result)) {
            return;
        }
    }
    if (judge_machine(requested, list, out_result)) {
        return;
    }
    if (!find(list, "os", "plugin_mapped") || !find(list, "hash", "plugin_sha256")) {
        decide(out_result, OC_UNKNOWN, "plugin_unmapped",
               "the plugin's file was not seen mapped in the process that executed");
        return;
    }
    bool own_devices = find_of(list, wanted->outputs[0], "requested_device") != NULL;
    decide(out_result, OC_PASS, "observed",
           "requested %s, observed %s: every completed output lies on %s", requested,
           find_of(list, wanted->outputs[0], "platform"),
           own_devices ? "the device asked for it"
                       : find(list, "api", "requested.device"));
}

bool oc__placement_refutes_other(const oc__placement_case *wanted, char *out_detail,
                                 size_t detail_size)
{
    const char *other = strcmp(wanted->requested, "tpu") == 0 ? "cpu" : "tpu";
    size_t count = wanted->evidence_count;
    oc__evidence *wrong = calloc(count + 1, sizeof *wrong);
    if (!wrong) {
        snprintf(out_detail, detail_size, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        wrong[i] = wanted->evidence[i];
        const char *member = strrchr(wrong[i].what, '.');
        if (member && strcmp(member, ".platform") == 0) {
            wrong[i].value = other;
        }
    }
    oc__placement_result result;
    oc__placement_case altered = *wanted;
    altered.evidence = wrong;
    altered.evidence_count = count;
    oc__placement_judge(&altered, &result);
    snprintf(out_detail, detail_size, "%s", result.detail);
    free(wrong);
    return result.verdict == OC_FAIL && strcmp(result.reason, "platform_differs") == 0;
}

const char *oc__placement_shards(const oc__shard *shards, size_t count,
                                 size_t *out_index)
{
    int64_t next_row = 0;
    for (size_t i = 0; i < count; i++) {
        const oc__shard *shard = &shards[i];
        *out_index = i;
        if (shard->first_row != next_row || shard->rows < 0) {
            return "does not hold its own rows of X";
        }
        if (!shard->read_back_equal) {
            return "did not come back unchanged";
        }
        next_row += shard->rows;
        for (size_t k = 0; k < i; k++) {
            if (same(shard->device, shards[k].device) ||
                same(shard->output_device, shards[k].output_device)) {
                return "shares its device with an earlier one";
            }
        }
    }
    return next_row == OC__ROWS ? NULL : "does not end with the last row of X";
}
