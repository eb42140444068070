/* Texts, words and enumerations. */
#include "receipt/receipt.h"
#include "receipt/receipt_members.h"

#include <string.h>

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static const char *text_at(const void *field)
{
    const char *text = NULL;
    memcpy(&text, field, sizeof text);
    return text;
}

static void put_text(void *field, const char *text)
{
    memcpy(field, &text, sizeof text);
}

static json_t *write_text(const oc__member *member, const void *field)
{
    const char *text = text_at(field);
    // A text that must be there and is not is shown as empty rather than lost.
    return text_or_null(text || member->nullable ? text : "");
}

static bool read_text(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    if (member->nullable && json_is_null(value)) {
        return true;
    }
    if (!json_is_string(value)) {
        return oc__member_refuse(refusal, "must be a string%s",
                                 member->nullable ? " or null" : "");
    }
    put_text(field, json_string_value(value));
    return true;
}

static json_t *write_constant(const oc__member *member, const void *field)
{
    (void)field;
    return json_string(member->text);
}

static bool read_constant(const oc__member *member, const json_t *value, void *field,
                          oc__refusal *refusal)
{
    (void)field;
    const char *text = json_string_value(value);
    if (text && strcmp(text, member->text) == 0) {
        return true;
    }
    return oc__member_refuse(refusal, "%s%.40s%s must be '%s'", text ? "is '" : "",
                             text ? text : "", text ? "' and" : "", member->text);
}

static bool read_word(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    const char *text = json_string_value(value);
    for (const char *const *word = member->words; text && *word; word++) {
        if (strcmp(*word, text) == 0) {
            put_text(field, text);
            return true;
        }
    }
    return oc__member_refuse(refusal, "%s%.40s%s not a word that may stand there",
                             text ? "is '" : "", text ? text : "", text ? "'," : "is");
}

static bool read_pattern(const oc__member *member, const json_t *value, void *field,
                         oc__refusal *refusal)
{
    if (!read_text(member, value, field, refusal)) {
        return false;
    }
    const char *text = json_string_value(value);
    return !text || member->matches(text) ||
           oc__member_refuse(refusal, "is '%.40s' and must be %s", text, member->text);
}

static json_t *write_texts(const oc__member *member, const void *field)
{
    const char *const *texts = field;
    json_t *list = json_array();
    for (size_t i = 0; list && i < member->columns && texts[i]; i++) {
        if (json_array_append_new(list, json_string(texts[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_texts(const oc__member *member, const json_t *value, void *field,
                       oc__refusal *refusal)
{
    const char **texts = field;
    if (!json_is_array(value) || json_array_size(value) > (size_t)member->max) {
        return oc__member_refuse(refusal, "must be an array of at most %lld strings",
                                 (long long)member->max);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        const char *text = NULL;
        bool taken = member->words ? read_word(member, item, &text, refusal)
                                   : read_text(member, item, &text, refusal);
        if (!taken) {
            oc__member_blame_index(refusal, i);
            return false;
        }
        if (i < member->columns) {
            texts[i] = text;
        }
    }
    return true;
}

static json_t *write_dtype(const oc__member *member, const void *field)
{
    const oc__output *output = field;
    (void)member;
    return text_or_null(output->reached ? output->dtype : NULL);
}

static bool read_dtype(const oc__member *member, const json_t *value, void *field,
                       oc__refusal *refusal)
{
    oc__output *output = field;
    (void)member;
    output->dtype = json_string_value(value);
    output->reached = output->dtype != NULL;
    return output->reached || json_is_null(value) ||
           oc__member_refuse(refusal, "must be a string or null");
}

/* The names of an enumeration from `first` to `last`; NULL marks a gap in it. */
typedef struct enumeration {
    int first;
    int last;
    const char *(*name)(int value);
} enumeration;

static const char *verdict_name(int value)
{
    return oc_verdict_name((oc_verdict)value);
}

static const char *boundary_name(int value)
{
    return oc_boundary_name((oc_boundary)value);
}

static const char *status_name(int value)
{
    const char *name = oc_status_name((oc_status)value);
    return strcmp(name, oc_status_name((oc_status)-1)) == 0 ? NULL : name;
}

static const enumeration verdicts = {OC_PASS, OC_UNKNOWN, verdict_name};
static const enumeration boundaries = {OC_BOUNDARY_NONE, OC_BOUNDARY_EVIDENCE,
                                       boundary_name};
static const enumeration statuses = {OC_OK + 1, OC_NOMEM, status_name};

static bool find_name(const enumeration *names, const json_t *value, int *out,
                      oc__refusal *refusal)
{
    const char *text = json_string_value(value);
    for (int i = names->first; text && i <= names->last; i++) {
        const char *name = names->name(i);
        if (name && strcmp(name, text) == 0) {
            *out = i;
            return true;
        }
    }
    return oc__member_refuse(refusal, "%s%.40s%s not a word that may stand there",
                             text ? "is '" : "", text ? text : "", text ? "'," : "is");
}

static json_t *write_verdict(const oc__member *member, const void *field)
{
    (void)member;
    return json_string_nocheck(oc_verdict_name(*(const oc_verdict *)field));
}

static bool read_verdict(const oc__member *member, const json_t *value, void *field,
                         oc__refusal *refusal)
{
    int found = 0;
    (void)member;
    bool known = find_name(&verdicts, value, &found, refusal);
    *(oc_verdict *)field = (oc_verdict)found;
    return known;
}

static json_t *write_boundary(const oc__member *member, const void *field)
{
    (void)member;
    return json_string_nocheck(oc_boundary_name(*(const oc_boundary *)field));
}

static bool read_boundary(const oc__member *member, const json_t *value, void *field,
                          oc__refusal *refusal)
{
    int found = 0;
    (void)member;
    bool known = find_name(&boundaries, value, &found, refusal);
    *(oc_boundary *)field = (oc_boundary)found;
    return known;
}

static json_t *write_status(const oc__member *member, const void *field)
{
    (void)member;
    return json_string_nocheck(oc_status_name(*(const oc_status *)field));
}

static bool read_status(const oc__member *member, const json_t *value, void *field,
                        oc__refusal *refusal)
{
    int found = 0;
    (void)member;
    bool known = find_name(&statuses, value, &found, refusal);
    *(oc_status *)field = (oc_status)found;
    return known;
}

const oc__codec oc__codec_constant = {write_constant, read_constant};
const oc__codec oc__codec_text = {write_text, read_text};
const oc__codec oc__codec_word = {write_text, read_word};
const oc__codec oc__codec_pattern = {write_text, read_pattern};
const oc__codec oc__codec_texts = {write_texts, read_texts};
const oc__codec oc__codec_dtype = {write_dtype, read_dtype};
const oc__codec oc__codec_verdict = {write_verdict, read_verdict};
const oc__codec oc__codec_boundary = {write_boundary, read_boundary};
const oc__codec oc__codec_status = {write_status, read_status};
