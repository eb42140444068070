/* The text as a whole: places, errors, memory, and the meaning of small tokens. */
#include "stablehlo/parser_inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void oc__parse_place(oc__parser *p, const char *at, size_t *out_line,
                     size_t *out_column)
{
    if (!p->line_at || at < p->line_at) {
        p->line_at = p->line_start = p->text;
        p->line = 1;
    }
    for (;;) {
        const char *newline = memchr(p->line_at, '\n', (size_t)(at - p->line_at));
        if (!newline) {
            break;
        }
        p->line++;
        p->line_at = p->line_start = newline + 1;
    }
    p->line_at = at;
    *out_line = p->line;
    *out_column = (size_t)(at - p->line_start) + 1;
}

/* A piece of the text made fit for a terminal: blanks for control characters, one '?'
 * for each character beyond ASCII. Yields the size without the NUL. */
static size_t printable(char *out, size_t room, const char *at, const char *end)
{
    size_t size = 0;
    for (; at < end && size + 1 < room; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f) {
            out[size++] = ' ';
        } else if (c < 0x80) {
            out[size++] = (char)c;
        } else if (c >= 0xC0) {
            out[size++] = '?';
        }
    }
    out[size] = '\0';
    return size;
}

bool oc__parse_fail(oc__parser *p, oc_status status, const char *at, const char *format,
                    ...)
{
    enum { BEFORE = 60, WIDTH = 100 };
    char message[1024], before[WIDTH + 1], after[WIDTH + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    size_t line, column;
    oc__parse_place(p, at, &line, &column);
    const char *start = p->line_start;
    const char *stop = memchr(at, '\n', (size_t)(p->end - at));
    stop = stop ? stop : p->end;
    const char *from = at - start > BEFORE ? at - BEFORE : start;
    const char *to = stop - from > WIDTH ? from + WIDTH : stop;
    int indent = (int)printable(before, sizeof before, from, at);
    printable(after, sizeof after, at, to);
    const char *cut = from > start ? "..." : "";
    oc__ignore(OC_FAIL(p->err, status, OC_BOUNDARY_INPUT,
                       "%s:%zu:%zu: %s\n    %s%s%s%s\n    %*s^", p->file, line, column,
                       message, cut, before, after, to < stop ? "..." : "",
                       indent + (int)strlen(cut), ""));
    return false;
}

bool oc__parse_expected(oc__parser *p, const char *what)
{
    char found[48];
    const oc__token *token = &p->token;
    if (token->kind == OC__TOKEN_END) {
        return oc__parse_fail(p, OC_PARSE, token->at,
                              "expected %s, found the end of the text", what);
    }
    printable(found, sizeof found, token->at, token->at + token->size);
    return oc__parse_fail(p, OC_PARSE, token->at, "expected %s, found '%s%s'", what,
                          found, token->size >= sizeof found ? "..." : "");
}

bool oc__parse_enter(oc__parser *p)
{
    if (p->depth == OC__HLO_MAX_DEPTH) {
        return oc__parse_fail(p, OC_LIMIT, p->token.at,
                              "nested more than %d deep: onchip reads no further",
                              OC__HLO_MAX_DEPTH);
    }
    p->depth++;
    return true;
}

void oc__parse_leave(oc__parser *p)
{
    p->depth--;
}

void *oc__parse_take(oc__parser *p, size_t count, size_t size)
{
    void *taken = oc__arena_take(p->arena, count, size);
    if (!taken) {
        oc__parse_fail(p, OC_NOMEM, p->token.at, "out of memory");
    }
    return taken;
}

void *oc__list_grow(oc__parser *p, const void *list, size_t count, size_t size)
{
    bool full = count == 0 || (count > 1 && (count & (count - 1)) == 0);
    if (!full) {
        return (void *)(uintptr_t)list;
    }
    void *longer = oc__parse_take(p, count ? 2 * count : 2, size);
    if (longer && count) {
        memcpy(longer, list, count * size);
    }
    return longer;
}

const char *oc__parse_copy(oc__parser *p, const char *at, size_t size)
{
    return oc__parse_join(p, at, size, NULL, 0);
}

char *oc__parse_join(oc__parser *p, const char *a, size_t a_size, const char *b,
                     size_t b_size)
{
    char *joined = oc__parse_take(p, a_size + b_size + 1, 1);
    if (joined && a_size) {
        memcpy(joined, a, a_size);
    }
    if (joined && b_size) {
        memcpy(joined + a_size, b, b_size);
    }
    return joined;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "..." with \n \t \\ \" and \HH (MLIR, LangRef: string literals). */
static bool unquote(oc__parser *p, const char *at, size_t size, const char **out_text,
                    size_t *out_size)
{
    const char *end = at + size - 1;
    char *text = oc__parse_take(p, size, 1);
    size_t used = 0;
    if (!text) {
        return false;
    }
    for (at++; at < end; at++) {
        if (*at != '\\') {
            text[used++] = *at;
            continue;
        }
        static const char escapes[] = "n\nt\t\\\\\"\"";
        const char *escape = strchr(escapes, at[1]);
        int high = hex_value(at[1]), low = end - at > 2 ? hex_value(at[2]) : -1;
        if (escape && (escape - escapes) % 2 == 0) {
            text[used++] = escape[1];
            at++;
        } else if (high >= 0 && low >= 0) {
            text[used++] = (char)(high * 16 + low);
            at += 2;
        } else {
            return oc__parse_fail(
                p, OC_PARSE, at,
                "no escape that strings have: \\n, \\t, \\\\, \\\" or "
                "two hex digits");
        }
    }
    *out_text = text;
    *out_size = used;
    return true;
}

bool oc__parse_string(oc__parser *p, const char **out_text, size_t *out_size)
{
    if (p->token.kind != OC__TOKEN_STRING) {
        return oc__parse_expected(p, "a string");
    }
    return unquote(p, p->token.at, p->token.size, out_text, out_size) &&
           oc__parse_next(p);
}

/* @name or @"name" */
static bool symbol_part(oc__parser *p, const char **out_text, size_t *out_size)
{
    if (p->token.kind != OC__TOKEN_SYMBOL) {
        return oc__parse_expected(p, "a symbol (@name)");
    }
    const char *at = p->token.at + 1;
    size_t size = p->token.size - 1;
    *out_text = NULL;
    *out_size = 0;
    if (*at != '"') {
        *out_text = oc__parse_copy(p, at, size);
        *out_size = size;
        return *out_text && oc__parse_next(p);
    }
    if (!unquote(p, at, size, out_text, out_size) || !*out_text) {
        return false;
    }
    if (strlen(*out_text) != *out_size || *out_size == 0) {
        return oc__parse_fail(p, OC_PARSE, at, "an empty name, or a NUL in it");
    }
    return oc__parse_next(p);
}

bool oc__parse_symbol(oc__parser *p, const char **out_text, size_t *out_size)
{
    if (!symbol_part(p, out_text, out_size)) {
        return false;
    }
    for (size_t parts = 1; oc__accept(p, "::"); parts++) {
        const char *part = NULL;
        size_t part_size = 0;
        if (parts == OC__HLO_MAX_DEPTH) {
            return oc__parse_fail(p, OC_LIMIT, p->token.at,
                                  "more than %d parts of a symbol", OC__HLO_MAX_DEPTH);
        }
        if (!symbol_part(p, &part, &part_size)) {
            return false;
        }
        const char *outer = oc__parse_join(p, *out_text, *out_size, "::", 2);
        *out_size += 2;
        if (!outer) {
            return false;
        }
        *out_text = oc__parse_join(p, outer, *out_size, part, part_size);
        *out_size += part_size;
        if (!*out_text) {
            return false;
        }
    }
    return true;
}
