#include "base/utf8.h"

#include <string.h>

/* The bytes of the UTF-8 sequence at `at`; 0 when there is none (RFC 3629, section 4).
 */
static size_t utf8_sequence(const unsigned char *at)
{
    unsigned char low = 0x80; // bounds of the second byte
    unsigned char high = 0xBF;
    size_t length;
    if (at[0] < 0x80) {
        return 1;
    }
    if (at[0] >= 0xC2 && at[0] <= 0xDF) {
        length = 2;
    } else if (at[0] >= 0xE0 && at[0] <= 0xEF) {
        length = 3;
        low = at[0] == 0xE0 ? 0xA0 : low;
        high = at[0] == 0xED ? 0x9F : high;
    } else if (at[0] >= 0xF0 && at[0] <= 0xF4) {
        length = 4;
        low = at[0] == 0xF0 ? 0x90 : low;
        high = at[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t oc__utf8_clean(const char *text, char *out)
{
    static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD
    size_t size = 0;
    while (*text) {
        size_t length = utf8_sequence((const unsigned char *)text);
        const char *piece = length > 0 ? text : replacement;
        size_t piece_length = length > 0 ? length : sizeof replacement - 1;
        if (out) {
            memcpy(out + size, piece, piece_length);
        }
        size += piece_length;
        text += length > 0 ? length : 1;
    }
    if (out) {
        out[size] = '\0';
    }
    return size + 1;
}
