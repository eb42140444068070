/* The strict reader of receipts. What it accepts says the same when it is written
 * again, and that text is a fixed point: read and written once more it is the same
 * bytes. */
#include "base/json.h"
#include "receipt/receipt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Equal in value; a number may be written as an integer or a real. */
static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        return json_number_value(a) == json_number_value(b);
    }
    if (json_typeof(a) != json_typeof(b)) {
        return false;
    }
    if (json_is_array(a)) {
        bool same = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; same && i < json_array_size(a); i++) {
            same = same_value(json_array_get(a, i), json_array_get(b, i));
        }
        return same;
    }
    if (json_is_object(a)) {
        bool same = json_object_size(a) == json_object_size(b);
        const char *key = NULL;
        const json_t *value = NULL;
        json_object_foreach((json_t *)a, key, value)
        {
            const json_t *other = json_object_get(b, key);
            same = same && other && same_value(value, other);
        }
        return same;
    }
    return json_equal(a, b);
}

static void check_same_document(const uint8_t *data, size_t size, const char *text)
{
    json_t *before = NULL;
    json_t *after = NULL;
    if (oc__json_parse((const char *)data, size, "input", &before, NULL) != OC_OK ||
        oc__json_parse(text, strlen(text), "output", &after, NULL) != OC_OK ||
        !same_value(before, after)) {
        abort();
    }
    json_decref(before);
    json_decref(after);
}

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
    check_same_document(data, size, text);
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
