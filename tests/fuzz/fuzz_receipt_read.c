/* The strict reader of receipts. What it accepts says the same when it is written
 * again, and that text is a fixed point: read and written once more it is the same
 * bytes. */
#include "receipt/receipt.h"
#include "same_document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oc__receipt *receipt = NULL;
    oc__receipt *again = NULL;
    oc_error err = {0};
    if (oc__receipt_read((const char *)data, size, "input", &receipt, &err) != OC_OK) {
        if (receipt || err.status == OC_OK || err.text[0] == '\0') {
            abort();
        }
        return 0;
    }
    char *text = oc__receipt_text(receipt);
    if (!text ||
        oc__receipt_read(text, strlen(text), "output", &again, &err) != OC_OK) {
        abort();
    }
    check_same_document(data, size, text, NULL);
    char *text_again = oc__receipt_text(again);
    if (!text_again || strcmp(text, text_again) != 0) {
        abort();
    }
    free(text_again);
    free(text);
    oc__receipt_free(again);
    oc__receipt_free(receipt);
    return 0;
}
