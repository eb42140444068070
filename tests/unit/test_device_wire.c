/* Messages between onchip and its worker: what was sent arrives, and what is no message
 * is refused before it can do harm. */
#include "unit.h"

#include "device/wire.h"

#include <stdlib.h>

enum { STREAM_BYTES = 1 << 16 };

/* A stream in memory; it ends where writing stopped. */
typedef struct stream {
    unsigned char bytes[STREAM_BYTES];
    size_t written, read;
} stream;

static oc_status move(void *context, bool sending, void *data, size_t size,
                      oc_error *err)
{
    stream *s = context;
    if (sending) {
        assert_true(size <= sizeof s->bytes - s->written);
        memcpy(s->bytes + s->written, data, size);
        s->written += size;
        return OC_OK;
    }
    if (size > s->written - s->read) {
        return OC_FAIL(err, OC_CHILD, OC_BOUNDARY_NONE, "the stream ends");
    }
    memcpy(data, s->bytes + s->read, size);
    s->read += size;
    return OC_OK;
}

static void put(stream *s, const void *bytes, size_t size)
{
    oc__ignore(move(s, true, (void *)(uintptr_t)bytes, size, NULL));
}

/* A header by the format in wire.h. */
static void put_header(stream *s, const char *magic, uint32_t json_size,
                       uint64_t blob_size)
{
    put(s, magic, 4);
    put(s, &json_size, sizeof json_size);
    put(s, &blob_size, sizeof blob_size);
}

static oc_status receive(stream *s, oc__message *out, oc_error *err)
{
    oc__wire wire = {.move = move, .context = s};
    return oc__wire_receive(&wire, out, err);
}

static void what_is_sent_arrives(void **state)
{
    (void)state;
    static stream s;
    s = (stream){0};
    oc__wire wire = {.move = move, .context = &s};
    json_t *first = json_pack("{s:s s:[i f]}", "op", "put", "dims", -3, 0.1);
    json_t *second = json_pack("{s:b}", "ok", 1);
    assert_int_equal(oc__wire_send(&wire, first, "\0\1\2\xff", 4, NULL), OC_OK);
    assert_int_equal(oc__wire_send(&wire, second, NULL, 0, NULL), OC_OK);

    oc__message message;
    assert_int_equal(receive(&s, &message, NULL), OC_OK);
    assert_true(json_equal(message.json, first));
    assert_int_equal(message.blob_size, 4);
    assert_memory_equal(message.blob, "\0\1\2\xff", 4);
    oc__message_free(&message);
    assert_int_equal(receive(&s, &message, NULL), OC_OK);
    assert_true(json_equal(message.json, second));
    assert_int_equal(message.blob_size, 0);
    assert_null(message.blob);
    oc__message_free(&message);
    oc__message_free(&message);
    assert_int_equal(receive(&s, &message, NULL), OC_CHILD); // nothing more
    json_decref(first);
    json_decref(second);
}

static void the_format_is_the_one_described(void **state)
{
    (void)state;
    static stream s;
    s = (stream){0};
    oc__wire wire = {.move = move, .context = &s};
    json_t *json = json_pack("{s:i}", "a", 1);
    assert_int_equal(oc__wire_send(&wire, json, "xy", 2, NULL), OC_OK);
    static stream want;
    want = (stream){0};
    put_header(&want, "OCW1", 7, 2);
    put(&want, "{\"a\":1}xy", 9);
    assert_int_equal(s.written, want.written);
    assert_memory_equal(s.bytes, want.bytes, want.written);
    json_decref(json);
}

static void what_is_no_message_is_refused(void **state)
{
    static const struct {
        const char *magic;
        uint32_t json_size;
        oc_status status;
        uint64_t blob_size;
        const char *json;
    } table[] = {
        {"OCW1", 2, OC_OK, 0, "{}"},
        {"OCW2", 2, OC_CHILD, 0, "{}"},
        {"\0\0\0\0", 2, OC_CHILD, 0, "{}"},
        {"{\"ju", 2, OC_CHILD, 0, "{}"},
        {"OCW1", UINT32_MAX, OC_CHILD, 0, "{}"},
        {"OCW1", (4U << 20) + 1, OC_CHILD, 0, "{}"},
        {"OCW1", 2, OC_CHILD, UINT64_MAX, "{}"},
        {"OCW1", 2, OC_CHILD, ((uint64_t)1 << 36) + 1, "{}"},
        {"OCW1", 1, OC_PARSE, 0, "{"},
        {"OCW1", 0, OC_PARSE, 0, ""},
        {"OCW1", 5, OC_PARSE, 0, "{} {}"},
        {"OCW1", 3, OC_PARSE, 0, "{}\0"},
    };
    (void)state;
    static stream s;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        oc_error err = {0};
        oc__message message = {.blob_size = 5};
        s = (stream){0};
        put_header(&s, table[i].magic, table[i].json_size, table[i].blob_size);
        put(&s, table[i].json, table[i].json_size > 5 ? 2 : table[i].json_size);
        oc_status rc = receive(&s, &message, &err);
        if (rc != table[i].status) {
            fail_msg("case %zu: status %d: %s", i, (int)rc, err.text);
        }
        assert_int_equal(err.status, rc);
        if (rc == OC_CHILD) { // by its header alone
            ASSERT_ERROR(&err, rc, OC_BOUNDARY_NONE, "bytes that are no message");
            assert_int_equal(s.read, 16);
        }
        assert_true((message.json != NULL) == (rc == OC_OK));
        assert_null(message.blob);
        assert_int_equal(message.blob_size, 0);
        oc__message_free(&message);
    }
}

/* A message of 16 + 7 + 5 bytes, cut behind each of them. */
static void a_cut_message_is_an_error_wherever_it_is_cut(void **state)
{
    enum { WHOLE = 28 };
    (void)state;
    static stream s;
    for (size_t length = 0; length <= WHOLE; length++) {
        oc_error err = {0};
        oc__message message;
        s = (stream){0};
        put_header(&s, "OCW1", 7, 5);
        put(&s, "{\"a\":1}hello", 12);
        assert_int_equal(s.written, WHOLE);
        s.written = length;
        oc_status rc = receive(&s, &message, &err);
        assert_int_equal(rc, length == WHOLE ? OC_OK : OC_CHILD);
        assert_true((message.json != NULL) == (length == WHOLE));
        assert_true((message.blob != NULL) == (length == WHOLE));
        oc__message_free(&message);
    }
}

static void a_reply_of_any_type_is_json_and_no_more(void **state)
{
    (void)state;
    static stream s;
    s = (stream){0};
    oc__message message;
    put_header(&s, "OCW1", 4, 0);
    put(&s, "[42]", 4);
    assert_int_equal(receive(&s, &message, NULL), OC_OK);
    assert_null(json_object_get(message.json, "ok")); // so it is no success
    oc__message_free(&message);
}

/* A message with these members and `size` bytes of 7; the array, or why there is none.
 */
static oc_status take_array(const char *members, size_t size, oc_tensor *out_array)
{
    oc__message message = {.json = json_loads(members, 0, NULL),
                           .blob =
                               size ? aligned_alloc(64, (size / 64 + 1) * 64) : NULL,
                           .blob_size = size};
    assert_non_null(message.json);
    if (size) {
        memset(message.blob, 7, size);
    }
    const void *blob = message.blob;
    oc_error err = {0};
    oc_status rc = oc__message_take_array(&message, out_array, &err);
    if (rc == OC_OK && size) {
        assert_ptr_equal(out_array->data, blob); // not a copy
        assert_null(message.blob);
    }
    assert_int_equal(rc, err.status);
    oc__message_free(&message);
    return rc;
}

static void an_array_has_the_bytes_that_it_needs(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        size_t size;
    } refused[] = {
        {"{\"dtype\": 11, \"dims\": [2, 3]}", 23},
        {"{\"dtype\": 11, \"dims\": [2, 3]}", 0},
        {"{\"dtype\": 11, \"dims\": [-2, -3]}", 24},
        {"{\"dtype\": 11, \"dims\": [4611686018427387904, 4]}", 0},
        {"{\"dtype\": 11, \"dims\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,"
         "1]}",
         4},
        {"{\"dtype\": 0, \"dims\": []}", 0},
        {"{\"dtype\": 99, \"dims\": [1]}", 4},
        {"{\"dtype\": -1, \"dims\": [1]}", 4},
        {"{}", 4},
    };
    oc_tensor array;
    assert_int_equal(OC_F32, 11);
    assert_int_equal(take_array("{\"dtype\": 11, \"dims\": [2, 3]}", 24, &array),
                     OC_OK);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.dims[1], 3);
    assert_int_equal(((unsigned char *)array.data)[23], 7);
    oc_tensor_free(&array);
    assert_int_equal(take_array("{\"dtype\": 11, \"dims\": [0, 3]}", 0, &array), OC_OK);
    assert_non_null(array.data);
    oc_tensor_free(&array);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(take_array(refused[i].members, refused[i].size, &array),
                         OC_CHILD);
        assert_null(array.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_arrives),
        cmocka_unit_test(the_format_is_the_one_described),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(a_cut_message_is_an_error_wherever_it_is_cut),
        cmocka_unit_test(a_reply_of_any_type_is_json_and_no_more),
        cmocka_unit_test(an_array_has_the_bytes_that_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
