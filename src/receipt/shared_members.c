/* The members that both kinds of document have, and the forms of text in them. */
#include "receipt/receipt.h"
#include "receipt/receipt_members.h"

#include <string.h>

static bool is_hex(const char *text)
{
    return text[strspn(text, "0123456789abcdef")] == '\0';
}

bool oc__is_sha256_text(const char *text)
{
    return strlen(text) == OC__SHA256_HEX - 1 && is_hex(text);
}

bool oc__is_hex_bytes_text(const char *text)
{
    return strlen(text) % 2 == 0 && is_hex(text);
}

/* "2026-11-30T10:00:00Z" */
bool oc__is_time_text(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    size_t i = 0;
    while (form[i] &&
           (form[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i])) {
        i++;
    }
    return form[i] == '\0' && text[i] == '\0';
}

const char *const oc__collective_kinds[] = {"cpu collective", "accelerator collective",
                                            NULL};
static const char *const claim_statuses[] = {"observed",   "derived", "simulated",
                                             "unverified", "refuted", NULL};
const oc__member oc__claim_members[] = {
    {"statement", &oc__codec_text, AT(oc__claim, statement)},
    {"status", &oc__codec_word, AT(oc__claim, status), .words = claim_statuses},
    {"evidence", &oc__codec_text, AT(oc__claim, evidence)},
    END};

#define A_SHA256                                                                       \
    .nullable = true, .matches = oc__is_sha256_text,                                   \
    .text = "64 lower-case hexadecimal digits"

static const oc__member plugin[] = {
    {"name", &oc__codec_text, AT(oc__versions, plugin_name), .nullable = true},
    {"sha256", &oc__codec_pattern, AT(oc__versions, plugin_sha256), A_SHA256},
    {"build_id", &oc__codec_pattern, AT(oc__versions, plugin_build_id),
     .nullable = true, .matches = oc__is_hex_bytes_text, .text = "hexadecimal"},
    END};

const oc__member oc__versions_members[] = {
    {"onchip", &oc__codec_text, AT(oc__versions, onchip)},
    {"pjrt_api", &oc__codec_text, AT(oc__versions, pjrt_api), .nullable = true},
    {"stablehlo", &oc__codec_text, AT(oc__versions, stablehlo), .nullable = true},
    {"platform_version", &oc__codec_text, AT(oc__versions, platform_version),
     .nullable = true},
    {"plugin", &oc__codec_object, .members = plugin},
    END};

/* Lower-case letters, digits and '_', and perhaps '.' between two such words. */
bool oc__is_word_text(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strspn(text, letters);
    return length > 0 && text[length] == '\0';
}

static bool is_dotted_word(const char *text)
{
    const char *dot = strchr(text, '.');
    return oc__is_word_text(dot ? dot + 1 : text) && dot != text;
}

static const char *const bases[] = {"api", "os", "hash", NULL};
static const char *const verdicts_tested[] = {"numeric", "placement", NULL};
const oc__member oc__evidence_members[] = {
    {"basis", &oc__codec_word, AT(oc__evidence, basis), .words = bases},
    {"what", &oc__codec_pattern, AT(oc__evidence, what), .matches = is_dotted_word,
     .text = "a word of lower-case letters, or two with a dot between them"},
    {"value", &oc__codec_text, AT(oc__evidence, value)},
    END};

const oc__member oc__control_members[] = {
    {"name", &oc__codec_pattern, AT(oc__control, name), A_WORD},
    {"verdict", &oc__codec_word, AT(oc__control, verdict), .words = verdicts_tested},
    {"refuted", &oc__codec_bool, AT(oc__control, refuted)},
    {"detail", &oc__codec_text, AT(oc__control, detail)},
    END};
