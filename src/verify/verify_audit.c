/* Decides the evidence of an audit again. The checks run in the order of `checks`; the
 * digest comes last, so that a changed member is named where a rule knows it. */
#include "verify/receipt_checks.h"

#include <stdio.h>
#include <string.h>

typedef bool audit_check(oc__verifier *verifier, const oc__audit_evidence *evidence);

static bool check_nonce(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    (void)evidence;
    return !verifier->options->nonce ||
           oc__verify_fail(verifier, "nonce_differs", "kind",
                           "nonce %.128s is demanded and an audit answers none",
                           verifier->options->nonce);
}

/* An audit keeps what a CPU showed; it is no evidence for another platform. */
static bool check_backend(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    const char *require = verifier->options->require;
    if (strcmp(evidence->backend, "cpu") != 0) {
        return oc__verify_fail(verifier, "platform_differs", "backend",
                               "backend is %.60s, and an audit is of cpu",
                               evidence->backend);
    }
    return strcmp(require, evidence->backend) == 0 ||
           oc__verify_fail(verifier, "platform_differs", "backend",
                           "backend is cpu, required %.60s: an audit supports no claim "
                           "on another platform",
                           require);
}

/* FAIL unless each text is there and no two are equal. */
static bool check_distinct(oc__verifier *verifier, const char *reason,
                           const char *member, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool occurred = texts[i][0] == '\0';
        for (size_t k = 0; k < i; k++) {
            occurred = occurred || strcmp(texts[i], texts[k]) == 0;
        }
        if (occurred) {
            char path[64];
            snprintf(path, sizeof path, "%s[%zu]", member, i);
            return oc__verify_fail(verifier, reason, path,
                                   "%s is '%.80s', which is empty or another's name",
                                   path, texts[i]);
        }
    }
    return true;
}

static bool check_devices(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    size_t count = oc__audit_count(evidence->devices, OC__AUDIT_DEVICES);
    if (evidence->device_count < 1 || (uint64_t)evidence->device_count != count) {
        return oc__verify_fail(
            verifier, "device_count_differs", "device_count",
            "device_count is %lld, and devices names %zu; it must be "
            "one or more",
            (long long)evidence->device_count, count);
    }
    return check_distinct(verifier, "device_count_differs", "devices",
                          evidence->devices, count);
}

static bool check_dtypes(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    const struct {
        const char *member;
        const char *value;
        const char *wanted;
    } dtypes[] = {
        {"storage_dtype", evidence->storage_dtype, "bfloat16"},
        {"operand_dtype", evidence->operand_dtype, "float32"},
        {"result_dtype", evidence->result_dtype, "float32"},
    };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(dtypes[i].value, dtypes[i].wanted) != 0) {
            return oc__verify_fail(verifier, "dtype_differs", dtypes[i].member,
                                   "%s is %.40s, must be %s", dtypes[i].member,
                                   dtypes[i].value, dtypes[i].wanted);
        }
    }
    return evidence->matmul_exact ||
           oc__verify_fail(verifier, "value_differs", "matmul.exact",
                           "matmul.exact is false: the product was not right");
}

static bool check_participants(oc__verifier *verifier, const char *member,
                               const int64_t *participants)
{
    for (int i = 0; i < OC__AUDIT_PARTICIPANTS; i++) {
        if (participants[i] != i + 1) {
            char path[64];
            snprintf(path, sizeof path, "%s[%d]", member, i);
            return oc__verify_fail(verifier, "participants_differ", path,
                                   "%s is %lld, must be %d", path,
                                   (long long)participants[i], i + 1);
        }
    }
    return true;
}

static bool check_sum(oc__verifier *verifier, const char *reason, const char *member,
                      int64_t recorded, int64_t sum)
{
    return recorded == sum ||
           oc__verify_fail(verifier, reason, member,
                           "%s is %lld, but the participants give %lld", member,
                           (long long)recorded, (long long)sum);
}

static bool check_simulated(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    const int64_t *participants = evidence->simulated_participants;
    int64_t without = evidence->simulated_without_index;
    if (without != OC__AUDIT_WITHOUT_INDEX) {
        return oc__verify_fail(verifier, "participants_differ",
                               "simulated.without_index",
                               "simulated.without_index is %lld, must be %d",
                               (long long)without, OC__AUDIT_WITHOUT_INDEX);
    }
    return check_participants(verifier, "simulated.participants", participants) &&
           check_sum(verifier, "sum_differs", "simulated.sum", evidence->simulated_sum,
                     oc__audit_sum(participants, -1)) &&
           check_sum(verifier, "sum_differs", "simulated.sum_without",
                     evidence->simulated_sum_without,
                     oc__audit_sum(participants, without));
}

static bool check_collective(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    static const char reason[] = "collective_wrong";
    const int64_t *participants = evidence->collective_participants;
    const char *kind = oc__receipt_collective_kind(evidence->backend);
    size_t devices =
        oc__audit_count(evidence->collective_devices, OC__AUDIT_PARTICIPANTS);
    if (strcmp(evidence->collective_kind, kind) != 0) {
        return oc__verify_fail(verifier, reason, "collective.kind",
                               "collective.kind is '%.40s', must be '%s'",
                               evidence->collective_kind, kind);
    }
    if (devices != OC__AUDIT_PARTICIPANTS) {
        return oc__verify_fail(verifier, reason, "collective.devices",
                               "collective.devices names %zu devices, must be %d",
                               devices, OC__AUDIT_PARTICIPANTS);
    }
    return check_participants(verifier, "collective.participants", participants) &&
           check_sum(verifier, reason, "collective.sum", evidence->collective_sum,
                     oc__audit_sum(participants, -1)) &&
           check_distinct(verifier, reason, "collective.devices",
                          evidence->collective_devices, devices);
}

static bool fail_added(oc__verifier *verifier, size_t index, const char *member,
                       const char *why)
{
    char path[64];
    snprintf(path, sizeof path, "added_receipts[%zu].%s", index, member);
    return oc__verify_fail(verifier, "added_receipt_wrong", path, "%s %s", path, why);
}

static bool check_added(oc__verifier *verifier, const oc__audit_evidence *evidence,
                        size_t index)
{
    const oc__audit_receipt *added = &evidence->added_receipts[index];
    size_t devices = oc__audit_count(added->devices, OC__MAX_SHARDS);
    const char *supports[OC__AUDIT_SUPPORTS];
    char member[64];
    for (size_t i = 0; i < index; i++) {
        if (strcmp(evidence->added_receipts[i].sha256, added->sha256) == 0) {
            return fail_added(verifier, index, "sha256", "is another one's");
        }
    }
    if (added->verdict != OC_PASS) {
        return fail_added(verifier, index, "verdict", "must be PASS");
    }
    if (devices == 0) {
        return fail_added(verifier, index, "devices", "names no device");
    }
    snprintf(member, sizeof member, "added_receipts[%zu].devices", index);
    if (!check_distinct(verifier, "added_receipt_wrong", member, added->devices,
                        devices)) {
        return false;
    }
    oc__audit_derive_supports(added, supports);
    for (size_t i = 0; i < OC__AUDIT_SUPPORTS; i++) {
        if (strcmp(oc__verify_shown(added->supports[i]),
                   oc__verify_shown(supports[i])) != 0) {
            return fail_added(verifier, index, "supports",
                              "is not what its platform, devices and kind support");
        }
    }
    return true;
}

static bool check_added_receipts(oc__verifier *verifier,
                                 const oc__audit_evidence *evidence)
{
    bool holds = true;
    for (size_t i = 0; holds && i < evidence->added_receipt_count; i++) {
        holds = check_added(verifier, evidence, i);
    }
    return holds;
}

static bool check_claims(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    oc__audit_claims claims;
    oc__audit_derive_claims(evidence, &claims);
    if (evidence->claim_count != OC__AUDIT_CLAIMS) {
        return oc__verify_fail(verifier, "claims_differ", "claims",
                               "%zu claims are made, must be %d", evidence->claim_count,
                               OC__AUDIT_CLAIMS);
    }
    for (size_t i = 0; i < OC__AUDIT_CLAIMS; i++) {
        const oc__claim *made = &evidence->claims[i];
        const oc__claim *borne = &claims.items[i];
        if (strcmp(made->statement, borne->statement) != 0 ||
            strcmp(made->status, borne->status) != 0 ||
            strcmp(made->evidence, borne->evidence) != 0) {
            char path[32];
            snprintf(path, sizeof path, "claims[%zu]", i);
            return oc__verify_fail(verifier, "claims_differ", path,
                                   "%s is not the claim that the other members bear: "
                                   "%.200s (%s)",
                                   path, borne->statement, borne->status);
        }
    }
    return true;
}

static bool check_digest(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    char computed[OC__SHA256_HEX];
    if (!oc__audit_evidence_digest(evidence, computed)) {
        return oc__verify_unknown(verifier, "out_of_memory", "sha256",
                                  "memory ran out before the digest was known");
    }
    return strcmp(evidence->sha256, computed) == 0 ||
           oc__verify_fail(verifier, "hash_differs", "sha256",
                           "sha256 is %s, but the members before it hash to %s: one of "
                           "them was changed",
                           evidence->sha256, computed);
}

/* The part of each statement before its colon, of the claims with this status. */
static void list_claims(const oc__audit_evidence *evidence, const char *status,
                        char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < evidence->claim_count && used < size; i++) {
        const oc__claim *claim = &evidence->claims[i];
        if (strcmp(claim->status, status) == 0) {
            used += (size_t)snprintf(
                out + used, size - used, "%s%.*s", used > 0 ? ", " : "",
                (int)strcspn(claim->statement, ":"), claim->statement);
        }
    }
}

static audit_check *const checks[] = {
    check_nonce,          check_backend,   check_devices,
    check_dtypes,         check_simulated, check_collective,
    check_added_receipts, check_claims,    check_digest,
};

void oc__verify_audit(oc__verifier *verifier, const oc__audit_evidence *evidence)
{
    char observed[200];
    char simulated[100];
    char unverified[200];
    snprintf(verifier->result->platform, sizeof verifier->result->platform, "%.63s",
             evidence->backend);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!checks[i](verifier, evidence)) {
            return;
        }
    }
    list_claims(evidence, "observed", observed, sizeof observed);
    list_claims(evidence, "simulated", simulated, sizeof simulated);
    list_claims(evidence, "unverified", unverified, sizeof unverified);
    oc__verify_pass(verifier,
                    "the audit of %s agrees with itself and claims no more than it "
                    "holds; observed: %s; simulated: %s; unverified: %s",
                    evidence->backend, observed, simulated, unverified);
}
