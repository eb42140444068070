/* Stage 3: what the learner's file says of the run, against what was observed. */
#ifndef AUDIT_TESTS_STAGE_EVIDENCE_H
#define AUDIT_TESTS_STAGE_EVIDENCE_H

#include "protocol.h"
#include "stage_participants.h"

#include <ctype.h>

typedef struct claim_words {
    const char *name;
    audit_status observed;
    const char *too_much;
    const char *too_little;
} claim_words;

/* What this harness has observed by now, and has not. */
static const claim_words claims[AUDIT_CLAIM_COUNT] = {
    [AUDIT_CPU_DISCOVERY] =
        {"CPU discovery", AUDIT_OBSERVED, "",
         "the runtime listed its CPU devices in this run: that was observed"},
    [AUDIT_LOCAL_ARITHMETIC] =
        {"local arithmetic", AUDIT_OBSERVED, "",
         "rounding and product were run here and are right: that was observed"},
    [AUDIT_TPU_TOPOLOGY] =
        {"TPU topology", AUDIT_UNVERIFIED,
         "claims more than was observed: the runtime listed CPU devices and no TPU",
         ""},
    [AUDIT_NATIVE_BF16] = {"native BF16 execution", AUDIT_UNVERIFIED,
                           "claims more than was observed: a BF16 element type is a "
                           "dtype path, no native "
                           "BF16 kernel",
                           ""},
    [AUDIT_ACCELERATOR_COLLECTIVES] = {"accelerator collectives", AUDIT_UNVERIFIED,
                                       "claims more than was observed: neither a "
                                       "simulated sum nor a CPU collective is "
                                       "an accelerator collective",
                                       ""}};

static const char *claim_word(audit_status status)
{
    switch ((int)status) {
    case AUDIT_UNVERIFIED: return "unverified";
    case AUDIT_SIMULATED: return "simulated";
    case AUDIT_OBSERVED: return "observed";
    default: return "no audit_status (not written?)";
    }
}

static void check_text(const char *function, const char *member, const char *text,
                       size_t size)
{
    const char *end = memchr(text, '\0', size);
    if (end == NULL || is_untouched(text, 1)) {
        fail(function, say("%s: a text that ends with a NUL", member),
             say("%zu bytes without one", size), "was this member written?");
    }
    for (; text < end; text++) {
        if (*text < 0x20 || *text > 0x7e) {
            fail(function, say("%s: printable ASCII", member),
                 say("a byte 0x%02x", (unsigned)(unsigned char)*text), "");
        }
    }
}

static void check_word(const char *function, const char *member, const char *text,
                       const char *observed, const char *hint)
{
    check_text(function, member, text, AUDIT_NAME);
    if (strcmp(text, observed) != 0) {
        fail(function, say("%s: \"%s\"", member, observed), say("\"%s\"", text), hint);
    }
}

static void check_scope(const char *function, const char *scope)
{
    char lower[AUDIT_SCOPE];
    check_text(function, "scope", scope, AUDIT_SCOPE);
    for (size_t i = 0; i < AUDIT_SCOPE; i++) {
        lower[i] = (char)tolower((unsigned char)scope[i]);
    }
    if (scope[strspn(scope, " ")] == '\0') {
        fail(
            function, say("a scope statement"), say("an empty text"),
            "evidence without a scope can be read as more than it is: say on what this "
            "was run and what it does not show");
    }
    if (strstr(lower, "cpu") == NULL) {
        fail(function, say("a scope statement that names the CPU"),
             say("\"%.200s\"", scope),
             "the scope statement must say on what this was run: a CPU");
    }
}

static void check_claims(const char *function, const audit_status *said)
{
    for (size_t i = 0; i < AUDIT_CLAIM_COUNT; i++) {
        if (said[i] != claims[i].observed) {
            fail(function,
                 say("%s: %s", claims[i].name, claim_word(claims[i].observed)),
                 say("%s", claim_word(said[i])),
                 said[i] > claims[i].observed ? claims[i].too_much
                                              : claims[i].too_little);
        }
    }
}

static void check_description(const char *function, const audit_description *said)
{
    const oc_platform_info *platform = oc_device_platform(device);
    check_word(function, "backend", said->backend, platform->platform_name,
               "the backend is the one that the runtime reports");
    if (said->device_count != platform->device_count) {
        fail(function, say("device_count: %zu", platform->device_count),
             say("%zu", said->device_count), "the count is the runtime's device count");
    }
    for (size_t i = 0; i < platform->device_count; i++) {
        check_word(function, "device", said->devices[i], platform->devices[i].string,
                   "");
    }
    check_word(function, "storage_dtype", said->storage_dtype, oc_dtype_name(OC_BF16),
               "the weights are stored as BF16");
    check_word(
        function, "operand_dtype", said->operand_dtype, oc_dtype_name(OC_F32),
        "the weights are converted back before they are multiplied: the operands "
        "are float32");
    check_word(function, "result_dtype", said->result_dtype, oc_dtype_name(OC_F32),
               "the product is not rounded to BF16: it is float32");
    check_scope(function, said->scope);
    check_claims(function, said->claims);
}

static void note_version(const char *key, const char *text)
{
    if (text != NULL) {
        send_line("note %s\t%s", key, say("%s", text).text);
    }
}

/* The fields of the evidence: what was observed here, and the scope in the learner's
 * words. */
static void note_evidence(const char *scope, const collective *seen)
{
    const oc_platform_info *platform = oc_device_platform(device);
    send_line("note backend\t%s", platform->platform_name);
    send_line("note device_count\t%zu", platform->device_count);
    for (size_t i = 0; i < platform->device_count; i++) {
        send_line("note device\t%s", platform->devices[i].string);
    }
    send_line("note storage_dtype\t%s", oc_dtype_name(OC_BF16));
    send_line("note operand_dtype\t%s", oc_dtype_name(OC_F32));
    send_line("note result_dtype\t%s", oc_dtype_name(OC_F32));
    send_line("note scope\t%s", scope);
    send_line("note simulated_sum\t%lld", (long long)sums[0].sum);
    send_line("note simulated_sum_without\t%lld", (long long)sums[1].sum);
    send_line("note collective_sum\t%lld", (long long)seen->sum);
    for (size_t i = 0; i < PARTICIPANTS; i++) {
        send_line("note collective_devices\t%s", seen->devices[i]);
    }
    send_line("note matmul_exact\ttrue");
    note_version("pjrt_api", platform->pjrt_api);
    note_version("stablehlo", platform->stablehlo);
    note_version("platform_version", platform->platform_version);
    note_version("plugin_name", platform->plugin_name);
    note_version("plugin_sha256", platform->plugin_sha256);
    note_version("plugin_build_id", platform->plugin_build_id);
}

static void stage_evidence(const collective *seen, audit_description *out)
{
    static const char function[] = "audit_describe";
    block lent = block_make(sizeof *out);
    calling(function);
    expect_ok(
        function, audit_describe(device, lent.data),
        "still to be written: a description of this run, no more than was observed");
    memcpy(out, lent.data, sizeof *out);
    block_free(&lent, function);
    check_description(function, out);
    note_evidence(out->scope, seen);
}

#endif
