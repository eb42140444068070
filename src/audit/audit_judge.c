/* What a run came to when the harness could not say it itself. */
#include "audit/audit_room.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(char **out, const char *text)
{
    free(*out);
    *out = text && *text ? strdup(text) : NULL;
}

oc_status oc__audit_fail(oc_audit_result *result, const char *function,
                         const char *expected, const char *got, const char *hint,
                         oc_error *err)
{
    if (result->stage_count == 0) {
        result->stage_count = 1;
    }
    oc_audit_stage *stage = &result->stages[result->stage_count - 1];
    stage->verdict = OC_FAIL;
    put_text(&stage->function, *function ? function : "?");
    put_text(&stage->expected, *expected ? expected : "?");
    put_text(&stage->got, *got ? got : "nothing");
    put_text(&stage->hint, hint);
    if (!stage->function || !stage->expected || !stage->got) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    return OC_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The end of a report's title: before an address, a parenthesis or the end of line. */
static size_t title_length(const char *title)
{
    static const char *const ends[] = {" on ", " (", ": ", " at pc"};
    size_t length = smaller(strcspn(title, "\n"), 120);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(title, ends[i]);
        if (end && (size_t)(end - title) < length) {
            length = (size_t)(end - title);
        }
    }
    return length;
}

bool oc__audit_sanitizer_text(const char *text, const char *learner, char *out,
                              size_t size)
{
    static const char address[] = "ERROR: AddressSanitizer: ";
    static const char undefined[] = " runtime error: ";
    const char *report = strstr(text, address);
    const char *title = report ? report + sizeof address - 1 : NULL;
    if (!report && (report = strstr(text, undefined)) != NULL) {
        title = report + sizeof undefined - 1;
        while (report > text && report[-1] != '\n') {
            report--; // the place stands before the words
        }
    }
    if (!title) {
        return false;
    }
    const char *slash = strrchr(learner, '/');
    const char *name = slash ? slash + 1 : learner;
    size_t length = strlen(learner);
    const char *frame = strstr(report, learner);
    while (frame &&
           !(frame[length] == ':' && isdigit((unsigned char)frame[length + 1]))) {
        frame = strstr(frame + 1, learner);
    }
    size_t shown = strncmp(title, "ABRT", 4) == 0 ? 0 : title_length(title);
    snprintf(out, size, "%.*s%s%s%s%.*s", (int)shown, title, shown ? "" : "abort",
             frame ? " at " : "", frame ? name : "",
             frame ? 1 + (int)strspn(frame + length + 1, "0123456789") : 0,
             frame ? frame + length : "");
    return true;
}

/* What happened instead of a return, in `out`. True: the learner's code wrote to the
 * harness's descriptor. */
static bool what_happened(const oc__audit_child *child, const oc__audit_talk *talk,
                          const char *learner, char *out, size_t size)
{
    bool clean = !child->end.signalled && child->end.code == 0;
    if (child->how == OC__AUDIT_DEADLINE) {
        snprintf(out, size, "no answer after %g s, so it was stopped",
                 (double)child->timeout_ms / 1000.0);
        return false;
    }
    if (child->how == OC__AUDIT_MEMORY) {
        snprintf(out, size, "more than %lld MiB of memory, so it was stopped",
                 (long long)(child->memory_bytes >> 20));
        return false;
    }
    if (!clean && oc__audit_sanitizer_text(child->printed.data, learner, out, size)) {
        return false;
    }
    if (child->talk.failed) {
        snprintf(out, size, "more than %zu bytes on descriptor 3",
                 child->talk.max_size);
        return true;
    }
    if (*talk->garbled) {
        snprintf(out, size, "%s", talk->garbled);
        return true;
    }
    char end[64];
    oc__proc_end_text(&child->end, end, sizeof end);
    snprintf(out, size, "the end of the program (%s)", end);
    return false;
}

oc_status oc__audit_judge(const oc__audit_child *child, const oc__audit_talk *talk,
                          const char *learner, oc_audit_result *result, oc_error *err)
{
    char got[512];
    char expected[256];
    bool ended_well =
        child->how == OC__AUDIT_ENDED && !child->end.signalled && child->end.code == 0;
    if (talk->failed || (talk->complete && ended_well && !child->talk.failed)) {
        return OC_OK;
    }
    const char *call = talk->call ? talk->call : "the program";
    if (what_happened(child, talk, learner, got, sizeof got)) {
        snprintf(expected, sizeof expected,
                 "nothing on the harness's descriptor from %s", call);
    } else if (talk->call) {
        snprintf(expected, sizeof expected, "a return from %s", call);
    } else {
        snprintf(expected, sizeof expected, "it to reach the first function");
    }
    return oc__audit_fail(result, call, expected, got, NULL, err);
}
