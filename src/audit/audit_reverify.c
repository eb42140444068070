/* The evidence decided again from its file alone; and negative controls: copies in
 * which one member is changed must all be refused. */
#include "audit/audit_room.h"

#include "base/file.h"
#include "base/json.h"
#include "onchip/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVIDENCE = 1 << 20, MAX_PATH = 256 };

static const oc_verify_options requirement = {.require = "cpu"};

typedef struct controls {
    const json_t *root;
    size_t count;
    char accepted[MAX_PATH]; /* the first member whose change was not noticed */
    bool failed;             /* out of memory */
} controls;

/* Whether the document still verifies. A copy that cannot even be read is refused. */
static void try_copy(controls *c, const char *path)
{
    oc_verify_result judged;
    oc_error why = {0};
    char *text = oc__json_text(c->root);
    if (!text) {
        c->failed = true;
        return;
    }
    if (oc_verify(text, strlen(text), "a changed copy", &requirement, &judged, &why) ==
            OC_OK &&
        judged.verdict == OC_PASS && !*c->accepted) {
        snprintf(c->accepted, sizeof c->accepted, "%s", path);
    }
    c->failed = c->failed || why.status == OC_NOMEM;
    c->count++;
    free(text);
}

/* Another value of the same type where there is one, so that it is the value that is
 * refused. A new reference. */
static json_t *changed(const json_t *value)
{
    if (json_is_string(value)) {
        const char *old = json_string_value(value);
        size_t length = strlen(old);
        char *text = strdup(old);
        json_t *made = NULL;
        // A digit becomes another digit: dates and hashes keep their form.
        for (size_t i = length; text && i > 0 && !made; i--) {
            if (text[i - 1] >= '0' && text[i - 1] <= '9') {
                text[i - 1] = text[i - 1] == '1' ? '2' : '1';
                made = json_string(text);
            }
        }
        free(text);
        return made ? made : json_sprintf("%s!", old);
    }
    if (json_is_integer(value)) {
        return json_integer(json_integer_value(value) + 1);
    }
    if (json_is_boolean(value)) {
        return json_boolean(!json_is_true(value));
    }
    return json_is_null(value) ? json_string("1") : json_null();
}

static void walk(controls *c, json_t *value, const char *path);

/* A changed value and its removal, in a member of an object. */
static void change_member(controls *c, json_t *object, const char *key,
                          const char *path)
{
    json_t *old = json_incref(json_object_get(object, key));
    if (!json_is_object(old) && !json_is_array(old)) {
        c->failed = json_object_set_new(object, key, changed(old)) != 0 || c->failed;
        try_copy(c, path);
        c->failed = json_object_set(object, key, old) != 0 || c->failed;
    }
    walk(c, old, path);
    json_decref(old);
}

static void change_element(controls *c, json_t *array, size_t index, const char *path)
{
    json_t *old = json_incref(json_array_get(array, index));
    if (!json_is_object(old) && !json_is_array(old)) {
        c->failed = json_array_set_new(array, index, changed(old)) != 0 || c->failed;
        try_copy(c, path);
        c->failed = json_array_set(array, index, old) != 0 || c->failed;
    }
    walk(c, old, path);
    json_decref(old);
}

static void walk(controls *c, json_t *value, const char *path)
{
    char inner[MAX_PATH];
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(inner, sizeof inner, "%s[%zu]", path, i);
            change_element(c, value, i, inner);
        }
        c->failed = json_array_append_new(value, json_null()) != 0 || c->failed;
        try_copy(c, path);
        c->failed =
            json_array_remove(value, json_array_size(value) - 1) != 0 || c->failed;
    } else if (json_is_object(value)) {
        for (void *at = json_object_iter(value); at;
             at = json_object_iter_next(value, at)) {
            const char *key = json_object_iter_key(at);
            snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", key);
            // Setting a key that is there keeps the iterator valid (jansson).
            change_member(c, value, key, inner);
        }
    }
}

static oc_status add_say(oc_audit_stage *stage, const char *text, oc_error *err)
{
    char **says = realloc(stage->says, (stage->say_count + 1) * sizeof *says);
    if (says) {
        stage->says = says;
        says[stage->say_count] = strdup(text);
    }
    if (!says || !says[stage->say_count]) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    stage->say_count++;
    return OC_OK;
}

oc_status oc__audit_reverify(oc_audit_result *result, oc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    json_t *root = NULL;
    oc_verify_result judged = {0};
    oc_audit_stage *stage = &result->stages[result->stage_count - 1];
    oc_status rc = oc__file_read(result->evidence, MAX_EVIDENCE, &text, &size, err);
    rc = rc == OC_OK
             ? oc_verify(text, size, result->evidence, &requirement, &judged, err)
             : rc;
    rc = rc == OC_OK ? oc__json_parse(text, size, result->evidence, &root, err) : rc;
    if (rc != OC_OK) {
        goto done;
    }
    if (judged.verdict != OC_PASS) {
        rc = oc__audit_fail(result, "evidence", "a file that verifies", judged.detail,
                            NULL, err);
        goto done;
    }
    controls c = {.root = root};
    walk(&c, root, "");
    char line[MAX_PATH + 64];
    if (c.failed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    } else if (*c.accepted) {
        snprintf(line, sizeof line, "PASS with '%s' changed", c.accepted);
        rc = oc__audit_fail(result, "evidence", "every changed copy to be refused",
                            line, NULL, err);
    } else {
        rc = add_say(stage, judged.detail, err);
        snprintf(line, sizeof line, "%zu copies with one member changed were refused",
                 c.count);
        rc = rc == OC_OK ? add_say(stage, line, err) : rc;
    }
done:
    json_decref(root);
    free(text);
    return rc;
}
