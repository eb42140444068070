/* The reader's table of each kind of document, its schema and its page in docs/ tell of
 * the same members in the same order. */
#include "base/file.h"
#include "base/json.h"
#include "receipt/receipt_members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct texts {
    json_t *schema;
    char *prose;
} texts;

static char *read_document(const char *name, size_t *out_size)
{
    char path[4096];
    char *text = NULL;
    const char *source = getenv("ONCHIP_TEST_SOURCE");
    assert_non_null(source);
    snprintf(path, sizeof path, "%s/docs/%s", source, name);
    assert_int_equal(oc__file_read(path, 1 << 20, &text, out_size, NULL), OC_OK);
    return text;
}

/* The schema of an object behind "anyOf" (where null is the other) or "items". */
static const json_t *object_schema(const json_t *schema)
{
    const json_t *choices = json_object_get(schema, "anyOf");
    for (size_t i = 0; i < json_array_size(choices); i++) {
        if (json_object_get(json_array_get(choices, i), "properties")) {
            return json_array_get(choices, i);
        }
    }
    const json_t *items = json_object_get(schema, "items");
    return json_is_object(items) ? items : schema;
}

static void compare(const texts *documents, const oc__member *members,
                    const json_t *schema)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *required = json_object_get(schema, "required");
    size_t count = 0;
    void *property = json_object_iter((json_t *)properties);
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    for (const oc__member *member = members; member->key; member++, count++) {
        char quoted[64];
        assert_non_null(property);
        assert_string_equal(json_object_iter_key(property), member->key);
        assert_string_equal(json_string_value(json_array_get(required, count)),
                            member->key);
        snprintf(quoted, sizeof quoted, "`%s`", member->key);
        if (!strstr(documents->prose, quoted)) {
            fail_msg("the page does not tell of %s", quoted);
        }
        if (member->members) {
            compare(documents, member->members,
                    object_schema(json_object_iter_value(property)));
        }
        property = json_object_iter_next((json_t *)properties, property);
    }
    assert_null(property);
    assert_int_equal(json_array_size(required), count);
}

static void compare_documents(const oc__member *members, const char *schema,
                              const char *page)
{
    texts documents = {0};
    size_t size = 0;
    char *text = read_document(schema, &size);
    assert_int_equal(oc__json_parse(text, size, schema, &documents.schema, NULL),
                     OC_OK);
    free(text);
    documents.prose = read_document(page, &size);
    compare(&documents, members, documents.schema);
    json_decref(documents.schema);
    free(documents.prose);
}

static void the_receipt(void **state)
{
    (void)state;
    compare_documents(oc__receipt_members, "receipt.schema.json", "receipt.md");
}

static void the_receipt_of_a_run(void **state)
{
    (void)state;
    compare_documents(oc__run_receipt_members, "run-receipt.schema.json",
                      "run-receipt.md");
}

static void the_receipt_of_a_launch(void **state)
{
    (void)state;
    compare_documents(oc__launch_receipt_members, "launch-receipt.schema.json",
                      "launch-receipt.md");
}

static void the_evidence_of_an_audit(void **state)
{
    (void)state;
    compare_documents(oc__audit_members, "audit-evidence.schema.json",
                      "audit-evidence.md");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_receipt),
        cmocka_unit_test(the_receipt_of_a_run),
        cmocka_unit_test(the_receipt_of_a_launch),
        cmocka_unit_test(the_evidence_of_an_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
