#include "base/utf8.h"

#include <string.h>

size_t oc__utf8_sequence(const char *at, size_t left)
{
    unsigned char first = left > 0 ? (unsigned char)at[0] : 0xFF;
    size_t length = first < 0x80                    ? 1
                    : first >= 0xC2 && first < 0xE0 ? 2
                    : first >= 0xE0 && first < 0xF0 ? 3
                    : first >= 0xF0 && first < 0xF5 ? 4
                                                    : 0;
    if (length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)at[i], low = 0x80, high = 0xBF;
        if (i == 1) {
            low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : low;
            high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : high;
        }
        if (next < low || next > high) {
            return 0;
        }
    }
    return length;
}

size_t oc__utf8_clean(const char *text, char *out)
{
    static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD
    size_t size = 0, left = strlen(text);
    while (left > 0) {
        size_t length = oc__utf8_sequence(text, left);
        const char *piece = length > 0 ? text : replacement;
        size_t piece_length = length > 0 ? length : sizeof replacement - 1;
        if (out) {
            memcpy(out + size, piece, piece_length);
        }
        size += piece_length;
        length = length > 0 ? length : 1;
        text += length;
        left -= length;
    }
    if (out) {
        out[size] = '\0';
    }
    return size + 1;
}
