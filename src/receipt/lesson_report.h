/* The report of the lesson "Move your experiment to a TPU", as its Python program and
 * `onchip check` print it: a JSON object with the keys expected, output_devices,
 * platform, jax, python (onchip and plugin instead, when onchip wrote it), shape,
 * dtype, max_absolute_error, process_index and process_count, in any order, and after
 * it a line "Completed prediction: [...]". It may stand alone or in a terminal capture:
 * other text around it, terminal escapes, CRLF, several reports one after the other.
 *
 * Calling sequence
 *     rc = oc__lesson_reports_read(text, size, name, &reports, err);
 *     for (i = 0; i < reports->count; i++) ... reports->items[i] ...
 *     oc__lesson_reports_free(reports);
 */
#ifndef ONCHIP_RECEIPT_LESSON_REPORT_H
#define ONCHIP_RECEIPT_LESSON_REPORT_H

#include "receipt/receipt.h"

typedef struct oc__lesson_report {
    size_t line; /* of the capture, from 1, where the object starts */
    const char *expected;
    const char *platform;
    const char *output_device; /* the first one; NULL when there is none */
    const char *program;       /* version of JAX, or of onchip */
    const char *host;          /* version of Python, or the plugin */
    double max_absolute_error;
    int64_t process_index;
    int64_t process_count;
    oc__output output;      /* shape and dtype; values are not the object's */
    size_t prediction_line; /* of "Completed prediction:"; 0: there is none */
    size_t value_count;     /* numbers in it; at most OC__MAX_OUTPUT are kept */
    double values[OC__MAX_OUTPUT];
    struct json_t *document; /* owns the text */
} oc__lesson_report;

typedef struct oc__lesson_reports {
    oc__lesson_report *items;
    size_t count;
    char *text; /* the capture without its escapes */
} oc__lesson_reports;

/* OC_PARSE: a report that is cut, is no JSON or has other members; a prediction that is
 * cut, holds something that is no number or follows no report. A text without any
 * report is OC_OK with a count of 0. */
OC_MUST_USE oc_status oc__lesson_reports_read(const char *text, size_t size,
                                              const char *name,
                                              oc__lesson_reports **out_reports,
                                              oc_error *err);
void oc__lesson_reports_free(oc__lesson_reports *reports);

/* The object that `check` prints, malloc'd; NULL when memory ran out. */
char *oc__lesson_report_text(const oc__lesson_report *report);

#endif
