/* The compiler: reads as much of StableHLO text and compile options as the fake runs.
 */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 2, MAX_TENSOR_RANK = 2 };

struct tensor_type {
    size_t rank;
    int64_t dims[MAX_TENSOR_RANK];
};

struct signature {
    size_t num_args, num_results;
    struct tensor_type args[MAX_ARGS], results[FAKE_MAX_OUTPUTS];
};

/* Reads "8x3xf32>" or "f32>" behind "tensor<". */
static bool read_tensor(const char *text, struct tensor_type *out)
{
    *out = (struct tensor_type){0};
    while (*text >= '0' && *text <= '9') {
        char *end;
        long extent = strtol(text, &end, 10);
        if (*end != 'x' || extent < 1 || extent > FAKE_MAX_EXTENT ||
            out->rank == MAX_TENSOR_RANK) {
            return false;
        }
        out->dims[out->rank++] = extent;
        text = end + 1;
    }
    return strncmp(text, "f32>", 4) == 0;
}

/* Reads every tensor type in [text, end), at most `most`. */
static bool read_tensors(const char *text, const char *end, struct tensor_type *out,
                         size_t most, size_t *count)
{
    static const char opening[] = "tensor<";
    *count = 0;
    while ((text = strstr(text, opening)) && text < end) {
        text += strlen(opening);
        if (*count == most || !read_tensor(text, &out[(*count)++])) {
            return false;
        }
    }
    return true;
}

/* Reads "@main(%x: tensor<..>, ...) -> (tensor<..>, ...) {". */
static bool read_signature(const char *text, struct signature *out)
{
    const char *entry = strstr(text, "@main(");
    const char *arrow = entry ? strstr(entry, "->") : NULL;
    if (!arrow) {
        return false;
    }
    const char *results = arrow + strlen("->");
    results += strspn(results, " \n\t");
    const char *end = *results == '(' ? strchr(results, ')') : strchr(results, '{');
    return end && read_tensors(entry, arrow, out->args, MAX_ARGS, &out->num_args) &&
           read_tensors(results, end, out->results, FAKE_MAX_OUTPUTS,
                        &out->num_results);
}

/* Reads the value of the text's only `dense<...>`: a decimal, or an f32's bits in hex.
 */
static bool read_constant(const char *text, float *out)
{
    static const char opening[] = "dense<";
    const char *at = strstr(text, opening);
    if (!at || strstr(at + 1, opening)) {
        return false;
    }
    at += strlen(opening);
    char *end;
    if (strncmp(at, "0x", 2) == 0) {
        uint32_t bits = (uint32_t)strtoul(at, &end, 16);
        memcpy(out, &bits, sizeof *out);
    } else {
        *out = strtof(at, &end);
    }
    return end > at && *end == '>';
}

static bool is_affine(const char *text, const struct signature *s)
{
    const struct tensor_type *x = &s->args[0], *w = &s->args[1], *y = &s->results[0];
    return strstr(text, "stablehlo.dot") && strstr(text, "stablehlo.add") &&
           s->num_args == 2 && s->num_results == 1 && x->rank == 2 && w->rank == 1 &&
           y->rank == 1 && w->dims[0] == x->dims[1] && y->dims[0] == x->dims[0];
}

static bool is_all_reduce(const char *text, const struct signature *s)
{
    return strstr(text, "stablehlo.all_reduce") && s->num_args == 1 &&
           s->num_results == 2 && s->args[0].rank == 1 && s->results[0].rank == 0 &&
           s->results[1].rank == 0;
}

static void read_name(const char *text, struct fake_program *program)
{
    static const char opening[] = "module @";
    const char *at = strstr(text, opening);
    at = at ? at + strlen(opening) : "main";
    size_t size =
        strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    snprintf(program->name, sizeof program->name, "%.*s", (int)(size % 60), at);
}

static void read_fingerprint(const char *text, struct fake_program *program)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    }
    snprintf(program->fingerprint, sizeof program->fingerprint, "fake-%016llx",
             (unsigned long long)hash);
}

PJRT_Error *fake_program_read(const char *code, size_t size, struct fake_program **out)
{
    *out = NULL;
    char *text = fake_alloc(size + 1, 1);
    memcpy(text, code, size);
    struct fake_program *program = fake_alloc(1, sizeof *program);
    program->references = 1;
    PJRT_Error *error = NULL;
    struct signature s = {0};
    bool known = read_signature(text, &s);
    if (known && is_affine(text, &s) && read_constant(text, &program->bias)) {
        program->kind = FAKE_AFFINE;
        program->columns = s.args[0].dims[1];
    } else if (known && is_all_reduce(text, &s)) {
        program->kind = FAKE_ALL_REDUCE;
    } else {
        error =
            fake_error(PJRT_Error_Code_UNIMPLEMENTED,
                       "The fake plugin compiles an affine map with one constant and "
                       "a sum of squares with all_reduce, both in f32, only.");
        goto done;
    }
    program->rows = s.args[0].dims[0];
    program->num_args = s.num_args;
    program->num_outputs = s.num_results;
    size_t dims = 0;
    for (size_t i = 0; i < s.num_results; i++) {
        program->output_types[i] = PJRT_Buffer_Type_F32;
        program->output_ranks[i] = s.results[i].rank;
        for (size_t k = 0; k < s.results[i].rank; k++) {
            program->output_dims[dims++] = s.results[i].dims[k];
        }
    }
    read_name(text, program);
    read_fingerprint(text, program);
    *out = program;
    program = NULL;
done:
    free(program);
    free(text);
    return error;
}

void fake_program_release(struct fake_program *program)
{
    if (--program->references == 0) {
        free(program);
    }
}

/* The wire format of protobuf: a cursor over fields, for the few that matter here. */
struct cursor {
    const unsigned char *at, *end;
    bool bad;
};

struct field {
    uint64_t number, value;
    struct cursor bytes; /* of a length-delimited field */
    bool delimited;
};

static uint64_t next_varint(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (c->at == c->end) {
            break;
        }
        unsigned char byte = *c->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    c->bad = true;
    return 0;
}

static bool next_field(struct cursor *c, struct field *out)
{
    if (c->bad || c->at == c->end) {
        return false;
    }
    *out = (struct field){0};
    uint64_t tag = next_varint(c), size = 0;
    out->number = tag >> 3;
    switch (tag & 7) {
    case 0: out->value = next_varint(c); break;
    case 1: size = 8; break;
    case 2:
        size = next_varint(c);
        out->delimited = true;
        break;
    case 5: size = 4; break;
    default: c->bad = true;
    }
    if (size > (size_t)(c->end - c->at)) {
        c->bad = true;
    }
    if (c->bad) {
        return false;
    }
    out->bytes = (struct cursor){.at = c->at, .end = c->at + size};
    c->at += size;
    return true;
}

static bool add_id(struct fake_options *out, uint64_t id)
{
    if (out->num_ids == FAKE_MAX_DEVICES) {
        return false;
    }
    out->ids[out->num_ids++] = (int64_t)id;
    return true;
}

/* ComputationDevice { 1 replica_device_ids, packed or not } */
static bool read_ids(struct cursor c, struct fake_options *out)
{
    struct field f;
    while (next_field(&c, &f)) {
        if (f.number != 1) {
            continue;
        }
        if (!f.delimited && !add_id(out, f.value)) {
            return false;
        }
        while (f.delimited && f.bytes.at < f.bytes.end) {
            if (!add_id(out, next_varint(&f.bytes)) || f.bytes.bad) {
                return false;
            }
        }
    }
    return !c.bad;
}

/* DeviceAssignmentProto { 3 computation_devices } */
static bool read_assignment(struct cursor c, struct fake_options *out)
{
    struct field f;
    while (next_field(&c, &f)) {
        if (f.number == 3 && !read_ids(f.bytes, out)) {
            return false;
        }
    }
    return !c.bad;
}

/* ExecutableBuildOptionsProto { 4 num_replicas, 5 num_partitions, 9 device_assignment }
 */
static bool read_build_options(struct cursor c, struct fake_options *out)
{
    struct field f;
    while (next_field(&c, &f)) {
        if (f.number == 4) {
            out->replicas = (int64_t)f.value;
        } else if (f.number == 5) {
            out->partitions = (int64_t)f.value;
        } else if (f.number == 9 && !read_assignment(f.bytes, out)) {
            return false;
        }
    }
    return !c.bad;
}

PJRT_Error *fake_options_read(const char *bytes, size_t size, struct fake_options *out)
{
    *out = (struct fake_options){0};
    const unsigned char *start = (const unsigned char *)bytes;
    struct cursor c = {.at = start, .end = start + size};
    struct field f;
    bool good = true;
    while (
        good &&
        next_field(&c, &f)) { /* CompileOptionsProto { 3 executable_build_options } */
        if (f.number == 3) {
            good = read_build_options(f.bytes, out);
        }
    }
    if (!good || c.bad) {
        return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                          "PJRT_Client_Compile: failed to deserialize "
                          "CompileOptionsProto");
    }
    if (out->replicas < 1 || out->replicas > FAKE_MAX_DEVICES || out->partitions != 1 ||
        (out->num_ids && out->num_ids != (size_t)out->replicas)) {
        return fake_error(
            PJRT_Error_Code_INVALID_ARGUMENT,
            "The fake plugin takes 1 to %d replicas and one partition, not "
            "%lld, %lld and an assignment of %zu devices.",
            FAKE_MAX_DEVICES, (long long)out->replicas, (long long)out->partitions,
            out->num_ids);
    }
    return NULL;
}
