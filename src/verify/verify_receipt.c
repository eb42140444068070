/* Decides a receipt of kind `check` again. The checks run in the order of `checks`;
 * each may rely on those before it. */
#include "receipt/claims.h"
#include "receipt/nonce.h"
#include "receipt/program.h"
#include "verify/receipt_checks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool check_reached(oc__verifier *verifier, const oc__receipt *receipt)
{
    for (size_t i = 0; i < OC__EXECUTIONS; i++) {
        if (!receipt->outputs[i].reached) {
            return oc__verify_fail(
                verifier, "run_failed", "boundary",
                "the run did not complete its %s: requested platform %.60s, boundary "
                "%s: %.480s",
                oc__execution_name((oc__execution)i), receipt->expected,
                oc_boundary_name(receipt->boundary),
                receipt->error_text ? receipt->error_text : "no error was recorded");
        }
    }
    return true;
}

static bool check_platform(oc__verifier *verifier, const oc__receipt *receipt)
{
    return oc__verify_platform(verifier, receipt->expected, receipt->platform);
}

static bool check_requested_as(oc__verifier *verifier, const oc__receipt *receipt)
{
    return oc__verify_requested_as(verifier, receipt->requested_as, receipt->expected);
}

static bool check_contract(oc__verifier *verifier, const oc__receipt *receipt)
{
    static const char *const prefixes[OC__EXECUTIONS] = {"", "changed_bias.",
                                                         "row_reversal."};
    for (size_t i = 0; i < OC__EXECUTIONS; i++) {
        if (!oc__verify_contract(verifier, prefixes[i], &receipt->outputs[i])) {
            return false;
        }
    }
    return true;
}

static bool check_nonce(oc__verifier *verifier, const oc__receipt *receipt)
{
    const char *demanded = verifier->options->nonce;
    if (demanded && (!receipt->nonce || strcasecmp(demanded, receipt->nonce) != 0)) {
        return oc__verify_fail(verifier, "nonce_differs", "nonce",
                               "nonce %.128s is demanded and the receipt answers "
                               "%.128s",
                               demanded, oc__verify_shown(receipt->nonce));
    }
    return true;
}

/* Bit for bit: also the sign of a zero must be the demanded one. */
static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static bool check_inputs(oc__verifier *verifier, const oc__receipt *receipt)
{
    float x[OC__ROWS * OC__FEATURES];
    float w[OC__FEATURES];
    float bias[2];
    const char *member = NULL;
    oc_status rc = oc__receipt_inputs(receipt->nonce, x, w, bias, NULL);
    OC_ASSERT(rc == OC_OK); // the reader took the nonce
    if (!same_bits(x, receipt->x, sizeof x)) {
        member = "inputs.x";
    } else if (!same_bits(w, receipt->w, sizeof w)) {
        member = "inputs.w";
    } else if (!same_bits(&bias[0], &receipt->bias[0], sizeof bias[0])) {
        member = "inputs.bias";
    } else if (!same_bits(&bias[1], &receipt->bias[1], sizeof bias[1])) {
        member = "changed_bias.bias";
    }
    if (member) {
        return oc__verify_fail(verifier, "inputs_differ", member,
                               "%s is not what the %s demands", member,
                               receipt->nonce ? "receipt's nonce" : "lesson");
    }
    return true;
}

static bool check_programs(oc__verifier *verifier, const oc__receipt *receipt)
{
    static const char *const members[2] = {"programs.predict", "programs.changed_bias"};
    for (size_t i = 0; i < 2; i++) {
        char program[OC__PROGRAM_TEXT];
        oc__receipt_program(program, sizeof program, receipt->bias[i]);
        if (!oc__verify_same(program, receipt->programs[i])) {
            return oc__verify_fail(verifier, "program_differs", members[i],
                                   "%s is not the program that this check runs",
                                   members[i]);
        }
    }
    return true;
}

static bool check_hash(oc__verifier *verifier, const char *member, const char *recorded,
                       const char *computed)
{
    return strcmp(recorded, computed) == 0 ||
           oc__verify_fail(verifier, "hash_differs", member,
                           "%s is %s, but the bytes in the receipt hash to %s", member,
                           recorded, computed);
}

static bool check_hashes(oc__verifier *verifier, const oc__receipt *receipt)
{
    static const char *const program_members[2] = {"hashes.program",
                                                   "hashes.changed_bias_program"};
    char programs[2][OC__SHA256_HEX];
    char inputs[OC__INPUTS][OC__SHA256_HEX];
    char member[64];
    bool equal = true;
    oc__receipt_hash_programs(receipt, programs);
    oc__receipt_hash_inputs(receipt, inputs);
    for (size_t i = 0; equal && i < 2; i++) {
        equal = check_hash(verifier, program_members[i], receipt->program_sha256[i],
                           programs[i]);
    }
    for (size_t i = 0; equal && i < OC__INPUTS; i++) {
        snprintf(member, sizeof member, "hashes.inputs[%zu].sha256", i);
        equal = check_hash(verifier, member, receipt->input_sha256[i], inputs[i]);
    }
    for (size_t i = 0; equal && i < OC__EXECUTIONS; i++) {
        const oc__output *output = &receipt->outputs[i];
        char computed[OC__SHA256_HEX];
        oc__sha256_hex(output->values, output->count * sizeof(float), computed);
        snprintf(member, sizeof member, "hashes.outputs[%zu].sha256", i);
        equal = check_hash(verifier, member, output->sha256, computed);
    }
    return equal;
}

static bool check_claims(oc__verifier *verifier, const oc__receipt *receipt)
{
    oc__claims claims;
    oc__receipt_derive_claims(receipt, &claims);
    return oc__verify_claims(verifier, claims.items, claims.count, receipt->claims,
                             receipt->claim_count);
}

static bool check_outcome(oc__verifier *verifier, const oc__receipt *receipt)
{
    if (receipt->process_index >= receipt->process_count) {
        return oc__verify_fail(verifier, "process_range", "process_index",
                               "process_index is not below process_count");
    }
    if (receipt->boundary != OC_BOUNDARY_NONE || receipt->error_status != OC_OK) {
        return oc__verify_fail(
            verifier, "run_failed", "boundary", "the run failed at boundary %s: %.480s",
            oc_boundary_name(receipt->boundary),
            receipt->error_text ? receipt->error_text : "no error was recorded");
    }
    return true;
}

static oc__verify_check *const checks[] = {
    check_reached,         check_platform,       check_requested_as,
    check_contract,        check_nonce,          check_inputs,
    check_programs,        oc__verify_numeric,   check_hashes,
    oc__verify_evidence,   oc__verify_placement, oc__verify_controls,
    oc__verify_collective, check_claims,         check_outcome,
};

void oc__verify_receipt(oc__verifier *verifier, const oc__receipt *receipt)
{
    snprintf(verifier->result->platform, sizeof verifier->result->platform, "%.63s",
             receipt->platform ? receipt->platform : "");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!checks[i](verifier, receipt)) {
            return;
        }
    }
    oc__verify_pass(
        verifier,
        "requested, observed and required platform agree (%.60s, %.80s); "
        "three predictions equal the reference bit for bit and all negative "
        "controls are refuted%s",
        receipt->platform, receipt->output_device,
        verifier->options->nonce ? "; the nonce is answered" : "");
}
