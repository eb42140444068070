#include "base/json.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* jansson's parser recurses; measuring the depth first keeps hostile input off its
 * stack. */
static bool too_deep(const char *text, size_t size)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > OC__JSON_MAX_DEPTH) {
                return true;
            }
        } else if ((c == ']' || c == '}') && (depth == 0 || --depth == 0)) {
            return false; // the document ends here, or never began
        }
    }
    return false;
}

static oc_status parse(const char *text, size_t size, size_t flags, const char *name,
                       json_t **out_root, size_t *out_used, oc_error *err)
{
    *out_root = NULL;
    *out_used = 0;
    if (size > OC__JSON_MAX_BYTES) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "'%s' has %zu bytes; a JSON document may have %d", name, size,
                       OC__JSON_MAX_BYTES);
    }
    if (too_deep(text, size)) {
        return OC_FAIL(err, OC_LIMIT, OC_BOUNDARY_INPUT,
                       "'%s' nests deeper than %d levels", name, OC__JSON_MAX_DEPTH);
    }
    json_error_t why;
    json_t *root = json_loadb(text, size, flags | JSON_REJECT_DUPLICATES, &why);
    if (!root) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s' is not valid JSON at line %d, column %d: %s", name,
                       why.line, why.column, why.text);
    }
    *out_root = root;
    *out_used = (size_t)why.position;
    return OC_OK;
}

oc_status oc__json_parse(const char *text, size_t size, const char *name,
                         json_t **out_root, oc_error *err)
{
    size_t used;
    return parse(text, size, 0, name, out_root, &used, err);
}

oc_status oc__json_parse_prefix(const char *text, size_t size, const char *name,
                                json_t **out_root, size_t *out_used, oc_error *err)
{
    return parse(text, size, JSON_DISABLE_EOF_CHECK, name, out_root, out_used, err);
}

char *oc__json_text(const json_t *root)
{
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY;
    char *text = json_dumps(root, flags);
    if (!text) {
        return NULL;
    }
    size_t length = strlen(text);
    char *with_newline = realloc(text, length + 2);
    if (!with_newline) {
        free(text);
        return NULL;
    }
    memcpy(with_newline + length, "\n", 2);
    return with_newline;
}

json_t *oc__json_string(const char *text)
{
    char *clean = malloc(oc__utf8_clean(text, NULL));
    if (!clean) {
        return NULL;
    }
    oc__utf8_clean(text, clean);
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *oc__json_float(double value)
{
    if (isfinite(value)) {
        return json_real(value);
    }
    if (isnan(value)) {
        return json_string("NaN");
    }
    return json_string(value > 0 ? "Infinity" : "-Infinity");
}

bool oc__json_as_float(const json_t *value, double *out)
{
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (!text) {
        return false;
    }
    if (strcmp(text, "NaN") == 0) {
        *out = (double)NAN;
    } else if (strcmp(text, "Infinity") == 0) {
        *out = (double)INFINITY;
    } else if (strcmp(text, "-Infinity") == 0) {
        *out = -(double)INFINITY;
    } else {
        return false;
    }
    return true;
}
