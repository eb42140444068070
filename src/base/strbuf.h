/* A growing byte string with a hard maximum. It owns `data`, which is always
 * NUL-terminated once something was added (the NUL is not counted in `size`).
 *
 *     oc__strbuf text;
 *     oc__strbuf_init(&text, 4096);
 *     oc__strbuf_addf(&text, "%d rows", 8);
 *     if (text.failed) ...           // out of memory or past the maximum; size is
 * unchanged oc__strbuf_free(&text);
 */
#ifndef ONCHIP_BASE_STRBUF_H
#define ONCHIP_BASE_STRBUF_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc__strbuf {
    char *data;
    size_t size;
    size_t capacity;
    size_t max_size;
    bool failed; /* stays set: a text that lost a piece is not used as if it were whole
                  */
} oc__strbuf;

void oc__strbuf_init(oc__strbuf *buf, size_t max_size);
void oc__strbuf_add(oc__strbuf *buf, const void *bytes, size_t size);
OC_PRINTF(2, 3) void oc__strbuf_addf(oc__strbuf *buf, const char *format, ...);
void oc__strbuf_free(oc__strbuf *buf);

/* Multiplies sizes; false when the product does not fit. */
static inline bool oc__size_mul(size_t a, size_t b, size_t *out_product)
{
    return !__builtin_mul_overflow(a, b, out_product);
}

#endif
