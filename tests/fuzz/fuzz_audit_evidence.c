/* The strict reader of an audit's evidence and its judge. What the reader accepts is
 * judged without trouble, and what is written of it is a fixed point that passes unless
 * a rule other than those of the claims and the digest says no. */
#include "onchip/verify.h"
#include "receipt/audit_evidence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const char *text)
{
    const oc_verify_options options = {.require = "cpu"};
    oc_verify_result result;
    oc__audit_evidence *again = NULL;
    if (oc__audit_evidence_read(text, strlen(text), "output", &again, NULL) != OC_OK ||
        oc_verify(text, strlen(text), "output", &options, &result, NULL) != OC_OK ||
        strcmp(result.reason, "claims_differ") == 0 ||
        strcmp(result.reason, "hash_differs") == 0) {
        abort();
    }
    char *text_again = oc__audit_evidence_text(again);
    if (!text_again || strcmp(text, text_again) != 0) {
        abort();
    }
    free(text_again);
    oc__audit_evidence_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const oc_verify_options options = {.require = "cpu"};
    oc_verify_result result;
    oc__audit_evidence *evidence = NULL;
    oc_error err = {0};
    if (oc__audit_evidence_read((const char *)data, size, "input", &evidence, &err) !=
        OC_OK) {
        if (evidence || err.status == OC_OK || err.text[0] == '\0') {
            abort();
        }
        return 0;
    }
    if (oc_verify(data, size, "input", &options, &result, NULL) != OC_OK ||
        result.verdict == OC_VERDICT_UNSET) {
        abort();
    }
    char *text = oc__audit_evidence_text(evidence);
    if (!text) {
        abort();
    }
    check_written(text);
    free(text);
    oc__audit_evidence_free(evidence);
    return 0;
}
