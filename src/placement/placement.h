/* The placement verdict: did the work run on the device that was asked for?
 *
 * It is decided from evidence alone, so that the runner and the verifier decide by the
 * same code. What the evidence may say (`what`), with E the name of an
 * output (an execution of `check`, out0, out1, ... of `run`, the state of `launch`):
 *
 *   basis api
 *     E.platform        platform name of the client that owns the output buffer
 *     E.device          device string of the output buffer
 *     E.device_listed   "yes" when that device is in its client's list, else "no"
 *     E.memory          memory kind of the output buffer
 *     E.requested_device  device asked for where each output has its own
 *     requested.device  device string of the device asked for (the first)
 *     requested.memory  the default memory kind of that device
 *     device_kind       kind of that device, e.g. "TPU v5 lite"
 *   basis os
 *     plugin_mapped     the plugin's file, mapped in the worker's address space
 *     device_node       a device node that the worker holds open (0 or more)
 *     pci_device        "vendor:device address" of an accelerator (0 or more)
 *   basis hash
 *     plugin_sha256     of the mapped file
 *
 * Rules, in order; the first that applies decides:
 *   FAIL     not_reached       an execution did not complete: it has no platform
 *   FAIL     platform_differs  requested and observed platform disagree
 *   FAIL     device_foreign    the owner is not a device of the client
 *   FAIL     device_differs    the output lies on another device
 *   FAIL     memory_differs    the output lies in another memory of the device
 *   FAIL     contradicted      platform tpu, cuda or rocm, but the worker holds no
 *                              such node and the machine has no such PCI device
 *   UNKNOWN  os_silent         only one of the two is there, or onchip knows no
 *                              operating-system evidence for the platform
 *   UNKNOWN  plugin_unmapped   the plugin's file is not mapped in the worker
 *   PASS     observed
 */
#ifndef ONCHIP_PLACEMENT_PLACEMENT_H
#define ONCHIP_PLACEMENT_PLACEMENT_H

#include "receipt/launch_receipt.h"
#include "receipt/run_receipt.h"

typedef struct oc__placement_result {
    oc_verdict verdict;
    const char *reason; /* one of the words above; static text */
    char detail[512];   /* a sentence that names requested and observed */
} oc__placement_result;

/* What is judged. At least one output. */
typedef struct oc__placement_case {
    const char *requested;      /* platform */
    const char *const *outputs; /* their names, E above */
    size_t output_count;
    const oc__evidence *evidence;
    size_t evidence_count;
} oc__placement_case;

/* The case of a receipt of kind `check`: its three executions. It points into the
 * receipt. */
oc__placement_case oc__placement_of_check(const oc__receipt *receipt);

/* The case of a receipt of kind `run`: out0, out1, ... It points into the receipt and
 * into *out_names, which is the caller's to free; that is NULL when memory runs out. */
oc__placement_case oc__placement_of_run(const oc__run_receipt *receipt,
                                        const char ***out_names);

/* The case of a receipt of kind `launch`: its state. It points into the receipt. */
oc__placement_case oc__placement_of_launch(const oc__launch_receipt *receipt);

void oc__placement_judge(const oc__placement_case *wanted,
                         oc__placement_result *out_result);

/* The negative control: the same evidence with the other platform (tpu, or cpu where
 * tpu was requested) as what every output reports. True when the judge refutes it, with
 * its sentence in out_detail; false also when memory runs out. */
bool oc__placement_refutes_other(const oc__placement_case *wanted, char *out_detail,
                                 size_t detail_size);

/* Of --devices N: the shards hold all rows of X in order and came back unchanged, each
 * shard and each all-reduced output on a device of its own. NULL when that holds, else
 * a static sentence, with the shard to blame in *out_index. */
const char *oc__placement_shards(const oc__shard *shards, size_t count,
                                 size_t *out_index);

#endif
