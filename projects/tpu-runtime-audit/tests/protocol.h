/* How the harness speaks to `onchip audit`: lines on the descriptor that
 * ONCHIP_AUDIT_FD names, fields separated by tabs. Also the memory that it lends to the
 * learner's functions. */
#ifndef AUDIT_TESTS_PROTOCOL_H
#define AUDIT_TESTS_PROTOCOL_H

#include "audit.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 3072, WORDS_BYTES = 768 };

typedef struct words {
    char text[WORDS_BYTES];
} words;

static int channel = -1;
static oc_device *device; /* the harness's own; closed also after a failure */

/* What comes from the learner's functions may hold anything; only printable text
 * goes out. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text > 0x7e) {
            *text = '?';
        }
    }
}

static OC_PRINTF(1, 2) words say(const char *format, ...)
{
    words made;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(made.text, sizeof made.text, format, args);
    va_end(args);
    make_printable(made.text);
    return made;
}

static OC_PRINTF(1, 2) void send_line(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    size_t left = size < 0 ? 0 : (size_t)size;
    if (left > sizeof line - 2) {
        left = sizeof line - 2;
    }
    line[left++] = '\n';
    for (const char *next = line; left > 0;) {
        ssize_t written = write(channel, next, left);
        if (written <= 0) {
            _exit(OC_EXIT_ERROR); /* nobody listens, or the learner's file closed it */
        }
        next += written;
        left -= (size_t)written;
    }
}

/* The learner's own word for it. */
static const char *status_word(oc_status status)
{
    switch (status) {
    case OC_OK: return "OC_OK";
    case OC_INVALID_ARGUMENT: return "OC_INVALID_ARGUMENT";
    case OC_NOT_FOUND: return "OC_NOT_FOUND";
    case OC_LIMIT: return "OC_LIMIT";
    case OC_UNAVAILABLE: return "OC_UNAVAILABLE";
    case OC_PLUGIN: return "OC_PLUGIN";
    default: return oc_status_name(status);
    }
}

static void calling(const char *function)
{
    send_line("call %s", function);
}

static _Noreturn void fail(const char *function, words expected, words got,
                           const char *hint)
{
    send_line("fail %s\t%s\t%s\t%s", function, expected.text, got.text, hint);
    oc_device_close(device);
    _exit(OC_EXIT_FAIL);
}

/* Something of the harness's own did not work; the learner's file is not to blame. */
static _Noreturn void give_up(const char *function, oc_status status,
                              const oc_error *err)
{
    send_line("fail %s\t%s\t%s\t%s", function, "OC_OK", say("%s", err->text).text,
              "the check itself could not go on: this is no mistake of your file");
    oc_device_close(device);
    _exit((int)oc_status_exit(status, err->boundary));
}

/* Memory of exactly the size that is lent, filled with what no answer looks like. The
 * address sanitizer watches its surroundings and names the line; without it a guard on
 * either side is looked at afterwards. */
#if defined(__SANITIZE_ADDRESS__)
#define AUDIT_GUARD 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AUDIT_GUARD 0
#endif
#endif
#ifndef AUDIT_GUARD
#define AUDIT_GUARD 256
#endif

enum { GUARD_BYTE = 0xa5, GARBAGE_BYTE = 0x7f };

typedef struct block {
    unsigned char *base;
    void *data;
    size_t size;
} block;

static block block_make(size_t size)
{
    block made = {.base = malloc(size + 2 * AUDIT_GUARD), .size = size};
    if (made.base == NULL) {
        abort();
    }
    memset(made.base, GUARD_BYTE, size + 2 * AUDIT_GUARD);
    made.data = made.base + AUDIT_GUARD;
    memset(made.data, GARBAGE_BYTE, size);
    return made;
}

static block block_copy(const void *data, size_t size)
{
    block made = block_make(size);
    memcpy(made.data, data, size);
    return made;
}

static bool is_guard(const unsigned char *bytes)
{
    const unsigned char *end = bytes + AUDIT_GUARD;
    while (bytes != end && *bytes == GUARD_BYTE) {
        bytes++;
    }
    return bytes == end;
}

static void block_free(block *taken, const char *function)
{
    if (!is_guard(taken->base) || !is_guard(taken->base + AUDIT_GUARD + taken->size)) {
        fail(function, say("nothing written outside the %zu bytes", taken->size),
             say("bytes before or after them were changed"),
             "the function writes outside the memory that it was given");
    }
    free(taken->base);
}

static bool is_untouched(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != GARBAGE_BYTE) {
            return false;
        }
    }
    return true;
}

/* A status that must be OC_OK; the starter's functions answer OC_UNAVAILABLE. */
static void expect_ok(const char *function, oc_status status, const char *to_write)
{
    if (status != OC_OK) {
        fail(function, say("OC_OK"), say("%s", status_word(status)),
             status == OC_UNAVAILABLE ? to_write : "");
    }
}

#endif
