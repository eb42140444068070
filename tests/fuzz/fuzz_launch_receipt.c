/* The strict reader of a launch's receipt and its judge. What the reader accepts is
 * judged without trouble, and says the same when it is written again; that text is a
 * fixed point. */
#include "onchip/verify.h"
#include "receipt/launch_receipt.h"
#include "same_document.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In a folder that is not there, so that no file is read. */
static void check_judged(const uint8_t *data, size_t size)
{
    const oc_verify_options options = {.require = "cpu"};
    oc_verify_result result;
    if (oc_verify(data, size, "/nonexistent/input", &options, &result, NULL) != OC_OK ||
        result.verdict == OC_VERDICT_UNSET || result.verdict == OC_PASS) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oc__launch_receipt *receipt = NULL;
    oc__launch_receipt *again = NULL;
    oc_error err = {0};
    if (oc__launch_receipt_read((const char *)data, size, "input", &receipt, &err) !=
        OC_OK) {
        if (receipt || err.status == OC_OK || err.text[0] == '\0') {
            abort();
        }
        return 0;
    }
    check_judged(data, size);
    char *text = oc__launch_receipt_text(receipt);
    if (!text ||
        oc__launch_receipt_read(text, strlen(text), "output", &again, &err) != OC_OK) {
        abort();
    }
    check_same_document(data, size, text, "sha256"); // which is computed anew
    char *text_again = oc__launch_receipt_text(again);
    if (!text_again || strcmp(text, text_again) != 0) {
        abort();
    }
    free(text_again);
    free(text);
    oc__launch_receipt_free(again);
    oc__launch_receipt_free(receipt);
    return 0;
}
