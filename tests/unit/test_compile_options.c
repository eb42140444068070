/* The compile options, byte by byte: XLA's CompileOptionsProto as jax 0.10.2 gives it
 * for a jitted function of two arguments on one device, without its debug_options
 * (field 3.3). The bytes were written down by hand from the field numbers and from what
 * jax was seen to give. */
#include "unit.h"

#include "pjrt/compile_options.h"

#define MINUS_ONE "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"

static oc_status make(size_t replicas, size_t partitions, size_t parameters,
                      const int64_t *ids, oc__strbuf *bytes, oc__strbuf *text,
                      oc_error *err)
{
    oc__compile_request request = {.replicas = replicas,
                                   .partitions = partitions,
                                   .device_ids = ids,
                                   .parameters = parameters};
    oc__strbuf_init(bytes, 1 << 20);
    oc__strbuf_init(text, 1 << 20);
    return oc__compile_options(&request, bytes, text, err);
}

static void one_device_and_two_arguments_as_jax(void **state)
{
    static const char want[] = "\x1a\x2d"             // 3: executable_build_options
                               "\x08" MINUS_ONE       // 1: device_ordinal
                               "\x20\x01"             // 4: num_replicas
                               "\x28\x01"             // 5: num_partitions
                               "\x30\x01"             // 6: use_spmd_partitioning
                               "\x4a\x09"             // 9: device_assignment
                               "\x08\x01\x10\x01"     //    replicas, computations
                               "\x1a\x03\x0a\x01\x00" //    devices [[0]]
                               "\x62\x01\x01"         // 12: ..._to_output [true]
                               "\x92\x01\x02\x00\x00" // 18: ..._to_parameters
                               "\x98\x01\x01"         // 19: use_shardy_partitioner
                               "\xb8\x01\x01"         // 23: process_count
                               "\xc8\x01\x1d"         // 25: memory_fitting_level O2
                               "\x28" MINUS_ONE       // 5: profile_version
                               "\x48\x01";            // 9: allow_in_place_...
    static const int64_t ids[1] = {0};
    (void)state;
    oc__strbuf bytes;
    oc__strbuf text;
    assert_int_equal(make(1, 1, 2, ids, &bytes, &text, NULL), OC_OK);
    assert_int_equal(bytes.size, sizeof want - 1);
    assert_memory_equal(bytes.data, want, sizeof want - 1);
    assert_string_equal(
        text.data,
        "executable_build_options { device_ordinal: -1 num_replicas: 1 num_partitions: "
        "1 use_spmd_partitioning: true device_assignment { replica_count: 1 "
        "computation_count: 1 computation_devices { replica_device_ids: 0 } } "
        "allow_spmd_sharding_propagation_to_output: true "
        "allow_spmd_sharding_propagation_to_parameters: false "
        "allow_spmd_sharding_propagation_to_parameters: false use_shardy_partitioner: "
        "true process_count: 1 memory_fitting_level: EFFORT_O2 } profile_version: -1 "
        "allow_in_place_mlir_modification: true");
    oc__strbuf_free(&bytes);
    oc__strbuf_free(&text);
}

/* Device ids stand in the order given, computation by computation. */
static void replicas_and_partitions_name_their_devices(void **state)
{
    static const char want[] = "\x4a\x13\x08\x03\x10\x02"
                               "\x1a\x06\x0a\x04\x05\x00\x80\x02"
                               "\x1a\x05\x0a\x03\x07\x02\x01"
                               "\x62\x01\x01\x98\x01\x01"; // no parameters: no field 18
    static const int64_t ids[6] = {5, 0, 256, 7, 2, 1};
    (void)state;
    oc__strbuf bytes;
    oc__strbuf text;
    assert_int_equal(make(3, 2, 0, ids, &bytes, &text, NULL), OC_OK);
    assert_memory_equal(bytes.data + 2, "\x08" MINUS_ONE "\x20\x03\x28\x02\x30\x01",
                        17);
    assert_memory_equal(bytes.data + 19, want, sizeof want - 1);
    assert_non_null(
        strstr(text.data, "replica_count: 3 computation_count: 2 computation_devices { "
                          "replica_device_ids: 5 replica_device_ids: 0 "
                          "replica_device_ids: 256 } computation_devices { "
                          "replica_device_ids: 7 replica_device_ids: 2 "
                          "replica_device_ids: 1 } }"));
    oc__strbuf_free(&bytes);
    oc__strbuf_free(&text);
}

static void what_cannot_be_asked_for(void **state)
{
    static const size_t wrong[][3] = {{0, 1, 2},    {1, 0, 2},
                                      {4097, 1, 2}, {1, 4097, 2},
                                      {1, 1, 4097}, {SIZE_MAX, SIZE_MAX, 2}};
    static const int64_t ids[1] = {0};
    (void)state;
    oc__strbuf bytes;
    oc__strbuf text;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        oc_error err = {0};
        assert_int_equal(
            make(wrong[i][0], wrong[i][1], wrong[i][2], ids, &bytes, &text, &err),
            OC_INVALID_ARGUMENT);
        ASSERT_ERROR(&err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE, "cannot be asked");
        assert_int_equal(bytes.size, 0);
        oc__strbuf_free(&bytes);
        oc__strbuf_free(&text);
    }
    assert_int_equal(make(1, 1, 4096, ids, &bytes, &text, NULL), OC_OK);
    oc__strbuf_free(&bytes);
    oc__strbuf_free(&text);
}

static void a_buffer_that_is_too_small_is_an_error(void **state)
{
    static const int64_t ids[1] = {0};
    (void)state;
    oc_error err = {0};
    oc__compile_request request = {
        .replicas = 1, .partitions = 1, .device_ids = ids, .parameters = 2};
    oc__strbuf bytes;
    oc__strbuf text;
    oc__strbuf_init(&bytes, 40);
    oc__strbuf_init(&text, 1 << 20);
    assert_int_equal(oc__compile_options(&request, &bytes, &text, &err), OC_NOMEM);
    ASSERT_ERROR(&err, OC_NOMEM, OC_BOUNDARY_NONE, "too large");
    oc__strbuf_free(&bytes);
    oc__strbuf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_and_two_arguments_as_jax),
        cmocka_unit_test(replicas_and_partitions_name_their_devices),
        cmocka_unit_test(what_cannot_be_asked_for),
        cmocka_unit_test(a_buffer_that_is_too_small_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
