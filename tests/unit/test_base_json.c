/* JSON is read strictly (RFC 8259, and the refusals that base/json.h lists) and written
 * one way. */
#include "unit.h"

#include "base/json.h"
#include "base/strbuf.h"

#include <math.h>
#include <stdlib.h>

static oc_status parse(const char *text, size_t size, json_t **out_root, oc_error *err)
{
    return oc__json_parse(text, size, "doc", out_root, err);
}

/* Each refusal beside a twin that differs in nothing else and is taken. */
static void each_refusal_has_a_twin_that_passes(void **state)
{
    static const struct {
        const char *refused, *taken;
    } table[] = {
        {"{\"a\": 1} x", "{\"a\": 1}  "}, // bytes after the document
        {"{\"a\": 1}{}", "{\"a\": 1}\n"},
        {"{\"a\": 1, \"a\": 1}", "{\"a\": 1, \"b\": 1}"}, // duplicate keys
        {"{\"o\": {\"a\": 1, \"a\": 2}}", "{\"a\": 1, \"o\": {\"a\": 2}}"},
        {"[NaN]", "[\"NaN\"]"},
        {"[Infinity]", "[\"Infinity\"]"},
        {"[-Infinity]", "[\"-Infinity\"]"},
        {"[1e400]", "[1e300]"}, // numbers that do not fit
        {"[9223372036854775808]", "[9223372036854775807]"},
        {"[-9223372036854775809]", "[-9223372036854775808]"},
        {"[\"\xff\"]", "[\"\xc3\xbf\"]"},          // invalid UTF-8
        {"[\"\xc0\xaf\"]", "[\"\xc2\xaf\"]"},      // an overlong form
        {"[\"\\ud800\"]", "[\"\\ud83d\\ude00\"]"}, // half a surrogate pair
        {"[\"a\\u0000b\"]", "[\"a\\u0001b\"]"},    // an embedded NUL
        {"[01]", "[10]"},
        {"[.5]", "[0.5]"},
        {"[+1]", "[1]"},
        {"[1,]", "[1]"},
        {"{\"a\": 1,}", "{\"a\": 1}"},
        {"{a: 1}", "{\"a\": 1}"},
        {"['a']", "[\"a\"]"},
        {"[1] // no", "[1]"},
        {"[\"a\nb\"]", "[\"a\\nb\"]"},
        {"[1", "[1]"},
        {"", "[]"},
        {"]", "[]"},
        {"\xef\xbb\xbf[]", " []"}, // a byte order mark
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        json_t *root = NULL;
        if (parse(table[i].refused, strlen(table[i].refused), &root, &err) !=
            OC_PARSE) {
            fail_msg("taken: %s", table[i].refused);
        }
        ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "'doc' is not valid JSON");
        assert_null(root);
        err = (oc_error){0};
        if (parse(table[i].taken, strlen(table[i].taken), &root, &err) != OC_OK) {
            fail_msg("refused: %s: %s", table[i].taken, err.text);
        }
        json_decref(root);
    }
}

static void a_raw_nul_is_refused(void **state)
{
    (void)state;
    json_t *root = NULL;
    assert_int_equal(parse("[\"a\0b\"]", 7, &root, NULL), OC_PARSE);
    assert_int_equal(parse("[1]\0", 4, &root, NULL), OC_PARSE);
    assert_int_equal(parse("[1]\0", 3, &root, NULL), OC_OK);
    json_decref(root);
}

static void an_error_names_line_and_column(void **state)
{
    (void)state;
    oc_error err = {0};
    json_t *root = NULL;
    assert_int_equal(parse("{\n  \"a\": x}", 11, &root, &err), OC_PARSE);
    ASSERT_ERROR(&err, OC_PARSE, OC_BOUNDARY_INPUT, "line 2, column 8");
}

/* `depth` arrays, the innermost one holding a string full of brackets. */
static oc__strbuf nested(size_t depth)
{
    oc__strbuf text;
    oc__strbuf_init(&text, 1000);
    for (size_t i = 0; i < depth; i++) {
        oc__strbuf_add(&text, "[", 1);
    }
    oc__strbuf_addf(&text, "\"\\\"[[[[[{{{{\"");
    for (size_t i = 0; i < depth; i++) {
        oc__strbuf_add(&text, "]", 1);
    }
    return text;
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    oc_error err = {0};
    json_t *root = NULL;
    size_t used = 0;
    oc__strbuf deepest = nested(OC__JSON_MAX_DEPTH);
    assert_int_equal(parse(deepest.data, deepest.size, &root, &err), OC_OK);
    json_decref(root);
    oc__strbuf deeper = nested(OC__JSON_MAX_DEPTH + 1);
    assert_int_equal(parse(deeper.data, deeper.size, &root, &err), OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_INPUT, "deeper than 64 levels");
    assert_int_equal(
        oc__json_parse_prefix(deeper.data, deeper.size, "doc", &root, &used, NULL),
        OC_LIMIT);
    oc__strbuf_free(&deepest);
    oc__strbuf_free(&deeper);
    // Nothing but opening brackets, a million of them, is refused before it is parsed.
    char *endless = malloc(1000000);
    memset(endless, '[', 1000000);
    assert_int_equal(parse(endless, 1000000, &root, NULL), OC_LIMIT);
    endless[0] = ']';
    assert_int_equal(parse(endless, 1000000, &root, NULL), OC_PARSE);
    free(endless);
}

static void size_has_a_limit(void **state)
{
    (void)state;
    oc_error err = {0};
    json_t *root = NULL;
    char *text = malloc(OC__JSON_MAX_BYTES + 1);
    memset(text, ' ', OC__JSON_MAX_BYTES + 1);
    text[0] = '[';
    text[1] = ']';
    assert_int_equal(parse(text, OC__JSON_MAX_BYTES, &root, &err), OC_OK);
    json_decref(root);
    assert_int_equal(parse(text, OC__JSON_MAX_BYTES + 1, &root, &err), OC_LIMIT);
    ASSERT_ERROR(&err, OC_LIMIT, OC_BOUNDARY_INPUT, "16777217 bytes");
    free(text);
}

static void a_prefix_says_how_much_it_took(void **state)
{
    static const char text[] = "{\"a\": \"\xc3\xbf\"} and [more";
    (void)state;
    json_t *root = NULL;
    size_t used = 0;
    assert_int_equal(
        oc__json_parse_prefix(text, sizeof text - 1, "doc", &root, &used, NULL), OC_OK);
    assert_int_equal(used, 11);
    assert_string_equal(text + used, " and [more");
    json_decref(root);
    assert_int_equal(oc__json_parse_prefix("x {}", 4, "doc", &root, &used, NULL),
                     OC_PARSE);
    assert_null(root);
    assert_int_equal(
        oc__json_parse_prefix("{\"a\": 1, \"a\": 2} x", 18, "doc", &root, &used, NULL),
        OC_PARSE);
}

static void text_has_one_form(void **state)
{
    (void)state;
    json_t *root =
        json_pack("{s:i s:[s] s:o}", "z", 1, "a", "\xc3\xbf", "r", json_real(0.1));
    char *text = oc__json_text(root);
    assert_string_equal(text, "{\n  \"z\": 1,\n  \"a\": [\n    \"\xc3\xbf\"\n  ],\n"
                              "  \"r\": 0.10000000000000001\n}\n");
    free(text);
    json_decref(root);
}

static void floats_survive(void **state)
{
    static const double values[] = {0.0,      -0.0,
                                    0.1,      1.0 / 3,
                                    5e-324,   1.7976931348623157e308,
                                    -0.03125, 9007199254740993.0};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double back = 7;
        json_t *list = json_array();
        json_array_append_new(list, oc__json_float(values[i]));
        char *text = oc__json_text(list);
        json_t *again = NULL;
        assert_int_equal(parse(text, strlen(text), &again, NULL), OC_OK);
        assert_true(oc__json_as_float(json_array_get(again, 0), &back));
        assert_memory_equal(&back, &values[i], sizeof back);
        json_decref(again);
        json_decref(list);
        free(text);
    }
    static const struct {
        double value;
        const char *text;
    } special[] = {{(double)NAN, "NaN"},
                   {(double)INFINITY, "Infinity"},
                   {-(double)INFINITY, "-Infinity"}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        double back = 7;
        json_t *value = oc__json_float(special[i].value);
        assert_string_equal(json_string_value(value), special[i].text);
        assert_true(oc__json_as_float(value, &back));
        assert_true(isnan(special[i].value) ? isnan(back) : back == special[i].value);
        json_decref(value);
    }
    double untouched = 7;
    json_t *wrong = json_pack("[s s b n]", "nan", "1.0", 1);
    for (size_t i = 0; i < json_array_size(wrong); i++) {
        assert_false(oc__json_as_float(json_array_get(wrong, i), &untouched));
    }
    assert_false(oc__json_as_float(NULL, &untouched));
    assert_true(untouched == 7);
    json_decref(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_refusal_has_a_twin_that_passes),
        cmocka_unit_test(a_raw_nul_is_refused),
        cmocka_unit_test(an_error_names_line_and_column),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(size_has_a_limit),
        cmocka_unit_test(a_prefix_says_how_much_it_took),
        cmocka_unit_test(text_has_one_form),
        cmocka_unit_test(floats_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
