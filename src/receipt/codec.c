/* Objects, lists and hashes; and the walk over a table of members. */
#include "receipt/receipt_members.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool oc__member_refuse(oc__refusal *refusal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->why, sizeof refusal->why, format, arguments);
    va_end(arguments);
    refusal->path[0] = '\0';
    return false;
}

bool oc__member_refuse_no_memory(oc__refusal *refusal)
{
    refusal->no_memory = true;
    return false;
}

static void blame_member(oc__refusal *refusal, const char *key)
{
    char below[sizeof refusal->path];
    memcpy(below, refusal->path, sizeof below);
    const char *joint = below[0] == '\0' || below[0] == '[' ? "" : ".";
    snprintf(refusal->path, sizeof refusal->path, "%.60s%s%.90s", key, joint, below);
}

void oc__member_blame_index(oc__refusal *refusal, size_t index)
{
    char key[32];
    snprintf(key, sizeof key, "[%zu]", index);
    blame_member(refusal, key);
}

/* The name of a member of `value` that the table does not have. */
static const char *unknown_member(const oc__member *members, const json_t *value)
{
    const char *key = NULL;
    const json_t *ignored = NULL;
    json_object_foreach((json_t *)value, key, ignored)
    {
        const oc__member *member = members;
        while (member->key && strcmp(member->key, key) != 0) {
            member++;
        }
        if (!member->key) {
            return key;
        }
    }
    return NULL;
}

bool oc__member_read_object(const oc__member *members, const json_t *value,
                            void *structure, oc__refusal *refusal)
{
    if (!json_is_object(value)) {
        return oc__member_refuse(refusal, "must be an object");
    }
    size_t count = 0;
    for (const oc__member *member = members; member->key; member++, count++) {
        const json_t *item = json_object_get(value, member->key);
        if (!item) {
            oc__member_refuse(refusal, "is missing");
            blame_member(refusal, member->key);
            return false;
        }
        void *field = (char *)structure + member->offset;
        if (!member->codec->read(member, item, field, refusal)) {
            blame_member(refusal, member->key);
            return false;
        }
    }
    if (json_object_size(value) != count) {
        oc__member_refuse(refusal, "is not a member of this document");
        blame_member(refusal, unknown_member(members, value));
        return false;
    }
    return true;
}

json_t *oc__members_write(const oc__member *members, const void *structure)
{
    json_t *object = json_object();
    for (const oc__member *member = members; object && member->key; member++) {
        const void *field = (const char *)structure + member->offset;
        // A NULL value makes the call fail, and so does a lack of memory.
        if (json_object_set_new_nocheck(object, member->key,
                                        member->codec->write(member, field)) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

char *oc__members_text(const oc__member *members, const void *structure)
{
    json_t *document = oc__members_write(members, structure);
    char *text = document ? oc__json_text(document) : NULL;
    json_decref(document);
    return text;
}

bool oc__members_digest(const oc__member *members, const void *structure,
                        char out_hex[OC__SHA256_HEX])
{
    json_t *document = oc__members_write(members, structure);
    char *text = NULL;
    out_hex[0] = '\0';
    if (document && json_object_del(document, "sha256") == 0) {
        text = oc__json_text(document);
    }
    if (text) {
        oc__sha256_hex(text, strlen(text), out_hex);
    }
    free(text);
    json_decref(document);
    return out_hex[0] != '\0';
}

oc_status oc__members_read(const oc__member *members, const json_t *object,
                           const char *name, void *structure, oc_error *err)
{
    oc__refusal refusal = {0};
    if (oc__member_read_object(members, object, structure, &refusal)) {
        return OC_OK;
    }
    if (refusal.no_memory) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    if (refusal.path[0] == '\0') {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s': the document %s", name,
                       refusal.why);
    }
    return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "'%s': member '%s' %s", name,
                   refusal.path, refusal.why);
}

static json_t *write_object(const oc__member *member, const void *field)
{
    if (member->present && !member->present(field)) {
        return json_null();
    }
    return oc__members_write(member->members, field);
}

static bool read_object(const oc__member *member, const json_t *value, void *field,
                        oc__refusal *refusal)
{
    if (member->present && json_is_null(value)) {
        return true;
    }
    if (!oc__member_read_object(member->members, value, field, refusal)) {
        return false;
    }
    return !member->present || member->present(field) ||
           oc__member_refuse(refusal, "holds nothing and must be null");
}

/* The place of a list's count; `field` is the list's own place. */
static size_t *list_count(const oc__member *member, const void *field)
{
    return (size_t *)((char *)(size_t)field - member->offset + member->count_offset);
}

static json_t *write_list_items(const oc__member *member, const char *items,
                                size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++) {
        json_t *item =
            oc__members_write(member->members, items + i * member->item_size);
        if (json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_list_items(const oc__member *member, const json_t *value, char *items,
                            oc__refusal *refusal)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!oc__member_read_object(member->members, json_array_get(value, i),
                                    items + i * member->item_size, refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

static json_t *write_list(const oc__member *member, const void *field)
{
    const char *items = NULL;
    memcpy(&items, field, sizeof items);
    return write_list_items(member, items, *list_count(member, field));
}

static bool read_list(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value)) {
        return oc__member_refuse(refusal, "must be an array");
    }
    if (count == 0) {
        return true;
    }
    char *items = calloc(count, member->item_size);
    if (!items) {
        return oc__member_refuse_no_memory(refusal);
    }
    memcpy(field, &items, sizeof items); // the structure owns them from here on
    *list_count(member, field) = count;
    return read_list_items(member, value, items, refusal);
}

static json_t *write_items(const oc__member *member, const void *field)
{
    return write_list_items(member, field, *list_count(member, field));
}

static bool read_items(const oc__member *member, const json_t *value, void *field,
                       oc__refusal *refusal)
{
    if (!json_is_array(value) || json_array_size(value) > (size_t)member->max) {
        return oc__member_refuse(refusal, "must be an array of at most %lld items",
                                 (long long)member->max);
    }
    *list_count(member, field) = json_array_size(value);
    return read_list_items(member, value, field, refusal);
}

static json_t *write_hash(const oc__member *member, const void *field)
{
    const char *hash = field;
    (void)member;
    return *hash ? json_string_nocheck(hash) : json_null();
}

static bool read_hash(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    if (member->nullable && json_is_null(value)) {
        return true;
    }
    const char *text = json_string_value(value);
    if (!text || !oc__is_sha256_text(text)) {
        return oc__member_refuse(refusal, "must be 64 lower-case hexadecimal digits%s",
                                 member->nullable ? " or null" : "");
    }
    memcpy(field, text, OC__SHA256_HEX);
    return true;
}

/* One entry of a list of hashes: `name` is constant, the hash lies at the entry. */
static void hash_members(const oc__member *list, size_t index, oc__member out[3])
{
    out[0] = (oc__member){
        .key = "name", .codec = &oc__codec_constant, .text = list->words[index]};
    out[1] = (oc__member){
        .key = "sha256", .codec = &oc__codec_hash, .nullable = list->nullable};
    out[2] = (oc__member){0};
}

static json_t *write_hashes(const oc__member *member, const void *field)
{
    json_t *list = json_array();
    for (size_t i = 0; list && member->words[i]; i++) {
        oc__member entry[3];
        hash_members(member, i, entry);
        const char *hash = (const char *)field + i * member->item_size;
        if (json_array_append_new(list, oc__members_write(entry, hash)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_hashes(const oc__member *member, const json_t *value, void *field,
                        oc__refusal *refusal)
{
    size_t count = 0;
    while (member->words[count]) {
        count++;
    }
    if (!json_is_array(value) || json_array_size(value) != count) {
        return oc__member_refuse(refusal, "must be an array of %zu items", count);
    }
    for (size_t i = 0; i < count; i++) {
        oc__member entry[3];
        hash_members(member, i, entry);
        if (!oc__member_read_object(entry, json_array_get(value, i),
                                    (char *)field + i * member->item_size, refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

const oc__codec oc__codec_object = {write_object, read_object};
const oc__codec oc__codec_list = {write_list, read_list};
const oc__codec oc__codec_items = {write_items, read_items};
const oc__codec oc__codec_hash = {write_hash, read_hash};
const oc__codec oc__codec_hashes = {write_hashes, read_hashes};
