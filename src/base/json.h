/* JSON through jansson, read strictly and written one way.
 *
 * Reading refuses: bytes after the document, duplicate keys, NaN and Infinity, numbers
 * that do not fit, invalid UTF-8, an embedded NUL, documents over 16 MiB and nesting
 * over 64. Errors name `name`, line and column.
 *
 * Writing: members in the order in which they were added, two spaces of indentation,
 * one newline at the end, reals with 17 significant digits (which give a double back
 * exactly). A float that is not finite is written as the string "NaN", "Infinity" or
 * "-Infinity".
 */
#ifndef ONCHIP_BASE_JSON_H
#define ONCHIP_BASE_JSON_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OC__JSON_MAX_BYTES = 16 << 20, OC__JSON_MAX_DEPTH = 64 };

/* *out_root belongs to the caller (json_decref). */
OC_MUST_USE oc_status oc__json_parse(const char *text, size_t size, const char *name,
                                     json_t **out_root, oc_error *err);

/* As oc__json_parse, but other text may follow the document: *out_used says how many
 * bytes it took. Used on terminal captures, where a report is followed by lines of
 * print. */
OC_MUST_USE oc_status oc__json_parse_prefix(const char *text, size_t size,
                                            const char *name, json_t **out_root,
                                            size_t *out_used, oc_error *err);

/* The document's text, malloc'd and NUL-terminated, with a final newline; NULL when out
 * of memory. */
char *oc__json_text(const json_t *root);

/* A string for JSON of any text: bytes that are no UTF-8 become U+FFFD. A new
 * reference; NULL when out of memory. */
json_t *oc__json_string(const char *text);

/* A number for JSON, also when it is not finite; a new reference. */
json_t *oc__json_float(double value);

/* The inverse; false when `value` is neither a number nor one of the three strings. */
bool oc__json_as_float(const json_t *value, double *out);

#endif
