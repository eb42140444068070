#include "pjrt/compile_options.h"

#include "compile_options.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 4096, MAX_PARAMETERS = 4096, MAX_OVERRIDES = 256, EFFORT_O2 = 29 };

typedef struct override {
    CompileOptionsProto__Override entry;
    OptionOverrideProto value;
    char *key;
} override;

/* protobuf-c works on arrays of pointers; everything that one message points to. */
typedef struct parts {
    ExecutableBuildOptionsProto build;
    DeviceAssignmentProto assignment;
    DeviceAssignmentProto__ComputationDevice *computations;
    DeviceAssignmentProto__ComputationDevice **computation_pointers;
    int64_t *device_ids;
    protobuf_c_boolean *parameters_propagate;
    protobuf_c_boolean output_propagates;
    override *overrides;
    CompileOptionsProto__Override **override_pointers;
    size_t override_count;
} parts;

static void parts_free(parts *p)
{
    for (size_t i = 0; i < p->override_count; i++) {
        free(p->overrides[i].key);
    }
    free(p->overrides);
    free(p->override_pointers);
    free(p->computations);
    free(p->computation_pointers);
    free(p->device_ids);
    free(p->parameters_propagate);
}

static bool parts_fill(parts *p, const oc__compile_request *request)
{
    size_t devices = request->replicas * request->partitions;
    p->computations = calloc(request->partitions, sizeof *p->computations);
    p->computation_pointers =
        calloc(request->partitions, sizeof *p->computation_pointers);
    p->device_ids = calloc(devices, sizeof *p->device_ids);
    p->parameters_propagate =
        calloc(request->parameters + 1, sizeof *p->parameters_propagate);
    if (!p->computations || !p->computation_pointers || !p->device_ids ||
        !p->parameters_propagate) {
        return false;
    }
    for (size_t i = 0; i < devices; i++) {
        p->device_ids[i] = request->device_ids[i];
    }
    device_assignment_proto__init(&p->assignment);
    p->assignment.replica_count = (int32_t)request->replicas;
    p->assignment.computation_count = (int32_t)request->partitions;
    p->assignment.n_computation_devices = request->partitions;
    p->assignment.computation_devices = p->computation_pointers;
    for (size_t i = 0; i < request->partitions; i++) {
        device_assignment_proto__computation_device__init(&p->computations[i]);
        p->computations[i].n_replica_device_ids = request->replicas;
        p->computations[i].replica_device_ids = p->device_ids + i * request->replicas;
        p->computation_pointers[i] = &p->computations[i];
    }
    executable_build_options_proto__init(&p->build);
    p->build.device_ordinal = -1;
    p->build.num_replicas = (int64_t)request->replicas;
    p->build.num_partitions = (int64_t)request->partitions;
    p->build.use_spmd_partitioning = true;
    p->build.use_shardy_partitioner = true;
    p->build.device_assignment = &p->assignment;
    p->output_propagates = true;
    p->build.n_allow_spmd_sharding_propagation_to_output = 1;
    p->build.allow_spmd_sharding_propagation_to_output = &p->output_propagates;
    p->build.n_allow_spmd_sharding_propagation_to_parameters = request->parameters;
    p->build.allow_spmd_sharding_propagation_to_parameters = p->parameters_propagate;
    p->build.process_count = 1;
    p->build.memory_fitting_level = EFFORT_O2;
    return true;
}

/* The kind that the value's spelling says, as a Python caller's type would. */
static void set_value(OptionOverrideProto *value, const char *text)
{
    char *end = NULL;
    option_override_proto__init(value);
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (*text && *end == '\0' && errno == 0) {
        value->value_case = OPTION_OVERRIDE_PROTO__VALUE_INT_FIELD;
        value->int_field = whole;
        return;
    }
    errno = 0;
    double real = strtod(text, &end);
    if (*text && *end == '\0' && errno == 0) {
        value->value_case = OPTION_OVERRIDE_PROTO__VALUE_DOUBLE_FIELD;
        value->double_field = real;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value->value_case = OPTION_OVERRIDE_PROTO__VALUE_BOOL_FIELD;
        value->bool_field = *text == 't';
    } else {
        value->value_case = OPTION_OVERRIDE_PROTO__VALUE_STRING_FIELD;
        value->string_field = (char *)(uintptr_t)text; // only read when it is packed
    }
}

static bool overrides_fill(parts *p, const oc__compile_request *request)
{
    p->overrides = calloc(request->override_count + 1, sizeof *p->overrides);
    p->override_pointers =
        calloc(request->override_count + 1, sizeof *p->override_pointers);
    if (!p->overrides || !p->override_pointers) {
        return false;
    }
    for (size_t i = 0; i < request->override_count; i++) {
        override *o = &p->overrides[i];
        const char *text = request->overrides[i];
        const char *equals = strchr(text, '=');
        o->key = strndup(text, (size_t)(equals - text));
        if (!o->key) {
            return false;
        }
        p->override_count = i + 1;
        compile_options_proto__override__init(&o->entry);
        set_value(&o->value, equals + 1);
        o->entry.key = o->key;
        o->entry.value = &o->value;
        p->override_pointers[i] = &o->entry;
    }
    return true;
}

static void write_text(const oc__compile_request *request, oc__strbuf *out)
{
    oc__strbuf_addf(
        out,
        "executable_build_options { device_ordinal: -1 num_replicas: %zu "
        "num_partitions: %zu use_spmd_partitioning: true device_assignment { "
        "replica_count: %zu computation_count: %zu",
        request->replicas, request->partitions, request->replicas, request->partitions);
    for (size_t i = 0; i < request->partitions; i++) {
        oc__strbuf_addf(out, " computation_devices {");
        for (size_t j = 0; j < request->replicas; j++) {
            oc__strbuf_addf(out, " replica_device_ids: %lld",
                            (long long)request->device_ids[i * request->replicas + j]);
        }
        oc__strbuf_addf(out, " }");
    }
    oc__strbuf_addf(out, " } allow_spmd_sharding_propagation_to_output: true");
    for (size_t i = 0; i < request->parameters; i++) {
        oc__strbuf_addf(out, " allow_spmd_sharding_propagation_to_parameters: false");
    }
    oc__strbuf_addf(
        out, " use_shardy_partitioner: true process_count: 1 memory_fitting_level: "
             "EFFORT_O2 } profile_version: -1");
    for (size_t i = 0; i < request->override_count; i++) {
        oc__strbuf_addf(out, " env_option_overrides { %s }", request->overrides[i]);
    }
    oc__strbuf_addf(out, " allow_in_place_mlir_modification: true");
}

oc_status oc__compile_overrides_check(const char *const *overrides, size_t count,
                                      oc_error *err)
{
    if (count > MAX_OVERRIDES) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%zu XLA options; at most %d can be given", count,
                       MAX_OVERRIDES);
    }
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(overrides[i], '=');
        if (!equals || equals == overrides[i]) {
            return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                           "XLA option '%s' is not NAME=VALUE", overrides[i]);
        }
    }
    return OC_OK;
}

oc_status oc__compile_options(const oc__compile_request *request, oc__strbuf *out_bytes,
                              oc__strbuf *out_text, oc_error *err)
{
    oc_status rc = OC_OK;
    uint8_t *packed = NULL;
    parts p = {0};
    // Zero replicas abort the CPU plugin's process.
    if (request->replicas == 0 || request->partitions == 0 ||
        request->replicas > MAX_DEVICES || request->partitions > MAX_DEVICES ||
        request->parameters > MAX_PARAMETERS) {
        rc = OC_FAIL(
            err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
            "%zu replicas, %zu partitions and %zu parameters cannot be asked for",
            request->replicas, request->partitions, request->parameters);
        goto done;
    }
    rc = oc__compile_overrides_check(request->overrides, request->override_count, err);
    if (rc != OC_OK) {
        goto done;
    }
    CompileOptionsProto options;
    compile_options_proto__init(&options);
    options.profile_version = -1;
    options.allow_in_place_mlir_modification = true;
    options.executable_build_options = &p.build;
    if (!parts_fill(&p, request) || !overrides_fill(&p, request)) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    options.n_env_option_overrides = p.override_count;
    options.env_option_overrides = p.override_pointers;
    size_t size = compile_options_proto__get_packed_size(&options);
    packed = malloc(size);
    if (!packed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
        goto done;
    }
    oc__strbuf_add(out_bytes, packed, compile_options_proto__pack(&options, packed));
    write_text(request, out_text);
    if (out_bytes->failed || out_text->failed) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE,
                     "the compile options are too large");
    }
done:
    free(packed);
    parts_free(&p);
    return rc;
}
