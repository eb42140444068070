#include "checkpoint/manifest.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARACTERS                                                                \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

static const char *const members_of_manifest[] = {
    "format", "step", "state_hash", "identity", "files", "parent_sha256", "sha256"};
static const char *const members_of_file[] = {"name", "size", "sha256"};
enum { MEMBER_COUNT = 7, FILE_MEMBER_COUNT = 3 };

/* Letters, digits, '.', '_' and '-', the first no '.': no path, and nothing hidden. */
static bool is_name(const char *text, size_t capacity)
{
    size_t length = strlen(text);
    return length > 0 && length < capacity && text[0] != '.' &&
           strspn(text, NAME_CHARACTERS) == length;
}

/* Printable ASCII that JSON does not escape. */
static bool is_value(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\') {
            return false;
        }
    }
    return length > 0 && length < OC__MANIFEST_VALUE;
}

static bool is_digest(const char *text)
{
    return strlen(text) == OC__SHA256_HEX - 1 &&
           strspn(text, "0123456789abcdef") == OC__SHA256_HEX - 1;
}

static oc_status no_digest(const char *what, const char *text, oc_error *err)
{
    return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                   "%s '%.80s' is no SHA-256 of 64 lower-case hexadecimal digits", what,
                   text);
}

oc_status oc__manifest_set_step(oc__manifest *manifest, int64_t step,
                                const char *state_hash, oc_error *err)
{
    if (step < 0 || step > OC__CHECKPOINT_MAX_STEP) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "step %" PRId64 " is not from 0 to %d", step,
                       OC__CHECKPOINT_MAX_STEP);
    }
    if (!is_digest(state_hash)) {
        return no_digest("state_hash", state_hash, err);
    }
    manifest->step = step;
    memcpy(manifest->state_hash, state_hash, OC__SHA256_HEX);
    return OC_OK;
}

oc_status oc__manifest_add_pair(oc__manifest *manifest, const char *name,
                                const char *value, oc_error *err)
{
    if (!is_name(name, OC__MANIFEST_KEY)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "identity '%.100s' is no plain name of at most %d characters",
                       name, OC__MANIFEST_KEY - 1);
    }
    if (!is_value(value)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "identity '%s' has no plain text of 1 to %d characters", name,
                       OC__MANIFEST_VALUE - 1);
    }
    for (size_t i = 0; i < manifest->identity_count; i++) {
        if (strcmp(manifest->identity[i].name, name) == 0) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "identity '%s' is there twice", name);
        }
    }
    if (manifest->identity_count == OC__CHECKPOINT_KEYS) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "the identity has more than %d pairs", OC__CHECKPOINT_KEYS);
    }
    oc__manifest_pair *pair = &manifest->identity[manifest->identity_count++];
    memcpy(pair->name, name, strlen(name) + 1);
    memcpy(pair->value, value, strlen(value) + 1);
    return OC_OK;
}

oc_status oc__manifest_add_file(oc__manifest *manifest, const char *name, int64_t size,
                                const char *sha256, oc_error *err)
{
    if (!is_name(name, OC__MANIFEST_NAME) || strcmp(name, OC__MANIFEST_FILE) == 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "'%.100s' is no plain name for a file of a checkpoint", name);
    }
    if (size < 0 || size > OC__MANIFEST_MAX_SIZE) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "size %" PRId64 " of '%s' is not from 0 to 2^40", size, name);
    }
    if (!is_digest(sha256)) {
        return no_digest("sha256 of a file", sha256, err);
    }
    for (size_t i = 0; i < manifest->file_count; i++) {
        if (strcmp(manifest->files[i].name, name) == 0) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "file '%s' is there twice",
                           name);
        }
    }
    if (manifest->file_count == OC__CHECKPOINT_FILES) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "there are more than %d files",
                       OC__CHECKPOINT_FILES);
    }
    oc__manifest_file *file = &manifest->files[manifest->file_count++];
    memcpy(file->name, name, strlen(name) + 1);
    file->size = size;
    memcpy(file->sha256, sha256, OC__SHA256_HEX);
    return OC_OK;
}

/* The manifest without its own digest; NULL when out of memory. */
static json_t *document_of(const oc__manifest *manifest)
{
    json_t *identity = json_object();
    json_t *files = json_array();
    bool made = identity && files;
    for (size_t i = 0; made && i < manifest->identity_count; i++) {
        const oc__manifest_pair *pair = &manifest->identity[i];
        made = json_object_set_new(identity, pair->name, json_string(pair->value)) == 0;
    }
    for (size_t i = 0; made && i < manifest->file_count; i++) {
        const oc__manifest_file *file = &manifest->files[i];
        json_t *entry = json_pack("{s:s, s:I, s:s}", "name", file->name, "size",
                                  (json_int_t)file->size, "sha256", file->sha256);
        made = json_array_append_new(files, entry) == 0;
    }
    const char *parent = manifest->parent_sha256;
    json_t *document = NULL;
    if (made) {
        document = json_pack("{s:s, s:I, s:s, s:O, s:O, s:s?}", "format",
                             OC__MANIFEST_FORMAT, "step", (json_int_t)manifest->step,
                             "state_hash", manifest->state_hash, "identity", identity,
                             "files", files, "parent_sha256", *parent ? parent : NULL);
    }
    json_decref(identity);
    json_decref(files);
    return document;
}

char *oc__manifest_text(oc__manifest *manifest)
{
    json_t *document = document_of(manifest);
    char *hashed = document ? oc__json_text(document) : NULL;
    char *text = NULL;
    if (hashed) {
        oc__sha256_hex(hashed, strlen(hashed), manifest->sha256);
        if (json_object_set_new(document, "sha256", json_string(manifest->sha256)) ==
            0) {
            text = oc__json_text(document);
        }
    }
    free(hashed);
    json_decref(document);
    return text;
}

/* `object` has these members and no others. */
static oc_status hold_members(const json_t *object, const char *what,
                              const char *const *members, size_t count, oc_error *err)
{
    if (!json_is_object(object)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "%s is no JSON object", what);
    }
    const char *key = NULL;
    const json_t *value = NULL;
    json_object_foreach((json_t *)object, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < count; i++) {
            known = known || strcmp(key, members[i]) == 0;
        }
        if (!known) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                           "%s has the unknown member '%.80s'", what, key);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!json_object_get(object, members[i])) {
            return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "%s has no member '%s'",
                           what, members[i]);
        }
    }
    return OC_OK;
}

static oc_status text_member(const json_t *object, const char *member,
                             const char **out_text, oc_error *err)
{
    *out_text = json_string_value(json_object_get(object, member));
    return *out_text ? OC_OK
                     : OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                               "member '%s' is no text", member);
}

static oc_status number_member(const json_t *object, const char *member,
                               int64_t *out_number, oc_error *err)
{
    const json_t *value = json_object_get(object, member);
    *out_number = json_integer_value(value);
    return json_is_integer(value) ? OC_OK
                                  : OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                                            "member '%s' is no whole number", member);
}

static oc_status read_head(const json_t *root, oc__manifest *manifest, oc_error *err)
{
    const char *text = NULL;
    int64_t step = 0;
    oc_status rc = text_member(root, "format", &text, err);
    if (rc == OC_OK && strcmp(text, OC__MANIFEST_FORMAT) != 0) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "format is '%.80s', not '%s'",
                     text, OC__MANIFEST_FORMAT);
    }
    if (rc == OC_OK) {
        rc = number_member(root, "step", &step, err);
    }
    if (rc == OC_OK) {
        rc = text_member(root, "state_hash", &text, err);
    }
    if (rc == OC_OK) {
        rc = oc__manifest_set_step(manifest, step, text, err);
    }
    if (rc != OC_OK || json_is_null(json_object_get(root, "parent_sha256"))) {
        return rc;
    }
    rc = text_member(root, "parent_sha256", &text, err);
    if (rc == OC_OK && !is_digest(text)) {
        rc = no_digest("parent_sha256", text, err);
    }
    if (rc == OC_OK) {
        memcpy(manifest->parent_sha256, text, OC__SHA256_HEX);
    }
    return rc;
}

static oc_status read_identity(const json_t *identity, oc__manifest *manifest,
                               oc_error *err)
{
    oc_status rc = OC_OK;
    if (!json_is_object(identity)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "identity is no JSON object");
    }
    const char *key = NULL;
    const json_t *value = NULL;
    json_object_foreach((json_t *)identity, key, value)
    {
        const char *text = NULL;
        rc = text_member(identity, key, &text, err);
        if (rc == OC_OK) {
            rc = oc__manifest_add_pair(manifest, key, text, err);
        }
        if (rc != OC_OK) {
            break;
        }
    }
    return rc;
}

static oc_status read_files(const json_t *files, oc__manifest *manifest, oc_error *err)
{
    oc_status rc = OC_OK;
    if (!json_is_array(files) || json_array_size(files) == 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "files is no list of files");
    }
    for (size_t i = 0; rc == OC_OK && i < json_array_size(files); i++) {
        const json_t *entry = json_array_get(files, i);
        const char *name = NULL;
        const char *sha256 = NULL;
        int64_t size = 0;
        rc = hold_members(entry, "a file", members_of_file, FILE_MEMBER_COUNT, err);
        if (rc == OC_OK) {
            rc = text_member(entry, "name", &name, err);
        }
        if (rc == OC_OK) {
            rc = number_member(entry, "size", &size, err);
        }
        if (rc == OC_OK) {
            rc = text_member(entry, "sha256", &sha256, err);
        }
        if (rc == OC_OK) {
            rc = oc__manifest_add_file(manifest, name, size, sha256, err);
        }
    }
    return rc;
}

/* Its own digest, and that it is the one text that such a manifest has. */
static oc_status hold_text(const json_t *root, const char *text, size_t size,
                           oc__manifest *manifest, oc_error *err)
{
    const char *says = NULL;
    oc_status rc = text_member(root, "sha256", &says, err);
    if (rc != OC_OK) {
        return rc;
    }
    char *wanted = oc__manifest_text(manifest);
    if (!wanted) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
    }
    if (strcmp(says, manifest->sha256) != 0) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "sha256 is '%.80s', but its members have '%s'", says,
                     manifest->sha256);
    } else if (strlen(wanted) != size || memcmp(wanted, text, size) != 0) {
        rc = OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                     "its white space, the order of its members or the form of its "
                     "values is not the format's");
    }
    free(wanted);
    return rc;
}

oc_status oc__manifest_read(const char *text, size_t size, oc__manifest *out_manifest,
                            oc_error *err)
{
    json_t *root = NULL;
    *out_manifest = (oc__manifest){0};
    oc_status rc = oc__json_parse(text, size, OC__MANIFEST_FILE, &root, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc__manifest manifest = {0};
    rc = hold_members(root, "the manifest", members_of_manifest, MEMBER_COUNT, err);
    if (rc == OC_OK) {
        rc = read_head(root, &manifest, err);
    }
    if (rc == OC_OK) {
        rc = read_identity(json_object_get(root, "identity"), &manifest, err);
    }
    if (rc == OC_OK) {
        rc = read_files(json_object_get(root, "files"), &manifest, err);
    }
    if (rc == OC_OK) {
        rc = hold_text(root, text, size, &manifest, err);
    }
    json_decref(root);
    if (rc == OC_OK) {
        *out_manifest = manifest;
    } else {
        oc__error_prefix(err, "'%s'", OC__MANIFEST_FILE);
    }
    return rc;
}
