#include "receipt/lesson_report.h"

#include "receipt/receipt_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OBJECT_BYTES = 1 << 14, MAX_OBJECT_DEPTH = 8, MAX_DEVICES = 64 };

static const char prediction_label[] = "Completed prediction:";

#define FIELD(field) AT(oc__lesson_report, field)
#define REPORT_MEMBERS(program_key, host_key)                                          \
    {                                                                                  \
        {"expected", &oc__codec_text, FIELD(expected)},                                \
            {"output_devices", &oc__codec_texts, FIELD(output_device),                 \
             .max = MAX_DEVICES, .columns = 1},                                        \
            {"platform", &oc__codec_text, FIELD(platform), .nullable = true},          \
            {program_key, &oc__codec_text, FIELD(program)},                            \
            {host_key, &oc__codec_text, FIELD(host), .nullable = true},                \
            {"shape", &oc__codec_shape, FIELD(output)},                                \
            {"dtype", &oc__codec_dtype, FIELD(output)},                                \
            {"max_absolute_error", &oc__codec_magnitude, FIELD(max_absolute_error)},   \
            {"process_index", &oc__codec_integer, FIELD(process_index),                \
             .max = INT32_MAX},                                                        \
            {"process_count", &oc__codec_integer, FIELD(process_count),                \
             .max = INT32_MAX},                                                        \
            END                                                                        \
    }

static const oc__member onchip_members[] = REPORT_MEMBERS("onchip", "plugin");
static const oc__member lesson_members[] = REPORT_MEMBERS("jax", "python");

char *oc__lesson_report_text(const oc__lesson_report *report)
{
    return oc__members_text(onchip_members, report);
}

/* The length of the terminal escape at `text`, whose first byte is ESC (ECMA-48: a
 * control sequence, an operating system command, or ESC and one byte). */
static size_t escape_length(const char *text, size_t size)
{
    size_t i = 2;
    if (size < 2) {
        return size;
    }
    if (text[1] == '[') {
        while (i < size && (text[i] < '@' || text[i] > '~') && text[i] != '\n') {
            i++;
        }
        return i < size && text[i] != '\n' ? i + 1 : i;
    }
    if (text[1] == ']') {
        while (i < size && text[i] != '\a' && text[i] != '\x1b' && text[i] != '\n') {
            i++;
        }
        if (i < size && text[i] == '\x1b') {
            return i + 1 < size && text[i + 1] == '\\' ? i + 2 : i;
        }
        return i < size && text[i] == '\a' ? i + 1 : i;
    }
    return text[1] == '\n' ? 1 : 2;
}

/* Takes terminal escapes out and makes CRLF and CR line ends; malloc'd and
 * NUL-terminated. A NUL becomes a space, so that the text is a C string too. */
static char *plain_text(const char *text, size_t size, size_t *out_size)
{
    char *plain = malloc(size + 1);
    size_t used = 0;
    *out_size = 0;
    if (!plain) {
        return NULL;
    }
    for (size_t i = 0; i < size;) {
        char c = text[i];
        if (c == '\x1b') {
            i += escape_length(text + i, size - i);
            continue;
        }
        i++;
        if (c == '\r' && i < size && text[i] == '\n') {
            continue;
        }
        if (c == '\r') {
            c = '\n';
        } else if (c == '\0') {
            c = ' ';
        }
        plain[used++] = c;
    }
    plain[used] = '\0';
    *out_size = used;
    return plain;
}

/* The bytes of the balanced object that starts at `text`; 0 when it is none: it is cut,
 * too long or too deep for a report, or a string in it has no end on its line. */
static size_t object_length(const char *text, size_t size)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < size && i < MAX_OBJECT_BYTES; i++) {
        char c = text[i];
        if (c == '\n' && in_string) {
            return 0;
        }
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            if (++depth > MAX_OBJECT_DEPTH) {
                return 0;
            }
        } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool mentions(const char *text, size_t size, const char *word)
{
    return memmem(text, size, word, strlen(word)) != NULL;
}

/* Does the text at '{' look like a report, whole or not? */
static bool looks_like_report(const char *text, size_t size)
{
    return mentions(text, size, "\"expected\"") &&
           mentions(text, size, "\"output_devices\"");
}

typedef struct scanner {
    const char *name;
    const char *text;
    size_t size;
    size_t at;
    size_t line;
    oc__lesson_reports *reports;
    oc_error *err;
} scanner;

static void advance(scanner *scan, size_t to)
{
    while (scan->at < to) {
        scan->line += scan->text[scan->at++] == '\n';
    }
}

static oc__lesson_report *add_report(scanner *scan)
{
    oc__lesson_reports *reports = scan->reports;
    oc__lesson_report *grown =
        reallocarray(reports->items, reports->count + 1, sizeof *grown);
    if (!grown) {
        return NULL;
    }
    reports->items = grown;
    oc__lesson_report *added = &grown[reports->count++];
    *added = (oc__lesson_report){.line = scan->line};
    return added;
}

static oc_status read_object(scanner *scan, size_t length)
{
    char where[320];
    json_t *document = NULL;
    size_t start_line = scan->line;
    snprintf(where, sizeof where, "%.256s, report at line %zu", scan->name, start_line);
    oc_status rc =
        oc__json_parse(scan->text + scan->at, length, where, &document, scan->err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__lesson_report *report = add_report(scan);
    if (!report) {
        json_decref(document);
        return OC_FAIL(scan->err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    report->document = document;
    bool ours = json_object_get(document, "onchip") != NULL;
    return oc__members_read(ours ? onchip_members : lesson_members, document, where,
                            report, scan->err);
}

/* Reads "[0.5, 1, ...]" with commas or blanks between the numbers, as Python prints a
 * list and NumPy an array. */
static oc_status read_prediction(scanner *scan, oc__lesson_report *report)
{
    const char *at = scan->text + scan->at + sizeof prediction_label - 1;
    at += strspn(at, " \t\n");
    if (*at != '[') {
        return OC_FAIL(scan->err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s': the list of 'Completed prediction' at line %zu is cut",
                       scan->name, scan->line);
    }
    at++;
    for (;;) {
        at += strspn(at, " \t\n");
        if (*at == ']') {
            break;
        }
        char *end = NULL;
        double value = strtod(at, &end);
        if (end == at || *end == '\0' || !strchr(" \t\n,]", *end)) {
            return OC_FAIL(
                scan->err, OC_PARSE, OC_BOUNDARY_INPUT,
                "'%s': the list of 'Completed prediction' at line %zu is cut "
                "or holds something else, after %zu numbers",
                scan->name, scan->line, report->value_count);
        }
        if (report->value_count < OC__MAX_OUTPUT) {
            report->values[report->value_count] = value;
        }
        report->value_count++;
        at = end + strspn(end, " \t\n");
        at += *at == ',';
    }
    report->prediction_line = scan->line;
    advance(scan, (size_t)(at - scan->text));
    return OC_OK;
}

static bool at_prediction(const scanner *scan)
{
    const char *at = scan->text + scan->at;
    return (scan->at == 0 || at[-1] == '\n') &&
           strncmp(at, prediction_label, sizeof prediction_label - 1) == 0;
}

static oc_status scan_prediction(scanner *scan)
{
    oc__lesson_reports *reports = scan->reports;
    oc__lesson_report *last =
        reports->count > 0 ? &reports->items[reports->count - 1] : NULL;
    if (!last || last->prediction_line > 0) {
        return OC_FAIL(scan->err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%s': 'Completed prediction' at line %zu follows no report",
                       scan->name, scan->line);
    }
    return read_prediction(scan, last);
}

static oc_status scan_object(scanner *scan)
{
    const char *at = scan->text + scan->at;
    size_t left = scan->size - scan->at;
    size_t length = object_length(at, left);
    if (length == 0) {
        // A cut report reaches to the end, or to the prediction that follows it.
        size_t window = left < MAX_OBJECT_BYTES ? left : MAX_OBJECT_BYTES;
        const char *next = memchr(at + 1, '{', window - 1);
        if (looks_like_report(at, next ? (size_t)(next - at) : window)) {
            return OC_FAIL(scan->err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "'%s': the report at line %zu is cut", scan->name,
                           scan->line);
        }
        advance(scan, scan->at + 1);
        return OC_OK;
    }
    if (!looks_like_report(at, length)) {
        advance(scan, scan->at + 1);
        return OC_OK;
    }
    oc_status rc = read_object(scan, length);
    advance(scan, scan->at + length);
    return rc;
}

oc_status oc__lesson_reports_read(const char *text, size_t size, const char *name,
                                  oc__lesson_reports **out_reports, oc_error *err)
{
    oc_status rc = OC_OK;
    *out_reports = NULL;
    oc__lesson_reports *reports = calloc(1, sizeof *reports);
    scanner scan = {.name = name, .line = 1, .reports = reports, .err = err};
    if (reports) {
        reports->text = plain_text(text, size, &scan.size);
    }
    if (!reports || !reports->text) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    scan.text = reports->text;
    while (rc == OC_OK && scan.at < scan.size) {
        if (scan.text[scan.at] == '{') {
            rc = scan_object(&scan);
        } else if (at_prediction(&scan)) {
            rc = scan_prediction(&scan);
        } else {
            advance(&scan, scan.at + 1);
        }
    }
    if (rc == OC_OK) {
        *out_reports = reports;
        reports = NULL;
    }
done:
    oc__lesson_reports_free(reports);
    return rc;
}

void oc__lesson_reports_free(oc__lesson_reports *reports)
{
    if (!reports) {
        return;
    }
    for (size_t i = 0; i < reports->count; i++) {
        json_decref(reports->items[i].document);
    }
    free(reports->items);
    free(reports->text);
    free(reports);
}
