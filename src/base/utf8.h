/* Text from anywhere, made fit for JSON. */
#ifndef ONCHIP_BASE_UTF8_H
#define ONCHIP_BASE_UTF8_H

#include <stddef.h>

/* The bytes of the UTF-8 sequence at `at`, at most `left`; 0 when there is none (RFC
 * 3629, section 4). */
size_t oc__utf8_sequence(const char *at, size_t left);

/* Copies text with each byte that belongs to no UTF-8 sequence replaced by U+FFFD, and
 * yields the size of the copy with its NUL. `out` NULL: only that. At most 3 * strlen +
 * 1 bytes. */
size_t oc__utf8_clean(const char *text, char *out);

#endif
