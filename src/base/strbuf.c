#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oc__strbuf_init(oc__strbuf *buf, size_t max_size)
{
    *buf = (oc__strbuf){.max_size = max_size};
}

static bool reserve(oc__strbuf *buf, size_t more)
{
    if (buf->failed || more > buf->max_size - buf->size) {
        buf->failed = true;
        return false;
    }
    size_t needed = buf->size + more + 1;
    if (needed <= buf->capacity) {
        return true;
    }
    size_t capacity = needed < 256 ? 256 : needed + needed / 2;
    char *data = realloc(buf->data, capacity);
    if (!data) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

void oc__strbuf_add(oc__strbuf *buf, const void *bytes, size_t size)
{
    if (!reserve(buf, size)) {
        return;
    }
    if (size > 0) {
        memcpy(buf->data + buf->size, bytes, size);
    }
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void oc__strbuf_addf(oc__strbuf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(buf, (size_t)length)) {
        buf->failed = true;
    } else {
        vsnprintf(buf->data + buf->size, (size_t)length + 1, format, again);
        buf->size += (size_t)length;
    }
    va_end(again);
}

void oc__strbuf_free(oc__strbuf *buf)
{
    free(buf->data);
    *buf = (oc__strbuf){.max_size = buf->max_size};
}
