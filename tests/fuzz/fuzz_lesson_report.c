/* The reader of terminal captures, and the judge of what it found. */
#include "onchip/verify.h"
#include "receipt/lesson_report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reports stand in the order of their lines, each prediction between its report and the
 * next. */
static void check_reports(const oc__lesson_reports *reports)
{
    size_t line = 0;
    for (size_t i = 0; i < reports->count; i++) {
        const oc__lesson_report *report = &reports->items[i];
        size_t last =
            report->prediction_line > 0 ? report->prediction_line : report->line;
        if (report->line < line || last < report->line || !report->expected ||
            report->output.rank > OC__MAX_RANK) {
            abort();
        }
        line = last;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const oc_verify_options options = {.require = "cpu"};
    oc__lesson_reports *reports = NULL;
    oc_verify_result result;
    oc_error err = {0};
    const char *text = (const char *)data;
    oc_status rc = oc__lesson_reports_read(text, size, "input", &reports, &err);
    if (rc == OC_OK) {
        check_reports(reports);
    } else if (reports || err.status == OC_OK) {
        abort();
    }
    oc__lesson_reports_free(reports);

    err = (oc_error){0};
    rc = oc_verify(text, size, "input", &options, &result, &err);
    if (rc == OC_OK ? result.verdict == OC_VERDICT_UNSET || result.detail[0] == '\0'
                    : err.text[0] == '\0') {
        abort();
    }
    return 0;
}
