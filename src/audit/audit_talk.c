/* Lines of a harness, separated by line feeds, fields by tabs:
 *
 *     stage N                                  N is the next one
 *     call FUNCTION                            of the learner's, before it is called
 *     say TEXT                                 for the user
 *     note KEY TAB VALUE                       for the evidence
 *     fail FUNCTION TAB EXPECTED TAB GOT TAB HINT
 *     pass N                                   the stage under way holds
 *     end                                      all that was asked for ran
 *
 * The learner's code can write to the same descriptor, so anything else is an answer
 * too. */
#include "audit/audit_room.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 4096, MAX_SAYS = 256 };

typedef struct reader {
    oc_audit_result *result;
    oc__audit_talk *talk;
    int last;       /* stage that was asked for */
    bool under_way; /* a stage is */
} reader;

static bool add_say(oc_audit_stage *stage, const char *text)
{
    char **says = realloc(stage->says, (stage->say_count + 1) * sizeof *says);
    if (says) {
        stage->says = says;
        says[stage->say_count] = strdup(text);
    }
    return says && says[stage->say_count++];
}

/* Splits off the field that ends at the next tab; NULL when there is none left. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (field) {
        *rest = strchr(field, '\t');
        if (*rest) {
            *(*rest)++ = '\0';
        }
    }
    return field;
}

/* The number that is all of `text`, 1 to OC_AUDIT_STAGES; else 0. */
static int stage_number(const char *text)
{
    return text[0] >= '1' && text[0] <= '0' + OC_AUDIT_STAGES && text[1] == '\0'
               ? text[0] - '0'
               : 0;
}

static bool read_stage(reader *r, const char *text)
{
    int stage = stage_number(text);
    if (r->under_way || stage > r->last || stage != (int)r->result->stage_count + 1) {
        return false;
    }
    r->result->stage_count = (size_t)stage;
    r->under_way = true;
    return true;
}

static bool read_note(reader *r, char *rest)
{
    oc__audit_talk *talk = r->talk;
    const char *key = next_field(&rest);
    if (!*key || !rest || talk->note_count == OC__AUDIT_NOTES) {
        return false;
    }
    talk->notes[talk->note_count++] = (oc__audit_note){key, rest};
    return true;
}

/* False when it is no line that may stand here. */
static bool read_line(reader *r, char *line, oc_error *err)
{
    oc__audit_talk *talk = r->talk;
    char *rest = strchr(line, ' ');
    if (rest) {
        *rest++ = '\0';
    }
    if (strcmp(line, "end") == 0 && !rest) {
        talk->complete = !r->under_way && (int)r->result->stage_count == r->last;
        return talk->complete;
    }
    if (!rest || !*rest) {
        return false;
    }
    if (strcmp(line, "stage") == 0) {
        return read_stage(r, rest);
    }
    if (!r->under_way) {
        return false;
    }
    oc_audit_stage *stage = &r->result->stages[r->result->stage_count - 1];
    if (strcmp(line, "call") == 0) {
        talk->call = rest;
        return true;
    }
    if (strcmp(line, "say") == 0) {
        return stage->say_count < MAX_SAYS && add_say(stage, rest);
    }
    if (strcmp(line, "note") == 0) {
        return read_note(r, rest);
    }
    if (strcmp(line, "pass") == 0) {
        bool right = stage_number(rest) == (int)r->result->stage_count;
        stage->verdict = right ? OC_PASS : OC_VERDICT_UNSET;
        r->under_way = !right;
        return right;
    }
    if (strcmp(line, "fail") == 0) {
        const char *function = next_field(&rest);
        const char *expected = next_field(&rest);
        const char *got = next_field(&rest);
        const char *hint = next_field(&rest);
        talk->failed =
            hint && !rest &&
            oc__audit_fail(r->result, function, expected, got, hint, err) == OC_OK;
        return talk->failed;
    }
    return false;
}

static bool is_text(const char *line, size_t length)
{
    // A copy that differs in size had bytes replaced.
    return strlen(line) == length && oc__utf8_clean(line, NULL) == length + 1;
}

static void set_garbled(oc__audit_talk *talk, const char *line, size_t length)
{
    char shown[64];
    size_t kept = length < sizeof shown - 1 ? length : sizeof shown - 1;
    for (size_t i = 0; i < kept; i++) {
        shown[i] = '?';
        if (line[i] >= 0x20 && line[i] <= 0x7e) {
            shown[i] = line[i];
        }
    }
    shown[kept] = '\0';
    snprintf(talk->garbled, sizeof talk->garbled,
             "something else on descriptor 3: '%s'%s", shown,
             kept < length ? "..." : "");
    talk->complete = false;
}

oc_status oc__audit_talk_read(char *text, size_t size, int last, bool whole,
                              oc_audit_result *result, oc__audit_talk *out_talk,
                              oc_error *err)
{
    reader r = {.result = result, .talk = out_talk, .last = last};
    oc_error failure = {0};
    *out_talk = (oc__audit_talk){0};
    for (size_t at = 0; at < size && !out_talk->failed;) {
        char *line = text + at;
        char *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        char before[64]; // read_line cuts the line up
        snprintf(before, sizeof before, "%.*s", (int)(length < 63 ? length : 63), line);
        if (end) {
            *end = '\0';
        } else if (!whole) {
            break;
        }
        if (!end || length >= MAX_LINE || !is_text(line, length) ||
            out_talk->complete) {
            set_garbled(out_talk, line, length);
            break;
        }
        if (!read_line(&r, line, &failure)) {
            set_garbled(out_talk, before, strlen(before));
            break;
        }
        at += length + 1;
    }
    if (failure.status != OC_OK) {
        return OC_FAIL(err, failure.status, failure.boundary, "%s", failure.text);
    }
    return OC_OK;
}
