/* Tokens. */
#include "stablehlo/parser_inner.h"

#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_bare(char c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '$';
}

static bool is_suffix(char c)
{
    return is_bare(c) || c == '-';
}

/* An error in the text itself: nothing is read beyond it. */
static bool lex_fail(oc__parser *p, const char *at, const char *message)
{
    oc__parse_fail(p, OC_PARSE, at, "%s", message);
    p->token = (oc__token){.kind = OC__TOKEN_END, .at = p->end};
    return false;
}

const char *oc__parse_blanks(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at == '/' && end - at > 1 && at[1] == '/') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            if (!newline) {
                return end;
            }
            at = newline;
        } else if (*at != ' ' && *at != '\n' && *at != '\t' && *at != '\r') {
            break;
        }
    }
    return at;
}

static const char *skip_while(bool (*is)(char), const char *at, const char *end)
{
    while (at < end && is(*at)) {
        at++;
    }
    return at;
}

/* Behind the quote that closes the string whose opening quote is at `at`; NULL when the
 * line or the text ends first. */
static const char *string_end(const char *at, const char *end)
{
    const char *from = at + 1, *quote;
    for (;;) {
        quote = memchr(from, '"', (size_t)(end - from));
        if (!quote) {
            return NULL;
        }
        const char *back = quote;
        while (back > at + 1 && back[-1] == '\\') {
            back--;
        }
        if ((quote - back) % 2 == 0) {
            break;
        }
        from = quote + 1;
    }
    return memchr(at, '\n', (size_t)(quote - at)) ? NULL : quote + 1;
}

static const char *number_end(const char *at, const char *end, bool *out_is_float)
{
    *out_is_float = false;
    if (end - at > 2 && at[0] == '0' && at[1] == 'x' && is_hex_digit(at[2])) {
        return skip_while(is_hex_digit, at + 2, end);
    }
    at = skip_while(is_digit, at, end);
    if (at == end || *at != '.') {
        return at;
    }
    *out_is_float = true;
    at = skip_while(is_digit, at + 1, end);
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *digits = at + 1;
        if (digits < end && (*digits == '+' || *digits == '-')) {
            digits++;
        }
        if (digits < end && is_digit(*digits)) {
            at = skip_while(is_digit, digits, end);
        }
    }
    return at;
}

/* Behind the name that stands behind a sigil: digits, or letters, digits, $ . - */
static const char *suffix_end(const char *at, const char *end)
{
    return at < end && is_digit(*at) ? skip_while(is_digit, at, end)
                                     : skip_while(is_suffix, at, end);
}

/* The end of a token that begins with one of % @ ^ # !; NULL when no name follows. */
static const char *sigil_end(const char *at, const char *end)
{
    const char *name = at + 1, *stop;
    if (*at == '@') {
        if (name < end && *name == '"') {
            return string_end(name, end);
        }
        return name < end && is_letter(*name) ? skip_while(is_bare, name, end) : NULL;
    }
    stop = suffix_end(name, end);
    if (stop == name) {
        return NULL;
    }
    if (*at == '%' && end - stop > 1 && *stop == '#' && is_digit(stop[1])) {
        stop = skip_while(is_digit, stop + 1, end);
    }
    return stop;
}

static size_t punct_size(const char *at, const char *end)
{
    static const char *const longer[] = {"{-#", "#-}", "->", "::"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        size_t size = strlen(longer[i]);
        if ((size_t)(end - at) >= size && memcmp(at, longer[i], size) == 0) {
            return size;
        }
    }
    return strchr("(){}[]<>,:=*+-?|/", *at) ? 1 : 0;
}

static bool lex(oc__parser *p, const char *at)
{
    const char *end = p->end, *stop = NULL;
    at = oc__parse_blanks(at, end);
    oc__token_kind kind = OC__TOKEN_PUNCT;
    if (at == end) {
        kind = OC__TOKEN_END;
        stop = at;
    } else if (is_letter(*at)) {
        kind = OC__TOKEN_BARE;
        stop = skip_while(is_bare, at, end);
    } else if (is_digit(*at)) {
        bool is_float;
        stop = number_end(at, end, &is_float);
        kind = is_float ? OC__TOKEN_FLOAT : OC__TOKEN_INTEGER;
    } else if (*at == '"') {
        kind = OC__TOKEN_STRING;
        stop = string_end(at, end);
        if (!stop) {
            return lex_fail(p, at, "this string is not closed on its line");
        }
    } else if (punct_size(at, end) > 0) {
        stop = at + punct_size(at, end);
    } else {
        static const oc__token_kind kinds[] = {
            ['%'] = OC__TOKEN_VALUE, ['@'] = OC__TOKEN_SYMBOL, ['^'] = OC__TOKEN_BLOCK,
            ['#'] = OC__TOKEN_HASH,  ['!'] = OC__TOKEN_BANG,
        };
        size_t c = (unsigned char)*at;
        kind = c < sizeof kinds / sizeof *kinds ? kinds[c] : OC__TOKEN_END;
        if (kind == OC__TOKEN_END) {
            return lex_fail(p, at, "no token of a program begins with this character");
        }
        stop = sigil_end(at, end);
        if (!stop) {
            return lex_fail(p, at, "a name must follow this character");
        }
    }
    p->token = (oc__token){.kind = kind, .at = at, .size = (size_t)(stop - at)};
    return true;
}

bool oc__parse_next(oc__parser *p)
{
    p->consumed = p->token.at + p->token.size;
    return lex(p, p->consumed);
}

bool oc__parse_jump(oc__parser *p, const char *at)
{
    p->consumed = at;
    return lex(p, at);
}

bool oc__token_is(const oc__parser *p, const char *punct_or_word)
{
    const oc__token *token = &p->token;
    return (token->kind == OC__TOKEN_PUNCT || token->kind == OC__TOKEN_BARE) &&
           strncmp(token->at, punct_or_word, token->size) == 0 &&
           punct_or_word[token->size] == '\0';
}

bool oc__accept(oc__parser *p, const char *punct_or_word)
{
    return oc__token_is(p, punct_or_word) && oc__parse_next(p);
}

bool oc__expect(oc__parser *p, const char *punct_or_word)
{
    if (!oc__token_is(p, punct_or_word)) {
        char what[64];
        snprintf(what, sizeof what, "'%s'", punct_or_word);
        return oc__parse_expected(p, what);
    }
    return oc__parse_next(p);
}

bool oc__parse_skip_brackets(oc__parser *p)
{
    static const char brackets[] = "()[]{}<>";
    char closing[OC__HLO_MAX_DEPTH];
    size_t depth = 0;
    do {
        const oc__token *token = &p->token;
        bool single = token->kind == OC__TOKEN_PUNCT && token->size == 1;
        const char *bracket = single ? strchr(brackets, *token->at) : NULL;
        if (bracket && (bracket - brackets) % 2 == 0) {
            if (depth == sizeof closing) {
                return oc__parse_fail(p, OC_LIMIT, token->at,
                                      "more than %d nested brackets",
                                      OC__HLO_MAX_DEPTH);
            }
            closing[depth++] = bracket[1];
        } else if (depth > 0 && (bracket || token->kind == OC__TOKEN_END)) {
            if (!bracket || *token->at != closing[depth - 1]) {
                return oc__parse_expected(p,
                                          (char[]){'\'', closing[depth - 1], '\'', 0});
            }
            depth--;
        }
        if (!oc__parse_next(p)) {
            return false;
        }
    } while (depth > 0);
    return true;
}
