/* Documents of JSON that say the same. */
#ifndef ONCHIP_TESTS_SAME_DOCUMENT_H
#define ONCHIP_TESTS_SAME_DOCUMENT_H

#include "base/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Equal in value; a number may be written as an integer or a real. */
static inline bool same_value(const json_t *a, const json_t *b)
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

/* Ends the program unless both texts are documents that say the same; a member `but`
 * (NULL: none) is not looked at. */
static inline void check_same_document(const uint8_t *data, size_t size,
                                       const char *text, const char *but)
{
    json_t *before = NULL;
    json_t *after = NULL;
    if (oc__json_parse((const char *)data, size, "input", &before, NULL) != OC_OK ||
        oc__json_parse(text, strlen(text), "output", &after, NULL) != OC_OK ||
        (but &&
         (json_object_del(before, but) != 0 || json_object_del(after, but) != 0)) ||
        !same_value(before, after)) {
        abort();
    }
    json_decref(before);
    json_decref(after);
}

#endif
